"""Models of runs: with the cache of replies, prices and the budget of the sweep."""

from __future__ import annotations

from copy import deepcopy
from pathlib import Path

from omegaconf import DictConfig, OmegaConf

LEDGER = "ledger.jsonl"
"""What the replies of a run, or of all runs of a sweep, have cost."""
_OF_SWEEPS = "multirun.yaml"


def ledger_of(folder: Path) -> Path:
    """The ledger of the run in a folder: that of its sweep, if it is part of one."""
    return (folder.parent if (folder.parent / _OF_SWEEPS).exists() else folder) / LEDGER


def with_metered_model(config: DictConfig, folder: Path) -> DictConfig:
    """The config of the run in a folder; its agent's model is a ``MeteredModel``."""
    if config.get("model") is None or "model" not in config.agent:
        return config
    metered = {
        "_target_": "formgym.agents.models.metered.MeteredModel",
        "_convert_": "all",
        "provider": config.model,
        "cache": config.model_cache,
        "prices": config.prices,
        "budget": config.budget,
        "ledger": str(ledger_of(folder)),
    }
    playing = deepcopy(config)
    # Not config.model: in the config of a resumed run, the agent has a copy of it.
    OmegaConf.update(playing, "agent.model", metered, merge=False)
    return playing
