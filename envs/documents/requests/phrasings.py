"""The words of requests: a bank of templates for each split, without overlap."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal

import pydantic
from pydantic import model_validator

from ....assets import ROOT
from ...core.files import Data, load
from ..operations.table import EDITS

Split = Literal["test", "train"]
Templates = Annotated[tuple[str, ...], pydantic.Field(min_length=3)]

REFERENCES: dict[str, tuple[str, ...]] = {
    "direct": ("name",),
    "says": ("kind", "text"),
    "begins": ("kind", "text"),
    "ordinal": ("ordinal", "kind", "edge"),
    "superlative": ("superlative", "kind"),
    "colour": ("colour", "kind"),
    "style": ("style", "kind"),
    "spatial": ("kind", "relation", "anchor"),
    "all": ("kinds",),
    "all_colour": ("colour", "kinds"),
    "all_style": ("style", "kinds"),
    "all_spatial": ("kinds", "relation", "anchor"),
    "all_containing": ("kinds", "text"),
}
"""The kinds of referring expressions, and the slots of each; the page follows."""
_SLOT = re.compile(r"\{(\w+)\}")


class Phrasings(Data):
    """The words of requests of one split.

    Attributes:
        imperative: for each of ``EDITS`` in the split: clauses such as
            ``move {target} {direction} by {pixels} px``, which begin in lower case and have no full stop.
        sentence: for some of ``EDITS``: whole sentences such as ``{target} should be bold.``
        references: for each of ``REFERENCES``: noun phrases with their articles.
        on_page: how a page is named, behind a noun phrase.
        frames: sentences around a clause: ``Please {request}.``
        joins: sentences of two clauses: ``{first}, then {second}.``
        directions, sides, turns, axes: words for each, of which one is chosen.
        places: where something is put, for below, above, top left, and so on.
        texts: the contents of new texts; no two splits share any.
    """

    imperative: dict[str, Templates]
    sentence: dict[str, tuple[str, ...]]
    references: dict[str, Templates]
    on_page: Templates
    frames: Templates
    joins: Templates
    directions: dict[Literal["UP", "DOWN", "LEFT", "RIGHT"], Templates]
    sides: dict[Literal["below", "above", "left", "right"], Templates]
    turns: dict[Literal["clockwise", "counterclockwise"], tuple[str, ...]]
    axes: dict[Literal["horizontally", "vertically"], tuple[str, ...]]
    places: dict[Literal["below", "above", "top left", "top right", "bottom left", "bottom right", "middle"], Templates]
    texts: tuple[str, ...]

    @model_validator(mode="after")
    def _slots_agree(self) -> Phrasings:
        edits = {name: kind.slots for name, kind in EDITS.items()}
        if missing := REFERENCES.keys() - self.references.keys():
            raise ValueError(f"{min(missing)!r} is missing")
        for kinds, phrases in ((edits, self.imperative), (edits, self.sentence), (REFERENCES, self.references)):
            if unknown := phrases.keys() - kinds.keys():
                raise ValueError(f"{min(unknown)!r} is nothing that is known")
            for kind, templates in phrases.items():
                for template in templates:
                    _check_slots(template, kinds[kind])
        for template in self.frames:
            _check_slots(template, ("request",))
        for template in self.joins:
            _check_slots(template, ("first", "second"))
        return self

    def templates(self) -> frozenset[str]:
        """All templates of requests, expressions, frames and joins."""
        groups = (*self.imperative.values(), *self.sentence.values(), *self.references.values())
        return frozenset(template for group in (*groups, self.frames, self.joins) for template in group)


def _check_slots(template: str, slots: tuple[str, ...]) -> None:
    if sorted(_SLOT.findall(template)) != sorted(slots):
        raise ValueError(f"{template!r} must tell each of {', '.join(slots)} once")


@lru_cache(maxsize=2)
def phrasings(split: Split) -> Phrasings:
    """The phrasings of a split.

    Raises:
        ValueError: if the file is against the schema.
    """
    return load(Phrasings, ROOT / "document_requests" / f"phrasings_{split}.json")
