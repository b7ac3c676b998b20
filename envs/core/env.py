"""PaperworkEnv: the base class of all environments, with reset, step and render."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import prod
from mmap import MAP_ANONYMOUS, MAP_PRIVATE, mmap
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces

from .boxes import Box, Rect, centre
from .cpu_limit import CPU_LIMIT
from .painting import Frame, Image, Layer, LayeredPage, read_only
from .scoring import Score
from .spaces import Observation, PageSpace
from .tasks import TaskSplit
from .texts import TextExtents, UnicodeText, truncate, utf8
from .tools import Call, Tool, ToolError, ToolSpace

MAX_GOAL_LENGTH = 2_000
MAX_SOURCE_LENGTH = 40_000
_MAX_NAMED = 60
"""The most options of a control that are listed."""


@dataclass(frozen=True, slots=True)
class FieldBox:
    """A place on the page that can be filled in.

    Attributes:
        label: the kind of information.
        box: what is printed blank for it, in pixels of the background; an answer may count a little beyond.
        ticked: whether it is a box to be ticked.
    """

    label: str
    box: Box
    ticked: bool = False

    @property
    def centre(self) -> tuple[float, float]:
        """X and y in pixels."""
        return centre(self.box)


@dataclass(frozen=True)
class PageControl:
    """A control of a page.

    Attributes:
        id: by which tools name it; it stays the same for as long as the episode lasts.
        role: as in ARIA: textbox, combobox, checkbox, button …
        name: its label.
        value: what it holds, as it is shown.
        options: what can be chosen.
        box: left, top, right and bottom in pixels of the window; it may be outside of it.
        is_required: whether it must be filled in.
        is_read_only: whether it cannot be changed.
        note: what else there is to know of it.
    """

    id: int
    role: str
    name: str
    value: str = ""
    options: tuple[str, ...] = ()
    box: tuple[float, float, float, float] = (0, 0, 0, 0)
    is_required: bool = False
    is_read_only: bool = False
    note: str = ""

    def __str__(self) -> str:
        """The control in a line."""
        more = f"; and {len(self.options) - _MAX_NAMED} more" if len(self.options) > _MAX_NAMED else ""
        parts = [
            f'[{self.id}] {self.role} "{self.name}"',
            f"= {truncate(self.value, 400)!r}" if self.value else "",
            "(required)" if self.is_required else "",
            "(read-only)" if self.is_read_only else "",
            f"({self.note})" if self.note else "",
            f"options: {'; '.join(self.options[:_MAX_NAMED])}{more}" if self.options else "",
        ]
        return " ".join(part for part in parts if part)


def listing(controls: Iterable[PageControl], height: int) -> str:
    """Controls, one a line, by whether they are in a window of so many pixels."""
    parts: dict[str, list[str]] = {"Above the window:": [], "In the window:": [], "Below the window:": []}
    for control in controls:
        _, top, _, bottom = control.box
        place = "Above the window:" if bottom <= 0 else "Below the window:" if top >= height else "In the window:"
        parts[place].append(str(control))
    return "\n".join(line for heading, lines in parts.items() if lines for line in (heading, *lines))


class State(ABC):
    """The mutable state of an episode: tools change it, the environment paints it.

    Attributes:
        task_id: the task it belongs to.
        goal: what to do, in words.
        source: the facts to do it from, in words.
        background: the page without anything drawn on it, at most as large as the environment's, or higher if it
            scrolls; never changed. A state that shows another page puts another array in its place.
        layers: the layers over the background, the lowest first.
        scroll_y: how many pixels of the background, and of the layers on it, are above the window.
        places: the boxes that can be filled in. Wrappers may show them; they contain no answers.
        source_page: a page to take facts from, at most as large as the environment's, where the task has one.
        text_extents: how large text is that tools write on the page; ``None`` where they write none.
        finished: whether the agent has ended the episode.
    """

    task_id: str
    goal: str
    source: str
    background: Image
    layers: Sequence[Layer]
    scroll_y: int = 0
    places: Sequence[FieldBox] = ()
    source_page: LayeredPage | None = None
    text_extents: TextExtents | None = None
    finished: bool = False

    @property
    def paper(self) -> tuple[int, int]:
        """Height and width of the paper, at the background's left top corner: what coordinates as fractions span."""
        height, width = self.background.shape[:2]
        return height, width

    @abstractmethod
    def take_dirty(self) -> list[Rect]:
        """The rectangles of the page that changed since the last call, otherwise than by scrolling."""

    def take_changed_pages(self) -> Sequence[tuple[str, Image]]:
        """Pages that changed since the last call but are not shown, by their names: a few, each as a picture."""
        return ()

    @abstractmethod
    def metrics(self) -> dict[str, float]:
        """The current metrics of the score; fast enough for every step."""

    @abstractmethod
    def score(self) -> Score:
        """The current score, with the result of every field."""

    @abstractmethod
    def solution(self) -> list[Call]:
        """Calls from here to a full score, with gold answers; the last is ``terminate``."""

    @abstractmethod
    def dump(self) -> dict[str, Any]:
        """The state as a JSON object; equal states have equal dumps."""


class PaperworkEnv(gym.Env[Observation, dict[str, Any]], ABC):
    """A paperwork task: see a page, act with tools, be scored on the page's content.

    Observations are ``{"page": uint8 (H, W, 3), "goal": text, "source": text}``; actions are calls of tools
    (``ToolSpace``). Some tasks add ``"source_page"``, a second page to take facts from. The reward of a step is the
    change of ``reward_metric``, so that a return is the final score. An invalid action changes nothing, costs a step,
    and is explained in ``info["feedback"]``.

    ``info`` holds ``task``, ``feedback`` (what came of the action, in words), ``valid``, ``score`` (the metrics) and
    ``paper_size`` (see ``paper_sizes``, of the page).

    Args:
        page_size: height and width of the page in pixels.
        render_mode: ``None`` or ``"rgb_array"``.
        render_size: height and width of the page that is observed, if smaller: the page size divided by a whole number.
        copy: whether every observation has copies of its own. Without, the pages are read-only and changed by
            the next step.
        source_page: whether the state's ``source_page`` is observed too; it is black where a state has none.

    Attributes:
        page_size: height and width of the page in pixels, which tools that take pixels count in.
        task_ids: the tasks of this environment.
        split: the tasks by group, where an environment has groups of tasks.
        window: height and width of the window in which the page is observed, if it is not the page itself.
        data_sha256: the digest of the user's own files that the tasks are made of; ``None`` where there are none.
        source_in_window: whether a source page is to be seen in that window only.

    Raises:
        ValueError: if ``render_size`` is not the page size divided by a whole number.
    """

    metadata = {"render_modes": ["rgb_array"], "render_fps": 4}  # noqa: RUF012 (as gymnasium.Env declares it)
    tools: Sequence[Tool]
    task_ids: Sequence[str]
    split: TaskSplit | None = None
    data_sha256: str | None = None
    reward_metric: str = "strict_accuracy"
    window: ClassVar[tuple[int, int] | None] = None
    source_in_window: ClassVar[bool] = False

    def __init__(
        self,
        page_size: tuple[int, int],
        *,
        render_mode: str | None = None,
        render_size: tuple[int, int] | None = None,
        copy: bool = True,
        source_page: bool = False,
    ) -> None:
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"render_mode {render_mode!r} is not one of {self.metadata['render_modes']} or None")
        self.render_mode = render_mode
        self.page_size = page_size = self.window or page_size
        source_page = source_page and not self.source_in_window
        self._copy = copy
        self._factor = _shrink_factor(page_size, render_size)
        height, width = page_size[0] // self._factor, page_size[1] // self._factor
        self.action_space: ToolSpace = ToolSpace(self.tools)
        self.observation_space = spaces.Dict(
            {
                "page": PageSpace(height, width),
                "goal": UnicodeText(MAX_GOAL_LENGTH),
                "source": UnicodeText(MAX_SOURCE_LENGTH),
                **({"source_page": PageSpace(height, width)} if source_page else {}),
            }
        )
        self._frame = Frame(black((height, width, 3)), self._factor)
        self._no_source = np.broadcast_to(np.uint8(0), (*page_size, 3))
        self._source_frame = Frame(black((height, width, 3)), self._factor) if source_page else None
        self._black_page: Image | None = read_only(black((height, width, 3)))
        self._state: State | None = None
        self._texts: tuple[tuple[str, str], dict[str, str]] = ("", ""), {"goal": "", "source": ""}
        self._paper_sizes: dict[str, tuple[int, int]] = {}
        self._last_score = 0.0

    @abstractmethod
    def open_task(self, task_id: str) -> State:
        """The initial state of a task.

        Raises:
            ValueError: if there is no such task.
        """

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task to begin: ``options["task"]``, or one drawn at random, of a group if the options name one.

        Raises:
            ValueError: if the options name no task of this environment.
        """
        known = ("task", self.split.kind) if self.split else ("task",)
        if unknown := sorted(set(options) - set(known)):
            raise ValueError(f"unknown reset option {unknown[0]!r}; this environment takes {' or '.join(known)}")
        if len(options) > 1:
            raise ValueError(f"reset takes {' or '.join(known)}, not both")
        if "task" in options:
            return str(options["task"])
        tasks = self.split.task_ids(tuple(options.values())) if self.split and options else self.task_ids
        return tasks[int(self.np_random.integers(len(tasks)))]

    @property
    def state(self) -> State:
        """The state of the running episode.

        Raises:
            gymnasium.error.ResetNeeded: before the first ``reset``.
        """
        if self._state is None:
            raise gym.error.ResetNeeded("call reset() before anything else")
        return self._state

    def paint_into(self, buffer: Image, source_buffer: Image | None = None) -> None:
        """Paint into ``buffer`` from the next reset on; observations are no copies.

        Args:
            buffer: uint8, of the observed page's shape.
            source_buffer: for the source page, where there is one; black.
        """
        self._frame = Frame(buffer, self._factor)
        self._source_frame = None if source_buffer is None else Frame(source_buffer, self._factor, self._no_source)
        self._black_page, self._copy = None, False

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode.

        Args:
            seed: seeds ``np_random``, which draws the task.
            options: ``{"task": id}`` begins that task.

        Raises:
            ValueError: if the options name no task of this environment.
        """
        super().reset(seed=seed)
        self._state = self.open_task(self.pick_task(options or {}))
        self._state.take_dirty()
        self._frame.show(self._state.background, self._state.layers, self._state.scroll_y)
        self._show_source(self._state.source_page)
        self._paper_sizes = self._papers(self._state)
        metrics = self._state.metrics()
        self._last_score = metrics[self.reward_metric]
        return self._observation(), self._info("", True, metrics)

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Carry out a tool call.

        Raises:
            gymnasium.error.ResetNeeded: before ``reset`` and after the end of an episode.
            CpuLimitExceeded: if the call needs more of the processor than any should; the environment is at fault.
        """
        call = CPU_LIMIT.begin()
        try:
            return self._step(action)
        finally:
            CPU_LIMIT.end(call)

    def _step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        state = self.state
        if state.finished:
            raise gym.error.ResetNeeded("the episode has ended; call reset()")
        try:
            tool, arguments = self.action_space.parse(action)
            feedback, valid = tool.apply(state, **arguments), True
        except ToolError as error:
            feedback, valid = str(error), False
        self._frame.update(state.background, state.layers, state.take_dirty(), state.scroll_y)
        metrics = state.metrics()
        reward = metrics[self.reward_metric] - self._last_score
        self._last_score += reward
        return self._observation(), reward, state.finished, False, self._info(feedback, valid, metrics)

    @property
    def paper_sizes(self) -> Mapping[str, tuple[int, int]]:
        """Height and width of the paper in each picture that is observed, at its left top corner; the rest is desk.

        Coordinates that are fractions span the paper of the page.
        """
        return self._paper_sizes

    def solution(self) -> list[Call]:
        """Calls that complete the task correctly; for agents with ``privileged``."""
        return self.state.solution()

    def render(self) -> Any:
        """A copy of the observed page, uint8 (H, W, 3); ``None`` without a render mode."""
        return self.page() if self.render_mode == "rgb_array" else None

    def page(self) -> Image:
        """A copy of the observed page: uint8 (H, W, 3)."""
        return self._frame.buffer.copy()

    def _observation(self) -> Observation:
        texts = self.state.goal, self.state.source
        if texts != self._texts[0]:
            self._texts = texts, {"goal": utf8(texts[0]), "source": utf8(texts[1])}
        page = self.page() if self._copy else self._frame.view
        observation = {"page": page, **self._texts[1]}
        if self._source_frame is not None:
            observation["source_page"] = self._observed_source(self._source_frame)
        return observation

    def _observed_source(self, frame: Frame) -> Image:
        if self.state.source_page is None and self._black_page is not None:
            return black(frame.buffer.shape) if self._copy else self._black_page
        return frame.buffer.copy() if self._copy else frame.view

    def _show_source(self, page: LayeredPage | None) -> None:
        """Paint the source page; where there is none, a buffer of the caller's black."""
        if self._source_frame is not None and (page or self._black_page is None):
            page = page or LayeredPage(self._no_source)
            self._source_frame.show(page.background, page.layers)

    def _info(self, feedback: str, valid: bool, metrics: dict[str, float]) -> dict[str, Any]:
        return {
            "task": self.state.task_id,
            "feedback": utf8(feedback),
            "valid": valid,
            "score": metrics,
            "paper_size": self._paper_sizes["page"],
        }

    def _papers(self, state: State) -> dict[str, tuple[int, int]]:
        papers = {"page": state.paper}
        if state.source_page is not None:
            papers["source_page"] = state.source_page.background.shape[:2]
        return {
            name: (-(-height // self._factor), -(-width // self._factor)) for name, (height, width) in papers.items()
        }


def black(shape: tuple[int, ...]) -> Image:
    """Black pages that take no time and memory until they are used: numpy writes zeros where memory is used again."""
    memory = mmap(-1, prod(shape), MAP_PRIVATE | MAP_ANONYMOUS)
    return np.frombuffer(memory, np.uint8).reshape(shape)


def _shrink_factor(page_size: tuple[int, int], render_size: tuple[int, int] | None) -> int:
    if render_size is None:
        return 1
    height, width = page_size
    factors = [k for k in range(1, 17) if height % k == 0 == width % k]
    requested = tuple(render_size) if isinstance(render_size, Iterable) else render_size
    for factor in factors:
        if requested == (height // factor, width // factor):
            return factor
    sizes = ", ".join(f"({height // k}, {width // k})" for k in factors)
    raise ValueError(f"render_size {requested} is not to be had; this page comes in {sizes}")
