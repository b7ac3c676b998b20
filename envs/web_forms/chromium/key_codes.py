"""Keys of a US keyboard in the terms of the DevTools protocol."""

from __future__ import annotations

from itertools import accumulate
from operator import or_
from string import ascii_uppercase
from typing import Any, NamedTuple

MODIFIERS = {"Alt": 1, "Control": 2, "Meta": 4, "Shift": 8}
"""The bit of each modifier."""

_SHIFT = MODIFIERS["Shift"]


class Key(NamedTuple):
    """A key that is pressed, with the fields of ``KeyboardEvent``, its virtual key code and what it writes."""

    key: str
    code: str
    number: int
    text: str = ""
    location: int = 0


# The virtual key codes of keys that are called like their places.
_NUMBERS = {
    **{"Backspace": 8, "Tab": 9, "Enter": 13, "Escape": 27, "PageUp": 33, "PageDown": 34, "End": 35, "Home": 36},
    **{"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Insert": 45, "Delete": 46},
    **{f"F{n}": 111 + n for n in range(1, 13)},
}
_HELD = {"Shift": 16, "Control": 17, "Alt": 18, "Meta": 91}
_NAMED = {
    **{name: Key(name, name, number, "\r" if name == "Enter" else "") for name, number in _NUMBERS.items()},
    **{name: Key(name, f"{name}Left", number, location=1) for name, number in _HELD.items()},
}
_ALIASES = {"Space": " ", "Esc": "Escape", "Return": "Enter", "Ctrl": "Control"}

# Virtual key code, code, the character and that with Shift.
_PRINTED = [
    (32, "Space", "  "),
    *((48 + n, f"Digit{n}", f"{n}{shifted}") for n, shifted in enumerate(")!@#$%^&*(")),
    *((65 + n, f"Key{letter}", letter.lower() + letter) for n, letter in enumerate(ascii_uppercase)),
    *((186, "Semicolon", ";:"), (187, "Equal", "=+"), (188, "Comma", ",<"), (189, "Minus", "-_")),
    *(
        (190, "Period", ".>"),
        (191, "Slash", "/?"),
        (192, "Backquote", "`~"),
        (219, "BracketLeft", "[{"),
        (220, "Backslash", "\\|"),
    ),
    *((221, "BracketRight", "]}"), (222, "Quote", "'\"")),
]
_PLAIN = {both[0]: Key(both[0], code, number, both[0]) for number, code, both in _PRINTED}
_SHIFTED = {both[1]: Key(both[1], code, number, both[1]) for number, code, both in _PRINTED[1:]}
_WITH_SHIFT = {both[0]: _SHIFTED.get(both[1], _PLAIN[both[0]]) for _, _, both in _PRINTED}


def pressed(name: str) -> list[dict[str, Any]]:
    """The key events of pressing and releasing a key with its modifiers.

    Args:
        name: a key as ``KeyboardEvent.key`` names it, after any of "Shift+", "Control+", "Alt+", "Meta+".

    Raises:
        ValueError: if there is no such key.
    """
    *names, last = name[:-1].split("+")
    held = [_ALIASES.get(modifier, modifier) for modifier in names]
    unknown = [modifier for modifier in held if modifier not in MODIFIERS]
    if unknown or not name:
        raise ValueError(f"no such modifier: {unknown[0]!r} of {name!r}" if unknown else "no key is named")
    called = _ALIASES.get(last + name[-1], last + name[-1])
    if (key := (_NAMED | _PLAIN | _SHIFTED).get(called)) is None:
        raise ValueError(f"no such key: {name!r}")
    return _chord(key, held)


def typed(character: str) -> list[dict[str, Any]]:
    """The key events of typing a character; a line break is Enter, a tabulator Tab.

    A character without a key is written by a key without a place on the keyboard.
    """
    if character in "\r\n\t":
        return _strokes(_NAMED["Tab" if character == "\t" else "Enter"], 0)
    if character in _SHIFTED:
        return _strokes(_SHIFTED[character], _SHIFT)
    return _strokes(_PLAIN.get(character) or Key(character, "", 0, character), 0)


def _chord(key: Key, held: list[str]) -> list[dict[str, Any]]:
    """Modifiers down in order, the key, modifiers up in reverse."""
    masks = list(accumulate((MODIFIERS[modifier] for modifier in held), or_, initial=0))
    mask = masks[-1]
    if mask & _SHIFT:
        key = _WITH_SHIFT.get(key.key, key)
    elif mask and key.key.isalpha():
        key = _PLAIN.get(key.key.lower(), key)  # Control+A is written so, and means Control+a.
    down = [_event("rawKeyDown", _NAMED[one], after) for one, after in zip(held, masks[1:], strict=True)]
    up = [_event("keyUp", _NAMED[one], before) for one, before in zip(held, masks, strict=False)]
    return [*down, *_strokes(key, mask | (_SHIFT if key.key in _SHIFTED else 0)), *up[::-1]]


def _strokes(key: Key, mask: int) -> list[dict[str, Any]]:
    # Control, Alt and Meta make a command of a key; Shift does not.
    text = "" if mask & ~_SHIFT else key.text
    down = _event("keyDown" if text else "rawKeyDown", key, mask)
    if text:
        down |= {"text": text, "unmodifiedText": text}
    return [down, _event("keyUp", key, mask)]


def _event(kind: str, key: Key, mask: int) -> dict[str, Any]:
    event = {"type": kind, "key": key.key, "code": key.code, "windowsVirtualKeyCode": key.number, "modifiers": mask}
    return event | ({"location": key.location} if key.location else {})
