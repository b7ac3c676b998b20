"""The constraints of requests, as data: what must hold of a document after an edit."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Annotated, Any, Literal

import pydantic
from pydantic import ConfigDict

from ...core.boxes import Rect, centre
from ...core.files import Data
from ..operations.values import colour_of
from ..painting.view import stamp_of
from ..scene.document import Key
from ..scene.elements import Element, Kind, Style
from .comparison import COLOUR_FIELDS, Comparison, difference, folded, is_colour, is_value, plain, values_of
from .looks import BOX, LETTER_FIELDS, same_sprite
from .relations import BY_BOX, BY_LOOK, RELATIONS

Texts = tuple[str, ...]
Number = Annotated[int, pydantic.Field(ge=1)]
"""Of a page, a row, a column or an item, counted from 1."""
Range = tuple[float, float]
FIELDS = (
    *BOX, *Style.model_fields, "opacity", "angle", "asset", "shape", "type", "cells", "columns", "rises", "crop",
)  # fmt: skip
"""The fields of values: keys of a document's JSON."""
ALL = "*"
"""Every field of an element."""


class _Constraint(Data):
    """A condition that an edited document must meet."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        raise NotImplementedError

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        return ""

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it, of a part of a text as ``field:words``."""
        yield from ()

    @property
    def label(self) -> str:
        """What it is about, for people."""
        about = self.model_dump(exclude_defaults=True)
        check, element = about.pop("check"), about.pop("element", about.pop("as", ""))
        return " ".join([str(element), str(about.get("field", about.get("relation", check)))]).strip()


class TextRule(_Constraint):
    """What a text must be; of several conditions all count.

    Spaces, quotation marks and dashes are compared without regard to their kind.

    Attributes:
        any_of: the whole text is one of these.
        contains: it holds all of these.
        lacks: it holds none of these.
        pattern: a regular expression that occurs in it.
        shorter: it has fewer letters than before, but some.
        longer: it has more.
        ignore_case: upper and lower case are alike.
    """

    any_of: Texts = ()
    contains: Texts = ()
    lacks: Texts = ()
    pattern: str | None = None
    shorter: bool = False
    longer: bool = False
    ignore_case: bool = False

    @pydantic.field_validator("pattern")
    @classmethod
    def _is_expression(cls, pattern: str | None) -> str | None:
        try:
            re.compile(pattern or "")
        except re.error as error:
            raise ValueError(f"{pattern!r} is no regular expression: {error}") from None
        return pattern

    def accepts(self, text: str | None, before: str = "") -> bool:
        """Whether a text is right; ``None``: there is none."""
        if text is None:
            return False
        own, was = folded(text, self.ignore_case), folded(before, self.ignore_case)

        def has(part: str) -> bool:
            return folded(part, self.ignore_case) in own

        return (
            (not self.any_of or own in [folded(one, self.ignore_case) for one in self.any_of])
            and all(map(has, self.contains))
            and not any(map(has, self.lacks))
            and (self.pattern is None or re.search(self.pattern, own, re.I * self.ignore_case) is not None)
            and (not self.shorter or 0 < len(own) < len(was))
            and (not self.longer or len(own) > len(was))
        )


class _OfElement(_Constraint):
    element: str


class Gone(_OfElement):
    """An element is there no more."""

    check: Literal["gone"]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return edit.new(self.element) is None

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        return "gone" if self.holds(edit) else "there"

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield self.element, ALL


class _Worded(TextRule, _OfElement):
    """A text of an element that must be right."""

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        old = edit.old(self.element)
        return self.accepts(self.actual(edit), (self.text(old) if old else None) or "")

    def actual(self, edit: Comparison) -> Any:
        """The text that there is; ``None`` without one."""
        new = edit.new(self.element)
        return None if new is None else self.text(new)

    def text(self, element: Element) -> str | None:
        """The text of an element that counts."""
        return element.text

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield self.element, "text"


class Text(_Worded):
    """The whole text of an element."""

    check: Literal["text"]


class Item(_Worded):
    """An item of a list."""

    check: Literal["item"]
    item: Number

    def text(self, element: Element) -> str | None:
        """The text of an element that counts."""
        return dict(enumerate(element.text.split("\n"), 1)).get(self.item)

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield self.element, f"item:{self.item}"


class Cell(_Worded):
    """A cell of a table."""

    check: Literal["cell"]
    row: Number
    column: Number

    def text(self, element: Element) -> str | None:
        """The text of an element that counts."""
        row = dict(enumerate(element.cells, 1)).get(self.row, ())
        return dict(enumerate(row, 1)).get(self.column)

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield self.element, f"cell:{self.row}:{self.column}"


class Chart(_Worded):
    """The title, kind, categories or series of a chart; several of them are joined by commas."""

    check: Literal["chart"]
    field: Literal["title", "categories", "series", "kind"]

    def text(self, element: Element) -> str | None:
        """The text of an element that counts."""
        value = getattr(getattr(element, "chart", None), self.field, None)
        if self.field == "series" and value is not None:
            value = [f"{one.name}: {', '.join(f'{v:g}' for v in one.values)}" for one in value]
        return ", ".join(value) if isinstance(value, list | tuple) else value

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield self.element, f"chart:{self.field}"


class Count(_OfElement):
    """The number of rows or columns of a table, or of items of a list."""

    check: Literal["rows", "columns", "items"]
    number: Number = pydantic.Field(alias="is")

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return bool(self.actual(edit) == self.number)

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        new = edit.new(self.element)
        if new is None:
            return ""
        return {"rows": len(new.cells), "columns": len((*new.cells, ())[0]), "items": new.text.count("\n") + 1}[
            self.check
        ]

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield self.element, self.check


class Value(_OfElement):
    """A field of an element, or of words of its text.

    Attributes:
        field: a key of a document's JSON, or ``position`` (x and y); x, y, width and height may be those of the box or
            of what the element covers.
        any_of: its value is one of these.
        within: the tolerance of numbers in ``any_of``; without it, 3 for the box, 2 for angles, else 2 percent.
        min, max: the smallest and the largest value.
        times: the smallest and largest share of the value before.
        by: the smallest and largest difference to the value before.
        words: the part of the text that counts.
    """

    check: Literal["value"]
    field: Annotated[str, pydantic.Field(pattern=rf"^({'|'.join(FIELDS)})$")]
    any_of: tuple[Any, ...] = ()
    within: float | None = None
    min: float | None = None
    max: float | None = None
    times: Range | None = None
    by: Range | None = None
    words: str = ""

    @pydantic.model_validator(mode="after")
    def _consistent(self) -> Value:
        if self.words and self.field not in LETTER_FIELDS:
            raise ValueError(f"words have no {self.field}; they have {', '.join(LETTER_FIELDS)}")
        if self.field in COLOUR_FIELDS:
            for one in self.any_of:
                _ = one is None or colour_of(one)
        if not self.any_of and all(v is None for v in (self.min, self.max, self.times, self.by)):
            raise ValueError("it needs any_of, min, max, times or by")
        return self

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        new, old = edit.new(self.element), edit.old(self.element)
        if new is None:
            return False
        values = values_of(edit.after, new, self.field, self.words)
        before = values_of(edit.before, old, self.field) if old is not None else [None] * len(values)
        every = any if self.field in BOX else all
        if self.field not in BOX:
            before = before[:1] * len(values)
        return bool(values) and every(self._fits(v, b) for v, b in zip(values, before, strict=True))

    def _fits(self, value: Any, before: Any) -> bool:
        if self.any_of and not any(is_value(self.field, value, one, self.within) for one in self.any_of):
            return False
        if self.min is None and self.max is None and self.times is None and self.by is None:
            return True
        if not isinstance(value, int | float):
            return False
        limits = [(self.min, self.max, value)]
        if (self.times or self.by) and not isinstance(before, int | float):
            return False
        if self.times:
            limits.append((self.times[0] * before, self.times[1] * before, value))
        if self.by:
            limits.append((*self.by, difference(self.field, value, before)))
        return all((low is None or low <= v) and (high is None or v <= high) for low, high, v in limits)

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        new = edit.new(self.element)
        values = values_of(edit.after, new, self.field, self.words) if new else [""]
        return ", ".join(str(plain(v)) for v in values[: 1 if self.field in BOX else None])

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield self.element, f"{self.field}:{self.words}" if self.words else self.field


class Place(_OfElement):
    """The middle of an element lies in a region of its page: left, top, width and height in pixels."""

    check: Literal["place"]
    region: tuple[float, float, float, float]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        new = edit.new(self.element)
        left, top, width, height = self.region
        rect = edit.ink(self.element)
        points = [centre(rect), new.centre] if new and rect else []
        return any(left <= x <= left + width and top <= y <= top + height for x, y in points)

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        new = edit.new(self.element)
        return new.centre if new else ""

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield from ((self.element, field) for field in ("x", "y"))


class Like(_OfElement):
    """An element looks as another one did before the edit, wherever it is."""

    check: Literal["like"]
    other: str

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        new, other = edit.new(self.element), edit.old(self.other)
        return (
            new is not None
            and other is not None
            and (
                same_sprite(stamp_of(new).sprite, stamp_of(other).sprite)
                if "group" not in (new.type, other.type)
                else new.type == other.type
            )
        )


class New(_Constraint):
    """An element that was not there before.

    Attributes:
        name: what other constraints call it.
        type: its type is one of these.
        text: what it says.
        asset, shape, fill, stroke, colour: one of these.
        page: where it is.
    """

    check: Literal["new"]
    name: str = pydantic.Field(alias="as")
    type: tuple[Kind, ...] = ()
    text: TextRule | None = None
    asset: Texts = ()
    shape: Texts = ()
    fill: tuple[Any, ...] = ()
    stroke: tuple[Any, ...] = ()
    colour: tuple[Any, ...] = ()
    page: Number | None = None

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        new = edit.new(self.name)
        return new is not None and all(self.parts(edit, new))

    def parts(self, edit: Comparison, new: Element) -> Iterator[bool]:
        """Whether each of its conditions is met by an element."""
        yield not self.type or new.type in self.type
        if self.text is not None:
            yield self.text.accepts(new.text)
        for field in ("asset", "shape", *COLOUR_FIELDS):
            expected = getattr(self, field)
            if expected:
                yield all(
                    any(is_value(field, value, one) for one in expected)
                    for value in values_of(edit.after, new, field) or [None]
                )
        if self.page is not None:
            yield edit.after.places[new.id][0] + 1 == self.page

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        new = edit.new(self.name)
        return f"{new.type} {new.text or new.asset or new.shape or ''}".strip() if new else ""


class Relation(_OfElement):
    """How an element stands to another one, or to its page, by what they cover.

    Attributes:
        relation: one of ``RELATIONS``.
        other: the other element, or ``page``.
        within: the tolerance, or the widest gap of ``near``, in pixels.
    """

    check: Literal["relation"]
    relation: str
    other: str = "page"
    within: float = 6

    @pydantic.field_validator("relation")
    @classmethod
    def _is_known(cls, relation: str) -> str:
        if relation not in RELATIONS:
            raise ValueError(f"there is no relation {relation!r}; there are {', '.join(RELATIONS)}")
        return relation

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        new, page = edit.new(self.element), edit.page_of(self.element)
        rect = edit.ink(self.element)
        if new is None or rect is None or page is None:
            return False
        if self.other == "page":
            sheet = edit.after.pages[page]
            other: Rect | None = (0, 0, sheet.width, sheet.height)
        else:
            other = edit.ink(self.other)
        if other is None or (self.other != "page" and edit.page_of(self.other) != page):
            return False
        if self.relation in BY_BOX:
            return BY_BOX[self.relation](rect, other, self.within)
        them = edit.new(self.other) or edit.old(self.other)
        return them is not None and BY_LOOK[self.relation](edit, new, them)

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        return f"{edit.ink(self.element)} and {edit.ink(self.other) if self.other != 'page' else 'the page'}"

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield from ((self.element, field) for field in RELATIONS[self.relation])
        if self.relation == "over":
            yield self.other, "order"


class Pages(_Constraint):
    """The number of pages."""

    check: Literal["pages"]
    number: Number = pydantic.Field(alias="is")

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return len(edit.after.pages) == self.number

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        return len(edit.after.pages)

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield "", "pages"


class PageOrder(_Constraint):
    """The pages after the edit by their numbers before it; ``"new"`` for a new one."""

    check: Literal["page_order"]
    pages: tuple[Number | Literal["new"], ...]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return bool(self.actual(edit) == list(self.pages))

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        return ["new" if page is None else page + 1 for page in edit.pages]

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield "", "pages"


class Background(_Constraint):
    """The colour of a page, whose number is that after the edit."""

    check: Literal["background"]
    page: Number
    any_of: tuple[Any, ...]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        value = self.actual(edit)
        return value != "" and any(is_colour(tuple(value), one) for one in self.any_of)

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        return edit.after.pages[self.page - 1].background if self.page <= len(edit.after.pages) else ""

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield f"page {self.page}", "background"


class Notes(TextRule):
    """The speaker's notes of a page, whose number is that after the edit."""

    check: Literal["notes"]
    page: Number

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        was = edit.pages[self.page - 1] if self.page <= len(edit.pages) else None
        return self.accepts(self.actual(edit), getattr(edit.before.pages[was], "notes", "") if was is not None else "")

    def actual(self, edit: Comparison) -> Any:
        """The notes that there are."""
        return getattr(edit.after.pages[self.page - 1], "notes", "") if self.page <= len(edit.after.pages) else None

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        yield f"page {self.page}", "notes"


class AnyOf(_Constraint):
    """One of several lists of constraints holds."""

    check: Literal["any"]
    of: Annotated[tuple[tuple[Constraint, ...], ...], pydantic.Field(min_length=1)]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return any(all(one.holds(edit) for one in branch) for branch in self.of)

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        return "; ".join(
            f"{one.label}: {one.actual(edit)}" for branch in self.of for one in branch if not one.holds(edit)
        )

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """What may change: for the first list that holds, or for any if none does."""
        met = [branch for branch in self.of if all(one.holds(edit) for one in branch)][:1]
        for branch in met or self.of:
            for one in branch:
                yield from one.touches(edit)


Constraint = Annotated[
    Gone
    | Text
    | Item
    | Cell
    | Chart
    | Count
    | Value
    | Place
    | Like
    | New
    | Relation
    | Pages
    | PageOrder
    | Background
    | Notes
    | AnyOf,
    pydantic.Field(discriminator="check"),
]
"""A condition that an edited document must meet."""
AnyOf.model_rebuild()


class MayChange(Data):
    """Fields of an element that may change harmlessly; ``"*"``: all."""

    element: str
    fields: tuple[str, ...]
