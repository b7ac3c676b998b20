"""Print text, tables and progress bars in a terminal."""
