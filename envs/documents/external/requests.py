"""Requests for documents: what is asked for, and the operations that do it, a line each."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated, Any

import pydantic

from ...core.files import Data
from ...core.tools import ToolError
from ..operations.table import OPERATIONS
from ..scene.document import Document
from .crello import REQUESTS, crello_documents
from .rows import json_rows, problem
from .tasks import ExternalTask


class Request(Data):
    """A line of ``requests.jsonl``.

    Attributes:
        id: unique in the file.
        document: the id of the design.
        request: what a person asks for.
        calls: operations by name, each with its arguments by name, in the order in which they are carried out.
    """

    id: Annotated[str, pydantic.Field(min_length=1)]
    document: str
    request: Annotated[str, pydantic.Field(min_length=1)]
    calls: Annotated[tuple[tuple[str, dict[str, Any]], ...], pydantic.Field(min_length=1)]


def crello_tasks(folder: Path) -> list[ExternalTask]:
    """The requests in a folder of designs, with what their calls make of them.

    Raises:
        ValueError: if a line is broken, names no design of the folder, or its calls fail or change nothing; the message
            names file and line.
    """
    requests = list(_requests(folder / REQUESTS))
    asked = {request.document for _, request in requests}
    # Data sets are large, requests few.
    documents = dict(crello_documents(folder, asked))
    return [_task(place, request, documents) for place, request in requests]


def apply_operations(document: Document, calls: tuple[tuple[str, dict[str, Any]], ...]) -> Document:
    """The document that calls make of another.

    Raises:
        ValueError: if one cannot be carried out.
    """
    for number, (name, arguments) in enumerate(calls, 1):
        if name not in OPERATIONS:
            raise ValueError(f"call {number}: there is no operation {name!r}; there are {', '.join(OPERATIONS)}")
        try:
            document = OPERATIONS[name](document, **arguments)
        except (ToolError, TypeError, ValueError, IndexError, RecursionError) as error:
            raise ValueError(f"call {number}, {name}: {error}") from None
    return document


def _requests(file: Path) -> Iterator[tuple[str, Request]]:
    ids = set()
    for place, row in json_rows(file):
        try:
            request = Request.model_validate(row)
            if request.id in ids:
                raise ValueError(f"the id {request.id!r} is used twice")
        except ValueError as error:
            raise problem(place, error) from None
        ids.add(request.id)
        yield place, request


def _task(place: str, request: Request, documents: Mapping[str, Document]) -> ExternalTask:
    if request.document not in documents:
        raise ValueError(f"{place}: there is no document {request.document!r} in the folder")
    document = documents[request.document]
    try:
        wanted = apply_operations(document, request.calls)
    except ValueError as error:
        raise problem(place, error) from None
    if wanted.pages == document.pages:
        raise ValueError(f"{place}: the calls change nothing")
    return ExternalTask(f"crello/{request.id}", document, request.request, wanted, place, request.calls)
