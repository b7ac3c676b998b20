"""Express a request's edit as a program or as tool calls."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field

from ...core.tools import Call
from ..programs.writing import operation_calls, program_of
from ..scene.document import Document
from ..scene.elements import Element
from .element_descriptions import Unresolved
from .grounders import rank_elements
from .request_parser import Reading, read
from .resolving import resolve
from .scope import Refused

_FIRST_WORD = re.compile(r"^(?:The|This|That|Our|My)\b")


@dataclass(frozen=True)
class RequestedEdit:
    """The edit that a request describes.

    Attributes:
        code: a program that finds single elements by their descriptions.
        descriptions: what the program finds.
        page: that must be visible while it runs, counted from 0.
        proposals: its calls of tools, and those for the next elements that the descriptions may mean.
    """

    code: str
    descriptions: tuple[str, ...]
    page: int
    proposals: Iterator[list[Call]]


def requested_edit(request: str, document: Document) -> RequestedEdit:
    """The edit of a document that a request describes.

    Raises:
        Refused: if a word of the request is not understood, or the request is ambiguous.
    """
    mentions = _Mentions()
    reading = read(request, document, find=mentions.find)
    words = mentions.found_by_ranking(reading, document)
    return RequestedEdit(
        program_of(reading.operations, words),
        tuple(words.values()),
        reading.page or 0,
        _proposals(request, document, reading, tuple(words.values())),
    )


@dataclass
class _Mentions:
    """The descriptions that resolve to one element, by its id."""

    words: dict[str, str] = field(default_factory=dict)

    def find(self, document: Document, words: str) -> list[Element]:
        """The elements that a description matches."""
        found = resolve(document, words)
        if len(found) == 1:
            self.words.setdefault(found[0].id, _FIRST_WORD.sub(lambda first: first[0].lower(), words))
        return found

    def found_by_ranking(self, reading: Reading, document: Document) -> dict[str, str]:
        """The descriptions, by id, that lead a ranking grounder to the edited elements."""
        named = {str(value) for _, arguments in reading.operations for value in arguments.values()}
        named |= {one for _, arguments in reading.operations for one in arguments.get("object_ids", ())}
        return {
            name: words
            for name, words in self.words.items()
            if name in named and rank_elements(document, words)[0].element.id == name
        }


def _proposals(request: str, document: Document, reading: Reading, mentions: tuple[str, ...]) -> Iterator[list[Call]]:
    """The calls of an edit, then those for the next elements that words may mean."""
    yield operation_calls(reading.operations)
    for skipped in range(1, len(document.places) if mentions else 0):

        def find(edited: Document, words: str, skipped: int = skipped) -> list[Element]:
            is_mention = words.lower() in map(str.lower, mentions)
            return [rank_elements(edited, words)[skipped].element] if is_mention else resolve(edited, words)

        try:
            yield operation_calls(read(request, document, find=find).operations)
        except (Refused, Unresolved):
            # The next element that the words may mean cannot be edited so; another one may.
            continue
