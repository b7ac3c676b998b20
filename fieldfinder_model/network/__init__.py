"""The network: predicts where the answer to a label goes from the surroundings of the label."""
