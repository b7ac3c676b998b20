"""Environments: the three suites, and core, which they share."""
