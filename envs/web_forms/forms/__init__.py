"""Web forms as data: their definition, their fields, and scores of how they are filled in."""
