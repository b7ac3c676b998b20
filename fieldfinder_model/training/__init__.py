"""Training of the shipped network."""
