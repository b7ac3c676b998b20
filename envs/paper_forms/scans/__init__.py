"""Scans of our own: clean pages, what is typed on them, and how they are degraded."""
