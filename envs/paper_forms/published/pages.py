"""The annotated pages of a checkout of the published FormGym: pictures, and the names and boxes of their fields."""

from __future__ import annotations

import re
import warnings
from collections import Counter
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, PositiveInt
from pydantic import Field as Constraint

from ...core.asset_cache import cached
from ...core.boxes import Box, Rect
from ...core.data_sets import FORMGYM_FOLDERS, ROOT_VARIABLE, DataSet, PictureError
from ...core.files import load
from ...core.pages import fit_scale
from ...core.scoring import Gold
from ..datasets.funsd import CANVAS as FUNSD_CANVAS
from ..datasets.funsd import FOLDERS, FUNSD
from ..datasets.scanned_page import Key, ScannedPage, check_on_page, on_canvas, picture_limits, reading_order
from ..paper_form import text_size_for

CANVAS = (2028, 1236)
"""Height and width of every form. A page of the auto loans is 2026 x 1234 pixels; larger ones are scaled down."""
FUNSD_DOMAIN = "funsd_test"
"""The pages of FUNSD, in a folder of their own; their pictures may be in the user's copy of FUNSD."""

FORMGYM = DataSet(
    "FormGym",
    FORMGYM_FOLDERS,
    ("annotations",),
    "Clone https://github.com/mtoles/FormGym (Toles et al., 2025), run its preprocess/preprocess.py where pngs/ lacks "
    f"pages, and pass root=, or set {ROOT_VARIABLE}, to the checkout: it holds annotations, pngs, fields.py and "
    "user_features.py",
)

_MAX_SHAPE_DIFFERENCE = 0.01
"""How much a slot's aspect ratio may differ from the picture's."""
_MIN_TEXT_HEIGHT = 0.022
"""Square fields lower than this share of the page's height are boxes to be ticked."""


class PublishedBox(BaseModel):
    """A box in pixels of the slot."""

    x: float
    y: float
    w: float
    h: float

    @property
    def corners(self) -> Box:
        """Left, top, right, bottom."""
        return self.x, self.y, self.x + self.w, self.y + self.h


class Property(BaseModel):
    """A text that belongs to a field."""

    value: str


class PublishedMark(BaseModel):
    """An annotated field, named by its class; without a box it is a tag of the whole page."""

    name: str
    bounding_box: PublishedBox | None = None
    properties: tuple[Property, ...] = ()


class Slot(BaseModel):
    """The picture as annotated; sizes in pixels."""

    width: PositiveInt
    height: PositiveInt


class PublishedItem(BaseModel):
    """The annotated page."""

    slots: Annotated[tuple[Slot, ...], Constraint(min_length=1)]


class PublishedAnnotation(BaseModel):
    """The annotation file of a page."""

    item: PublishedItem
    annotations: tuple[PublishedMark, ...]

    def boxes(self) -> dict[int, Box]:
        """The boxes of those that have one, by index: left, top, right and bottom in pixels of the slot."""
        return {i: mark.bounding_box.corners for i, mark in enumerate(self.annotations) if mark.bounding_box}


@dataclass(frozen=True, eq=False)
class PublishedPage(ScannedPage):
    """A page with named fields, whose answers are not known here; keys are names, ``Initials`` and ``Initials/2``.

    Attributes:
        marks: the annotated fields.
        boxes: theirs as fractions of the page.
    """

    marks: Mapping[Key, PublishedMark] = field(default_factory=dict)
    boxes: Mapping[Key, Box] = field(default_factory=dict)


def checkout(root: str | None) -> Path:
    """The folder with ``annotations`` and ``pngs``; see ``OfficialEnv``.

    Raises:
        ValueError: if it is not there.
    """
    folder = FORMGYM.root(root)
    for part in ("annotations", "pngs"):
        if not (folder / part).is_dir():
            raise FORMGYM.error(f"no folder {folder / part}")
    return folder.resolve()


def page_files(folder: Path, domain: str) -> list[Path]:
    """The annotations of the pages of a domain, in the order of their numbers.

    Args:
        folder: the checkout.
        domain: what their names begin with, up to the first underscore, or ``FUNSD_DOMAIN``.

    Raises:
        ValueError: if there are none.
    """
    annotations = folder / "annotations"
    found = (annotations / domain if domain == FUNSD_DOMAIN else annotations).glob("*.json")
    files = [file for file in found if not file.name.startswith(".")]
    chosen = [file for file in files if domain in (FUNSD_DOMAIN, file.name.split("_")[0])]
    if not chosen:
        domains = ", ".join(sorted({file.name.split("_")[0] for file in files})) or "none"
        raise FORMGYM.error(f"no page of the domain {domain!r} in {annotations}; there are {domains}")
    return sorted(chosen, key=lambda file: [int(part) if part.isdigit() else part for part in file.stem.split("_")])


@cached
def published_page(folder: Path, file: Path) -> PublishedPage | None:
    """A page; ``None``, with a warning, if its picture is missing or cannot be read.

    Args:
        folder: the checkout.
        file: the annotation.

    Raises:
        ValueError: if the annotation is broken.
    """
    try:
        return _page(folder, file)
    except PictureError as error:
        warnings.warn(f"{file.stem} is left out: {error}", stacklevel=2)
        return None


def _page(folder: Path, file: Path) -> PublishedPage:
    annotation, is_funsd = load(PublishedAnnotation, file), file.parent.name == FUNSD_DOMAIN
    data, canvas = (FUNSD, FUNSD_CANVAS) if is_funsd else (FORMGYM, CANVAS)
    image = data.picture(
        f"{file.stem}.png", [folder / "pngs", *(_funsd_folders(folder) if is_funsd else ())], str(file)
    )
    size, slot = data.size(image), annotation.item.slots[0]
    fit = fit_scale(size, canvas)
    across, down = size[1] / slot.width, size[0] / slot.height
    if abs(across / down - 1) > _MAX_SHAPE_DIFFERENCE:
        stated = f"the picture is {size[1]} x {size[0]}, annotated as {slot.width} x {slot.height}: another shape"
        raise FORMGYM.error(f"{file}: {stated}")
    limits, corners = picture_limits(size, fit), annotation.boxes()
    for i, box in corners.items():
        name = annotation.annotations[i].name
        check_on_page(box, (slot.height, slot.width), f"{file}: box {box} of {name!r}")
    placed = {i: on_canvas(box, (across * fit, down * fit), limits) for i, box in corners.items()}
    boxes: dict[Key, Rect] = {i: box for i, box in placed.items() if box is not None}
    keys = _named(annotation, boxes)
    ticks = {key: _is_tick(annotation.annotations[i].name, boxes[i], canvas[0]) for key, i in keys.items()}
    heights: list[float] = [boxes[i][3] - boxes[i][1] for key, i in keys.items() if not ticks[key]]
    return PublishedPage(
        name=file.stem,
        image=image,
        canvas=canvas,
        text_size=text_size_for(heights),
        words={key: (boxes[i],) for key, i in keys.items()},
        queries={key: words_of(annotation.annotations[i].name) for key, i in keys.items()},
        answers={key: Gold("checkbox" if ticks[key] else "text", None) for key in keys},
        skipped={"no box": len(annotation.annotations) - len(corners), "empty box": len(corners) - len(boxes)},
        paper=(limits[3], limits[2]),
        marks={key: annotation.annotations[i] for key, i in keys.items()},
        boxes={key: _fractions(corners[i], slot) for key, i in keys.items()},
    )


def _named(annotation: PublishedAnnotation, boxes: Mapping[Key, Rect]) -> dict[Key, int]:
    """The indices of fields by name in reading order; a second ``Initials`` is ``Initials/2``."""
    numbers = Counter[str]()
    named: dict[Key, int] = {}
    for i in map(int, reading_order(boxes)):
        name = annotation.annotations[i].name
        numbers[name] += 1
        named[name if numbers[name] == 1 else f"{name}/{numbers[name]}"] = i
    return named


def _fractions(box: Box, slot: Slot) -> Box:
    """A box as fractions of the page, as far as it is on it."""
    left, top, right, bottom = box
    return (
        max(left / slot.width, 0),
        max(top / slot.height, 0),
        min(right / slot.width, 1),
        min(bottom / slot.height, 1),
    )


def words_of(name: str) -> str:
    """A field's name in words: ``JointFirstName`` becomes ``Joint First Name``."""
    return " ".join(re.sub(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|_", " ", name).split()) or name


def _is_tick(name: str, box: Rect, height: int) -> bool:
    """Whether a field looks like a box to be ticked: by its name, ``ResidenceStatus_Own``, or small and square."""
    across, down = box[2] - box[0], box[3] - box[1]
    is_square = 0.6 < across / down < 1.7 and down < _MIN_TEXT_HEIGHT * height
    return is_square or re.search(r"[a-z]_[A-Za-z0-9]+$", name) is not None


def _funsd_folders(folder: Path) -> list[Path]:
    """Where the pictures of FUNSD's test split may be: in the checkout, beside it, or in FORMGYM_DATA."""
    copies = [folder.parent / name for name in FUNSD.folders]
    with suppress(ValueError):
        copies.append(FUNSD.root(None))
    within = [folder / "pngs" / FUNSD_DOMAIN, folder / "annotations" / FUNSD_DOMAIN]
    return [*within, *(copy / FOLDERS["test"] / "images" for copy in copies)]
