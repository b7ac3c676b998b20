"""The settings of a run: check them, complete them, and restore those of a run."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

import gymnasium as gym
from hydra.core.hydra_config import HydraConfig
from hydra.types import RunMode
from omegaconf import DictConfig, OmegaConf

from ... import __version__
from ...agents.model_agent import Prompts
from .environment_names import register_resolver
from .runs import CONFIG, read_config, settings_of
from .secrets import with_secret
from .shards import Shard
from .sweeps import MAY_CHANGE, MAY_DIFFER, setting_of


def check_settings(config: DictConfig) -> None:
    """Raise ``ValueError`` if a setting of the run is unknown."""
    if not isinstance(config.seed, int) or config.seed < 0:
        raise ValueError(f"seed must be a whole number from 0 on; it is {config.seed}")
    if not isinstance(config.resume, bool):
        raise ValueError(f"resume must be true or false; it is {config.resume}")
    if not isinstance(config.concurrency, int) or config.concurrency < 1:
        raise ValueError(f"concurrency must be a whole number from 1 on; it is {config.concurrency}")
    overridden = {setting_of(override) for override in HydraConfig.get().overrides.task}
    if Shard.of(config.shard).count > 1 and "run_dir" not in overridden:
        raise ValueError("shards meet in one folder; say which, such as run_dir=runs/sweep")
    if config.retry not in (None, "errors"):
        raise ValueError(f"retry must be errors or null; it is {config.retry}")
    if config.retry and not config.resume:
        raise ValueError("retry=errors goes on with a run; add resume=true")


def with_names(config: DictConfig) -> DictConfig:
    """``config`` with the names of the choices in it, for the run directory."""
    register_resolver()
    env_id = config.env.id.removeprefix("formgym:")
    names = {
        "env": env_id,
        "settings": unusual_settings(env_id, dict(config.env)),
        "agent": _agent_name(config),
        "flow": HydraConfig.get().runtime.choices["flow"],
    }
    names |= _prompts_of(config)
    OmegaConf.set_struct(config, False)
    job = HydraConfig.get().job.num if HydraConfig.get().mode is RunMode.MULTIRUN else None
    return cast(DictConfig, OmegaConf.merge(config, {"names": names, "job": job, "version": __version__}))


def unusual_settings(env_id: str, arguments: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments of an environment that are not its usual ones, without secrets."""
    usual = gym.registry[env_id].kwargs if env_id in gym.registry else {}
    requested = {key: value for key, value in arguments.items() if key not in ("_target_", "id")}
    return {key: _formatted(key, v) for key, v in requested.items() if v is not None and v != usual.get(key)}


def _agent_name(config: DictConfig) -> str:
    """The agent with its model, or the ``name`` that is given."""
    model = OmegaConf.select(config, "agent.model.name")
    is_own = config.name == HydraConfig.get().runtime.choices["agent"]
    return f"{config.name} ({model})" if model and is_own else str(config.name)


def _prompts_of(config: DictConfig) -> dict[str, str]:
    """The digest of the agent's prompts as they are now; empty if it has none."""
    return {"prompts": Prompts(config.agent.prompts).sha256} if "prompts" in config.agent else {}


def _formatted(key: str, value: Any) -> Any:
    """A setting as tables and reports print it, without secrets."""
    if key == "secret":
        return "private"
    return re.sub(r"://([^/@:]*):[^/@]*@", r"://\1:***@", value) if isinstance(value, str) else value


def resumed_config(folder: Path, config: DictConfig, overrides: Sequence[str]) -> DictConfig:
    """The config of the run in ``folder``.

    Raises:
        ValueError: if the command line changes another setting than a resumed run may, or the secret of a private test
            split is missing.
    """
    saved = read_config(folder / CONFIG)
    overridden = {setting_of(override) for override in overrides} - set(MAY_DIFFER)
    requested, begun = settings_of(config), settings_of(saved)
    differing = sorted(key for key in overridden if requested.get(key) != begun.get(key))
    if differing:
        raise ValueError(f"{folder} was begun with another {', '.join(differing)}; resume it without that")
    if _prompts_of(saved).get("prompts") != begun["names"].get("prompts"):
        raise ValueError(f"{folder} was begun with other prompts; resume it with those, or choose another run_dir")
    saved.env = with_secret(begun["env"], config.env.get("secret"))
    saved.concurrency, saved.shard = config.concurrency, config.shard
    for key in {setting_of(override) for override in overrides} & set(MAY_CHANGE):
        saved[key] = config[key]
    return saved
