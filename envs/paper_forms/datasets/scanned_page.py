"""A page of a user's data set, and how linked entities make it up."""

from __future__ import annotations

import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from ...core.boxes import Rect, intersection, union
from ...core.data_sets import DataSet, PictureError
from ...core.pages import fit_scale
from ...core.scoring import Gold
from ...core.texts import one_line
from ..tools import MAX_TEXT_LENGTH

Key = int | str
"""The id of an entity of a page: a question, an answer or another text."""


@dataclass(frozen=True, eq=False)
class ScannedPage:
    """A page of a data set, its boxes in pixels of the canvas.

    Attributes:
        name: unique in the data set.
        image: the file of the picture.
        canvas: height and width of the canvas that holds the picture, in pixels.
        text_size: the size in pixels of text to be written on it.
        words: the boxes of the words of each entity.
        queries: the label of each answer's field.
        answers: the right answers; the value is ``None`` where a field must stay empty.
        skipped: counts of the reasons why entities labelled as answers are no tasks.
        paper: height and width of the picture on the canvas, in pixels; ``None``: all of it.
        form: what is annotated on it, boxes in pixels of the picture, where it is a form that is filled in.
    """

    name: str
    image: Path
    canvas: tuple[int, int]
    text_size: int
    words: Mapping[Key, tuple[Rect, ...]]
    queries: Mapping[Key, str]
    answers: Mapping[Key, Gold]
    skipped: Mapping[str, int]
    paper: tuple[int, int] | None = None
    form: Sequence[Entity] = ()

    @cached_property
    def fields(self) -> dict[Key, Rect]:
        """The box of each answer."""
        return {key: union(self.words[key]) for key in self.answers}


# -- Boxes ---------------------------------------------------------------------------------------------------------


def has_area(box: Sequence[float]) -> bool:
    """Whether a box (left, top, right, bottom) is not empty."""
    return box[0] < box[2] and box[1] < box[3]


def check_on_page(box: Sequence[float], size: tuple[int, int], what: str) -> None:
    """Check that a box, ``what`` in words, is on a page of ``size`` (height, width) at least in part.

    Raises:
        ValueError: if it is off the page, and so belongs to another picture.
    """
    left, top, right, bottom = box
    if has_area(box) and intersection((left, top, right, bottom), (0, 0, size[1], size[0])) is None:
        raise ValueError(f"{what} lies outside of the page of {size[1]} x {size[0]}")


def on_canvas(box: Sequence[float], scale: tuple[float, float], limits: Rect) -> Rect | None:
    """A box of a picture in whole pixels of the canvas, clipped to the picture's place there; ``None`` if it is empty.

    ``scale`` is that of the picture across and down, ``limits`` its place.
    """
    left, right = int(box[0] * scale[0]), int(np.ceil(box[2] * scale[0]))
    top, bottom = int(box[1] * scale[1]), int(np.ceil(box[3] * scale[1]))
    return intersection((left, top, right, bottom), limits)


def picture_limits(size: tuple[int, int], scale: float) -> Rect:
    """The rectangle of a picture on the canvas."""
    return 0, 0, round(size[1] * scale), round(size[0] * scale)


def reading_order(boxes: Mapping[Key, Rect]) -> list[Key]:
    """The keys of boxes line by line, each from left to right.

    Boxes are on one line if their middles differ by less than half a height.
    """
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


class ScannedWord(BaseModel):
    """A word on a page; ``box`` is left, top, right, bottom in pixels."""

    box: tuple[int, int, int, int]
    text: str


class Entity(BaseModel):
    """A question, answer or other text; ``linking`` pairs ids in either order."""

    model_config = ConfigDict(frozen=True)

    id: int
    text: str
    box: tuple[int, int, int, int]
    label: str
    words: tuple[ScannedWord, ...] = ()
    linking: tuple[tuple[int, int], ...] = ()


@dataclass(frozen=True)
class AnnotatedPage:
    """What a data set holds about a page.

    Attributes:
        name: unique in the data set.
        picture: the name of the file of its picture.
        folders: where that may be.
        form: the entities, boxes in pixels of the picture.
        origin: where the entities come from, for messages.
        size: height and width of the picture as annotated, if they are.
    """

    name: str
    picture: str
    folders: tuple[Path, ...]
    form: Sequence[Entity]
    origin: str
    size: tuple[int, int] | None = None


def scanned_pages(
    data: DataSet, canvas: tuple[int, int], annotated: Iterable[AnnotatedPage], print_size: float = 1.0
) -> dict[str, ScannedPage]:
    """Pages by name; where a picture cannot be read, a warning and an empty page.

    Args:
        data: the data set, for messages.
        canvas: height and width of the canvas; a larger picture is scaled down.
        annotated: the pages as they are annotated.
        print_size: the size of the print as a share of the height of a box.

    Raises:
        ValueError: if two entities of a page share an id, its picture has another size than annotated, or a box lies
            outside of it.
    """
    pages = {}
    for page in annotated:
        try:
            pages[page.name] = _scanned_page(page, data, canvas, print_size)
        except PictureError as error:
            warnings.warn(f"{page.name} is left out: {error}", stacklevel=3)
            pages[page.name] = ScannedPage(page.name, Path(), canvas, 0, {}, {}, {}, {"no picture": 1})
    return pages


def _scanned_page(page: AnnotatedPage, data: DataSet, canvas: tuple[int, int], print_size: float) -> ScannedPage:
    image = data.picture(page.picture, page.folders, page.origin)
    size = data.size(image)
    if (stated := page.size or size) != size:
        sizes = f"{size[1]} x {size[0]}, and annotated as {stated[1]} x {stated[0]}"
        raise data.error(f"{page.origin}: the picture {image} is {sizes}")
    entities = _entities(page, size)
    scale = fit_scale(size, canvas)
    limits = picture_limits(size, scale)
    words: dict[Key, tuple[Rect, ...]] = {i: _word_boxes(entity, scale, limits) for i, entity in entities.items()}
    queries = _queries(entities)
    problems = {i: _problem(e, i in queries, words[i]) for i, e in entities.items() if e.label == "answer"}
    answers: dict[Key, Gold] = {i: Gold("text", one_line(entities[i].text)) for i, why in problems.items() if not why}
    return ScannedPage(
        name=page.name,
        image=image,
        canvas=canvas,
        text_size=_text_size([box for i in answers for box in words[i]], print_size),
        words=words,
        queries=queries,
        answers=answers,
        skipped=Counter(why for why in problems.values() if why is not None),
        paper=(limits[3], limits[2]),
        form=page.form,
    )


def _entities(page: AnnotatedPage, size: tuple[int, int]) -> dict[int, Entity]:
    entities: dict[int, Entity] = {}
    for entity in page.form:
        if entities.setdefault(entity.id, entity) is not entity:
            raise ValueError(f"{page.origin}: two entities have the id {entity.id}")
        for box in (entity.box, *(word.box for word in entity.words)):
            check_on_page(box, size, f"{page.origin}: box {box} of entity {entity.id}")
    return entities


def _queries(entities: Mapping[int, Entity]) -> dict[Key, str]:
    """The texts of the questions linked to each entity, in the order of their ids."""
    linked: dict[int, set[int]] = {}
    for entity in entities.values():
        for one, other in entity.linking:
            linked.setdefault(one, set()).add(other)
            linked.setdefault(other, set()).add(one)
    questions = {i: one_line(entity.text) for i, entity in entities.items() if entity.label == "question"}
    queries = {i: " | ".join(questions[j] for j in sorted(ids) if questions.get(j)) for i, ids in linked.items()}
    return {i: query for i, query in queries.items() if query}


def _problem(entity: Entity, is_query: bool, boxes: Sequence[Rect]) -> str | None:
    """The reason why an answer makes no task, or ``None``."""
    text = one_line(entity.text)
    if not text:
        return "empty text"
    if not boxes:
        return "empty box"
    if not is_query:
        return "no question"
    return unwritable(text)


def unwritable(text: str) -> str | None:
    """The reason why a text cannot be written on a page, or ``None``."""
    if len(text) > MAX_TEXT_LENGTH:
        return "too long"
    return "control character" if any(unicodedata.category(c) in ("Cc", "Cs") for c in text) else None


def _word_boxes(entity: Entity, scale: float, limits: Rect) -> tuple[Rect, ...]:
    """The boxes of an entity's words on the page; its own if it has no words."""
    boxes = [word.box for word in entity.words if has_area(word.box)]
    placed = (on_canvas(box, (scale, scale), limits) for box in boxes or [entity.box])
    return tuple(box for box in placed if box is not None)


def _text_size(boxes: Sequence[Rect], print_size: float) -> int:
    """The size of text to be written: that of a median word."""
    heights = [bottom - top for _, top, _, bottom in boxes]
    return max(9, round(print_size * float(np.median(heights)))) if heights else 12
