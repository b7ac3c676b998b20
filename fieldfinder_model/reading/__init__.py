"""Read a page: its words, rules, tick boxes and blank space."""
