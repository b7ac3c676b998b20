"""FieldFinder's data: pages with empty fields, of data sets and of our own forms (FormGym, section FieldFinder)."""
