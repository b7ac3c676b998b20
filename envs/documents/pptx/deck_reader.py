"""Read any PowerPoint file as a document, each shape as the nearest element type."""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import PurePath
from typing import Any

from ..painting.pictures import gradient_mean
from ..painting.shapes import FLAT
from ..painting.texts import typeset
from ..scene.document import Document, Layout, Page
from ..scene.elements import MAX_COORDINATE, Element
from .backgrounds import background_of, inherited_shapes
from .charts import chart_fields, chart_part
from .deck import Deck, Slide, SlideShape, load_deck, notes_of, placeholder, shapes_of, slide_of
from .graphics import picture_of
from .outlines import LINES, PLAIN, line_path, outline_path, preset_name, shape_of
from .package import reading
from .shape_names import named, role
from .shape_style import gradient_in, outline_of, shade_of
from .tables import rows_height, table_fields
from .text_reader import anchor_of, insets_of, is_list, levels_of, sources_of, text_fields
from .transforms import Placed, mirrored
from .xml import WHOLE, Node, find, find_in, tag

_MAX_LAYOUTS = 40
Fields = dict[str, Any]
Inherited = dict[tuple[Node, str], tuple[Element, ...]]
"""The elements that slides have from a layout and its master, by the layout and whether slides show them.

Single ones are there by their nodes and the colours of the slide, too.
"""


def open_deck(content: bytes, origin: str) -> Document:
    """The document in a PowerPoint file, ours or not.

    Pages are 960 pixels on their longer side. What documents cannot represent, such as a chart, is an image that can
    be moved, resized and deleted. Shapes of layouts and masters are no elements; pages inherit them.

    Args:
        content: of the file.
        origin: its name.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if it is not a PowerPoint file, is locked, broken or too large, or has no slides.
    """
    deck = load_deck(content, origin)
    with reading(origin):
        known: Inherited = {}
        document = document_of(deck, PurePath(origin).stem, known=known)
        return document.model_copy(update={"layouts": layouts_of(deck, known)})


def document_of(
    deck: Deck, stem: str, read: Callable[..., Page] | None = None, known: Inherited | None = None
) -> Document:
    """A deck made elsewhere as a document.

    Args:
        deck: what is read.
        stem: its file name without suffix.
        read: ``page_of``, or what knows pages that it has read before.
        known: takes what slides inherit.
    """
    found = [shapes_of(slide) for slide in deck.slides]
    known = {} if known is None else known
    read = read or page_of
    pages = [read(slide, shapes, deck.size, known) for slide, shapes in zip(deck.slides, found, strict=True)]
    names = named(found, pages)
    title = re.sub(r"\s+", " ", deck.package.core_properties.title or stem).strip()[:80]
    words = re.sub(r"[^a-z0-9]+", "_", stem.lower()).strip("_")[:50]
    return Document(
        name=words if words[:1].isalpha() else f"deck_{words}".strip("_"),
        title=title or "Slides",
        kind="slides",
        pages=tuple(with_names(page, names) for page in pages),
    )


def page_of(slide: Slide, shapes: list[SlideShape], size: tuple[int, int], known: Inherited | None = None) -> Page:
    """A slide of a size in pixels as a page whose elements have no names yet.

    Unique names depend on the whole deck.

    Args:
        slide: to read.
        shapes: of it.
        size: width and height of the page.
        known: takes what slides of a layout inherit, for others of it.
    """
    key = slide.layout, slide.root.get("showMasterSp", "1")
    known = {} if known is None else known
    if key not in known:
        # A panel in place of what cannot be drawn would lie under the text of every slide.
        elements = (_inherited(one, known) for one in inherited_shapes(slide))
        known[key] = tuple(e for e in elements if not (e.asset or "").startswith("panel/"))
    colour, backdrop = background_of(slide)
    return Page(
        width=size[0],
        height=size[1],
        background=colour,
        backdrop=backdrop,
        inherited=known[key],
        elements=tuple(_element(one) for one in shapes),
        notes=notes_of(slide),
    )


def _inherited(found: SlideShape, known: Inherited) -> Element:
    """An element of a layout or a master, which is read once for all slides of the same colours."""
    key = found.node, str(found.slide.theme.mapped)
    if key not in known:
        known[key] = (_element(found),)
    return known[key][0]


def with_names(page: Page, names: Mapping[str, str]) -> Page:
    """A page whose elements have names by their ids, or none."""
    elements = tuple(element.model_copy(update={"name": names.get(element.id, "")}) for element in page.elements)
    return page.model_copy(update={"elements": elements})


def layouts_of(deck: Deck, known: Inherited) -> tuple[Layout, ...]:
    """The layouts of a deck with their placeholders, which are empty; ``known`` is that of ``page_of``."""
    themes: dict[Any, Node] = {}
    parts = layout_parts(deck)
    slides = ((name, new_slide(deck, part, "/ppt/slides/slide0.xml", themes)) for name, part in parts.items())
    return tuple(Layout(name=name, page=page_of_layout(deck, slide, known)) for name, slide in slides)


def layout_parts(deck: Deck) -> dict[str, Any]:
    """The layouts of a deck, parts of python-pptx, by their names, the most used first."""
    used = Counter(slide.layout for slide in deck.slides)
    layouts = [layout for master in deck.package.presentation.slide_masters for layout in master.slide_layouts]
    layouts = sorted(layouts, key=lambda one: used[one.part._element], reverse=True)[:_MAX_LAYOUTS]
    names = dict.fromkeys(one.name.strip() for one in layouts if one.name.strip())
    return {name: next(one.part for one in layouts if one.name.strip() == name) for name in names}


def new_slide(deck: Deck, layout: Any, name: str, themes: dict[Any, Node] | None = None) -> Slide:
    """A slide of a layout with its placeholders, not yet in the deck; ``name`` is that of its part."""
    from pptx.opc.packuri import PackURI
    from pptx.parts.slide import SlidePart

    library: Any = SlidePart
    part = library.new(PackURI(name), layout.package, layout)
    part.slide.shapes.clone_layout_placeholders(layout.slide_layout)
    return slide_of(deck.package, part, 0, deck.slides[0].emu, {} if themes is None else themes)


def page_of_layout(deck: Deck, slide: Slide, known: Inherited | None = None) -> Page:
    """A slide of a layout as a page, whose elements have the names of their roles."""
    found = shapes_of(slide)
    page = page_of(slide, found, deck.size, known)
    return with_names(page, named([found], [page]))


def _text_box(found: SlideShape, box: Placed) -> Placed:
    """The area of the text in a box, without its insets."""
    left, top, right, bottom = insets_of(found)
    if box.width <= left + right or box.height <= top + bottom:
        return box
    return Placed(box.left + left, box.top + top, box.width - left - right, box.height - top - bottom, box.angle)


def _element(found: SlideShape) -> Element:
    box, emu = found.on_slide, found.slide.emu
    kind = found.kind if found.node is found.shape else "other"
    fields = _READERS.get(kind, _other)(found, box)
    if fields["type"] in ("text", "list"):
        box = _text_box(found, box)
    elif fields["type"] == "table":
        box = replace(box, height=max(box.height, rows_height(found.shape)))
    left, top = (max(-MAX_COORDINATE, min(round(edge / emu), MAX_COORDINATE)) for edge in (box.left, box.top))
    width, height = (max(1, min(round(edge / emu), MAX_COORDINATE)) for edge in (box.width, box.height))
    angle = round(box.angle, 3) % 360
    whole = {
        "id": found.id,
        "bbox": (left, top, width, height),
        "angle": 0.0 if angle >= 360 else angle,
        "parent": found.parent,
    }
    return _unwrapped(Element.model_validate(whole | fields), found)


def _unwrapped(element: Element, found: SlideShape) -> Element:
    """An unwrapped text in a box as large as the text."""
    wrap = next((wrap for frame in found.frames if (wrap := frame.get("wrap"))), "square")
    if element.type != "text" or wrap != "none" or element.angle:
        return element
    left, top, width, height = element.bbox
    text = max(line.width for line in typeset(element.runs, element.style, math.inf))
    while text > width:
        if width >= MAX_COORDINATE // 2:
            return element
        more = max(8, width // 8)
        left -= {"left": 0, "center": more // 2, "right": more}[element.style.align]
        width += more
    return element.model_copy(update={"bbox": (left, top, width, height)})


def _shape(found: SlideShape, box: Placed) -> Fields:
    preset = preset_name(found.shape)
    if preset.startswith(LINES):
        return _line(found, box)
    if (picture := find(found.shape, "p:spPr/a:blipFill")) is not None and not _has_text(found.shape):
        return _picture(found, box, picture)
    body, fill = find(found.shape, "p:txBody"), shade_of(found)
    line, _ = outline_of(found, found.properties)
    text: Fields = {"style": {}, "runs": []}
    kind = "text"
    if body is not None:
        sources = sources_of(found, body)
        text = text_fields(body, sources)
        text["style"]["anchor"] = anchor_of(found)
        kind = "list" if is_list(body, sources) else "text"
    if fill is None and not line and (text["runs"] or placeholder(found.shape) is not None or found.is_text_box):
        levels = levels_of(body) if kind == "list" else ()
        return {"type": kind, "levels": levels, **text}
    style = text["style"] | line
    opacity = text.get("opacity", 1.0)
    gradient = gradient_in(found)
    if fill is not None:
        style["fill"] = fill[0] if gradient is None else gradient_mean(gradient)
        opacity = opacity if text["runs"] else fill[1]
    if radius := _radius(found.shape, box, found.slide.emu):
        style["radius"] = radius
    return {
        "type": "shape",
        "shape": shape_of(preset),
        "path": "" if preset in PLAIN else _outline(found, box),
        "asset": gradient if fill is not None else None,
        "runs": text["runs"],
        "style": style,
        "opacity": opacity,
    }


def _has_text(shape: Node) -> bool:
    return any((text.text or "").strip() for text in shape.iter(tag("a:t")))


def _outline(found: SlideShape, box: Placed) -> str:
    return outline_path(found.shape, found.transform, _pixels(box, found))


def _pixels(box: Placed, found: SlideShape) -> tuple[float, float]:
    return max(box.width / found.slide.emu, 1.0), max(box.height / found.slide.emu, 1.0)


def _radius(shape: Node, box: Placed, emu: float) -> int:
    geometry = find(shape, "p:spPr/a:prstGeom")
    if geometry is None or not geometry.get("prst", "").startswith("round"):
        return 0
    guides = [guide.get("fmla", "") for guide in geometry.iter(tag("a:gd"))]
    adjustments = [int(words[1]) for guide in guides if len(words := guide.split()) == 2 and words[1].isdecimal()]
    portion = min(adjustments[0] if adjustments else 16_667, 50_000) / WHOLE
    return min(round(portion * min(box.width, box.height) / emu), 400)


def _line(found: SlideShape, box: Placed) -> Fields:
    style, opacity = outline_of(found, find_in([found.shape], "p:spPr"))
    across, upright = mirrored(found.transform)
    is_flat = min(box.width, box.height) <= FLAT * found.slide.emu
    style = style or {"stroke": found.slide.theme.colours.get("dk1", (0, 0, 0)), "stroke_width": 1}
    return {
        "type": "line",
        "rises": across != upright and not is_flat,
        "path": line_path(found.shape, found.transform, _pixels(box, found), style["stroke_width"]),
        "style": style,
        "opacity": opacity,
    }


def _picture(found: SlideShape, box: Placed, fill: Node | None = None) -> Fields:
    fill = find(found.shape, "p:blipFill") if fill is None else fill
    return {"type": "image", "path": _outline(found, box), **picture_of(fill, found.slide.part)}


def _graphic(found: SlideShape, box: Placed) -> Fields:
    table, chart = find(found.shape, "a:graphic/a:graphicData/a:tbl"), chart_part(found)
    fields = None if table is None else table_fields(found, table)
    fields = fields or (None if chart is None else chart_fields(found, chart))
    preview = None if fields else next(found.shape.iter(tag("p:pic")), None)
    return fields or (_other(found, box) if preview is None else _preview(found, box, preview))


def _preview(found: SlideShape, box: Placed, preview: Node) -> Fields:
    """The picture that an embedded object is shown as."""
    fields = picture_of(find(preview, "p:blipFill"), found.slide.part)
    return _other(found, box) if fields["asset"].startswith("panel/") else {"type": "image", **fields}


def _other(found: SlideShape, box: Placed) -> Fields:
    return {"type": "image", "asset": f"panel/{role(found)}"}


_READERS: dict[str, Callable[[SlideShape, Placed], Fields]] = {
    "sp": _shape,
    "cxnSp": _line,
    "pic": _picture,
    "graphicFrame": _graphic,
    "grpSp": lambda found, box: {"type": "group"},
}
