"""JSON as models write it: read in one pass, whatever surrounds it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

_MAX_DEPTH = 100
_MAX_UNCLOSED = 50
"""So many values that run to the end of the text are tried again from their second character on."""
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_CONSTANTS |= {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_TOKEN = re.compile(
    r"""\s*(?:
    \"{3}(?P<block>.*?)\"{3}
    | "(?P<double>[^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?\Z)
    | '(?P<single>[^'\\]*(?:\\.[^'\\]*)*)(?:'|\\?\Z)
    | (?P<mark>[{}\[\](),:=])
    | (?P<word>[^\s{}\[\](),:="']+)
    | (?P<end>\Z)
    )""",
    re.X | re.S,
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_KEY_MARK = re.compile(r"\s*[:=](?!=)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_SKIPPED = object()


class Parsed(dict[Any, Any]):
    """An object, or arguments of a call: those without a name have numbers as keys.

    Attributes:
        is_whole: whether it was closed.
    """

    is_whole = False


def parsed_values(text: str, opening: re.Pattern[str]) -> Iterator[tuple[str, Any, bool]]:
    """What opens each outermost value of a text, the value, and whether it is whole.

    Trailing commas, single quotes, names without quotes and Python's constants are forgiven. What is cut off or
    malformed is closed after its last item, and left out if it has none.

    Args:
        text: of any length; the time that it takes is linear in it.
        opening: matches where a value begins, up to its opening bracket.
    """
    unclosed = position = 0
    while match := opening.search(text, position):
        start = match.end() - 1
        value, position, is_whole = _value_at(text, start)
        if value or is_whole:
            yield match[0], value, is_whole
        elif position >= len(text) and unclosed < _MAX_UNCLOSED:
            unclosed += 1
            position = start
        position = max(position, start + 1)


def _value_at(text: str, start: int) -> tuple[Any, int, bool]:
    """The value that begins with a bracket, where it ends, and whether it is whole."""
    root: Any = [] if text[start] == "[" else Parsed()
    open_values: list[tuple[Any, str]] = [(root, _CLOSING[text[start]])]
    position, key = start + 1, None
    while open_values and len(open_values) < _MAX_DEPTH and (token := _TOKEN.match(text, position)):
        position, container, mark = token.end(), open_values[-1][0], token["mark"]
        if mark == "," and key is None:
            continue
        if mark == open_values[-1][1] and key is None:
            open_values.pop()
            if isinstance(container, Parsed):
                container.is_whole = True
            continue
        if key is None and isinstance(container, Parsed) and (name := _key(text, token)) is not None:
            key, position = name, _end_of_key(text, token)
            continue
        value = _opened(mark) if mark else _scalar(token)
        if value is _SKIPPED or not _put(container, key, value, open_values[-1][1]):
            return root, token.end() if token["end"] is not None else token.start(), False
        key = None
        if mark:
            open_values.append((value, _CLOSING[mark]))
    return root, position, not open_values


def _opened(mark: str) -> Any:
    return {"{": Parsed, "[": list, "(": list}.get(mark, lambda: _SKIPPED)()


def _put(container: Any, key: str | None, value: Any, closing: str) -> bool:
    """Add a value to what is open; whether it belongs there."""
    if isinstance(container, list):
        container.append(value)
    elif key is not None:
        container[key] = value
    elif closing == ")":
        container[len(container)] = value
    else:
        return False
    return True


def _key(text: str, token: re.Match[str]) -> str | None:
    """The key that a token is, if a colon or an equals sign follows."""
    if token["mark"] or token["end"] is not None or not _KEY_MARK.match(text, token.end()):
        return None
    return token["word"] if token["word"] is not None else str(_scalar(token))


def _end_of_key(text: str, token: re.Match[str]) -> int:
    mark = _KEY_MARK.match(text, token.end())
    assert mark is not None
    return mark.end()


def _scalar(token: re.Match[str]) -> Any:
    """The text, number or constant of a token; ``_SKIPPED`` if it is none."""
    for group in ("block", "double", "single"):
        if token[group] is not None:
            return _unescaped(token[group])
    word = token["word"]
    if word in _CONSTANTS:
        return _CONSTANTS[word]
    if word is None or not _NUMBER.fullmatch(word):
        return _SKIPPED
    try:
        return json.loads(word)
    except ValueError:  # such as +5 or .5, which JSON does not have; or thousands of digits
        return float(word)


def _unescaped(text: str) -> str:
    """A text without its escapes; pairs of surrogates are joined."""
    if "\\" not in text:
        return text
    plain = _ESCAPE.sub(lambda m: chr(int(m[1], 16)) if m[1] else _ESCAPES.get(m[2], m[2]), text)
    return plain.encode("utf-16", "surrogatepass").decode("utf-16", "replace")
