"""The tools of web forms: mouse and keyboard, in pixels of the window."""

from __future__ import annotations

import unicodedata

from gymnasium import spaces

from ..core.texts import UnicodeText, truncate
from ..core.tools import Argument, Tool, ToolError
from .replay.captured_page import KEYS
from .state import WebFormState

WIDTH, HEIGHT = 1024, 768
"""The window's, in pixels."""
MAX_TEXT_LENGTH = 4_000
_MAX_NAMED = 10
"""The most characters drawn as boxes that feedback names; of more it gives the number."""
MAX_SCROLL = 2_000
"""The farthest that one call scrolls, in pixels."""

_ALIASES = {"esc": "Escape", "return": "Enter", "ctrl": "Control", "del": "Delete", " ": "Space", "spacebar": "Space"}
_NAMES = {key.lower(): key for key in KEYS}
_KEYS_OF_TEXT = str.maketrans("", "", "\r\n\t")


def click(state: WebFormState, x: int, y: int) -> str:
    """Click at a pixel of the window: it focuses a field, opens a list or a calendar, ticks a box, presses a button."""
    return f"Clicked at ({x}, {y}){_reached(state.page.click(x, y))}"


def double_click(state: WebFormState, x: int, y: int) -> str:
    """Double-click at a pixel of the window: selects a word in a text field."""
    return f"Clicked twice at ({x}, {y}){_reached(state.page.click(x, y, 2))}"


def type_text(state: WebFormState, text: str) -> str:
    """Type text into the field that has the focus. A line break presses Enter, a tab presses Tab."""
    unwritable = None if text.isprintable() else next(filter(_is_unwritable, text), None)
    if unwritable is not None:
        raise ToolError(f"The text holds the control character U+{ord(unwritable):04X}, which has no key.")
    if not text:
        raise ToolError("The text is empty; nothing was typed.")
    had_focus, lost = state.page.has_focus, state.page.type_text(text)
    state.typed_texts.append(text)
    length = len(text.translate(_KEYS_OF_TEXT))
    if lost and lost >= length:
        no_focus = "no field has the focus. Click into a field first"
        return f"Nothing was typed: {'the control with the focus does not accept it' if had_focus else no_focus}."
    if lost:
        return f'Typed "{truncate(text, 80)}", but {lost} of its {length} characters were not accepted.'
    missing = state.page.missing(text)
    lacking = f" The page's typeface lacks {_names(missing)}: drawn as boxes." if missing else ""
    if not text.isascii() and state.page.may_differ():
        lacking += " Its look may differ from a browser's."
    return f'Typed "{truncate(text, 80)}".{lacking}'


def press_key(state: WebFormState, key: str) -> str:
    """Press a key, or several at once: Tab goes to the next field, Control+a selects all of a text."""
    name = _key_named(key)
    return f"Pressed {name}." if state.page.press_key(name) else f"Pressed {name}: nothing changed."


def scroll(state: WebFormState, dy: int) -> str:
    """Turn the mouse wheel: it scrolls the list or long text under the mouse, or else the page."""
    way, moved = "down" if dy >= 0 else "up", state.page.scroll(dy)
    if not moved:
        return f"Nothing there scrolls any further {way}."
    return f"Scrolled {way} by {abs(moved)} pixels{'' if moved == dy else ', as far as it goes'}."


def terminate(state: WebFormState) -> str:
    """End the task. What was not submitted by the form's own button does not count."""
    state.finished = True
    return "The task has ended." if state.is_submitted else "The task has ended; the form was not submitted."


def _reached(reacts: bool) -> str:
    return "." if reacts else ": there is no control."


def _names(characters: str) -> str:
    """Characters with their code points, because some are invisible or ambiguous."""
    named = [f"{c if c.isprintable() else ''} U+{ord(c):04X}".lstrip() for c in characters[:_MAX_NAMED]]
    return ", ".join(named) + (f" and {len(characters) - _MAX_NAMED} more" if len(characters) > _MAX_NAMED else "")


def _is_unwritable(character: str) -> bool:
    return unicodedata.category(character) in ("Cc", "Cs") and character not in "\n\r\t"


def _key_named(key: str) -> str:
    parts = [_ALIASES.get(part.lower(), part) for part in (key.split("+") if len(key) > 1 else [key])]
    *held, name = parts
    spelled = "+".join([*sorted(held, key=str.lower), name]).lower()
    if spelled not in _NAMES:
        raise ToolError(f'There is no key "{truncate(key, 40)}" here; there are {", ".join(KEYS)}.')
    return _NAMES[spelled]


_X = Argument(spaces.Discrete(WIDTH), "Where, in pixels from the left edge of the window.")
_Y = Argument(spaces.Discrete(HEIGHT), "Where, in pixels from the top edge of the window.")
_BY = Argument(
    spaces.Discrete(2 * MAX_SCROLL + 1, start=-MAX_SCROLL), "How far down the page goes, in pixels; negative: up."
)

TOOLS: tuple[Tool, ...] = (
    Tool("click", click, {"x": _X, "y": _Y}),
    Tool("double_click", double_click, {"x": _X, "y": _Y}),
    Tool("type_text", type_text, {"text": Argument(UnicodeText(MAX_TEXT_LENGTH), "What to type.")}),
    Tool("press_key", press_key, {"key": Argument(UnicodeText(40), f"One of {', '.join(KEYS)}.")}),
    Tool("scroll", scroll, {"dy": _BY}),
    Tool("terminate", terminate, {}),
)
