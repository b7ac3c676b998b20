"""Reading FUNSD: where the user's own copy is, and the pages and answers in it."""

from __future__ import annotations

import os
import unicodedata
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import numpy as np
from pydantic import BaseModel, ConfigDict

from ..core.files import load
from ..core.pages import fit_scale, picture_size
from ..core.painting import Rect, intersection
from ..core.texts import one_line
from .tools import MAX_TEXT_LENGTH

CANVAS = (1008, 876)
"""Height and width of every page. FUNSD's are 1,000 pixels high and at most 863 wide; larger ones are scaled down."""

FOLDERS = {"train": "training_data", "test": "testing_data"}
ROOT_VARIABLE = "FORMGYM_DATA"

HOW = (
    "FUNSD (Jaume et al., 2019) is free for non-commercial research: unpack dataset.zip from "
    f"https://guillaumejaume.github.io/FUNSD and pass root=, or set {ROOT_VARIABLE}, to the folder that holds "
    "training_data and testing_data"
)


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


class Annotation(BaseModel):
    """The file that goes with a page."""

    form: tuple[Entity, ...]


@dataclass(frozen=True)
class FunsdPage:
    """A page of the data set, its boxes in pixels of the canvas.

    Attributes:
        image: the file of the picture.
        text_size: the size of what is written on it.
        words: the boxes of the words of each entity, by its id.
        queries: the text of the questions that each answer belongs to, by the answer's id.
        answers: the text of the answers, by id.
        skipped: why entities that are labelled as answers are no tasks, and how many.
    """

    image: Path
    text_size: int
    words: Mapping[int, tuple[Rect, ...]]
    queries: Mapping[int, str]
    answers: Mapping[int, str]
    skipped: Mapping[str, int]


# -- Where the data are --------------------------------------------------------------------------------------------


def data_folder(root: str | None, split: str | None) -> Path:
    """The folder with the ``images`` and ``annotations`` of a split; for the arguments see ``FunsdEnv``.

    Raises:
        ValueError: if it is not there, or there is no such split.
    """
    if split is not None and split not in FOLDERS:
        raise ValueError(f"split {split!r} is none of {', '.join(map(repr, FOLDERS))} and None")
    base = _base(root)
    if split is None:
        split = "test" if (base / FOLDERS["test"]).is_dir() else "train"
        if split == "train":
            warnings.warn(
                f"{base} has no {FOLDERS['test']}: the tasks are from {FOLDERS['train']}, and figures on them do not "
                'compare with published ones. Pass split="train" if that is meant.',
                stacklevel=3,
            )
    folder = base / FOLDERS[split]
    for part in (folder, folder / "images", folder / "annotations"):
        if not part.is_dir():
            raise ValueError(f"no folder {part}, looked for the {split} split of FUNSD. {HOW}")
    return folder.resolve()


def _base(root: str | None) -> Path:
    """The folder that holds the splits."""
    if root is not None:
        candidates = [Path(root)]
    elif os.environ.get(ROOT_VARIABLE):
        data = Path(os.environ[ROOT_VARIABLE])
        candidates = [data / "funsd", data / "FUNSD", data / "dataset", data]
    else:
        raise ValueError(f"no folder with FUNSD was named: root= was not passed and {ROOT_VARIABLE} is not set. {HOW}")
    for candidate in candidates:
        if any((candidate / folder).is_dir() for folder in FOLDERS.values()):
            return candidate
    looked = ", ".join(map(str, candidates))
    raise ValueError(f"neither {' nor '.join(FOLDERS.values())} in {looked}. {HOW}")


# -- Reading the data ----------------------------------------------------------------------------------------------


@lru_cache(maxsize=8)
def funsd_pages(folder: Path) -> Mapping[str, FunsdPage]:
    """The pages of a split by name.

    Raises:
        ValueError: if there are none, a picture or an annotation lacks its other half, or one is broken.
    """
    images, annotations = _files(folder / "images", ".png"), _files(folder / "annotations", ".json")
    for name in sorted(images.keys() ^ annotations.keys()):
        there, missing = (images, "annotations") if name in images else (annotations, "images")
        raise ValueError(f"{there[name]} has no {name} beside it in {folder / missing}; the copy is incomplete. {HOW}")
    if not images:
        raise ValueError(f"no *.png in {folder / 'images'}. {HOW}")
    return {name: _page(images[name], annotations[name]) for name in images}


def _files(folder: Path, suffix: str) -> dict[str, Path]:
    # Names with a dot in front are what macOS leaves behind when it unpacks.
    return {path.stem: path for path in sorted(folder.glob(f"*{suffix}")) if not path.name.startswith(".")}


def _page(image: Path, annotation: Path) -> FunsdPage:
    entities = _entities(annotation)
    size = _size(image)
    scale = fit_scale(size, CANVAS)
    _check_boxes(entities.values(), size, annotation)
    limits = (0, 0, round(size[1] * scale), round(size[0] * scale))
    words = {i: _word_boxes(entity, scale, limits) for i, entity in entities.items()}
    queries = _queries(entities)
    problems = {i: _problem(e, i in queries, words[i]) for i, e in entities.items() if e.label == "answer"}
    answers = {i: one_line(entities[i].text) for i, problem in problems.items() if problem is None}
    return FunsdPage(
        image=image,
        text_size=_text_size([box for i in answers for box in words[i]]),
        words=words,
        queries=queries,
        answers=answers,
        skipped=Counter(problem for problem in problems.values() if problem is not None),
    )


def _entities(annotation: Path) -> dict[int, Entity]:
    form = load(Annotation, annotation).form
    entities = {entity.id: entity for entity in form}
    if len(entities) < len(form):
        repeated = next(i for i, n in Counter(entity.id for entity in form).items() if n > 1)
        raise ValueError(f"{annotation}: two entities have the id {repeated}")
    return entities


def _check_boxes(entities: Iterable[Entity], size: tuple[int, int], annotation: Path) -> None:
    # A box that sticks out a little is clipped; one that is elsewhere belongs to another picture.
    for entity in entities:
        for box in (entity.box, *(word.box for word in entity.words)):
            if _has_area(box) and intersection(box, (0, 0, size[1], size[0])) is None:
                raise ValueError(
                    f"{annotation}: box {box} of entity {entity.id} lies outside of the page of {size[1]} x {size[0]}"
                )


def _size(image: Path) -> tuple[int, int]:
    try:
        return picture_size(image)
    except OSError as error:
        raise ValueError(f"{image} is no picture that can be read: {error}. {HOW}") from error


def _queries(entities: Mapping[int, Entity]) -> dict[int, str]:
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
    boxes = [word.box for word in entity.words if _has_area(word.box)]
    shown = (intersection(_scaled(box, scale), limits) for box in boxes or [entity.box])
    return tuple(box for box in shown if box is not None)


def _scaled(box: Rect, scale: float) -> Rect:
    left, top, right, bottom = box
    return int(left * scale), int(top * scale), int(np.ceil(right * scale)), int(np.ceil(bottom * scale))


def _has_area(box: Rect) -> bool:
    return box[0] < box[2] and box[1] < box[3]


def _text_size(boxes: Sequence[Rect]) -> int:
    """The size of what is written: the height of a usual word, as what stands on the page."""
    heights = [bottom - top for _, top, _, bottom in boxes]
    return max(9, round(float(np.median(heights)))) if heights else 12
