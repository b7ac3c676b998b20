"""LabelWindow: the window about the goal's label, and cells of it as actions."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from ..envs.core.asset_cache import cached
from ..envs.core.spaces import Observation, Step
from ..envs.core.tools import coordinate, spans_page
from ..fieldfinder_model.evaluation.measuring import read_words
from ..fieldfinder_model.matching.label import Label
from ..fieldfinder_model.matching.label_search import labels_of
from ..fieldfinder_model.matching.spans import Spans
from ..fieldfinder_model.matching.target_words import query_of
from ..fieldfinder_model.reading.page_reading import PageReading, gray_page, read_page
from ..fieldfinder_model.windows.label_windows import CELLS, COLUMNS, ROWS, points_of, windows_about
from ..fieldfinder_model.windows.window_pool import WindowPool, page_picture
from .tool_wrapper import check_goal, check_page, single_tools

if TYPE_CHECKING:
    from ..envs.core.env import PaperworkEnv


class LabelWindow(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Shows the window around the label that FieldFinder's matcher finds for the goal.

    The goal is a name, as in the environments of grounding and in ``FieldQueue``. Observations are ``picture`` and
    ``planes``, the same as ``WindowPool`` has, and ``found``: which windows there are. A label that is not found leaves
    its window blank.

    The action is a cell of the window; the tool is called with its middle. If the window is blank, it is a cell of a
    grid over the whole page.

    Pages are read by OCR when an episode begins, and kept by their content: what is written on them later is not in
    the windows.

    >>> env = LabelWindow(gym.make("FormFactory/Grounding-v0"))
    >>> observation, _ = env.reset(seed=0)
    >>> sorted(observation)
    ['found', 'picture', 'planes']

    Args:
        env: the environment; it takes one call a step.
        candidates: of labels. With more than one, arrays have a row for each window, the best match first, and cells
            are counted from window to window.
        tool: the name of a tool that takes a point.
        jitter: whether windows are moved at random, by the environment's generator: in training forms look less alike.

    Raises:
        ValueError: if ``candidates`` is below 1, there is no such tool, it takes no point, or no page and goal
            are observed.
    """

    def __init__(
        self, env: gym.Env[Observation, Any], candidates: int = 1, tool: str = "point", jitter: bool = False
    ) -> None:
        RecordConstructorArgs.__init__(self, candidates=candidates, tool=tool, jitter=jitter)
        super().__init__(env)
        if candidates < 1:
            raise ValueError(f"candidates must be at least 1, not {candidates}")
        check_page(env)
        check_goal(env)
        self._tools = single_tools(env)
        used = next((one.arguments for one in self._tools.tools if one.name == tool), {})
        if not {"x", "y"} == set(used) or not all(spans_page(used[name].space) for name in ("x", "y")):
            raise ValueError(
                f"no tool {tool!r} takes a point and nothing else; there are {', '.join(self._tools.names)}"
            )
        self._base = cast("PaperworkEnv", env.unwrapped)
        self._candidates, self._tool, self._jitter = candidates, tool, jitter
        self._origins: NDArray[np.intp] = np.empty((0, 2), np.intp)
        rows = () if candidates == 1 else (candidates,)
        self._shapes = {name: (*rows, *(space.shape or ())) for name, space in WindowPool.observation_space.items()}
        shown = {name: spaces.Box(0, 255, shape, np.uint8) for name, shape in self._shapes.items()}
        self.observation_space = spaces.Dict({**shown, "found": spaces.MultiBinary(candidates)})
        self.action_space = spaces.Discrete(candidates * CELLS)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode, and read its page."""
        observation, info = self.env.reset(seed=seed, options=options)
        height, width = self._base.paper_sizes["page"]
        gray = gray_page(observation["page"][:height, :width])
        self._page = _read(gray.tobytes(), gray.shape)
        return self._windows(observation["goal"]), info

    def step(self, action: np.int64) -> Step:
        """Call the tool with the middle of a cell."""
        fractions = self._point(*divmod(int(action), CELLS))
        place = {name: coordinate(self._tools[name], at) for name, at in zip("xy", fractions, strict=True)}
        inner = self._tools.action(self._tool, **place)
        observation, reward, terminated, truncated, info = self.env.step(inner)
        return self._windows(observation["goal"]), float(reward), terminated, truncated, info

    def _windows(self, goal: str) -> Observation:
        """The windows around the labels of a goal; the others are blank."""
        labels = self._page.labels(goal)[: self._candidates]
        boxes, others = [label.box for label in labels], [label.other for label in labels]
        rng = self.np_random if self._jitter else None
        shown, self._origins = windows_about(*self._page.picture, boxes, others, rng)
        observation = {"found": (np.arange(self._candidates) < len(labels)).astype(np.int8)}
        for name, windows in shown.items():
            filled = np.zeros((self._candidates, *windows.shape[1:]), windows.dtype)
            filled[: len(labels)] = windows
            observation[name] = filled.reshape(self._shapes[name])
        return observation

    def _point(self, window: int, cell: int) -> list[float]:
        """The middle of a cell of a window: x and y in fractions of the page."""
        if window >= len(self._origins):
            row, column = divmod(cell, COLUMNS)
            return [(column + 0.5) / COLUMNS, (row + 0.5) / ROWS]
        points = points_of(np.array([cell]), self._origins[window : window + 1])
        _, scale = self._page.picture
        height, width = self._page.reading.size
        return list(points[0] / np.multiply(scale, (width, height)))


class _ReadPage:
    """A page that was read, and the labels on it.

    Args:
        reading: of the page.

    Attributes:
        reading: of the page.
        picture: see ``page_picture``, with its scale.
    """

    def __init__(self, reading: PageReading) -> None:
        self.reading, self.picture = reading, page_picture(reading)
        self._spans = Spans(reading)
        self._labels: dict[str, list[Label]] = {}

    def labels(self, name: str) -> list[Label]:
        """The labels that a name may mean, the best first."""
        if name not in self._labels:
            self._labels[name] = labels_of(query_of(name), self._spans, self.reading)
        return self._labels[name]


@cached
def _read(pixels: bytes, shape: tuple[int, ...]) -> _ReadPage:
    """A page by its grey pixels."""
    gray = np.frombuffer(pixels, np.uint8).reshape(shape)
    return _ReadPage(read_page(gray, read_words(gray).words))
