"""Baselines: what agents without a model score in an environment."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import gymnasium as gym

from ...agents.base import Agent
from ...agents.baselines import Noop, Oracle, Random, SubmitSource, TickEverything
from ...agents.rule_based.agent import RuleBased
from ...envs.core.tasks import episode_seed
from ...wrappers import ActionBatch, Feedback, FieldFinder, GroundTruthCoordinates
from ..running.episodes import Episode
from ..running.rollout import run_episode

Env = gym.Env[Any, Any]
_MAX_ROUNDS = 10
_RUN_SEED = 0


@dataclass(frozen=True)
class Baseline:
    """An agent without a model, and what it sees an environment through.

    Attributes:
        title: in tables.
        agent: makes it.
        suits: whether it can play an environment, by the names of its id and tools.
        wrappers: the first is innermost.
    """

    title: str
    agent: Callable[[], Agent]
    suits: Callable[[str, tuple[str, ...]], bool]
    wrappers: tuple[Callable[[Env], Env], ...] = ()


def _any(env_id: str, tools: tuple[str, ...]) -> bool:
    return True


def _paper(env_id: str, tools: tuple[str, ...]) -> bool:
    return env_id.startswith("FormGym/") and "place_text" in tools


def _document(env_id: str, tools: tuple[str, ...]) -> bool:
    return env_id.startswith("DocEdit/") and "move" in tools


def _finding(locator: str) -> tuple[Callable[[Env], Env], ...]:
    return partial(FieldFinder, locator=locator, show=1), Feedback


BASELINES = {
    "oracle": Baseline("oracle", Oracle, _any),
    "noop": Baseline("no-op", Noop, _any),
    "random": Baseline("random", Random, _any),
    "tick_everything": Baseline("tick everything", TickEverything, _paper, (GroundTruthCoordinates,)),
    "submit_source": Baseline("submit source", SubmitSource, _document),
    "rules": Baseline("rules, evenly down the page", RuleBased, _paper, (Feedback,)),
    "rules_fieldfinder": Baseline("rules + FieldFinder", RuleBased, _paper, _finding("fieldfinder")),
    "rules_exact": Baseline("rules + exact places", RuleBased, _paper, _finding("oracle")),
}
"""By name; the ceiling and the floor first."""


def play(env_id: str, name: str, episodes: int, **options: Any) -> list[Episode]:
    """Episodes of a baseline; none if it cannot play the environment.

    Args:
        env_id: the id of the environment.
        name: of one of ``BASELINES``.
        episodes: how many; their tasks and seeds are those of ``formgym evaluate`` with as many.
        **options: what the environment is made with.
    """
    baseline = BASELINES[name]
    env: Env = gym.make(env_id, disable_env_checker=True, **options)
    try:
        if not baseline.suits(env_id, env.unwrapped.action_space.names):  # type: ignore[attr-defined]
            return []
        env = ActionBatch(env, max_rounds=_MAX_ROUNDS)
        for wrap in baseline.wrappers:
            env = wrap(env)
        agent = baseline.agent()
        return [run_episode(env, agent, index=i, seed=episode_seed(_RUN_SEED, i)) for i in range(episodes)]
    finally:
        env.close()
