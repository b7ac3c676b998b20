"""Environments for pages of users' data sets: put back one answer, or all."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
from PIL import Image as PillowImage

from ...core.asset_cache import cached, derived
from ...core.boxes import Rect
from ...core.data_sets import DataSet
from ...core.env import MAX_SOURCE_LENGTH, PaperworkEnv
from ...core.pages import PackedPixels, packed, page_image, unpacked
from ...core.painting import Image, Patch
from ...core.tasks import check_task
from ...core.texts import truncate
from ..state import PaperFormState, PaperTask, Target
from ..tools import TYPING_TOOLS
from ..writing import fitting_size
from .erase import erased
from .scanned_page import Key, ScannedPage, reading_order

_MAX_LABEL, _MAX_LISTED_LABEL = 500, 200
_MIN_TEXT_SIZE = 9


@cached
def field_task(page: ScannedPage, key: Key) -> PaperTask:
    """The task of writing one answer into its field."""
    gold = page.answers[key]
    query = page.queries[key]
    label = truncate(query, _MAX_LABEL)
    return PaperTask(
        task_id=f"{page.name}#{key}",
        goal=f"Write the value given in the source text into the field “{label}” of this page.",
        source=f"Field: {label}\nValue: {gold.value}",
        text_size=_text_size(page, [key]),
        erased=True,
        targets=(Target("answer", query, page.fields[key], gold),),
        others=tuple(box for other, box in page.fields.items() if other != key),
        title=page.name,
    )


@cached
def page_task(page: ScannedPage) -> PaperTask:
    """The task of writing all answers of a page into their fields.

    Raises:
        ValueError: if there is more to write than a source text holds.
    """
    names = labels(page)
    source = "\n".join(f"{label}: {page.answers[key].value}" for key, label in names.items())
    if len(source) > MAX_SOURCE_LENGTH:
        raise ValueError(
            f"the answers of {page.image} are too long for one task; take them one at a time, answers='one'"
        )
    return PaperTask(
        task_id=page.name,
        goal="Write each value of the source text into its field of this page. "
        + "Fields of one name are numbered line by line, from left to right.",
        source=source,
        text_size=_text_size(page, names),
        erased=True,
        targets=tuple(Target(str(key), label, page.fields[key], page.answers[key]) for key, label in names.items()),
        title=page.name,
    )


def _text_size(page: ScannedPage, keys: Iterable[Key]) -> int:
    """The size in pixels of text at which nearly all of some answers are within the boxes of the erased ones."""
    sizes = range(page.text_size, _MIN_TEXT_SIZE - 1, -1)
    if not sizes:
        return page.text_size
    values = {key: page.answers[key].value or "" for key in keys}
    return int(np.quantile([fitting_size(text, page.fields[key], sizes) for key, text in values.items()], 0.1))


def labels(page: ScannedPage) -> dict[Key, str]:
    """The labels of a page's fields in reading order, numbered if they repeat.

    Of fields with the same middle only the first is included: a text in it belongs to any of them.
    """
    fields = {(box[0] + box[2], box[1] + box[3]): key for key, box in reversed(page.fields.items())}
    order = reading_order({key: page.fields[key] for key in fields.values()})
    # Without a colon at the end, since the source text adds one.
    names = {key: truncate(page.queries[key].rstrip(" :：") or page.queries[key], _MAX_LISTED_LABEL) for key in order}
    total, numbers = Counter(names.values()), Counter[str]()
    for key, name in names.items():
        numbers[name] += 1
        if total[name] > 1:
            names[key] = f"{name} ({numbers[name]} of {total[name]})"
    return names


_WHITE = (255, 255, 255)


class ScannedEnv(PaperworkEnv):
    """Write given values into the fields of a scanned page.

    With ``answers="one"`` tasks are ``page#field``: one answer is missing on the page, and the others are there. With
    ``answers="all"`` tasks are pages: all answers that belong to a question are missing, one target each.

    Args:
        data: the data set, for messages.
        folder: of its pages.
        pages: by name, at least one, all of one canvas.
        answers: ``"one"`` or ``"all"``.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if ``answers`` is neither, or no page has an answer.
    """

    tools = TYPING_TOOLS

    def __init__(
        self, data: DataSet, folder: Path, pages: Mapping[str, ScannedPage], answers: str, **kwargs: Any
    ) -> None:
        if answers not in ("one", "all"):
            raise ValueError(f"answers must be 'one' or 'all', not {answers!r}")
        super().__init__(next(iter(pages.values())).canvas, **kwargs)
        self.folder = folder
        self._pages = pages
        self._places = {task: place for page in pages.values() for task, place in _places(page, answers).items()}
        self.task_ids = tuple(self._places)
        if not self._places:
            reasons = ", ".join(f"{n} x {reason}" for reason, n in self.skipped.items()) or "none is labelled as one"
            raise data.error(f"no answer that makes a task in {folder} ({reasons})")

    @cached_property
    def skipped(self) -> Mapping[str, int]:
        """Counts of the reasons why entities labelled as answers are no tasks."""
        return sum((Counter(page.skipped) for page in self._pages.values()), Counter[str]())

    def task(self, task_id: str) -> PaperTask:
        """A task with its targets and texts.

        Raises:
            ValueError: if there is no such task.
        """
        page, key = self._place(task_id)
        return page_task(page) if key is None else field_task(page, key)

    def open_task(self, task_id: str) -> PaperFormState:
        """The page without the answers of its task.

        Raises:
            ValueError: if there is no such task, or its picture cannot be read.
        """
        page, key = self._place(task_id)
        task = self.task(task_id)
        if key is None:
            return PaperFormState(task, cleared(page), paper=page.paper)
        return PaperFormState(task, _picture(page), under=(_erasure(page, key),), paper=page.paper)

    def _place(self, task_id: str) -> _Place:
        """The page of a task, and the key of its answer or ``None`` for all."""
        check_task(task_id, self._places, self.task_ids[0], f" in {self.folder}")
        return self._places[task_id]


_Place = tuple[ScannedPage, Key | None]


def _places(page: ScannedPage, answers: str) -> dict[str, _Place]:
    if answers == "all":
        return {page.name: (page, None)} if page.answers else {}
    return {f"{page.name}#{key}": (page, key) for key in page.answers}


# -- Pictures ------------------------------------------------------------------------------------------------------


def _picture(page: ScannedPage) -> Image:
    try:
        # Erasing copies the paper beside an answer, which must not be the desk around the page.
        return page_image(page.image, page.canvas, _WHITE)
    except (OSError, PillowImage.DecompressionBombError) as error:
        raise ValueError(f"{page.image} is no picture that can be read: {error}") from error


@cached
def _erasure(page: ScannedPage, key: Key) -> Patch:
    """A patch that hides one answer of a page."""
    return erased(_picture(page), page.words[key], _boxes(page, {key}))


@derived
def cleared(page: ScannedPage) -> Image:
    """A page without its answers: uint8 (height, width, 3), read-only."""
    return unpacked(_packed(page))


@cached
def _packed(page: ScannedPage) -> PackedPixels:
    pixels, gone = _picture(page).copy(), set[Key]()
    for key in page.answers:
        gone.add(key)
        # An erased answer may leave some ink, which a later one may remove: only other words are protected.
        patch = erased(pixels, page.words[key], _boxes(page, gone))
        left, top, right, bottom = patch.rect
        pixels[top:bottom, left:right] = patch.pixels
    return packed(pixels)


def _boxes(page: ScannedPage, without: set[Key]) -> list[Rect]:
    return [box for key, boxes in page.words.items() if key not in without for box in boxes]
