"""Paint documents: each element is a sprite, drawn once and then stamped."""
