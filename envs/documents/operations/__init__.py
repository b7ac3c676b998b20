"""Edit operations on documents; to add one, declare it and add a row in ``table``."""
