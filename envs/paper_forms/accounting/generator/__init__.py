"""Generate the accounting database from a seed, one module for each set of tables."""
