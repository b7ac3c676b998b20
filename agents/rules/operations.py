"""Operations: what a program does to a document, as calls of the tools that edit element by element."""

from __future__ import annotations

import inspect
import json
from collections.abc import Callable, Mapping
from typing import Any

from ...envs.core.tools import Call
from ...envs.documents.grounding.grounders import RANKINGS, Grounder
from ...envs.documents.operations.table import OPERATIONS
from ...envs.documents.programs.budget import Budget
from ...envs.documents.programs.functions import ProgramContext
from ...envs.documents.programs.program import checked, execute
from ...envs.documents.scene.document import Document
from ...envs.documents.scene.elements import Element

_GROUNDER = Grounder(RANKINGS["ranker"])


class _Noted(ProgramContext):
    """An editing that notes a call of a tool for each operation."""

    def __init__(self, document: Document, page: int, skipped: int) -> None:
        def find(edited: Document, words: str) -> list[Element]:
            return _GROUNDER.find(edited, words)[skipped:]

        super().__init__(document, find, lambda edited, words: _GROUNDER.infer(edited, words, page), page)
        self.noted: list[Call] = []

    def functions(self) -> dict[str, Callable[..., Any]]:
        """What a program may call, by name."""
        return {name: self._noting(name, call) for name, call in super().functions().items()}

    def _noting(self, name: str, call: Callable[..., Any]) -> Callable[..., Any]:
        if name not in OPERATIONS:
            return call
        signature = inspect.signature(call)

        def noting(*given: Any, **named: Any) -> Any:
            made = call(*given, **named)
            arguments = signature.bind(*given, **named).arguments
            self.noted.append(_call(name, arguments))
            return made

        return noting


def calls_of(code: str, document: Document, page: int = 0, skipped: int = 0) -> list[Call]:
    """The calls that do to a document what a program does, in order.

    Args:
        code: the program.
        document: what it edits; it stays as it is.
        page: on which new things are put, counted from 0.
        skipped: how many proposals are passed over of what the words of ``FIND_AND_GET`` may mean.

    Raises:
        ProgramError: if it cannot be run.
    """
    editing = _Noted(document, page, skipped)
    execute(checked(code), editing, Budget())
    return editing.noted


_NAMES = {
    "object_id_to_replace": "object_id",
    "object_id_to_modify": "object_id",
    "new_object_type": "object_type",
    "new_object_content": "object_content",
}
"""The arguments that tools name otherwise than programs do."""


def _call(operation: str, arguments: Mapping[str, Any]) -> Call:
    """The call of a tool for an operation and its arguments."""
    call: Call = {"tool": operation.lower()}
    for name, value in arguments.items():
        if name in ("position", "new_position") and value is not None:
            call |= {"x": value[0], "y": value[1]}
        elif name == "position_diff" and value is not None:
            call |= {"tool": "move_by", "direction": value[0], "pixels": value[1]}
        elif name == "object_ids":
            call |= {name: ", ".join(value)}
        elif name == "modification":
            call |= {name: value if isinstance(value, str) else json.dumps(value)}
        elif name not in ("position", "new_position", "position_diff", "type_of_object_replaced"):
            call |= {_NAMES.get(name, name): value}
    return call
