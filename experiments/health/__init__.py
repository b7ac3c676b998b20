"""Health: checks of what must hold of a benchmark, and baselines."""
