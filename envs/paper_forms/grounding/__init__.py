"""Grounding on paper forms: the environment, pages by domain, and their splits."""
