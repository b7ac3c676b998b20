"""Instances of web forms: the value of each field, and a source text with them."""
