"""Matching: which printed words a target means."""
