"""Rule-based form filler: extracts facts from a source and writes them into the fields that FieldFinder finds."""
