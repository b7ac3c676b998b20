"""Naming: parts become elements with names and ids that no other element of the document has."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Sequence

from ..scene.boxes import enclosing
from ..scene.elements import Element
from .parts import Group, Part

_ORDINALS = "first second third fourth fifth sixth seventh eighth ninth tenth".split()
_LONGEST = 30
"""The most letters of an id, less its number."""


class Names:
    """Names that are taken, of elements and of ids, over all pages."""

    def __init__(self) -> None:
        self._names: set[str] = set()
        self._ids: set[str] = set()

    def copy(self) -> Names:
        """The same names, apart from these."""
        other = Names()
        other._names, other._ids = set(self._names), set(self._ids)
        return other

    def elements(self, parts: Sequence[Part], page: int) -> tuple[Element, ...]:
        """The parts of a page as elements, groups before what is in them; ``page``: its number, counted from 1."""
        names = [self._unused(name, page) for name in ordered([part.name for part in _with_groups(parts)])]
        elements: list[Element] = []
        group = ""
        for part, name in zip(_with_groups(parts), names, strict=True):
            made = Element(
                id=self._id(name), name=name, parent=group if part.group and group else None, **part.fields()
            )
            if part.type == "group":
                group = made.id
            elements.append(made)
        return tuple(elements)

    def _unused(self, name: str, page: int) -> str:
        found, number = name, 1
        if found in self._names and page > 1:
            found = f"{name} on page {page}"
        while found in self._names:
            number += 1
            found = f"{name} {number}"
        self._names.add(found)
        return found

    def _id(self, name: str) -> str:
        stem = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")[:_LONGEST].strip("_")
        stem = stem if stem[:1].isalpha() else f"e_{stem}".strip("_")
        found, number = stem, 1
        while found in self._ids:
            number += 1
            found = f"{stem}_{number}"
        self._ids.add(found)
        return found


def ordered(names: Sequence[str]) -> list[str]:
    """Names with "first", "second", … where several are the same, instead of ``{}`` or in front."""
    counts, seen = Counter(names), Counter[str]()
    found = []
    for name in names:
        seen[name] += 1
        nth = _nth(seen[name]) if counts[name] > 1 else ""
        told = name.replace("{}", nth) if "{}" in name else f"{nth} {name}"
        found.append(" ".join(told.split()))
    return found


def _nth(number: int) -> str:
    if number <= len(_ORDINALS):
        return _ORDINALS[number - 1]
    end = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{end}"


def _with_groups(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts, each group as a part before its first one, around them all."""
    begun: set[Group] = set()
    for part in parts:
        if part.group is not None and part.group not in begun:
            begun.add(part.group)
            box = enclosing(other.box for other in parts if other.group is part.group)
            yield Part("group", part.group.name, box)
        yield part
