"""A request: words, and the edit that they ask for."""

from __future__ import annotations

from typing import Annotated

import pydantic

from ...core.env import MAX_GOAL_LENGTH
from ...core.files import Data
from ..operations.draft import Operation
from ..operations.table import OPERATIONS
from ..scene.document import Document
from ..scoring.constraints import Constraint


def _known(action: str) -> str:
    if action not in OPERATIONS:
        raise ValueError(f"there is no operation {action!r}; there are {', '.join(OPERATIONS)}")
    return action


Action = Annotated[str, pydantic.AfterValidator(_known)]
"""The name of an operation."""


class Mention(Data):
    """An expression of a request that means elements.

    Attributes:
        words: such as ``the second icon from the left``.
        ids: of the elements that they mean.
        kind: one of ``phrasings.REFERENCES``.
        page: on which they are, counted from 0.
    """

    words: str
    ids: Annotated[tuple[str, ...], pydantic.Field(min_length=1)]
    kind: str
    page: int = 0


class Request(Data):
    """A request to edit a document.

    Attributes:
        document: the name of the document.
        text: the request in words.
        page: the page that is shown first, counted from 0.
        operations: the gold edit.
        mentions: the expressions for elements.
        edits: the kinds of its edits, of ``EDITS``; two if it is compound.
        actions: the operation of each edit.
        components: the types of the elements that each edit is about.
        is_pattern: whether it is about all elements of a kind.
        constraints: what must hold afterwards; hidden from agents.
    """

    document: str
    text: Annotated[str, pydantic.Field(min_length=1, max_length=MAX_GOAL_LENGTH)]
    page: int = 0
    operations: Annotated[tuple[Operation, ...], pydantic.Field(min_length=1)]
    mentions: tuple[Mention, ...] = ()
    edits: Annotated[tuple[str, ...], pydantic.Field(min_length=1, max_length=2)]
    actions: tuple[Action, ...]
    components: tuple[str, ...]
    is_pattern: bool = False
    constraints: Annotated[tuple[Constraint, ...], pydantic.Field(min_length=1)]

    @pydantic.field_validator("operations")
    @classmethod
    def _operations_are_known(cls, operations: tuple[Operation, ...]) -> tuple[Operation, ...]:
        for operation in operations:
            _known(operation.name)
        return operations

    @property
    def is_compound(self) -> bool:
        """Whether it asks for two edits."""
        return len(self.edits) > 1


def apply_operations(document: Document, operations: tuple[Operation, ...], page: int = 0) -> Document:
    """The document after some operations; new elements go onto ``page``, from 0.

    Raises:
        ToolError: if one cannot be carried out.
    """
    for operation in operations:
        known = OPERATIONS[operation.name]
        where = {"page": page} if known.takes_page else {}
        document = known(document, **operation.arguments, **where)
    return document
