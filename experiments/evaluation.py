"""``evaluate_agent``: an agent's scores on an environment, from Python."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import gymnasium as gym
from gymnasium.wrappers import OrderEnforcing, PassiveEnvChecker, TimeLimit

from ..agents.base import Agent
from ..wrappers import ActionBatch
from .running.run_folder import Run
from .running.run_spec import RunSpec, make, path_of
from .running.runner import Runner

_MADE_BY_GYMNASIUM = (OrderEnforcing, PassiveEnvChecker, TimeLimit)
"""The wrappers that ``gymnasium.make`` adds."""


def evaluate_agent(
    agent: Agent,
    env: str | gym.Env[Any, Any],
    episodes: int | None = None,
    seed: int = 0,
    max_rounds: int = 10,
    run_dir: Path | None = None,
) -> Run:
    """Evaluate an agent, on the tasks and seeds that ``formgym sweep`` takes; printed, the result is a line.

    Args:
        agent: with the methods ``reset(task, seed)`` and ``act(observation)``; an exception in one of them ends the
            episode, which then counts 0.
        env: an id, or an environment in the wrappers that the agent needs, which stays open; the run records them.
        episodes: how many, their tasks drawn by ``seed``; ``None``: one of every task.
        seed: of tasks and agent.
        max_rounds: how often the agent acts in an episode; 1 is the one-shot flow. An environment that is in an
            ``ActionBatch`` already has its own.
        run_dir: where the run is recorded, for ``formgym report``; ``None``: nowhere.

    Raises:
        ValueError: if ``episodes`` is below 1, or ``None`` where tasks are endless.

    Example:
        >>> from formgym.agents.baselines import Noop, Oracle
        >>> print(evaluate_agent(Oracle(), "FormGym/Scans-v0", episodes=3))
        strict accuracy 1.000 (95 % interval 0.439 – 1.000), 3 episodes
        >>> evaluate_agent(Noop(), "FormGym/Scans-v0", episodes=3).scores["strict_accuracy"]["mean"]
        0.0
    """
    with ExitStack() as stack:
        bare = make(env) if isinstance(env, str) else env
        if isinstance(env, str):
            stack.callback(bare.close)
        batch = bare if bare.has_wrapper_attr("max_rounds") else ActionBatch(bare, max_rounds)
        made = {"id": bare.spec.id, **bare.spec.kwargs} if bare.spec else {"id": type(bare.unwrapped).__name__}
        flow, wrappers = _wrappers_of(batch)
        spec = RunSpec(
            env=made,
            agent={"_target_": path_of(type(agent))},
            flow=flow,
            flow_name=_flow_name(flow),
            wrappers=wrappers,
            episodes=episodes,
            seed=seed,
            run_dir=run_dir,
        )
        return Runner(spec, batch, agent).run()


def _wrappers_of(env: gym.Env[Any, Any]) -> tuple[dict[str, Any], dict[str, Any]]:
    """The flow of an environment, and its other wrappers by name, the innermost first, as runs record them."""
    flow: dict[str, Any] = {}
    found: list[tuple[str, dict[str, Any]]] = []
    while isinstance(env, gym.Wrapper):
        settings = _recorded(env)
        if isinstance(env, ActionBatch):
            flow = settings
        elif not isinstance(env, _MADE_BY_GYMNASIUM):
            name = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", type(env).__name__).lower()
            found.insert(0, (name, settings))
        env = env.env
    return flow, {f"{name}_{i}" if name in dict(found[:i]) else name: made for i, (name, made) in enumerate(found)}


def _recorded(wrapper: gym.Wrapper[Any, Any, Any, Any]) -> dict[str, Any]:
    """The class of a wrapper, and those of its options that JSON has."""
    path = path_of(type(wrapper))
    if path.startswith("formgym.wrappers."):
        path = f"formgym.wrappers.{type(wrapper).__name__}"
    options = dict(getattr(wrapper, "_saved_kwargs", {}))
    kept = {name: value for name, value in options.items() if _is_plain(value)}
    return {"_target_": path, "_partial_": True, **kept}


def _is_plain(value: Any) -> bool:
    """Whether JSON can hold a value."""
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError):
        return False
    return True


def _flow_name(flow: Mapping[str, Any]) -> str:
    """The name of a flow in tables."""
    return "one_shot" if flow["max_rounds"] == 1 else "stepwise" if flow["max_actions"] == 1 else "iterative"
