"""Windows about labels: what a policy sees of a page, and the cells it points at."""
