"""Photographing looks: every control as it is when pointed at, focused, ticked or filled in."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np

from ....envs.core.painting import Image, Rect
from .screenshots import AWAY, Camera
from .sprite_sheet import Sheet

_MARGIN = 8
_TILE = 256
_DITHER = 8
_FAINT = 3


def photograph_looks(
    camera: Camera, control: dict[str, Any], place: dict[str, Any], base: Image, sheet: Sheet, margin: int = _MARGIN
) -> dict[str, tuple[int, int, int]]:
    """The looks of a control that differ from how the page's picture shows it.

    Args:
        camera: with the page arranged, its texts empty and its placeholders shown.
        control: what the capture script says of it.
        place: where it is.
        base: the page's picture.
        sheet: where the pictures go.
        margin: how far around it something may change.
    """
    rect = _around(place["box"], base, margin)
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
    """What a box's looks depend on: how its smoothed edges lie to the tiles that Chromium draws, if it crosses any.

    The colours of a gradient depend on how it lies to the squares in which Skia dithers them.
    """
    left, top, _, bottom = box
    crosses = (top - _MARGIN) // _TILE != (bottom + _MARGIN) // _TILE
    return left, top % _TILE if crosses else top % _DITHER - _DITHER


def photograph_selection(camera: Camera, control: dict[str, Any], place: dict[str, Any], base: Image) -> dict[str, Any]:
    """The colour behind selected text, and the band that it fills, as ``Control`` holds them."""
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


def _around(box: list[float], page: Image, margin: int = _MARGIN) -> Rect:
    left, top, right, bottom = box
    return (
        max(math.floor(left) - margin, 0),
        max(math.floor(top) - margin, 0),
        min(math.ceil(right) + margin, page.shape[1]),
        min(math.ceil(bottom) + margin, page.shape[0]),
    )


def _changed(before: Image, after: Image) -> tuple[tuple[int, int], Image] | None:
    """The smallest part that holds all that changed: its left top corner, and its pixels; None if nothing did."""
    ys, xs = np.nonzero((before != after).any(axis=2))
    if not ys.size:
        return None
    top, left = int(ys.min()), int(xs.min())
    return (left, top), np.ascontiguousarray(after[top : ys.max() + 1, left : xs.max() + 1])
