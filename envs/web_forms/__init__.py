"""Web forms: pages with text boxes, lists, calendars and files, filled in from a source text."""
