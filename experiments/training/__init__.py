"""Training of models and policies."""
