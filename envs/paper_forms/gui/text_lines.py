"""Lines of text of the window itself, joined from cached pictures of characters."""

from __future__ import annotations

from functools import lru_cache
from typing import NamedTuple

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from ...core.painting import Colour, Image, Patch, read_only
from ...core.text_sprites import TYPED_FACE, font


class Style(NamedTuple):
    """How a line of text is drawn: its colours, the size of the face and the height of the line in pixels."""

    paper: Colour
    ink: Colour
    height: int = 20
    size: int = 13
    weight: int | None = None


@lru_cache(maxsize=4096)
def _cell(character: str, style: Style) -> Image:
    """A character on its paper, as wide as its advance."""
    face = font(TYPED_FACE, style.size, style.weight)
    picture = PillowImage.new("RGB", (max(round(face.getlength(character)), 1), style.height), style.paper)
    ImageDraw.Draw(picture).text((0, style.height // 2 + 5), character, style.ink, face, "ls")
    return read_only(np.array(picture))


class _Advances(dict[str, int]):
    """The widths of characters in a style, which are measured when they are asked for."""

    def __init__(self, style: Style) -> None:
        self._style = style

    def __missing__(self, character: str) -> int:
        self[character] = advance = int(_cell(character, self._style).shape[1])
        return advance


_advances = lru_cache(maxsize=32)(_Advances)


def line_width(text: str, style: Style) -> int:
    """The width of a line of text in pixels."""
    return sum(map(_advances(style).__getitem__, text))


def text_patch(text: str, style: Style, x: int, y: int, room: int | None = None) -> Patch:
    """A line of text with its top left corner at a pixel, cut with an ellipsis if it is wider than ``room`` pixels."""
    cells = [_cell(character, style) for character in text]
    if room is not None and line_width(text, style) > room:
        reach = np.cumsum([cell.shape[1] for cell in cells]) + _cell("…", style).shape[1]
        cells = [*cells[: int(np.searchsorted(reach, room, "right"))], _cell("…", style)]
    return Patch(np.concatenate([np.empty((style.height, 0, 3), np.uint8), *cells], axis=1), x, y)


def wrapped(text: str, style: Style, room: int) -> list[str]:
    """The lines of a text, of at most ``room`` pixels if possible, broken after spaces; joined they are the text."""
    lines, begin, after_space, width = [], 0, 0, 0
    advances = _advances(style)
    for i, character in enumerate(text):
        width += advances[character]
        while width > room and i > begin:
            end = after_space if after_space > begin else i
            lines.append(text[begin:end])
            begin, width = end, line_width(text[end : i + 1], style)
        if character == " ":
            after_space = i + 1
    return [*lines, text[begin:]]
