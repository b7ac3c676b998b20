"""Edit requests that others published: readers of data sets that the user brings."""
