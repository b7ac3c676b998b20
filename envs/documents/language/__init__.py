"""Language: find elements by descriptions, and read requests as operations."""
