"""A document before and after an edit, as constraints look at it: elements by name, their values and ink."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache
from typing import Any

from PIL import ImageColor

from ...core.boxes import Rect
from ..operations.styles import COLOUR_FIELDS
from ..operations.values import COLOURS, colour_name, colour_of
from ..painting.pictures import tint_of
from ..scene.cells import FORMAT_FIELDS, cell_style, cells_in, styled
from ..scene.colours import colour_difference
from ..scene.document import Document
from ..scene.elements import BBox, Colour, Element, enclosing
from .looks import BOX, LETTER_FIELDS, LETTERED, NEAR, ink_rect, letters, occurrences

_SAME_COLOUR = 12.0
"""The maximum difference of equal colours (CIE76)."""
_SHADE = 25.0
"""The same for shades of a colour that is given by its name."""
_TURNED = 2.0
"""The tolerance of angles, in degrees."""


class Comparison:
    """An edit, as constraints look at it.

    Args:
        before: the document before the edit.
        after: the document after it.
        names: for names in constraints, the ids of elements of ``after``; others have the same id in both.

    Attributes:
        pages: for each page of ``after``, the number of the page that it was, from 0; ``None`` for a new one.
    """

    def __init__(self, before: Document, after: Document, names: Mapping[str, str] | None = None) -> None:
        self.before, self.after, self.names = before, after, dict(names or {})

    def old(self, name: str) -> Element | None:
        """The element with an id before the edit."""
        return self.before.find(name)

    def new(self, name: str) -> Element | None:
        """The element that a name of constraints means, after the edit."""
        if name in self.names:
            return self.after.find(self.names[name])
        return None if name in self.names.values() else self.after.find(name)

    @cached_property
    def pages(self) -> list[int | None]:
        """For each page after the edit, the page that it was, from 0; ``None`` for new ones."""
        numbers = {name: number for number, name in enumerate(self.before.page_ids)}
        return [numbers.get(name) for name in self.after.page_ids]

    def document_of(self, element: Element) -> Document:
        """The document that holds an element: the one after the edit if it does."""
        return self.after if self.after.find(element.id) is element else self.before

    def ink_of(self, element: Element) -> Rect:
        """What an element paints, in the document that holds it."""
        return ink_rect(self.document_of(element), element)

    def ink(self, name: str) -> Rect | None:
        """What an element paints after the edit; what it painted before it, if it is gone."""
        element = self.new(name) or self.old(name)
        return None if element is None else self.ink_of(element)

    def page_of(self, name: str) -> int | None:
        """The page of an element after the edit, or before it if it is gone, from 0."""
        new, old = self.new(name), self.old(name)
        if new is not None:
            return self.after.places[new.id][0]
        return self.before.places[name][0] if old is not None else None


def values_of(
    document: Document,
    element: Element,
    field: str,
    words: str = "",
    row: int | None = None,
    column: int | None = None,
) -> list[Any]:
    """The values that an element has for a key of a document's JSON: one, or several if its letters or cells differ.

    Args:
        document: that holds it.
        element: the element.
        field: the key; ``x``, ``y``, ``width`` and ``height`` are of its box, or of what it covers.
        words: the part of its text that counts; without it, all does.
        row: the row of a table that counts, from 1; of a column, without one, those below the first.
        column: the column of a table that counts; without both, all cells do, but a fill is that of the first row.
    """
    if field in FORMAT_FIELDS and element.cells and (row or column or element.formats):
        return list(dict.fromkeys(_of_cells(element, field, row, column)))
    if field == "colour" and (tint := tint_of(element.asset)) is not None:
        return [tint]
    if field in BOX:
        at = BOX.index(field)
        left, top, right, bottom = ink_rect(document, element)
        return [_box(document, element)[at], (left, top, right - left, bottom - top)[at]]
    if words:
        text = letters(element)
        plain = "".join(one.character for one in text)
        at_words = {k for i in occurrences(plain, words) for k in range(i, i + len(words))}
        return list(dict.fromkeys(getattr(text[i], field) for i in at_words if not text[i].character.isspace()))
    if field in LETTER_FIELDS and element.runs and element.type in LETTERED:
        values = (getattr(run, field) for run in element.runs if run.text.strip())
        return list(dict.fromkeys(getattr(element.style, field) if v is None else v for v in values))
    if field == "stroke" and element.type == "shape" and not element.style.stroke_width:
        return [None]
    return [getattr(element if field in type(element).model_fields else element.style, field)]


def _of_cells(table: Element, field: str, row: int | None, column: int | None) -> Iterator[Any]:
    if row or column:
        cells = cells_in(table, row, column)
        below = [cell for cell in cells if cell[0]]
        yield from (getattr(cell_style(table, *cell), field) for cell in (cells if row else below or cells))
    else:
        rows = table.formats[:1] if field == "fill" else table.formats
        yield from (getattr(styled(table.style, own), field) for row_formats in rows for own in row_formats)


def _box(document: Document, element: Element) -> BBox:
    members = document.children(element.id) if element.type == "group" else ()
    return enclosing(one.bbox for one in members) if members else element.bbox


def is_value(field: str, value: Any, expected: Any, within: float | None = None) -> bool:
    """Whether a value is an expected one, up to what people cannot see.

    Args:
        field: a key of a document's JSON.
        value: of the document.
        expected: as JSON; a colour may be a name.
        within: the tolerance of numbers; ``None``: the usual one.
    """
    if value is None or expected is None:
        return value is expected
    if field in COLOUR_FIELDS:
        return is_colour(tuple(value), expected)
    if isinstance(value, str) and isinstance(expected, str):
        return value == expected or value.startswith(f"{expected}/")
    if isinstance(value, bool) or isinstance(expected, bool) or not isinstance(value, int | float):
        return bool(plain(value) == plain(expected))
    usual = NEAR if field in BOX else _TURNED if field == "angle" else 0.02 * max(1.0, abs(expected))
    return abs(difference(field, value, expected)) <= (usual if within is None else within)


def difference(field: str, value: float, other: float) -> float:
    """A number minus another one; of angles the shorter way."""
    apart = value - other
    return (apart + 180) % 360 - 180 if field == "angle" else apart


def is_colour(value: Colour, expected: Any) -> bool:
    """Whether people call a colour so; one in numbers must be almost the same.

    A name without a shade, such as ``blue``, includes its dark and light ones.
    """
    expected_colour = colour_of(expected)
    if colour_difference(value, expected_colour) <= _SAME_COLOUR:
        return True
    if not isinstance(expected, str) or expected.startswith("#"):
        return False
    name = expected.strip().lower().replace("gray", "grey")
    if any(colour_difference(value, one) <= _SAME_COLOUR for one in _called(name)):
        return True
    if name not in COLOURS:
        return colour_difference(value, expected_colour) <= _SHADE
    called = colour_name(value)
    return called == name or (called.endswith(f" {name}") and name not in ("black", "white"))


@lru_cache(maxsize=256)
def _called(name: str) -> tuple[Colour, ...]:
    """The colours of CSS that have a name, or a shade of it: ``brown`` and ``saddlebrown``, but not ``orangered``."""
    own = name.replace(" ", "")
    shades = {one.replace("gray", "grey").removesuffix(own): one for one in ImageColor.colormap if _ends(one, own)}
    others = [*(one for one in COLOURS if one != name), "violet"]
    named = [one for rest, one in shades.items() if not any(other in rest for other in others)]
    return tuple((r, g, b) for r, g, b in (ImageColor.getrgb(one)[:3] for one in named))


def _ends(colour: str, name: str) -> bool:
    return colour.replace("gray", "grey").endswith(name)


def plain(value: Any) -> Any:
    """A value as JSON represents it."""
    if hasattr(value, "model_dump"):
        return value.model_dump(mode="json")
    return [plain(one) for one in value] if isinstance(value, list | tuple) else value
