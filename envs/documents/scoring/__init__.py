"""Score edits: compare what was changed with what should have been."""
