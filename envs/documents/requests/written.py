"""Requests that people wrote, each with a gold program and the constraints that it must meet."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pydantic
from pydantic import RootModel

from ...core.env import MAX_GOAL_LENGTH
from ...core.files import Data, load
from ..scoring.language import Constraint, MayChange


class WrittenRequest(Data):
    """A request to edit a document, as its writer and the reader of its picture left it.

    Attributes:
        text: the request in words.
        page: the page that its writer looked at, counted from 1.
        program: a gold edit.
        constraints: what must hold afterwards.
        may_change: what else may change.
    """

    text: Annotated[str, pydantic.Field(min_length=1, max_length=MAX_GOAL_LENGTH)]
    page: Annotated[int, pydantic.Field(ge=1)] = 1
    program: str
    constraints: Annotated[tuple[Constraint, ...], pydantic.Field(min_length=1)]
    may_change: tuple[MayChange, ...] = ()


class _Requests(RootModel[Annotated[tuple[WrittenRequest, ...], pydantic.Field(min_length=1)]]):
    """The requests for a document."""


def read_requests(path: Path) -> tuple[WrittenRequest, ...]:
    """The requests in a file.

    Raises:
        ValueError: if it is missing or broken; the message names each place.
    """
    return load(_Requests, path).root
