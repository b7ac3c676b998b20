"""The HTML report and the tables of finished runs."""
