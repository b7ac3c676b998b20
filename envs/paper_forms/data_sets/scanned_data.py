"""Pages of a user's own data set: where the set is, and what every reader makes of a page."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from ...core.pages import picture_size
from ...core.painting import Rect, envelope, intersection
from ...core.scoring import Gold

ROOT_VARIABLE = "FORMGYM_DATA"

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


@dataclass(frozen=True)
class DataSet:
    """A data set as its users get it.

    Attributes:
        name: as its paper calls it.
        folders: where it may lie below the folder that FORMGYM_DATA names.
        how: a sentence for error messages: how to get it and how to lay it out.
    """

    name: str
    folders: tuple[str, ...]
    how: str

    def error(self, problem: str) -> ValueError:
        """What to raise: the problem, and how it should be."""
        return ValueError(f"{problem}. {self.how}")

    def root(self, root: str | None, parts: Sequence[str]) -> Path:
        """The folder that the data set lies in.

        Args:
            root: where the user says it is; ``None``: below FORMGYM_DATA, or that folder itself.
            parts: glob patterns, one of which something in the folder must match.

        Raises:
            ValueError: if there is no such folder.
        """
        candidates = self._candidates(root)
        for candidate in candidates:
            if any(any(candidate.glob(part)) for part in parts):
                return candidate
        missing = f"neither {' nor '.join(parts)}" if len(parts) > 1 else f"no {parts[0]}"
        raise self.error(f"{missing} in {', '.join(map(str, candidates))}")

    def _candidates(self, root: str | None) -> list[Path]:
        if root is not None:
            return [Path(root)]
        if not os.environ.get(ROOT_VARIABLE):
            raise self.error(
                f"no folder with {self.name} was named: root= was not passed and {ROOT_VARIABLE} is not set"
            )
        data = Path(os.environ[ROOT_VARIABLE])
        return [*(data / folder for folder in self.folders), data]

    def picture(self, name: str, folders: Iterable[Path], origin: str) -> Path:
        """The first file of a name in some folders.

        Args:
            name: of the file; folders in it are overlooked.
            folders: where it may be.
            origin: who asks for it.

        Raises:
            ValueError: if it is in none of them.
        """
        paths = [folder / Path(name).name for folder in folders]
        for path in paths:
            if path.is_file():
                return path
        raise self.error(f"{origin}: its picture is not there: {' nor '.join(map(str, paths))}")

    def size(self, image: Path) -> tuple[int, int]:
        """Height and width of a picture.

        Raises:
            ValueError: if it cannot be read.
        """
        try:
            return picture_size(image)
        except (OSError, PillowImage.DecompressionBombError) as error:
            raise self.error(f"{image} is no picture that can be read: {error}") from error


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
