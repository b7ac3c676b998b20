"""Operations: what a program would do to a document, call by call."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

from ...envs.documents.grounding.grounders import RANKINGS, Grounder
from ...envs.documents.operations.table import OPERATIONS
from ...envs.documents.programs.functions import CONSTANTS, Editing
from ...envs.documents.programs.interpreter import Interpreter
from ...envs.documents.programs.program import checked
from ...envs.documents.requests.request import Operation
from ...envs.documents.scene.document import Document
from ...envs.documents.scene.elements import Element

_GROUNDER = Grounder(RANKINGS["ranker"])


class _Noted(Editing):
    """An editing that notes the operations with their arguments."""

    def __init__(self, document: Document, page: int, skipped: int) -> None:
        def find(edited: Document, words: str) -> list[Element]:
            return _GROUNDER.find(edited, words)[skipped:]

        super().__init__(document, find, lambda edited, words: _GROUNDER.infer(edited, words, page), page)
        self.noted: list[Operation] = []

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
            self.noted.append(Operation.model_validate({"name": name, "arguments": dict(arguments)}))
            return made

        return noting


def operations_of(code: str, document: Document, page: int = 0, skipped: int = 0) -> list[Operation]:
    """The operations that a program carries out on a document, in order.

    Args:
        code: the program.
        document: what it edits; it stays as it is.
        page: on which new things are put, counted from 0.
        skipped: how many proposals are passed over of what the words of ``FIND_AND_GET`` may mean.

    Raises:
        ProgramError: if it cannot be run.
    """
    main = checked(code)
    editing = _Noted(document, page, skipped)
    arguments = {argument.arg: CONSTANTS["document"] for argument in main.args.args}
    constants = {name: value for name, value in CONSTANTS.items() if name not in arguments}
    Interpreter(editing.functions(), constants).run(main, arguments)
    return editing.noted
