"""``formgym demo``: an episode of each suite, as text, page and GIF."""
