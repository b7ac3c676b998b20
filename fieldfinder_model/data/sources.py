"""Read the annotated pages of the user's data sets: FUNSD, XFUND and Form-NLU."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from ...envs.core.boxes import Rect, union
from ...envs.core.data_sets import DataSet
from ...envs.core.pages import fit_scale
from ...envs.core.texts import one_line
from ...envs.paper_forms.datasets import form_nlu, funsd, xfund
from ...envs.paper_forms.datasets.scanned_page import Entity, ScannedPage, has_area, on_canvas, picture_limits
from ...envs.paper_forms.examples import Word

_RANKS = {"answer": 0, "question": 1, "header": 2}
"""Which of two linked parts is above the other: the one of the higher rank, or the first if they are of one rank."""


@dataclass(frozen=True, eq=False)
class AnswerPart:
    """An annotated question, answer, header or other text of a page.

    Attributes:
        id: unique on the page.
        label: ``"question"``, ``"answer"``, ``"header"`` or another word.
        text: in one line.
        words: as annotated, or else made of the text in equal steps.
        boxes: of all its words, of unreadable ones too; its own box if there are none. In pixels.
        parents: the ids of the questions and headers that it is linked to from below, sorted.
    """

    id: int
    label: str
    text: str
    words: tuple[Word, ...]
    boxes: tuple[Rect, ...]
    parents: tuple[int, ...]

    @cached_property
    def box(self) -> Rect:
        """The envelope of its words."""
        return union(self.boxes)


@dataclass(frozen=True, eq=False)
class PageSource:
    """An annotated page.

    Boxes are in pixels of the picture, scaled down if it is larger than ``canvas``.

    Attributes:
        name: unique in its data set.
        image: the file of the picture.
        canvas: height and width that the picture is fitted into.
        size: height and width of the fitted picture.
        parts: what is annotated on it and has a place, by id.
    """

    name: str
    image: Path
    canvas: tuple[int, int]
    size: tuple[int, int]
    parts: dict[int, AnswerPart]

    @cached_property
    def content(self) -> str:
        """A hash of the picture and its annotations."""
        parts = [(p.id, p.label, p.text, p.words, p.boxes, p.parents) for p in self.parts.values()]
        digest = hashlib.sha256(self.image.read_bytes())
        digest.update(repr((self.name, self.size, parts)).encode())
        return digest.hexdigest()

    @property
    def answers(self) -> list[AnswerPart]:
        """The parts that are answers, with a text or without."""
        return [part for part in self.parts.values() if part.label == "answer"]


def sources(name: str, root: str | None = None, split: str | None = None) -> Iterator[PageSource]:
    """The annotated pages of a data set, in the order of their names or files.

    Args:
        name: ``"funsd"``, ``"form_nlu"``, ``"xfund"``, or ``"xfund/LANGUAGE"`` such as ``"xfund/de"``.
        root: the folder that the data set lies in; ``None``: below FORMGYM_DATA.
        split: of the data set; ``None``: ``"train"``.

    Raises:
        ValueError: if there is no such data set or split, it is not there, or something in it is broken.
    """
    kind, _, language = name.partition("/")
    if kind not in _READERS or (language and kind != "xfund"):
        raise ValueError(f"no annotated data set {name!r}; there are {', '.join(_READERS)}, and xfund/LANGUAGE")
    data, read = _READERS[kind]
    return (_source(page, data) for page in read(root, split or "train", language or None).values() if page.form)


# -- The data sets ---------------------------------------------------------------------------------------------------


_Reader = Callable[[str | None, str, str | None], Mapping[str, ScannedPage]]
_READERS: dict[str, tuple[DataSet, _Reader]] = {
    "funsd": (funsd.FUNSD, lambda root, split, _: funsd.funsd_pages(funsd.data_folder(root, split))),
    "xfund": (
        xfund.XFUND,
        lambda root, split, language: xfund.xfund_pages(xfund.annotation_files(root, language, split)),
    ),
    "form_nlu": (
        form_nlu.FORM_NLU,
        lambda root, split, _: form_nlu.form_nlu_pages(form_nlu.annotation_file(root, split)),
    ),
}


# -- The parts of a page ---------------------------------------------------------------------------------------------


def _source(page: ScannedPage, data: DataSet) -> PageSource:
    size = data.size(page.image)
    scale = fit_scale(size, page.canvas)
    limits = picture_limits(size, scale)
    parents = _parents(page.form)
    parts = (_part(entity, parents[entity.id], scale, limits) for entity in page.form)
    placed = {part.id: part for part in parts if part is not None}
    return PageSource(page.name, page.image, page.canvas, (limits[3], limits[2]), placed)


def _part(entity: Entity, parents: tuple[int, ...], scale: float, limits: Rect) -> AnswerPart | None:
    """An entity on the canvas; ``None`` if it has no place there."""
    own = [(one_line(word.text), word.box) for word in entity.words if has_area(word.box)]
    placed = [(text, on_canvas(box, (scale, scale), limits)) for text, box in own or _evenly_spaced_words(entity)]
    words = tuple(Word(text, box) for text, box in placed if box is not None and text)
    placed_boxes = [on_canvas(box, (scale, scale), limits) for box in [box for _, box in own] or [entity.box]]
    boxes = tuple(box for box in placed_boxes if box is not None)
    return AnswerPart(entity.id, entity.label, one_line(entity.text), words, boxes, parents) if boxes else None


def _evenly_spaced_words(entity: Entity) -> list[tuple[str, tuple[float, float, float, float]]]:
    """The words of a text without annotated words, as if all letters had one width."""
    lines = [" ".join(line.split()) for line in entity.text.splitlines() if line.strip()]
    if not lines:
        return []
    left, top, right, bottom = entity.box
    step, height = (right - left) / max(map(len, lines)), (bottom - top) / len(lines)
    words = []
    for row, line in enumerate(lines):
        at = 0
        for word in line.split(" "):
            x, y = left + at * step, top + row * height
            words.append((word, (x, y, x + len(word) * step, y + height)))
            at += len(word) + 1
    return words


def _parents(form: Sequence[Entity]) -> dict[int, tuple[int, ...]]:
    """The questions and headers right above each entity, by its id."""
    labels = {entity.id: entity.label for entity in form}
    above: dict[int, set[int]] = {entity.id: set() for entity in form}
    for one, other in (link for entity in form for link in entity.linking):
        ranks = _RANKS.get(labels.get(one, "")), _RANKS.get(labels.get(other, ""))
        if one == other or ranks[0] is None or ranks[1] is None or ranks == (0, 0):
            continue
        upper, lower = (one, other) if ranks[0] >= ranks[1] else (other, one)
        above[lower].add(upper)
    return {i: tuple(sorted(ids)) for i, ids in above.items()}
