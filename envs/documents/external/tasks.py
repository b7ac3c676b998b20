"""What can be played of data sets from elsewhere."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ..scene.document import Document


@dataclass(frozen=True, slots=True)
class ExternalTask:
    """A document, what a person asks for, and the document that is wanted.

    Attributes:
        id: unique among the tasks of one folder.
        document: before.
        request: in words.
        wanted: after; never the same as before.
        origin: where it came from, for people: file and line, or a session's turn.
        calls: operations that make the edit, by name, each with its arguments, if they are told.
    """

    id: str
    document: Document
    request: str
    wanted: Document
    origin: str
    calls: tuple[tuple[str, dict[str, Any]], ...] = ()
