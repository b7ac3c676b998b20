"""Edit requests from elsewhere: readers of data sets that the user brings."""
