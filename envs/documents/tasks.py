"""Tasks: a document, a request, and what the document must be afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .requests.request import Request, carried_out
from .scene.document import Document
from .scoring.changes import Changes, changes
from .source import Source


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
