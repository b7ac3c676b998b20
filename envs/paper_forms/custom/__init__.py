"""Forms of one's own with their tasks: a folder with ``form.json``, pictures of pages and ``gold.json``."""
