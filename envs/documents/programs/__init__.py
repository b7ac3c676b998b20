"""Edit programs: Python written by agents, run in a sandbox on a copy of the document."""
