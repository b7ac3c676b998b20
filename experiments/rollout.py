"""Rollouts: one agent, one episode, one record; and the replay of a record."""

from __future__ import annotations

import hashlib
import time
from collections.abc import Iterator
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from ..agents.base import Agent, ModelError, TaskInfo
from ..envs.core.env import PaperworkEnv
from ..envs.core.painting import Image
from ..envs.core.tools import Call, ToolSpace
from ..wrappers import ActionBatch
from .episodes import Episode, Round


def episode_seed(run_seed: int, index: int) -> int:
    """The seed of episode ``index`` of a run, whatever agent runs and in whatever order."""
    return int(np.random.SeedSequence([run_seed, index]).generate_state(1)[0])


def run_episode(env: gym.Env[Any, Any], agent: Agent, *, index: int, seed: int, task: str | None = None) -> Episode:
    """Let ``agent`` do one episode.

    Args:
        env: a ``PaperworkEnv`` in an ``ActionBatch``.
        agent: who acts.
        index: the number of the episode in its run.
        seed: of the environment and the agent.
        task: the task's id; ``None`` lets the seed choose.

    Returns:
        The record. If a model's provider fails, it is unscored and says why.

    Raises:
        ValueError: if there is no such task, or ``env`` has no ``ActionBatch``.
    """
    began = time.perf_counter()
    base = cast(PaperworkEnv, env.unwrapped)
    observation, _ = env.reset(seed=seed, options={"task": task} if task is not None else None)
    task_info = _task_info(env, agent)
    rounds: list[Round] = []
    reward, ended, error = 0.0, "", None
    try:
        agent.reset(task_info, seed)
        while not ended:
            actions = agent.act(observation)
            observation, gained, terminated, truncated, info = env.step(actions)
            reward += float(gained)
            # As they were carried out: a wrapper may have translated them.
            calls = [base.action_space.to_call(action) for action in info["actions"]]
            rounds.append(Round(calls=calls, **{k: info[k] for k in ("feedback", "valid", "carried_out")}))
            ended = "terminated" if terminated else "truncated" if truncated else ""
    except ModelError as failure:
        ended, error = "error", str(failure)
    score = base.state.score()
    return Episode(
        index=index,
        env=task_info.env_id,
        task=base.state.task_id,
        seed=seed,
        rounds=rounds,
        figures=dict(score.figures) if error is None else None,
        fields=list(score.fields) if error is None else [],
        usage=dict(getattr(agent, "usage", {})),
        reward=reward,
        ended=ended,
        error=error,
        page_sha256=page_digest(base.page()),
        seconds=round(time.perf_counter() - began, 4),
    )


@dataclass(frozen=True)
class ReplayStep:
    """A moment of a replayed episode: the page after ``call``, the first one before any."""

    page: Image
    call: Call | None
    feedback: str
    valid: bool
    figures: dict[str, float]


def replay(env: PaperworkEnv, episode: Episode) -> Iterator[ReplayStep]:
    """The episode again, step by step.

    Args:
        env: a bare environment of the same id and arguments.
        episode: what to replay.
    """
    _, info = env.reset(seed=episode.seed, options={"task": episode.task})
    yield ReplayStep(env.page(), None, "", True, info["score"])
    for calls in (r.calls[: r.carried_out] for r in episode.rounds):
        for call in calls:
            _, _, _, _, info = env.step(env.action_space.from_call(call))
            yield ReplayStep(env.page(), call, info["feedback"], info["valid"], info["score"])


def page_digest(page: Image) -> str:
    """A digest of a page's pixels."""
    return hashlib.sha256(page.tobytes()).hexdigest()


def _task_info(env: gym.Env[Any, Any], agent: Agent) -> TaskInfo:
    batch = _batch_of(env)
    return TaskInfo(
        env_id=env.spec.id if env.spec else type(env.unwrapped).__name__,
        tools=cast(ToolSpace, deepcopy(cast("spaces.Sequence", env.action_space).feature_space)),
        max_actions=batch.max_actions,
        solution=env.get_wrapper_attr("solution")() if getattr(agent, "privileged", False) else (),
    )


def _batch_of(env: gym.Env[Any, Any]) -> ActionBatch:
    while isinstance(env, gym.Wrapper):
        if isinstance(env, ActionBatch):
            return env
        env = env.env
    raise ValueError("the environment of a rollout must be wrapped in ActionBatch; choose a flow")
