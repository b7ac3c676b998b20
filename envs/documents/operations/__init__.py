"""Edit operations on documents, declared once each; a new one is a declaration and a row in ``table``."""
