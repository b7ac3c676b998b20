"""The functions that edit programs call, with the signatures that Agent-DocEdit publishes."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import wraps
from typing import Any

from ...core.tools import ToolError
from ..operations.creating import add, replace
from ..operations.modifying import modify
from ..operations.placing import DIRECTIONS, copy, delete, element_of, move
from ..operations.split_merge import merge, split
from ..scene.document import Document
from ..scene.elements import Element
from .errors import ProgramError
from .records import attributes, record_of_document
from .values import Record

Find = Callable[[Document, str], Sequence[Element]]
"""The elements that words may mean, the likeliest first."""
Infer = Callable[[Document, str], tuple[int, int, int, int] | None]
"""Where something new that words describe should stand: left, top, width, height; ``None`` if they do not tell."""

MAX_OPERATIONS = 200
"""How many operations a program may carry out."""
MAX_COMPONENT_LENGTH = 300
"""How many characters the words may have that something is found by."""
CONSTANTS: dict[str, Any] = {name: name for name in DIRECTIONS}
"""Names that programs may use as values."""
# The steps that calls cost, so that a step takes about as long in each.
_EDIT_STEPS, _LETTERS_PER_STEP = 100, 0.5
_MATCHES_PER_STEP = 4


@dataclass(frozen=True, slots=True)
class OperationRecord:
    """An operation that was carried out.

    Attributes:
        action: its name.
        component: the type of the element that it was about.
        made: the type of what came in its place, of REPLACE.
    """

    action: str
    component: str
    made: str = ""


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
        """What a program may call, by name; elements stand for their ids."""
        return {name: _with_ids(getattr(self, name.lower())) for name in NAMES}

    def record(self) -> Record:
        """The document as a program reads it."""
        return record_of_document(lambda: self.document)

    def move(self, object_id: Any, new_position: Any = None, position_diff: Any = None) -> None:
        """Put an element elsewhere: its left top corner at [x, y], or (UP | DOWN | LEFT | RIGHT, pixels) from there."""
        self._work()
        self._take("MOVE", object_id, move(self.document, object_id, new_position, position_diff))

    def delete(self, object_id: Any) -> None:
        """Take out an element."""
        self._work()
        self._take("DELETE", object_id, delete(self.document, object_id))

    def add(self, object_type: Any, object_description: Any, position: Any = None) -> str:
        """Put in a new element of a type, as described, at [x, y]; its id."""
        self._work(object_description)
        document, name = add(self.document, object_type, object_description, position, self._page)
        self._take("ADD", name, document)
        return name

    def copy(self, object_id: Any, position: Any = None) -> str:
        """Put a copy of an element at [x, y]; its id."""
        self._work()
        document, name = copy(self.document, object_id, position)
        self._take("COPY", name, document)
        return name

    def replace(
        self,
        object_id_to_replace: Any,
        type_of_object_replaced: Any,
        new_object_type: Any,
        new_object_content: Any,
    ) -> str:
        """Put a new element in the place of another; its id."""
        self._work(new_object_content)
        document, name = replace(
            self.document, object_id_to_replace, type_of_object_replaced, new_object_type, new_object_content
        )
        self._take("REPLACE", object_id_to_replace, document, name)
        return name

    def modify(self, object_id_to_modify: Any, modification: Any, type_of_modification: Any) -> None:
        """Change what an element says or how it looks: a new value, and what it is a value of."""
        self._work()
        document = modify(self.document, object_id_to_modify, modification, type_of_modification)
        self._take("MODIFY", object_id_to_modify, document)

    def split(self, object_id: Any, separator: Any = "\n") -> list[str]:
        """Part a text or a list where a separator is; the ids of the parts."""
        self._work(*self._texts([object_id]))
        document, names = split(self.document, object_id, separator)
        self._take("SPLIT", object_id, document)
        return list(names)

    def merge(self, object_ids: Any, separator: Any = "\n") -> str:
        """Join texts or lists into the first of them; its id."""
        self._work(*self._texts(object_ids if isinstance(object_ids, list | tuple) else ()))
        document, name = merge(self.document, object_ids, separator)
        self._take("MERGE", name, document)
        return name

    def find_and_get(
        self, component_to_edit: Any, document: Any = None
    ) -> tuple[str, tuple[int, int], tuple[int, int, int, int]]:
        """The id, [x, y] and [x, y, w, h] of what words mean."""
        found = self._find(self.document, self._sought(component_to_edit))
        if not found:
            raise ToolError(f"Nothing in the document is {component_to_edit!r}.")
        return found[0].id, found[0].bbox[:2], found[0].bbox

    def infer(self, component_to_edit: Any, document: Any = None) -> tuple[tuple[int, int], tuple[int, int, int, int]]:
        """[x, y] and [x, y, w, h] of where something new should stand."""
        box = self._infer(self.document, self._sought(component_to_edit))
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

    def _sought(self, words: Any) -> str:
        """Words that something is found by, once the steps are taken that it costs."""
        text = str(words)
        if len(text) > MAX_COMPONENT_LENGTH:
            raise ToolError(
                f"Something is found by a few words, at most {MAX_COMPONENT_LENGTH} characters, not {len(text):,}."
            )
        self._spend(len(self.document.places) * (len(text.split()) + 2) // _MATCHES_PER_STEP)
        return text

    def _work(self, *texts: Any) -> None:
        """Take the steps that an operation costs, which typesets some texts."""
        letters = sum(len(text) for text in texts if isinstance(text, str))
        self._spend(_EDIT_STEPS + len(self.document.places) // _MATCHES_PER_STEP + int(letters / _LETTERS_PER_STEP))

    def _texts(self, ids: Sequence[Any]) -> list[str]:
        """The texts of the elements of some ids."""
        found = (self.document.find(one) for one in ids if isinstance(one, str))
        return [one.text for one in found if one is not None]

    def _take(self, action: str, about: str, document: Document, made: str = "") -> None:
        """Go on with a document that an operation has made; ``about`` and ``made`` are ids."""
        if len(self.operations) >= MAX_OPERATIONS:
            raise ProgramError(f"a program may carry out {MAX_OPERATIONS} operations, no more")
        element = self.document.find(about) or document.find(about)
        new = document.find(made)
        self.operations.append(OperationRecord(action, element.type if element else "", new.type if new else ""))
        self.document = document


NAMES = (
    "MOVE",
    "DELETE",
    "ADD",
    "COPY",
    "REPLACE",
    "MODIFY",
    "SPLIT",
    "MERGE",
    "FIND_AND_GET",
    "INFER",
    "GET_METADATA",
)
"""The functions by name; each is a method of ``ProgramContext`` in lower case."""


def _with_ids(function: Callable[..., Any]) -> Callable[..., Any]:
    """A function that takes elements where it takes their ids."""

    @wraps(function)
    def call(*arguments: Any, **named: Any) -> Any:
        return function(*map(_as_id, arguments), **{name: _as_id(value) for name, value in named.items()})

    return call


def _as_id(value: Any) -> Any:
    if isinstance(value, list):
        return [_as_id(one) for one in value]
    return value.name if isinstance(value, Record) else value
