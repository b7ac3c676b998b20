"""Find layout problems that an edit has brought: covered, clipped, illegible and overlapping things."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect, encloses, expand, intersection, union
from ...core.painting import Stamp
from ..painting.texts import text_height, too_wide
from ..painting.view import background, stamp_of
from ..scene.colours import contrast
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element
from .looks import letters

MIN_CONTRAST = 3.0
"""The least contrast of legible text to what is behind it (WCAG 2.1 for large text)."""
MAX_PROBLEMS = 20
_SLACK = 3
"""The maximum overlap that is none, in pixels."""
_COVERED, _HIDDEN = 0.05, 0.5
"""The shares of a text's ink that must be covered for it to be covered, and hidden."""
_TORN = 30
"""The distance by which a member must move away from its group, in pixels."""
_SOLID = 128
"""The minimum opacity of what hides, from 0 to 255."""


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


def layout_problems(before: Document, after: Document) -> list[LayoutProblem]:
    """The layout problems of a document that it did not have before an edit, the first ``MAX_PROBLEMS``.

    Args:
        before: the document before the edit.
        after: the document after it.
    """
    old = [page for page in before.pages if not any(page is one for one in after.pages)]
    new = [page for page in after.pages if not any(page is one for one in before.pages)]
    known = {(one.kind, one.elements): amount for page in old for one, amount in _problems(page, before)}
    found = (
        one
        for page in new
        for one, amount in _problems(page, after)
        if amount > known.get((one.kind, one.elements), 0) + _MORE[one.kind]
    )
    return list(islice(found, MAX_PROBLEMS))


_MORE = {
    "off the page": 2,
    "clipped": 2,
    "covered": 0.02,
    "contrast": 0.2,
    "overlap": _SLACK,
    "torn": _TORN,
}
"""By how much a problem must be worse than before to be a new one."""


def _problems(page: Page, document: Document) -> Iterator[tuple[LayoutProblem, float]]:
    """The problems of a page, each with how bad it is."""
    elements = [e for e in page.elements if e.type != "group" and e.opacity > 0]
    stamps = [stamp_of(e) for e in elements]
    sheet = (0, 0, page.width, page.height)
    for i, (element, stamp) in enumerate(zip(elements, stamps, strict=True)):
        beyond = max(-stamp.rect[0], -stamp.rect[1], stamp.rect[2] - page.width, stamp.rect[3] - page.height)
        if beyond > 0:
            yield _problem("off the page", f"{_name(element)} reaches off the page", element), beyond
        if not _is_lettered(element):
            continue
        if (excess := _excess(element)) > 0:
            yield _problem("clipped", f"the text of {_name(element)} does not fit into its box", element), excess
        for other, share in _covering(element, stamp, elements[i + 1 :], stamps[i + 1 :]):
            words = f"{_name(other)} covers {_name(element)}"
            yield _problem("covered", words, element, other), share
        if intersection(stamp.rect, sheet) and (lack := MIN_CONTRAST - _contrast(page, element, stamp, stamps[:i])) > 0:
            yield _problem("contrast", f"{_name(element)} hardly differs from what is behind it", element), lack
    yield from _overlaps(elements, stamps)
    yield from _torn(page, document)


def hides(document: Document, element: Element) -> list[str]:
    """The texts that an element hides, by id."""
    if element.type in ("group", "text", "list", "line"):
        return []
    page, at = document.places[element.id]
    stamp = stamp_of(element)
    below = [e for e in document.pages[page].elements[:at] if e.type != "group" and _is_lettered(e)]
    return [e.id for e in below for _, share in _covering(e, stamp_of(e), [element], [stamp]) if share > _HIDDEN]


def _problem(kind: str, words: str, *elements: Element) -> LayoutProblem:
    return LayoutProblem(kind, tuple(one.id for one in elements), f"{words[0].upper()}{words[1:]}.")


def _name(element: Element) -> str:
    """An element by mark and text."""
    text = " ".join(element.text.split())
    return f"{element.type} {element.id}" + (f" ({text[:30]!r})" if text else "")


def _is_lettered(element: Element) -> bool:
    return bool(element.text.strip())


def _excess(element: Element) -> float:
    """By how many pixels a text is too large for its box."""
    high = text_height(element) - element.bbox[3] if element.runs else 0
    return max(high, _SLACK * 2 * len(list(too_wide(element))))


def _alpha(stamp: Stamp, rect: Rect) -> NDArray[np.uint8]:
    """The opacity of a stamp in a rectangle that it holds: uint8 (height, width)."""
    left, top = stamp.rect[:2]
    part: NDArray[np.uint8] = stamp.sprite.inverse_alpha[
        rect[1] - top : rect[3] - top, rect[0] - left : rect[2] - left, 0
    ]
    return 255 - part


def _text_mask(element: Element, stamp: Stamp) -> NDArray[np.bool_]:
    """Where the letters of an element are: bool (height, width) of its stamp."""
    if element.type in ("text", "list"):
        return _alpha(stamp, stamp.rect) > _SOLID
    bare = element.model_copy(update={"runs": (), "cells": tuple(tuple("" for _ in row) for row in element.cells)})
    other = stamp_of(bare)
    if other.rect != stamp.rect:
        return np.zeros(stamp.sprite.inverse_alpha.shape[:2], np.bool_)
    white = np.full((*stamp.sprite.inverse_alpha.shape[:2], 3), 255, np.uint8)
    pages = [white.copy(), white.copy()]
    for pixels, one in zip(pages, (stamp, other), strict=True):
        one.draw(pixels, stamp.rect)
    mask: NDArray[np.bool_] = np.abs(pages[0].astype(np.int16) - pages[1]).max(axis=2) > _SOLID // 2
    return mask


def _covering(
    element: Element, stamp: Stamp, above: list[Element], stamps: list[Stamp]
) -> Iterator[tuple[Element, float]]:
    """What is over a text, with the share of its ink that it hides."""
    mask: NDArray[np.bool_] | None = None
    for other, one in zip(above, stamps, strict=True):
        both = intersection(stamp.rect, one.rect)
        if both is None:
            continue
        mask = _text_mask(element, stamp) if mask is None else mask
        left, top = stamp.rect[:2]
        here = mask[both[1] - top : both[3] - top, both[0] - left : both[2] - left]
        share = float((here & (_alpha(one, both) > _SOLID)).sum() / max(1, mask.sum()))
        if share > _COVERED:
            yield other, share


def _contrast(page: Page, element: Element, stamp: Stamp, below: list[Stamp]) -> float:
    """The contrast of a text's most frequent colour to the middle colour behind its letters."""
    colours = [one.colour for one in letters(element) if not one.character.isspace()] or [element.style.colour]
    rect = intersection(stamp.rect, (0, 0, page.width, page.height))
    assert rect is not None
    behind = background(page, 0)[rect[1] : rect[3], rect[0] : rect[2]].copy()
    bare = stamp_of(
        element.model_copy(update={"runs": (), "cells": tuple(tuple("" for _ in r) for r in element.cells)})
    )
    for one in [*below, *([bare] if element.type in ("shape", "table") else [])]:
        one.draw(behind, rect)
    left, top = stamp.rect[:2]
    mask = _text_mask(element, stamp)[rect[1] - top : rect[3] - top, rect[0] - left : rect[2] - left]
    pixels = behind[mask]
    if not len(pixels):
        return MIN_CONTRAST
    red, green, blue = (int(v) for v in np.median(pixels, axis=0))
    ground: Colour = (red, green, blue)
    return contrast(max(set(colours), key=colours.count), ground)


def _overlaps(elements: list[Element], stamps: list[Stamp]) -> Iterator[tuple[LayoutProblem, float]]:
    """Things that overlap in part, at least one of them text or picture; what lies on something else does not."""
    for i, (one, a) in enumerate(zip(elements, stamps, strict=True)):
        for other, b in zip(elements[i + 1 :], stamps[i + 1 :], strict=True):
            both = intersection(a.rect, b.rect)
            if both is None or not any(_is_lettered(e) or e.type == "image" for e in (one, other)):
                continue
            depth = min(both[2] - both[0], both[3] - both[1])
            lies_on = encloses(expand(a.rect, _SLACK), b.rect) and one.type != "text"
            lies_on |= encloses(expand(b.rect, _SLACK), a.rect) and other.type == "shape"
            if depth > _SLACK and not lies_on:
                yield _problem("overlap", f"{_name(one)} and {_name(other)} overlap", one, other), depth


def _torn(page: Page, document: Document) -> Iterator[tuple[LayoutProblem, float]]:
    """Members of groups with how far they are from the others."""
    groups: dict[str, list[Element]] = {}
    for element in page.elements:
        if element.parent is not None and element.type != "group":
            groups.setdefault(element.parent, []).append(element)
    for members in groups.values():
        for one in members if len(members) > 1 else ():
            rest = union([stamp_of(e).rect for e in members if e is not one])
            mine = stamp_of(one).rect
            gap = max(rest[0] - mine[2], mine[0] - rest[2], rest[1] - mine[3], mine[1] - rest[3])
            yield _problem("torn", f"{_name(one)} is far from the rest of its group", one), gap
