"""Tasks: a document, a request, and what the document must be afterwards."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from .requests.request import Request, apply_operations
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
        _ = self.expected, self.source, self.requested
        return self

    @cached_property
    def expected(self) -> Document:
        """The document after the gold edit."""
        return apply_operations(self.before, self.request.operations, self.request.page)

    @cached_property
    def source(self) -> Source:
        """The document as agents read it."""
        return Source(self.before)

    @cached_property
    def requested(self) -> Changes:
        """What the gold edit changes."""
        return changes(self.before, self.expected)
