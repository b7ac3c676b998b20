"""A small accounting practice as a database: its tables, and rows for it made from a seed."""
