"""Feedback: whether a document is now as a request asks, and if not, what kind of mistake it is."""
