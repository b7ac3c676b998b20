"""Describe two versions of a document by their differences, for a text encoder."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ..operations.values import colour_name
from ..painting.pictures import EMBEDDED
from ..scene.changes import ORDER, changes, fields_of
from ..scene.document import Document, Page
from ..scene.elements import Element

_MAX_TEXT = 80
"""The maximum length of a quoted text, around the place where it differs."""
_SHAPES = {"ellipse": "oval"}


def captions(before: Document, after: Document) -> tuple[str, str]:
    """Captions of two documents that describe the elements which differ.

    Such a caption is ``a poster with text 'Live in June', black, bold``. Both captions describe the look of each
    changed element, and its place or size if that changed. If nothing differs, both are ``a poster`` (or another kind).

    Args:
        before: the document before the edit.
        after: the document after it; for directional similarity, the expected one.
    """
    fields: dict[str, list[str]] = {}
    for name, field in changes(before, after):
        fields.setdefault(name, []).append(field)
    both = [_phrases(before, after, name, changed) for name, changed in fields.items()]
    visible = [[pair[side] for pair in both if pair[side]] for side in (0, 1)]
    start = before.kind
    if not start.endswith("s"):
        start = f"{'an' if start[0].lower() in 'aeiou' else 'a'} {start}"
    first, second = (f"{start} with {'; '.join(phrases)}" if phrases else start for phrases in visible)
    return first, second


def _phrases(before: Document, after: Document, name: str, changed: Sequence[str]) -> tuple[str, str]:
    """The phrases for an element in both documents; "" where it does not exist."""
    old, new = before.find(name), after.find(name)
    if old is None or new is None:
        return (_looks(old, "") if old else ""), (_looks(new, "") if new else "")
    words = [
        [
            _looks(one, other.text),
            *(_FIELD_WORDS[field](one, document.pages[0]) for field in changed if field in _FIELD_WORDS),
        ]
        for one, other, document in ((old, new, before), (new, old, after))
    ]
    if words[0] == words[1]:
        # Words are coarse: two greys are both grey, and most places on a page are in its middle.
        for words_of_one, element, document in zip(words, (old, new), (before, after), strict=True):
            words_of_one += [_exact_value(element, document, field) for field in changed]
    return ", ".join(filter(None, words[0])), ", ".join(filter(None, words[1]))


def _looks(element: Element, other_text: str) -> str:
    """An element's type, text, colour and style."""
    style = element.style
    ink = {"shape": style.fill, "line": style.stroke, "text": style.colour, "list": style.colour}.get(element.type)
    words = [
        f"{_kind(element)} '{_excerpt(element.text, other_text)}'" if element.text.strip() else _kind(element),
        colour_name(ink) if ink else "",
        *(word for word in ("bold", "italic") if getattr(style, word) and element.text),
        "underlined" if style.underline and element.text else "",
    ]
    return ", ".join(filter(None, words))


def _kind(element: Element) -> str:
    if element.type == "shape":
        return _SHAPES.get(str(element.shape), str(element.shape))
    if element.type != "image" or str(element.asset).startswith(EMBEDDED):
        return {"image": "picture"}.get(element.type, element.type)
    kind, name = str(element.asset).split("/")[:2]
    return f"{'icon' if kind == 'icon' else 'picture'} of {name.replace('_', ' ')}"


def _excerpt(text: str, other: str) -> str:
    """A text; of a long one, the part where it begins to differ from another text."""
    common = next((i for i, (a, b) in enumerate(zip(text, other, strict=False)) if a != b), min(len(text), len(other)))
    start = max(0, common - _MAX_TEXT // 4) if len(text) > _MAX_TEXT and other != text else 0
    return " ".join(text[start : start + _MAX_TEXT].split())


def _place(element: Element, page: Page) -> str:
    across, down = (
        words[min(max(int(3 * at / length), 0), 2)]
        for at, length, words in zip(
            element.centre,
            (page.width, page.height),
            (("left", "", "right"), ("top", "", "bottom")),
            strict=True,
        )
    )
    return f"at the {' '.join(filter(None, (down, across)))}" if across or down else "in the middle"


_FIELD_WORDS: dict[str, Any] = {
    "position": _place,
    "size": lambda element, page: f"{element.bbox[2]} pixels wide and {element.bbox[3]} high",
    "angle": lambda element, page: f"turned by {element.angle:g} degrees" if element.angle else "upright",
    "opacity": lambda element, page: f"{element.opacity:.0%} opaque",
    "style.size": lambda element, page: f"in letters of {element.style.size} pixels",
    "style.face": lambda element, page: f"in {element.style.face}",
    "style.align": lambda element, page: {"center": "centred"}.get(
        element.style.align, f"aligned to the {element.style.align}"
    ),
    "style.stroke": lambda element, page: _on("outline", element.style.stroke),
    "style.fill": lambda element, page: _on("filling", element.style.fill),
    "style.stroke_width": lambda element, page: f"lines of {element.style.stroke_width} pixels",
}
"""The phrase for an element whose field changed."""


def _on(part: str, colour: Any) -> str:
    return f"{colour_name(colour)} {part}" if colour else f"no {part}"


def _exact_value(element: Element, document: Document, field: str) -> str:
    """A field and its exact value."""
    if field == ORDER:
        page, layer = document.places[element.id]
        return f"layer {layer + 1} of {len(document.pages[page].elements)}"
    return f"{field.removeprefix('style.').replace('_', ' ')} {fields_of(element)[field]}"
