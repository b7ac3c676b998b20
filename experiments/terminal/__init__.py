"""Terminal output shared by the commands."""
