"""The published scores of PPTC (Guo et al., 2023, section 3.4), re-made for documents.

A turn is right if the deck reads as the expected one, with the formats of texts and without places, and all
restrictions hold. A restriction is ``slide, object, object or slide, relation``, such as ``1, picture, slide, left``;
slides are counted from 0.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from ..scene.document import Document
from ..scene.elements import Element
from .executor import SLIDE

SIDES = ("left", "right", "top", "bottom")
_STYLE = ("bold", "italic", "underline", "size", "colour", "fill", "face", "line_height", "align")
_SHAPES = {"circle": "ellipse", "right_arrow": "arrow", "rounded_rectangle": "rectangle"}
"""Shapes in restrictions as documents call them, where these differ."""


@dataclass(frozen=True, slots=True)
class Restriction:
    """Where an object must be.

    Attributes:
        page: counted from 0.
        target: the object, such as ``"title"`` or ``"picture1"``.
        other: another object, or ``"slide"``.
        relation: holds ``left``, ``right``, ``top``, ``bottom`` or ``center``, perhaps several.
    """

    page: int
    target: str
    other: str
    relation: str

    @property
    def sides(self) -> list[str]:
        """The sides that the relation names."""
        return [side for side in SIDES if side in self.relation]

    def holds(self, document: Document, names: Mapping[str, str], emu: float) -> bool:
        """Whether it is met.

        Args:
            document: after the edit.
            names: of elements by id, as decks give them.
            emu: English metric units in a pixel.
        """
        one = self.element(document, names)
        if one is None:
            return False
        left, top, width, height = one.bbox
        if self.other != "slide":
            two = self.element(document, names, self.other)
            return two is not None and all(_stands(side, one, two) for side in self.sides)
        x, y = (side / 2 / emu for side in SLIDE)
        stands = {"left": left + width < x, "right": left > x, "top": top + height < y, "bottom": top > y}
        is_centred = left < x < left + width and top < y < top + height
        return all(stands[side] for side in self.sides) and ("center" not in self.relation or is_centred)

    def element(self, document: Document, names: Mapping[str, str], name: str | None = None) -> Element | None:
        """The element of an object, by default of its target; ``None``: there is none."""
        kind, number = re.fullmatch(r"(.*?)(\d*)", (name or self.target).strip(), re.DOTALL).groups()  # type: ignore[union-attr]
        elements = document.pages[self.page].elements if self.page < len(document.pages) else ()
        found = [one for one in elements if _is_object(one, kind, names.get(one.id, ""))]
        return dict(enumerate(found)).get(int(number or 0))


def read_restrictions(texts: Sequence[str]) -> Iterator[Restriction]:
    """The restrictions in a turn; those that are no restrictions are left out."""
    for text in texts:
        parts = [part.strip() for part in text.split(",")]
        if len(parts) == 4 and parts[0].isdecimal():
            yield Restriction(int(parts[0]), *parts[1:])


def _stands(side: str, one: Element, two: Element) -> bool:
    at = side in ("top", "bottom")
    first, second = (one, two) if side in ("left", "top") else (two, one)
    return first.bbox[at] + first.bbox[at + 2] < second.bbox[at]


def _is_object(element: Element, kind: str, name: str) -> bool:
    """Whether an element is of a kind that restrictions name."""
    if kind == "title":
        return name.startswith("title")
    if kind == "content":
        return re.match(r"(text|list)( \d|$)", name) is not None
    if kind == "textbox":
        return element.type in ("text", "list") and (not name or name.startswith("text box"))
    if kind in ("picture", "image"):
        return element.type == "image"
    if kind == "table" or "chart" in kind:
        return element.type == kind.rpartition(" ")[2].rpartition("_")[2]
    is_round = element.style.radius > 0
    return element.shape == _SHAPES.get(kind, kind) and is_round == (kind == "rounded_rectangle")


def deck_text(document: Document) -> str:
    """A document as text: backgrounds, notes, texts with the format of their first letters, data; no places."""
    lines = []
    for page in document.pages:
        lines += [f"{page.background} {page.notes}", *(_line(one) for one in page.elements if not is_empty(one))]
    return "\n".join(lines)


def is_empty(element: Element) -> bool:
    """Whether an element is a box for text that holds none, such as a placeholder, which nobody sees."""
    return element.type in ("text", "list") and not element.text.strip()


def _line(element: Element) -> str:
    if element.type == "image":
        return f"image {element.angle:.0f}"
    if element.type in ("table", "chart"):
        chart = element.chart
        series = [(one.name, [v for v in one.values if v is not None]) for one in chart.series] if chart else []
        return f"{element.type} {element.cells} {chart and (chart.title, chart.kind)} {series}"
    first = next((run for run in element.runs if run.text), None)
    style = [getattr(first, name, None) or getattr(element.style, name) for name in _STYLE]
    if element.type == "shape":
        style = [element.style.fill]
    return f"{element.type} {element.text!r} {style}"
