"""Generate: training pages from seeds."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from ...envs.core.locators import Box
from ..examples import Example, ExamplePage, Word
from ..reading.boxes import around
from . import augmentation as wear
from . import genres, style, vocabulary
from .blanks import cut
from .canvas import Draft, Sheet
from .rng_utils import Dice

_WIDTHS: dict[int, float] = {754: 40, 762: 15, 777: 8, 816: 8, 850: 10, 700: 5, 1000: 8, 1100: 6}
_DENSE_WIDTHS: dict[int, float] = {754: 12, 850: 20, 1000: 22, 1100: 20, 1224: 26}
"""Of forms in small type, which is not to be read on narrower pages."""
_ENGLISH = 0.88
_RUBBED = 0.35


def page(seed: int, genre: str | None = None) -> ExamplePage:
    """A page with empty fields, the same for the same seed.

    Args:
        seed: 0 or more.
        genre: of ``genres.GENRES``; ``None``: drawn.

    Raises:
        ValueError: there is no such genre.
    """
    if genre is not None and genre not in genres.GENRES:
        raise ValueError(f'there is no genre "{genre}"; there are: {", ".join(genres.GENRES)}')
    dice = Dice(np.random.default_rng(seed))
    chosen = genre or dice.weighted(genres.SHARES)
    sheet = _sheet(dice, _DENSE_WIDTHS if chosen == "application" else _WIDTHS)
    genres.compose(sheet, chosen)
    drafts = _distinct(sheet.drafts)
    fields = [_field(sheet, draft) for draft in drafts]
    gray, size = np.asarray(sheet.picture), (sheet.height, sheet.width)
    slip = wear.slip(dice)
    gray = wear.worn(slip.laid(gray), dice)
    examples = [_example(draft, field, slip, size) for draft, field in zip(drafts, fields, strict=True)]
    words = [Word(word.text, slip.moved(word.box, size)) for word in sheet.words]
    if dice.chance(_RUBBED):
        gray = wear.erased(gray, [example.box for example in examples], [word.box for word in words], dice)
    return ExamplePage(f"page-{seed}", np.ascontiguousarray(gray), words, [e for e in examples if _inside(e, size)])


def pages(seed: int, count: int) -> Iterator[ExamplePage]:
    """``count`` pages: those of the seeds from ``seed`` on."""
    return (page(seed + i) for i in range(count))


def _sheet(dice: Dice, widths: Mapping[int, float]) -> Sheet:
    width = dice.weighted(widths)
    height = round(1000 * width / 754) if dice.chance(0.6) else round(width * dice.between(1.25, 1.42))
    language = "en" if dice.chance(_ENGLISH) else dice.pick(vocabulary.LANGUAGES)
    return Sheet(dice.rng, style.drawn(dice, width, language), width, height)


def _distinct(drafts: Sequence[Draft]) -> list[Draft]:
    """The drafts less those whose targets read like an earlier one's."""
    found: dict[str, Draft] = {}
    for draft in drafts:
        found.setdefault(_target(draft).lower(), draft)
    return list(found.values())


def _target(draft: Draft) -> str:
    return " | ".join(text for text, _ in draft.parts)


def _field(sheet: Sheet, draft: Draft) -> Box:
    printed = [_core(word.box) for word in sheet.words]
    if draft.over != "rules":
        printed += sheet.rules
    inside = (1.0, 1.0, sheet.width - 1.0, sheet.height - 1.0)
    reach = draft.reach
    held = (max(reach[0], inside[0]), max(reach[1], inside[1]), min(reach[2], inside[2]), min(reach[3], inside[3]))
    return cut(held, draft.box, printed)


def _core(word: Box) -> Box:
    """A word less a quarter of its height above and below: what an answer written large may touch."""
    slack = 0.25 * (word[3] - word[1])
    return word[0], word[1] + slack, word[2], word[3] - slack


def _example(draft: Draft, field: Box, slip: wear.Slip, size: tuple[int, int]) -> Example:
    box = slip.moved(draft.box, size)
    labels = tuple(slip.moved(part, size) for _, part in draft.parts)
    return Example(_target(draft), box, around((slip.moved(field, size, grow=False), box)), draft.kind, labels)


def _inside(example: Example, size: tuple[int, int]) -> bool:
    left, top, right, bottom = example.field
    return left >= 0 and top >= 0 and right <= size[1] and bottom <= size[0]
