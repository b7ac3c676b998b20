"""The constraints of requests, as data: what must hold of a document after an edit."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any, Literal

import pydantic

from ...core.boxes import centre
from ...core.files import Data
from ..operations.styles import COLOUR_FIELDS
from ..operations.values import colour_of
from ..scene.cells import FORMAT_FIELDS
from ..scene.document import Document, Key
from ..scene.elements import Element, Kind, Style
from .base_constraint import BaseConstraint, Number, Values
from .comparison import Comparison, difference, is_value, plain, values_of
from .looks import BOX, LETTER_FIELDS, are_copies, visible_share
from .page_constraints import Background, Notes, Pages
from .relations import RELATIONS, fields_of_relation, stands
from .text_rule import TextRule

ALL = "*"
"""Every field of an element."""
FIELDS = (
    *BOX, *Style.model_fields, "opacity", "angle", "asset", "shape", "type", "levels", "cells", "columns", "rises",
    "crop",
)  # fmt: skip
"""The fields of values: keys of a document's JSON."""
_MOSTLY = 0.5
"""The minimum share of something new that must be seen."""
Texts = tuple[str, ...]
Range = tuple[float, float]


class _Worded(TextRule, BaseConstraint):
    """A text of an element that must be right."""

    element: str

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        old = edit.old(self.element)
        return self.accepts(self.actual(edit), None if old is None else self._text(old))

    def actual(self, edit: Comparison) -> str | None:
        """The text that there is; ``None`` without one."""
        new = edit.new(self.element)
        return None if new is None else self._text(new)

    def _text(self, element: Element) -> str | None:
        return element.text

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return ("text",)


class Text(_Worded):
    """The whole text of an element."""

    check: Literal["text"]


class Item(_Worded):
    """An item of a list, counted from 1."""

    check: Literal["item"]
    item: Number

    def _text(self, element: Element) -> str | None:
        return dict(enumerate(element.text.split("\n"), 1)).get(self.item)

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return (f"item:{self.item}",)


class Cell(_Worded):
    """A cell of a table; row and column are counted from 1."""

    check: Literal["cell"]
    row: Number
    column: Number

    def _text(self, element: Element) -> str | None:
        return dict(enumerate(dict(enumerate(element.cells, 1)).get(self.row, ()), 1)).get(self.column)

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return (f"cell:{self.row}:{self.column}",)


class ChartText(_Worded):
    """The title, kind, categories or series of a chart; several of them are joined by commas."""

    check: Literal["chart"]
    field: Literal["title", "categories", "series", "kind"]

    def _text(self, element: Element) -> str | None:
        return None if element.chart is None else ", ".join(chart_texts(element)[self.field])

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return (f"chart:{self.field}",)


def chart_texts(element: Element) -> dict[str, list[str]]:
    """Title, kind, categories and series of a chart as texts, a series as ``name: 1, 2, 3``."""
    chart = element.chart
    if chart is None:
        return {}
    series = [f"{one.name}: {', '.join('' if v is None else f'{v:g}' for v in one.values)}" for one in chart.series]
    return {"title": [chart.title], "kind": [chart.kind], "categories": [*chart.categories], "series": series}


class Gone(BaseConstraint):
    """An element is there no more."""

    check: Literal["gone"]
    element: str

    def actual(self, edit: Comparison) -> Any:
        """Whether it is gone."""
        return edit.new(self.element) is None

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return (ALL,)


class Count(BaseConstraint):
    """The number of rows or columns of a table, or of items of a list."""

    check: Literal["rows", "columns", "items"]
    element: str
    number: Number = pydantic.Field(alias="is")

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return bool(self.actual(edit) == self.number)

    def actual(self, edit: Comparison) -> Any:
        """The number that there is; ``None`` without the element."""
        new = edit.new(self.element)
        if new is None:
            return None
        items = len(new.text.split("\n"))
        return {"rows": len(new.cells), "columns": len((*new.cells, ())[0]), "items": items}[self.check]

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return (self.check,)


class Value(BaseConstraint):
    """A field of an element, of words of its text, or of cells of a table.

    Attributes:
        field: a key of a document's JSON; x, y, width and height may be those of the box or of what is painted.
        any_of: its value is one of these.
        within: the tolerance of numbers in ``any_of``; without it, 3 for the box, 2 for angles, else 2 percent.
        min, max: the smallest and the largest value.
        times: the smallest and largest share of the value before.
        by: the smallest and largest difference to the value before.
        words: the part of the text that counts.
        row, column: the cells of a table that count, from 1; those of a column alone are the ones below the first row.
    """

    check: Literal["value"]
    element: str
    field: Annotated[str, pydantic.Field(pattern=rf"^({'|'.join(FIELDS)})$")]
    any_of: Values = ()
    within: float | None = None
    min: float | None = None
    max: float | None = None
    times: Range | None = None
    by: Range | None = None
    words: str = ""
    row: Number | None = None
    column: Number | None = None

    @pydantic.model_validator(mode="after")
    def _consistent(self) -> Value:
        if self.words and self.field not in LETTER_FIELDS:
            raise ValueError(f"words have no {self.field}; they have {', '.join(LETTER_FIELDS)}")
        if (self.row or self.column) and self.field not in FORMAT_FIELDS:
            raise ValueError(f"cells have no {self.field}; they have {', '.join(FORMAT_FIELDS)}")
        for one in self.any_of if self.field in COLOUR_FIELDS else ():
            _ = one is None or colour_of(one)
        if not self.any_of and all(v is None for v in (self.min, self.max, self.times, self.by)):
            raise ValueError("it needs any_of, min, max, times or by")
        return self

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met: by all letters, or by the box or what is painted."""
        new, old = edit.new(self.element), edit.old(self.element)
        values = self._values(edit.after, new, self.words)
        before = self._values(edit.before, old)
        if self.field not in BOX:
            return bool(values) and all(self._fits(value, (*before, None)[0]) for value in values)
        if before and values:
            # What is painted may have moved or grown as the box should have; how large a text's box is shows nowhere.
            painted = values[1:] if old and old.type == "text" and self.field in ("width", "height") else []
            values = [values[0], before[0] + values[1] - before[1], *painted]
        return any(self._fits(value, (*before, None)[0]) for value in values)

    def _values(self, document: Document, element: Element | None, words: str = "") -> list[Any]:
        return values_of(document, element, self.field, words, self.row, self.column) if element else []

    def _fits(self, value: Any, before: Any) -> bool:
        if self.any_of and not any(is_value(self.field, value, one, self.within) for one in self.any_of):
            return False
        if self.min is None and self.max is None and not (self.times or self.by):
            return True
        if not isinstance(value, int | float) or ((self.times or self.by) and not isinstance(before, int | float)):
            return False
        limits: list[tuple[float | None, float | None, float]] = [(self.min, self.max, value)]
        limits += [(self.times[0] * before, self.times[1] * before, value)] if self.times else []
        limits += [(*self.by, difference(self.field, value, before))] if self.by else []
        return all((low is None or low <= v) and (high is None or v <= high) for low, high, v in limits)

    def actual(self, edit: Comparison) -> Any:
        """The values that there are."""
        values = self._values(edit.after, edit.new(self.element), self.words)
        return plain(values[:1] if self.field in BOX else values)

    def _fields(self, edit: Comparison) -> Iterable[str]:
        part = f"{self.row or '*'}:{self.column or '*'}" if self.row or self.column else self.words
        return (f"{self.field}:{part}" if part else self.field,)


class Place(BaseConstraint):
    """The middle of an element lies in a region of its page: left, top, width and height in pixels."""

    check: Literal["place"]
    element: str
    region: tuple[float, float, float, float]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        left, top, width, height = self.region
        return any(left <= x <= left + width and top <= y <= top + height for x, y in self.actual(edit))

    def actual(self, edit: Comparison) -> Any:
        """The middle of what is painted, of the box, and of the box before if it moved as these."""
        new, old = edit.new(self.element), edit.old(self.element)
        if new is None:
            return []
        x, y = centre(edit.ink_of(new))
        if old is None:
            return [(x, y), new.centre]
        was = centre(edit.ink_of(old))
        found = [(x, y), new.centre, (old.centre[0] + x - was[0], old.centre[1] + y - was[1])]
        # How large a text's box is shows nowhere.
        kept = (new.bbox[0] + old.bbox[2] / 2, new.bbox[1] + old.bbox[3] / 2)
        return [*found, kept] if new.type == old.type == "text" else found

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return ("x", "y")


class Like(BaseConstraint):
    """An element looks as another one did before the edit, wherever it is."""

    check: Literal["like"]
    element: str
    other: str

    def actual(self, edit: Comparison) -> Any:
        """Whether it does."""
        new, other = edit.new(self.element), edit.old(self.other)
        return new is not None and other is not None and are_copies(edit.after, new, edit.before, other)


class New(BaseConstraint):
    """An element that was not there before, and of which most can be seen.

    Attributes:
        name: what other constraints call it.
        type: its type is one of these.
        text: what it says.
        asset, shape, fill, stroke, colour: one of these.
        page: where it is, counted from 1.
    """

    check: Literal["new"]
    name: str = pydantic.Field(alias="as")
    type: tuple[Kind, ...] = ()
    text: TextRule | None = None
    asset: Texts = ()
    shape: Texts = ()
    fill: Values = ()
    stroke: Values = ()
    colour: Values = ()
    page: Number | None = None

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        new = edit.new(self.name)
        return new is not None and all(self.parts(edit, new)) and visible_share(edit.after, new) > _MOSTLY

    def parts(self, edit: Comparison, new: Element) -> Iterator[bool]:
        """Whether an element meets each of its conditions."""
        yield not self.type or new.type in self.type
        if self.text is not None:
            yield self.text.accepts(new.text)
        if self.page is not None:
            yield edit.after.places[new.id][0] + 1 == self.page
        for field in ("asset", "shape", *COLOUR_FIELDS):
            if expected := getattr(self, field):
                values = values_of(edit.after, new, field)
                yield all(any(is_value(field, value, one) for one in expected) for value in values)

    def actual(self, edit: Comparison) -> Any:
        """What there is, in words."""
        new = edit.new(self.name)
        return f"{new.type} {new.text or new.asset or new.shape or ''}".strip() if new else ""


class Relation(BaseConstraint):
    """How an element stands to another one, or to its page, by what they paint.

    Attributes:
        relation: one of ``RELATIONS``.
        other: the other element, or ``page``.
        within: the tolerance, or the widest gap of ``near``, in pixels.
    """

    check: Literal["relation"]
    element: str
    relation: Annotated[str, pydantic.Field(pattern=rf"^({'|'.join(RELATIONS)})$")]
    other: str = "page"
    within: float = 6

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return stands(edit, self.element, self.relation, self.other, self.within)

    def actual(self, edit: Comparison) -> Any:
        """What both paint: left, top, right and bottom."""
        return [edit.ink(self.element), "the page" if self.other == "page" else edit.ink(self.other)]

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it."""
        element = edit.new(self.element) or edit.old(self.element)
        yield from ((self.element, field) for field in fields_of_relation(self.relation, element))
        if self.relation == "over":
            yield self.other, "order"


class AnyOf(BaseConstraint):
    """One of several lists of constraints holds."""

    check: Literal["any"]
    of: Annotated[tuple[tuple[Constraint, ...], ...], pydantic.Field(min_length=1)]

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return any(all(one.holds(edit) for one in branch) for branch in self.of)

    def actual(self, edit: Comparison) -> Any:
        """What there is instead, in words."""
        broken = (one for branch in self.of for one in branch if not one.holds(edit))
        return "; ".join(f"{one.label}: {one.actual(edit)}" for one in broken)

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """What may change: for the first list that holds, or for any if none does."""
        met = [branch for branch in self.of if all(one.holds(edit) for one in branch)][:1]
        return (key for branch in met or self.of for one in branch for key in one.touches(edit))


Constraint = Annotated[
    Text | Item | Cell | ChartText | Gone | Count | Value | Place | Like | New | Relation | Pages | Background | Notes
    | AnyOf,
    pydantic.Field(discriminator="check"),
]  # fmt: skip
"""A condition that an edited document must meet."""
AnyOf.model_rebuild()
CONSTRAINT: pydantic.TypeAdapter[Constraint] = pydantic.TypeAdapter(Constraint)
"""Reads constraints."""


def flat(constraints: Iterable[Constraint]) -> Iterator[Constraint]:
    """All constraints, those of alternatives too."""
    for one in constraints:
        yield one
        if isinstance(one, AnyOf):
            yield from flat(inner for branch in one.of for inner in branch)


class MayChange(Data):
    """Fields of an element that may change harmlessly: keys of its JSON, ``"position"``, or ``"*"``: all."""

    element: str
    fields: tuple[str, ...]
