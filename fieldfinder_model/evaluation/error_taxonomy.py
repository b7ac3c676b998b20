"""Classify localisation errors by the boxes of labels and fields."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ...envs.core.boxes import Box, centre, contains, iou, overlap_height, overlap_width, union
from ...envs.paper_forms.examples import Example, ExamplePage

_ENOUGH = 0.5
"""The minimum intersection over union of a right box."""


@dataclass(frozen=True)
class _Case:
    """A predicted place outside the field, with its example and page."""

    place: Box
    example: Example
    page: ExamplePage
    label_matched: bool | None

    @property
    def labels(self) -> list[Box]:
        return [label for label in self.example.labels if label is not None]

    @property
    def others(self) -> list[Example]:
        """The other targets in whose field the centre of the place lies."""
        at = centre(self.place)
        return [other for other in self.page.examples if other is not self.example and contains(other.field, *at)]


def cause_of(best: Box | None, example: Example, page: ExamplePage, label_matched: bool | None) -> str:
    """``"right"``, or what went wrong, one of ``CAUSES``.

    Args:
        best: the most likely place that was found.
        example: the target and its true place.
        page: the page of the example.
        label_matched: whether the locator matched the right label; ``None`` if it does not say.
    """
    if best is None:
        return "nothing found"
    if contains(example.field, *centre(best)):
        return "right" if iou(best, example.box) >= _ENOUGH else "right field, box off"
    case = _Case(best, example, page, label_matched)
    return next(name for name, holds_for in _CHECKS.items() if holds_for(case))


# -- The causes, in the order in which they are checked ----------------------------------------------------------------


def _wrong_occurrence(case: _Case) -> bool:
    """The place is nearer to the label's words printed elsewhere than to the label."""
    if not case.labels:
        return False
    label = case.labels[0]
    name = case.example.target.split(" | ")[0].split()
    again = [box for box in _occurrences(case.page, name) if iou(box, label) == 0]
    return any(_distance(case.place, box) < _distance(case.place, label) for box in again)


def _label_missed(case: _Case) -> bool:
    """The locator matched other words than the label, or none."""
    return case.label_matched is False


def _other_cell(case: _Case) -> bool:
    """The place is in another field of the same row, column or section of a table."""
    names = set(case.example.target.split(" | "))
    return case.example.kind == "table" and any(names & set(other.target.split(" | ")) for other in case.others)


def _beside_instead_of_above(case: _Case) -> bool:
    """The place is on the label's line, but the answer is below or above the label."""
    if case.example.kind not in ("below", "above") or not case.labels:
        return False
    label = case.labels[0]
    middle = centre(case.place)[1]
    return label[1] <= middle <= label[3]


def _other_field(case: _Case) -> bool:
    return bool(case.others)


def _on_line(case: _Case) -> bool:
    """The place is on the right line, but too far to the left or right."""
    return case.example.field[1] <= centre(case.place)[1] <= case.example.field[3]


def _in_column(case: _Case) -> bool:
    """The place is in the right column, but too high or too low."""
    return case.example.field[0] <= centre(case.place)[0] <= case.example.field[2]


def _elsewhere(case: _Case) -> bool:
    return True


_CHECKS: dict[str, Callable[[_Case], bool]] = {
    "the same label elsewhere": _wrong_occurrence,
    "label not read or another matched": _label_missed,
    "another cell of the table": _other_cell,
    "not on the label's line": _beside_instead_of_above,
    "another field": _other_field,
    "too far left or right": _on_line,
    "too far up or down": _in_column,
    "elsewhere": _elsewhere,
}
CAUSES = ("nothing found", *_CHECKS, "right field, box off")
"""What can go wrong, in the order in which they are checked."""


def _occurrences(page: ExamplePage, name: Sequence[str]) -> list[Box]:
    """The boxes where the words of a name are printed one after another."""
    words = [word.casefold() for word in name]
    printed = [word.text.casefold() for word in page.words]
    at = [i for i in range(len(printed) - len(words) + 1) if printed[i : i + len(words)] == words]
    return [union(page.words[j].box for j in range(i, i + len(words))) for i in at if words]


def _distance(one: Box, other: Box) -> float:
    """The distance between two boxes in pixels; 0 if they touch."""
    return math.hypot(max(-overlap_width(one, other), 0.0), max(-overlap_height(one, other), 0.0))
