"""The constraints that follow from the document that an edit should give."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from types import MappingProxyType
from typing import Any, NamedTuple

from ...core.boxes import centre
from ..operations.styles import COLOUR_FIELDS
from ..operations.values import colour_name
from ..painting.pictures import tint_of
from ..scene.cells import format_changes
from ..scene.document import ORDER, Document, Key, changes
from ..scene.elements import BBox, Element, enclosing
from .comparison import Comparison, is_value, plain, values_of
from .constraints import CONSTRAINT, Constraint, MayChange, chart_texts
from .layout import hides
from .looks import BOX, LETTER_FIELDS, LETTERED, NEAR, are_copies, blended, ink_rect, letters, paint_alike
from .relations import is_over
from .text_rule import TextRule

_SIZE, _LETTERS = 3.0, 2.0
"""The maximum ratios between the size of a new element, and of its letters, and the expected ones."""
_KEYS = {"position": ("x", "y"), "size": ("width", "height"), "runs": LETTER_FIELDS}
"""The keys of JSON for fields of ``changes``."""


def keys_of(field: str) -> tuple[str, ...]:
    """The keys of a document's JSON for a field of ``changes``."""
    return _KEYS.get(field, (field.removeprefix("style."),))


class Latitude(NamedTuple):
    """What a request leaves open.

    Attributes:
        regions: by ids in the expected document, where the middle of a new or moved element must be, if not
            exactly in place.
        copies: ids of new elements that must look as what they are copies of.
        free: element and field of side effects, which may have any value.
        ranges: by element and key of its JSON, the smallest and largest share of the value before.
    """

    regions: Mapping[str, BBox] = MappingProxyType({})
    copies: Collection[str] = ()
    free: Collection[Key] = ()
    ranges: Mapping[Key, tuple[float, float]] = MappingProxyType({})

    def joined(self, other: Latitude) -> Latitude:
        """The union of this latitude and another one."""
        regions = {**self.regions, **other.regions}
        free, ranges = {*self.free, *other.free}, {**self.ranges, **other.ranges}
        return Latitude(regions, (*self.copies, *other.copies), free, ranges)


class Requirements(NamedTuple):
    """What must hold after an edit, and what else may change."""

    constraints: tuple[Constraint, ...]
    may_change: tuple[MayChange, ...] = ()


def requirements_of(before: Document, expected: Document, latitude: Latitude | None = None) -> Requirements:
    """What an edit must meet to give what is expected, as far as it can be seen.

    Args:
        before: the document that is edited.
        expected: the document after the edit.
        latitude: what is left open; ``None``: nothing.
    """
    latitude = latitude or Latitude()
    made = changes(before, expected)
    constraints: list[Constraint] = list(_of_pages(before, expected))
    may_change: dict[str, set[str]] = {}
    for name in dict.fromkeys(name for name, _ in made):
        old, new = before.find(name), expected.find(name)
        if old is None and new is None:
            # A page.
            continue
        free = {key for n, field in latitude.free if n == name for key in keys_of(field)}
        known = hides(before, old) if old else ()
        for hidden in hides(expected, new) if new else ():
            if hidden not in known:
                may_change.setdefault(hidden, set()).add("hidden")
        if new is None:
            constraints.append(_made("gone", element=name))
        elif old is None:
            constraints += _of_new(before, expected, new, latitude)
        elif new.type != "group":
            constraints += _of_changed(before, expected, old, new, free, latitude)
            constraints += _of_order(before, expected, new) if (name, ORDER) in made else ()
            if old.text != new.text and len({one[1:] for one in letters(old)}) > 1:
                free |= set(LETTER_FIELDS)
        if free:
            may_change.setdefault(name, set()).update(free)
    allowed = (MayChange(element=name, fields=tuple(sorted(fields))) for name, fields in may_change.items())
    return Requirements(tuple(constraints), tuple(allowed))


def _made(check: str, **fields: Any) -> Constraint:
    constraint: Constraint = CONSTRAINT.validate_python({"check": check, **fields})
    return constraint


def _of_changed(
    before: Document, expected: Document, old: Element, new: Element, free: Collection[str], latitude: Latitude
) -> Iterator[Constraint]:
    """The constraints for an element that is there before and after."""
    name, region = new.id, latitude.regions.get(new.id)
    free = {*free, "x", "y"} if region else free
    if old.text != new.text and not new.cells:
        yield _made("text", element=name, any_of=(new.text,))
        if new.type == "list" and old.text.count("\n") != new.text.count("\n"):
            yield _made("items", element=name, **{"is": new.text.count("\n") + 1})
    if old.cells != new.cells:
        yield from _of_table(old, new)
    for field, row, column, was, now in format_changes(old, new):
        is_fill = field == "fill" and not (row or column)
        for one in range(1, len(new.cells) + 1) if is_fill else (row,):
            yield _made("value", element=name, field=field, row=one, column=column, any_of=_any_of(field, now, was))
    if old.chart != new.chart:
        was, now = chart_texts(old), chart_texts(new)
        for field in (field for field in now if was[field] != now[field]):
            yield _made("chart", element=name, field=field, any_of=(", ".join(now[field]),))
    if "x" in free:
        yield _made("place", element=name, region=region or enclosing([old.bbox, new.bbox]))
    for field in _values(old, new):
        if times := latitude.ranges.get((name, field)):
            yield _made("value", element=name, field=field, times=times)
            continue
        expected_values = values_of(expected, new, field)
        if field in free or values_of(before, old, field) == expected_values:
            continue
        if field not in BOX and paint_alike(blended(old, new, {field}), old):
            continue
        if field in BOX or len(expected_values) == 1:
            any_of = _any_of(field, expected_values[0], values_of(before, old, field)[0])
            yield _made("value", element=name, field=field, any_of=any_of)
        else:
            yield from _of_words(old, new, field)


def _values(old: Element, new: Element) -> Iterator[str]:
    """The keys of JSON whose values differ."""
    yield from (field for field, a, b in zip(BOX, old.bbox, new.bbox, strict=True) if a != b)
    for field in ("type", "asset", "shape", "angle", "opacity", "rises", "levels", "columns", "crop"):
        if field == "asset" and tint_of(new.asset) and blended(old, new, {"colour"}).asset == new.asset:
            yield "colour"
        elif getattr(old, field) != getattr(new, field) and not (field == "columns" and old.cells != new.cells):
            yield field
    is_uniform = len({one[1:] for one in letters(new)}) == 1
    for field in type(new.style).model_fields:
        runs = field in LETTER_FIELDS and old.runs != new.runs and (is_uniform or old.text == new.text)
        if runs or getattr(old.style, field) != getattr(new.style, field):
            yield field


def _of_words(old: Element, new: Element, field: str) -> Iterator[Constraint]:
    """Constraints for the words whose letters have another value than before."""
    at, was = 0, letters(old)
    for run in new.runs:
        words = run.text.strip()
        values = [getattr(one, field) for one in letters(new)[at : at + len(run.text)]]
        changed = [getattr(one, field) for one in was[at : at + len(run.text)]] != values
        if words and changed:
            any_of = _any_of(field, values[0], getattr(was[at], field) if at < len(was) else None)
            yield _made("value", element=new.id, field=field, words=words, any_of=any_of)
        at += len(run.text)


def _any_of(field: str, value: Any, before: Any = None) -> tuple[Any, ...]:
    """What counts as a value; a colour may be any that people call the same, if they call the one before otherwise."""
    if field not in COLOUR_FIELDS or value is None:
        return (plain(value),)
    name, exact = colour_name(value), f"#{bytes(value).hex()}"
    return (exact,) if before is not None and is_value(field, before, name) else (exact, name)


def _of_table(old: Element, new: Element) -> Iterator[Constraint]:
    rows, columns = len(new.cells), len(new.cells[0])
    if len(old.cells) != rows:
        yield _made("rows", element=new.id, **{"is": rows})
    if len(old.cells[0]) != columns:
        yield _made("columns", element=new.id, **{"is": columns})
    was = {(i, k): text for i, row in enumerate(old.cells) for k, text in enumerate(row)}
    for i, row in enumerate(new.cells):
        for k, text in enumerate(row):
            if was.get((i, k)) != text:
                yield _made("cell", element=new.id, row=i + 1, column=k + 1, any_of=(text,))


def _of_order(before: Document, expected: Document, new: Element) -> Iterator[Constraint]:
    """Which elements must be over which, where it is another one than before and can be seen."""
    was, now = Comparison(before, before), Comparison(expected, expected)
    for other in expected.elements_of_page(expected.places[new.id][0]):
        a, b = before.find(new.id), before.find(other.id)
        if other.type == "group" or a is None or b is None or other.id == new.id:
            continue
        for one, two, old_one, old_two in ((new, other, a, b), (other, new, b, a)):
            if is_over(now, one, two) and not is_over(was, old_one, old_two):
                yield _made("relation", element=one.id, relation="over", other=two.id)


def _of_new(before: Document, expected: Document, new: Element, latitude: Latitude) -> Iterator[Constraint]:
    """The constraints for a new element."""
    page = expected.places[new.id][0]
    if new.parent is not None and expected.find(new.parent) is not None and new.parent not in before.places:
        return
    fill = _any_of("fill", new.style.fill) if new.type == "shape" and new.style.fill else ()
    text = TextRule(any_of=(new.text,)) if new.type in LETTERED or new.cells else None
    asset, shape = ((value,) if value is not None else () for value in (new.asset, new.shape))
    yield _made(
        "new", **{"as": new.id}, type=(new.type,), text=text, asset=asset, shape=shape, fill=fill, page=page + 1
    )  # fmt: skip
    x, y = (round(c) - 2 * NEAR for c in centre(ink_rect(expected, new)))
    yield _made("place", element=new.id, region=latitude.regions.get(new.id, (x, y, 4 * NEAR, 4 * NEAR)))
    models = (e for e in before.elements() if new.id in latitude.copies and are_copies(expected, new, before, e))
    model = next(models, None)
    if model is not None:
        yield _made("like", element=new.id, other=model.id)
        return
    for field, ratio in (("width", _SIZE), ("height", _SIZE), *([("size", _LETTERS)] if text and new.runs else [])):
        value = values_of(expected, new, field)[-1]
        yield _made("value", element=new.id, field=field, min=value / ratio, max=value * ratio)
    yield _made("value", element=new.id, field="angle", any_of=(new.angle, 0))
    yield _made("value", element=new.id, field="opacity", min=new.opacity / 2)


def _of_pages(before: Document, expected: Document) -> Iterator[Constraint]:
    """The constraints for pages: their order, backgrounds and notes."""
    edit = Comparison(before, expected)
    if edit.pages != list(range(len(before.pages))):
        pages = tuple("new" if page is None else page + 1 for page in edit.pages)
        yield _made("page_order", pages=pages)
    for number, (page, old) in enumerate(zip(expected.pages, edit.pages, strict=True), 1):
        was = before.pages[old] if old is not None else page.model_copy(update={"notes": ""})
        if page.backdrop is None and (page.background != was.background or was.backdrop is not None):
            yield _made("background", page=number, any_of=_any_of("fill", page.background))
        elif page.backdrop != was.backdrop:
            yield _made("background", page=number, any_of=(page.backdrop,))
        if page.notes != was.notes:
            yield _made("notes", page=number, any_of=(page.notes,))
