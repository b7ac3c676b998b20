"""Gallery: pages with what is known of them drawn on, to be looked at."""

from __future__ import annotations

from PIL import Image, ImageDraw

from ...envs.core.locators import Box
from ..examples import ExamplePage

_LABEL, _BOX, _FIELD = (30, 60, 255), (255, 0, 0), (0, 170, 0)


def draw(page: ExamplePage) -> Image.Image:
    """The page with labels (blue), answers (red) and fields (green)."""
    picture = Image.fromarray(page.gray).convert("RGB")
    pen = ImageDraw.Draw(picture)
    for example in page.examples:
        _outline(pen, example.field, _FIELD)
        for label in example.labels:
            if label is not None:
                _outline(pen, label, _LABEL)
        _outline(pen, example.box, _BOX)
    return picture


def beside(*pictures: Image.Image) -> Image.Image:
    """Pictures in a row."""
    wide, high = sum(one.width for one in pictures), max(one.height for one in pictures)
    row = Image.new("RGB", (wide, high), "white")
    x = 0
    for one in pictures:
        row.paste(one, (x, 0))
        x += one.width
    return row


def _outline(pen: ImageDraw.ImageDraw, box: Box, colour: tuple[int, int, int]) -> None:
    pen.rectangle(tuple(round(edge) for edge in box), outline=colour)
