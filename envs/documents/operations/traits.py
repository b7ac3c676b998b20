"""Unambiguous traits of an element: its kind, the name of its colour, its styles."""

from __future__ import annotations

from ..scene.colours import colour_difference
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element
from .values import COLOURS, colour_name

KINDS: dict[str, tuple[str, str]] = {
    "text": ("text", "texts"),
    "list": ("list", "lists"),
    "table": ("table", "tables"),
    "line": ("line", "lines"),
    "icon": ("icon", "icons"),
    "picture": ("picture", "pictures"),
    "circle": ("circle", "circles"),
    "oval": ("oval", "ovals"),
    "rectangle": ("rectangle", "rectangles"),
    "triangle": ("triangle", "triangles"),
    "diamond": ("diamond", "diamonds"),
    "star": ("star", "stars"),
    "arrow": ("arrow", "arrows"),
    "hexagon": ("hexagon", "hexagons"),
    "chevron": ("chevron", "chevrons"),
}
"""The nouns for elements of a kind: singular and plural."""
ORDINALS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
"""Ordinals for counting elements."""
STYLES = ("bold", "italic", "underlined", "rotated", "semi-transparent")
_CLEAR = 16.0
"""The maximum distance of a colour from the one whose name it gets (CIE76)."""
_APART = 10.0
"""The minimum by which any other name must be farther."""


def kind_of(element: Element) -> str | None:
    """The kind of an element, one of ``KINDS``; ``None`` for groups."""
    if element.type == "image":
        return "icon" if str(element.asset).startswith("icon/") else "picture"
    if element.type == "shape" and element.shape == "ellipse":
        _, _, width, height = element.bbox
        return "circle" if abs(width - height) <= 0.05 * max(width, height) else "oval"
    if element.type == "shape":
        return element.shape
    return None if element.type == "group" else element.type


def ink_of(element: Element) -> Colour | None:
    """The colour of an element's area, stroke or text; ``None`` without one."""
    style = element.style
    return {"shape": style.fill, "line": style.stroke, "text": style.colour, "list": style.colour}.get(element.type)


def colour_word(element: Element) -> str | None:
    """The name of an element's colour, if it is clearly one of ``COLOURS``."""
    own = ink_of(element)
    if own is None or any(run.colour is not None for run in element.runs if element.type in ("text", "list")):
        return None
    name = colour_name(own)
    distances = sorted(colour_difference(colour, own) for colour in COLOURS.values())
    return name if distances[0] <= _CLEAR and distances[1] - distances[0] >= _APART else None


def styles_of(element: Element) -> set[str]:
    """The ``STYLES`` that an element has as a whole."""
    style = element.style
    lettered = element.type in ("text", "list")
    has = {
        "bold": lettered and style.bold,
        "italic": lettered and style.italic,
        "underlined": lettered and style.underline,
        "rotated": element.angle != 0,
        "semi-transparent": element.opacity < 1,
    }
    return {name for name, has_it in has.items() if has_it}


def is_mixed(element: Element, style: str) -> bool:
    """Whether parts of an element's text differ from the whole in a style."""
    field = {"bold": "bold", "italic": "italic", "underlined": "underline"}.get(style)
    return field is not None and any(getattr(run, field) is not None for run in element.runs)


def is_wide(element: Element, page: Page) -> bool:
    """Whether an element fills most of its page, as backgrounds do."""
    return element.bbox[2] * element.bbox[3] > 0.6 * page.width * page.height


def faces_on(document: Document, page: int) -> tuple[Element, ...]:
    """The visible elements of a page, without groups."""
    return tuple(e for e in document.elements_of_page(page) if e.type != "group" and e.opacity > 0)
