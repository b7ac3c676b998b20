"""Running agents over environments, and reporting the results."""
