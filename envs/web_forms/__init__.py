"""Web forms, filled in from a source text by mouse and keyboard."""
