"""``formgym demo``: one episode of each suite, in the terminal, as a page, as a GIF."""
