"""The tour as an animated GIF: the page, and beside it goal, calls and score."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from textwrap import wrap

import numpy as np
from PIL import Image, ImageDraw

from ...envs.core.metrics import title
from ...envs.core.painting import Image as Page
from ...envs.core.text_sprites import font
from ...envs.core.texts import truncate
from ..reporting.page_images import changed_rects
from ..terminal.console import say_written, track
from .scenes import Scene, call_text, scenes, without_desk

_WIDTH, _HEIGHT, _HEAD, _MARGIN = 900, 496, 44, 14
_VIEW = (576, 432)
"""The width and height of what is shown of a page."""
_INK, _QUIET, _LINE, _GROUND, _ACCENT, _GOOD = "#1d1f22", "#666b73", "#dcdcd8", "#f6f6f4", "#2b5fa8", "#1b7f3b"
_CHANGED = (224, 134, 0)
_SANS, _MONO = "Inter", "Source Code Pro"
_N_CALLS = 7
"""How many of the last calls are shown."""
_MAX_FRAMES = 24
"""Of a scene; a longer episode has several calls in a frame."""
_FIRST_MS, _CALL_MS, _LAST_MS = 1800, 340, 2200
_COLOURS = 255


_Frame = tuple[Image.Image, int]
"""A picture and how long it is shown, in milliseconds."""


def write_animation(path: Path) -> None:
    """Write the tour as a GIF that loops; the same bytes each time.

    Args:
        path: the file.
    """
    tour = scenes()
    frames = [frame for scene in track(tour, "drawing") for frame in _frames(scene, [one.suite for one in tour])]
    palette = _palette(frames)
    pictures = [picture.quantize(palette=palette, dither=Image.Dither.NONE) for picture, _ in frames]
    path.parent.mkdir(parents=True, exist_ok=True)
    durations = [milliseconds for _, milliseconds in frames]
    pictures[0].save(path, "GIF", save_all=True, append_images=pictures[1:], duration=durations, loop=0, optimize=True)
    size = f"{sum(durations) / 1000:.0f} s, {path.stat().st_size / 1e6:.1f} MB"
    say_written(path, f"{path}: {len(frames)} frames, {size}")


def _frames(scene: Scene, suites: list[str]) -> Iterator[_Frame]:
    """The frames of a scene, from the empty page to the last."""
    steps = scene.steps()
    first = next(steps)
    at_once = -(-len(scene.calls) // _MAX_FRAMES)
    camera = _Camera(first.page)
    yield _drawn(scene, suites, camera.view(first.page), [], scene.score(first)), _FIRST_MS
    calls: list[str] = []
    before = first.page
    for i, step in enumerate(steps, start=1):
        calls.append(call_text(step.call or {}, named=False))
        if i % at_once and i < len(scene.calls):
            continue
        view = camera.view(step.page, before)
        before = step.page
        picture = _drawn(scene, suites, view, calls, scene.score(step))
        yield picture, _CALL_MS if i < len(scene.calls) else _LAST_MS


class _Camera:
    """Shows the part of a page in which something happens.

    Args:
        page: of the first frame.
    """

    def __init__(self, page: Page) -> None:
        self._scale = _VIEW[0] / page.shape[1]
        self._height = round(_VIEW[1] / self._scale)
        self._n_rows, self._top = len(without_desk(page)), 0

    def view(self, page: Page, before: Page | None = None) -> Image.Image:
        """What is shown of ``page``, with frames around what differs from ``before``."""
        same = before is not None and before.shape == page.shape
        rects = changed_rects(before, page) if before is not None and same else []
        if rects:
            self._move_to(min(rect[1] for rect in rects), max(rect[3] for rect in rects))
        picture = Image.fromarray(page[self._top : self._top + self._height])
        picture = picture.resize(_VIEW, Image.Resampling.LANCZOS)
        draw = ImageDraw.Draw(picture)
        area = sum((right - left) * (bottom - top) for left, top, right, bottom in rects)
        # A page that is scrolled or new differs everywhere.
        for left, top, right, bottom in rects if area < page.shape[0] * page.shape[1] / 8 else ():
            box = [side * self._scale for side in (left, top - self._top, right, bottom - self._top)]
            draw.rectangle((box[0] - 4, box[1] - 4, box[2] + 3, box[3] + 3), outline=_CHANGED, width=2)
        return picture

    def _move_to(self, top: int, bottom: int) -> None:
        """Move down or up, if what has changed is out of view."""
        if top < self._top or bottom > self._top + self._height:
            centred = (top + bottom - self._height) // 2 if bottom - top < self._height else top
            self._top = int(np.clip(centred, 0, max(self._n_rows - self._height, 0)))


def _drawn(scene: Scene, suites: list[str], view: Image.Image, calls: list[str], score: float) -> Image.Image:
    frame = Image.new("RGB", (_WIDTH, _HEIGHT), _GROUND)
    draw = ImageDraw.Draw(frame)
    _draw_head(draw, scene, suites)
    frame.paste(view, (_MARGIN, _HEAD + 6))
    draw.rectangle((_MARGIN - 1, _HEAD + 5, _MARGIN + _VIEW[0], _HEAD + 6 + _VIEW[1]), outline=_LINE)
    left, top = _MARGIN + _VIEW[0] + 18, _HEAD + 6
    goal = wrap(scene.env.state.goal, 42, max_lines=6, placeholder=" …")
    top = _draw_lines(draw, left, top, goal, _INK, _SANS, 13, 18) + 10
    draw.text((left, top), f"{len(calls)} calls" if len(calls) != 1 else "1 call", _QUIET, font(_SANS, 12))
    shown = [truncate(call, 37) for call in calls[-_N_CALLS:]]
    _draw_lines(draw, left, top + 20, shown[:-1], _QUIET, _MONO, 12, 19)
    _draw_lines(draw, left, top + 20 + 19 * len(shown[:-1]), shown[-1:], _ACCENT, _MONO, 12, 19)
    _draw_score(draw, left, _HEAD + 6 + _VIEW[1] - 52, title(scene.env.reward_metric), score)
    return frame


def _draw_head(draw: ImageDraw.ImageDraw, scene: Scene, suites: list[str]) -> None:
    """The suites, and what is done in the one that is shown."""
    draw.rectangle((0, 0, _WIDTH, _HEAD - 4), fill="white")
    draw.line((0, _HEAD - 4, _WIDTH, _HEAD - 4), fill=_LINE)
    x = _MARGIN
    for suite in suites:
        is_shown = suite == scene.suite
        face = font(_SANS, 17, 700 if is_shown else 400)
        draw.text((x, 9), suite, _INK if is_shown else _QUIET, face)
        width = round(face.getlength(suite))
        if is_shown:
            draw.rectangle((x, _HEAD - 7, x + width, _HEAD - 4), fill=_ACCENT)
        x += width + 26
    draw.text((_WIDTH - _MARGIN, 12), scene.about, _QUIET, font(_SANS, 14), anchor="ra")


def _draw_lines(
    draw: ImageDraw.ImageDraw, left: int, top: int, lines: list[str], colour: str, face: str, size: int, pitch: int
) -> int:
    """Draw lines of text; where the next one would be."""
    for i, line in enumerate(lines):
        draw.text((left, top + i * pitch), line, colour, font(face, size, 400))
    return top + len(lines) * pitch


def _draw_score(draw: ImageDraw.ImageDraw, left: int, top: int, metric: str, score: float) -> None:
    right = _WIDTH - _MARGIN
    colour = _GOOD if score == 1 else _ACCENT
    draw.text((left, top), metric, _QUIET, font(_SANS, 13))
    draw.text((right, top - 8), f"{score:.2f}", colour, font(_SANS, 22, 700), anchor="ra")
    draw.rectangle((left, top + 28, right, top + 38), fill=_LINE)
    if score > 0:
        draw.rectangle((left, top + 28, round(left + (right - left) * score), top + 38), fill=colour)


def _palette(frames: list[_Frame]) -> Image.Image:
    """One palette for all frames, so that what does not change is stored once."""
    some = [frames[i][0] for i in np.linspace(0, len(frames) - 1, 9).astype(int)]
    sheet = Image.new("RGB", (_WIDTH, _HEIGHT * len(some)))
    for i, picture in enumerate(some):
        sheet.paste(picture, (0, _HEIGHT * i))
    return sheet.quantize(_COLOURS, method=Image.Quantize.MEDIANCUT)
