"""Draw the editor's window: bars, buttons and icons, cached."""

from __future__ import annotations

import json
from functools import lru_cache
from math import cos, radians, sin
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from ...core.painting import Colour, Image, Patch, read_only
from ...core.text_sprites import TYPED_FACE, font
from .layout import (
    BUTTONS,
    DIVIDERS,
    HEIGHT,
    LABELS,
    POINTER_POSITION,
    STATUS,
    STATUS_BAR,
    TITLE_BAR,
    TOOLBAR,
    WIDTH,
    tabs,
)  # fmt: skip
from .text_lines import Style, text_patch

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
BAR_PAPER: Colour = (247, 248, 250)
BAR_EDGE: Colour = (208, 213, 221)
_TITLE_PAPER, _TITLE_INK, _TAB_PAPER = (38, 46, 60), (240, 243, 247), (62, 72, 90)
_BAR_INK, _FAINT_INK = (43, 51, 64), (176, 183, 193)
_PRESSED_EDGE, _PRESSED_INK = (147, 187, 252), (29, 78, 216)
_COLOURS: dict[str, Colour] = {"confirm": (22, 140, 72), "cancel": (200, 48, 48)}
"""The icons with a colour of their own."""

_LABEL_SIZE, _TITLE_SIZE = 13, 14
_ICON = 18
_STATUS = Style(BAR_PAPER, (75, 84, 98), STATUS[3] - STATUS[1])


@lru_cache(maxsize=1)
def window_image() -> Image:
    """The empty window without a title: uint8 (height, width, 3), read-only and shared by all."""
    window = PillowImage.new("RGB", (WIDTH, HEIGHT), DESK)
    draw = ImageDraw.Draw(window)
    for bar in (TOOLBAR, STATUS_BAR):
        draw.rectangle((bar[0], bar[1], bar[2] - 1, bar[3] - 1), fill=BAR_PAPER)
    draw.line((0, TOOLBAR[3] - 1, WIDTH, TOOLBAR[3] - 1), fill=BAR_EDGE)
    draw.line((0, STATUS_BAR[1], WIDTH, STATUS_BAR[1]), fill=BAR_EDGE)
    for x in DIVIDERS:
        draw.line((x, TOOLBAR[1] + 12, x, TOOLBAR[3] - 13), fill=BAR_EDGE)
    pixels = np.array(window)
    for name in BUTTONS:
        button_patch(name, "idle").draw(pixels, (0, 0, WIDTH, HEIGHT))
    return read_only(pixels)


@lru_cache(maxsize=64)
def title_patch(titles: tuple[tuple[str, str], ...], shown: str) -> Patch:
    """The picture of the title bar.

    Args:
        titles: the names of the documents, which are those of their icons, and their titles. Several are tabs.
        shown: the name of the document that is shown.
    """
    bar = PillowImage.new("RGB", (WIDTH, TITLE_BAR[3]), _TITLE_PAPER)
    draw = ImageDraw.Draw(bar)
    rects = tabs(tuple(name for name, _ in titles))
    for name, title in titles:
        left, top, right, bottom = rects.get(name, (0, 0, WIDTH, TITLE_BAR[3]))
        ink = _BAR_INK if name == shown and rects else _TITLE_INK
        if rects:
            paper = BAR_PAPER if name == shown else _TAB_PAPER
            draw.rounded_rectangle((left, top, right - 1, bottom + 8), 7, paper)
        bar.paste(ink, (left + 12, 9 + top // 2), icon(name, 18))
        place = left + 40, (top + bottom) // 2
        draw.text(place, _fitting(title, right - left - 60), ink, font(TYPED_FACE, _TITLE_SIZE), "lm")
    return Patch(read_only(np.array(bar)), *TITLE_BAR[:2])


@lru_cache(maxsize=128)
def button_patch(name: str, state: str, label: str = "") -> Patch:
    """The picture of a toolbar button.

    Args:
        name: a name in ``BUTTONS``.
        state: ``idle``, ``pressed`` (the chosen tool) or ``faint`` (disabled).
        label: its text, if it is not always the same.
    """
    left, top, right, bottom = BUTTONS[name]
    width, height = right - left, bottom - top
    ink = {"idle": _BAR_INK, "pressed": _PRESSED_INK, "faint": _FAINT_INK}[state]
    picture = PillowImage.new("RGB", (width, height), BAR_PAPER)
    draw = ImageDraw.Draw(picture)
    if state == "pressed":
        draw.rounded_rectangle((0, 0, width - 1, height - 1), 5, PALE_ACCENT, _PRESSED_EDGE)
    words, face = label or LABELS[name], font(TYPED_FACE, _LABEL_SIZE)
    if name == "zoom":
        draw.rounded_rectangle((0, 3, width - 1, height - 4), 4, "white", BAR_EDGE)
        draw.text((width // 2, height // 2), words, ink, face, "mm")
    else:
        colour = _COLOURS.get(name, ink) if state == "idle" else ink
        picture.paste(colour, (9, (height - _ICON) // 2), icon(name, _ICON))
        draw.text((9 + _ICON + 7, height // 2), words, ink, face, "lm")
    return Patch(read_only(np.array(picture)), left, top)


@lru_cache(maxsize=128)
def status_patch(words: str) -> Patch:
    """The picture of the status text, at the left of the status bar."""
    return text_patch(words, _STATUS, *STATUS[:2], STATUS[2] - STATUS[0])


@lru_cache(maxsize=128)
def pointed_patch(point: tuple[int, int]) -> Patch:
    """The picture of the last mouse position, at the right of the status bar."""
    return text_patch(f"Mouse: x {point[0]}, y {point[1]}", _STATUS, *POINTER_POSITION[:2])


def _fitting(words: str, room: int) -> str:
    """A title, cut with an ellipsis if it is wider than ``room`` pixels."""
    face = font(TYPED_FACE, _TITLE_SIZE)
    fits = [n for n in range(len(words)) if face.getlength(f"{words[:n]}…") <= room]
    return words if face.getlength(words) <= room else f"{words[: max(fits)]}…"
