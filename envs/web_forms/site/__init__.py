"""A site that serves the forms to people and agents, and scores submissions."""
