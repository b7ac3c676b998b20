"""Rule-based form filler: facts of a source into fields that FieldFinder finds."""
