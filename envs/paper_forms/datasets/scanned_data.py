"""Pages of a user's own data set: what every reader makes of a page."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ...core.data_sets import PictureError
from ...core.painting import Rect, envelope, intersection
from ...core.scoring import Gold

Key = int | str
"""What tells the entities of a page apart: questions, answers, whatever else stands on it."""


@dataclass(frozen=True, eq=False)
class ScannedPage:
    """A page of a data set, its boxes in pixels of the canvas.

    Attributes:
        name: unique in the data set.
        image: the file of the picture.
        canvas: height and width of the canvas that the picture is shown on, in pixels.
        text_size: the size in pixels of what is written on it.
        words: the boxes of the words of each entity.
        queries: what is asked for in the field of each answer.
        answers: the right answers; the value is ``None`` where a field must stay empty.
        skipped: why entities that are labelled as answers are no tasks, and how many.
        filled: whether the answers stand on the picture, so that they must be erased.
    """

    name: str
    image: Path
    canvas: tuple[int, int]
    text_size: int
    words: Mapping[Key, tuple[Rect, ...]]
    queries: Mapping[Key, str]
    answers: Mapping[Key, Gold]
    skipped: Mapping[str, int]
    filled: bool = True

    @cached_property
    def fields(self) -> dict[Key, Rect]:
        """Where each answer belongs."""
        return {key: envelope(self.words[key]) for key in self.answers}


def readable_page(name: str, canvas: tuple[int, int], read: Callable[[], ScannedPage]) -> ScannedPage:
    """The page that ``read`` gives; if its picture is missing or unreadable, a warning and a page without fields."""
    try:
        return read()
    except PictureError as error:
        warnings.warn(f"{name} is left out: {error}", stacklevel=2)
        return ScannedPage(name, Path(), canvas, 0, {}, {}, {}, {"no picture": 1})


# -- Boxes ---------------------------------------------------------------------------------------------------------


def has_area(box: Sequence[float]) -> bool:
    """Whether a box (left, top, right, bottom) is wider and higher than nothing."""
    return box[0] < box[2] and box[1] < box[3]


def check_on_page(box: Sequence[float], size: tuple[int, int], what: str) -> None:
    """See that a box lies on its page at least in part: one that sticks out a little is clipped.

    Args:
        box: left, top, right, bottom in pixels.
        size: height and width of the page.
        what: the box in words.

    Raises:
        ValueError: if it lies elsewhere, and so belongs to another picture.
    """
    on_it = box[0] < size[1] and box[1] < size[0] and box[2] > 0 and box[3] > 0
    if has_area(box) and not on_it:
        raise ValueError(f"{what} lies outside of the page of {size[1]} x {size[0]}")


def on_canvas(box: Sequence[float], scale: tuple[float, float], limits: Rect) -> Rect | None:
    """A box on the canvas, outward to whole pixels, clipped; ``None`` if nothing is left.

    Args:
        box: left, top, right, bottom on the picture.
        scale: across and down.
        limits: where the picture is on the canvas.
    """
    left, right = int(box[0] * scale[0]), int(np.ceil(box[2] * scale[0]))
    top, bottom = int(box[1] * scale[1]), int(np.ceil(box[3] * scale[1]))
    return intersection((left, top, right, bottom), limits)


def picture_limits(size: tuple[int, int], scale: float) -> Rect:
    """Where a picture of a height and width is on the canvas."""
    return 0, 0, round(size[1] * scale), round(size[0] * scale)


def reading_order(boxes: Mapping[Key, Rect]) -> list[Key]:
    """Line by line, each from left to right; on one line are boxes whose middles differ by less than half a height."""
    lines: list[list[Key]] = []
    for key in sorted(boxes, key=lambda key: boxes[key][1] + boxes[key][3]):
        if lines and _on_one_line(boxes[lines[-1][0]], boxes[key]):
            lines[-1].append(key)
        else:
            lines.append([key])
    return [key for line in lines for key in sorted(line, key=lambda key: boxes[key][0])]


def _on_one_line(upper: Rect, lower: Rect) -> bool:
    lowest = min(upper[3] - upper[1], lower[3] - lower[1])
    return lower[1] + lower[3] - upper[1] - upper[3] < lowest
