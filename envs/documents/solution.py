"""The gold edit as calls of tools."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from ..core.tools import Call
from .requests.request import Operation


def operation_calls(operations: Iterable[Operation]) -> list[Call]:
    """A call of a tool for each operation."""
    return [_call(operation) for operation in operations]


def _call(operation: Operation) -> Call:
    told = dict(operation.arguments)
    if operation.name == "MOVE" and "position_diff" in told:
        direction, pixels = told["position_diff"]
        return {"tool": "move_by", "object_id": told["object_id"], "direction": direction, "pixels": pixels}
    call: Call = {"tool": operation.name.lower()}
    for name, value in told.items():
        call |= _argument(name, value)
    return call


def _argument(name: str, value: Any) -> dict[str, Any]:
    """An argument of the published signature as those of a tool."""
    if name in ("new_position", "position"):
        return {"x": value[0], "y": value[1]}
    if name.startswith("object_id_to_"):
        return {"object_id": value}
    if name == "object_ids":
        return {"object_ids": ", ".join(value)}
    if name == "modification":
        return {name: value if isinstance(value, str) else json.dumps(value)}
    if name in ("new_object_type", "new_object_content"):
        return {name.replace("new_", ""): value}
    return {} if name == "type_of_object_replaced" else {name: value}
