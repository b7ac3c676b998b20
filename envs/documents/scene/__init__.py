"""The scene graph of a document: pages, and elements in the order in which they are painted."""
