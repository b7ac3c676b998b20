"""Hydra configuration: groups env, agent, flow, wrappers, logger, experiment."""
