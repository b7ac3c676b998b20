"""Evaluate edits: which constraints hold, and what has changed visibly that they do not mention."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from itertools import chain, islice
from typing import NamedTuple

from ..scene.cells import FORMAT_FIELDS
from ..scene.document import ORDER, Document, changes
from ..scene.elements import Element, Style
from .comparison import Comparison
from .constraints import ALL, Constraint, MayChange
from .counterparts import possible_names
from .layout import hides, layout_problems
from .looks import BOX, LETTER_FIELDS, blended, look_different, paint_alike, visible_pixels

MAX_CHANGES = 20
"""The maximum number of changes that an evaluation names."""
_REPAIRS = {*BOX, "size", "line_height"}
"""The fields that may change to repair the layout."""
_PARTS = ("rows", "columns", "items", "cell", "item")
_FIELDS = (
    "asset", "shape", "angle", "opacity", "rises", "levels", "cells", "columns", "rows", "crop", "chart", "formats",
)  # fmt: skip


class Change(NamedTuple):
    """A visible change: of which element (``page 2`` is a page), and of which field."""

    element: str
    field: str

    def __str__(self) -> str:
        field = {"new": "was added", "gone": "is gone", "hidden": "is hidden"}.get(self.field)
        return f"{self.element} {field}" if field else f"{self.field} of {self.element or 'the document'}"


class Evaluator:
    """What an edit of a document must and may change.

    Args:
        before: the document.
        constraints: what must hold after the edit.
        may_change: what else may change.
    """

    def __init__(
        self, before: Document, constraints: Sequence[Constraint], may_change: Sequence[MayChange] = ()
    ) -> None:
        self.before, self.constraints, self._may_change = before, constraints, may_change
        unedited = Comparison(before, before)
        self.open = [not one.holds(unedited) for one in constraints]

    def evaluate(self, after: Document) -> Evaluation:
        """The evaluation of an edited document.

        Where edits can be understood in several ways (two elements swapped, or their texts), the best one counts.
        """
        found: Evaluation | None = None
        for names in possible_names(self.before, after, self.constraints):
            one = Evaluation(self, after, names)
            if one.success:
                return one
            if found is None or one.progress > found.progress:
                found = one
        assert found is not None
        return found

    def allowed(self, comparison: Comparison) -> Mapping[str, set[str]]:
        """The fields that may change, by element of the document before or name of constraints."""
        found: dict[str, set[str]] = defaultdict(set)
        for constraint in self.constraints:
            for name, field in constraint.touches(comparison):
                found[name].add(field)
        for one in self._may_change:
            found[one.element].update(one.fields)
            if "position" in one.fields:
                found[one.element] |= {"x", "y"}
        for name in [name for name in found if (e := self.before.find(name)) is not None and e.type == "group"]:
            for child in self.before.children(name):
                found[child.id] |= found[name]
        return found


class Evaluation:
    """The evaluation of an edited document.

    Args:
        evaluator: what the edit must and may change.
        after: the edited document.
        names: for names in constraints, the ids of elements that they mean in ``after``.

    Attributes:
        constraints: what must hold.
        held: whether each of them does.
    """

    def __init__(self, evaluator: Evaluator, after: Document, names: Mapping[str, str]) -> None:
        self._evaluator, self._before, self._after = evaluator, evaluator.before, after
        self.constraints = evaluator.constraints
        self.comparison = Comparison(evaluator.before, after, names)
        self.held = [one.holds(self.comparison) for one in evaluator.constraints]

    @cached_property
    def success(self) -> bool:
        """Whether all constraints hold and nothing visible has changed besides."""
        return all(self.held) and self._is_clean

    @cached_property
    def progress(self) -> float:
        """The share of constraints met among those that did not hold before.

        It is 0 if anything else has changed or does not hold any more, and 1 exactly if the edit is a success.
        """
        is_broken = not all(held or was_open for held, was_open in zip(self.held, self._evaluator.open, strict=True))
        return self.newly_met if self.newly_met and not is_broken and self._is_clean else 0.0

    @property
    def newly_met(self) -> float:
        """The share of constraints met among those that did not hold before, whatever else has changed."""
        met = [held for held, was_open in zip(self.held, self._evaluator.open, strict=True) if was_open]
        return sum(met) / len(met) if met else 0.0

    @cached_property
    def unrequested(self) -> list[Change]:
        """The visible changes that were not requested, the first ``MAX_CHANGES``."""
        return list(islice(self._changes(), MAX_CHANGES))

    @cached_property
    def _is_clean(self) -> bool:
        return next(self._changes(), None) is None

    def _changes(self) -> Iterator[Change]:
        if self._before is not self._after:
            yield from chain(self._of_pages(), self._of_elements(), self._of_new(), self._of_order())

    @cached_property
    def _allowed(self) -> Mapping[str, set[str]]:
        return self._evaluator.allowed(self.comparison)

    def _may(self, name: str, *fields: str) -> bool:
        return bool({ALL, *fields} & self._allowed.get(name, set()))

    def _of_pages(self) -> Iterator[Change]:
        pages = self.comparison.pages
        if pages != list(range(len(self._before.pages))) and not self._may("", "pages"):
            yield Change("", "pages")
        for number, old in enumerate(pages):
            was, now = self._before.pages[old if old is not None else 0], self._after.pages[number]
            for field in ("background", "backdrop", "notes") if old is not None and was is not now else ():
                if getattr(was, field) != getattr(now, field) and not self._may(f"page {number + 1}", field):
                    yield Change(f"page {number + 1}", field)

    def _of_elements(self) -> Iterator[Change]:
        """The changes of elements that were there before."""
        pages = self.comparison.pages
        for number, page in enumerate(self._before.pages):
            if number not in pages or page is self._after.pages[pages.index(number)]:
                continue
            gone = []
            for element in page.elements:
                new = self.comparison.new(element.id)
                if element is new or element.type == "group" or self._may(element.id, ALL):
                    continue
                if new is None:
                    gone += [] if self._may(element.id, "gone") else [element]
                elif pages[self._after.places[new.id][0]] != number:
                    yield Change(element.id, "page")
                else:
                    yield from self._of_element(element, new)
            if gone and visible_pixels(self._before, number, gone):
                yield from (Change(element.id, "gone") for element in gone)

    def _of_element(self, old: Element, new: Element) -> Iterator[Change]:
        """What has changed of an element that may not, if it can be seen."""
        allowed = self._allowed.get(old.id, set())
        fields, words = set(allowed), {(f, part) for f, _, part in (one.partition(":") for one in allowed) if part}
        if new.type != old.type:
            yield from () if "type" in allowed else [Change(old.id, "type")]
            return
        if "text" not in allowed and any(one.partition(":")[0] in _PARTS for one in allowed):
            if not _keeps_parts(old, new, allowed):
                yield Change(old.id, "cells" if old.cells else "items")
            fields |= {"cells", "columns", "rows", "levels", "text", "height"}
        fields |= {"chart"} if any(f == "chart" for f, _ in words) else set()
        words = {(f, part) for f, part in words if f in (FORMAT_FIELDS if old.cells else LETTER_FIELDS)}
        as_allowed = blended(old, new, fields, words)
        if paint_alike(as_allowed, new) or paint_alike(blended(new, old, fields, words), old):
            return
        page, at = self._after.places[new.id]
        elements = self._after.pages[page].elements
        undone = (*elements[:at], as_allowed.model_copy(update={"id": new.id}), *elements[at + 1 :])
        other = self._after.with_elements(page, undone)
        different = [field for field in _differences(as_allowed, new) if field not in fields] or ["look"]
        if look_different(self._after, other, page) and not self._is_repair(as_allowed, new, other):
            yield from (Change(old.id, field) for field in different)

    def _is_repair(self, as_allowed: Element, new: Element, unrepaired: Document) -> bool:
        """Whether an element was moved or resized only because the edit would harm the layout otherwise."""
        if not paint_alike(blended(as_allowed, new, _REPAIRS), new):
            return False
        return bool(layout_problems(self._before, unrepaired, new.id)) and not layout_problems(
            self._before, self._after, new.id
        )

    def _of_new(self) -> Iterator[Change]:
        """Elements that were not requested, and texts that were hidden."""
        kept = {new.id for e in self._before.elements() if (new := self.comparison.new(e.id)) is not None}
        requested = set(self.comparison.names.values())
        for number, page in enumerate(self._after.pages):
            old = self.comparison.pages[number]
            was = None if old is None else self._before.pages[old]
            if page is was:
                continue
            known = set(map(id, was.elements if was else ()))
            changed = [e for e in page.elements if id(e) not in known and e.type != "group"]
            extra = [e for e in changed if e.id not in kept and not requested & {e.id, *_ancestors(self._after, e)}]
            if extra and visible_pixels(self._after, number, extra):
                yield from (Change(element.id, "new") for element in extra)
            for element in changed:
                earlier = self._before.find(element.id)
                was_hidden = {*hides(self._before, earlier)} if earlier else set()
                for hidden in hides(self._after, element):
                    is_new = hidden in self._before.places and hidden not in was_hidden
                    if is_new and not self._may(hidden, "order", "hidden"):
                        yield Change(hidden, "hidden")

    def _of_order(self) -> Iterator[Change]:
        """The elements that were raised or lowered, if that can be seen."""
        mine = {new: name for name, new in self.comparison.names.items()}
        for name, field in changes(self._before, self._after, mine):
            new = self.comparison.new(name) if field == ORDER and not self._may(name, "order") else None
            if new is not None and self._order_shows(name, new):
                yield Change(name, ORDER)

    def _order_shows(self, name: str, new: Element) -> bool:
        """Whether a page would look different with an element right above the one that was below it."""
        number, _ = self._after.places[new.id]
        page, at = self._before.places[name]
        others = [one for one in self._after.pages[number].elements if one is not new]
        lower = {one.id for e in self._before.pages[page].elements[:at] if (one := self.comparison.new(e.id))}
        to = max((i + 1 for i, one in enumerate(others) if one.id in lower), default=0)
        undone = self._after.with_elements(number, (*others[:to], new, *others[to:]))
        return look_different(self._after, undone, number)


def _ancestors(document: Document, element: Element) -> Iterator[str]:
    while element.parent is not None and (parent := document.find(element.parent)) is not None:
        yield parent.id
        element = parent


def _differences(one: Element, other: Element) -> list[str]:
    """The keys of a document's JSON that differ in two elements."""
    found = [name for name, a, b in zip(BOX, one.bbox, other.bbox, strict=True) if a != b]
    found += [name for name in _FIELDS if getattr(one, name) != getattr(other, name)]
    found += [name for name in Style.model_fields if getattr(one.style, name) != getattr(other.style, name)]
    return found + (["text"] if one.text != other.text and not one.cells else [])


def _keeps_parts(old: Element, new: Element, allowed: set[str]) -> bool:
    """Whether the cells or items that may not change are those of before, in order."""
    free = {tuple(int(n) - 1 for n in one.split(":")[1:]) for one in allowed if one.startswith(("cell:", "item:"))}
    if not old.cells:
        before, after = ([(one,) for one in element.text.split("\n")] for element in (old, new))
        return _keeps(before, after, {(i, 0) for (i,) in free}, "items" in allowed)
    if len(old.cells[0]) == len(new.cells[0]):
        return _keeps(old.cells, new.cells, {(r, c) for r, c in free}, "rows" in allowed)
    was, now = (tuple(zip(*element.cells, strict=False)) for element in (old, new))
    return len(old.cells) == len(new.cells) and _keeps(was, now, {(c, r) for r, c in free}, "columns" in allowed)


def _keeps(
    before: Sequence[Sequence[str]], after: Sequence[Sequence[str]], free: set[tuple[int, int]], may_grow: bool
) -> bool:
    """Whether the rows of the shorter table are those of the longer one in order, but for free cells of ``after``."""
    if len(before) != len(after) and not may_grow:
        return False

    def same(i: int, k: int) -> bool:
        return all((k, c) in free or a == b for c, (a, b) in enumerate(zip(before[i], after[k], strict=True)))

    # A new row may be free as a whole; it must not pass for one that is lost.
    new = {k for k, row in enumerate(after) if all((k, c) in free for c in range(len(row)))}
    rows = [k for k in range(len(after)) if k not in new or len(new) > len(after) - len(before)]
    if len(before) > len(after):
        rest = iter(range(len(before)))
        return all(any(same(i, k) for i in rest) for k in range(len(after)))
    left = iter(rows)
    return all(any(same(i, k) for k in left) for i in range(len(before)))
