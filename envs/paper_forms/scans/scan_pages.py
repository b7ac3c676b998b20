"""Make scanned pages like FUNSD's: type on a clean form and degrade it."""

from __future__ import annotations

from collections.abc import Container, Mapping
from pathlib import Path
from typing import Annotated

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw
from pydantic import BaseModel, ConfigDict, Field

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.boxes import Box
from ...core.files import load
from ...core.painting import Image
from ...core.templates import fill
from ...core.text_sprites import TYPED_FACE, font
from ..paper_form import FormField, PaperForm
from .degradation import Degradation, Gray
from .facts import kind_of

SCANS = ROOT / "scans"
SIZE = (1056, 816)
"""Height and width of every scan in pixels."""
FILLING = "filling.json"
_TEXT_GRAY = 20
"""The gray level of typed text."""
_WEIGHT = 550
_JITTER = 1.5


class Filling(BaseModel):
    """The typed text of a scan of the test split, and its empty field.

    Attributes:
        facts: the texts by fact.
        target: the name of the empty field.
        seed: of the degradation.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    facts: dict[str, Annotated[str, Field(min_length=1)]]
    target: str
    seed: Annotated[int, Field(ge=0)]


def scan_names(split: str) -> tuple[str, ...]:
    """The shipped pages of a split, sorted."""
    return tuple(sorted(path.parent.name for path in (SCANS / split).glob("*/form.html")))


@cached
def filling(folder: Path) -> Filling:
    """The filling of a page of the test split.

    Raises:
        ValueError: if it is missing or broken.
    """
    return load(Filling, folder / FILLING)


@cached
def clean_page(folder: Path) -> Gray:
    """A page of the train split as it was captured, empty and without noise."""
    with PillowImage.open(folder / "page.png") as picture:
        return np.asarray(picture.convert("L"))


def target_field(form: PaperForm, name: str) -> FormField:
    """The empty field that the task is about.

    Raises:
        ValueError: if the form has none of that name, or it is a tick box.
    """
    found = next((field for field in form.fields if field.name == name), None)
    if found is None or found.value is None:
        raise ValueError(f"{form.title}: the target {name!r} is no field with a value")
    return found


def check_scan(form: PaperForm) -> None:
    """Check that a form can be scanned.

    Raises:
        ValueError: if it has another size, or a fact of no kind.
    """
    if form.size != SIZE:
        raise ValueError(
            f"{form.title}: scans are {SIZE[1]} x {SIZE[0]} pixels, this one is {form.width} x {form.height}"
        )
    for field in form.fields:
        for fact in field.facts:
            kind_of(fact)


def scanned(clean: Gray, form: PaperForm, facts: Mapping[str, str], empty: Container[str], seed: int) -> Image:
    """A clean page with text typed in, degraded.

    Args:
        clean: the page as captured.
        form: its fields.
        facts: the texts to type, by fact.
        empty: the names of the empty fields.
        seed: of typing and degradation.

    Returns:
        uint8 (height, width, 3), all channels alike, read-only.
    """
    rng = np.random.default_rng(seed)
    degradation = Degradation.drawn(rng)
    gray = degradation.applied(_typed(clean, form, facts, empty, rng))
    page: Image = np.repeat(gray[:, :, None], 3, axis=2)
    page.flags.writeable = False
    return page


def moved_box(form: PaperForm, field: FormField, seed: int) -> Box:
    """The box of a field on the page that ``scanned`` makes with ``seed``."""
    return Degradation.drawn(np.random.default_rng(seed)).moved(field.box, form.size)


def _typed(
    clean: Gray, form: PaperForm, facts: Mapping[str, str], empty: Container[str], rng: np.random.Generator
) -> Gray:
    """The page with all fields but some filled in."""
    picture = PillowImage.fromarray(clean)
    draw = ImageDraw.Draw(picture)
    for field in form.fields:
        written = typed_text(field, facts)
        if written is not None and field.name not in empty:
            _type(draw, field, written, form.face, rng.normal(0, _JITTER, 2))
    return np.asarray(picture)


def typed_text(field: FormField, facts: Mapping[str, str]) -> str | None:
    """The text to type into a field; ``None`` if there is none."""
    if field.matcher == "checkbox":
        return "X" if field.when is not None else None
    return fill(field.value, facts) if field.value is not None else None


def _type(
    draw: ImageDraw.ImageDraw,
    field: FormField,
    text: str,
    face: str,
    jitter: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> None:
    left, top, right, bottom = field.box
    size = _fitting(text, face, right - left - 6, bottom - top)
    y = (top + bottom) / 2 + jitter[1]
    if field.matcher == "checkbox":
        draw.text(((left + right) / 2, y), text, fill=_TEXT_GRAY, font=font(TYPED_FACE, size, _WEIGHT), anchor="mm")
    else:
        draw.text((left + 3 + abs(jitter[0]), y), text, fill=_TEXT_GRAY, font=font(face, size, _WEIGHT), anchor="lm")


def _fitting(text: str, face: str, width: float, height: float) -> int:
    """The size at which a text nearly fills its field's height and fits its width."""
    size = max(9, min(22, round(height * 0.68)))
    while size > 8 and font(face, size, _WEIGHT).getlength(text) > width:
        size -= 1
    return size
