"""Layouts: random documents from layouts, palettes and words that are data."""
