"""Compute features of an edit for the learned judge."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from ...core.painting import Image
from ..language.grounders import rank_elements, resolve_plural
from ..painting.view import painted
from ..scene.changes import compared
from ..scene.document import Document
from ..scoring.pictures import changed_box
from .differences import Difference, differences
from .network import Numbers
from .request_features import RequestFeatures, read_request
from .value_checks import EditContext, value_agreement

_MENTIONED = 0.5
"""The minimum share of the best match with which an element counts as mentioned."""
_SUMS = ("least", "mean", "most")
EVIDENCE = (
    *(f"{name} {measure}" for measure in ("asked", "share", "told", "fit", "all") for name in _SUMS),
    "nothing", "differences", "elements", "kinds", "unasked", "strange",
    "missing", "missing sum", "asked sum", "asked twice", "asked kinds",
    "mentions", "plurals", "untouched mentions", "untouched best", "untouched of plural", "stray",
    "singular and several",
    "is seen", "changed share", "box share", "mean change", "nearer to colour", "brighter",
)  # fmt: skip
"""The names of the features, as in the shipped weights."""


@dataclass(frozen=True, slots=True)
class _Match:
    """A difference, classified as one kind of edit.

    Attributes:
        difference: what has changed.
        edit: the kind of edit.
        probability: that the request asks for that kind.
        agreement: of the values with the request, from 0 to 1.
        fit: how well the element matches an expression of the request, from 0 to 1.
    """

    difference: Difference
    edit: str
    probability: float
    agreement: float
    fit: float


class Case:
    """A request and its document, analysed once for many edits.

    Args:
        request: its text.
        before: the document before the edit.

    Attributes:
        before: the same.
        request: the parts of the request.
    """

    def __init__(self, request: str, before: Document) -> None:
        self.before = before
        self.request = read_request(request, before)
        self._fits = [_mention_fits(self.request, before, i) for i in range(len(self.request.mentions))]
        self._pictures: dict[int, Image] = {}

    def evidence(self, probabilities: Mapping[str, float], after: Document) -> Numbers:
        """The features of an edit: float64 (len(EVIDENCE),).

        Args:
            probabilities: of each kind of edit, that the request asks for it.
            after: the document after the edit.
        """
        pair = compared(self.before, after)
        fits = {name: max((one.get(name, 0.0) for one in self._fits), default=0.0) for name in self.before.places}
        context = EditContext(self.request, self.before, after, fits)
        matches = [_best_match(context, probabilities, difference) for difference in differences(pair)]
        values = (
            *_summaries(matches, max(probabilities.values())),
            *_counts(matches),
            *_missing(matches, probabilities),
            *_coverage(self.request, self._fits, matches),
            *_pixel_changes(self._picture(pair.page), painted(after, pair.page), self.request),
        )
        return np.array(values, np.float64)

    def _picture(self, page: int) -> Image:
        if page not in self._pictures:
            self._pictures[page] = painted(self.before, page)
        return self._pictures[page]


def _mention_fits(request: RequestFeatures, document: Document, mention: int) -> dict[str, float]:
    """How well each element matches a mention; the best one has 1."""
    name, words = request.named[mention], request.mentions[mention]
    if name:
        return {element.id: float(element.name == name) for element in document.elements()}
    if request.is_plural[mention]:
        return {element.id: 1.0 for element in resolve_plural(document, words)}
    ranked = rank_elements(document, words)
    best = max((proposal.score for proposal in ranked), default=0.0)
    return {proposal.element.id: proposal.score / best if best > 0 else 0.0 for proposal in ranked}


def _best_match(context: EditContext, probabilities: Mapping[str, float], difference: Difference) -> _Match:
    """A difference as the kind of edit that is most probable and agrees best."""
    element = difference.element
    fit = context.fits.get(element.id, 0.0) if element is not None else 1.0
    # Kinds of edits that the classifier was not trained on have no probability.
    options = [
        (edit, probabilities.get(edit, 0.0), value_agreement(context, edit, difference)) for edit in difference.edits
    ]
    best = max(options, key=lambda option: option[1] * (0.1 + option[2]), default=("", 0.0, 0.0))
    return _Match(difference, *best, fit)


def _summaries(matches: Sequence[_Match], highest: float) -> list[float]:
    if not matches:
        return [0.0] * 15
    measures = (
        [one.probability for one in matches],
        [one.probability / max(highest, 0.01) for one in matches],
        [one.agreement for one in matches],
        [one.fit for one in matches],
        [one.probability * one.agreement * one.fit for one in matches],
    )
    return [value for some in measures for value in (min(some), sum(some) / len(some), max(some))]


def _counts(matches: Sequence[_Match]) -> tuple[float, ...]:
    elements = (one.difference.element or one.difference.after for one in matches)
    ids = {element.id for element in elements if element is not None}
    return (
        float(not matches),
        min(len(matches), 6) / 3,
        min(len(ids), 6) / 3,
        min(len({one.edit for one in matches}), 4) / 2,
        float(sum(one.probability < 0.3 for one in matches)),
        float(sum(not one.difference.edits for one in matches)),
    )


def _missing(matches: Sequence[_Match], probabilities: Mapping[str, float]) -> tuple[float, ...]:
    """Statistics of the kinds of edits that are requested but not made."""
    made = {edit for one in matches for edit in one.difference.edits}
    missing = sorted((one for edit, one in probabilities.items() if edit not in made), reverse=True)
    every = probabilities.values()
    return missing[0], sum(missing), sum(every), sorted(every)[-2], float(sum(one > 0.4 for one in every))


def _coverage(
    request: RequestFeatures, mention_fits: Sequence[Mapping[str, float]], matches: Sequence[_Match]
) -> tuple[float, ...]:
    """How the edited elements correspond to those that the request mentions."""
    edited = {one.difference.element.id for one in matches if one.difference.element is not None}
    mentioned = [{name for name, fit in fits.items() if fit >= _MENTIONED} for fits in mention_fits]
    plural = [ids for ids, is_plural in zip(mentioned, request.is_plural, strict=True) if is_plural]
    best = [max((fits[name] for name in edited if name in fits), default=0.0) for fits in mention_fits]
    lacking = [len(ids - edited) / len(ids) for ids in plural if ids & edited]
    return (
        len(mentioned),
        len(plural),
        float(sum(not ids & edited for ids in mentioned)),
        1 - min(best, default=1.0),
        max(lacking, default=0.0),
        float(len(edited - set().union(*mentioned))),
        float(len(edited) > len(mentioned) and not plural),
    )


def _pixel_changes(before: Image, after: Image, request: RequestFeatures) -> tuple[float, ...]:
    """How an edit has changed the picture of a page.

    Args:
        before: the page: uint8 (height, width, 3).
        after: the same page after the edit.
        request: with the requested colours.

    Returns:
        Whether any pixel differs; the logarithms of the shares of pixels that differ and of the box around them (0: all
        of the page, -1: a millionth); how far those pixels changed in the mean, 0 to 1; by how much they came nearer to
        a requested colour, -1 to 1; how much brighter they became.
    """
    box = changed_box(before, after)
    if box is None:
        return (0.0,) * 6
    left, top, right, bottom = box
    one, other = (picture[top:bottom, left:right] for picture in (before, after))
    differs = np.logical_or.reduce([one[..., i] != other[..., i] for i in range(3)])
    pixels = before.shape[0] * before.shape[1]
    was, now = (picture[differs].astype(np.float32) for picture in (one, other))
    old, new = was.mean(axis=0), now.mean(axis=0)
    nearer = [float(np.abs(old - colour).mean() - np.abs(new - colour).mean()) / 255 for colour in request.colours]
    return (
        1.0,
        _log_share(int(differs.sum()) / pixels),
        _log_share((right - left) * (bottom - top) / pixels),
        float(np.abs(was - now).mean()) / 255,
        max(nearer, default=0.0),
        float((new - old).mean()) / 255,
    )


def _log_share(share: float) -> float:
    return max(-1.0, math.log10(max(share, 1e-6)) / 6)
