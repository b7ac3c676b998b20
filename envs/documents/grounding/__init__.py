"""Grounding: which element words mean."""
