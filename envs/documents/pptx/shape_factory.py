"""New shapes on slides that were made elsewhere: made as in our own files, in the measures of the deck."""

from __future__ import annotations

import io

from ..scene.elements import Element
from .deck import Slide
from .units import EMU, tag
from .writer import tell, write_element
from .xml import Node, number

_MEASURES: dict[str, tuple[str, ...]] = {
    "a:off": ("x", "y"),
    "a:ext": ("cx", "cy"),
    "a:rPr": ("sz",),
    "a:defRPr": ("sz",),
    "a:ln": ("w",),
    "a:lnL": ("w",),
    "a:lnR": ("w",),
    "a:lnT": ("w",),
    "a:lnB": ("w",),
    "a:bodyPr": ("lIns", "tIns", "rIns", "bIns"),
    "a:lvl1pPr": ("marL", "indent"),
    "a:tcPr": ("marL", "marR", "marT", "marB"),
    "a:gridCol": ("w",),
    "a:tr": ("h",),
}
"""Lengths, by the elements that tell them."""


def new_shape(slide: Slide, element: Element, emu: float, is_own: bool = False) -> Node:
    """A shape for an element, which is in no tree yet; its picture is put into the deck.

    Args:
        slide: that it is for.
        element: what it shows.
        emu: English metric units in a pixel of the deck.
        is_own: whether who the element is must be kept in it, as ``write_pptx`` does.
    """
    from pptx import Presentation

    scratch = Presentation()
    sheet = scratch.slides.add_slide(scratch.slide_layouts[6])
    shape = write_element(sheet.shapes, element)
    node = shape._element
    for blip in node.iter(tag("a:blip")):
        picture = sheet.part.related_part(blip.get(tag("r:embed")))
        _, link = slide.part.get_or_add_image_part(io.BytesIO(picture.blob))
        blip.set(tag("r:embed"), link)
    if is_own:
        tell(shape, element)
    else:
        next(node.iter(tag("p:cNvPr"))).attrib.pop("descr", None)
    node.getparent().remove(node)
    _scale(node, emu / EMU)
    return node


def _scale(node: Node, share: float) -> None:
    for name, keys in _MEASURES.items():
        for part in node.iter(tag(name)):
            for key in keys:
                if part.get(key) is not None:
                    part.set(key, str(round(number(part, key) * share)))
