"""Reading a page: its words, its rules, its tick boxes, and what is blank."""
