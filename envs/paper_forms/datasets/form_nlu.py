"""FormGym/FormNLU: put answers back on notices from the user's copy of Form-NLU."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ...core.asset_cache import cached
from ...core.data_sets import FORMGYM_FOLDERS, ROOT_VARIABLE, DataSet
from ...core.files import load
from .scanned import ScannedEnv
from .scanned_page import AnnotatedPage, Entity, ScannedPage, scanned_pages

CANVAS = (846, 612)
"""Height and width of every page. Form-NLU's are A4 or letter at 72 dpi; larger ones are scaled down."""

SPLITS = {
    "val": ("val.json",),
    "train": ("train.json",),
    "test": ("test.json", "test_digital.json", "digital.json"),
    "printed": ("printed.json", "test_printed.json"),
    "handwritten": ("handwritten.json", "test_handwritten.json"),
}
"""The possible file names of each split."""

FORM_NLU = DataSet(
    "Form-NLU",
    ("form_nlu", "form-nlu", "FormNLU", "Form-NLU", *FORMGYM_FOLDERS),
    tuple(name for names in SPLITS.values() for name in names),
    "Form-NLU (Ding et al., 2023) is to be had from its authors, https://github.com/adlnlp/form_nlu: put its COCO "
    "files train.json, val.json, ... beside a folder images with the pictures, and pass root=, or set "
    f"{ROOT_VARIABLE}, to the folder that holds them",
    # Its folder in a checkout of the published FormGym.
    inside=("annotations/form-nlu",),
)

_LABELS = {"_key": "question", "_value": "answer"}
"""The labels of entities, by how the names of their categories end."""
_PRINT_SIZE = 0.8
"""Its boxes are as high as lines, not as letters."""


class Thing(BaseModel):
    """An element of a page; ``bbox`` is left, top, width, height in pixels."""

    id: int
    image_id: int
    category_id: int
    bbox: tuple[float, float, float, float]
    text: str | None = None
    relation: int | None = None


class FormNluPicture(BaseModel):
    """The picture of a page; sizes in pixels."""

    id: int
    file_name: str
    width: int
    height: int


class Category(BaseModel):
    """A class: ``Form_key``, ``Form_value``, ``Table_key``, ``Table_value``, or other."""

    id: int
    name: str


class FormNluAnnotation(BaseModel):
    """The file of a split."""

    images: tuple[FormNluPicture, ...]
    annotations: tuple[Thing, ...]
    categories: tuple[Category, ...]


def annotation_file(root: str | None, split: str) -> Path:
    """The file of a split; for the arguments see ``FormNluEnv``.

    Raises:
        ValueError: if it is missing, or there is no such split.
    """
    if split not in SPLITS:
        raise ValueError(f"split {split!r} is none of {', '.join(map(repr, SPLITS))}")
    folder = FORM_NLU.root(root)
    for name in SPLITS[split]:
        if (folder / name).is_file():
            return folder.resolve() / name
    raise FORM_NLU.error(f"{split} split of Form-NLU: no {' nor '.join(SPLITS[split])} in {folder}")


@cached
def form_nlu_pages(file: Path) -> Mapping[str, ScannedPage]:
    """The pages of a file by name.

    Raises:
        ValueError: if there are none, or something is broken.
    """
    annotation = load(FormNluAnnotation, file)
    labels = _labels(annotation, file)
    things = _by_image(annotation, labels, file)
    annotated = (_annotated(picture, things[picture.id], labels, file) for picture in annotation.images)
    pages = scanned_pages(FORM_NLU, CANVAS, annotated, _PRINT_SIZE)
    unlinked = any("no question" in page.skipped for page in pages.values())
    if unlinked and not any(page.answers for page in pages.values()):
        raise FORM_NLU.error(f"{file}: no relation of a value leads to a key of its page, by id or by rank")
    return pages


def _by_image(annotation: FormNluAnnotation, labels: Mapping[int, str], file: Path) -> Mapping[int, list[Thing]]:
    """The elements of each image, by its id."""
    if not annotation.images:
        raise FORM_NLU.error(f"no images in {file}")
    things: dict[int, list[Thing]] = {picture.id: [] for picture in annotation.images}
    names = {_name(picture) for picture in annotation.images}
    if not len(things) == len(names) == len(annotation.images):
        raise ValueError(f"{file}: two images share an id or a name")
    for thing in annotation.annotations:
        for what, i, known in (("category", thing.category_id, labels), ("image", thing.image_id, things)):
            if i not in known:
                raise ValueError(f"{file}: annotation {thing.id} names the {what} {i}, which there is not")
        things[thing.image_id].append(thing)
    return things


def _name(picture: FormNluPicture) -> str:
    return Path(picture.file_name).stem


def _labels(annotation: FormNluAnnotation, file: Path) -> dict[int, str]:
    """The labels of entities, by the ids of their categories."""
    labels = dict.fromkeys((category.id for category in annotation.categories), "other")
    for end, label in _LABELS.items():
        ids = [category.id for category in annotation.categories if category.name.casefold().endswith(end)]
        if not ids:
            names = ", ".join(category.name for category in annotation.categories)
            raise FORM_NLU.error(f"{file}: no category ends in {end}; there are {names or 'none'}")
        labels |= dict.fromkeys(ids, label)
    return labels


def _annotated(
    picture: FormNluPicture, things: Sequence[Thing], labels: Mapping[int, str], file: Path
) -> AnnotatedPage:
    beside = file.parent
    folders = (beside / "images", beside / f"{file.stem}_images", beside / file.stem, beside)
    keys, values = ([t for t in things if labels[t.category_id] == label] for label in _LABELS.values())
    key_of = linked(keys, values)
    form = [
        Entity(
            id=thing.id,
            text=thing.text or "",
            box=_corners(thing.bbox),
            label=labels[thing.category_id],
            linking=((key_of[thing.id], thing.id),) if thing.id in key_of else (),
        )
        for thing in things
    ]
    origin, size = f"{file}, image {picture.file_name}", (picture.height, picture.width)
    return AnnotatedPage(_name(picture), picture.file_name, folders, form, origin, size)


def linked(keys: Sequence[Thing], values: Sequence[Thing]) -> dict[int, int]:
    """The id of each value's key, by the id of the value.

    Relations that are ids of keys on the page are taken as they are. Otherwise keys and values are paired by the rank
    of their relations, if both directions agree; if they do not, there are no pairs.
    """
    forth = {value.id: value.relation for value in values if value.relation is not None}
    back = {key.id: key.relation for key in keys if key.relation is not None}
    if set(forth.values()) <= {key.id for key in keys}:
        return forth
    if not len(set(forth.values())) == len(forth) == len(back) == len(set(back.values())):
        return {}
    by_rank = dict(zip(sorted(forth, key=forth.__getitem__), sorted(back), strict=True))
    again = dict(zip(sorted(back, key=back.__getitem__), sorted(forth), strict=True))
    return by_rank if all(again[key] == value for value, key in by_rank.items()) else {}


def _corners(bbox: tuple[float, float, float, float]) -> tuple[int, int, int, int]:
    left, top, width, height = bbox
    return math.floor(left), math.floor(top), math.ceil(left + width), math.ceil(top + height)


class FormNluEnv(ScannedEnv):
    """Write given values into the emptied fields of a notice; see ``ScannedEnv``.

    Args:
        root: the folder with ``val.json`` and its like, and the pictures in a folder ``images`` or beside the JSON;
            without it, ``form_nlu``, ``form-nlu``, ``FormNLU`` or ``Form-NLU`` in the folder named by the environment
            variable FORMGYM_DATA, or that folder itself. In a checkout of the published FormGym, in either place,
            ``annotations/form-nlu`` is found as well.
        split: ``"val"``, which FormGym evaluates on, ``"train"``, or one of the test sets ``"test"`` (digital),
            ``"printed"`` and ``"handwritten"``.
        answers: ``"one"``: tasks are ``page#annotation``; ``"all"``: tasks are pages.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or are broken, or there is no such split.
    """

    def __init__(self, root: str | None = None, split: str = "val", answers: str = "one", **kwargs: Any) -> None:
        file = annotation_file(root, split)
        super().__init__(FORM_NLU, file.parent, form_nlu_pages(file), answers, **kwargs)
