"""Entities that are linked: how FUNSD and XFUND describe a page, and how other sets can be told in the same way."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from ...core.data_sets import DataSet
from ...core.pages import fit_scale
from ...core.painting import Rect
from ...core.scoring import Gold
from ...core.texts import one_line
from ..tools import MAX_TEXT_LENGTH
from .scanned_data import Key, ScannedPage, check_on_page, has_area, on_canvas, picture_limits


class Word(BaseModel):
    """A word on a page; ``box`` is left, top, right, bottom in pixels."""

    box: tuple[int, int, int, int]
    text: str


class Entity(BaseModel):
    """A question, answer, header or other text; ``linking`` holds pairs of ids, question and answer in either order."""

    model_config = ConfigDict(frozen=True)

    id: int
    text: str
    box: tuple[int, int, int, int]
    label: str
    words: tuple[Word, ...] = ()
    linking: tuple[tuple[int, int], ...] = ()


def entity_page(
    name: str,
    image: Path,
    form: Sequence[Entity],
    canvas: tuple[int, int],
    data: DataSet,
    origin: str,
    stated: tuple[int, int] | None = None,
    print_size: float = 1.0,
) -> ScannedPage:
    """A page from its entities.

    Args:
        name: of the page.
        image: its picture.
        form: the entities, boxes in pixels of the picture.
        canvas: height and width of the canvas; a larger picture is scaled down.
        data: the data set, for messages.
        origin: where the entities come from, for messages.
        stated: height and width of the picture as annotated, if they are.
        print_size: the size of the print as a share of the height of a box.

    Raises:
        ValueError: if two entities share an id, the picture cannot be read or has another size than stated, or a box
            lies outside of it.
    """
    entities = _by_id(form, origin)
    size = data.size(image)
    if stated is not None and stated != size:
        raise data.error(
            f"{origin}: the picture {image} is {size[1]} x {size[0]}, and annotated as {stated[1]} x {stated[0]}"
        )
    _check_boxes(entities.values(), size, origin)
    scale = fit_scale(size, canvas)
    limits = picture_limits(size, scale)
    words: dict[Key, tuple[Rect, ...]] = {i: _word_boxes(entity, scale, limits) for i, entity in entities.items()}
    queries = _queries(entities)
    problems = {i: _problem(e, i in queries, words[i]) for i, e in entities.items() if e.label == "answer"}
    answers: dict[Key, Gold] = {i: Gold("text", one_line(entities[i].text)) for i, why in problems.items() if not why}
    return ScannedPage(
        name=name,
        image=image,
        canvas=canvas,
        text_size=_text_size([box for i in answers for box in words[i]], print_size),
        words=words,
        queries=queries,
        answers=answers,
        skipped=Counter(why for why in problems.values() if why is not None),
    )


def _by_id(form: Sequence[Entity], origin: str) -> dict[int, Entity]:
    entities = {entity.id: entity for entity in form}
    if len(entities) < len(form):
        repeated = next(i for i, n in Counter(entity.id for entity in form).items() if n > 1)
        raise ValueError(f"{origin}: two entities have the id {repeated}")
    return entities


def _check_boxes(entities: Iterable[Entity], size: tuple[int, int], origin: str) -> None:
    for entity in entities:
        for box in (entity.box, *(word.box for word in entity.words)):
            check_on_page(box, size, f"{origin}: box {box} of entity {entity.id}")


def _queries(entities: Mapping[int, Entity]) -> dict[Key, str]:
    """The text of the questions that each entity is linked to, in the order of their ids."""
    linked: dict[int, set[int]] = {}
    for entity in entities.values():
        for one, other in entity.linking:
            linked.setdefault(one, set()).add(other)
            linked.setdefault(other, set()).add(one)
    questions = {i: one_line(entity.text) for i, entity in entities.items() if entity.label == "question"}
    queries = {i: " | ".join(questions[j] for j in sorted(ids) if questions.get(j)) for i, ids in linked.items()}
    return {i: query for i, query in queries.items() if query}


def _problem(entity: Entity, asked: bool, boxes: Sequence[Rect]) -> str | None:
    """Why an answer makes no task."""
    text = one_line(entity.text)
    if not text:
        return "empty text"
    if not boxes:
        return "empty box"
    if not asked:
        return "no question"
    if len(text) > MAX_TEXT_LENGTH:
        return "too long"
    if any(unicodedata.category(c) in ("Cc", "Cs") for c in text):
        return "control character"
    return None


def _word_boxes(entity: Entity, scale: float, limits: Rect) -> tuple[Rect, ...]:
    """The boxes of its words that lie on the page, of unreadable ones too; its own box if there are none."""
    boxes = [word.box for word in entity.words if has_area(word.box)]
    shown = (on_canvas(box, (scale, scale), limits) for box in boxes or [entity.box])
    return tuple(box for box in shown if box is not None)


def _text_size(boxes: Sequence[Rect], print_size: float) -> int:
    """The size of what is written: that of a usual word, as what stands on the page."""
    heights = [bottom - top for _, top, _, bottom in boxes]
    return max(9, round(print_size * float(np.median(heights)))) if heights else 12
