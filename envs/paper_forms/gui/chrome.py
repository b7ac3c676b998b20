"""Draw the editor's window: bars, buttons and icons, cached."""

from __future__ import annotations

import json
from functools import lru_cache
from math import cos, radians, sin
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from ...core.asset_cache import derived
from ...core.boxes import Rect
from ...core.painting import Colour, Image, Patch, read_only
from ...core.text_sprites import TYPED_FACE, font
from .layout import BUTTONS, DIVIDERS, HEIGHT, POINTER_POSITION, STATUS, STATUS_BAR, TITLE_BAR, TOOLBAR, WIDTH

GRID = 20
_OVERSAMPLING = 8
"""Icons are drawn this many times larger and then scaled down."""
_WEIGHT = 1.6
"""The width of strokes in units of the grid."""

Point = tuple[float, float]


@lru_cache(maxsize=1)
def _strokes() -> dict[str, list[list[list[float]]]]:
    """The strokes of each icon, from ``icons.json``.

    A stroke is a list of points ``[x, y]`` and arcs ``[x, y, radius, begin, end]``, with angles in degrees.
    """
    return dict(json.loads(Path(__file__).with_name("icons.json").read_text(encoding="utf-8")))


def _points(stroke: list[list[float]]) -> list[Point]:
    """A stroke as points of the grid."""
    return [point for part in stroke for point in ([(part[0], part[1])] if len(part) == 2 else _arc(*part))]


def _arc(x: float, y: float, radius: float, begin: float, end: float) -> list[Point]:
    """Points on a circle between two angles in degrees: 0 is right, 90 below."""
    step = 6 if end > begin else -6
    angles = [radians(degrees) for degrees in range(int(begin), int(end) + step // 6, step)]
    return [(x + radius * cos(angle), y + radius * sin(angle)) for angle in angles]


@lru_cache(maxsize=64)
def icon(name: str, size: int) -> PillowImage.Image:
    """An icon as a mask of ``size`` x ``size`` pixels."""
    fine = PillowImage.new("L", (size * _OVERSAMPLING, size * _OVERSAMPLING))
    draw, scale = ImageDraw.Draw(fine), size * _OVERSAMPLING / GRID
    half = _WEIGHT * scale / 2
    for stroke in _strokes()[name]:
        points = [(x * scale, y * scale) for x, y in _points(stroke)]
        draw.line(points, fill=255, width=round(_WEIGHT * scale), joint="curve")
        for x, y in (points[0], points[-1]):
            draw.ellipse((x - half, y - half, x + half, y + half), fill=255)
    return fine.resize((size, size), PillowImage.Resampling.BOX)


ACCENT: Colour = (37, 99, 235)
PALE_ACCENT: Colour = (219, 234, 254)
DESK: Colour = (148, 155, 166)
DESK_EDGE: Colour = (108, 115, 126)
TRACK: Colour = (233, 235, 239)
THUMB: Colour = (160, 167, 178)
_TITLE_PAPER, _TITLE_INK = (38, 46, 60), (240, 243, 247)
_BAR_PAPER, _BAR_INK, _BAR_EDGE = (247, 248, 250), (43, 51, 64), (208, 213, 221)
_FAINT_INK = (176, 183, 193)
_STATUS_INK = (75, 84, 98)
_PRESSED_EDGE, _PRESSED_INK = (147, 187, 252), (29, 78, 216)
_COLOURS: dict[str, Colour] = {"confirm": (22, 140, 72), "cancel": (200, 48, 48)}
"""The icons with a colour of their own."""

_LABEL_SIZE, _TITLE_SIZE, _STATUS_SIZE = 13, 14, 13
_ICON = 18
_TITLE_ROOM = WIDTH - 60


@derived
def window_image(title: str) -> Image:
    """The editor's empty window: uint8 (height, width, 3), read-only and shared."""
    window = PillowImage.new("RGB", (WIDTH, HEIGHT), DESK)
    draw = ImageDraw.Draw(window)
    for bar, paper in ((TITLE_BAR, _TITLE_PAPER), (TOOLBAR, _BAR_PAPER), (STATUS_BAR, _BAR_PAPER)):
        draw.rectangle((bar[0], bar[1], bar[2] - 1, bar[3] - 1), fill=paper)
    draw.line((0, TOOLBAR[3] - 1, WIDTH, TOOLBAR[3] - 1), fill=_BAR_EDGE)
    draw.line((0, STATUS_BAR[1], WIDTH, STATUS_BAR[1]), fill=_BAR_EDGE)
    for x in DIVIDERS:
        draw.line((x, TOOLBAR[1] + 12, x, TOOLBAR[3] - 13), fill=_BAR_EDGE)
    window.paste(_TITLE_INK, (12, 9), icon("document", 18))
    middle = (TITLE_BAR[1] + TITLE_BAR[3]) // 2
    draw.text((40, middle), _fitting(title, _TITLE_SIZE, _TITLE_ROOM), _TITLE_INK, font(TYPED_FACE, _TITLE_SIZE), "lm")
    pixels = np.array(window)
    for name in BUTTONS:
        button_patch(name, "idle").draw(pixels, (0, 0, WIDTH, HEIGHT))
    return read_only(pixels)


@lru_cache(maxsize=128)
def button_patch(name: str, state: str, label: str = "") -> Patch:
    """The picture of a toolbar button.

    Args:
        name: a name in ``BUTTONS``.
        state: ``idle``, ``pressed`` (the chosen tool) or ``faint`` (disabled).
        label: its text, if it is not always the same.
    """
    button = BUTTONS[name]
    width, height = button.size
    ink = {"idle": _BAR_INK, "pressed": _PRESSED_INK, "faint": _FAINT_INK}[state]
    picture = PillowImage.new("RGB", button.size, _BAR_PAPER)
    draw = ImageDraw.Draw(picture)
    if state == "pressed":
        draw.rounded_rectangle((0, 0, width - 1, height - 1), 5, PALE_ACCENT, _PRESSED_EDGE)
    words, face = label or button.label, font(TYPED_FACE, _LABEL_SIZE)
    if name == "zoom":
        draw.rounded_rectangle((0, 3, width - 1, height - 4), 4, "white", _BAR_EDGE)
        draw.text((width // 2, height // 2), words, ink, face, "mm")
    else:
        colour = _COLOURS.get(name, ink) if state == "idle" else ink
        picture.paste(colour, (9, (height - _ICON) // 2), icon(name, _ICON))
        draw.text((9 + _ICON + 7, height // 2), words, ink, face, "lm")
    return Patch(read_only(np.array(picture)), *button.rect[:2])


@lru_cache(maxsize=128)
def status_patch(words: str) -> Patch:
    """The picture of the status text, at the left of the status bar."""
    return _status(words, STATUS)


@lru_cache(maxsize=128)
def pointed_patch(point: tuple[int, int]) -> Patch:
    """The picture of the last mouse position, at the right of the status bar."""
    return _status(f"Mouse: x {point[0]}, y {point[1]}", POINTER_POSITION)


def _status(words: str, rect: Rect) -> Patch:
    """A text of the status bar, joined from cached pictures of its characters."""
    cells = [_cell(character) for character in words]
    room = rect[2] - rect[0] - _cell("…").shape[1]
    reach = np.cumsum([cell.shape[1] for cell in cells])
    if len(cells) and reach[-1] > room:
        cells = [*cells[: int(np.searchsorted(reach, room, "right"))], _cell("…")]
    pixels = np.concatenate(cells, axis=1) if cells else np.empty((rect[3] - rect[1], 0, 3), np.uint8)
    return Patch(pixels, rect[0], rect[1])


@lru_cache(maxsize=1024)
def _cell(character: str) -> Image:
    """A character on the status bar's colour, as wide as its advance."""
    face, height = font(TYPED_FACE, _STATUS_SIZE), STATUS[3] - STATUS[1]
    picture = PillowImage.new("RGB", (max(round(face.getlength(character)), 1), height), _BAR_PAPER)
    ImageDraw.Draw(picture).text((0, height // 2 + 5), character, _STATUS_INK, face, "ls")
    return read_only(np.array(picture))


def _fitting(words: str, size: int, room: int) -> str:
    """``words``, cut with an ellipsis if they are wider than ``room`` pixels."""
    face = font(TYPED_FACE, size)
    if face.getlength(words) <= room:
        return words
    while words and face.getlength(f"{words}…") > room:
        words = words[:-1]
    return f"{words}…"
