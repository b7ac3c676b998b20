"""``formgym export``: environments and recorded runs as data sets."""
