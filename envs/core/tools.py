"""Tools: one declaration gives an action's space, validation and JSON schema."""

from __future__ import annotations

import inspect
import math
import reprlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from copy import deepcopy
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

from .asset_cache import by_identity
from .spaces import blank
from .texts import UnicodeText, encodable, truncate, utf8

_MAX_DEPTH = 20
_MAX_VALUES = 10_000
"""The most values of a call that are written down."""

Call = dict[str, Any]
"""A tool call as JSON: ``{"tool": name, argument: value, ...}``."""


class ToolError(Exception):
    """An invalid tool call; its message tells the agent what is wrong."""


@dataclass(frozen=True)
class Argument:
    """An argument: a scalar Box, Discrete or UnicodeText space, and a description."""

    space: spaces.Space[Any]
    description: str


@dataclass(frozen=True)
class Tool:
    """An action an agent can take.

    Attributes:
        name: what the agent calls it.
        apply: ``apply(state, **arguments) -> feedback``, a module-level function. It raises ``ToolError``, before it
            has changed anything, if the call cannot be carried out. Its docstring describes the tool to the agent.
        arguments: the arguments by name, in order.
        about: what the tool does, in words for an agent, if not what ``apply``'s docstring says.
    """

    name: str
    apply: Callable[..., str]
    arguments: Mapping[str, Argument]
    about: str = ""

    @property
    def description(self) -> str:
        """What the tool does, in words for an agent."""
        return self.about or inspect.getdoc(self.apply) or ""

    @property
    def schema(self) -> dict[str, Any]:
        """The tool as a JSON schema for function calling."""
        properties = {name: _json_type(a.space) | {"description": a.description} for name, a in self.arguments.items()}
        return {
            "name": self.name,
            "description": self.description,
            "parameters": {
                "type": "object",
                "properties": properties,
                "required": list(self.arguments),
                "additionalProperties": False,
            },
        }


class ToolSpace(spaces.Dict):
    """The action space of a set of tools: a Dict of the tool and all arguments.

    An element names a tool by its index and holds a value for every argument of every tool; those that the tool does
    not use are ignored. ``action`` builds elements; ``from_call`` and ``to_call`` go from and to JSON. What is no call
    of a tool is ``{"tool": None, "call": it}``; with ``"refusal"``, that text is the feedback on it.

    Args:
        tools: the tools; arguments of the same name must have equal spaces.
        seed: the seed of ``sample``.

    Raises:
        ValueError: if two tools share a name, or an argument is called "tool", has two different spaces, or one that is
            no scalar Box, Discrete or UnicodeText.
    """

    def __init__(self, tools: Sequence[Tool], seed: int | None = None) -> None:
        self.tools = tuple(tools)
        self._index = {tool.name: i for i, tool in enumerate(self.tools)}
        if len(self._index) != len(self.tools):
            raise ValueError(f"two tools share a name: {[tool.name for tool in self.tools]}")
        arguments: dict[str, spaces.Space[Any]] = {"tool": spaces.Discrete(len(self.tools))}
        for tool in self.tools:
            for name, argument in tool.arguments.items():
                if name == "tool" or not _is_declarable(argument.space):
                    raise ValueError(f"{tool.name}: an argument {name!r} of {argument.space} cannot be declared")
                if arguments.setdefault(name, deepcopy(argument.space)) != argument.space:
                    raise ValueError(f"argument {name!r} of {tool.name} has another space than in the tools before it")
        super().__init__(arguments, seed=seed)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolSpace) and self.names == other.names and super().__eq__(other)

    @property
    def names(self) -> tuple[str, ...]:
        """The names of the tools, in the order of their indices."""
        return tuple(self._index)

    @property
    def schemas(self) -> list[dict[str, Any]]:
        """The tools as JSON schemas for function calling."""
        return [tool.schema for tool in self.tools]

    def action(self, tool: str, **arguments: Any) -> dict[str, Any]:
        """The action that calls ``tool``; unused arguments are filled in.

        Raises:
            ValueError: if the call is invalid.
        """
        action = self.from_call({"tool": tool, **arguments})
        try:
            self.parse(action)
        except ToolError as error:
            raise ValueError(str(error)) from None
        return action

    def from_call(self, call: Any) -> dict[str, Any]:
        """The action for a JSON tool call; never raises.

        A valid call gives an element of this space. An invalid one is passed through as it is, so that ``step`` can
        explain what is wrong with it.
        """
        entries = _entries(call)
        named = entries.get("tool") if entries is not None else None
        if entries is None or not isinstance(named, str) or named not in self._index:
            return {"tool": None, "call": call}
        index = self._index[named]
        used = self.tools[index].arguments
        unused = {name: blank(space) for name, space in self.spaces.items() if name not in used and name != "tool"}
        given = {name: _as_element(self.spaces.get(name), value) for name, value in entries.items()}
        return unused | given | {"tool": index}

    def to_call(self, action: Any) -> Any:
        """The JSON tool call of an action without unused arguments: just what ``parse`` gives, if it is valid."""
        entries = _entries(action)
        if entries is None or "tool" not in entries:
            return jsonable(action)
        index = self._index_of(entries["tool"])
        if index is None:
            return jsonable(entries.get("call", action))
        tool = self.tools[index]
        given = {
            name: _as_element(self.spaces.get(name), value)
            for name, value in entries.items()
            if name in tool.arguments or name not in self.spaces
        }
        return {"tool": tool.name} | jsonable(given)

    def parse(self, action: Any) -> tuple[Tool, dict[str, Any]]:
        """The tool and the plain Python arguments of an action.

        Raises:
            ToolError: if the action is no valid call; the message explains what was wrong.
        """
        entries = _entries(action) or {}
        tool = self._tool_of(action, entries)
        if not entries.keys() <= self.spaces.keys():
            unknown = next(name for name in entries if name not in self.spaces)
            raise ToolError(f"{tool.name} has no argument {_formatted(unknown)}. {_usage(tool)}")
        missing = [name for name in tool.arguments if name not in entries]
        if missing:
            raise ToolError(f"{tool.name} misses the argument {', '.join(missing)}. {_usage(tool)}")
        return tool, {name: _checked(tool, name, a.space, entries[name]) for name, a in tool.arguments.items()}

    def _index_of(self, named: Any) -> int | None:
        """The index of a tool by its name or index; ``None`` if there is none."""
        return self._index.get(named) if isinstance(named, str) else _as_index(named, len(self.tools))

    def _tool_of(self, action: Any, entries: Mapping[Any, Any]) -> Tool:
        index = self._index_of(entries.get("tool"))
        if index is not None:
            return self.tools[index]
        if isinstance(refusal := entries.get("refusal"), str):
            raise ToolError(refusal)
        call = entries.get("call", action)
        if (called := _entries(call)) is None:
            raise ToolError(f'A call is an object with a "tool"; this is {_formatted(call)}.')
        raise ToolError(f"There is no tool {_formatted(called.get('tool'))}; the tools are {', '.join(self.names)}.")


def _is_declarable(space: spaces.Space[Any]) -> bool:
    return isinstance(space, UnicodeText | spaces.Discrete) or (isinstance(space, spaces.Box) and space.shape == ())


_NUMPY: Mapping[type, Callable[[Any], Any]] = {
    np.dtype(code).type: python
    for codes, python in (("?", bool), (np.typecodes["AllInteger"], int), (np.typecodes["Float"], float))
    for code in codes
}
"""Python's types of numpy's numbers; a span of time is none of them, though numpy derives it from integers."""
_SUBCLASSED: tuple[tuple[type, Callable[[Any], Any]], ...] = (
    (int, lambda value: int.__add__(value, 0)),
    (float, float.__pos__),
    (str, str.__str__),
)
"""Python's own value of one of a class derived from it, without running code of that class."""


_PLAIN = frozenset({int, float, str, bool, type(None)})


def _plain(value: Any) -> Any:
    """A number or a text as one of Python's own; anything else as it is. It runs no code of a value's class."""
    if type(value) is np.ndarray and value.ndim == 0:
        value = value[()]
    kind = type(value)
    if kind in _PLAIN:
        return value
    if (python := _NUMPY.get(kind)) is not None:
        return python(value)
    return next((own(value) for base, own in _SUBCLASSED if issubclass(kind, base)), value)


def _entries(call: Any) -> dict[Any, Any] | None:
    """The values of a dict by key, numbers and texts as Python's own; ``None`` if it is no dict.

    A key that is no text stands as what it looks like in a sentence: no argument has such a name.
    """
    if not issubclass(type(call), dict):
        return None
    return {
        key if type(key) is str else _as_key(key): value if type(value) in _PLAIN else _plain(value)
        for key, value in dict.items(call)
    }


def _as_key(key: Any) -> str:
    own = _plain(key)
    return own if type(own) is str else _formatted(own)


def _as_element(space: spaces.Space[Any] | None, value: Any) -> Any:
    """A number as an element of a Box, if it is finite there; anything else as it is."""
    if isinstance(space, spaces.Box) and isinstance(value, int | float) and not isinstance(value, bool):
        with suppress(OverflowError), np.errstate(over="ignore"):
            element = np.array(value, space.dtype)
            return element if np.isfinite(element) else value
    return value


def _as_index(value: Any, n: int, start: int = 0) -> int | None:
    """``value`` as an int with ``start`` <= it < ``n``; None if it is not one."""
    value = _plain(value)
    return value if type(value) is int and start <= value < n else None


def _usage(tool: Tool) -> str:
    return f"Usage: {tool.name}({', '.join(tool.arguments)})."


def _quoted(text: str) -> str:
    return repr(truncate(text, 40))


def _formatted(value: Any) -> str:
    """The type and value of any object, short enough for a sentence."""
    value = _plain(value)
    if value is None:
        return "null"
    if isinstance(value, str):
        return _quoted(value)
    return f"{type(value).__name__} {_REPR.repr(value)}" if not _is_huge(value) else _REPR.repr(value)


class _Repr(reprlib.Repr):
    """Short representations; Python refuses to write huge integers."""

    def repr1(self, x: Any, level: int) -> str:
        # The library goes by the names of types, which anybody may give to another one.
        known = type(x) in (int, str, list, tuple, dict, set, frozenset)
        return super().repr1(x, level) if known else self.repr_instance(x, level)

    def repr_int(self, x: int, level: int) -> str:
        return f"<a whole number of {x.bit_length():,} bits>" if _is_huge(x) else repr(x)


_REPR = _Repr()


def _is_huge(value: Any) -> bool:
    return isinstance(value, int) and value.bit_length() > 64


def _checked(tool: Tool, name: str, space: spaces.Space[Any], value: Any) -> Any:
    """``value`` as a plain Python value of ``space``."""
    if isinstance(space, UnicodeText):
        return _checked_text(tool, name, space, _plain(value))
    low, high = _bounds_of(space)
    if isinstance(space, spaces.Box):
        if type(value) is not float or space.dtype != np.float64:
            # As it is recorded, so that a call that is played again is the same call.
            value = _plain(_as_element(space, value))
        return _checked_number(tool, name, low, high, value)
    index = _as_index(value, high + 1, low)
    if index is None:
        raise ToolError(f"{tool.name}: {name} must be a whole number from {low} to {high}, not {_formatted(value)}.")
    return index


def _bounds(space: spaces.Space[Any] | None) -> tuple[Any, Any]:
    """The least and the greatest number of a space; ``None`` for texts."""
    if isinstance(space, spaces.Discrete):
        return int(space.start), int(space.start + space.n - 1)
    return (float(space.low), float(space.high)) if isinstance(space, spaces.Box) else (None, None)


_bounds_of = by_identity(_bounds)


def _checked_number(tool: Tool, name: str, low: float, high: float, value: Any) -> float:
    if type(value) not in (int, float):
        raise ToolError(f"{tool.name}: {name} must be a number from {low:g} to {high:g}, not {_formatted(value)}.")
    # Compared before conversion: an int can be too large for a float.
    if not low <= value <= high:
        formatted = _formatted(value) if isinstance(value, int) else f"{value:g}"
        raise ToolError(f"{tool.name}: {name} must lie between {low:g} and {high:g}; it is {formatted}.")
    return float(value)


def _checked_text(tool: Tool, name: str, space: UnicodeText, value: Any) -> str:
    if not isinstance(value, str):
        raise ToolError(f"{tool.name}: {name} must be text, not {_formatted(value)}.")
    if len(value) > space.max_length:
        raise ToolError(f"{tool.name}: {name} has {len(value):,} characters; at most {space.max_length:,} fit.")
    if len(value) < space.min_length:
        raise ToolError(f"{tool.name}: {name} needs at least {space.min_length} characters, not {len(value)}.")
    if not encodable(value):
        raise ToolError(f"{tool.name}: {name} has half of a surrogate pair, which is no character.")
    return str(value)


def _json_type(space: spaces.Space[Any]) -> dict[str, Any]:
    if isinstance(space, UnicodeText):
        return {"type": "string", "minLength": space.min_length, "maxLength": space.max_length}
    low, high = _bounds(space)
    return {"type": "integer" if isinstance(space, spaces.Discrete) else "number", "minimum": low, "maximum": high}


def jsonable(value: Any) -> Any:
    """``value`` as strict JSON, numpy scalars unwrapped.

    What is not finite, too deep, too much or not JSON becomes ``{"not JSON": its short text}``: no argument takes an
    object, so that a call which was invalid for it is invalid again when it is replayed.
    """
    return _jsonable(value, 0, iter(range(_MAX_VALUES)))


def _jsonable(value: Any, depth: int, room: Iterator[int]) -> Any:
    """See ``jsonable``; ``room`` yields once for each value that may still be written down."""
    value = _plain(value)
    kind = type(value)
    if next(room, None) is None:
        return {"not JSON": "more values than are written down"}
    if kind is np.ndarray and value.dtype.kind in "biufUO" and value.size <= _MAX_VALUES:
        value = value.tolist()
    if value is None or type(value) is bool:
        return value
    if isinstance(value, str) and encodable(value):
        return value
    if isinstance(value, float) and math.isfinite(value):
        return value
    if type(value) is int and not _is_huge(value):
        return value
    if depth < _MAX_DEPTH and (entries := _entries(value)) is not None:
        return {str(_jsonable(k, depth + 1, room)): _jsonable(v, depth + 1, room) for k, v in entries.items()}
    if depth < _MAX_DEPTH and issubclass(kind, list | tuple):
        items = list.__iter__(value) if issubclass(kind, list) else tuple.__iter__(value)
        return [_jsonable(one, depth + 1, room) for one in items]
    return {"not JSON": utf8(_REPR.repr(value))}


# -- Coordinates -------------------------------------------------------------------------------------------------------

AXES: Mapping[str, int] = {
    **dict.fromkeys(("y", "y0", "y1", "top", "bottom"), 0),
    **dict.fromkeys(("x", "x0", "x1", "left", "right"), 1),
}
"""The arguments of tools that lie along a side of the page: 0 its height, 1 its width."""


def coordinate(space: spaces.Space[Any], fraction: float) -> float:
    """The coordinate at a fraction of the side of the page that its space spans."""
    low, high = _bounds(space)
    if isinstance(space, spaces.Discrete):
        return int(low) + int(min(max(fraction * (high - low + 1), 0), high - low))
    return float(min(max(low + fraction * (high - low), low), high))


def points_at_page(tool: Tool) -> bool:
    """Whether a tool takes x and y of a point of the page, fractions or pixels.

    Coordinates that may be negative do not count: they say where to put something, as DocEdit's do.
    """
    return all(name in tool.arguments and _bounds(tool.arguments[name].space)[0] == 0 for name in ("x", "y"))


def is_fraction(space: spaces.Space[Any] | None) -> bool:
    """Whether a coordinate is a fraction of a side of the page."""
    return isinstance(space, spaces.Box) and _bounds(space) == (0, 1)


def spans_page(space: spaces.Space[Any]) -> bool:
    """Whether a coordinate's least and greatest value are the edges of the page."""
    return isinstance(space, spaces.Discrete) or _bounds(space)[0] == 0
