"""Write SVG files: pages of paths, and of text that stays text (W3C SVG 1.1)."""

from __future__ import annotations

import base64
import re
from collections.abc import Iterator
from pathlib import Path
from xml.sax.saxutils import escape, quoteattr

from ...core.files import atomic_write
from ..painting.pictures import fine_png
from ..painting.texts import underline_of
from ..scene.document import Document, Page
from ..scene.elements import Colour, Element
from .outlines import Area, Letters, areas_of, letters_of, lines_of
from .png import page_paths

_FAMILIES = {
    "Arimo": "Arimo, 'Liberation Sans', Arial, Helvetica, sans-serif",
    "Inter": "Inter, 'Segoe UI', Roboto, sans-serif",
    "Noto Serif": "'Noto Serif', Georgia, 'Times New Roman', serif",
    "Source Code Pro": "'Source Code Pro', Consolas, 'Courier New', monospace",
    "Caveat": "Caveat, 'Comic Sans MS', cursive",
    "Dancing Script": "'Dancing Script', 'Brush Script MT', cursive",
}
"""Typefaces, with similar fallbacks where they are not installed."""
_FORBIDDEN = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_svg(document: Document, path: Path) -> None:
    """Write the pages of a document as SVG files, numbered if there are several.

    Text has its painted width in any typeface.

    Raises:
        OSError: if a file cannot be written.
    """
    for page, file in zip(document.pages, page_paths(path, len(document.pages)), strict=True):
        atomic_write(file, svg_of(page, document.title).encode())


def svg_of(page: Page, title: str) -> str:
    """A page as an SVG document with a title."""
    lines = [
        '<?xml version="1.0" encoding="UTF-8"?>',
        f'<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" width="{page.width}" '
        f'height="{page.height}" viewBox="0 0 {page.width} {page.height}" font-kerning="none" '
        'style="font-optical-sizing:none">',
        f"<title>{_text(title)}</title>",
        f'<rect width="{page.width}" height="{page.height}" fill="{_hex(page.background)}"/>',
    ]
    for element in page.elements:
        if element.type != "group":
            lines += [_begin(element), *_drawn(element), "</g>"]
    return "\n".join([*lines, "</svg>", ""])


def _begin(element: Element) -> str:
    left, top, width, height = element.bbox
    turned = f" rotate({element.angle:g} {width / 2:g} {height / 2:g})" if element.angle else ""
    faded = f' opacity="{element.opacity:g}"' if element.opacity < 1 else ""
    return f'<g id="{element.id}" transform="translate({left} {top}){turned}"{faded}>'


def _drawn(element: Element) -> Iterator[str]:
    if element.asset is not None:
        yield _image(element)
    yield from map(_area, areas_of(element))
    held = list(letters_of(element))
    yield from (_underline(letters) for letters in held if letters.underline)
    for line in lines_of(held):
        # What parts letters is not seen, for each has a place, but it is copied and searched.
        yield f'<text xml:space="preserve">{"".join(map(_parted, line))}</text>'


def _image(element: Element) -> str:
    _, _, width, height = element.bbox
    data = base64.b64encode(fine_png(element.asset or "", width, height)).decode()
    name = f"<title>{_text(element.name)}</title>" if element.name else ""
    return (
        f'<image width="{width}" height="{height}" preserveAspectRatio="none" '
        f'xlink:href="data:image/png;base64,{data}">{name}</image>'
    )


def _area(area: Area) -> str:
    steps = " ".join(f"{kind}{' '.join(f'{number:.6g}' for number in numbers)}" for kind, numbers in area.path)
    return f'<path d="{steps}" fill="{_hex(area.colour)}" fill-rule="evenodd"/>'


def _parted(letters: Letters) -> str:
    return (" " if letters.parted == " " else "") + _letters(letters)


def _letters(letters: Letters) -> str:
    styles = [("font-weight", "bold")] if letters.bold else []
    styles += [("font-style", "italic")] if letters.italic else []
    style = "".join(f' {name}="{value}"' for name, value in styles)
    # One letter has no space beside it that could be made larger or smaller.
    wide = f' textLength="{letters.width:g}"' if len(letters.text) > 1 else ""
    return (
        f'<tspan x="{letters.x:g}" y="{letters.y:g}"{wide} font-family={quoteattr(_FAMILIES[letters.face])} '
        f'font-size="{letters.size}" fill="{_hex(letters.colour)}"{style}>{_text(letters.text)}</tspan>'
    )


def _underline(letters: Letters) -> str:
    below, thick = underline_of(letters.size)
    return (
        f'<rect x="{letters.x:g}" y="{letters.y + below:g}" width="{letters.width:g}" height="{thick:g}" '
        f'fill="{_hex(letters.colour)}"/>'
    )


def _text(text: str) -> str:
    """Text escaped for XML, with forbidden characters replaced."""
    return escape(_FORBIDDEN.sub("\ufffd", text))


def _hex(colour: Colour) -> str:
    return "#{:02x}{:02x}{:02x}".format(*colour)
