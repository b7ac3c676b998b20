"""The operations that lead from one document to another, where operations can."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from ..operations.draft import Operation
from ..requests.request import Action, apply_operations
from ..scene.document import Document
from ..scene.elements import Element
from ..scoring.changes import fields_of

_MODIFICATIONS: dict[str, str] = {
    "text": "text",
    "cells": "text",
    "position": "position",
    "size": "resize",
    "angle": "angle",
    "opacity": "opacity",
    "asset": "picture",
    "shape": "shape",
    "style.face": "font",
    "style.size": "font_size",
    "style.bold": "bold",
    "style.italic": "italic",
    "style.underline": "underline",
    "style.colour": "text_color",
    "style.align": "align",
    "style.anchor": "anchor",
    "style.line_height": "line_height",
    "style.fill": "fill",
    "style.stroke": "stroke",
    "style.stroke_width": "stroke_width",
    "style.radius": "radius",
}
"""The type of modification that sets each field."""


def _hex(element: Element) -> str:
    return "" if element.style.fill is None else "#{:02x}{:02x}{:02x}".format(*element.style.fill)


def _quoted(element: Element) -> str:
    return f'"{element.text}"' if element.text else ""


_DESCRIBED: dict[str, Callable[[Element], str]] = {
    "text": _quoted,
    "list": lambda element: element.text,
    "shape": lambda element: " ".join(filter(None, (_hex(element), str(element.shape), _quoted(element)))),
    "image": lambda element: str(element.asset),
    "line": lambda element: "line",
    "table": lambda element: element.text,
}
"""How the description in an ADD names what an element shows."""


def operations_between(before: Document, expected: Document) -> tuple[Operation, ...]:
    """Operations that change what differs; what none can change stays as it is.

    New elements are added and not modified: what they show and where they are is what is asked for.
    """
    return tuple(_operations(before, expected))


def completed(document: Document, operations: Iterable[Operation]) -> tuple[Operation, ...]:
    """The same operations with every argument that may be left open filled in: places as they came out, separators.

    Raises:
        ToolError: if one cannot be carried out.
    """
    done = []
    for operation in operations:
        after = apply_operations(document, (operation,))
        new = [element for element in after.elements() if element.id not in document.places]
        arguments = dict(operation.arguments)
        if operation.name in ("ADD", "COPY") and arguments.get("position") is None:
            arguments["position"] = list(new[0].bbox[:2])
        if operation.name in ("SPLIT", "MERGE"):
            arguments.setdefault("separator", "\n")
        done.append(Operation(name=operation.name, arguments=arguments))
        document = after
    return tuple(done)


def _operations(before: Document, expected: Document) -> Iterator[Operation]:
    for element in before.elements():
        after = expected.find(element.id)
        if after is None:
            yield _operation("DELETE", object_id=element.id)
        elif after != element:
            yield from _modified(element, after)
    for element in expected.elements():
        if element.id not in before.places and element.type in _DESCRIBED:
            yield _operation(
                "ADD",
                object_type=element.type,
                object_description=_DESCRIBED[element.type](element) or "-",
                # The tool that adds takes no size, and requests name none.
                position=list(element.bbox[:2]),
            )


def _modified(before: Element, after: Element) -> Iterator[Operation]:
    old, new = fields_of(before), fields_of(after)
    changed = [field for field in old if old[field] != new[field] and field in _MODIFICATIONS]
    if "position" in changed and "size" not in changed:
        changed.remove("position")
        yield _operation("MOVE", object_id=before.id, new_position=list(after.bbox[:2]))
    for field in changed:
        value = after.text if field == "cells" else _plain(new[field])
        yield _operation(
            "MODIFY",
            object_id_to_modify=before.id,
            modification="none" if value is None else value,
            type_of_modification=_MODIFICATIONS[field],
        )


def _operation(name: Action, **arguments: Any) -> Operation:
    return Operation(name=name, arguments=arguments)


def _plain(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
