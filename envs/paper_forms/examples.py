"""Pages with targets whose places are known, to train and measure FieldFinder."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ..core.boxes import Box
from ..core.painting import Gray


class Word(NamedTuple):
    """A word that is printed on a page; ``box`` is tight around its ink."""

    text: str
    box: Box


@dataclass(frozen=True)
class Example:
    """A target on a page, and where its answer goes.

    Attributes:
        target: the text of its label, then the names above it, nearest first, separated by ``" | "``.
        box: the envelope of the answer that was erased there, or would be written there.
        field: the blank that the answer may fill: a cell, a line, the white space up to what is printed next.
        kind: ``"line"``, ``"cell"``, ``"table"``, ``"below"``, ``"above"``, ``"tick"``, ``"comb"``, ``"prose"`` or
            another word for how the field is laid out.
        labels: the boxes of the parts of ``target`` on the page, in the same order; ``None`` where one is not known.
    """

    target: str
    box: Box
    field: Box
    kind: str
    labels: tuple[Box | None, ...] = ()


@dataclass(frozen=True, eq=False)
class ExamplePage:
    """A page with empty fields.

    Attributes:
        name: unique in its set.
        gray: the picture.
        words: what is printed on it, as a perfect reader would read it, in no order.
        examples: the targets.
    """

    name: str
    gray: Gray
    words: Sequence[Word]
    examples: Sequence[Example]
