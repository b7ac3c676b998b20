"""Episodes of fuzzing: what must hold after every action, checked."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import gymnasium as gym
import numpy as np

from ...envs.core.env import PaperworkEnv
from ...envs.core.painting import Frame, Image
from ..metrics import METRICS
from .calls import Caller
from .values import decoded

MAX_CPU_SECONDS = 20
"""The time limit of a step."""
_MAX_FEEDBACK = 40_000
_CLOSE = 1e-9


@dataclass(frozen=True)
class Case:
    """An episode to be played.

    Attributes:
        env: its id.
        options: arguments of the environment, besides those of every test.
        seed: draws the task.
        actions: as JSON; see ``values.decoded``.
        broken: what was broken, if anything.
    """

    env: str
    options: dict[str, Any]
    seed: int
    actions: tuple[Any, ...]
    broken: str = ""


class Broken(Exception):
    """Something that must hold does not hold."""


class Checked:
    """An episode in which everything is checked.

    Args:
        env: a bare environment.
        seed: draws the task.
        every: after how many steps the costly checks come.
    """

    def __init__(self, env: PaperworkEnv, seed: int, every: int = 1) -> None:
        self._env, self._seed, self._every = env, seed, every
        _, info = env.reset(seed=seed)
        self._metrics: dict[str, float] = info["score"]
        self._dump = _dumped(env)
        self._calls: list[str] = []
        self._digests: dict[int, str] = {0: _document_digest(env)}

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return self._env.state.finished

    def step(self, action: Any) -> None:
        """Take a step.

        Raises:
            Broken: if something does not hold.
        """
        env = self._env
        taken = env.action_space.from_call(decoded(action))
        self._calls.append(json.dumps(env.action_space.to_call(taken), allow_nan=False))
        began = time.process_time()
        observation, reward, terminated, truncated, info = env.step(taken)
        seconds = time.process_time() - began
        _hold(seconds <= MAX_CPU_SECONDS, f"the step computed for {seconds:.0f} s")
        _hold(observation in env.observation_space, "the observation is not in its space")
        _hold(
            terminated == env.state.finished and not truncated,
            "terminated does not match the state, or truncated is set",
        )
        self._check_info(info)
        self._check_score(float(reward), info["score"])
        self._check_state(info["valid"])
        if len(self._calls) % self._every == 0 or terminated:
            page = observation["page"]
            _hold(np.array_equal(page, _drawn(env)), "the patched page differs from the redrawn page")

    def end(self) -> None:
        """Check the final score, and that the episode played again is the same.

        Raises:
            Broken: if something does not hold.
        """
        env = self._env
        final = {name: value for name, value in env.state.score().metrics.items() if name in self._metrics}
        _hold(final == self._metrics, f"the final score {final} is not that of the last step, {self._metrics}")
        page, dump = env.page(), _dumped(env)
        env.reset(seed=self._seed)
        for call in self._calls:
            env.step(env.action_space.from_call(json.loads(call)))
        _hold(np.array_equal(page, env.page()), "played again, the page is another one")
        _hold(dump == _dumped(env), "played again, the state is another one")

    def _check_info(self, info: dict[str, Any]) -> None:
        _hold(set(info) == {"task", "feedback", "valid", "score"}, f"info holds {sorted(info)}")
        feedback = info["feedback"]
        _hold(isinstance(feedback, str) and 0 < len(feedback) <= _MAX_FEEDBACK, "the feedback is empty or too long")
        # Raises where half of a surrogate pair is in it, or a number is none.
        json.dumps(info, allow_nan=False, ensure_ascii=False).encode()

    def _check_score(self, reward: float, metrics: dict[str, float]) -> None:
        for name, value in metrics.items():
            most = math.inf if name in METRICS and METRICS[name].is_count else 1 + _CLOSE
            _hold(math.isfinite(value) and -_CLOSE <= value <= most, f"the metric {name} is {value}")
        gained = metrics[self._env.reward_metric] - self._metrics[self._env.reward_metric]
        _hold(math.isfinite(reward) and abs(reward - gained) <= _CLOSE, f"the reward is {reward}, the gain {gained}")
        self._metrics = metrics

    def _check_state(self, valid: bool) -> None:
        dump = _dumped(self._env)
        if not valid:
            _hold(dump == self._dump, "an invalid call has changed the state")
        self._dump = dump
        history = getattr(self._env.state, "history", None)
        if history is None or getattr(self._env.state, "by_program", False):
            return
        # What was undone is as it was before.
        depth, digest = len(history) - 1, _document_digest(self._env)
        if depth < max(self._digests):
            _hold(digest == self._digests[depth], "what was undone is not as it was before")
        self._digests = {at: one for at, one in self._digests.items() if at < depth} | {depth: digest}


def play(env: gym.Env[Any, Any], seed: int, actions: Iterable[Any], every: int = 1, replayed: bool = True) -> str:
    """Play an episode; what was broken, or nothing.

    Args:
        env: where.
        seed: draws the task.
        actions: as JSON.
        every: after how many steps the costly checks come.
        replayed: whether the episode is played again and compared.
    """
    bare = env.unwrapped
    assert isinstance(bare, PaperworkEnv)
    try:
        episode = Checked(bare, seed, every)
        for action in actions:
            episode.step(action)
            if episode.is_over:
                break
        if replayed:
            episode.end()
    except Broken as error:
        return str(error)
    # Whatever an action raises is a finding.
    except Exception as error:  # noqa: BLE001
        return _located(error)
    return ""


def chance_actions(env: gym.Env[Any, Any], rng: np.random.Generator, most: int) -> Iterator[Any]:
    """Random actions, each made after the one before is carried out."""
    bare = env.unwrapped
    assert isinstance(bare, PaperworkEnv)
    caller = Caller(bare, rng)
    for _ in range(most):
        yield caller.next()


def _hold(is_so: bool, otherwise: str) -> None:
    if not is_so:
        raise Broken(otherwise)


def _located(error: Exception) -> str:
    """An exception with the place in this package where it came from."""
    trace, where = error.__traceback__, ""
    while trace is not None:
        where = f"{trace.tb_frame.f_globals.get('__name__')}.{trace.tb_frame.f_code.co_name}"
        trace = trace.tb_next
    return f"{type(error).__name__} in {where}: {str(error)[:200]}"


def _drawn(env: PaperworkEnv) -> Image:
    """The page, drawn again from the state."""
    page = env.page()
    frame = Frame(np.zeros_like(page), env.state.background.shape[0] // page.shape[0])
    frame.show(env.state.background, env.state.layers)
    return frame.buffer


def _dumped(env: PaperworkEnv) -> str:
    dump = env.state.dump()
    # A program that cannot be run counts as one that was tried.
    dump.pop("runs", None)
    return json.dumps(dump, sort_keys=True, allow_nan=False)


def _document_digest(env: PaperworkEnv) -> str:
    document = getattr(env.state, "document", None)
    return document.digest if document is not None else ""
