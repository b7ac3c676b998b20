"""Web forms as data: definitions, fields and scores."""
