"""The requests of the test split, kept in files so that they never change."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import pydantic
from pydantic import RootModel

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, load
from ..scoring.constraints import Constraint, MayChange
from .request import Request

FOLDER = ROOT / "document_requests" / "test"
"""The folder of the requests, a file for each document."""


class WrittenRequest(Data):
    """A request that a person wrote, as it is stored.

    Attributes:
        text: the request in words.
        page: the page that its writer looked at, counted from 1.
        program: a gold edit.
        constraints: what must hold afterwards.
        may_change: what else may change.
    """

    text: str
    page: Annotated[int, pydantic.Field(ge=1)] = 1
    program: Annotated[str, pydantic.Field(min_length=1)]
    constraints: tuple[Constraint, ...]
    may_change: tuple[MayChange, ...] = ()

    def request(self, document: str) -> Request:
        """The request for a document of that name."""
        return Request(**{**dict(self), "document": document, "page": self.page - 1})


class _Requests(RootModel[Annotated[tuple[WrittenRequest, ...], pydantic.Field(min_length=1)]]):
    """The requests for a document, in the order of their numbers."""


def read_requests(path: Path) -> tuple[Request, ...]:
    """The requests in a file, in the order of their numbers; it has the name of the document.

    Raises:
        ValueError: if it is missing or broken; the message names each place.
    """
    return tuple(one.request(path.stem) for one in load(_Requests, path).root)


@cached
def frozen_requests(name: str) -> tuple[Request, ...]:
    """The test requests for a shipped document, in the order of their numbers.

    Raises:
        ValueError: if the file is missing or broken.
    """
    return read_requests(FOLDER / f"{name}.json")
