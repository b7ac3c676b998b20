"""The environment of grounding: draw a box around an element (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from gymnasium import spaces

from ..core.asset_cache import cached
from ..core.env import PaperworkEnv, State
from ..core.painting import Image, Layer, Rect
from ..core.scoring import FieldResult, Score
from ..core.solid_rect import outline
from ..core.tasks import SEEDS, EndlessTasks, endless_secret
from ..core.tools import Argument, Call, Tool
from ..core.vector import BatchVectorEnv
from .env import TEST, documents_named, endless_document, largest_page
from .painting.view import layers_of, on_canvas
from .requests.frozen import frozen_requests, planned_request
from .requests.request import Mention
from .scene.document import Document, shipped_document
from .scene.elements import MAX_COORDINATE, Box, rect_of
from .scoring.pictures import box_iou

_RIGHT = 0.5
"""The minimum intersection over union of a right box."""
_INK = (214, 40, 120)
"""The colour of the proposed box."""


@dataclass(frozen=True, slots=True)
class GroundingTask:
    """An expression that means one element of a document."""

    task_id: str
    document: Document
    mention: Mention

    @property
    def box(self) -> Box:
        """Left, top, width and height of the target."""
        element = self.document.find(self.mention.ids[0])
        assert element is not None
        return element.bbox


class GroundingState(State):
    """A page, and the box that was last drawn on it.

    Args:
        task: what to find.
        canvas: height and width of the image.

    Attributes:
        document: that holds the target.
        page: the visible page, counted from 0.
        proposed: the last box: left, top, width, height; ``None``: none yet.
    """

    source = ""

    def __init__(self, task: GroundingTask, canvas: tuple[int, int]) -> None:
        self._task = task
        self.task_id, self.document, self.page = task.task_id, task.document, task.mention.page
        self.goal = f"Draw a box around {task.mention.words}."
        page = task.document.pages[self.page]
        self.background: Image = on_canvas(page, self.page, canvas)
        self.layers: list[Layer] = [*layers_of(page.elements)]
        self._n_elements = len(self.layers)
        self.proposed: Box | None = None
        self.finished = False
        self._dirty: list[Rect] = []

    def propose(self, box: Box) -> None:
        """Draw a box that replaces the one before."""
        self.proposed = box
        frame = outline(rect_of(box), _INK, 2)
        self._dirty += [layer.rect for layer in (*self.layers[self._n_elements :], *frame)]
        self.layers[self._n_elements :] = frame

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        dirty, self._dirty = self._dirty, []
        return dirty

    def metrics(self) -> dict[str, float]:
        """The metrics of the current score."""
        if self.proposed is None:
            return {"strict_accuracy": 0.0, "field_accuracy": 0.0, "iou": 0.0}
        iou = intersection_over_union(self.proposed, self._task.box)
        left, top, width, height = self._task.box
        x, y = self.proposed[0] + self.proposed[2] / 2, self.proposed[1] + self.proposed[3] / 2
        is_inside = left <= x <= left + width and top <= y <= top + height
        return {"strict_accuracy": float(iou >= _RIGHT), "field_accuracy": float(is_inside), "iou": iou}

    def score(self) -> Score:
        """The current score; its one field is the box."""
        metrics = self.metrics()
        field = FieldResult(
            name="box",
            label=self._task.mention.words,
            matcher="box",
            expected=str(list(self._task.box)),
            entered=str(list(self.proposed)) if self.proposed else "",
            correct=bool(metrics["strict_accuracy"]),
            kind=self._task.mention.kind,
        )
        return Score(metrics, (field,))

    def solution(self) -> list[Call]:
        """The calls that draw the right box and end the episode."""
        left, top, width, height = self._task.box
        box = {"tool": "propose_box", "x": left, "y": top, "width": width, "height": height}
        return [box, {"tool": "terminate"}]

    def dump(self) -> dict[str, Any]:
        """The state as a JSON object."""
        return {"task": self.task_id, "proposed": self.proposed and list(self.proposed), "finished": self.finished}


def propose_box(state: GroundingState, x: float, y: float, width: float, height: float) -> str:
    """Draw the box: its left top corner, width and height in pixels. The last one counts."""
    box = round(x), round(y), max(1, round(width)), max(1, round(height))
    state.propose(box)
    return f"The box is now {list(box)}."


def terminate(state: GroundingState) -> str:
    """End the episode: the box is where it should be."""
    state.finished = True
    return "Done."


def _pixels(low: float, description: str) -> Argument:
    return Argument(spaces.Box(low, MAX_COORDINATE, (), np.float32), description)


TOOLS = (
    Tool(
        "propose_box",
        propose_box,
        {
            "x": _pixels(-MAX_COORDINATE, "Of the left edge, in pixels from the left edge of the page."),
            "y": _pixels(-MAX_COORDINATE, "Of the upper edge, in pixels from the top of the page."),
            "width": _pixels(1, "In pixels."),
            "height": _pixels(1, "In pixels."),
        },
    ),
    Tool("terminate", terminate, {}),
)


class GroundingEnv(PaperworkEnv):
    """Draw a box around the element of a page that an expression means.

    Tasks are ``document/test_number``: the expressions of the shipped requests that mean one element; in the train
    split ``document/seed``. The metrics: ``strict_accuracy`` (the box overlaps with the element's by half or more of
    what both cover), ``field_accuracy`` (its middle is in the element's box), and ``iou``, which the reward follows.

    Args:
        documents: names of shipped documents; ``None``: all. Smaller ones are in the left top corner of the page.
        split: ``"test"``: shipped; ``"train"``: endless documents and expressions from the seed.
        secret: another number gives other endless tasks.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a document or split is unknown, or the split has no such secret.
    """

    tools = TOOLS
    reward_metric = "iou"

    def __init__(
        self, documents: str | Sequence[str] | None = None, split: str = "test", secret: int = 0, **kwargs: Any
    ) -> None:
        self._secret = endless_secret(split, secret)
        self.documents = documents_named(documents)
        self._canvas = largest_page(self.documents)
        super().__init__(self._canvas, **kwargs)
        if self._secret is None:
            self._task_ids: Sequence[str] = tuple(task for name in self.documents for task in shipped_mentions(name))
        else:
            self._task_ids = EndlessTasks(self.documents)

    @property
    def task_ids(self) -> Sequence[str]:
        """The ids of all tasks."""
        return self._task_ids

    def open_task(self, task_id: str) -> GroundingState:
        """The state of a task before a box is drawn.

        Raises:
            ValueError: if there is no such task.
        """
        name, _, number = task_id.partition("/")
        if name not in self.documents or task_id not in self._task_ids:
            raise ValueError(f"no task {task_id!r}; there are {self._task_ids[0]} and {len(self._task_ids) - 1} more")
        if self._secret is None:
            return GroundingState(shipped_mentions(name)[task_id], self._canvas)
        return GroundingState(_endless_mention(name, int(number), self._secret), self._canvas)


@cached
def shipped_mentions(name: str) -> dict[str, GroundingTask]:
    """The test tasks on a shipped document, by their ids."""
    mentions = [m for request in frozen_requests(name) for m in request.mentions if len(m.ids) == 1]
    different = {(mention.words, mention.page): mention for mention in mentions}.values()
    document = shipped_document(name)
    tasks = [GroundingTask(f"{name}/{TEST}{i}", document, mention) for i, mention in enumerate(different)]
    return {task.task_id: task for task in tasks}


@cached
def _endless_mention(name: str, seed: int, secret: int) -> GroundingTask:
    """The task of a seed: its first expression that means one element."""
    document = endless_document(name, seed, secret)
    number = seed
    while True:
        mentions = planned_request(document, "train", number, secret).mentions
        for mention in mentions:
            if len(mention.ids) == 1:
                return GroundingTask(f"{name}/{seed}", document, mention)
        number = (number + 1) % SEEDS


def intersection_over_union(one: Box, other: Box) -> float:
    """The intersection over union of two boxes."""
    return box_iou(rect_of(one), rect_of(other))


make_batch = partial(BatchVectorEnv, GroundingEnv)
"""``GroundingEnv`` as a ``BatchVectorEnv``."""
