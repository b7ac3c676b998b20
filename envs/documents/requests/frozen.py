"""The requests of the test split, kept in files so that they never change.

``python -m formgym.envs.documents.requests.frozen NAME...`` rewrites them.
"""

from __future__ import annotations

import json
import sys
import zlib
from pathlib import Path
from typing import Annotated

import numpy as np
import pydantic
from pydantic import RootModel

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, atomic_write, load
from ..scene.document import Document, shipped_document, shipped_documents
from ..scoring.constraints import Constraint, MayChange
from .generate import make_request
from .phrasings import Split
from .request import Action, Request

FOLDER = ROOT / "document_requests" / "test"
"""The folder of the requests, a file for each document."""
PLAN: tuple[tuple[Action, str], ...] = (
    ("MODIFY", "single"), ("MOVE", "single"), ("DELETE", "single"), ("ADD", "single"), ("COPY", "single"),
    ("REPLACE", "single"), ("MODIFY", "single"), ("SPLIT", "single"), ("MERGE", "single"), ("MODIFY", "pattern"),
    ("MOVE", "single"), ("MODIFY", "single"), ("DELETE", "pattern"), ("MODIFY", "compound"), ("MOVE", "pattern"),
    ("REPLACE", "single"), ("MODIFY", "pattern"), ("ADD", "compound"), ("MOVE", "single"), ("MODIFY", "single"),
    ("COPY", "compound"), ("MODIFY", "single"), ("MOVE", "compound"), ("MODIFY", "pattern"),
)  # fmt: skip
"""Operation and scope of the requests for each document, as far as it allows them."""


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


class _Requests(RootModel[Annotated[tuple[WrittenRequest | Request, ...], pydantic.Field(min_length=1)]]):
    """The requests for a document, in the order of their numbers."""


def read_requests(path: Path) -> tuple[Request, ...]:
    """The requests in a file, in the order of their numbers; it has the name of the document.

    Raises:
        ValueError: if it is missing or broken; the message names each place.
    """
    requests = load(_Requests, path).root
    return tuple(one.request(path.stem) if isinstance(one, WrittenRequest) else one for one in requests)


@cached
def frozen_requests(name: str) -> tuple[Request, ...]:
    """The test requests for a shipped document, in the order of their numbers.

    Raises:
        ValueError: if the file is missing or broken.
    """
    return read_requests(FOLDER / f"{name}.json")


def planned_request(document: Document, split: Split, number: int, secret: int = 0) -> Request:
    """The request with a number for a document; equal arguments give the same one.

    Args:
        document: what is edited.
        split: whose words are used.
        number: gives operation and scope after ``PLAN``, and everything else at random.
        secret: of a private test split, whose requests are others.
    """
    rng = np.random.default_rng([zlib.crc32(document.name.encode()), number, secret, split == "test"])
    action, scope = PLAN[number % len(PLAN)]
    return make_request(document, split, rng, action, scope)


def write_requests(document: Document) -> Path:
    """Rewrite the test requests for a shipped document and return the file's path."""
    made = [planned_request(document, "test", number).model_dump(mode="json") for number in range(len(PLAN))]
    path = FOLDER / f"{document.name}.json"
    path.parent.mkdir(exist_ok=True)
    atomic_write(path, (json.dumps(made, ensure_ascii=False, indent=1) + "\n").encode())
    frozen_requests.cache_clear()
    return path


if __name__ == "__main__":
    for name in sys.argv[1:] or shipped_documents():
        print(write_requests(shipped_document(name)))
