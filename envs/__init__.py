"""Environments: what the suites share (core), and the suites."""
