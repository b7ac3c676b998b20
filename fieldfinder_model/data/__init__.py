"""FieldFinder's data: pages with empty fields, from data sets and our own forms."""
