"""The functions that edit programs call, with Agent-DocEdit's signatures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, partial
from typing import Any

from ...core.tools import ToolError
from ..operations.operation import EditOperation, Made, OperationRecord
from ..operations.table import OPERATIONS
from ..operations.values import DIRECTIONS
from ..scene.document import Document, element_of
from ..scene.elements import Element
from .reading import RECORD, attributes
from .sandbox import plain_value

Find = Callable[[Document, str], Sequence[Element]]
"""The elements that words may mean, the likeliest first."""
Infer = Callable[[Document, str], tuple[int, int, int, int] | None]
"""The box for a new element that words describe: left, top, width, height; ``None`` if they name no place."""

MAX_OPERATIONS = 200
"""The maximum number of operations of a program."""
MAX_COMPONENT_LENGTH = 300
"""The maximum length of the words of a search."""
MAX_LETTERS = 50_000
"""The maximum number of letters that the operations of a program set."""
MAX_TRIES = 400
"""The maximum number of searches and operations that a program may try."""
CONSTANTS: dict[str, Any] = {name: name for name in DIRECTIONS}
"""Names that programs may use as values."""


class ProgramContext:
    """A document while a program edits it.

    Args:
        document: as it is before.
        find: what words mean.
        infer: where new things go.
        page: on which new things are put, counted from 0.

    Attributes:
        document: as it is now.
        operations: the operations that were carried out.
        printed: what the program has printed.
    """

    def __init__(self, document: Document, find: Find, infer: Infer, page: int = 0) -> None:
        self.document = document
        self.operations: list[OperationRecord] = []
        self.printed = ""
        self._find, self._infer, self._page = find, infer, page
        self._tries = self._letters = 0

    def functions(self, strict: bool = False) -> dict[str, Callable[..., Any]]:
        """The functions that a program may call, by name; they take elements or ids.

        Args:
            strict: whether calls must name every argument of the published signatures, ``document`` among them.
        """
        finders = {name: _checked(name, getattr(self, name.lower()), strict) for name in FINDERS}
        return {name: _checked(name, partial(self.apply, name), strict) for name in OPERATIONS} | finders

    def apply(self, name: str, *given: Any, **named: Any) -> str | list[str] | None:
        """Apply an operation and return the ids of the new elements.

        Raises:
            ToolError: if it cannot be carried out.
        """
        operation = OPERATIONS[name]
        arguments = operation.signature.bind(*given, **named).arguments
        self._try(operation.typeset(self.document, arguments))
        if len(self.operations) >= MAX_OPERATIONS:
            raise ToolError(f"A program may carry out {MAX_OPERATIONS} operations, no more.")
        page = {"page": self._page} if operation.takes_page else {}
        document, made = operation.edit(self.document, **arguments, **page)
        self._record(operation, arguments, document, made)
        return list(made) if isinstance(made, tuple) else made

    def find_and_get(
        self, component_to_edit: Any, document: Any = None
    ) -> tuple[str, tuple[int, int], tuple[int, int, int, int]]:
        """The id, [x, y] and [x, y, w, h] of what words mean."""
        found = self._find(self.document, self._search_words(component_to_edit))
        if not found:
            raise ToolError(f"Nothing in the document is {component_to_edit!r}.")
        return found[0].id, found[0].bbox[:2], found[0].bbox

    def infer(self, component_to_edit: Any, document: Any = None) -> tuple[tuple[int, int], tuple[int, int, int, int]]:
        """[x, y] and [x, y, w, h] of where something new should stand."""
        box = self._infer(self.document, self._search_words(component_to_edit))
        if box is None:
            raise ToolError(f"{component_to_edit!r} does not tell a place.")
        return box[:2], box

    def get_metadata(self, component_id: Any, attr: Any, document: Any = None) -> Any:
        """An attribute of an element: one of its own, of its style, or ``text``, ``page``, ``position``, ``order``."""
        element = element_of(self.document, component_id)
        known = attributes(self.document, element)
        if attr not in known:
            raise ToolError(f"{element.id} has no attribute {attr!r}; there are {', '.join(sorted(known))}.")
        return known[attr]

    def _search_words(self, words: Any) -> str:
        """The words of a search, which is counted."""
        text = str(words)
        if len(text) > MAX_COMPONENT_LENGTH:
            raise ToolError(
                f"Something is found by a few words, at most {MAX_COMPONENT_LENGTH} characters, not {len(text):,}."
            )
        self._try()
        return text

    def _try(self, texts: Sequence[str] = ()) -> None:
        """Count a search or an operation, and the texts that it sets."""
        self._tries += 1
        self._letters += sum(map(len, texts))
        if self._tries > MAX_TRIES or self._letters > MAX_LETTERS:
            raise ToolError(
                f"A program may search and try operations {MAX_TRIES} times and set {MAX_LETTERS:,} letters, no more."
            )

    def _record(self, operation: EditOperation, arguments: Mapping[str, Any], document: Document, made: Made) -> None:
        """Record an operation and continue with its document."""
        first, target = next(iter(arguments.items()))
        new = document.find(made) if isinstance(made, str) else None
        about = self.document.find(target) if first.startswith("object_id") and isinstance(target, str) else new
        made_type = new.type if new else ""
        self.operations.append(OperationRecord(operation.name, about.type if about else "", made_type))
        self.document = document


FINDERS = ("FIND_AND_GET", "INFER", "GET_METADATA")
"""The functions that find and read; each is a method of ``ProgramContext`` in lower case."""
NAMES = (*OPERATIONS, *FINDERS)
"""All functions by name."""


@lru_cache(maxsize=len(NAMES))
def signature_of(name: str) -> inspect.Signature:
    """The published signature of a function."""
    if name in OPERATIONS:
        return OPERATIONS[name].signature
    parameters = list(inspect.signature(getattr(ProgramContext, name.lower())).parameters.values())[1:]
    return inspect.Signature([one.replace(annotation=one.empty) for one in parameters])


def usage() -> str:
    """The functions that programs may call, a line each, with descriptions."""
    known = {name: operation.usage for name, operation in OPERATIONS.items()}
    known |= {name: str(getattr(ProgramContext, name.lower()).__doc__).splitlines()[0] for name in FINDERS}
    return "\n".join(f"{name}{signature_of(name)}: {words}" for name, words in known.items())


def _checked(name: str, function: Callable[..., Any], strict: bool) -> Callable[..., Any]:
    """A function that checks its arguments and raises nothing but a ``ValueError`` that says what is wrong."""
    signature = signature_of(name)

    def call(*arguments: Any, **named: Any) -> Any:
        try:
            values = [plain_value(value, RECORD) for value in arguments]
            bound = signature.bind(*values, **{key: plain_value(value, RECORD) for key, value in named.items()})
        except (TypeError, ValueError) as error:
            raise ValueError(f"{name}{signature}: {error}") from None
        if strict and "document" in signature.parameters and "document" not in bound.arguments:
            raise ValueError(f"{name}{signature}: missing a required argument: 'document'")
        try:
            return function(*bound.args, **bound.kwargs)
        except ToolError as error:
            raise ValueError(str(error)) from None

    return call
