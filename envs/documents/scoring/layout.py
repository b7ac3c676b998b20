"""Find layout problems that an edit has brought: covered, clipped, illegible and overlapping things."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect, intersection, union
from ...core.painting import Stamp
from ..painting.texts import text_height, too_wide
from ..painting.view import background, stamp_of
from ..scene.colours import contrast
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element
from .looks import SOLID, alpha_of, letters, within

MIN_CONTRAST = 3.0
"""The least contrast of legible text to what is behind it (WCAG 2.1 for large text)."""
MAX_PROBLEMS = 20
_SLACK = 3
"""The maximum overlap that is none, in pixels."""
_COVERED = {"image": 0.5, "chart": 0.2}
"""The share of an element that must be covered for it to be a problem, by type; of texts, of their ink."""
_COVERED_INK, _HIDDEN = 0.05, 0.5
_INSIDE = 0.97
"""The share of an element that must be on another one for it to lie on that."""
_TORN = 30
"""The distance by which a member must move away from its group, in pixels."""
_MORE = {"off the page": 2.0, "clipped": 2.0, "covered": 0.02, "contrast": 0.2, "overlap": 1e9, "torn": _TORN}
"""By how much a problem must be worse than before to be a new one."""

Mask = NDArray[np.bool_]
"""Pixels of a rectangle: bool (height, width)."""


class LayoutProblem(NamedTuple):
    """Something about the layout that a designer would not keep.

    Attributes:
        kind: ``"off the page"``, ``"clipped"``, ``"covered"``, ``"contrast"``, ``"overlap"`` or ``"torn"``.
        elements: the ids of the elements that have it.
        words: a sentence for people.
    """

    kind: str
    elements: tuple[str, ...]
    words: str


def layout_problems(before: Document, after: Document, about: str | None = None) -> list[LayoutProblem]:
    """The layout problems of a document that it did not have before an edit, the first ``MAX_PROBLEMS``.

    Args:
        before: the document before the edit.
        after: the document after it.
        about: the id of an element whose problems are found; ``None``: of all.
    """
    kept = set(map(id, before.pages)) & set(map(id, after.pages))
    same = set(map(id, before.elements())) & set(map(id, after.elements()))
    pages = {e.id: page for page in before.pages for e in page.elements}
    found = (
        one
        for page in after.pages
        if id(page) not in kept
        for one in _new_problems(next((pages[e.id] for e in page.elements if e.id in pages), None), page, same, about)
    )
    return list(islice(found, MAX_PROBLEMS))


def _new_problems(old: Page | None, new: Page, same: set[int], about: str | None) -> Iterator[LayoutProblem]:
    """The problems of a page that it did not have; ``same``: the elements that have not changed, by ``id``."""
    sides = [_Sheet(page, same, about) for page in (old, new) if page is not None]
    # What an unchanged element is like depends on what changed in front of it and behind it.
    dirty = [stamp.rect for side in sides for stamp in side.changed]
    known = {(one.kind, one.elements): amount for side in sides[:-1] for one, amount in side.problems(dirty)}
    for one, amount in chain(sides[-1].problems(dirty), _torn(old, new) if old is not None else ()):
        if about not in (None, *one.elements):
            continue
        if amount > known.get((one.kind, one.elements), -_MORE[one.kind]) + _MORE[one.kind]:
            yield one


class _Sheet:
    """A page with its painted elements; ``about``: the one whose problems are found."""

    def __init__(self, page: Page, same: set[int], about: str | None) -> None:
        self.page, self._about = page, about
        self.elements = [e for e in page.elements if e.type != "group" and e.opacity > 0]
        self.stamps = [stamp_of(e) for e in self.elements]
        self.is_same = [id(e) in same for e in self.elements]
        self.changed = [s for s, is_same in zip(self.stamps, self.is_same, strict=True) if not is_same]

    def problems(self, dirty: Sequence[Rect]) -> Iterator[tuple[LayoutProblem, float]]:
        """The problems of changed elements and of those that they may harm, each with how bad it is."""
        for i, (element, stamp) in enumerate(zip(self.elements, self.stamps, strict=True)):
            is_meant = self._about in (None, element.id)
            if is_meant and not self.is_same[i]:
                yield from self._alone(element, stamp)
            if is_meant and _is_lettered(element) and any(intersection(stamp.rect, rect) for rect in dirty):
                yield from self._legible(i)
            yield from self._pairs(i)

    def _alone(self, element: Element, stamp: Stamp) -> Iterator[tuple[LayoutProblem, float]]:
        left, top, right, bottom = stamp.rect
        if (beyond := max(-left, -top, right - self.page.width, bottom - self.page.height)) > 0:
            yield _problem("off the page", f"{_name(element)} reaches off the page", element), beyond
        if _is_lettered(element) and (excess := _excess(element)) > 0:
            yield _problem("clipped", f"the text of {_name(element)} does not fit into its box", element), excess

    def _legible(self, i: int) -> Iterator[tuple[LayoutProblem, float]]:
        element, stamp = self.elements[i], self.stamps[i]
        lack = MIN_CONTRAST - _contrast(self.page, element, stamp, self.stamps[:i])
        if lack > 0:
            yield _problem("contrast", f"{_name(element)} hardly differs from what is behind it", element), lack

    def _pairs(self, i: int) -> Iterator[tuple[LayoutProblem, float]]:
        """What is over an element that it harms."""
        one, a = self.elements[i], self.stamps[i]
        for k in range(i + 1, len(self.elements)):
            is_meant = self._about in (None, one.id, self.elements[k].id)
            if not is_meant or (self.is_same[i] and self.is_same[k]):
                continue
            other, b = self.elements[k], self.stamps[k]
            both = intersection(a.rect, b.rect)
            if both is None:
                continue
            lower = _body(one, a, both) & ~self._hidden(both, i + 1, k)
            upper = _body(other, b, both)
            if (share := _covered_share(one, a, b, lower, both)) > 0:
                yield _problem("covered", f"{_name(other)} covers {_name(one)}", one, other), share
            elif _is_content(one) or _is_content(other):
                common, whole = lower & upper, _body(other, b, b.rect).sum()
                lies_on = one.type not in ("text", "list") and common.sum() >= _INSIDE * whole
                if not lies_on and (depth := _depth(common)) > _SLACK:
                    yield _problem("overlap", f"{_name(one)} and {_name(other)} overlap", one, other), depth

    def _hidden(self, rect: Rect, start: int, end: int) -> Mask:
        """Where elements of a range hide what is below them."""
        hidden: Mask = np.zeros((rect[3] - rect[1], rect[2] - rect[0]), np.bool_)
        for stamp in self.stamps[start:end]:
            if part := intersection(stamp.rect, rect):
                hidden[within(part, rect)] |= alpha_of(stamp, part) > SOLID
        return hidden


def hides(document: Document, element: Element) -> list[str]:
    """The texts that an element hides, by id."""
    if element.type in ("group", "text", "list", "line"):
        return []
    page, at = document.places[element.id]
    stamp = stamp_of(element)
    return [
        e.id
        for e in document.pages[page].elements[:at]
        if _is_lettered(e) and (both := intersection((own := stamp_of(e)).rect, stamp.rect))
        if _ink_share(e, own, stamp, both) > _HIDDEN
    ]


def _covered_share(one: Element, a: Stamp, b: Stamp, lower: Mask, both: Rect) -> float:
    """How much of a text or a picture is covered by something; 0 if that is no problem."""
    if _is_lettered(one):
        share = _ink_share(one, a, b, both)
        return share if share > _COVERED_INK else 0.0
    share = float((lower & (alpha_of(b, both) > SOLID)).sum() / max(1, _body(one, a, a.rect).sum()))
    return share if share > _COVERED.get(one.type, 1.0) else 0.0


def _ink_share(one: Element, a: Stamp, b: Stamp, both: Rect) -> float:
    """How much of the ink of a text another element covers."""
    ink = _text_mask(one, a)
    return float((ink[within(both, a.rect)] & (alpha_of(b, both) > SOLID)).sum() / max(1, ink.sum()))


def _problem(kind: str, words: str, *elements: Element) -> LayoutProblem:
    return LayoutProblem(kind, tuple(one.id for one in elements), f"{words[0].upper()}{words[1:]}.")


def _name(element: Element) -> str:
    """An element by mark and text."""
    text = " ".join(element.text.split())
    return f"{element.type} {element.id}" + (f" ({text[:30]!r})" if text else "")


def _is_lettered(element: Element) -> bool:
    return element.type != "group" and bool(element.text.strip())


def _is_content(element: Element) -> bool:
    return element.type in ("image", "chart") or _is_lettered(element)


def _excess(element: Element) -> float:
    """By how many pixels a text is too large for its box."""
    high = text_height(element) - element.bbox[3] if element.runs else 0
    return max(high, _SLACK * 2 * len(list(too_wide(element))))


def _body(element: Element, stamp: Stamp, rect: Rect) -> Mask:
    """Where an element is, in a rectangle that it holds: of a text, its lines from their first letter to the last."""
    solid: Mask = alpha_of(stamp, rect) > SOLID
    if element.type in ("text", "list"):
        from_left, from_right = (np.maximum.accumulate(part, axis=1) for part in (solid, solid[:, ::-1]))
        solid = from_left & from_right[:, ::-1]
    return solid


def _depth(mask: Mask) -> int:
    """The shorter side of the box around the pixels of a mask."""
    sides = [np.flatnonzero(mask.any(axis=axis)) for axis in (0, 1)]
    return int(min(side[-1] - side[0] + 1 if len(side) else 0 for side in sides))


def _without_text(element: Element) -> Stamp:
    cells = tuple(tuple("" for _ in row) for row in element.cells)
    return stamp_of(element.model_copy(update={"runs": (), "cells": cells}))


def _text_mask(element: Element, stamp: Stamp) -> Mask:
    """Where the letters of an element are, in the rectangle of its stamp."""
    if element.type in ("text", "list"):
        return alpha_of(stamp, stamp.rect) > SOLID
    other = _without_text(element)
    if other.rect != stamp.rect:
        return np.zeros(stamp.sprite.inverse_alpha.shape[:2], np.bool_)
    pages = np.full((2, *stamp.sprite.inverse_alpha.shape[:2], 3), 255, np.uint8)
    for pixels, one in zip(pages, (stamp, other), strict=True):
        one.draw(pixels, stamp.rect)
    mask: Mask = np.abs(pages[0].astype(np.int16) - pages[1]).max(axis=2) > SOLID // 2
    return mask


def _contrast(page: Page, element: Element, stamp: Stamp, below: list[Stamp]) -> float:
    """The contrast of a text's most frequent colour to the middle colour behind its letters."""
    rect = intersection(stamp.rect, (0, 0, page.width, page.height))
    if rect is None:
        return MIN_CONTRAST
    behind = background(page, 0)[rect[1] : rect[3], rect[0] : rect[2]].copy()
    for one in [*below, *([_without_text(element)] if element.type in ("shape", "table") else [])]:
        one.draw(behind, rect)
    pixels = behind[_text_mask(element, stamp)[within(rect, stamp.rect)]]
    if not len(pixels):
        return MIN_CONTRAST
    colours = [one.colour for one in letters(element) if not one.character.isspace()] or [element.style.colour]
    red, green, blue = (int(v) for v in np.median(pixels, axis=0))
    ground: Colour = (red, green, blue)
    return contrast(max(set(colours), key=colours.count), ground)


def _torn(old: Page, new: Page) -> Iterator[tuple[LayoutProblem, float]]:
    """Members of groups that moved away from the others that are still there."""
    was = {e.id: e for e in old.elements}
    groups: dict[str, list[Element]] = {}
    for element in new.elements:
        if element.parent is not None and element.type != "group" and element.id in was:
            groups.setdefault(element.parent, []).append(element)
    for group in groups.values():
        for one in group if len(group) > 1 and any(e is not was[e.id] for e in group) else ():
            gaps = [_gap(side, [e for e in others if e.id != one.id]) for side, others in (
                (one, group), (was[one.id], [was[e.id] for e in group])
            )]  # fmt: skip
            if gaps[0] > max(gaps[1], 0) + _TORN:
                yield _problem("torn", f"{_name(one)} is far from the rest of its group", one), gaps[0]


def _gap(one: Element, others: list[Element]) -> int:
    rest, mine = union([stamp_of(e).rect for e in others]), stamp_of(one).rect
    return max(rest[0] - mine[2], mine[0] - rest[2], rest[1] - mine[3], mine[1] - rest[3])
