"""FormGym/Official: fill in the published FormGym's forms, from your checkout."""

from __future__ import annotations

import warnings
from collections import Counter
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, PositiveInt
from pydantic import Field as Constraint

from ...core.asset_cache import cached
from ...core.data_sets import ROOT_VARIABLE, DataSet
from ...core.files import load
from ...core.pages import fit_scale
from ...core.vector import BatchVectorEnv
from ..paper_form import text_size_for
from ..tools import TOOLS
from .fillers import NamedField, fillers, is_named_as_tick, words_of
from .scanned import ScannedEnv
from .scanned_page import (
    Key,
    ScannedPage,
    check_on_page,
    on_canvas,
    picture_limits,
    readable_page,
    reading_order,
)

CANVAS = (2028, 1236)
"""Height and width of every page. A page of the auto loans is 2026 x 1234 pixels; larger ones are scaled down."""

FORMGYM = DataSet(
    "FormGym",
    ("formgym_official", "FormGym", "formgym"),
    ("annotations",),
    "Clone https://github.com/mtoles/FormGym (Toles et al., 2025), run its preprocess/preprocess.py where pngs/ lacks "
    f"pages, and pass root=, or set {ROOT_VARIABLE}, to the checkout: it holds annotations and pngs",
)

_MAX_TICK_WIDTH = 60
"""In pixels of the canvas; the widest tick box on the auto loans has 28."""
_MAX_SHAPE_DIFFERENCE = 0.01
"""How much a slot's aspect ratio may differ from the picture's."""


class OfficialBox(BaseModel):
    """A box in pixels of the slot."""

    x: float
    y: float
    w: float
    h: float

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """Left, top, right, bottom."""
        return self.x, self.y, self.x + self.w, self.y + self.h


class OfficialMark(BaseModel):
    """An annotated field; without a box it is a tag of the whole page."""

    name: str
    bounding_box: OfficialBox | None = None


class Slot(BaseModel):
    """The picture as annotated; sizes in pixels."""

    width: PositiveInt
    height: PositiveInt


class OfficialItem(BaseModel):
    """The annotated page."""

    slots: Annotated[tuple[Slot, ...], Constraint(min_length=1)]


class OfficialAnnotation(BaseModel):
    """The annotation file of a page."""

    item: OfficialItem
    annotations: tuple[OfficialMark, ...]


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


@cached
def official_pages(folder: Path, domain: str | None, seed: int) -> Mapping[str, ScannedPage]:
    """The annotated pages of a domain by name.

    Args:
        folder: the checkout.
        domain: what their names begin with, up to the first underscore; ``None``: all.
        seed: another number gives other values.

    Raises:
        ValueError: if there are none, or an annotation is broken.
    """
    files = sorted(file for file in (folder / "annotations").glob("*.json") if not file.name.startswith("."))
    if not files:
        raise FORMGYM.error(f"no *.json in {folder / 'annotations'}")
    domains = sorted({file.name.split("_")[0] for file in files})
    if domain is not None and domain not in domains:
        raise ValueError(f"domain {domain!r} is none of {', '.join(domains)} and None: see {folder / 'annotations'}")
    chosen = [file for file in files if domain in (None, file.name.split("_")[0])]
    return {file.stem: readable_page(file.stem, CANVAS, partial(_page, folder, file, seed)) for file in chosen}


def _page(folder: Path, file: Path, seed: int) -> ScannedPage:
    annotation = load(OfficialAnnotation, file)
    image = FORMGYM.picture(f"{file.stem}.png", [folder / "pngs"], str(file))
    size = FORMGYM.size(image)
    limits = picture_limits(size, fit_scale(size, CANVAS))
    fields, skipped = _fields(annotation, size, file)
    answers = fillers(fields, CANVAS[0], f"{file.stem}/{seed}")
    heights: list[float] = [fields[key].height for key, gold in answers.items() if gold.matcher != "checkbox"]
    return ScannedPage(
        name=file.stem,
        image=image,
        canvas=CANVAS,
        text_size=text_size_for(heights),
        words={key: (field.box,) for key, field in fields.items()},
        queries={key: words_of(field.name) for key, field in fields.items()},
        answers=answers,
        skipped=skipped,
        filled=False,
        paper=(limits[3], limits[2]),
    )


def _fields(
    annotation: OfficialAnnotation, size: tuple[int, int], file: Path
) -> tuple[dict[Key, NamedField], Counter[str]]:
    """The named fields of a page in reading order, and counts of those left out.

    Their boxes are in pixels of the canvas.
    """
    slot, fit = annotation.item.slots[0], fit_scale(size, CANVAS)
    across, down = size[1] / slot.width, size[0] / slot.height
    if abs(across / down - 1) > _MAX_SHAPE_DIFFERENCE:
        raise FORMGYM.error(
            f"{file}: the picture is {size[1]} x {size[0]}, annotated as {slot.width} x {slot.height}: another shape"
        )
    found: dict[Key, NamedField] = {}
    skipped = Counter[str]()
    for i, mark in enumerate(annotation.annotations):
        if mark.bounding_box is None:
            skipped["no box"] += 1
            continue
        corners = mark.bounding_box.corners
        check_on_page(corners, (slot.height, slot.width), f"{file}: box {corners} of {mark.name!r}")
        box = on_canvas(corners, (across * fit, down * fit), picture_limits(size, fit))
        if box is None:
            skipped["empty box"] += 1
        elif is_named_as_tick(mark.name) and box[2] - box[0] > _MAX_TICK_WIDTH:
            skipped["wide tick box"] += 1
            warnings.warn(
                f"{file}: {mark.name!r} is named as a box to be ticked and is {box[2] - box[0]} pixels wide, more than "
                f"{_MAX_TICK_WIDTH}: it is left out. Mend its box, or give it a name without an underscore",
                stacklevel=2,
            )
        else:
            found[i] = NamedField(mark.name, box)
    return _named(found), skipped


def _named(fields: Mapping[Key, NamedField]) -> dict[Key, NamedField]:
    """Fields by name in reading order; a second ``Initials`` is ``Initials/2``."""
    numbers = Counter[str]()
    named: dict[Key, NamedField] = {}
    for key in reading_order({key: field.box for key, field in fields.items()}):
        name = fields[key].name
        numbers[name] += 1
        named[name if numbers[name] == 1 else f"{name}/{numbers[name]}"] = fields[key]
    return named


class OfficialEnv(ScannedEnv):
    """Write given values into the named fields of a blank form; see ``ScannedEnv``.

    The values are made up from the names of the fields (see ``fillers``), not those of the published users, so scores
    cannot be compared with published ones.

    Args:
        root: the checkout, with ``annotations`` and ``pngs``; without it, ``formgym_official``, ``FormGym`` or
            ``formgym`` in the folder named by the environment variable FORMGYM_DATA, or that folder itself.
        domain: what names of pages begin with: ``"al"``: the auto loans; ``"cr"``, ``"db"`` and ``"xx"``: see
            ``docs/data.md``; ``None``: all annotated pages.
        answers: ``"all"``: tasks are pages; ``"one"``: tasks are ``page#field``.
        values: another number gives other values.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or an annotation is broken, or there is no such domain. A page whose
            picture is missing or unreadable is left out with a warning, and counted in ``skipped``.
    """

    tools = TOOLS

    def __init__(
        self,
        root: str | None = None,
        domain: str | None = "al",
        answers: str = "all",
        values: int = 0,
        **kwargs: Any,
    ) -> None:
        folder = checkout(root)
        super().__init__(FORMGYM, folder, official_pages(folder, domain, values), answers, **kwargs)


make_batch = partial(BatchVectorEnv, OfficialEnv)
"""``OfficialEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, root=...)``."""
