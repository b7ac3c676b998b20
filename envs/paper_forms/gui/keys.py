"""The keyboard: what typing and a press of a key do."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

from ...core.tools import ToolError
from .mouse import scroll_by_pages, zoom_by
from .text_box import typable
from .workspace import Workspace, quoted

LINE = 40
"""How far an arrow key scrolls, in pixels of the window."""

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
    """Type into the open text box; what came of it.

    Raises:
        ToolError: if none is open, or the text cannot be typed.
    """
    if space.box is None:
        raise ToolError("No text box is open; nothing was typed. Choose the Text or Sign tool and click on the page.")
    typed = typable(text)
    if not typed:
        raise ToolError("There is nothing to type: the text is empty.")
    space.box.insert(typed)
    whole = "" if space.box.text == typed else f" The box reads {quoted(space.box.text)}."
    return f"Typed {quoted(typed)}.{whole}"


def press(space: Workspace, key: str) -> str:
    """Press a key; what came of it.

    Raises:
        ToolError: if there is no such key, or it can do nothing now.
    """
    name = _name_of(key)
    action = (_IN_BOX if space.box is not None else _ON_PAGE).get(name)
    if action is not None:
        return action(space)
    character = key if len(key) == 1 else name
    if space.box is not None and len(character) == 1:
        return type_text(space, character)
    if name in _IN_BOX or name in _ON_PAGE or len(character) == 1:
        where = "while a text box is open" if space.box is not None else "while no text box is open"
        raise ToolError(f"The key {quoted(key)} does nothing {where}.")
    raise ToolError(f"There is no key {quoted(key)} here. The keys are {KEYS}.")


def _name_of(key: str) -> str:
    """The one name of a key that can be called in several ways."""
    low = key.lower()
    if len(low) > 1:
        low = "+".join(_ALIASES.get(part, part) for part in low.split("+"))
    return _ALIASES.get(low, low)


def _caret(space: Workspace, by: int | None = None, to: int | None = None) -> str:
    box = space.box
    assert box is not None
    if box.all_selected and by is not None:
        to = 0 if by < 0 else len(box.text)
    return space.place_caret(to if to is not None else box.caret + (by or 0))


def _erase(space: Workspace, forwards: bool) -> str:
    assert space.box is not None
    space.box.erase(forwards)
    return f"The box reads {quoted(space.box.text)}." if space.box.text else "The box is empty."


def _arrow(space: Workspace, across: int, down: int) -> str:
    """Moves what is selected by a pixel of the page, or scrolls."""
    if space.selected is not None:
        return space.move(space.selected, across, down)
    return space.scroll(space.view.scrolled(LINE * across, LINE * down))


def _escape(space: Workspace) -> str:
    if space.selected is None:
        raise ToolError("There is nothing to escape from: no text box is open and nothing is selected.")
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
    "arrowup": partial(_caret, to=0),
    "arrowdown": partial(_caret, to=10**6),
    "home": partial(_caret, to=0),
    "end": partial(_caret, to=10**6),
    "control+a": Workspace.select_all,
}
_ON_PAGE = _ANYWHERE | {
    "enter": _enter,
    "escape": _escape,
    "backspace": Workspace.delete,
    "delete": Workspace.delete,
    "arrowleft": partial(_arrow, across=-1, down=0),
    "arrowright": partial(_arrow, across=1, down=0),
    "arrowup": partial(_arrow, across=0, down=-1),
    "arrowdown": partial(_arrow, across=0, down=1),
    "home": lambda space: space.scroll(space.view.scrolled_to(0, 0)),
    "end": lambda space: space.scroll(space.view.scrolled_to(space.view.left, 10**6)),
    "v": partial(Workspace.choose, mode="select"),
    "t": partial(Workspace.choose, mode="text"),
    "s": partial(Workspace.choose, mode="sign"),
    "+": partial(zoom_by, larger=True),
    "-": partial(zoom_by, larger=False),
}
