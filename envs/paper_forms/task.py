"""The task of a paper form: its goal, its source and its targets."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from ..core.boxes import Box
from ..core.env import FieldBox
from ..core.scoring import Gold

_EDGE = 1e-6


@dataclass(frozen=True)
class Target:
    """A field and its right answer.

    Attributes:
        name: unique in the task.
        label: the kind of information that belongs there.
        box: in pixels; an answer counts if its centre lies in it, edges included.
        gold: the answer; its value is ``None`` if the field must stay empty.
        comb: the number of cells of one character each; 0 for a plain field.
    """

    name: str
    label: str
    box: Box
    gold: Gold
    comb: int = 0

    @property
    def signed(self) -> bool:
        """Whether a signature or initials belong there rather than typed text."""
        return self.gold.matcher == "signature"


@dataclass(frozen=True)
class PaperTask:
    """What to do on one page.

    Attributes:
        task_id: unique in its environment.
        goal: what to do, in words.
        source: the facts, in words.
        text_size: the size in pixels of text written on this page.
        targets: all fields of the page.
    """

    task_id: str
    goal: str
    source: str
    text_size: int
    targets: tuple[Target, ...]

    def field_at(self, x: float, y: float) -> int | None:
        """The index of the target at a point in pixels, the nearest if several overlap."""
        boxes, centres = self._geometry
        hits = np.flatnonzero((boxes[0] <= x) & (x <= boxes[2]) & (boxes[1] <= y) & (y <= boxes[3]))
        if len(hits) <= 1:
            return int(hits[0]) if len(hits) else None
        distances = (centres[0, hits] - x) ** 2 + (centres[1, hits] - y) ** 2
        return int(hits[np.argmin(distances)])

    @cached_property
    def answered(self) -> int:
        """The number of targets with an answer."""
        return sum(target.gold.value is not None for target in self.targets)

    @cached_property
    def places(self) -> tuple[FieldBox, ...]:
        """The boxes of the targets."""
        return tuple(FieldBox(t.label, t.box, t.gold.matcher == "checkbox") for t in self.targets)

    @cached_property
    def _geometry(self) -> tuple[np.ndarray[tuple[int, int], np.dtype[np.float64]], ...]:
        boxes = np.array([target.box for target in self.targets], np.float64).reshape(-1, 4).T
        # An edge converted to fractions of the page and back has a rounding error.
        widened = boxes + np.array([[-_EDGE], [-_EDGE], [_EDGE], [_EDGE]])
        return widened, (boxes[:2] + boxes[2:]) / 2


def text_size_for(field_heights: list[float]) -> int:
    """The size in pixels of text on a page with these field heights.

    It follows the low ones, so that text fits nearly every field of the page, and stays legible.
    """
    return max(9, round(0.6 * float(np.quantile(field_heights, 0.1)))) if field_heights else 16
