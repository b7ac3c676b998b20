"""Runs published for others to check: submissions and their verification."""
