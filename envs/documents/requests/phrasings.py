"""The words of generated requests: a bank of templates."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal

import pydantic
from pydantic import model_validator

from ....assets import ROOT
from ...core.files import Data, load
from ..operations.table import EDITS

Templates = Annotated[tuple[str, ...], pydantic.Field(min_length=1)]

REFERENCES: dict[str, tuple[str, ...]] = {
    "only": ("kind",),
    "title": (),
    "says": ("text",),
    "says_on": ("kind", "text"),
    "begins": ("text",),
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
    """The words of generated requests.

    Attributes:
        imperative: for each of ``EDITS``: clauses such as
            ``make {target} bold``, which begin in lower case and have no full stop.
        sentence: for some of ``EDITS``: whole sentences such as ``{target} should be bold.``
        references: for each of ``REFERENCES``: noun phrases with their articles.
        on_page: how a page is named, behind a noun phrase.
        frames: sentences around a clause: ``Please {request}.``
        joins: sentences of two clauses: ``{first}, then {second}.``
        directions, sides, turns, axes, alignments, relations, superlatives: words for each, of which one is chosen.
        places: where something is put, for below, above, top left, and so on.
        texts: the contents of new texts.
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
    alignments: dict[Literal["left", "center", "right"], tuple[str, ...]]
    relations: dict[Literal["below", "above", "to the left of", "to the right of"], tuple[str, ...]]
    superlatives: dict[
        Literal["leftmost", "rightmost", "topmost", "bottommost", "largest", "smallest"], tuple[str, ...]
    ]
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


def _check_slots(template: str, slots: tuple[str, ...]) -> None:
    if sorted(_SLOT.findall(template)) != sorted(slots):
        raise ValueError(f"{template!r} must tell each of {', '.join(slots)} once")


@lru_cache(maxsize=1)
def phrasings() -> Phrasings:
    """The phrasings of the train split.

    Raises:
        ValueError: if the file is against the schema.
    """
    return load(Phrasings, ROOT / "document_requests" / "phrasings_train.json")
