"""``evaluate_agent``: an agent's scores on an environment, from Python."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from typing import Any, cast

import gymnasium as gym

from ..agents.base import Agent
from ..envs.core.env import PaperworkEnv
from ..envs.core.tasks import episode_seed
from ..wrappers import ActionBatch
from .metrics import headline_of, title
from .running.episode_loop import n_requested
from .running.episodes import Episode
from .running.intervals import scores_of
from .running.rollout import run_episode
from .terminal import format_interval, format_number


@dataclass(frozen=True)
class Evaluation:
    """What an agent did on an environment; printed, it is a line.

    Attributes:
        episodes: the records, each with its calls, feedback, fields and metrics, or its error.
        scores: of each metric, the ``mean`` and its 95 % interval ``ci95``, over the episodes without an error.
    """

    episodes: Sequence[Episode]
    scores: dict[str, dict[str, Any]]

    def __str__(self) -> str:
        errors = [episode.error for episode in self.episodes if episode.error]
        failed = f", {len(errors)} without a score: {errors[0]}" if errors else ""
        return f"{self._headline()}{len(self.episodes)} episode{'s' * (len(self.episodes) != 1)}{failed}"

    def _headline(self) -> str:
        if not self.scores:
            return ""
        name = headline_of(self.scores)
        mean, bounds = self.scores[name]["mean"], self.scores[name]["ci95"]
        interval = f" (95 % interval {format_interval(bounds)})" if bounds else ""
        return f"{title(name)} {format_number(mean)}{interval}, "


def evaluate_agent(
    agent: Agent,
    env: str | gym.Env[Any, Any],
    episodes: int | None = None,
    seed: int = 0,
    max_rounds: int = 10,
) -> Evaluation:
    """Evaluate an agent, on the tasks and seeds that ``formgym evaluate`` takes.

    Args:
        agent: with the methods ``reset(task, seed)`` and ``act(observation)``; an exception in one of them ends the
            episode, which then has no score.
        env: an id, or an environment in the wrappers that the agent needs, which stays open.
        episodes: how many, their tasks drawn by ``seed``; ``None``: one of every task.
        seed: of tasks and agent.
        max_rounds: how often the agent acts in an episode; 1 is the one-shot flow. An environment that is in an
            ``ActionBatch`` already has its own.

    Raises:
        ValueError: if ``episodes`` is below 1, or ``None`` where tasks are endless.
    """
    with ExitStack() as stack:
        bare = gym.make(env) if isinstance(env, str) else env
        if isinstance(env, str):
            stack.callback(bare.close)
        batch = bare if bare.has_wrapper_attr("max_rounds") else ActionBatch(bare, max_rounds)
        tasks = cast(PaperworkEnv, bare.unwrapped).task_ids if episodes is None else [None] * episodes
        records = [
            run_episode(batch, agent, index=i, seed=episode_seed(seed, i), task=tasks[i])
            for i in range(n_requested(episodes, bare))
        ]
    return Evaluation(records, scores_of(records))
