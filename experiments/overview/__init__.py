"""What there is: environments, and what of formgym is installed."""
