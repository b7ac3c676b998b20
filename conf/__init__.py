"""Hydra configuration: groups env, agent, flow, wrappers and logger."""
