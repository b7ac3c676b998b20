"""Calls in the replies of models, read with lenience."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Any

from ..envs.core.texts import truncate
from .models.model import Reply, Schema, ToolCall

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


_MAX_LENGTH = 1_000_000
"""Of a text, so many characters are read for calls."""
_MAX_VALUES = 50
_MAX_NESTING = 5
_MAX_PROBLEMS = 3
_BRACKET = re.compile(r"[{\[]")
_SIDES = (("x", "y"), ("left", "top", "right", "bottom"), ("x0", "y0", "x1", "y1"))
_LISTS = ("actions", "calls", "tool_calls", "function_calls", "steps")
_NAMES = ("tool", "name", "action", "function", "tool_name")
_ARGUMENTS = ("arguments", "args", "parameters", "params", "input")
_FENCED = re.compile(r"```[ \t]*(?:\w+)?[ \t]*\n(.*?)```", re.S)

NO_CALL = 'There is no call of a tool in the reply: answer with a JSON list of calls, each {"tool": NAME, ...}.'
CUT_OFF = "The reply ends in the middle of a call, which is left out: answer with fewer calls at a time."


@dataclass(frozen=True)
class ParsedReply:
    """The calls in a reply, in order, and what in it could not be read as one."""

    calls: Sequence[ToolCall]
    problems: Sequence[str] = ()


def parse_reply(reply: Reply, tools: Sequence[Schema]) -> ParsedReply:
    """The calls of tools in a reply, native ones or those in its text; never raises.

    Names and arguments are as the model wrote them: whether there is such a tool is not looked at.
    """
    if not reply.tool_calls:
        return parse_calls(reply.text, tools)
    return ParsedReply([ToolCall(call.id, call.name, _object(call.arguments)) for call in reply.tool_calls])


def parse_calls(text: str, tools: Sequence[Schema]) -> ParsedReply:
    """The calls of tools in a text; never raises, and takes linear time.

    JSON may be fenced, in prose, in several blocks, cut off, and in any of the usual forms: ``{"tool": name, ...}``,
    ``{"name": ..., "arguments": ...}``, ``{"actions": [...]}``, ``{name: {...}}``. Where there is none, calls as Python
    writes them are read, each at the beginning of a line: ``name(x=1, text="Ann")``.

    >>> parse_calls('I am done: {"tool": "terminate"}', []).calls[0].name
    'terminate'
    """
    text = text[:_MAX_LENGTH]
    names = {str(tool["name"]): list(tool["parameters"]["properties"]) for tool in tools}
    calls: list[ToolCall] = []
    problems: list[str] = []
    values = [value for _, value, _ in parsed_values(text, _BRACKET)]
    for item in (item for value in values for item in _items(value)):
        call = _call(item, names, len(calls))
        calls += [call] if isinstance(call, ToolCall) else []
        problems += [call] if isinstance(call, str) else []
    if not calls:
        calls = list(_python_calls(text, names))
    problems = list(dict.fromkeys(problems))[:_MAX_PROBLEMS]
    return ParsedReply(calls, problems if calls or problems else [NO_CALL])


def code_in(reply: str) -> str:
    """The program in a reply: its last fenced block, or what follows ``def main``."""
    blocks = [block for block in _FENCED.findall(reply) if "def main" in block]
    if blocks:
        return str(blocks[-1]).strip() + "\n"
    at = reply.find("def main")
    return (reply if at < 0 else reply[at:]).replace("```", "").strip() + "\n"


def json_values(reply: str) -> list[Any]:
    """The outermost JSON objects and lists in a reply, in order.

    Prose, code fences and other text around them are left out. What was cut off is closed after its last item.
    """
    return [value for _, value, _ in parsed_values(reply, _BRACKET)]


def _items(value: Any, depth: int = 0) -> Iterator[Any]:
    """What may be calls in a value: itself, or the items of its lists."""
    if isinstance(value, Mapping):
        inner = next((value[name] for name in _LISTS if isinstance(value.get(name), list)), None)
        if inner is None:
            yield value
            return
        value = inner
    if isinstance(value, list) and depth < _MAX_NESTING:
        for item in value:
            yield from _items(item, depth + 1)


def _call(item: Mapping[Any, Any], names: Mapping[str, Sequence[str]], number: int) -> ToolCall | str | None:
    """An object as a call, or what is wrong with it; ``None`` if it is empty."""
    if not getattr(item, "is_whole", True):
        return CUT_OFF
    if isinstance(item.get("function"), Mapping):
        item = item["function"]
    key = next((key for key in _NAMES if isinstance(item.get(key), str)), None)
    if key is not None:
        given = next((name for name in _ARGUMENTS if name in item), None)
        rest = {str(name): value for name, value in item.items() if name != key}
        return ToolCall(f"call_{number}", item[key], rest if given is None else _object(item[given]))
    if len(item) == 1 and next(iter(item)) in names:
        (name, arguments), *_ = item.items()
        return ToolCall(f"call_{number}", name, _object(arguments))
    return f'{truncate(repr(dict(item)), 80)} names no tool: each call is {{"tool": NAME, ...}}.' if item else None


def _python_calls(text: str, names: Mapping[str, Sequence[str]]) -> Iterator[ToolCall]:
    """Calls as Python writes them, each at the beginning of a line."""
    if not names:
        return
    known = "|".join(map(re.escape, names))
    opening = re.compile(rf"^[ \t]*(?:(?:[-*]|\d{{1,4}}[.)])[ \t]+)?`?(?:{known})[ \t]*\(", re.M)
    for number, (opened, value, is_whole) in enumerate(parsed_values(text, opening)):
        if is_whole:
            name = opened.strip(" \t-*`(.)0123456789")
            arguments = {names[name][k] if k in range(len(names[name])) else str(k): v for k, v in value.items()}
            yield ToolCall(f"call_{number}", name, arguments)


def _object(arguments: Any) -> Any:
    """Arguments that are a text as the object in it, if there is one."""
    values = json_values(arguments) if isinstance(arguments, str) else []
    return values[0] if len(values) == 1 and isinstance(values[0], Parsed) else arguments


def predicted_numbers(reply: str) -> tuple[float, ...] | None:
    """The last point (x, y) or box (left, top, right, bottom) in a reply, if any.

    It may be an object with these names, a list of two or four numbers, or either inside of something else, such as a
    call of a tool.
    """
    for value in reversed(json_values(reply)):
        numbers = _numbers_in(value)
        if numbers is not None:
            return numbers
    return None


def _numbers_in(value: Any, depth: int = 0) -> tuple[float, ...] | None:
    if depth > _MAX_NESTING:
        return None
    if isinstance(value, Mapping):
        for sides in _SIDES:
            if all(side in value for side in sides):
                return _numbers(value[side] for side in sides)
        return _first_numbers(value.values(), depth)
    if isinstance(value, Sequence) and not isinstance(value, str):
        numbers = _numbers(value) if len(value) in (2, 4) else None
        return _first_numbers(value, depth) if numbers is None else numbers
    return None


def _first_numbers(values: Iterable[Any], depth: int) -> tuple[float, ...] | None:
    found = (_numbers_in(value, depth + 1) for value in islice(values, _MAX_VALUES))
    return next((numbers for numbers in found if numbers is not None), None)


def _numbers(values: Iterable[Any]) -> tuple[float, ...] | None:
    """Values as numbers, if all are finite ones."""
    listed = list(values)
    if not all(isinstance(value, int | float) and not isinstance(value, bool) for value in listed):
        return None
    return tuple(map(float, listed)) if all(abs(value) < 1e9 and math.isfinite(value) for value in listed) else None
