"""GroundingEnv: point at, or box, one named target of a page after another."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from .env import PaperworkEnv, State
from .grounding_rewards import FOR_BOXES, Reward, combined, hit, iou
from .locators import Box
from .painting import Image, Layer, Rect
from .scoring import FieldResult, Score
from .tools import Argument, Call, Tool

RIGHT_IOU = 0.5
"""The minimum intersection over union of a right box."""


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
    """A page with targets: uint8 (height, width, 3) of the environment's size, read-only."""

    image: Image
    targets: tuple[GroundingTarget, ...]

    def boxes(self) -> np.ndarray[Any, np.dtype[np.float64]]:
        """The targets' boxes as fractions of the page, (n, 4)."""
        height, width = self.image.shape[:2]
        return np.array([target.box for target in self.targets], float).reshape(-1, 4) / [width, height, width, height]


class GroundingState(State):
    """A page, and the answers that were given so far.

    Args:
        task_id: of the page.
        page: the page with its targets, in the order in which they are asked for.
        reward: of an answer.

    Attributes:
        goal: the name of the next target; of the last one at the end.
        answers: boxes in fractions of the page, one a target.
    """

    source = ""

    def __init__(self, task_id: str, page: GroundingPage, reward: Reward) -> None:
        self.task_id = task_id
        self.background = page.image
        self.layers: Sequence[Layer] = ()
        self.goal = page.targets[0].name
        self.answers: list[Box] = []
        self.finished = False
        self._page, self._boxes, self._reward = page, page.boxes(), reward
        self._sums = dict.fromkeys(("grounding_reward", "strict_accuracy", "iou"), 0.0)

    def answer(self, box: Box) -> None:
        """Take an answer for the target and go on to the next one."""
        expected = self._boxes[len(self.answers)]
        self.answers.append(box)
        self._sums["grounding_reward"] += float(self._reward(box, expected))
        self._sums["strict_accuracy"] += float(_is_right(box, expected))
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
                correct=answer is not None and _is_right(answer, expected),
                kind=target.kind,
            )
            for number, (target, expected, answer) in enumerate(
                zip(self._page.targets, self._boxes, answers, strict=True)
            )
        )
        return Score(self.metrics(), fields)

    def solution(self) -> list[Call]:
        """The calls that answer the remaining targets with their boxes."""
        return [
            {"tool": "box", **dict(zip(_SIDES, map(float, box), strict=True))}
            for box in self._boxes[len(self.answers) :]
        ]

    def dump(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {"task": self.task_id, "answers": [list(box) for box in self.answers], "finished": self.finished}


class PointingState(GroundingState):
    """The state where answers are points."""

    def solution(self) -> list[Call]:
        """The calls that answer the remaining targets with their middles."""
        return [
            {"tool": "point", "x": (left + right) / 2, "y": (top + bottom) / 2}
            for left, top, right, bottom in self._boxes[len(self.answers) :].tolist()
        ]


def point(state: GroundingState, x: float, y: float) -> str:
    """Point at the place on the page that the goal names. The next goal follows."""
    state.answer((x, y, x, y))
    return f"The point is ({x:.3f}, {y:.3f})."


def box(state: GroundingState, left: float, top: float, right: float, bottom: float) -> str:
    """Draw a box around the place on the page that the goal names. The next goal follows."""
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
    named reward of its answer divided by the number of targets on the page, so that the return is their mean:
    ``grounding_reward``. ``strict_accuracy`` is the share of targets hit: a point in the target's box, or a box that
    overlaps it by half of what both cover.

    Args:
        canvas: height and width of every page in pixels.
        action: ``"point"`` or ``"box"``.
        reward: the name of a reward in ``grounding_rewards.REWARDS``, or weights by name.
        max_targets: of a page; the rest is left out, at random in the train split. 1 makes one-step episodes.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if an action or reward is unknown, a reward is for boxes alone, or ``max_targets`` is below 1.
    """

    reward_metric = "grounding_reward"

    def __init__(
        self,
        canvas: tuple[int, int],
        action: str = "point",
        reward: str | Mapping[str, float] = "hit",
        max_targets: int | None = None,
        **kwargs: Any,
    ) -> None:
        if action not in ACTIONS:
            raise ValueError(f"action must be one of {', '.join(ACTIONS)}, not {action!r}")
        names = [reward] if isinstance(reward, str) else list(reward)
        if action == "point" and (only := [name for name in names if name in FOR_BOXES]):
            raise ValueError(f"reward {only[0]!r} is 0 for every point; it goes with action='box'")
        if max_targets is not None and max_targets < 1:
            raise ValueError(f"max_targets must be at least 1, not {max_targets}")
        self.tools = ACTIONS[action]
        self._reward, self._max_targets = combined(reward), max_targets
        self._state_class = PointingState if action == "point" else GroundingState
        super().__init__(canvas, **kwargs)

    @abstractmethod
    def open_page(self, task_id: str) -> GroundingPage:
        """The page of a task, with all its targets.

        Raises:
            ValueError: if there is no such task.
        """

    def open_task(self, task_id: str) -> GroundingState:
        """The state of a page before the first answer.

        Raises:
            ValueError: if there is no such task.
        """
        page = self.open_page(task_id)
        return self._state_class(task_id, self._chosen(page), self._reward)

    def _chosen(self, page: GroundingPage) -> GroundingPage:
        """The page with at most ``max_targets`` of its targets."""
        if self._max_targets is None or len(page.targets) <= self._max_targets:
            return page
        chosen = sorted(self.np_random.permutation(len(page.targets))[: self._max_targets])
        return GroundingPage(page.image, tuple(page.targets[i] for i in chosen))


def _is_right(answer: Box, expected: Any) -> bool:
    """Whether a point hits, or a box overlaps by enough."""
    is_point = answer[0] == answer[2] and answer[1] == answer[3]
    return bool(hit(answer, expected)) if is_point else bool(iou(answer, expected) >= RIGHT_IOU)


def _in_words(box: Any) -> str:
    return ", ".join(f"{float(side):.3f}" for side in box)
