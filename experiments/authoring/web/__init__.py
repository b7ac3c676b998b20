"""Capture web forms with Chromium."""
