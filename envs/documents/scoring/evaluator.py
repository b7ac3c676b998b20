"""Evaluate an edit: which constraints hold, and what has changed visibly besides."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import NamedTuple

import numpy as np

from ..painting.view import painted
from ..scene.document import ORDER, Document, changes
from ..scene.elements import Element, Style
from .comparison import Comparison
from .edit_score import element_similarity
from .language import ALL, AnyOf, Constraint, Gone, MayChange, New
from .layout import layout_problems
from .looks import BOX, LETTER_FIELDS, blended, paints_alike

_ALIKE = 0.3
"""The minimum similarity of an element to one that it replaces."""
_REPAIRS = {*BOX, "size", "line_height"}
"""The fields that may change to repair the layout."""
_FIELDS = ("asset", "shape", "angle", "opacity", "rises", "cells", "columns", "crop", "chart")


class Change(NamedTuple):
    """A visible change that was not requested: an element of the document before (or a new one), and what changed."""

    element: str
    field: str


class EditEvaluator:
    """The evaluation of an edited document against constraints.

    Args:
        before: the document before the edit.
        after: the document after it.
        constraints: what must hold.
        may_change: what else may change.
    """

    def __init__(
        self,
        before: Document,
        after: Document,
        constraints: Sequence[Constraint],
        may_change: Sequence[MayChange] = (),
    ) -> None:
        self._before, self._after = before, after
        self.constraints, self._may_change = constraints, may_change
        self.comparison = Comparison(before, after, _bindings(before, after, constraints))

    @cached_property
    def held(self) -> list[bool]:
        """Whether each constraint holds."""
        return [one.holds(self.comparison) for one in self.constraints]

    @property
    def success(self) -> bool:
        """Whether all constraints hold and nothing visible has changed besides."""
        return all(self.held) and not self.unrequested

    @property
    def progress(self) -> float:
        """The share of the constraints met that did not hold before; 0 if anything else has changed or broken."""
        unedited = Comparison(self._before, self._before)
        new = [held for one, held in zip(self.constraints, self.held, strict=True) if not one.holds(unedited)]
        is_broken = sum(self.held) - sum(new) < len(self.held) - len(new)
        return 0.0 if is_broken or not any(new) or self.unrequested else sum(new) / len(new)

    @cached_property
    def unrequested(self) -> list[Change]:
        """The visible changes that were not requested."""
        if self._before.pages == self._after.pages:
            return []
        return [*self._of_pages(), *self._of_elements(), *self._of_order(), *self._hidden()]

    @cached_property
    def _allowed(self) -> dict[str, set[str]]:
        """The fields that may change, by element of the document before or name of constraints."""
        found: dict[str, set[str]] = defaultdict(set)
        for constraint in self.constraints:
            for name, field in constraint.touches(self.comparison):
                found[name].add(field)
        for one in self._may_change:
            found[one.element] |= set(one.fields)
        for fields in found.values():
            if "position" in fields:
                fields |= {"x", "y"}
        for name in list(found):
            group = self._before.find(name)
            if group is not None and group.type == "group":
                for child in self._before.children(name):
                    found[child.id] |= found[name]
        return found

    def _of_pages(self) -> Iterator[Change]:
        if "pages" not in self._allowed.get("", ()) and self.comparison.pages != list(range(len(self._before.pages))):
            yield Change("", "pages")
        for number, old in enumerate(self.comparison.pages):
            if old is None:
                continue
            was, now = self._before.pages[old], self._after.pages[number]
            for field in ("background", "backdrop", "notes"):
                different = getattr(was, field, None) != getattr(now, field, None)
                if different and field not in self._allowed.get(f"page {number + 1}", ()):
                    yield Change(f"page {number + 1}", field)

    def _of_elements(self) -> Iterator[Change]:
        edit, kept = self.comparison, set()
        left = set(range(len(self._before.pages))) - set(edit.pages)
        for element in self._before.elements():
            new, allowed = edit.new(element.id), self._allowed.get(element.id, set())
            if new is not None:
                kept.add(new.id)
            if element.type == "group" or ALL in allowed or (new is element and not self._has_turned(element.id, new)):
                continue
            if new is None:
                if self._before.places[element.id][0] not in left and self._is_visible(self._before, element):
                    yield Change(element.id, "gone")
            elif self._has_turned(element.id, new):
                yield Change(element.id, "page")
            else:
                yield from self._of_element(element, new, allowed)
        bound = set(edit.names.values())
        for element in self._after.elements():
            is_new = element.id not in kept and element.id not in bound and element.type != "group"
            page = self._after.places[element.id][0]
            if is_new and edit.pages[page] is not None and self._is_visible(self._after, element):
                yield Change(element.id, "new")

    def _has_turned(self, name: str, new: Element) -> bool:
        """Whether an element is on another page."""
        return self.comparison.pages[self._after.places[new.id][0]] != self._before.places[name][0]

    def _of_element(self, old: Element, new: Element, allowed: set[str]) -> Iterator[Change]:
        """What has changed of an element that was not requested, if it can be seen."""
        fields = {one for one in allowed if ":" not in one}
        words = {
            (field, part)
            for field, _, part in (one.partition(":") for one in allowed)
            if field in LETTER_FIELDS and part
        }
        if new.type != old.type:
            if "type" not in fields:
                yield Change(old.id, "type")
            return
        if allowed & {"rows", "columns", "items"} or any(one.startswith(("cell:", "item:")) for one in allowed):
            if (problem := _of_parts(old, new, allowed)) is not None:
                yield Change(old.id, problem)
            fields |= {"cells", "columns", "text", "height"}
        fields |= {"chart"} if any(one.startswith("chart:") for one in allowed) else set()
        only_allowed = blended(old, new, fields, words)
        if paints_alike(only_allowed, new) or paints_alike(blended(new, old, fields, words), old):
            return
        different = [field for field in _differences(only_allowed, new) if field not in fields]
        if not self._shows(new, only_allowed) or self._is_repair(new, only_allowed, set(different)):
            return
        for field in different or ["text"]:
            yield Change(old.id, field)

    def _shows(self, new: Element, other: Element) -> bool:
        """Whether the page would look different with another version of an element."""
        page, at = self._after.places[new.id]
        elements = self._after.pages[page].elements
        document = self._after.with_elements(page, (*elements[:at], other, *elements[at + 1 :]))
        return not np.array_equal(painted(self._after, page), painted(document, page))

    def _is_visible(self, document: Document, element: Element) -> bool:
        page, at = document.places[element.id]
        elements = document.pages[page].elements
        other = document.with_elements(page, (*elements[:at], *elements[at + 1 :]))
        return not np.array_equal(painted(document, page), painted(other, page))

    def _is_repair(self, new: Element, other: Element, fields: set[str]) -> bool:
        """Whether an element was moved or resized so that the requested edit harms no layout."""
        if not fields <= _REPAIRS:
            return False
        page, at = self._after.places[new.id]
        elements = self._after.pages[page].elements
        document = self._after.with_elements(
            page, (*elements[:at], other.model_copy(update={"id": new.id}), *elements[at + 1 :])
        )
        about = [one for one in layout_problems(self._before, document) if new.id in one.elements]
        return bool(about) and not any(new.id in one.elements for one in layout_problems(self._before, self._after))

    def _of_order(self) -> Iterator[Change]:
        """The elements that were raised or lowered, if that can be seen."""
        mine = {new: name for name, new in self.comparison.names.items()}
        moved = [name for name, field in changes(self._before, self._after, mine) if field == ORDER]
        for name in moved:
            if not {"order", ALL} & self._allowed.get(name, set()):
                new = self.comparison.new(name)
                if new is not None and self._order_shows(self._after.places[new.id][0]):
                    yield Change(name, ORDER)

    def _order_shows(self, number: int) -> bool:
        """Whether a page would look different if its old elements were in their old order."""
        old = self.comparison.pages[number]
        if old is None:
            return False
        rank = {e.id: i for i, e in enumerate(self._before.pages[old].elements)}
        elements = list(self._after.pages[number].elements)
        at = [i for i, e in enumerate(elements) if e.id in rank]
        for i, element in zip(at, sorted((elements[i] for i in at), key=lambda e: rank[e.id]), strict=True):
            elements[i] = element
        other = self._after.with_elements(number, tuple(elements))
        return not np.array_equal(painted(self._after, number), painted(other, number))

    def _hidden(self) -> Iterator[Change]:
        """The texts that are hidden now by what was put over them."""
        for problem in layout_problems(self._before, self._after):
            if problem.kind == "hidden" and "order" not in self._allowed.get(problem.elements[0], ()):
                yield Change(problem.elements[0], "hidden")


def _differences(one: Element, other: Element) -> list[str]:
    """The keys of a document's JSON that differ in two elements; of texts, only how letters look."""
    found = [name for name, a, b in zip(BOX, one.bbox, other.bbox, strict=True) if a != b]
    found += [name for name in _FIELDS if getattr(one, name, None) != getattr(other, name, None)]
    found += [name for name in Style.model_fields if getattr(one.style, name) != getattr(other.style, name)]
    return found + (["text"] if one.text != other.text and one.type != "table" else [])


def _of_parts(old: Element, new: Element, allowed: set[str]) -> str | None:
    """Which of cells, rows and items changed that were not requested; ``None``: none."""
    if old.type != "table":
        before, after = [(one,) for one in old.text.split("\n")], [(one,) for one in new.text.split("\n")]
        free = {int(one.split(":")[1]) - 1 for one in allowed if one.startswith("item:")}
        wanted = "items" in allowed
        return None if _keeps(before, after, {(i, 0) for i in free}, wanted) else "items"
    free_cells = {(int(r) - 1, int(c) - 1) for _, r, c in (o.split(":") for o in allowed if o.startswith("cell:"))}
    if len((*old.cells, ())[0]) != len((*new.cells, ())[0]):
        if "columns" not in allowed:
            return "columns"
        was, now = ([list(column) for column in zip(*one.cells, strict=True)] for one in (old, new))
        return None if _keeps(was, now, {(c, r) for r, c in free_cells}, True) else "cells"
    return None if _keeps(old.cells, new.cells, free_cells, "rows" in allowed) else "cells"


def _keeps(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], free: set[tuple[int, int]], may_grow: bool
) -> bool:
    """Whether the rows of the shorter table are those of the longer one in order, but for free cells of ``after``."""
    if len(before) != len(after) and not may_grow:
        return False

    def same(i: int, k: int) -> bool:
        return all((k, c) in free or a == b for c, (a, b) in enumerate(zip(before[i], after[k], strict=True)))

    if len(before) <= len(after):
        ways = iter(range(len(after)))
        return all(any(same(i, k) for k in ways) for i in range(len(before)))
    rows = iter(range(len(before)))
    return all(any(same(i, k) for i in rows) for k in range(len(after)))


def _bindings(before: Document, after: Document, constraints: Sequence[Constraint]) -> dict[str, str]:
    """The ids in ``after`` of new elements of constraints, and of what was replaced."""
    flat = list(_flat(constraints))
    gone = {one.element for one in flat if isinstance(one, Gone)}
    asked = [one.name for one in flat if isinstance(one, New)]
    new = [e for e in after.elements() if before.find(e.id) is None and e.type != "group"]
    lost = [e.id for e in before.elements() if after.find(e.id) is None and e.id not in gone and e.type != "group"]
    if not new:
        return {}
    scores = [
        (points, name, element.id)
        for name in dict.fromkeys((*asked, *lost))
        for element in new
        if (points := _affinity(before, after, flat, name, element)) is not None
    ]
    found: dict[str, str] = {}
    for _, name, own in sorted(scores, key=lambda one: -one[0]):
        if name not in found and own not in found.values():
            found[name] = own
    return found


def _affinity(
    before: Document, after: Document, constraints: Sequence[Constraint], name: str, element: Element
) -> float | None:
    """How well a new element fits a name of constraints; ``None``: not at all."""
    edit, points = Comparison(before, after, {name: element.id}), 0.0
    for one in constraints:
        if isinstance(one, New) and one.name == name:
            parts = list(one.parts(edit, element))
            if not parts[0]:
                return None
            points += sum(parts)
        elif name == getattr(one, "element", None):
            points += one.holds(edit)
    old = before.find(name)
    if old is None:
        return points
    alike = element_similarity(old, element)
    return points + alike if points or alike >= _ALIKE else None


def _flat(constraints: Sequence[Constraint]) -> Iterator[Constraint]:
    for one in constraints:
        yield one
        if isinstance(one, AnyOf):
            for branch in one.of:
                yield from _flat(branch)
