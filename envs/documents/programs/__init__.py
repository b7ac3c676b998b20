"""Edit programs: small Python written by agents, run by an interpreter of our own."""
