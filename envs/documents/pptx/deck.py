"""Slides and shapes of any PowerPoint file, with what they inherit."""

from __future__ import annotations

import io
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from .deck_limits import check_content
from .package import Unreadable, check_package, reading
from .theme_colours import Theme, read_theme
from .transforms import Frame, Placed, frame_of, placed_by
from .xml import ALTERNATIVES, Node, children, find, find_in, kind_of, number, tag, truth

LONGER_SIDE = 960
"""The longer side of a page in pixels."""
_SHAPES = ("sp", "pic", "cxnSp", "grpSp", "graphicFrame", "contentPart")
_BODIES = {None, "body", "obj", "subTitle", "chart", "tbl", "clipArt", "dgm", "media", "pic"}
_ABOUTS = ("nvSpPr", "nvPicPr", "nvGraphicFramePr")
_MIN_SIDE = 100
MAX_NOTES = 20_000
_TRANSFORMS = {"grpSp": "p:grpSpPr/a:xfrm", "graphicFrame": "p:xfrm"}


Held = tuple[Node, Node]
"""A placeholder of a layout or a master, and its ``ph``."""


@dataclass(frozen=True, eq=False)
class Slide:
    """A slide.

    Attributes:
        number: counted from 1.
        part: of python-pptx.
        root: its XML.
        emu: English metric units in a pixel.
        layout, master: the XML of its layout and of its master.
        theme: of its master.
        defaults: the text style of the whole deck.
    """

    number: int
    part: Any
    root: Node
    emu: float
    layout: Node
    master: Node
    theme: Theme
    defaults: Node

    @property
    def tree(self) -> Node:
        """The XML element that contains its shapes."""
        return find(self.root, "p:cSld/p:spTree")

    @cached_property
    def placeholders(self) -> tuple[list[Held], list[Held]]:
        """The placeholders of its layout and of its master, each with its ``ph``."""
        return _held(self.layout), _held(self.master)


@dataclass(frozen=True, eq=False)
class Deck:
    """A PowerPoint file; ``size`` is that of its pages in pixels."""

    package: Any
    slides: tuple[Slide, ...]
    size: tuple[int, int]


@dataclass(frozen=True, eq=False)
class SlideShape:
    """A shape of a slide.

    Attributes:
        id: of its element in a document.
        slide: that it is on.
        node: its node in the tree: the shape, or alternatives of which it is the first.
        shape: the shape.
        kind: its tag, such as ``"pic"``.
        frame: of the group that it is in.
        parent: the id of that group.
        bases: the placeholders of the layout and the master that it inherits from.
    """

    id: str
    slide: Slide
    node: Node
    shape: Node
    kind: str
    frame: Frame | None
    parent: str | None
    bases: tuple[Node, ...]

    @property
    def about(self) -> Node:
        """The node that holds its number and its name."""
        return next(self.shape.iter(tag("p:cNvPr")), None)

    @property
    def properties(self) -> list[Node]:
        """Its properties and those of its placeholders, the nearest first."""
        return find_in((self.shape, *self.bases), "p:spPr")

    @property
    def frames(self) -> list[Node]:
        """The properties of its text body and of those of its placeholders."""
        return find_in((self.shape, *self.bases), "p:txBody/a:bodyPr")

    @property
    def is_text_box(self) -> bool:
        """Whether it was made as a box for text."""
        about = find(self.shape, "p:nvSpPr/p:cNvSpPr")
        return about is not None and bool(truth(about.get("txBox")))

    @property
    def transform(self) -> Node:
        """Its own ``xfrm``; ``None``: it has the place of its placeholder."""
        return transform_of(self.shape)

    @property
    def placed(self) -> Placed:
        """Its box in the slide or group that contains it."""
        own = placed_by(self.transform)
        # A placeholder of a layout that is empty gives no place: that of the master does.
        found = [box for one in find_in(self.bases, "p:spPr/a:xfrm") if (box := placed_by(one)) is not None]
        inherited = next((box for box in found if box.width and box.height), next(iter(found), Placed(0, 0, 0, 0)))
        return inherited if own is None else own

    @property
    def on_slide(self) -> Placed:
        """Its box on the slide."""
        return self.placed if self.frame is None else self.frame.out(self.placed)


def load_deck(content: bytes, origin: str) -> Deck:
    """Load a PowerPoint file; ``origin`` is its name in messages.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if it is not a PowerPoint file, is locked, broken or too large, or has no slides.
    """
    try:
        from pptx import Presentation
    except ImportError:
        raise RuntimeError("PowerPoint files need python-pptx: pip install 'formgym[office]'") from None
    check_package(content, origin)
    with reading(origin):
        return deck_of(Presentation(io.BytesIO(content)), origin)


def deck_of(presentation: Any, origin: str) -> Deck:
    """The deck in a ``Presentation`` of python-pptx, for as long as its slides stay as they are; see ``load_deck``."""
    package = presentation.part
    size, listed = (find(package._element, name) for name in ("p:sldSz", "p:sldIdLst"))
    width, height = number(size, "cx", 9_144_000), number(size, "cy", 6_858_000)
    if listed is None or not len(listed) or width < 1 or height < 1:
        raise Unreadable(f"{origin} has no slides")
    if round(min(width, height) * LONGER_SIDE / max(width, height)) < _MIN_SIDE:
        raise Unreadable(f"{origin} has slides that are ten times as long as they are high, which cannot be opened")
    emu = max(width, height) / LONGER_SIDE
    slides = tuple(_slides(package, list(listed), emu))
    if any(slide.tree is None for slide in slides):
        raise Unreadable(f"{origin} has a slide that holds nothing, not even a place for shapes")
    check_content([(slide.part, (slide.root, slide.layout, slide.master)) for slide in slides], origin)
    return Deck(package, slides, (round(width / emu), round(height / emu)))


def shapes_of(slide: Slide) -> list[SlideShape]:
    """The shapes of a slide in painting order, each group before its members."""
    return list(_shapes_in(slide, slide.tree, None, None, Counter()))


def notes_of(slide: Slide) -> str:
    """The notes for the speaker of a slide; its paragraphs are lines."""
    body = notes_body(slide)
    lines = [] if body is None else body.iterfind(tag("a:p"))
    return "\n".join(map(line_of, lines))[:MAX_NOTES]


def notes_part(slide: Slide) -> Any:
    """The part of python-pptx with the notes of a slide; ``None`` if it has none."""
    from pptx.opc.constants import RELATIONSHIP_TYPE

    try:
        return slide.part.part_related_by(RELATIONSHIP_TYPE.NOTES_SLIDE)
    except KeyError:
        return None


def notes_body(slide: Slide) -> Node:
    """The text body of the notes of a slide, or ``None``."""
    part = notes_part(slide)
    held = [] if part is None else _held(part._element)
    return find(next((shape for shape, ph in held if ph.get("type") == "body"), None), "p:txBody")


def line_of(paragraph: Node) -> str:
    """The text of a paragraph."""
    return "".join(text.text or "" for text in paragraph.iter(tag("a:t")))


def shape_in(node: Node) -> Node:
    """The shape in a node of a tree, or ``None``."""
    if node.tag == ALTERNATIVES:
        return next(iter(alternatives(node)), None)
    return node if kind_of(node) in _SHAPES else None


def alternatives(node: Node) -> list[Node]:
    """The shapes in a node of a tree: itself, or its alternatives."""
    if node.tag != ALTERNATIVES:
        return [] if shape_in(node) is None else [node]
    return [shape for choice in children(node) for one in children(choice) if (shape := shape_in(one)) is not None]


def transform_of(shape: Node) -> Node:
    """The ``xfrm`` of a shape, or ``None``."""
    return find(shape, _TRANSFORMS.get(kind_of(shape), "p:spPr/a:xfrm"))


def placeholder(shape: Node) -> Node:
    """The ``ph`` of a shape; ``None`` if it is not a placeholder."""
    return next((ph for about in children(shape) if kind_of(about) in _ABOUTS for ph in about.iter(tag("p:ph"))), None)


def _slides(package: Any, listed: list[Node], emu: float) -> Iterator[Slide]:
    themes: dict[Any, Node] = {}
    for i, entry in enumerate(listed):
        yield slide_of(package, package.related_part(entry.rId), i + 1, emu, themes)


def slide_of(package: Any, part: Any, number: int, emu: float, themes: dict[Any, Node]) -> Slide:
    """The slide in a part of python-pptx.

    Args:
        package: the part of the presentation.
        part: of the slide, related to its layout.
        number: of the slide, from 1; 0: it is not in the deck.
        emu: English metric units in a pixel.
        themes: takes the themes that were read, by their parts.
    """
    from pptx.opc.constants import RELATIONSHIP_TYPE
    from pptx.oxml import parse_xml

    layout = part.part_related_by(RELATIONSHIP_TYPE.SLIDE_LAYOUT)
    master = layout.part_related_by(RELATIONSHIP_TYPE.SLIDE_MASTER)
    themed = master.part_related_by(RELATIONSHIP_TYPE.THEME)
    if themed not in themes:
        themes[themed] = parse_xml(themed.blob)
    mapping = find(master._element, "p:clrMap")
    for root in (layout._element, part._element):
        own = find(root, "p:clrMapOvr/a:overrideClrMapping")
        mapping = mapping if own is None else own
    defaults = find(package._element, "p:defaultTextStyle")
    sheets = part._element, emu, layout._element, master._element
    return Slide(number, part, *sheets, read_theme(themes[themed], mapping, themed), defaults)


def _shapes_in(
    slide: Slide, tree: Node, frame: Frame | None, parent: str | None, taken: Counter[str]
) -> Iterator[SlideShape]:
    for node in children(tree):
        shape = shape_in(node)
        if shape is None:
            continue
        name, bases = _id(slide, shape, taken), _bases(slide, shape)
        found = SlideShape(name, slide, node, shape, kind_of(shape), frame, parent, bases)
        yield found
        if found.kind == "grpSp" and node is shape:
            yield from _shapes_in(slide, shape, frame_of(found.transform, frame), found.id, taken)


def _id(slide: Slide, shape: Node, taken: Counter[str]) -> str:
    """A unique element id: the numbers of its slide and shape, and a suffix if needed."""
    about = next(shape.iter(tag("p:cNvPr")), None)
    stem = f"s{slide.number}_{abs(number(about, 'id'))}"[:30]
    taken[stem] += 1
    return stem if taken[stem] == 1 else f"{stem}-{taken[stem]}"


def _bases(slide: Slide, shape: Node) -> tuple[Node, ...]:
    own = placeholder(shape)
    if own is None:
        return ()
    of_layout, of_master = slide.placeholders
    in_layout = _like(of_layout, own, by_index=True)
    in_master = _like(of_master, own if in_layout is None else placeholder(in_layout), by_index=False)
    return tuple(base for base in (in_layout, in_master) if base is not None)


def _held(root: Node) -> list[Held]:
    return [(shape, ph) for shape in root.iter(tag("p:sp")) if (ph := placeholder(shape)) is not None]


def _like(held: list[Held], own: Node, by_index: bool) -> Node:
    """The placeholder of a layout or a master that another one inherits from."""
    if by_index:
        same = [shape for shape, ph in held if ph.get("idx", "0") == own.get("idx", "0") and own.get("idx")]
        if same:
            return same[0]
    return next((shape for shape, ph in held if role_of(ph) == role_of(own)), None)


def role_of(ph: Node) -> str:
    """The role of a placeholder: ``"title"``, ``"body"``, or its own type."""
    kind = ph.get("type")
    return "title" if kind in ("title", "ctrTitle") else "body" if kind in _BODIES else kind
