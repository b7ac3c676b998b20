"""Files that documents are read from and written to."""
