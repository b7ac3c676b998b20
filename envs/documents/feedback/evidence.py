"""Evidence: what speaks for and against an edit, of words, documents and pictures; never of the gold edit."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.painting import Image
from ..language.grounders import rank_elements
from ..language.plurals import meant
from ..painting.view import painted
from ..scene.document import Document
from .differences import Difference, compared, differences
from .network import Numbers
from .pixel_diff import LOOKS, looks_of
from .request_features import Reading, read_request
from .value_checks import Context, told

_MEANT = 0.5
"""From this share of the best one's fit on, an element is taken to be meant."""
_SUMS = ("least", "mean", "most")
EVIDENCE = (
    *(f"{name} {measure}" for measure in ("asked", "share", "told", "fit", "all") for name in _SUMS),
    "nothing", "differences", "elements", "kinds", "unasked", "strange",
    "missing", "missing sum", "asked sum", "asked twice", "asked kinds",
    "mentions", "plurals", "untouched mentions", "untouched best", "untouched of plural", "stray",
    "singular and several",
    *LOOKS,
)  # fmt: skip
"""What the judge is told of an edit."""


@dataclass(frozen=True, slots=True)
class _Found:
    """A difference, how likely it was asked for, whether its values are told, and whether the element is meant."""

    difference: Difference
    edit: str
    asked: float
    told: float
    fit: float


class Case:
    """A request and the document that it is about, looked at once; edits are held against them.

    Args:
        request: its words.
        before: the document at first.

    Attributes:
        before: the same.
        reading: of the request.
    """

    def __init__(self, request: str, before: Document) -> None:
        self.before = before
        self.reading = read_request(request, before)
        self._mentioned = [_fits_of(self.reading, before, i) for i in range(len(self.reading.mentions))]
        self._pictures: dict[int, Image] = {}

    def evidence(self, asked: Mapping[str, float], after: Document) -> Numbers:
        """What speaks for and against an edit: float64 (len(EVIDENCE),).

        Args:
            asked: how likely each kind of edit is asked for, from 0 to 1.
            after: what came of the edit.
        """
        pair = compared(self.before, after)
        fits = {name: max((one.get(name, 0.0) for one in self._mentioned), default=0.0) for name in self.before.places}
        context = Context(self.reading, self.before, after, fits)
        found = [_weighed(context, asked, difference) for difference in differences(pair)]
        values = (
            *_sums(found, max(asked.values())),
            *_counts(found),
            *_missing(found, asked),
            *_coverage(self.reading, self._mentioned, found),
            *looks_of(self._picture(pair.page), painted(after, pair.page), self.reading).values(),
        )
        return np.array(values, np.float64)

    def _picture(self, page: int) -> Image:
        if page not in self._pictures:
            self._pictures[page] = painted(self.before, page)
        return self._pictures[page]


def _fits_of(reading: Reading, document: Document, mention: int) -> dict[str, float]:
    """For each element how well it fits a mention, the best one 1."""
    name = reading.named[mention]
    if name:
        return {element.id: float(element.name == name) for element in document.elements()}
    if reading.is_plural[mention]:
        several = meant(document, reading.mentions[mention])
        return {element.id: 1.0 for element in several}
    ranked = rank_elements(document, reading.mentions[mention])
    best = max((proposal.score for proposal in ranked), default=0.0)
    return {proposal.element.id: proposal.score / best if best > 0 else 0.0 for proposal in ranked}


def _weighed(context: Context, asked: Mapping[str, float], difference: Difference) -> _Found:
    """A difference, taken for the kind of edit that is the likeliest and told best."""
    about = difference.about
    fit = context.fits.get(about.id, 0.0) if about is not None else 1.0
    options = [(edit, asked[edit], told(context, edit, difference)) for edit in difference.edits]
    if not options:
        return _Found(difference, "", 0.0, 0.0, fit)
    edit, share, telling = max(options, key=lambda option: option[1] * (0.1 + option[2]))
    return _Found(difference, edit, share, telling, fit)


def _sums(found: Sequence[_Found], most: float) -> list[float]:
    if not found:
        return [0.0] * 15
    measures = (
        [one.asked for one in found],
        [one.asked / max(most, 0.01) for one in found],
        [one.told for one in found],
        [one.fit for one in found],
        [one.asked * one.told * one.fit for one in found],
    )
    return [value for some in measures for value in (min(some), sum(some) / len(some), max(some))]


def _counts(found: Sequence[_Found]) -> tuple[float, ...]:
    elements = {_id_of(one.difference) for one in found}
    return (
        float(not found),
        min(len(found), 6) / 3,
        min(len(elements), 6) / 3,
        min(len({one.edit for one in found}), 4) / 2,
        float(sum(one.asked < 0.3 for one in found)),
        float(sum(not one.difference.edits for one in found)),
    )


def _id_of(difference: Difference) -> str:
    element = difference.about or difference.after
    return element.id if element else ""


def _missing(found: Sequence[_Found], asked: Mapping[str, float]) -> tuple[float, ...]:
    """Which kinds of edits are asked for, and not made."""
    made = {edit for one in found for edit in one.difference.edits}
    missing = sorted((share for edit, share in asked.items() if edit not in made), reverse=True)
    second = sorted(asked.values(), reverse=True)[1]
    return missing[0], sum(missing), sum(asked.values()), second, float(sum(share > 0.4 for share in asked.values()))


def _coverage(reading: Reading, mentioned: Sequence[Mapping[str, float]], found: Sequence[_Found]) -> tuple[float, ...]:
    """How the elements that were edited, and those that the request speaks of, go together."""
    touched = {one.difference.about.id for one in found if one.difference.about is not None}
    meant = [{name for name, fit in fits.items() if fit >= _MEANT} for fits in mentioned]
    plural = [ids for ids, several in zip(meant, reading.is_plural, strict=True) if several]
    best = [max((fits[name] for name in touched if name in fits), default=0.0) for fits in mentioned]
    lacking = [len(ids - touched) / len(ids) for ids in plural if ids & touched]
    stray = touched - set().union(*meant)
    return (
        len(meant),
        len(plural),
        float(sum(not ids & touched for ids in meant)),
        1 - min(best, default=1.0),
        max(lacking, default=0.0),
        float(len(stray)),
        float(len(touched) > len(meant) and not plural),
    )
