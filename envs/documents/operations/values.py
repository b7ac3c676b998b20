"""Read values of requests and programs, and name the traits of elements: colours, kinds, styles."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any, get_args

from PIL import ImageColor

from ...core.tools import ToolError
from ..painting.pictures import SCENES, icons, is_picture
from ..scene.colours import colour_difference
from ..scene.document import Document, Page
from ..scene.elements import MAX_COORDINATE, Colour, Element, Face, Shape

DIRECTIONS: dict[str, tuple[int, int]] = {"UP": (0, -1), "DOWN": (0, 1), "LEFT": (-1, 0), "RIGHT": (1, 0)}
SHAPES: tuple[str, ...] = get_args(Shape)
FACES: tuple[str, ...] = get_args(Face)
COLOURS: dict[str, Colour] = {
    "black": (0, 0, 0),
    "white": (255, 255, 255),
    "red": (208, 44, 44),
    "dark red": (132, 24, 32),
    "orange": (236, 134, 36),
    "yellow": (246, 206, 60),
    "green": (52, 142, 76),
    "dark green": (24, 86, 52),
    "light green": (166, 214, 152),
    "blue": (44, 96, 190),
    "dark blue": (26, 44, 104),
    "light blue": (150, 196, 236),
    "purple": (122, 72, 160),
    "pink": (236, 140, 172),
    "brown": (124, 82, 54),
    "grey": (128, 128, 128),
    "dark grey": (72, 72, 72),
    "light grey": (206, 206, 206),
    "teal": (32, 136, 136),
    "gold": (204, 162, 60),
}
"""Colours by the names that requests use."""
_PURE: dict[str, tuple[Colour, ...]] = {
    "red": ((255, 0, 0),),
    "green": ((0, 255, 0), (0, 128, 0)),
    "blue": ((0, 0, 255),),
    "yellow": ((255, 255, 0),),
    "orange": ((255, 165, 0),),
    "purple": ((128, 0, 128), (255, 0, 255)),
    "teal": ((0, 255, 255),),
}
"""Colours that have the same name elsewhere but look different from ours."""
SHAPE_WORDS = {
    "circle": "ellipse",
    "oval": "ellipse",
    "square": "rectangle",
    "box": "rectangle",
    "rounded rectangle": "rectangle",
    "rhombus": "diamond",
    **{shape: shape for shape in SHAPES},
}
"""Shapes by their names in requests."""
_NUMBER = re.compile(r"\s*([-+]?(?:\d+(?:\.\d+)?|\.\d+))\s*(?:px|pixels?|%|percent|per cent|°|deg(?:rees)?)?\s*", re.I)


def colour_of(value: Any) -> Colour:
    """A colour from a name, ``#rrggbb``, or three numbers from 0 to 255.

    Raises:
        ValueError: if it is none.
    """
    if isinstance(value, str):
        name = re.sub(r"\s+", " ", value.strip().lower().replace("gray", "grey"))
        if name in COLOURS:
            return COLOURS[name]
        try:
            red, green, blue = ImageColor.getrgb(name.replace("grey", "gray").replace(" ", ""))[:3]
        except ValueError:
            raise ValueError(f"there is no colour {value!r}; there are {', '.join(COLOURS)}, and #rrggbb") from None
        return red, green, blue
    if isinstance(value, Sequence) and len(value) == 3 and all(_is_number(v) and 0 <= v <= 255 for v in value):
        red, green, blue = (round(v) for v in value)
        return red, green, blue
    raise ValueError(f"a colour is a name, #rrggbb or three numbers from 0 to 255, not {value!r}")


@lru_cache(maxsize=4096)
def colour_name(colour: Colour) -> str:
    """The name of the nearest colour (CIE76), among ours and the pure ones."""

    def distance(name: str) -> float:
        return min(colour_difference(known, colour) for known in (COLOURS[name], *_PURE.get(name, ())))

    return min(COLOURS, key=distance)


def number_of(value: Any) -> float:
    """A number, also from a text such as ``"20 px"`` or ``"50%"``.

    Raises:
        ValueError: if it is none, or too large.
    """
    if isinstance(value, str) and (found := _NUMBER.fullmatch(value)):
        value = float(found[1])
    if not _is_number(value) or not abs(value) <= 10 * MAX_COORDINATE:
        raise ValueError(f"a number up to {10 * MAX_COORDINATE:,} is needed, not {value!r}")
    return float(value)


def index_of(number: Any, kind: Any, last: int) -> int:
    """The index, from 0, of the ``kind`` that has a number from 1 to ``last``.

    Raises:
        ToolError: if that is no such number.
    """
    try:
        at = number_of(number)
    except ValueError:
        at = 0.5
    if at not in range(1, last + 1):
        raise ToolError(f"{number!r} is no number of a {kind} here: they go from 1 to {last}.")
    return int(at) - 1


def one_of(*allowed: str) -> Callable[[Any, Any], str]:
    """What reads one of some words; others are a ``ValueError``."""

    def read(value: Any, now: Any) -> str:
        word = str(value).strip().lower().replace("centre", "center")
        if word not in allowed:
            raise ValueError(f"{value!r} is none of {', '.join(allowed)}")
        return word

    return read


def share_of(value: Any) -> float:
    """A share from 0 to 1, also from percents.

    Raises:
        ValueError: if it lies outside.
    """
    number = number_of(value)
    if (isinstance(value, str) and "%" in value) or number > 1:
        number /= 100
    if not 0 <= number <= 1:
        raise ValueError(f"a share from 0 to 1, or from 0% to 100%, is needed, not {value!r}")
    return number


def point_of(value: Any) -> tuple[int, int]:
    """Left and top in pixels, from ``[x, y]`` or a box ``[x, y, w, h]``.

    Raises:
        ValueError: if it is neither.
    """
    if isinstance(value, Sequence) and not isinstance(value, str) and len(value) in (2, 4):
        left, top = (round(number_of(v)) for v in value[:2])
        if max(abs(left), abs(top)) <= MAX_COORDINATE:
            return left, top
    raise ValueError(
        f"a position is [x, y] in pixels from the top left corner of the page, up to {MAX_COORDINATE}, not {value!r}"
    )


def shape_in(words: str) -> str | None:
    """The shape that words name, such as ``"a red circle"``."""
    text = f" {words.lower()} "
    for name, shape in SHAPE_WORDS.items():
        if re.search(rf"\b{name}s?\b", text):
            return shape
    return None


def colour_in(words: str) -> Colour | None:
    """The colour that words name; of several, the one with the longest name."""
    text = f" {words.lower().replace('gray', 'grey')} "
    for name in sorted(COLOURS, key=len, reverse=True):
        if re.search(rf"\b{name}\b", text):
            return COLOURS[name]
    found = re.search(r"#[0-9a-fA-F]{6}\b", words)
    return colour_of(found[0]) if found else None


def picture_in(words: str) -> str | None:
    """The picture that words name, such as ``"icon of a cup"`` or ``"icon/cup"``."""
    if is_picture(words.strip()):
        return words.strip()
    text = f" {words.lower()} "
    names = [*(f"icon/{name}" for name in icons()), *(f"scene/{name}/0" for name in SCENES)]
    return next((name for name in names if re.search(rf"\b{name.split('/')[1]}s?\b", text)), None)


def pictures() -> str:
    """The names of pictures, in words."""
    return f"icon/NAME with NAME one of {', '.join(icons())}; scene/NAME/0 with NAME one of {', '.join(SCENES)}"


def quoted_in(words: str) -> str | None:
    """The text between quotation marks, if any."""
    found = re.search(r"[\"“'‘](.+)[\"”'’]", words, re.S)
    return found[1] if found else None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and value == value


NOUNS: dict[str, tuple[str, str]] = {
    "text": ("text", "texts"),
    "list": ("list", "lists"),
    "table": ("table", "tables"),
    "chart": ("chart", "charts"),
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
_TITLE = 1.25
"""The minimum ratio of a title's size to that of the next largest text."""
_CLEAR = 16.0
"""The maximum distance of a colour from the one whose name it gets (CIE76)."""
_APART = 10.0
"""The minimum by which any other name must be farther."""


def kind_of(element: Element) -> str | None:
    """The kind of an element, one of ``NOUNS``; ``None`` for groups."""
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
    return _clear_name(own)


@lru_cache(maxsize=4096)
def _clear_name(colour: Colour) -> str | None:
    distances = sorted(colour_difference(known, colour) for known in COLOURS.values())
    return colour_name(colour) if distances[0] <= _CLEAR and distances[1] - distances[0] >= _APART else None


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


def is_title(page: Page, element: Element) -> bool:
    """Whether a text is set in by far the largest letters of its page, in the upper half."""
    sizes = [e.style.size for e in page.elements if e.type == "text" and e.id != element.id]
    is_large = element.type == "text" and element.style.size >= _TITLE * max(sizes, default=1)
    return is_large and element.centre[1] < page.height / 2


def faces_on(document: Document, page: int) -> tuple[Element, ...]:
    """The visible elements of a page, without groups."""
    return tuple(e for e in document.elements_of_page(page) if e.type != "group" and e.opacity > 0)
