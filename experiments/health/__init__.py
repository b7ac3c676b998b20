"""Health: what must hold of a benchmark, checked in every environment, and its baselines."""
