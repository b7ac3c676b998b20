"""Instances of web forms: what goes into each field, and the text that tells it."""
