"""JSON and Python literals in texts of models, read with lenience."""

from __future__ import annotations

import json
import re
from typing import Any

_MAX_DEPTH = 100
_MAX_UNCLOSED = 50
"""So many values that run to the end of the text are tried again from their second character on."""
_CLOSING = {"{": "}", "[": "]", "(": ")"}
_CONSTANTS: dict[str, Any] = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_CONSTANTS |= {"NaN": float("nan"), "Infinity": float("inf"), "-Infinity": float("-inf")}
_TOKEN = re.compile(
    r"""(?:\s+|//[^\n]*|\#[^\n]*|/\*(?:.*?\*/|.*\Z))*+(?:
    (?:[rbfu]{0,2}\"{3}(?P<block>.*?)(?:\"{3}|\Z) | '{3}(?P<block2>.*?)(?:'{3}|\Z))
    | [rbfu]{0,2}"(?P<double>[^"\\]*(?:\\.[^"\\]*)*)(?:"|\\?\Z)
    | “(?P<curly>[^“”]*)(?:”|\Z)
    | [rbfu]{0,2}'(?P<single>[^'\\]*(?:\\.[^'\\]*)*)(?:'|\\?\Z)
    | (?P<mark>[{}\[\](),:=])
    | (?P<word>[^\s{}\[\](),:="'“]+)
    | (?P<end>\Z)
    )""",
    re.X | re.S | re.I,
)
_NUMBER = re.compile(r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?")
_KEY_MARK = re.compile(r"\s*[:=](?!=)")
_ESCAPE = re.compile(r"\\(?:u([0-9a-fA-F]{4})|(.))", re.S)
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f", "\n": ""}
_SKIPPED = object()
_BRACKET = re.compile(r"[{\[]")


class Parsed(dict[Any, Any]):
    """An object, or arguments of a call: those without a name have numbers as keys.

    Attributes:
        is_whole: whether it was closed.
    """

    is_whole = False


class ValueReader:
    """Reads objects, lists and arguments out of a text, in time that is linear in its length.

    Comments, trailing commas, single quotes, names without quotes and Python's constants are forgiven. What is cut off
    or malformed is closed after its last item.

    Args:
        text: of any length.
    """

    def __init__(self, text: str) -> None:
        self._text, self._unclosed = text, 0

    def at(self, start: int) -> tuple[Any, int, bool]:
        """The value whose bracket is at ``start``, where to go on, and whether it is whole."""
        value, end, is_whole = _value_at(self._text, start)
        if not (value or is_whole or end < len(self._text)) and self._unclosed < _MAX_UNCLOSED:
            self._unclosed += 1
            end = start
        return value, max(end, start + 1), is_whole


def json_values(text: str) -> list[Any]:
    """The outermost JSON objects and lists in a text, in order.

    Prose, code fences and other text around them are left out. What was cut off is closed after its last item.
    """
    reader, values, position = ValueReader(text), [], 0
    while match := _BRACKET.search(text, position):
        value, position, is_whole = reader.at(match.start())
        values += [value] if value or is_whole else []
    return values


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
            key, position = name
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


def _key(text: str, token: re.Match[str]) -> tuple[str, int] | None:
    """The key that a token is, if a colon or an equals sign follows, and where that ends."""
    mark = _KEY_MARK.match(text, token.end())
    if token["mark"] or token["end"] is not None or mark is None:
        return None
    return token["word"] if token["word"] is not None else str(_scalar(token)), mark.end()


def _scalar(token: re.Match[str]) -> Any:
    """The text, number or constant of a token; ``_SKIPPED`` if it is none."""
    for group in ("block", "block2", "double", "single", "curly"):
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
