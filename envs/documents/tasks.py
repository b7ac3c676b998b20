"""Tasks: a document, a request, and what the document must be afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache

from ...assets import ROOT
from ..core.asset_cache import cached
from .requests.request import Request, carried_out
from .scene.document import Document, load_document
from .scoring.changes import Changes, changes
from .source import Source

DOCUMENTS = ROOT / "documents"
"""Where the shipped documents lie, a file each."""


@dataclass(frozen=True)
class DocumentTask:
    """A request for an edit of a document.

    Attributes:
        task_id: what it is called.
        before: the document.
        request: what is wanted, with its gold edit.
    """

    task_id: str
    before: Document
    request: Request

    def prepared(self) -> DocumentTask:
        """Itself, with everything computed that it keeps: caches count what is there."""
        _ = self.wanted, self.source, self.asked
        return self

    @cached_property
    def wanted(self) -> Document:
        """The document after the gold edit."""
        return carried_out(self.before, self.request.operations, self.request.page)

    @cached_property
    def source(self) -> Source:
        """The document as agents read it."""
        return Source(self.before)

    @cached_property
    def asked(self) -> Changes:
        """What the gold edit changes."""
        return changes(self.before, self.wanted)


@cached
def shipped_document(name: str) -> Document:
    """A shipped document.

    Raises:
        ValueError: if there is none of that name.
    """
    if name not in shipped_documents():
        raise ValueError(f"no document {name!r}; there are {', '.join(shipped_documents())}")
    return load_document(DOCUMENTS / f"{name}.json")


@lru_cache(maxsize=1)
def shipped_documents() -> tuple[str, ...]:
    """The names of the shipped documents, in order."""
    return tuple(sorted(path.stem for path in DOCUMENTS.glob("*.json")))
