"""Make scanned pages like FUNSD's: type random facts on a clean form, and degrade it."""

from __future__ import annotations

import re
from collections.abc import Callable, Container, Iterable, Mapping
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated, Any

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw
from PIL.ImageFont import FreeTypeFont
from pydantic import Field, RootModel

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.boxes import Box
from ...core.facts import FactMaker
from ...core.files import Data, load
from ...core.painting import Gray, Image
from ...core.templates import fill
from ...core.text_sprites import TYPED_FACE, even_size, font
from ..paper_form import FormField, PaperForm
from ..writing import pieces
from .degradation import Degradation

# -- Facts -------------------------------------------------------------------------------------------------------------


_LOCALES = {
    "en": "en_US", "ru": "ru_RU", "el": "el_GR", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT",
    "pt": "pt_PT", "pl": "pl_PL", "cs": "cs_CZ", "bg": "bg_BG", "uk": "uk_UA",
}  # fmt: skip
_DAYS = "1984-01-01", "2019-12-31"
_TRIES = 30

Patterns = Annotated[tuple[str, ...], Field(min_length=1)]


class Kinds(RootModel[dict[str, dict[str, Patterns]]]):
    """Patterns of each kind of fact by language; those of ``en`` are the default."""


@lru_cache(maxsize=1)
def kinds() -> dict[str, dict[str, Patterns]]:
    """The shipped kinds."""
    return load(Kinds, ROOT / "scans" / "kinds.json").root


def kind_of(fact: str) -> str:
    """The kind of a fact: its name without a number, as in ``phone_2``.

    Raises:
        ValueError: if there is no such kind.
    """
    name = re.sub(r"_\d+$", "", fact)
    if name not in kinds():
        raise ValueError(f"no kind of fact {name!r}; there are {', '.join(kinds())}")
    return name


class ScanFactMaker(FactMaker):
    """A ``FactMaker`` whose patterns also know ``fake``, ``about`` and ``day``."""

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """Adds Faker's texts, amounts of any size, and a day of the years of the scans."""
        return {**super().functions, "fake": self.fake, "about": self.about, "day": lambda: self.date(*_DAYS)}

    def about(self, low: float, high: float, decimals: int) -> str:
        """A number from ``low`` to ``high``, small ones as likely as large ones."""
        return f"{float(np.exp(self.uniform(np.log(low), np.log(high)))):,.{decimals}f}"


def scan_facts(names: Iterable[str], language: str, seed: int) -> dict[str, str]:
    """A text for each fact, all different if possible.

    Args:
        names: of the facts: kinds, with a number where there are several of one.
        language: of the page and, if available, of names and words; otherwise they are English.
        seed: equal seeds give equal texts.

    Raises:
        ValueError: if a fact is of no kind.
    """
    maker = ScanFactMaker(np.random.default_rng(seed), seed, locale=_LOCALES.get(language, "en_US"), weighted=True)
    facts: dict[str, str] = {}
    for name in sorted(names):
        kind = kinds()[kind_of(name)]
        patterns = kind.get(language, kind["en"])
        texts = [maker.text(maker.choice(patterns))]
        while texts[-1] in facts.values() and len(texts) < _TRIES:
            texts.append(maker.text(maker.choice(patterns)))
        facts[name] = texts[-1]
    return facts


# -- Pages -------------------------------------------------------------------------------------------------------------


SCANS = ROOT / "scans"
SIZE = (1056, 816)
"""Height and width of every scan in pixels."""
FILLING = "filling.json"
_TEXT_GRAY = 20
"""The gray level of typed text."""
_WEIGHT = 550
_JITTER = 1.0
_MIN_SIZE = 8


class Filling(Data):
    """The typed text of a scan of the test split, its empty fields, and the text that says what belongs in them.

    Attributes:
        facts: the texts by fact, also of the targets.
        targets: the names of the fields that the source answers.
        empty: the names of the other fields that are and stay empty.
        source: a text that states the answers among other values.
        distractors: the values in the source that belong in no empty field.
        seed: of the degradation.
    """

    facts: dict[str, Annotated[str, Field(min_length=1)]]
    targets: Annotated[tuple[str, ...], Field(min_length=1)]
    empty: tuple[str, ...]
    source: str
    distractors: tuple[str, ...]
    seed: Annotated[int, Field(ge=0)]

    @property
    def blanks(self) -> tuple[str, ...]:
        """The names of all empty fields."""
        return self.targets + self.empty


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


def check_blanks(form: PaperForm, names: Iterable[str]) -> None:
    """Check that the empty fields of a scan can be left empty.

    Raises:
        ValueError: if the form has none of a name, or it is a tick box.
    """
    known = {field.name for field in form.fields if field.value is not None}
    if unknown := sorted(set(names) - known):
        raise ValueError(f"{form.title}: {unknown[0]!r} is no field with a value")


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


def degradation_of(seed: int) -> Degradation:
    """The damage to the page that ``scanned`` makes with ``seed``."""
    return Degradation.drawn(np.random.default_rng(seed))


def _typed(
    clean: Gray, form: PaperForm, facts: Mapping[str, str], empty: Container[str], rng: np.random.Generator
) -> Gray:
    """The page with all fields but some filled in."""
    picture = PillowImage.fromarray(clean)
    draw = ImageDraw.Draw(picture)
    for field in form.fields:
        written = typed_text(field, facts)
        if written is not None and field.name not in empty:
            _type(draw, field, written, form, rng.normal(0, _JITTER, 2))
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
    form: PaperForm,
    jitter: np.ndarray[tuple[int], np.dtype[np.float64]],
) -> None:
    tick = field.matcher == "checkbox"
    face = _fitting(text, TYPED_FACE if tick else form.face, field.box)
    right, down = (0.0, 0.0) if tick else (abs(jitter[0]), -abs(jitter[1]))
    for piece in pieces(text, field.box, face, comb=field.comb, centred=tick):
        draw.text((piece.x + right, piece.y + down), piece.text, fill=_TEXT_GRAY, font=face, anchor="mm")


def _fitting(text: str, face: str, box: Box) -> FreeTypeFont:
    """A face at the size at which a text nearly fills its field's height and fits its width."""
    size = even_size(max(9, min(22, round((box[3] - box[1]) * 0.68))), face)
    while size > _MIN_SIZE and font(face, size, _WEIGHT).getlength(text) > box[2] - box[0] - 6:
        size -= 1
    return font(face, size, _WEIGHT)
