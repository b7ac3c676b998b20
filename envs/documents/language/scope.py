"""The context of a clause, the draft of its edit, and a check of the draft."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from ...core.tools import ToolError
from ..operations.table import OPERATIONS
from ..scene.changes import ORDER, changes
from ..scene.document import Document
from ..scene.elements import Element
from .element_descriptions import Unresolved, titled_pages
from .referring_expressions import paged
from .resolving import resolve
from .slot_values import Length

Operation = tuple[str, dict[str, Any]]
Find = Callable[[Document, str], list[Element]]
"""The elements that a description matches; raises ``Unresolved`` if none, or too many."""
_PRONOUNS = frozenset(("it", "them", "they", "that", "this", "these", "those", "both of them", "all of them"))
_EMU = {"pt": 12_700, "cm": 360_000, "mm": 36_000, "in": 914_400}


class Refused(ValueError):
    """A request is ambiguous or cannot be carried out; the message gives the reason."""


@dataclass(frozen=True)
class Scope:
    """The context of a clause.

    Attributes:
        before: the document before the request, in which descriptions are resolved.
        now: the document after the clauses before.
        page: if it is named apart from the clause, counted from 0 or from -1 at the end.
        previous: the ids of the elements of the clause before.
        without: a description of exceptions; empty: none.
        emu: English metric units in a pixel; ``None``: the document knows no units but pixels.
        find: the elements that a description matches.
    """

    before: Document
    now: Document
    page: int | None = None
    previous: tuple[str, ...] = ()
    without: str = ""
    emu: float | None = None
    find: Find = resolve

    def elements(self, words: str) -> list[Element]:
        """The elements that a description matches, in their current state.

        Raises:
            Refused: if it matches none, or is ambiguous.
        """
        ids = self.previous if words.lower() in _PRONOUNS else tuple(e.id for e in self._resolved(words))
        found = [element for name in ids if (element := self.now.find(name)) is not None]
        if not found:
            raise Refused(f"it is not clear what {words!r} is")
        return found

    def element(self, words: str) -> Element:
        """The one element that a description matches.

        Raises:
            Refused: if it matches none, or is ambiguous.
        """
        found = self.elements(words)
        if len(found) > 1:
            raise Refused(f"{words!r} is more than one thing")
        return found[0]

    def titled(self, words: str, kind: str) -> Element | None:
        """The one element of a type on the page with this title; ``None`` if not one."""
        title = re.sub(r"\b(?:the|list|table|bullets?|points?|steps?|page|slide|'s)\b", " ", words.lower())
        pages = titled_pages(self.before, title)
        found = [e for e in self.on_scope_page((kind,)) if self.before.places[e.id][0] in pages]
        return found[0] if len(pages) == 1 and len(found) == 1 else None

    def on_scope_page(self, kinds: tuple[str, ...]) -> list[Element]:
        """The elements of some types on the page of the scope, or on any page."""
        number = self.page_number
        return [
            element
            for element in self.before.elements()
            if element.type in kinds and (number is None or self.before.places[element.id][0] == number)
        ]

    @property
    def page_number(self) -> int | None:
        """The page of the scope, counted from 0; ``None``: any.

        Raises:
            Refused: if there is no such page.
        """
        if self.page is None:
            return None
        number = self.page if self.page >= 0 else len(self.before.pages) + self.page
        if not 0 <= number < len(self.before.pages):
            raise Refused(f"there is no page {self.page + 1}; there are {len(self.before.pages)}")
        return number

    def on_page(self, page: int | None) -> Scope:
        """The scope on a page; itself for ``None``."""
        return self if page is None else replace(self, page=page)

    def pixels(self, length: Length, is_type: bool = False) -> float:
        """A length in pixels.

        Args:
            length: of the request.
            is_type: whether it is the size of letters, which decks give in points.

        Raises:
            Refused: if its unit is missing or unknown.
        """
        if length.unit == "px" or (self.emu is None and not length.unit):
            return length.number
        unit = length.unit or ("pt" if is_type else "")
        if self.emu is None or not unit:
            known = "px" if self.emu is None else "px, pt, cm or in"
            formatted = f"{length.number:g} {length.unit}".strip()
            raise Refused(f"{formatted!r} is in no unit that is known here; say {known}")
        return length.number * _EMU[unit] / self.emu

    def _resolved(self, words: str) -> list[Element]:
        words = f"{words} except {self.without}" if self.without else words
        try:
            if self.page is not None and paged(words.lower())[1] is None:
                return self.find(self.before, f"{words} on page {(self.page_number or 0) + 1}")
            return self.find(self.before, words)
        except Unresolved as error:
            raise Refused(str(error)) from None


@dataclass
class Draft:
    """The operations of a clause.

    Attributes:
        document: after them.
        operations: in order, by name and arguments.
        about: the ids of their elements, to which ``it`` refers in the next clause.
        page: that new elements are on, counted from 0; ``None``: there are none.
    """

    document: Document
    operations: list[Operation] = field(default_factory=list)
    about: list[str] = field(default_factory=list)
    page: int | None = None

    @property
    def element_ids(self) -> list[str]:
        """The ids that the operations name."""
        ids = [
            value for _, arguments in self.operations for key, value in arguments.items() if key.startswith("object_id")
        ]
        return list(dict.fromkeys(one for value in ids for one in ([value] if isinstance(value, str) else value)))

    def do(self, name: str, **arguments: Any) -> None:
        """Apply an operation.

        Raises:
            Refused: if that cannot be.
        """
        try:
            self.document = OPERATIONS[name](self.document, **arguments)
        except ToolError as error:
            raise Refused(str(error)) from None
        self.page = arguments.pop("page", self.page)
        self.operations.append((name, arguments))

    def modify(self, element: Element, kind: str, value: Any) -> None:
        """Change an element."""
        self.do("MODIFY", object_id_to_modify=element.id, modification=value, type_of_modification=kind)


Values = Mapping[str, Any]
"""The value of each slot of a phrasing."""
Edit = Callable[[Scope, Values, Draft], None]
"""Adds the operations of a clause to its draft."""


def check(before: Document, draft: Draft) -> None:
    """Check that an edit changes what its operations name, and nothing else.

    Raises:
        Refused: if it has not.
    """
    made = changes(before, draft.document)
    if not made:
        raise Refused("this would change nothing")
    kinds = [OPERATIONS[name] for name in {name for name, _ in draft.operations}]
    about = set(draft.element_ids)
    inside = {child.id for name in about if before.find(name) is not None for child in before.children(name)}
    for name, aspect in made:
        is_new = name not in before.places
        if not is_new and name not in about | inside and aspect != ORDER:
            raise Refused(f"this would also change {name}")
        if is_new and not any(kind.makes_elements for kind in kinds):
            raise Refused(f"this would put in {name}")
        if len(kinds) == 1 and kinds[0].changes and aspect not in kinds[0].changes:
            raise Refused(f"this would change the {aspect} of {name}")
