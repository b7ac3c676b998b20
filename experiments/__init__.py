"""Running agents over environments, and what becomes of the results."""
