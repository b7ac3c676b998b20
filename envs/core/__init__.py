"""What the suites share; it knows none of them."""
