"""Requests to edit a document: their words, and the edit that does what they ask."""
