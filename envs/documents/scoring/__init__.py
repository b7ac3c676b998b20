"""Scores of edits: what was changed, against what should have been."""
