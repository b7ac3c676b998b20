"""What ``formgym train`` is configured by: its settings, and experiments by name."""
