"""Florence-2 as a FieldFinder: trained on to answer a field's name with location tokens (FormGym, FieldFinder)."""
