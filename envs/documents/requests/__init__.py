"""Requests to edit a document: their words, and the edits that they ask for."""
