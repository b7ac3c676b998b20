"""Keys of a US keyboard in the terms of the DevTools protocol."""

from __future__ import annotations

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


# The virtual key codes of keys that are called like their places and write nothing.
_NUMBERS = {
    **{"Escape": 27, "Insert": 45, "Home": 36, "End": 35, "PageUp": 33, "PageDown": 34},
    **{"ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40},
    **{f"F{n}": 111 + n for n in range(1, 13)},
}

_NAMED = {
    key.key: key
    for key in (
        Key("Enter", "Enter", 13, "\r"),
        Key("Tab", "Tab", 9),
        Key("Backspace", "Backspace", 8),
        Key("Delete", "Delete", 46),
        *(Key(name, name, number) for name, number in _NUMBERS.items()),
        Key("Shift", "ShiftLeft", 16, location=1),
        Key("Control", "ControlLeft", 17, location=1),
        Key("Alt", "AltLeft", 18, location=1),
        Key("Meta", "MetaLeft", 91, location=1),
    )
}
_ALIASES = {"Space": " ", "Esc": "Escape", "Return": "Enter", "Ctrl": "Control"}

# Virtual key code, code, the character, the character with Shift.
_PRINTED = [
    (32, "Space", " ", " "),
    *((48 + n, f"Digit{n}", str(n), ")!@#$%^&*("[n]) for n in range(10)),
    *((65 + n, f"Key{chr(65 + n)}", chr(97 + n), chr(65 + n)) for n in range(26)),
    (186, "Semicolon", ";", ":"),
    (187, "Equal", "=", "+"),
    (188, "Comma", ",", "<"),
    (189, "Minus", "-", "_"),
    (190, "Period", ".", ">"),
    (191, "Slash", "/", "?"),
    (192, "Backquote", "`", "~"),
    (219, "BracketLeft", "[", "{"),
    (220, "Backslash", "\\", "|"),
    (221, "BracketRight", "]", "}"),
    (222, "Quote", "'", '"'),
]
_PLAIN = {plain: Key(plain, code, number, plain) for number, code, plain, _ in _PRINTED}
_SHIFTED = {shifted: Key(shifted, code, number, shifted) for number, code, _, shifted in _PRINTED if shifted != " "}
_WITH_SHIFT = {plain: _SHIFTED.get(shifted, _PLAIN[plain]) for _, _, plain, shifted in _PRINTED}


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
    key = _named(last + name[-1])
    if key is None:
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


def _named(name: str) -> Key | None:
    name = _ALIASES.get(name, name)
    return _NAMED.get(name) or _PLAIN.get(name) or _SHIFTED.get(name)


def _chord(key: Key, held: list[str]) -> list[dict[str, Any]]:
    """Modifiers down in order, the key, modifiers up in reverse."""
    mask, down, up = 0, [], []
    for modifier in held:
        down.append(_event("rawKeyDown", _NAMED[modifier], mask := mask | MODIFIERS[modifier]))
    if mask & _SHIFT:
        key = _WITH_SHIFT.get(key.key, key)
    elif mask and key.key.isalpha():
        key = _PLAIN.get(key.key.lower(), key)  # Control+A is written so, and means Control+a.
    strokes = _strokes(key, mask | (_SHIFT if key.key in _SHIFTED else 0))
    for modifier in reversed(held):
        up.append(_event("keyUp", _NAMED[modifier], mask := mask & ~MODIFIERS[modifier]))
    return [*down, *strokes, *up]


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
