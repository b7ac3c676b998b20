"""Facts: what a source tells of people and their affairs, and what forms call it."""
