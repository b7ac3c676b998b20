"""Rules that read requests in plain English and write the edits that they ask for."""
