"""The documentation's generated part: pages of environments, and its set-up."""
