"""Random clicks and keys on a captured web form, most of them on a control."""

from __future__ import annotations

from ...envs.core.tools import Call
from ...envs.web_forms.replay.capture import Box
from ...envs.web_forms.replay.captured_page import CapturedPage
from ...envs.web_forms.replay.key_presses import KEYS
from ...envs.web_forms.replay.widgets import Widget
from .values import Rng, one_of

_TEXTS = (
    "Ann", "912 Orchard St", "AVATAR To We", "12500", "12.50", "-3e4", "2025-03-14", "1987-11-02", "ann@example.com",
    "https://example.org/a?b=c", "Zürich café naïve", "y", " ", "a", "Sa", "@", "don't stop-now well-known 1-2-3",
    'The quick brown fox jumps over the lazy dog, and/or runs away - "quickly" (twice).', "line one\nline two",
    "  two  spaces ", "abcdefghijklmnopqrstuvwxyzabcdefghijklmnopqrstuvwxyz",
    "I would like to apply because the programme fits my work on river ecology; over the years I have led teams.",
)  # fmt: skip
_SCROLLS = (-300, -120, -50, 50, 120, 300, 700)
_KINDS = ("control", "opened", "anywhere", "right", "text", "key", "scroll")
_SHARES = (0.42, 0.08, 0.03, 0.02, 0.2, 0.17, 0.08)


def random_call(page: CapturedPage, rng: Rng) -> Call:
    """One call of a tool of web forms, never ``terminate``."""
    kind = _KINDS[int(rng.choice(len(_KINDS), p=_SHARES))]
    if kind == "text":
        return {"tool": "type_text", "text": one_of(_TEXTS, rng)}
    if kind == "key":
        return {"tool": "press_key", "key": one_of(KEYS, rng)}
    if kind == "scroll":
        return {"tool": "scroll", "dy": one_of(_SCROLLS, rng)}
    if kind == "opened" and (opened := page.popup or page.calendar) is not None:
        return {"tool": "click", **_within(opened.rect, page, rng)}
    if kind == "control" and (visible := _visible(page)):
        tool = "double_click" if rng.random() < 0.12 else "click"
        return {"tool": tool, **_within(_part_of(one_of(visible, rng), rng), page, rng)}
    width, height = page.window.width, page.window.height
    place = {"x": int(rng.integers(width)), "y": int(rng.integers(height))}
    return {"tool": "right_click" if kind == "right" else "click", **place}


def _visible(page: CapturedPage) -> list[Widget]:
    """The controls whose centre is in the window."""
    top, bottom = page.window.scroll, page.window.scroll + page.window.height
    return [w for w in page.widgets if w.place and top <= (w.place.box[1] + w.place.box[3]) / 2 < bottom]


def _part_of(widget: Widget, rng: Rng) -> Box:
    """A random part of the control: itself, its label or the button beside it."""
    place = widget.spot
    if place.calendar_button and rng.random() < 0.3:
        return place.calendar_button
    return one_of(place.labels, rng) if place.labels and rng.random() < 0.15 else place.box


def _within(box: Box, page: CapturedPage, rng: Rng) -> dict[str, int]:
    left, top, right, bottom = box
    x, y = int(rng.uniform(left, right)), int(rng.uniform(top, bottom)) - page.window.scroll
    return {"x": min(max(x, 0), page.window.width - 1), "y": min(max(y, 0), page.window.height - 1)}
