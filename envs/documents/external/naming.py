"""Names for elements that came without: what a person would call them, by what is seen."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence

from ..operations.values import COLOURS
from ..scene.elements import Colour, Element

_ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
_LONGEST = 40
"""Letters of a text that its name repeats, at most."""
_WORDS = 5
_SALIENT = 1.15
"""How many times larger a headline is than the next text, at least."""


def with_names(elements: Sequence[Element], size: tuple[int, int]) -> tuple[Element, ...]:
    """The elements with a name each, no two alike.

    A text is called by its first words, the largest one ``"headline"``; what else there is by colour, kind and place.
    Where names would be alike they are counted in reading order: ``"second picture at the left"``.

    Args:
        elements: of one page.
        size: width and height of the page in pixels.
    """
    headline = _headline(elements)
    names = ["headline" if element is headline else _name(element, size) for element in elements]
    alike = defaultdict(list)
    for name, element in sorted(zip(names, elements, strict=True), key=lambda one: _reading(one[1])):
        alike[name].append(element.id)
    taken = Counter(names)
    called = {
        element_id: name if len(ids) == 1 else _counted(name, at, taken)
        for name, ids in alike.items()
        for at, element_id in enumerate(ids)
    }
    return tuple(element.model_copy(update={"name": called[element.id]}) for element in elements)


def colour_name(colour: Colour) -> str:
    """The name that requests use for the nearest colour."""
    return min(COLOURS, key=lambda name: sum((a - b) ** 2 for a, b in zip(COLOURS[name], colour, strict=True)))


def _headline(elements: Sequence[Element]) -> Element | None:
    texts = sorted((e for e in elements if e.type == "text"), key=lambda e: e.style.size, reverse=True)
    alone = len(texts) > 1 and texts[0].style.size >= _SALIENT * texts[1].style.size
    return texts[0] if alone else None


def _name(element: Element, size: tuple[int, int]) -> str:
    if element.type in ("text", "list"):
        words = " ".join(re.sub(r"[\"“”„«»‘’]", "", element.text).split()[:_WORDS])[:_LONGEST].strip(" ,.;:!?-–")
        return f"{words or 'empty'} {element.type}"
    where = "behind everything" if _covers(element, size) else _place(element.centre, size)
    if element.type == "image":
        return f"picture {where}"
    ink = element.style.fill or element.style.stroke
    kind = element.shape or element.type
    return f"{colour_name(ink)} {kind} {where}" if ink else f"{kind} {where}"


def _covers(element: Element, size: tuple[int, int]) -> bool:
    left, top, width, height = element.bbox
    slack = 0.03 * size[0], 0.03 * size[1]
    wide = left <= slack[0] and left + width >= size[0] - slack[0]
    return wide and top <= slack[1] and top + height >= size[1] - slack[1]


def _place(centre: tuple[float, float], size: tuple[int, int]) -> str:
    """Where a point is on a page, in thirds."""
    across, down = (min(2, max(0, int(3 * at / whole))) for at, whole in zip(centre, size, strict=True))
    if across == down == 1:
        return "in the middle"
    return "at the " + " ".join(word for word in (("top", "", "bottom")[down], ("left", "", "right")[across]) if word)


def _reading(element: Element) -> tuple[int, int]:
    return element.bbox[1], element.bbox[0]


def _counted(name: str, at: int, taken: Counter[str]) -> str:
    """A name with its number, ``at`` counted from 0; one that no other element has."""
    counted = f"{_ORDINALS[at]} {name}" if at < len(_ORDINALS) else f"{name} {at + 1}"
    while taken[counted]:
        counted = f"other {counted}"
    taken[counted] += 1
    return counted
