"""GroundingEnv: point at, or box, one named target of a page after another; and the rewards of answers."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any, ClassVar, NamedTuple
from zlib import crc32

import numpy as np
from gymnasium import spaces
from numpy.typing import ArrayLike, NDArray

from .boxes import Box, Rect
from .env import PaperworkEnv, State
from .pages import PackedPixels, unpacked
from .painting import Image, Layer
from .scoring import FieldResult, Score
from .spaces import Observation
from .tasks import check_task
from .tools import Argument, Call, Tool

# -- Rewards -----------------------------------------------------------------------------------------------------------


Floats = NDArray[np.float64]
Reward = Callable[[ArrayLike, ArrayLike], Floats]
"""``reward(predicted, expected)``: boxes (..., 4) of left, top, right and bottom to rewards (...) in [0, 1].

A predicted point is a box without width and height. Units are any, the same in both.
"""

_SPREAD = 0.5
"""Standard deviation of a box's Gaussian as a share of its sides (GUI-G², section "Adaptive variance")."""
_TINY = 1e-9


def hit(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """1 where the middle of the prediction lies in the box, edges included."""
    points, boxes = _centres(predicted), np.asarray(expected, float)
    inside = (points >= boxes[..., :2]) & (points <= boxes[..., 2:])
    return np.asarray(inside.all(-1), float)


def iou(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """The intersection over union of the two boxes."""
    first, second = np.asarray(predicted, float), np.asarray(expected, float)
    sides = np.minimum(first[..., 2:], second[..., 2:]) - np.maximum(first[..., :2], second[..., :2])
    shared = np.clip(sides, 0, None).prod(-1)
    union = _sides(first).prod(-1) + _sides(second).prod(-1) - shared
    return np.asarray(np.divide(shared, union, out=np.zeros_like(shared), where=union > 0))


def gaussian_point(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """A Gaussian as wide as the box, at the middle of the prediction (GUI-G²)."""
    spread = np.maximum(_sides(expected) * _SPREAD, _TINY)
    distance = (_centres(predicted) - _centres(expected)) / spread
    return np.asarray(np.exp(-0.5 * (distance**2).sum(-1)))


def gaussian_coverage(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """The overlap of two boxes' Gaussians (Bhattacharyya, GUI-G²); 0 for a point."""
    one, other = (np.maximum(_sides(box) * _SPREAD, _TINY) ** 2 for box in (predicted, expected))
    mean = (one + other) / 2
    distance = ((_centres(predicted) - _centres(expected)) ** 2 / mean).sum(-1) / 8
    shape = 0.5 * (np.log(mean) - 0.5 * (np.log(one) + np.log(other))).sum(-1)
    return np.asarray(np.exp(-distance - shape))


def well_formed(predicted: ArrayLike, expected: ArrayLike) -> Floats:
    """1 where the prediction is finite, on a page of size 1 by 1, and not inside out."""
    boxes = np.asarray(predicted, float)
    ordered = (boxes[..., 2:] >= boxes[..., :2]).all(-1)
    return np.asarray(ordered & (np.isfinite(boxes) & (boxes >= 0) & (boxes <= 1)).all(-1), float)


REWARDS: Mapping[str, Reward] = {
    "hit": hit,
    "iou": iou,
    "gaussian_point": gaussian_point,
    "gaussian_coverage": gaussian_coverage,
    "format": well_formed,
}
"""The rewards by name."""
FOR_BOXES = ("iou", "gaussian_coverage")
"""The rewards that are 0 for every point."""


def combined(weights: str | Mapping[str, float]) -> Reward:
    """The weighted mean of rewards; one may be given by its name alone.

    Raises:
        ValueError: if a name is unknown, a weight is negative or all are 0.
    """
    weights = {weights: 1.0} if isinstance(weights, str) else dict(weights)
    if unknown := [name for name in weights if name not in REWARDS]:
        raise ValueError(f"reward must be of {', '.join(REWARDS)}, not {unknown[0]!r}")
    total = sum(weights.values())
    if total <= 0 or min(weights.values()) < 0:
        raise ValueError(f"the weights of rewards must be 0 or more, and one above 0, not {weights}")
    return partial(_mean, {name: weight / total for name, weight in weights.items()})


def _mean(shares: Mapping[str, float], predicted: ArrayLike, expected: ArrayLike) -> Floats:
    return np.asarray(sum(share * REWARDS[name](predicted, expected) for name, share in shares.items()))


def _sides(boxes: ArrayLike) -> Floats:
    corners = np.asarray(boxes, float)
    return np.asarray(corners[..., 2:] - corners[..., :2])


def _centres(boxes: ArrayLike) -> Floats:
    corners = np.asarray(boxes, float)
    return np.asarray((corners[..., :2] + corners[..., 2:]) / 2)


# -- Episodes ----------------------------------------------------------------------------------------------------------


RIGHT_IOU = 0.5
"""The minimum intersection over union of a right box."""
_MAX_DRAWS = 200
"""Of pages without targets in a row, before a reset gives up."""


@dataclass(frozen=True, slots=True)
class GroundingTarget:
    """A name on a page, and the box that it names.

    Attributes:
        name: what the page is searched for.
        box: in pixels of the page; what a point must lie in.
        kind: of the target, for tables.
    """

    name: str
    box: Box
    kind: str = ""


@dataclass(frozen=True, slots=True)
class GroundingPage:
    """A page with targets: uint8 (height, width, 3), read-only."""

    image: Image
    targets: tuple[GroundingTarget, ...]

    def boxes(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The targets' boxes as fractions of the page, (n, 4), rounded as actions are."""
        height, width = self.image.shape[:2]
        boxes = np.array([target.box for target in self.targets], float).reshape(-1, 4)
        return (boxes / [width, height, width, height]).astype(np.float32).astype(float)


class PackedPage(NamedTuple):
    """A page with its targets for a cache."""

    pixels: PackedPixels
    targets: tuple[GroundingTarget, ...]

    def opened(self) -> GroundingPage:
        """The page with its pixels."""
        return GroundingPage(unpacked(self.pixels), self.targets)


class GroundingState(State):
    """A page, and the answers that were given so far.

    Args:
        task_id: of the page.
        page: the page with its targets, in the order in which they are asked for.
        reward: of an answer.
        by_points: whether answers are points.

    Attributes:
        goal: the name of the next target; of the last one at the end.
        answers: boxes in fractions of the page, one a target.
    """

    source = ""

    def __init__(self, task_id: str, page: GroundingPage, reward: Reward, by_points: bool) -> None:
        self.task_id = task_id
        self.background = page.image
        self.layers: Sequence[Layer] = ()
        self.goal = page.targets[0].name
        self.answers: list[Box] = []
        self.finished = False
        self._page, self._boxes, self._reward, self._by_points = page, page.boxes(), reward, by_points
        self._sums = dict.fromkeys(("grounding_reward", "strict_accuracy", "iou"), 0.0)

    def answer(self, box: Box) -> None:
        """Take an answer for the target and go on to the next one."""
        expected = self._boxes[len(self.answers)]
        self.answers.append(box)
        self._sums["grounding_reward"] += float(self._reward(box, expected))
        self._sums["strict_accuracy"] += float(self._is_right(box, expected))
        self._sums["iou"] += float(iou(box, expected))
        if len(self.answers) == len(self._boxes):
            self.finished = True
        else:
            self.goal = self._page.targets[len(self.answers)].name

    def take_dirty(self) -> list[Rect]:
        """No rectangles: nothing is drawn on the page."""
        return []

    def metrics(self) -> dict[str, float]:
        """The metrics of the answers so far, as shares of all targets."""
        return {name: total / len(self._boxes) for name, total in self._sums.items()}

    def score(self) -> Score:
        """The current score, one field a target."""
        answers = [*self.answers, *[None] * (len(self._boxes) - len(self.answers))]
        fields = tuple(
            FieldResult(
                name=f"{number}",
                label=target.name,
                matcher="box",
                expected=_in_words(expected),
                entered=_in_words(answer) if answer else "",
                correct=answer is not None and self._is_right(answer, expected),
                kind=target.kind,
            )
            for number, (target, expected, answer) in enumerate(
                zip(self._page.targets, self._boxes, answers, strict=True)
            )
        )
        return Score(self.metrics(), fields)

    def _is_right(self, answer: Box, expected: Any) -> bool:
        """Whether a point hits, or a box overlaps by enough."""
        return bool(hit(answer, expected) if self._by_points else iou(answer, expected) >= RIGHT_IOU)

    def solution(self) -> list[Call]:
        """The calls that answer the remaining targets with their boxes or middles."""
        boxes = self._boxes[len(self.answers) :]
        if self._by_points:
            return [{"tool": "point", "x": x, "y": y} for x, y in _centres(boxes).tolist()]
        return [{"tool": "box", **dict(zip(_SIDES, box, strict=True))} for box in boxes.tolist()]

    def dump(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {"task": self.task_id, "answers": [list(box) for box in self.answers], "finished": self.finished}


def point(state: GroundingState, x: float, y: float) -> str:
    """Point at the place that the goal names. The next goal follows."""
    state.answer((x, y, x, y))
    return f"The point is ({x:.3f}, {y:.3f})."


def box(state: GroundingState, left: float, top: float, right: float, bottom: float) -> str:
    """Draw a box around the place that the goal names. The next goal follows."""
    state.answer((left, top, right, bottom))
    return f"The box is {_in_words((left, top, right, bottom))}."


def terminate(state: GroundingState) -> str:
    """End the page; the targets that are left count as missed."""
    state.finished = True
    return "Done."


def _fraction(description: str) -> Argument:
    return Argument(spaces.Box(0, 1, (), np.float32), description)


_SIDES = ("left", "top", "right", "bottom")
_ACROSS, _DOWN = "from the left edge of the page, 0 to 1.", "from the top of the page, 0 to 1."
_END = Tool("terminate", terminate, {})
ACTIONS: Mapping[str, tuple[Tool, ...]] = {
    "point": (Tool("point", point, {"x": _fraction(f"How far {_ACROSS}"), "y": _fraction(f"How far {_DOWN}")}), _END),
    "box": (
        Tool(
            "box",
            box,
            {side: _fraction(f"The {side} edge, {_DOWN if i % 2 else _ACROSS}") for i, side in enumerate(_SIDES)},
        ),
        _END,
    ),
}
"""The tools by the kind of action."""


class GroundingEnv(PaperworkEnv):
    """Ground names on pages, one target a step and many targets a page.

    The goal is the target's name, the action a point or a box in fractions of the page. The reward of a step is the
    named reward of its answer divided by the number of targets of the episode, so that the return is their mean:
    ``grounding_reward``. ``strict_accuracy`` is the share of targets hit: a point in the target's box, or a box that
    overlaps it by half of what both cover.

    Tasks are pages. With ``max_targets`` the targets of a page are dealt to parts of at most as many: ``page#1`` is
    the second part, and the page alone the first one. Resets that name no task go through all parts of a page before
    they draw another page, since pages cost more than targets.

    Args:
        canvas: height and width of every page in pixels.
        action: ``"point"`` or ``"box"``.
        reward: the name of a reward in ``REWARDS``, or weights by name.
        max_targets: of an episode; ``None``: all of the page. 1 makes one-step episodes.
        max_pages: random resets draw the first so many pages alone, which stay cached; ``None``: all.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if an action or reward is unknown, a reward is for boxes alone, or a maximum is below 1.
    """

    reward_metric = "grounding_reward"
    state_class: ClassVar[type[GroundingState]] = GroundingState

    def __init__(
        self,
        canvas: tuple[int, int],
        action: str = "point",
        reward: str | Mapping[str, float] = "hit",
        max_targets: int | None = None,
        max_pages: int | None = None,
        **kwargs: Any,
    ) -> None:
        if action not in ACTIONS:
            raise ValueError(f"action must be one of {', '.join(ACTIONS)}, not {action!r}")
        names = [reward] if isinstance(reward, str) else list(reward)
        if action == "point" and (only := [name for name in names if name in FOR_BOXES]):
            raise ValueError(f"reward {only[0]!r} is 0 for every point; it goes with action='box'")
        for name, maximum in (("max_targets", max_targets), ("max_pages", max_pages)):
            if maximum is not None and maximum < 1:
                raise ValueError(f"{name} must be at least 1, not {maximum}")
        self.tools = ACTIONS[action]
        self._reward, self._max_targets, self._max_pages = combined(reward), max_targets, max_pages
        self._by_points = action == "point"
        self._parts: list[str] = []
        self._opened: tuple[str, GroundingPage] | None = None
        super().__init__(canvas, **kwargs)

    @abstractmethod
    def open_page(self, task_id: str) -> GroundingPage:
        """The page of a task, with all its targets.

        Raises:
            ValueError: if there is no such task.
        """

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode; with a seed also another page.

        Args:
            seed: see ``PaperworkEnv.reset``; the parts that are left of a page are not asked for.
            options: see ``PaperworkEnv.reset``.
        """
        if seed is not None:
            self._parts = []
        return super().reset(seed=seed, options=options)

    def pick_task(self, options: Mapping[str, Any]) -> str:
        """The task of an episode: the one in ``options``, the next part, or another page.

        Raises:
            ValueError: if the options name no task of this environment, or no page has targets.
        """
        if options:
            return super().pick_task(options)
        for _ in range(_MAX_DRAWS):
            if self._parts:
                return self._parts.pop(0)
            n_pages = min(len(self.task_ids), self._max_pages or len(self.task_ids))
            task = self.task_ids[int(self.np_random.integers(n_pages))]
            self._parts = [f"{task}#{part}" if part else task for part in range(self._n_parts(self._page(task)))]
        raise ValueError(f"{_MAX_DRAWS} pages have no targets in this environment")

    def open_task(self, task_id: str) -> GroundingState:
        """The state of a page, or of a part of it, before the first answer.

        Raises:
            ValueError: if there is no such task, or it has no targets.
        """
        name, _, part = task_id.partition("#")
        page = self._page(name)
        if not page.targets:
            raise ValueError(f"no target on the page {name!r} in this environment")
        if part:
            check_task(task_id, [f"{name}#{number}" for number in range(self._n_parts(page))], f"{name}#0")
        return self.state_class(task_id, self._part(page, name, int(part or 0)), self._reward, self._by_points)

    def _page(self, name: str) -> GroundingPage:
        """A page; the last one is kept."""
        if self._opened is None or self._opened[0] != name:
            self._opened = name, self.open_page(name)
        return self._opened[1]

    def _n_parts(self, page: GroundingPage) -> int:
        return -(-len(page.targets) // (self._max_targets or max(len(page.targets), 1)))

    def _part(self, page: GroundingPage, name: str, number: int) -> GroundingPage:
        """The page with the targets of one part, which is random and the same each time."""
        if self._max_targets is None:
            return page
        order = np.random.default_rng(crc32(name.encode())).permutation(len(page.targets))
        chosen = sorted(order[number * self._max_targets :][: self._max_targets])
        return GroundingPage(page.image, tuple(page.targets[i] for i in chosen))


def _in_words(box: Any) -> str:
    return ", ".join(f"{float(side):.3f}" for side in box)
