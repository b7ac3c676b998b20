"""Handle clicks and keys in the editor's window: each action returns its feedback, or raises a ToolError."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...core.boxes import contains_pixel
from ...core.tools import ToolError
from ..state import Mark
from .database_pane import query_index
from .layout import BUTTONS, QUERY_BOX, RUN_BUTTON, name_at, tabs
from .page_view import Scrollbar, View, scrollbars
from .text_box import character_at, place_of, typable
from .workspace import MODES, Workspace, quoted

OVERLAP = 60
"""The part of the page that stays visible after scrolling by a page, in pixels."""


def click(space: Workspace, x: int, y: int) -> str:
    """Click at a pixel of the window."""
    if (tab := name_at(tabs(tuple(space.views)), x, y)) is not None:
        return space.show(tab)
    if (button := name_at(BUTTONS, x, y)) is not None:
        if not space.has(button):
            raise ToolError("This button does nothing in this tab.")
        return BUTTON_ACTIONS[button](space)
    if space.tab == "database" and contains_pixel(RUN_BUTTON, x, y):
        return space.run()
    if is_on_box(space, x, y):
        return _place_caret(space, x, y)
    if (bar := _bar_at(space.view, x, y)) is not None:
        return _click_bar(space, bar, (x, y)[bar.upright])
    if not contains_pixel(space.view.viewport, x, y):
        return f"There is nothing to click on at ({x}, {y}) of the window."
    return _click_canvas(space, x, y)


def double_click(space: Workspace, x: int, y: int) -> str:
    """Double-click: edit the text there, or select all of the open text box."""
    if is_on_box(space, x, y):
        return space.select_all()
    mark = _mark_at(space, x, y)
    return click(space, x, y) if mark is None else space.settle() + space.reopen(mark)


def drag(space: Workspace, start: tuple[int, int], end: tuple[int, int]) -> str:
    """Drag from one pixel of the window to another: moves a text or a scrollbar."""
    bar = _bar_at(space.view, *start)
    if bar is not None and bar.thumb is not None and contains_pixel(bar.thumb, *start):
        by = bar.scroll_of(end[bar.upright] - start[bar.upright])
        return scroll(space, 0, by) if bar.upright else scroll(space, by, 0)
    mark = _mark_at(space, *start)
    if space.mode != "select" or mark is None:
        hint = "" if space.mode == "select" else " Only the Select tool drags text."
        raise ToolError(f"There is nothing to drag at {start} of the window.{hint}")
    old, new = space.view.to_page(*start), space.view.to_page(*end)
    return space.move(mark, new[0] - old[0], new[1] - old[1]) if new != old else space.select(mark)


def scroll(space: Workspace, dx: int, dy: int) -> str:
    """Scroll what is shown, in pixels of the window."""
    return space.scroll(space.view.scrolled(dx, dy))


def is_on_box(space: Workspace, x: int, y: int) -> bool:
    """Whether a pixel is in the open text box, or in the database's query."""
    if space.tab == "database":
        return contains_pixel(QUERY_BOX, x, y)
    if space.box is None or not contains_pixel(space.view.viewport, x, y):
        return False
    return contains_pixel(place_of(space.box, space.page, space.view).frame, x, y)


def scroll_by_pages(space: Workspace, pages: int, *, across: bool = False) -> str:
    """Scroll by whole views, less ``OVERLAP`` pixels."""
    left, top, right, bottom = space.view.viewport
    by = pages * ((right - left if across else bottom - top) - OVERLAP)
    return scroll(space, by, 0) if across else scroll(space, 0, by)


def zoom_by(space: Workspace, larger: bool) -> str:
    """Show the page at the next zoom."""
    percent = space.view.next_zoom(larger)
    if percent is None:
        return f"The zoom is {space.view.percent} %, the {'largest' if larger else 'smallest'}."
    return space.zoom(percent)


def _click_canvas(space: Workspace, x: int, y: int) -> str:
    if space.tab != "form":
        return "There is nothing to click on: this document is for reading."
    if not space.view.on_page(x, y):
        if space.box is not None:
            return space.confirm()
        return space.select(None) if space.selected is not None else "There is nothing beside the page."
    if space.mode == "select":
        return space.select(_mark_at(space, x, y))
    return space.settle() + space.open_box(*space.view.to_page(x, y))


def _mark_at(space: Workspace, x: int, y: int) -> Mark | None:
    on_form = space.tab == "form" and space.view.on_page(x, y)
    return space.mark_at(*space.view.to_page(x, y)) if on_form else None


def _place_caret(space: Workspace, x: int, y: int) -> str:
    if space.tab == "database":
        return space.place_caret(query_index(space.query.text, space.query.caret, x, y))
    assert space.box is not None
    return space.place_caret(character_at(space.box, space.page, space.view.to_page(x, 0)[0]))


def _click_bar(space: Workspace, bar: Scrollbar, at: int) -> str:
    if bar.thumb is None or bar.thumb[bar.upright] <= at < bar.thumb[bar.upright + 2]:
        return "The scrollbar stays where it is." if bar.thumb else "The whole page is visible; nothing scrolls."
    return scroll_by_pages(space, 1 if at >= bar.thumb[bar.upright + 2] else -1, across=not bar.upright)


def _bar_at(view: View, x: int, y: int) -> Scrollbar | None:
    return next((bar for bar in scrollbars(view) if contains_pixel(bar.track, x, y)), None)


BUTTON_ACTIONS: dict[str, Callable[[Workspace], str]] = {
    **{mode: partial(Workspace.choose, mode=mode) for mode in MODES},
    "undo": Workspace.undo,
    "redo": Workspace.redo,
    "delete": Workspace.delete,
    "zoom_out": partial(zoom_by, larger=False),
    "zoom": partial(Workspace.zoom, percent=100),
    "zoom_in": partial(zoom_by, larger=True),
    "fit_width": lambda space: space.zoom(space.view.width_percent),
    "fit_page": lambda space: space.zoom(space.view.page_percent),
    "confirm": Workspace.confirm,
    "cancel": Workspace.cancel,
}
"""What each button of the toolbar does."""

LINE = 40
"""The scroll of an arrow key, in pixels of the window."""

KEYS = (
    "Enter, Escape, Backspace, Delete, Home, End, ArrowLeft, ArrowRight, ArrowUp, ArrowDown, PageUp, PageDown, "
    "Control+z, Control+y and Control+a; t, v, s, + and - while no text box is open, any single character while one is"
)
"""The keys, in words."""

_ALIASES = {
    "return": "enter", "esc": "escape", "del": "delete", "back": "backspace", "ctrl": "control", "cmd": "control",
    "left": "arrowleft", "right": "arrowright", "up": "arrowup", "down": "arrowdown",
    "page_up": "pageup", "page_down": "pagedown", "pgup": "pageup", "pgdn": "pagedown", "space": " ",
    "plus": "+", "minus": "-", "=": "+", "control+shift+z": "control+y", "shift+control+z": "control+y",
}  # fmt: skip


def type_text(space: Workspace, text: str) -> str:
    """Type into the open text box, or the query."""
    edited = space.edited
    if edited is None:
        raise ToolError("No text box is open; nothing was typed. Choose the Text or Sign tool and click on the page.")
    typed = typable(text)
    if not typed:
        raise ToolError("There is nothing to type: the text is empty.")
    edited.insert(typed)
    whole = "" if edited.text == typed else f" The box reads {quoted(edited.text)}."
    return f"Typed {quoted(typed)}.{whole}"


def press(space: Workspace, key: str) -> str:
    """Press a key."""
    name = _name_of(key)
    action = _keys(space).get(name)
    if action is not None:
        return action(space)
    character = key if len(key) == 1 else name
    if space.edited is not None and len(character) == 1:
        return type_text(space, character)
    if name in _IN_BOX or name in _ON_PAGE or len(character) == 1:
        where = "while a text box is open" if space.edited is not None else "while no text box is open"
        raise ToolError(f"The key {quoted(key)} does nothing {where}.")
    raise ToolError(f"There is no key {quoted(key)} here. The keys are {KEYS}.")


def _keys(space: Workspace) -> dict[str, Callable[[Workspace], str]]:
    """What keys do now, apart from typing."""
    if space.tab == "form":
        return _IN_BOX if space.box is not None else _ON_PAGE
    return _IN_QUERY if space.tab == "database" else _READING


def _name_of(key: str) -> str:
    """The canonical name of a key that has several names."""
    low = key.lower()
    if len(low) > 1:
        low = "+".join(_ALIASES.get(part, part) for part in low.split("+"))
    return _ALIASES.get(low, low)


def _caret(space: Workspace, by: int | None = None, to: int | None = None) -> str:
    edited = space.edited
    assert edited is not None
    if edited.all_selected and by is not None:
        to = 0 if by < 0 else len(edited.text)
    return space.place_caret(to if to is not None else edited.caret + (by or 0))


def _erase(space: Workspace, forwards: bool) -> str:
    edited = space.edited
    assert edited is not None
    edited.erase(forwards)
    return f"The box reads {quoted(edited.text)}." if edited.text else "The box is empty."


def _arrow(space: Workspace, across: int, down: int) -> str:
    """Move the selected text by a pixel of the page, or scroll."""
    if space.selected is not None:
        return space.move(space.selected, across, down)
    return scroll(space, LINE * across, LINE * down)


def _escape(space: Workspace) -> str:
    if space.selected is None:
        raise ToolError("There is nothing to cancel: no text box is open and nothing is selected.")
    return space.select(None)


def _enter(space: Workspace) -> str:
    if space.selected is None:
        raise ToolError("There is nothing to confirm: no text box is open.")
    return space.reopen(space.selected)


_ANYWHERE: dict[str, Callable[[Workspace], str]] = {
    "pageup": partial(scroll_by_pages, pages=-1),
    "pagedown": partial(scroll_by_pages, pages=1),
    "control+z": Workspace.undo,
    "control+y": Workspace.redo,
}
_IN_BOX = _ANYWHERE | {
    "enter": Workspace.confirm,
    "escape": Workspace.cancel,
    "backspace": partial(_erase, forwards=False),
    "delete": partial(_erase, forwards=True),
    "arrowleft": partial(_caret, by=-1),
    "arrowright": partial(_caret, by=1),
    **dict.fromkeys(("arrowup", "home"), partial(_caret, to=0)),
    **dict.fromkeys(("arrowdown", "end"), partial(_caret, to=10**6)),
    "control+a": Workspace.select_all,
}
_IN_QUERY = {
    **{key: action for key, action in _IN_BOX.items() if not key.startswith("control+")},
    "control+a": Workspace.select_all,
    "enter": Workspace.run,
    "escape": Workspace.clear,
}
_WAYS = (("left", -1, 0), ("right", 1, 0), ("up", 0, -1), ("down", 0, 1))
_ON_PAGE = _ANYWHERE | {
    "enter": _enter,
    "escape": _escape,
    "backspace": Workspace.delete,
    "delete": Workspace.delete,
    **{f"arrow{way}": partial(_arrow, across=x, down=y) for way, x, y in _WAYS},
    "home": lambda space: space.scroll(space.view.scrolled_to(0, 0)),
    "end": lambda space: space.scroll(space.view.scrolled_to(space.view.left, 10**6)),
    **{key: partial(Workspace.choose, mode=mode) for key, mode in zip("vts", MODES, strict=True)},
    "+": partial(zoom_by, larger=True),
    "-": partial(zoom_by, larger=False),
}
_READING = {key: _ON_PAGE[key] for key in "pageup pagedown arrowleft arrowright arrowup arrowdown home end + -".split()}
