"""Compare replayed pages with Chromium, pixel by pixel, under the same calls."""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any, TypeVar

import numpy as np

from ....envs.core.painting import Frame, Image
from ....envs.core.tools import Call
from ....envs.web_forms.chromium.chromium_page import ChromiumPage
from ....envs.web_forms.replay.capture import Box
from ....envs.web_forms.replay.captured_page import KEYS, CapturedPage
from ....envs.web_forms.replay.widgets import Widget
from ...reporting.page_images import changed_rects, png

Calls = Callable[[CapturedPage], Iterator[Call]]
"""Makes the calls of an episode on a page, which changes as they are carried out."""
Rng = np.random.Generator
_Item = TypeVar("_Item")
_TEXTS = (
    "Ann", "912 Orchard St", "AVATAR To We", "12500", "12.50", "-3e4", "2025-03-14", "1987-11-02", "ann@example.com",
    "https://example.org/a?b=c", "Zürich café naïve", "y", " ", "a", "Sa", "@", "don't stop-now well-known 1-2-3",
    'The quick brown fox jumps over the lazy dog, and/or runs away - "quickly" (twice).', "line one\nline two",
    "  two  spaces ", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "I would like to apply because the programme fits my work on river ecology; over the years I have led teams.",
)  # fmt: skip
_SCROLLS = (-300, -120, -50, 50, 120, 300, 700)
_KINDS = ("control", "opened", "anywhere", "text", "key", "scroll")
_SHARES = (0.42, 0.08, 0.05, 0.2, 0.17, 0.08)


@dataclass(frozen=True)
class Difference:
    """A frame, or what the form held, that was not equal; the episode ends there.

    Attributes:
        episode: its name.
        step: counted from 0; -1: at the beginning.
        call: what was done.
        rects: where pixels differ: left, top, right, bottom.
        values: the fields that hold something else: name, replayed and Chromium's.
        picture: Chromium's frame beside the replayed one.
    """

    episode: str
    step: int
    call: Call | None
    rects: tuple[tuple[int, int, int, int], ...]
    values: tuple[tuple[str, Any, Any], ...]
    picture: bytes


@dataclass
class Conformance:
    """The frames of a form in a theme: how many were compared and equal; differences.

    Attributes:
        failed: why the comparison broke off; "" if it did not.
    """

    form: str
    theme: str
    failed: str = ""
    compared: int = 0
    equal: int = 0
    differences: list[Difference] = field(default_factory=list)

    @property
    def is_equal(self) -> bool:
        """Whether everything was compared and equal."""
        return not self.failed and self.compared == self.equal

    def compare(self, episode: str, replayed: CapturedPage, chromium: ChromiumPage, calls: Calls) -> Difference | None:
        """Send both pages the same calls until they differ; the difference, if any."""
        window = Window(replayed)
        for step, call in enumerate(itertools.chain([None], calls(replayed)), start=-1):
            if call is not None:
                do(replayed, call)
                do(chromium, call)
            mine, theirs = window.frame(), chromium.background
            values = _value_differences(replayed, chromium)
            self.compared += 1
            if values or not np.array_equal(mine, theirs):
                rects, picture = changed_rects(theirs, mine), png(np.concatenate([theirs, mine], axis=1))
                self.differences.append(Difference(episode, step, call, tuple(rects), tuple(values), picture))
                return self.differences[-1]
            self.equal += 1
            if replayed.submitted is not None:
                break
        return None


class Window:
    """The frames of a captured page, patched where they change."""

    def __init__(self, page: CapturedPage) -> None:
        self.page = page
        width, height = page.values.pictures.capture.viewport
        self._frame = Frame(np.empty((height, width, 3), np.uint8))
        self.frame()

    def frame(self) -> Image:
        """The pixels now."""
        dirty = self.page.take_dirty()
        self._frame.update(self.page.background, self.page.layers, dirty, self.page.scroll_y)
        return self._frame.buffer


def do(page: Any, call: Call) -> None:
    """Carry out a click or a key on a page, whichever it is."""
    tool, arguments = call["tool"], {name: value for name, value in call.items() if name != "tool"}
    if tool == "double_click":
        page.click(arguments["x"], arguments["y"], 2)
    else:
        getattr(page, tool)(*arguments.values())


def _value_differences(captured: CapturedPage, chromium: ChromiumPage) -> list[tuple[str, Any, Any]]:
    mine, theirs = captured.draft(), chromium.draft()
    found = [(name, mine.get(name), theirs.get(name)) for name in mine.keys() | theirs.keys()]
    different = [(name, a, b) for name, a, b in sorted(found) if a != b]
    return (
        [*different, ("submitted", captured.submitted, chromium.submitted)]
        if captured.submitted != chromium.submitted
        else different
    )


def random_walk(page: CapturedPage, seed: Sequence[int], steps: int) -> Iterator[Call]:
    """Random clicks and keys, most of them on a control."""
    rng = np.random.default_rng(seed)
    return (random_call(page, rng) for _ in range(steps))


def random_call(page: CapturedPage, rng: Rng) -> Call:
    """One call of a tool of web forms, never ``terminate``."""
    kind = _KINDS[int(rng.choice(len(_KINDS), p=_SHARES))]
    if kind == "text":
        return {"tool": "type_text", "text": _choice(_TEXTS, rng)}
    if kind == "key":
        return {"tool": "press_key", "key": _choice(KEYS, rng)}
    if kind == "scroll":
        return {"tool": "scroll", "dy": _choice(_SCROLLS, rng)}
    if kind == "opened" and (opened := page.overlays.popup or page.overlays.calendar) is not None:
        return {"tool": "click", **_within(opened.rect, page, rng)}
    if kind == "control" and (visible := _visible(page)):
        tool = "double_click" if rng.random() < 0.12 else "click"
        return {"tool": tool, **_within(_part_of(_choice(visible, rng), rng), page, rng)}
    width, height = page.canvas.window.width, page.canvas.window.height
    return {"tool": "click", "x": int(rng.integers(width)), "y": int(rng.integers(height))}


def _visible(page: CapturedPage) -> list[Widget]:
    """The controls whose centre is in the window."""
    top, bottom = page.canvas.window.scroll, page.canvas.window.scroll + page.canvas.window.height
    return [w for w in page.values.widgets if w.place and top <= (w.place.box[1] + w.place.box[3]) / 2 < bottom]


def _part_of(widget: Widget, rng: Rng) -> Box:
    """A random part of the control: itself, its label or the button beside it."""
    place = widget.spot
    if place.calendar_button and rng.random() < 0.3:
        return place.calendar_button
    return _choice(place.labels, rng) if place.labels and rng.random() < 0.15 else place.box


def _within(box: Box, page: CapturedPage, rng: Rng) -> dict[str, int]:
    left, top, right, bottom = box
    x, y = int(rng.uniform(left, right)), int(rng.uniform(top, bottom)) - page.canvas.window.scroll
    return {"x": min(max(x, 0), page.canvas.window.width - 1), "y": min(max(y, 0), page.canvas.window.height - 1)}


def _choice(items: Sequence[_Item], rng: Rng) -> _Item:
    return items[int(rng.integers(len(items)))]
