"""What an element paints: its ink on the page, the format of its letters, and mixtures of two versions of it."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from itertools import groupby
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...core.boxes import Rect, intersection, shift, union
from ...core.painting import Sprite, Stamp
from ..painting.pictures import tint_of, tinted
from ..painting.view import painted_part, stamp_of
from ..scene.cells import FORMAT_FIELDS, blended_formats
from ..scene.document import Document, with_children
from ..scene.elements import Colour, Element, Run, rect_of

NEAR = 3
"""The maximum distance of two places that people take for one, in pixels."""
BOX = ("x", "y", "width", "height")
LETTER_FIELDS = ("bold", "italic", "underline", "strike", "colour", "size")
"""The fields of style that single letters may have of their own."""
_SEEN = 8
"""The maximum difference of a channel, from 0 to 255, that is not seen."""
SOLID = 128
"""The minimum opacity of what is seen and hides, from 0 to 255."""
LETTERED = ("text", "list", "shape")


class Letter(NamedTuple):
    """A character of a text with the format in which it is set."""

    character: str
    bold: bool
    italic: bool
    underline: bool
    strike: bool
    colour: Colour
    size: int


def letters(element: Element) -> list[Letter]:
    """The characters of an element's runs, each with its format."""
    style = element.style
    found = []
    for run in element.runs:
        own = (getattr(run, field) for field in LETTER_FIELDS)
        form = [getattr(style, f) if v is None else v for f, v in zip(LETTER_FIELDS, own, strict=True)]
        found += [Letter(character, *form) for character in run.text]
    return found


def members(document: Document, element: Element) -> list[Element]:
    """What is painted of an element: itself, or what is in it if it is a group."""
    return [one for one in with_children(document, element) if one.type != "group"]


def ink_rect(document: Document, element: Element) -> Rect:
    """The pixels that an element paints: left, top, right and bottom on its page."""
    stamps = [stamp_of(one).rect for one in members(document, element)]
    return union(stamps) if stamps else rect_of(element.bbox)


def paint_alike(one: Element, other: Element) -> bool:
    """Whether two elements paint the same in one place, up to ``NEAR`` pixels."""
    a, b = stamp_of(one), stamp_of(other)
    return _are_near(a.rect, b.rect) and same_sprite(a.sprite, b.sprite)


def are_copies(document: Document, one: Element, other_document: Document, other: Element) -> bool:
    """Whether two elements, or groups with all that is in them, look the same, wherever they are."""
    pairs = [(document, one), (other_document, other)]
    origins = [ink_rect(*pair) for pair in pairs]
    stamps = [[stamp_of(element) for element in members(*pair)] for pair in pairs]
    right, down = origins[1][0] - origins[0][0], origins[1][1] - origins[0][1]
    return len(stamps[0]) == len(stamps[1]) and all(
        same_sprite(a.sprite, b.sprite) and _are_near(shift(a.rect, right, down), b.rect)
        for a, b in zip(*stamps, strict=True)
    )


def _are_near(one: Rect, other: Rect) -> bool:
    return max(abs(a - b) for a, b in zip(one, other, strict=True)) <= NEAR


def same_sprite(one: Sprite, other: Sprite) -> bool:
    """Whether two sprites have the same pixels, wherever they are."""
    if one is other:
        return True
    colours = one.opaque_pixels, other.opaque_pixels
    return (
        one.inverse_alpha.shape == other.inverse_alpha.shape
        and np.array_equal(one.inverse_alpha, other.inverse_alpha)
        and np.array_equal(one.premultiplied, other.premultiplied)
        and (colours[0] is None) == (colours[1] is None)
        and (colours[0] is None or colours[1] is None or np.array_equal(colours[0], colours[1]))
    )


def visible_pixels(document: Document, page: int, elements: Collection[Element]) -> int:
    """The number of pixels of a page that would look different without some elements of it."""
    own = [one for element in elements for one in members(document, element)]
    ids = {one.id for one in own}
    kept = tuple(one for one in document.pages[page].elements if one.id not in ids)
    rect = union([stamp_of(one).rect for one in own]) if own else (0, 0, 0, 0)
    return _different(document, document.with_elements(page, kept), page, rect)


def visible_share(document: Document, element: Element) -> float:
    """How much of what an element paints lies on its page and not behind others, from 0 to 1; 0 if it shows nowhere."""
    page = document.places[element.id][0]
    if not visible_pixels(document, page, [element]):
        return 0.0
    sheet, own = document.pages[page], {one.id for one in members(document, element)}
    whole, seen = 0, 0
    for at, one in enumerate(sheet.elements):
        if one.id not in own:
            continue
        stamp = stamp_of(one)
        mask = alpha_of(stamp, stamp.rect) > _SEEN
        whole += int(mask.sum())
        above = [stamp_of(e) for e in sheet.elements[at + 1 :] if e.type != "group" and e.id not in own]
        for both, other in ((intersection(stamp.rect, other.rect), other) for other in above):
            if both is not None:
                mask[within(both, stamp.rect)] &= alpha_of(other, both) <= SOLID
        clip = intersection(stamp.rect, (0, 0, sheet.width, sheet.height))
        seen += int(mask[within(clip, stamp.rect)].sum()) if clip else 0
    return seen / max(1, whole)


def within(rect: Rect, outer: Rect) -> tuple[slice, slice]:
    """The rows and columns of a rectangle in another one that holds it."""
    return slice(rect[1] - outer[1], rect[3] - outer[1]), slice(rect[0] - outer[0], rect[2] - outer[0])


def alpha_of(stamp: Stamp, rect: Rect) -> NDArray[np.uint8]:
    """The opacity of a stamp in a rectangle that it holds: uint8 (height, width)."""
    return np.subtract(255, stamp.sprite.inverse_alpha[..., 0][within(rect, stamp.rect)], dtype=np.uint8)


def look_different(one: Document, other: Document, page: int) -> bool:
    """Whether a page of two documents looks different."""
    sheet = one.pages[page]
    return _different(one, other, page, (0, 0, sheet.width, sheet.height)) > 0


def _different(one: Document, other: Document, page: int, rect: Rect) -> int:
    """The number of pixels in a rectangle of a page in which two documents differ as can be seen."""
    sheet = one.pages[page]
    clip = intersection(rect, (0, 0, sheet.width, sheet.height))
    if clip is None:
        return 0
    a, b = (painted_part(document, page, clip) for document in (one, other))
    return int(np.any(np.maximum(a, b) - np.minimum(a, b) > _SEEN, axis=2).sum())


def blended(base: Element, other: Element, fields: Collection[str], words: Collection[tuple[str, str]] = ()) -> Element:
    """An element with some fields of another version of it.

    Args:
        base: the element.
        other: the other version.
        fields: keys of a document's JSON; ``"text"`` are the characters, whose formats stay where they stay.
        words: fields of letters, each with the words for which it is taken over; of a table, with the cells.
    """
    update: dict[str, Any] = {name: getattr(other, name) for name in fields if name in Element.model_fields}
    update.pop("runs", None)
    style = {name: getattr(other.style, name) for name in fields if name in type(other.style).model_fields}
    box = (o if name in fields else b for name, b, o in zip(BOX, base.bbox, other.bbox, strict=True))
    update |= {"bbox": tuple(box), "style": base.style.model_copy(update=style)}
    if base.cells and other.cells and (base.formats or other.formats or words):
        parts = [(field, "1:*" if field == "fill" else "*:*") for field in fields if field in FORMAT_FIELDS]
        update["formats"] = blended_formats(base, other, base.model_copy(update=update), [*words, *parts])
    elif base.type == "image" and "colour" in fields and (tint := tint_of(other.asset)) is not None:
        update["asset"] = tinted(str(base.asset), tint)
    elif "text" in fields or words or (base.runs != other.runs and set(fields) & set(LETTER_FIELDS)):
        update["runs"] = _runs(_blended_letters(letters(base), letters(other), fields, words))
    return base.model_copy(update=update)


def _blended_letters(
    base: list[Letter], other: list[Letter], fields: Collection[str], words: Collection[tuple[str, str]]
) -> list[Letter]:
    """The letters of ``base`` with some fields of ``other``."""
    old, new = ("".join(one.character for one in text) for text in (base, other))
    if old != new and "text" not in fields:
        same = {field: getattr(other[0], field) for field in LETTER_FIELDS if field in fields} if other else {}
        return [one._replace(**same) for one in base] if len({one[1:] for one in other}) == 1 else base
    head = _common(old, new)
    tail = _common(old[head:][::-1], new[head:][::-1])
    # Letters that stay keep their format; of those between, only a text in one format says how they should look.
    plain = base[0] if base and len({one[1:] for one in base}) == 1 else None
    found = []
    for i, letter in enumerate(other):
        stays = i < head or i >= len(new) - tail
        own = base[i if i < head else i - len(new) + len(old)] if stays else plain
        mine = {f for f in fields if f in LETTER_FIELDS} | {f for f, part in words if _within(new, part, i)}
        found.append(letter if own is None else own._replace(
            character=letter.character, **{field: getattr(letter, field) for field in mine}
        ))  # fmt: skip
    return found


def _common(one: str, other: str) -> int:
    """How many characters two texts have in common at their beginning."""
    return next((i for i, (a, b) in enumerate(zip(one, other, strict=False)) if a != b), min(len(one), len(other)))


def _within(text: str, part: str, at: int) -> bool:
    return any(start <= at < start + len(part) for start in occurrences(text, part))


def occurrences(text: str, part: str) -> Iterator[int]:
    """Where a text holds a part of it; case does not count."""
    low, part = text.lower(), part.lower()
    at = low.find(part)
    while part and at >= 0:
        yield at
        at = low.find(part, at + 1)


def _runs(text: list[Letter]) -> tuple[Run, ...]:
    return tuple(
        Run(text="".join(one.character for one in group), **dict(zip(LETTER_FIELDS, form, strict=True)))
        for form, group in groupby(text, key=lambda one: one[1:])
    )
