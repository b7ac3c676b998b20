"""Session: an episode as blocks of text and pictures, calls, and a score."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, cast

import gymnasium as gym
from gymnasium import spaces

from ..envs.core.env import PaperworkEnv
from ..envs.core.painting import Image
from ..envs.core.scoring import Score
from ..envs.core.tools import Call, ToolSpace
from .coordinate_space import PictureView, Size
from .model_view import PAGES, ModelView
from .models.model import Block, TextBlock

Env = gym.Env[Any, Any]

NO_STEPS_LEFT = "No steps are left: the episode has ended."


@dataclass(frozen=True)
class Turn:
    """A call that was carried out.

    Attributes:
        call: as the environment itself was given it; see ``Episode`` of a run.
        feedback: what came of it, in words.
        valid: whether it was a valid call.
    """

    call: Any
    feedback: str
    valid: bool


class Session:
    """One episode: ``open()``, then ``call()`` until it is done, then ``score()``.

    It is what models, people and bridges to other frameworks use an environment by. A model's bad call (unknown tool,
    missing or odd arguments, wrong types, NaN) costs a step and comes back as feedback; only misuse by the caller
    raises.

    >>> import formgym
    >>> with Session("FormGym/Scans-v0", seed=0) as session:
    ...     blocks = session.open()
    ...     for call in session.solution():
    ...         blocks, done = session.call(call.pop("tool"), call)
    >>> session.reward
    1.0

    Args:
        env: the id of an environment, or one that takes one call of a tool a step; it stays open when the session
            closes.
        task: the task's id; ``None`` lets the seed choose.
        seed: of the environment; ``None``: any.
        wrappers: called with the environment one after another, such as ``[Ruler]``.
        unit: of the model's coordinates: ``None``: what the tools take; or one of ``coordinate_space.UNITS``, over the
            picture that it was sent.
        max_side: pictures with a longer side are shrunk to it; ``None``: none are.
        **options: what the environment is made with, such as ``split="train"``.

    Attributes:
        env: the environment with its wrappers.
        tools: the tools as the model sees them; ``tools.schemas`` are their JSON schemas. Pixels reach to the end of
            the largest picture before ``open``, and of the task's page after it.
        unit: of the model's coordinates.
        turns: what was called, in order.
        reward: the sum of rewards.
        done: whether the episode has ended.
        truncated: whether that is because no steps were left.
        seed: of the environment.

    Raises:
        ValueError: if there is no such environment or unit, data are missing, the environment takes something else than
            one call a step or shows no page, or options are given for an environment that is made already.
    """

    def __init__(
        self,
        env: str | Env,
        task: str | None = None,
        seed: int | None = None,
        wrappers: Sequence[Callable[[Env], Env]] = (),
        *,
        unit: str | None = None,
        max_side: int | None = None,
        **options: Any,
    ) -> None:
        if options and not isinstance(env, str):
            raise ValueError(f"{', '.join(options)}: options go with an id; this environment is made already")
        self._is_own = isinstance(env, str)
        self.env: Env = make_env(env, **options) if isinstance(env, str) else env
        for wrap in wrappers:
            self.env = wrap(self.env)
        if not isinstance(self.env.action_space, ToolSpace):
            taken = self.env.action_space
            raise ValueError(f"a session takes one call of a tool a step; leave wrappers out that take {taken}")
        self.unit, self._max_side = unit, max_side
        self._look({})
        self._task, self.seed = task, seed
        self._is_open = False
        self.turns: list[Turn] = []
        self.reward = 0.0
        self.done = self.truncated = False
        self._began = time.perf_counter()

    @property
    def env_id(self) -> str:
        """The id of the environment."""
        return self.env.spec.id if self.env.spec else type(self.env.unwrapped).__name__

    @property
    def task(self) -> str:
        """The id of the task that is being done."""
        return self._opened().state.task_id

    def open(self) -> list[Block]:
        """Begin the episode: what to do, from which facts, and on which page.

        Raises:
            RuntimeError: if it has begun already.
            ValueError: if there is no such task.
        """
        if self._is_open:
            raise RuntimeError("the session is open already; an episode is opened once")
        observation, _ = self.env.reset(seed=self.seed, options=None if self._task is None else {"task": self._task})
        self._is_open = True
        self._look(self.env.get_wrapper_attr("paper_sizes"))
        return self._view.blocks(observation)

    def call(self, name: Any, arguments: Any = None) -> tuple[list[Block], bool]:
        """Call a tool: its feedback, what has changed, and whether the episode has ended.

        Args:
            name: of the tool.
            arguments: by name, in the model's coordinates; whatever a model has put there.

        Raises:
            RuntimeError: before ``open`` and after the end of the episode.
        """
        self._opened()
        if self.done:
            raise RuntimeError("the episode has ended; begin another session")
        action = self._view.action(name, arguments)
        observation, reward, terminated, truncated, info = self.env.step(action)
        feedback = str(info["feedback"])
        inner = info.get("actions", [action])
        calls = [cast(PaperworkEnv, self.env.unwrapped).action_space.to_call(one) for one in inner]
        self.turns += [Turn(call, feedback, bool(info["valid"])) for call in calls]
        self.reward += float(reward)
        self.done, self.truncated = bool(terminated or truncated), bool(truncated and not terminated)
        others = self._view.changed_pages(self._opened().state.take_changed_pages())
        blocks = [TextBlock(feedback), *self._view.blocks(observation), *others]
        return [*blocks, TextBlock(NO_STEPS_LEFT)] if self.truncated else blocks, self.done

    def score(self) -> Score:
        """The score of the episode so far; its fields hold the right answers.

        Raises:
            RuntimeError: before ``open``.
        """
        return self._opened().state.score()

    def solution(self) -> list[Call]:
        """The calls that complete the task, in the model's coordinates.

        Raises:
            RuntimeError: before ``open``.
        """
        self._opened()
        calls: list[Call] = self.env.get_wrapper_attr("solution")()
        return [self._view.to_model(call) for call in calls]

    def page(self) -> Image:
        """The page as it is.

        Raises:
            RuntimeError: before ``open``.
        """
        return self._opened().page()

    @property
    def seconds(self) -> float:
        """Since the session was made."""
        return time.perf_counter() - self._began

    def close(self) -> None:
        """Close the environment, if the session has made it."""
        if self._is_own:
            self.env.close()

    def __enter__(self) -> Session:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _look(self, papers: Mapping[str, Size]) -> None:
        """Send pictures without the desk around their papers; what is on the desk is no place of the tools."""
        sizes = {name: papers.get(name, size) for name, size in _sizes(self.env).items()}
        views = {name: PictureView.whole(size, self._max_side) for name, size in sizes.items()}
        tools, page_size = self.env.action_space, self.env.get_wrapper_attr("page_size")
        self._view = ModelView(cast(ToolSpace, tools), views, page_size, page_corner(self.env), unit=self.unit)
        self.tools = self._view.tools

    def _opened(self) -> PaperworkEnv:
        if not self._is_open:
            raise RuntimeError("open the session first")
        return cast(PaperworkEnv, self.env.unwrapped)


def make_env(env_id: str, **options: Any) -> Env:
    """An environment of this package by its id.

    Raises:
        ValueError: if there is no such environment, it has no such option, or data are missing.
    """
    try:
        env: Env = gym.make(env_id, disable_env_checker=True, **options)
    except (gym.error.Error, ImportError, TypeError) as error:
        raise ValueError(f"cannot make {env_id!r}: {error} See formgym list for what there is.") from None
    if not isinstance(env.unwrapped, PaperworkEnv):
        raise ValueError(f"{env_id!r} is no paperwork. See formgym list for what there is.")
    return env


def page_corner(env: Env) -> tuple[int, int]:
    """The left top corner of the page in its picture, x and y."""
    return env.get_wrapper_attr("page_corner") if env.has_wrapper_attr("page_corner") else (0, 0)


def _sizes(env: Env) -> dict[str, Size]:
    """Height and width of each picture that is observed."""
    observed = env.observation_space
    if not isinstance(observed, spaces.Dict) or "page" not in observed.spaces or "goal" not in observed.spaces:
        raise ValueError(f"a session needs a page and texts; leave wrappers out that show {observed}")
    sizes = {name: observed[name].shape for name in PAGES if name in observed.spaces}
    return {name: (shape[0], shape[1]) for name, shape in sizes.items() if shape}
