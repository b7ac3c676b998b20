"""Requests: what somebody wants changed in a document, in words, with the edit that does it."""
