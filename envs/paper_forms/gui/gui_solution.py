"""Solve a task in the editor with mouse and keyboard, from the gold answers."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from ...core.boxes import intersection
from ...core.text_sprites import advance
from ...core.tools import Call
from ..state import Mark, Target
from .events import click, is_on_box, press, scroll, type_text
from .layout import BUTTONS, middle, tabs
from .workspace import Workspace

_CLICK_MARGIN = 30
"""The distance in pixels of clicks from the edge of the canvas, if possible."""


_ACTIONS: dict[str, Callable[..., str]] = {
    "click": click, "press_key": press, "scroll": scroll, "type_text": type_text,
}  # fmt: skip


def solution(space: Workspace) -> list[Call]:
    """Calls that delete every wrong mark, write every missing answer, and terminate."""
    plan = _Plan(space.copy())
    plan.make()
    return plan.calls


class _Plan:
    """A list of calls, each carried out on a workspace as it is added."""

    def __init__(self, space: Workspace) -> None:
        self.space = space
        self.calls: list[Call] = []

    def make(self) -> None:
        """Add all calls: first typed answers from top to bottom, then signatures."""
        if self.space.tab != "form":
            self._click(*middle(tabs(tuple(self.space.views))["form"]))
        if self.space.box is not None:
            self._press("Enter" if self._is_box_right() else "Escape")
        self._delete_wrong_marks()
        page = self.space.page
        fields = zip(page.task.targets, page.score().fields, strict=True)
        missing = sorted((target for target, field in fields if not field.correct), key=_in_order)
        for target in missing:
            self._write(target)
        self.calls.append({"tool": "terminate"})

    def _is_box_right(self) -> bool:
        """Whether one more field is right once the open text box is confirmed."""
        confirmed = self.space.copy()
        confirmed.confirm()
        before, after = (sum(field.correct for field in s.page.score().fields) for s in (self.space, confirmed))
        return after > before

    def _delete_wrong_marks(self) -> None:
        while (point := self._point_of_wrong_mark()) is not None:
            self._choose("select")
            self._click_page(*point)
            self._press("Delete")

    def _point_of_wrong_mark(self) -> tuple[int, int] | None:
        """A pixel where a click selects the topmost wrong mark, or a mark over it."""
        fields = self.space.page.score().fields
        wrong = [m for m in self.space.page.marks if m.target is None or not fields[m.target].correct]
        if not wrong:
            return None
        points = list(_points_on(wrong[-1], self.space))
        return next((point for point in points if self.space.mark_at(*point) is wrong[-1]), points[0])

    def _write(self, target: Target) -> None:
        page = self.space.page
        self._choose("sign" if target.signed else "text")
        for piece in page.pieces(target, in_cells=False):
            width = advance(piece.text, *page.lettering(target.signed))
            self._click_page(max(round(piece.x) - width // 2, 0), round(piece.y))
            self._do("type_text", text=piece.text)

    # -- Steps ---------------------------------------------------------------------------------------------------------

    def _choose(self, mode: str) -> None:
        if self.space.mode != mode:
            self._click(*middle(BUTTONS[mode]))

    def _do(self, tool: str, **arguments: Any) -> None:
        _ACTIONS[tool](self.space, **arguments)
        self.calls.append({"tool": tool, **arguments})

    def _press(self, key: str) -> None:
        self._do("press_key", key=key)

    def _click(self, x: int, y: int) -> None:
        self._do("click", x=x, y=y)

    def _click_page(self, x: int, y: int) -> None:
        """Click on a pixel of the page, after it is scrolled into view."""
        if self.space.view.percent != 100:
            self._click(*middle(BUTTONS["zoom"]))
        self._bring_into_view(x, y)
        if is_on_box(self.space, *self.space.view.to_window(x, y)):
            self._press("Enter")
        self._click(*self.space.view.to_window(x, y))

    def _bring_into_view(self, x: int, y: int) -> None:
        view = self.space.view
        left, top, right, bottom = view.viewport
        across, down = view.to_window(x, y)
        ways = (
            0 if left <= across < right else across - (left + right) // 2,
            0 if top + _CLICK_MARGIN <= down < bottom - _CLICK_MARGIN else down - top - 2 * _CLICK_MARGIN,
        )
        other = view.scrolled(*ways)
        if other != view:
            self._do("scroll", dx=other.left - view.left, dy=other.top - view.top)


def _in_order(target: Target) -> tuple[bool, float, float]:
    left, top, _, bottom = target.blank
    return target.signed, (top + bottom) / 2, left


def _points_on(mark: Mark, space: Workspace) -> Iterator[tuple[int, int]]:
    """Pixels of the page at which a mark can be clicked."""
    page = space.page
    visible = intersection(mark.box, (0, 0, page.width, page.height))
    assert visible is not None
    left, top, right, bottom = visible
    for down in (2, 1, 3):
        for across in (2, 1, 3, 0, 4):
            yield left + (right - 1 - left) * across // 4, top + (bottom - 1 - top) * down // 4
