"""DocEdit: edit a structured document on request."""
