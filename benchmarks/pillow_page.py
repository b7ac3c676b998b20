"""Draw a document page with Pillow alone: the baseline of the benchmark."""

from __future__ import annotations

from collections.abc import Callable

from PIL import Image, ImageDraw

from formgym.envs.documents.painting.pictures import picture
from formgym.envs.documents.painting.texts import PAD, typeset
from formgym.envs.documents.scene.document import Page
from formgym.envs.documents.scene.elements import Element, Run

_FINE = 2
"""How many times finer shapes are drawn before they are smoothed."""


def pillow_page(page: Page) -> Image.Image:
    """A page, mode RGB; some shapes are simplified, everything else is drawn."""
    sheet = Image.new("RGB", (page.width, page.height), page.background)
    for element in page.elements:
        if element.type != "group":
            layer = _DRAW[element.type](element)
            if element.angle:
                layer = layer.rotate(-element.angle, Image.Resampling.BICUBIC, expand=True)
            if element.opacity < 1:
                layer.putalpha(layer.getchannel("A").point(lambda v, o=element.opacity: round(v * o)))
            x, y = (round(c - s / 2) for c, s in zip(element.centre, layer.size, strict=True))
            sheet.paste(layer, (x, y), layer)
    return sheet


def _text(element: Element) -> Image.Image:
    layer = Image.new("RGBA", element.bbox[2:], (0, 0, 0, 0))
    _write(layer, element, 0)
    return layer


def _write(layer: Image.Image, element: Element, inset: int) -> None:
    draw, style = ImageDraw.Draw(layer), element.style
    lines = typeset(element.runs, style, max(element.bbox[2] - 2 * inset, 1))
    free = element.bbox[3] - sum(line.height for line in lines)
    y = {"top": 0.0, "middle": free / 2, "bottom": free}[style.anchor]
    for line in lines:
        room = element.bbox[2] - 2 * inset - line.width
        x = inset + {"left": 0.0, "center": room / 2, "right": room}[style.align]
        for piece in line.pieces:
            draw.text((x + piece.x, y + line.ascent), piece.text, fill=piece.colour, font=piece.font, anchor="ls")
        y += line.height


def _shape(element: Element) -> Image.Image:
    _, _, width, height = element.bbox
    style = element.style
    fine = Image.new("RGBA", (width * _FINE, height * _FINE), (0, 0, 0, 0))
    draw, box = ImageDraw.Draw(fine), (0, 0, width * _FINE - 1, height * _FINE - 1)
    width_of_pen = style.stroke_width * _FINE
    if element.shape == "ellipse":
        draw.ellipse(box, style.fill, style.stroke, width_of_pen)
    else:
        draw.rounded_rectangle(box, style.radius * _FINE, style.fill, style.stroke, width_of_pen)
    layer = fine.reduce(_FINE)
    if element.runs:
        _write(layer, element, PAD)
    return layer


def _line(element: Element) -> Image.Image:
    _, _, width, height = element.bbox
    style = element.style
    thick = max(style.stroke_width, 1)
    layer = Image.new("RGBA", (width + thick, height + thick), (0, 0, 0, 0))
    ends = (0, height, width, 0) if element.rises else (0, 0, width, height)
    ImageDraw.Draw(layer).line(ends, fill=style.stroke, width=thick)
    return layer


def _image(element: Element) -> Image.Image:
    return picture(str(element.asset), *element.bbox[2:]).copy()


def _table(element: Element) -> Image.Image:
    _, _, width, height = element.bbox
    layer, style = Image.new("RGBA", (width, height), (0, 0, 0, 0)), element.style
    draw, rows, columns = ImageDraw.Draw(layer), len(element.cells), len(element.cells[0])
    for i, row in enumerate(element.cells):
        for k, text in enumerate(row):
            at = width * k / columns + PAD, height * (i + 0.5) / rows
            lines = typeset((Run(text=text),), style, width / columns)
            for piece in lines[0].pieces:
                draw.text((at[0] + piece.x, at[1]), piece.text, fill=style.colour, font=piece.font, anchor="lm")
            draw.rectangle(
                (width * k / columns, height * i / rows, width * (k + 1) / columns - 1, height * (i + 1) / rows - 1),
                outline=style.stroke,
            )
    return layer


_DRAW: dict[str, Callable[[Element], Image.Image]] = {
    "text": _text,
    "list": _text,
    "shape": _shape,
    "line": _line,
    "image": _image,
    "table": _table,
}
