"""Write operations as the text of a program, or as calls of tools."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from ...core.tools import Call
from ..operations.table import OPERATIONS

Calls = Iterable[tuple[str, Mapping[str, Any]]]
"""Names of operations, each with arguments by the names of its published signature."""


def operation_calls(operations: Calls) -> list[Call]:
    """A call of a tool for each operation."""
    return [OPERATIONS[name].tool_call(arguments) for name, arguments in operations]


def program_of(operations: Calls, words: Mapping[str, str] | None = None) -> str:
    """A program that carries out operations.

    Args:
        operations: what it carries out.
        words: descriptions by id, with which it finds elements.
    """
    found = dict(words or {})
    names = {element: f"element_{i}" for i, element in enumerate(found, 1)}
    lines = [f"{name} = FIND_AND_GET({found[element]!r}, document)[0]" for element, name in names.items()]
    for operation, arguments in operations:
        arguments_text = ", ".join(f"{name}={_argument_text(name, value, names)}" for name, value in arguments.items())
        lines.append(f"{operation}({arguments_text})")
    return "def main(document):\n" + "".join(f"    {line}\n" for line in lines)


def _argument_text(argument: str, value: Any, names: Mapping[str, str]) -> str:
    if argument == "position_diff":
        return f"({value[0]}, {value[1]})"
    if argument == "object_ids":
        return f"[{', '.join(names.get(one, repr(one)) for one in value)}]"
    return names.get(value, repr(value)) if argument.startswith("object_id") else repr(value)
