"""The functions that edit programs call, with Agent-DocEdit's signatures."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from functools import lru_cache, wraps
from typing import Any

from ...core.tools import ToolError
from ..operations.operation import EditOperation, Made, OperationRecord
from ..operations.table import OPERATIONS
from ..operations.values import DIRECTIONS
from ..scene.document import Document, element_of
from ..scene.elements import Element
from .budget import ProgramError
from .values import Record, attributes, record_of_document

Find = Callable[[Document, str], Sequence[Element]]
"""The elements that words may mean, the likeliest first."""
Infer = Callable[[Document, str], tuple[int, int, int, int] | None]
"""The box for a new element that words describe: left, top, width, height; ``None`` if they name no place."""

MAX_OPERATIONS = 200
"""The maximum number of operations of a program."""
MAX_COMPONENT_LENGTH = 300
"""The maximum length of the words of a search."""
CONSTANTS: dict[str, Any] = {name: name for name in DIRECTIONS}
"""Names that programs may use as values."""
# The steps that calls cost, so that a step takes about as long in each.
_EDIT_STEPS, _LETTERS_PER_STEP = 100, 0.5
_MATCHES_PER_STEP = 4


class ProgramContext:
    """A document while a program edits it.

    Args:
        document: as it is before.
        find: what words mean.
        infer: where new things go.
        page: on which new things are put, counted from 0.
        spend: takes the steps of work; ``None``: they are not counted.

    Attributes:
        document: as it is now.
        operations: the operations that were carried out.
        printed: what the program has printed.
    """

    def __init__(
        self,
        document: Document,
        find: Find,
        infer: Infer,
        page: int = 0,
        spend: Callable[[int], None] | None = None,
    ) -> None:
        self.document = document
        self.operations: list[OperationRecord] = []
        self.printed = ""
        self._find, self._infer, self._page = find, infer, page
        self._spend = spend or (lambda steps: None)

    def functions(self) -> dict[str, Callable[..., Any]]:
        """The functions that a program may call, by name; they take elements or ids."""
        found = {name: _with_ids(getattr(self, name.lower())) for name in FINDERS}
        return {name: _with_ids(self._operation(name)) for name in OPERATIONS} | found

    def _operation(self, name: str) -> Callable[..., Any]:
        def call(*given: Any, **named: Any) -> Any:
            return self.apply(name, *given, **named)

        call.__signature__ = OPERATIONS[name].signature  # type: ignore[attr-defined]
        return call

    def record(self) -> Record:
        """The document as a program reads it."""
        return record_of_document(lambda: self.document)

    def apply(self, name: str, *given: Any, **named: Any) -> str | list[str] | None:
        """Apply an operation and return the ids of the new elements.

        Raises:
            ToolError: if it cannot be carried out.
        """
        operation = OPERATIONS[name]
        arguments = operation.signature.bind(*given, **named).arguments
        self._spend_on_operation(operation.typeset(self.document, arguments))
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
        self._spend(_EDIT_STEPS)
        element = element_of(self.document, component_id)
        known = attributes(self.document, element)
        if attr not in known:
            raise ToolError(f"{element.id} has no attribute {attr!r}; there are {', '.join(sorted(known))}.")
        return known[attr]

    def _search_words(self, words: Any) -> str:
        """The words of a search, after the steps for it are spent."""
        text = str(words)
        if len(text) > MAX_COMPONENT_LENGTH:
            raise ToolError(
                f"Something is found by a few words, at most {MAX_COMPONENT_LENGTH} characters, not {len(text):,}."
            )
        self._spend(len(self.document.places) * (len(text.split()) + 2) // _MATCHES_PER_STEP)
        return text

    def _spend_on_operation(self, texts: Sequence[str]) -> None:
        """Spend the steps of an operation that typesets some texts."""
        letters = sum(map(len, texts))
        self._spend(_EDIT_STEPS + len(self.document.places) // _MATCHES_PER_STEP + int(letters / _LETTERS_PER_STEP))

    def _record(self, operation: EditOperation, arguments: Mapping[str, Any], document: Document, made: Made) -> None:
        """Record an operation and continue with its document."""
        if len(self.operations) >= MAX_OPERATIONS:
            raise ProgramError(f"a program may carry out {MAX_OPERATIONS} operations, no more")
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


def _with_ids(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that also takes elements where it takes ids."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return function(*map(_as_id, arguments), **{name: _as_id(value) for name, value in named.items()})

    return call


def _as_id(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_id(one) for one in value]
    return value.name if isinstance(value, Record) else value
