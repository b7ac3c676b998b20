"""The network: where the answer to a label goes, seen from the label."""
