"""Instances of web forms: the value of each field, and the source text with these facts."""
