"""Training of grounding policies: pools of targets, recipes, and measuring."""
