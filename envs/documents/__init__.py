"""DocEdit: edit a structured document as a sentence asks."""
