"""Evaluate and inspect FieldFinder."""
