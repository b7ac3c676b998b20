"""Unique names for the shapes of a deck: given by a person, or by their role."""

from __future__ import annotations

import re
from collections import Counter
from itertools import chain, count

from ..scene.document import Page, headline_of
from .deck import SlideShape, placeholder
from .xml import find

_MAX_LENGTH = 60
_GIVEN_BY_PROGRAMS = re.compile(
    r"^$|.*[\s_]?\d+$|^Google Shape;|.*\.(png|jpe?g|gif|bmp|svg|emf|wmf)$"
    r"|^(object|shape|image|picture|group|line|text)$",
    re.IGNORECASE | re.DOTALL,
)
"""Names that programs make: with a number at the end, after the file of a picture, or with an address of their own."""
_PLACEHOLDERS = {
    "title": "title", "ctrTitle": "title", "subTitle": "subtitle", "dt": "date", "ftr": "footer",
    "sldNum": "slide number", "pic": "picture", "chart": "chart", "tbl": "table", "media": "video",
}  # fmt: skip
_TYPES = {"text": "text", "list": "list", "shape": "shape", "image": "picture", "line": "line", "table": "table"}
_PLAIN = ("text", "text box", "subtitle")
"""The roles that a headline is better called a title than by."""
_GRAPHICS = (("chart", "chart"), ("diagram", "diagram"), ("ole", "embedded object"), ("table", "table"))


def named(slides: list[list[SlideShape]], pages: list[Page]) -> dict[str, str]:
    """A name for each shape of a deck, by the ids of its elements; none is used twice.

    Args:
        slides: the shapes of each slide.
        pages: the slides as pages without names.
    """
    names: dict[str, str] = {}
    for found, page in zip(slides, pages, strict=True):
        pairs = list(zip(found, page.elements, strict=True))
        stems = {one.id: given_name(one) or role(one, element.type) for one, element in pairs}
        headline = headline_of(page.elements, page.height)
        if headline is not None and "title" not in stems.values() and stems[headline.id] in _PLAIN:
            stems[headline.id] = "title"
        uses, counts = Counter(stems.values()), Counter[str]()
        for name, stem in stems.items():
            counts[stem] += 1
            names[name] = stem if uses[stem] == 1 else f"{stem} {counts[stem]}"
    on_several = {name for name, count in Counter(names.values()).items() if count > 1}
    for number, found in enumerate(slides):
        for one in found:
            if names[one.id] in on_several:
                names[one.id] = f"{names[one.id]} of slide {number + 1}"
    return _numbered(names)


def given_name(found: SlideShape) -> str | None:
    """The name, or the description of a picture, that a person gave a shape."""
    about = found.about
    name = "" if about is None else _line(about.get("name", ""))
    if not _GIVEN_BY_PROGRAMS.match(name):
        return name
    description = "" if about is None or found.kind != "pic" else _line(about.get("descr", ""))
    return None if _GIVEN_BY_PROGRAMS.match(description) else description


def role(found: SlideShape, kind: str = "image") -> str:
    """The role of a shape on its slide; ``kind`` is the type of its element."""
    ph = placeholder(found.shape)
    if found.kind == "graphicFrame" and kind != "table":
        address = data.get("uri", "") if (data := find(found.shape, "a:graphic/a:graphicData")) is not None else ""
        return next((word for part, word in _GRAPHICS if part in address), "object")
    if found.kind == "pic":
        return "video" if any("ideoFile" in str(node.tag) for node in found.shape.iter()) else "picture"
    if ph is not None and ph.get("type") in _PLACEHOLDERS:
        return _PLACEHOLDERS[ph.get("type")]
    if kind == "text" and ph is None and found.is_text_box:
        return "text box"
    return _TYPES.get(kind, kind) if found.node is found.shape else "object"


def _line(text: str) -> str:
    words = re.sub(r"\s+", " ", text).strip()
    return words if len(words) <= _MAX_LENGTH else words[:_MAX_LENGTH].rsplit(" ", 1)[0]


def _numbered(names: dict[str, str]) -> dict[str, str]:
    """Names with numbers added to equal ones."""
    taken: set[str] = set()
    apart = {}
    for key, name in names.items():
        others = (f"{name} ({k})" for k in count(2))
        apart[key] = next(one for one in chain([name], others) if one not in taken)
        taken.add(apart[key])
    return apart
