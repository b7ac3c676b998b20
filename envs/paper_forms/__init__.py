"""FormGym: fill in the image of a paper form."""
