"""Score edits: compare the changes that were made with the expected ones."""
