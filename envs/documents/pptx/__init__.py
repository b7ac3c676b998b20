"""Read, write and patch PowerPoint files."""
