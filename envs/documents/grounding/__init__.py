"""Grounding: which element, or which place, words mean."""
