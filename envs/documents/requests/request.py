"""A request: words, and the edit that they ask for."""

from __future__ import annotations

from typing import Annotated

import pydantic

from ...core.env import MAX_GOAL_LENGTH
from ...core.files import Data
from ..operations.draft import Operation
from ..operations.table import OPERATIONS
from ..scene.document import Document
from ..scoring.constraints import Constraint, MayChange


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
        program: a program that makes the gold edit, of a request that people wrote.
        operations: the gold edit of another request.
        mentions: the expressions for elements.
        edits: the kinds of edits that it was made from, of ``EDITS``; two if it is compound.
        is_pattern: whether it is about all elements of a kind.
        constraints: what must hold afterwards; hidden from agents.
        may_change: what else may change.
    """

    document: str
    text: Annotated[str, pydantic.Field(min_length=1, max_length=MAX_GOAL_LENGTH)]
    page: int = 0
    program: str = ""
    operations: tuple[Operation, ...] = ()
    mentions: tuple[Mention, ...] = ()
    edits: Annotated[tuple[str, ...], pydantic.Field(max_length=2)] = ()
    is_pattern: bool = False
    constraints: Annotated[tuple[Constraint, ...], pydantic.Field(min_length=1)]
    may_change: tuple[MayChange, ...] = ()

    @pydantic.model_validator(mode="after")
    def _has_gold(self) -> Request:
        for operation in self.operations:
            _known(operation.name)
        if bool(self.program) == bool(self.operations):
            raise ValueError("a request has either a gold program or gold operations")
        return self

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
        where = {"page": page + 1} if known.takes_page else {}
        document = known(document, **where | operation.arguments)
    return document
