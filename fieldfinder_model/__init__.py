"""FieldFinder: name a field, get its place on the page (FormGym, section FieldFinder)."""
