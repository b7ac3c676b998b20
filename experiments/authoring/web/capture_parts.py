"""Photographing what opens over a page: rows of lists, the calendar, the bubble."""

from __future__ import annotations

from typing import Any

import numpy as np

from ....envs.core.painting import Image, Rect
from ....envs.web_forms.replay.fonts import Face
from .screenshots import Camera
from .sprite_sheet import Sheet

_ROW = _TICK = 32
_SEEN = "1"


def photograph_parts(camera: Camera, number_of_face: Any, face_of: Any, sheet: Sheet) -> dict[str, Any]:
    """What ``Parts`` holds.

    Args:
        camera: on any page.
        number_of_face: the number of a style's face, photographed if need be.
        face_of: the face of a number.
        sheet: where the pictures go.
    """
    camera.resize(1024, 768)
    camera.point_at(1023, 767)
    single = camera.ask("part", "popup", False)
    number = number_of_face(single["style"])
    face: Face = face_of(number)
    rows = _picture(camera, single["box"])
    data = {
        "face": number,
        "ink": single["style"]["ink"],
        "row_baseline": _origin(rows, face, 1 + 2 * _ROW) - 1 - 2 * _ROW,
    }
    data |= {"edge": _colour(rows, 0, 0), "paper": _colour(rows, 300, 10), "chosen": _colour(rows, 300, 10 + _ROW)}
    several = _rows(camera, several=True)
    data |= {"hover": _colour(several[1], 300, 10)}
    data["ticks"] = [sheet.add(_tick(picture, row)) for row in (0, 1) for picture in several]
    camera.ask("clearParts")
    return data | _bubble(camera, face) | _calendar(camera, face, sheet)


def _rows(camera: Camera, several: bool) -> tuple[Image, Image]:
    """A list of an empty row, a chosen one and one with text: plain, and with all of them active."""
    box = camera.ask("part", "popup", several)["box"]
    plain = _picture(camera, box)
    for i in range(3):
        camera.ask("turnActive", ".fg-row", i, True)
    return plain, _picture(camera, box)


def _tick(rows: Image, row: int) -> Image:
    return np.ascontiguousarray(rows[1 + row * _ROW : 1 + (row + 1) * _ROW, 1 : 1 + _TICK])


def _bubble(camera: Camera, face: Face) -> dict[str, Any]:
    bubble = camera.ask("part", "bubble", _SEEN)
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
    camera.ask("setMonth", _SEEN)
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
    """The origin of the line in which ``_SEEN`` is drawn, from the top of the picture."""
    part = picture[above + 1 : below, 2:60]
    inked = np.nonzero((part != part[0, -1]).any(axis=(1, 2)))[0]
    glyph, _ = face.glyph(_SEEN, 0.0)
    assert glyph is not None
    return above + 1 + int(inked[0]) - glyph.top
