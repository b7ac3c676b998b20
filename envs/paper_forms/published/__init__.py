"""The published FormGym from the user's checkout: its pages, users, database and grading, read as data."""
