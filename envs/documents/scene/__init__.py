"""The scene graph of a document: pages of elements in the order of painting."""
