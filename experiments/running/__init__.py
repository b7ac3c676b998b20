"""Run agents over environments: jobs, episodes, statistics, resuming."""
