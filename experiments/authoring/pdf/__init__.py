"""PDF forms: read into a folder that can be played, and filled in."""
