"""A site that serves the forms to people and to agents of any kind, and scores what they submit."""
