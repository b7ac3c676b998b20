"""The mouse: what a click or a drag at a place in the window does."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...core.tools import ToolError
from ..state import Mark
from .layout import button_at, holds
from .text_box import character_at, place_of
from .view import Scrollbar, View, scrollbars
from .workspace import MODES, Workspace

OVERLAP = 60
"""How much of what was seen before is still seen after scrolling by a page, in pixels."""


def click(space: Workspace, x: int, y: int) -> str:
    """Click at a pixel of the window; what came of it."""
    if (button := button_at(x, y)) is not None:
        return BUTTON_ACTIONS[button](space)
    if (bar := _bar_at(space.view, x, y)) is not None:
        return _click_bar(space, bar, (x, y)[bar.upright])
    if not holds(space.view.viewport, x, y):
        return f"There is nothing to click on at ({x}, {y}) of the window."
    part = box_part(space, x, y)
    return _ON_BOX[part](space, x) if part is not None else _click_canvas(space, x, y)


def double_click(space: Workspace, x: int, y: int) -> str:
    """Click twice at a pixel of the window: opens text for editing; on an open text box, selects all that is in it."""
    part = box_part(space, x, y)
    point = page_point(space.view, x, y)
    mark = space.mark_at(*point) if part is None and point is not None else None
    if part != "frame" and mark is None:
        return click(space, x, y)
    if mark is not None:
        return space.settle() + space.reopen(mark)
    return space.select_all()


def drag(space: Workspace, start: tuple[int, int], end: tuple[int, int]) -> str:
    """Press the mouse at a pixel of the window and let it go at another: moves text of yours, or a scrollbar.

    Raises:
        ToolError: if there is nothing to drag.
    """
    bar = _bar_at(space.view, *start)
    if bar is not None and bar.thumb is not None and holds(bar.thumb, *start):
        by = bar.scroll_of(end[bar.upright] - start[bar.upright])
        return space.scroll(space.view.scrolled(0, by) if bar.upright else space.view.scrolled(by, 0))
    mark = _movable(space, *start)
    old, new = space.view.to_page(*start), space.view.to_page(*end)
    return space.move(mark, new[0] - old[0], new[1] - old[1]) if new != old else space.select(mark)


def box_part(space: Workspace, x: int, y: int) -> str | None:
    """The part of the open text box that is seen at a pixel of the window: ``confirm``, ``cancel`` or ``frame``."""
    if space.box is None or not holds(space.view.viewport, x, y):
        return None
    parts = place_of(space.box, space.page, space.view)
    return next((part for part in ("confirm", "cancel", "frame") if holds(getattr(parts, part), x, y)), None)


def page_point(view: View, x: int, y: int) -> tuple[int, int] | None:
    """The pixel of the page that is seen at a pixel of the window."""
    return view.to_page(x, y) if view.on_page(x, y) else None


def scroll_by_pages(space: Workspace, pages: int, *, across: bool = False) -> str:
    """Scroll by what is seen at once, but for a little."""
    left, top, right, bottom = space.view.viewport
    by = pages * ((right - left if across else bottom - top) - OVERLAP)
    return space.scroll(space.view.scrolled(by, 0) if across else space.view.scrolled(0, by))


def zoom_by(space: Workspace, larger: bool) -> str:
    """See the page at the next zoom."""
    percent = space.view.next_zoom(larger)
    if percent is None:
        return f"The zoom is {space.view.percent} %; {'more' if larger else 'less'} there is not."
    return space.zoom(space.view.zoomed(percent))


def _click_canvas(space: Workspace, x: int, y: int) -> str:
    point = page_point(space.view, x, y)
    if point is None:
        if space.box is not None:
            return space.confirm()
        return space.select(None) if space.selected is not None else "This is beside the page."
    if space.mode == "select":
        return space.select(space.mark_at(*point))
    return space.settle() + space.open_box(*point)


def _place_caret(space: Workspace, x: int) -> str:
    assert space.box is not None
    return space.place_caret(character_at(space.box, space.page, space.view.to_page(x, 0)[0]))


def _click_bar(space: Workspace, bar: Scrollbar, at: int) -> str:
    if bar.thumb is None or bar.thumb[bar.upright] <= at < bar.thumb[bar.upright + 2]:
        return "The scrollbar stays where it is." if bar.thumb else "All of the page is seen; nothing scrolls."
    return scroll_by_pages(space, 1 if at >= bar.thumb[bar.upright + 2] else -1, across=not bar.upright)


def _movable(space: Workspace, x: int, y: int) -> Mark:
    point = page_point(space.view, x, y)
    mark = space.mark_at(*point) if point is not None else None
    if space.mode != "select" or mark is None:
        hint = "" if space.mode == "select" else " Only the Select tool drags text."
        raise ToolError(f"There is nothing to drag at ({x}, {y}) of the window.{hint}")
    return mark


def _bar_at(view: View, x: int, y: int) -> Scrollbar | None:
    return next((bar for bar in scrollbars(view) if holds(bar.track, x, y)), None)


BUTTON_ACTIONS: dict[str, Callable[[Workspace], str]] = {
    **{mode: partial(Workspace.choose, mode=mode) for mode in MODES},
    "undo": Workspace.undo,
    "redo": Workspace.redo,
    "delete": Workspace.delete,
    "zoom_out": partial(zoom_by, larger=False),
    "zoom": lambda space: space.zoom(space.view.zoomed(100)),
    "zoom_in": partial(zoom_by, larger=True),
    "fit_width": lambda space: space.zoom(space.view.fitting_width()),
    "fit_page": lambda space: space.zoom(space.view.fitting_page()),
}
"""What each button of the toolbar does."""

_ON_BOX: dict[str, Callable[[Workspace, int], str]] = {
    "confirm": lambda space, x: space.confirm(),
    "cancel": lambda space, x: space.cancel(),
    "frame": _place_caret,
}
