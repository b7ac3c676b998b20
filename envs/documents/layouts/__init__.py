"""Layouts: new documents without end, from layouts, palettes and words that are data; ``making.make_document``."""
