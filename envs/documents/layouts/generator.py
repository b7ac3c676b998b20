"""Generate documents from a kind, a size and a random generator."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import chain, count

import numpy as np

from ..operations.values import ORDINALS
from ..painting.faults import faults
from ..scene.document import Document, Page
from ..scene.elements import Element, enclosing
from .blocks import Writer
from .parts import Group, Part, Theme, flat
from .placing import natural, ornament_parts, place
from .schema import Layout, Node, kit, layouts
from .words import Words


def _elements(parts: Sequence[Part], page: int, ids: dict[str, str]) -> tuple[Element, ...]:
    """The elements of a page's parts, groups before members.

    Args:
        parts: of the page.
        page: counted from 1.
        ids: those of all elements so far, by their names; gets the new ones.
    """
    elements: list[Element] = []
    group = ""
    parts = tuple(_with_groups(parts))
    for part, name in zip(parts, number_names([part.name for part in parts]), strict=True):
        name = _unused(f"{name} on page {page}" if name in ids and page > 1 else name, ids)
        ids[name] = f"e{len(ids) + 1}"
        parent = group if part.group and group else None
        elements.append(Element(id=ids[name], name=name, parent=parent, **part.fields()))
        group = ids[name] if part.type == "group" else group
    return tuple(elements)


def _unused(text: str, used: Collection[str]) -> str:
    """A text that is not used yet, perhaps with a number behind it."""
    numbered = (f"{text} {number}" for number in count(2))
    return next(one for one in chain([text], numbered) if one not in used)


def number_names(names: Sequence[str]) -> list[str]:
    """Names with ordinals, in place of ``{}`` or in front, where several are equal."""
    counts, numbers = Counter(names), Counter[str]()
    found = []
    for name in names:
        numbers[name] += 1
        nth = _nth(numbers[name]) if counts[name] > 1 else ""
        full = name.replace("{}", nth) if "{}" in name else f"{nth} {name}"
        found.append(" ".join(full.split()))
    return found


def _nth(number: int) -> str:
    if number <= len(ORDINALS):
        return ORDINALS[number - 1]
    end = "th" if number % 100 in (11, 12, 13) else {1: "st", 2: "nd", 3: "rd"}.get(number % 10, "th")
    return f"{number}{end}"


def _with_groups(parts: Sequence[Part]) -> Iterator[Part]:
    """The parts, with a part for each group before its first member."""
    begun: set[Group] = set()
    for part in parts:
        if part.group is not None and part.group not in begun:
            begun.add(part.group)
            box = enclosing(other.box for other in parts if other.group is part.group)
            yield Part("group", part.group.name, box)
        yield part


_BODY = 45
"""The geometric mean of width and height of a page, in sizes of its body text."""
_MIN_BODY = 12.6
"""The size of body text on small pages, in pixels, before it is scaled."""
_SCALES = (1.3, 1.15, 1.0, 0.92, 0.85, 0.78, 0.72, 0.66)
"""The scales of that size, tried until a page is full and nothing overflows."""
_GROUPED = 0.36
"""The share of documents that have groups."""
_VISIBLE = (9, 34)
"""The minimum and maximum number of visible elements of a page."""
_MAX_TRIES = 90
_PATIENCE = ((14, 0.92), (30, 0.85), (50, 0.78), (_MAX_TRIES, 0.66))
"""Pairs of tries and scale: the minimum scale of text until that many tries."""
_MAX_EMPTY = 0.13
"""The maximum empty band of a page, as a share of its height."""


def make_document(kind: str, size: tuple[int, int], pages: int, rng: np.random.Generator, name: str) -> Document:
    """A generated document; the same state of ``rng`` gives the same one.

    Args:
        kind: one of ``KINDS``.
        size: width and height of its pages in pixels, from 400 to 1200 each.
        pages: how many, from 1 to 30.
        rng: the random generator.
        name: of the document, in snake_case.

    Raises:
        ValueError: if there is no such kind, a page is too small or too large, or the name is none.
    """
    if not all(400 <= side <= 1200 for side in size):
        raise ValueError(f"pages of {size[0]} x {size[1]} pixels cannot be laid out; sides are from 400 to 1200")
    made = layouts(kind)
    fitting = [subject for subject in kit().subjects if subject.sort in made.subjects]
    words = Words(fitting[int(rng.integers(len(fitting)))], rng)
    theme = _theme(size, words)
    ids: dict[str, str] = {}
    done = []
    orders = [words.shuffled(of) for of in (made.first, made.inner or layouts("inner").first)]
    for number in range(1, pages + 1):
        # Pages take turns, so that none looks like the one before it.
        order = orders[number > 1]
        turn = number % len(order)
        page, ids = _page((*order[turn:], *order[:turn]), size, words, theme, ids, number)
        done.append(page)
    return Document(name=name, title=words.scope["title"][:80], kind=kind, pages=tuple(done))


def _theme(size: tuple[int, int], words: Words) -> Theme:
    palette = words.choice(kit().palettes)
    return Theme(
        palette,
        words.choice(kit().pairings),
        unit=max(_MIN_BODY, (size[0] * size[1]) ** 0.5 / _BODY),
        ground=palette.paper,
        align="left" if words.chance(0.6) else "center",
        round=words.choice((0, 0.4, 0.9)),
        grouped=words.chance(_GROUPED),
    )


def _page(
    choices: Sequence[Layout], size: tuple[int, int], words: Words, theme: Theme, ids: dict[str, str], number: int
) -> tuple[Page, dict[str, str]]:
    """A page without faults, and the ids after it by name; bad pages are redrawn.

    Raises:
        ValueError: if there is no good page after many tries.
    """
    for tried in range(_MAX_TRIES):
        layout = choices[tried % len(choices)]
        ground = getattr(theme.palette, layout.fill)
        min_scale = next(scale for tries, scale in _PATIENCE if tried < tries)
        parts = _parts(layout, size, words, replace(theme, ground=ground), min_scale)
        if parts is None or not _VISIBLE[0] <= len(parts) <= _VISIBLE[1]:
            continue
        if tried < _PATIENCE[1][0] and largest_gap(parts, size) > _MAX_EMPTY:
            continue
        taken = dict(ids)
        page = Page(width=size[0], height=size[1], background=ground, elements=_elements(parts, number, taken))
        if not any(faults(Document(name="tried", title="tried", kind="tried", pages=(page,)))):
            return page, taken
    raise ValueError(f"no page of {size[0]} x {size[1]} pixels came out well in {_MAX_TRIES} tries")


def largest_gap(parts: tuple[Part, ...], size: tuple[int, int]) -> float:
    """The highest empty band between small parts, as a share of the page's height."""
    whole = size[0] * size[1] / 4
    boxes = (part.box for part in parts if part.type != "shape" or part.box[2] * part.box[3] < whole)
    bands = sorted((top, top + height) for _, top, _, height in boxes)
    reached, widest = 0, 0
    for top, bottom in (*bands, (size[1], size[1])):
        widest, reached = max(widest, top - reached), max(reached, bottom)
    return widest / size[1]


def _parts(
    layout: Layout, size: tuple[int, int], words: Words, theme: Theme, min_scale: float
) -> tuple[Part, ...] | None:
    """The parts of a page at the largest scale that fits; ``None`` if none does."""
    width, height = size
    writer = Writer(words, is_wide=width > 0.9 * height)
    scope = {"item": words.items(1)[0]}
    tree = writer.block(layout.tree, scope)
    back = writer.block(Node(block="stack", ornaments=layout.ornaments), scope)
    assert tree is not None
    assert back is not None
    for scale in (scale for scale in _SCALES[words.between(0, 2) :] if scale >= min_scale):
        tried = replace(theme, unit=theme.unit * scale, natural={})
        if natural(tree, width, tried).height <= height:
            return (*ornament_parts(back, *size, tried), *flat(place(tree, *size, tried).parts))
    return None
