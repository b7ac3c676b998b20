"""Agents: they see tools and observations, never an environment."""
