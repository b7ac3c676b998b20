"""The network: predicts where the answer to a label goes from its surroundings."""
