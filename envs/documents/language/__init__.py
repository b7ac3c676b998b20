"""Language: requests in plain English as edits; every word of a request is read, or the request is refused."""
