"""Photograph controls, lists and calendars in every state into one sheet."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ....envs.core.boxes import Rect
from ....envs.core.painting import Image
from ....envs.web_forms.replay.fonts import Face
from .camera import AWAY, Camera


class Sheet:
    """Small pictures, numbered in the order they are added; equal ones share a number."""

    _WIDTH = 1024

    def __init__(self) -> None:
        self._numbers: dict[tuple[tuple[int, ...], bytes], int] = {}
        self._pictures: list[Image] = []

    def add(self, picture: Image) -> int:
        """The number of a picture: uint8 (height, width, 3)."""
        key = picture.shape, picture.tobytes()
        if key not in self._numbers:
            self._numbers[key] = len(self._pictures)
            self._pictures.append(picture)
        return self._numbers[key]

    def packed(self) -> tuple[Image, list[tuple[int, int, int, int]]]:
        """All pictures in one, and where each is: left, top, width, height."""
        places = self._places()
        height = max((y + h for _, y, _, h in places), default=1)
        width = max((x + w for x, _, w, _ in places), default=1)
        sheet = np.zeros((height, width, 3), np.uint8)
        for (x, y, w, h), picture in zip(places, self._pictures, strict=True):
            sheet[y : y + h, x : x + w] = picture
        return sheet, places

    def _places(self) -> list[tuple[int, int, int, int]]:
        """Rows of pictures of similar height, the tallest first."""
        places: dict[int, tuple[int, int, int, int]] = {}
        x = y = row = 0
        for i in sorted(range(len(self._pictures)), key=lambda i: (-self._pictures[i].shape[0], i)):
            h, w = self._pictures[i].shape[:2]
            if x and x + w > self._WIDTH:
                x, y, row = 0, y + row, 0
            places[i] = x, y, w, h
            x, row = x + w, max(row, h)
        return [places[i] for i in range(len(self._pictures))]


_MARGIN = 8
_TILE = 256
_DITHER = 8
_FAINT = 3


def photograph_looks(
    camera: Camera, control: dict[str, Any], place: dict[str, Any], base: Image, sheet: Sheet
) -> dict[str, tuple[int, int, int]]:
    """The looks of a control that differ from the page's picture.

    Args:
        camera: with the page arranged, its texts empty and its placeholders visible.
        control: its description by the capture script.
        place: where it is.
        base: the page's picture.
        sheet: where the pictures go.
    """
    rect = _around(place["box"], base)
    seen = base[rect[1] : rect[3], rect[0] : rect[2]]
    corner = math.floor(place["box"][0]), math.floor(place["box"][1])
    looks = {}
    for flags in _flags(control):
        _set(camera, control, place, flags)
        changed = _changed(seen, camera.picture(rect))
        if changed is not None:
            (left, top), picture = changed
            looks[flags] = sheet.add(picture), rect[0] + left - corner[0], rect[1] + top - corner[1]
    _set(camera, control, place, "")
    return looks


def tile_place(box: list[float]) -> tuple[float, float]:
    """The position of a box relative to Chromium's tiles, on which its pixels depend.

    The colours of a gradient depend on its position in the squares in which Skia dithers it.
    """
    left, top, _, bottom = box
    crosses = (top - _MARGIN) // _TILE != (bottom + _MARGIN) // _TILE
    return left, top % _TILE if crosses else top % _DITHER - _DITHER


def photograph_selection(camera: Camera, control: dict[str, Any], place: dict[str, Any], base: Image) -> dict[str, Any]:
    """The background colour and vertical extent of selected text, for ``Control``."""
    rect = _around(place["box"], base)
    camera.ask("setPlaceholder", control["id"], False)
    camera.ask("setFocus", control["id"], True)
    plain = camera.picture(rect)
    camera.ask("select", control["id"], "1")
    selected = camera.picture(rect)
    camera.ask("select", control["id"], "")
    camera.ask("setPlaceholder", control["id"], True)
    # The first column of the text: what changed there is the band, and no ink is at its top.
    column = round(place["content"][0]) - rect[0]
    changed = np.abs(plain[:, column].astype(int) - selected[:, column]).max(axis=1) > _FAINT
    rows = np.flatnonzero(changed)
    if not rows.size:
        raise ValueError(f"selected text of {control['name']!r} looks like other text")
    top, bottom = int(rows[0]), int(rows[-1]) + 1
    above = rect[1] - math.floor(place["box"][1])
    # The ring of the focus may lie over its first row.
    colours, counts = np.unique(selected[top:bottom, column], axis=0, return_counts=True)
    colour = colours[counts.argmax()]
    return {"selection": [int(v) for v in colour], "selection_band": (above + top, above + bottom)}


def _flags(control: dict[str, Any]) -> Iterator[str]:
    """Every look a control can have but the first, plain one."""
    states = {"tick": ("", "c"), "text": ("", "v"), "area": ("", "v")}.get(control["kind"], ("",))
    if control["kind"] in ("text", "area") and not control["placeholder"]:
        states = ("",)
    focuses = ("", "F") if control["kind"] in ("text", "area") else ("", "f", "F")
    return (s + h + f for s in states for f in focuses for h in ("", "h") if s + h + f)


def _set(camera: Camera, control: dict[str, Any], place: dict[str, Any], flags: str) -> None:
    if control["kind"] == "tick":
        camera.ask("setTick", control["id"], "c" in flags)
    elif control.get("placeholder"):
        camera.ask("setPlaceholder", control["id"], "v" not in flags)
    focused = "f" in flags or "F" in flags
    camera.ask("setFocus", control["id"] if focused else None, "F" in flags)
    left, top, right, bottom = place["box"]
    camera.point_at(*(((left + right) / 2, (top + bottom) / 2) if "h" in flags else AWAY))


def _around(box: list[float], page: Image) -> Rect:
    left, top, right, bottom = box
    return (
        max(math.floor(left) - _MARGIN, 0),
        max(math.floor(top) - _MARGIN, 0),
        min(math.ceil(right) + _MARGIN, page.shape[1]),
        min(math.ceil(bottom) + _MARGIN, page.shape[0]),
    )


def _changed(before: Image, after: Image) -> tuple[tuple[int, int], Image] | None:
    """The smallest changed part: its left top corner and its pixels; None: no change."""
    ys, xs = np.nonzero((before != after).any(axis=2))
    if not ys.size:
        return None
    top, left = int(ys.min()), int(xs.min())
    return (left, top), np.ascontiguousarray(after[top : ys.max() + 1, left : xs.max() + 1])


_ROW = _TICK = 32
_SAMPLE_CHARACTER = "1"


def photograph_parts(camera: Camera, face: Face, sheet: Sheet) -> dict[str, Any]:
    """The data of ``Parts``.

    Args:
        camera: on any page.
        face: of their texts.
        sheet: where the pictures go.
    """
    camera.resize(1024, 768)
    camera.point_at(1023, 767)
    single = camera.ask("part", "popup", False)
    rows = _picture(camera, single["box"])
    data = {"ink": single["style"]["ink"], "row_baseline": _origin(rows, face, 1 + 2 * _ROW) - 1 - 2 * _ROW}
    data |= {"edge": _colour(rows, 0, 0), "paper": _colour(rows, 300, 10), "chosen": _colour(rows, 300, 10 + _ROW)}
    several = _rows(camera, several=True)
    data |= {"hover": _colour(several[1], 300, 10)}
    data["ticks"] = [sheet.add(_tick(picture, row)) for row in (0, 1) for picture in several]
    camera.ask("clearParts")
    return data | _bubble(camera, face) | _calendar(camera, face, sheet)


def _rows(camera: Camera, several: bool) -> tuple[Image, Image]:
    """Pictures of a list of three kinds of rows: plain, and with all rows active."""
    box = camera.ask("part", "popup", several)["box"]
    plain = _picture(camera, box)
    for i in range(3):
        camera.ask("turnActive", ".fg-row", i, True)
    return plain, _picture(camera, box)


def _tick(rows: Image, row: int) -> Image:
    return np.ascontiguousarray(rows[1 + row * _ROW : 1 + (row + 1) * _ROW, 1 : 1 + _TICK])


def _bubble(camera: Camera, face: Face) -> dict[str, Any]:
    bubble = camera.ask("part", "bubble", _SAMPLE_CHARACTER)
    picture = _picture(camera, bubble["box"])
    camera.ask("clearParts")
    return {"bubble": _colour(picture, 290, 4), "bubble_baseline": _origin(picture, face, 2)}


def _calendar(camera: Camera, face: Face, sheet: Sheet) -> dict[str, Any]:
    box = camera.ask("part", "calendar", 2020, 7)["box"]
    plain = _pictures(camera, camera.ask("dayBoxes"))
    for i in range(31):
        camera.ask("dayChosen", i, True)
    chosen = _pictures(camera, camera.ask("dayBoxes"))
    for i in range(31):
        camera.ask("turnActive", ".fg-day", i, True)
    active = _pictures(camera, camera.ask("dayBoxes"))
    days = [[sheet.add(state[i]) for state in (plain, chosen, active)] for i in range(31)]
    for i in range(4):
        camera.ask("turnActive", ".fg-turn", i, True)
    turns = [sheet.add(picture) for picture in _pictures(camera, camera.ask("turnBoxes"))]
    for i in range(4):
        camera.ask("turnActive", ".fg-turn", i, False)
    camera.ask("removeDays")
    camera.ask("setMonth", _SAMPLE_CHARACTER)
    month = _origin(_picture(camera, box)[:, 77:], face, 2, 40)
    camera.ask("blankParts")
    picture = sheet.add(_picture(camera, box))
    camera.ask("clearParts")
    return {"calendar": picture, "turns": turns, "days": days, "month_baseline": month}


def _pictures(camera: Camera, boxes: list[list[float]]) -> list[Image]:
    """Parts of the window; the window is photographed once."""
    window = camera.picture((0, 0, 1024, 768))
    return [_cut(window, box) for box in boxes]


def _picture(camera: Camera, box: list[float]) -> Image:
    return camera.picture(_whole(box))


def _cut(window: Image, box: list[float]) -> Image:
    left, top, right, bottom = _whole(box)
    return np.ascontiguousarray(window[top:bottom, left:right])


def _whole(box: list[float]) -> Rect:
    left, top, right, bottom = (round(edge) for edge in box)
    return left, top, right, bottom


def _colour(picture: Image, x: int, y: int) -> list[int]:
    return [int(v) for v in picture[y, x]]


def _origin(picture: Image, face: Face, above: int, below: int | None = None) -> int:
    """The origin of the line with ``_SAMPLE_CHARACTER``, from the top of the picture."""
    part = picture[above + 1 : below, 2:60]
    inked = np.nonzero((part != part[0, -1]).any(axis=(1, 2)))[0]
    glyph, _ = face.glyph(_SAMPLE_CHARACTER, 0.0)
    assert glyph is not None
    return above + 1 + int(inked[0]) - glyph.top
