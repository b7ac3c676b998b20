"""Feedback: whether an edit is right, and if not, the kind of mistake."""
