"""Rollouts: one agent, one episode, one record; and the replay of a record."""

from __future__ import annotations

import hashlib
import json
import math
import time
import traceback
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from ...agents.base import Agent, Exchange, ModelError, ModelStopped, ReplyAwaited, TaskInfo
from ...agents.session import page_corner
from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import Image
from ...envs.core.redaction import without_secrets
from ...envs.core.texts import truncate_middle
from ...envs.core.tools import Call, ToolSpace, jsonable
from ...wrappers import ActionBatch
from .episodes import AWAITED, Episode, Fault, Round

_MAX_ERROR_LENGTH = 20_000


def bare_env(env_id: str, **options: Any) -> PaperworkEnv:
    """A new environment without wrappers.

    Args:
        env_id: its id.
        **options: what it is made with.
    """
    env = gym.make(env_id, disable_env_checker=True, **options)
    bare = cast(PaperworkEnv, env.unwrapped)
    # Gymnasium keeps the limit of steps with the wrapper that applies it; replays are bounded by it.
    bare.spec = env.spec
    return bare


def run_episode(env: gym.Env[Any, Any], agent: Agent, *, index: int, seed: int, task: str | None = None) -> Episode:
    """Let ``agent`` do one episode.

    Args:
        env: a ``PaperworkEnv`` in an ``ActionBatch``.
        agent: who acts.
        index: the number of the episode in its run.
        seed: of the environment and the agent.
        task: the task's id; ``None`` lets the seed choose.

    Returns:
        The record. If a model's provider fails, it is unscored; if the model itself cannot go on, it is scored as it
        stands; if ``env`` or ``agent`` raises another exception, it is a crash. All say why, and whose fault it is.

    Raises:
        ValueError: if ``env`` has no ``ActionBatch``.
    """
    _batch_of(env)
    rollout = _Rollout(env, agent, index, seed, task or "")
    try:
        return rollout.run(task)
    # The one place that catches broadly: a mistake of an agent or of one task must not cost the other episodes.
    except Exception as error:  # noqa: BLE001
        return rollout.crashed(error)


class _Rollout:
    """An episode that is being run, with the data of its record."""

    def __init__(self, env: gym.Env[Any, Any], agent: Agent, index: int, seed: int, task: str) -> None:
        self._env, self._agent, self._index, self._seed, self._task = env, agent, index, seed, task
        self._base = cast(PaperworkEnv, env.unwrapped)
        self._began = time.perf_counter()
        self._rounds: list[Round] = []
        self._reward = 0.0
        self._running: Fault = "environment"
        self._under_way: Round | None = None
        self._observed = ""

    def run(self, task: str | None) -> Episode:
        """Run the episode; its record, unscored if a model's provider fails."""
        observation, _ = self._env.reset(seed=self._seed, options={"task": task} if task is not None else None)
        self._task = self._base.state.task_id
        self._observed = observation_digest(observation)
        ended, error, stop_reason = "", None, ""
        try:
            ended = self._play(observation, _task_info(self._env, self._agent))
        except ModelStopped as stopped:
            ended, stop_reason = "stopped", stopped.reason
        except ModelError as failure:
            ended, error = AWAITED if isinstance(failure, ReplyAwaited) else "error", _text(str(failure))
        with self._agents_code():
            usage = self._usage()
        score = self._base.state.score()
        return self._record(
            metrics=dict(score.metrics) if error is None else None,
            fields=list(score.fields) if error is None else [],
            usage=usage,
            reward=self._reward,
            ended=ended,
            error=error,
            page_sha256=page_digest(self._base.page()),
            stop_reason=stop_reason,
            fault=None if error is None else "provider",
        )

    def crashed(self, error: Exception) -> Episode:
        """The record of an episode that ``error`` ended."""
        usage: dict[str, float] = {}
        with suppress(Exception):
            usage = self._usage()
        if self._under_way is not None:
            self._rounds.append(self._under_way)
        return self._record(
            metrics=None,
            fields=[],
            usage=usage,
            reward=self._reward if math.isfinite(self._reward) else 0.0,
            ended="crash",
            error=_text("".join(traceback.format_exception_only(error)).strip()),
            page_sha256="",
            traceback=_text("".join(traceback.format_exception(error))),
            fault=self._running,
        )

    def _usage(self) -> dict[str, float]:
        """What the agent used; an exception if that is not finite numbers by name."""
        usage = {str(name): float(value) for name, value in dict(getattr(self._agent, "usage", {})).items()}
        if not all(map(math.isfinite, usage.values())):
            raise ValueError(f"the agent's usage is not finite: {usage}")
        return usage

    @contextmanager
    def _agents_code(self) -> Iterator[None]:
        """What crashes within is the agent's fault; all else is the environment's."""
        self._running = "agent"
        try:
            yield
        except ModelError:
            self._running = "environment"
            raise
        self._running = "environment"

    def _play(self, observation: Any, task_info: TaskInfo) -> str:
        """Let the agent act until the episode ends; how it ended."""
        with self._agents_code():
            self._agent.reset(task_info, self._seed)
        while True:
            with self._agents_code():
                actions, exchanges = self._acted(observation)
                # Where carrying them out raises, the record has what was asked for.
                asked = [self._written(action) for action in actions]
                self._under_way = self._round(asked, exchanges)
            observation, gained, terminated, truncated, info = self._env.step(actions)
            self._reward += float(gained)
            # As they were carried out: a wrapper may have translated them.
            calls = [self._base.action_space.to_call(action) for action in info["actions"]]
            self._under_way = None
            others = None if asked == calls else asked
            self._rounds.append(Round(calls=calls, exchanges=exchanges, asked=others, **_outcomes(info)))
            if terminated or truncated:
                return "terminated" if terminated else "truncated"

    def _acted(self, observation: Any) -> tuple[list[Any], list[Exchange]]:
        """The agent's next actions, and what was asked of a model for them."""
        try:
            actions = self._agent.act(observation)
        except Exception as error:
            # What was paid for is recorded, though no action came of it.
            exchanges = getattr(self._agent, "exchanges", [])
            why = [_text(str(error))] if isinstance(error, ModelStopped) else []
            if exchanges or why:
                self._rounds.append(self._round([], exchanges, why))
            raise
        if not isinstance(actions, list | tuple):
            raise TypeError(f"act returns a list of actions, not {type(actions).__name__}")
        return list(actions), getattr(self._agent, "exchanges", [])

    def _round(self, calls: list[Any], exchanges: list[Exchange], feedback: Sequence[str] = ()) -> Round:
        """A round of which no call was carried out."""
        return Round(calls=calls, feedback=list(feedback), valid=[], carried_out=0, exchanges=exchanges)

    def _written(self, action: Any) -> Any:
        """An agent's action as a call in JSON; if it is none that can be written, the name of its type."""
        with suppress(Exception):
            # A call that is refused before it reaches a tool says why.
            if isinstance(action, Mapping) and "refusal" in action:
                return json.loads(json.dumps(jsonable(action)))
            space = cast("spaces.Sequence", self._env.action_space).feature_space
            return json.loads(json.dumps(cast(ToolSpace, space).to_call(action)))
        return type(action).__name__

    def _record(self, **outcome: Any) -> Episode:
        return Episode(
            index=self._index,
            env=_env_id(self._env),
            task=self._task,
            seed=self._seed,
            rounds=self._rounds,
            seconds=round(time.perf_counter() - self._began, 4),
            privileged=bool(getattr(self._agent, "privileged", False)),
            observed_sha256=self._observed,
            **outcome,
        )


@dataclass(frozen=True)
class ReplayStep:
    """A step of a replay: the page after ``call``; ``None``: the first page."""

    page: Image
    call: Call | None
    feedback: str
    valid: bool
    metrics: dict[str, float]


def replay(env: PaperworkEnv, episode: Episode) -> Iterator[ReplayStep]:
    """The episode again, step by step.

    Args:
        env: a bare environment of the same id and arguments.
        episode: what to replay.

    Raises:
        ValueError: if ``episode`` crashed, and so does the environment again; or its calls were not recorded, or are
            more than an episode can have.
    """
    if not episode.is_replayable:
        reason = "; ".join(text for r in episode.rounds for text in r.feedback)
        raise ValueError(f"it was played in a browser, which records no calls{f' ({reason})' * bool(reason)}")
    check_length(env, episode)
    try:
        _, info = env.reset(seed=episode.seed, options={"task": episode.task})
        yield ReplayStep(env.page(), None, "", True, info["score"])
        for call in episode.calls:
            _, _, _, _, info = env.step(env.action_space.from_call(call))
            yield ReplayStep(env.page(), call, info["feedback"], info["valid"], info["score"])
    except Exception as error:
        if not episode.crashed:
            raise
        raise ValueError(f"the environment crashes: {type(error).__name__}: {error}") from error


def check_length(env: PaperworkEnv, episode: Episode) -> None:
    """Check that an episode is no longer than episodes of its environment can be.

    Raises:
        ValueError: if it has more calls.
    """
    limit = env.spec.max_episode_steps if env.spec else None
    if limit is not None and len(episode.calls) > limit:
        raise ValueError(f"it has {len(episode.calls):,} calls, and an episode at most {limit:,}")


@dataclass(frozen=True)
class Regraded:
    """An episode that was replayed.

    Attributes:
        episode: as it was recorded, with today's metrics and fields.
        replies: to each call the feedback, and whether it was valid.
        is_same_page: whether it ends in the pixels of the record.
    """

    episode: Episode
    replies: list[tuple[str, bool]]
    is_same_page: bool


REPLAY_ERRORS = (
    ValueError,
    OSError,
    ImportError,
    gym.error.Error,
    TypeError,
    LookupError,
    AttributeError,
    ArithmeticError,
)
"""The exceptions of a replay if data, tasks or the suite have changed, or calls are not what tools take."""


def regraded(env: PaperworkEnv, episode: Episode) -> Regraded | str:
    """The replay of an episode with today's score, or why it cannot be replayed.

    Args:
        env: a bare environment of the same id and arguments.
        episode: what to replay.
    """
    replies = []
    try:
        # The pages in between are not kept.
        for step in replay(env, episode):
            replies.append((step.feedback, step.valid))
        score = env.state.score()
    except REPLAY_ERRORS as error:
        return f"{type(error).__name__}: {error}"
    graded = episode.model_copy(update={"metrics": dict(score.metrics), "fields": list(score.fields)})
    return Regraded(graded, replies[1:], page_digest(step.page) == episode.page_sha256)


def page_digest(page: Image) -> str:
    """A digest of a page's pixels."""
    return hashlib.sha256(page.tobytes()).hexdigest()


def observation_digest(observation: Any) -> str:
    """A digest of what an agent observes: the names, types and values of all parts."""
    digest = hashlib.sha256()
    for name, value in sorted(observation.items() if isinstance(observation, Mapping) else {"": observation}.items()):
        array = np.asarray(value) if not isinstance(value, str) else None
        kind = "text" if array is None else f"{array.dtype}{array.shape}"
        digest.update(f"{name}\0{kind}\0".encode())
        digest.update(str(value).encode() if array is None else array.tobytes())
    return digest.hexdigest()


def _outcomes(info: Mapping[str, Any]) -> dict[str, Any]:
    """The feedback on the environment's calls, their validity, and what is judged of the edit.

    Of several calls for one action, the last has the feedback.
    """
    counts = info["counts"]
    return {
        "feedback": [
            text for words, n in zip(info["feedback"], counts, strict=True) for text in [""] * (n - 1) + [words]
        ],
        "valid": [ok for valid, n in zip(info["valid"], counts, strict=True) for ok in [True] * (n - 1) + [valid]],
        "carried_out": sum(counts[: info["carried_out"]]),
        "judgement": info.get("judgement"),
    }


def _task_info(env: gym.Env[Any, Any], agent: Agent) -> TaskInfo:
    batch = _batch_of(env)
    return TaskInfo(
        env_id=_env_id(env),
        tools=cast(ToolSpace, deepcopy(cast("spaces.Sequence", env.action_space).feature_space)),
        max_actions=batch.max_actions,
        max_rounds=batch.max_rounds,
        max_steps=env.spec.max_episode_steps if env.spec else None,
        text_extents=cast(PaperworkEnv, env.unwrapped).state.text_extents,
        page_size=env.get_wrapper_attr("page_size"),
        page_corner=page_corner(env),
        paper_sizes=env.get_wrapper_attr("paper_sizes"),
        changed_pages=cast(PaperworkEnv, env.unwrapped).state.take_changed_pages,
        solution=env.get_wrapper_attr("solution")() if getattr(agent, "privileged", False) else (),
    )


def _env_id(env: gym.Env[Any, Any]) -> str:
    return env.spec.id if env.spec else type(env.unwrapped).__name__


def _text(message: str) -> str:
    """``message`` as JSON can hold it, without secrets, and without its middle if it is too long."""
    return truncate_middle(without_secrets(message).encode(errors="replace").decode(), _MAX_ERROR_LENGTH)


def _batch_of(env: gym.Env[Any, Any]) -> ActionBatch:
    while isinstance(env, gym.Wrapper):
        if isinstance(env, ActionBatch):
            return env
        env = env.env
    raise ValueError("the environment of a rollout must be wrapped in ActionBatch; choose a flow")
