"""Edit programs: small Python written by agents, run by our own interpreter."""
