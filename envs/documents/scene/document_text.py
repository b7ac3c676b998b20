"""Write documents as JSON for agents: whole, or where they are long one page and an outline of the others."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import NamedTuple

from ...core.asset_cache import by_identity
from ...core.env import MAX_SOURCE_LENGTH
from .document import Document, Page
from .elements import Element

_LONGEST = 3 * MAX_SOURCE_LENGTH // 4
"""The most characters of the elements of a page that are written whole."""
_WHOLE = MAX_SOURCE_LENGTH // 2
"""The most characters of a document that is written whole: edits may make it longer."""
_dumped = json.JSONEncoder(ensure_ascii=False).encode


class _PageText(NamedTuple):
    """A page as JSON without its number; ``length``: of its elements and notes."""

    page: Page
    text: str
    length: int


class DocumentText:
    """The text of a document, which reuses the texts of unchanged pages and elements.

    Args:
        document: what is written.
        last: the text of the document before an edit.

    Attributes:
        is_whole: whether all pages are in the text; else the page that is shown, and the others in outline.
    """

    def __init__(self, document: Document, last: DocumentText | None = None) -> None:
        self._document = document
        self._texts: dict[int, str] = {}
        known = {id(one.page): one for one in last._pages} if last else {}
        self._pages: list[_PageText] = [known.get(id(page)) or _written(page) for page in document.pages]
        self.is_whole: bool = sum(self._lengths()) <= (MAX_SOURCE_LENGTH if last and last.is_whole else _WHOLE)

    @property
    def longest(self) -> int:
        """The length of the text of the longest page, and of what is written with it."""
        if self.is_whole:
            return len(self.text(0))
        return len(self.text(max(range(len(self._pages)), key=list(self._lengths()).__getitem__)))

    def text(self, shown: int) -> str:
        """The text while a page is shown, counted from 0."""
        if shown not in self._texts:
            document = self._document
            about: dict[str, object] = {"name": document.name, "title": document.title, "kind": document.kind}
            about |= {"shows_page": shown + 1} if len(self._pages) > 1 else {}
            about |= {"layouts": [one.name for one in document.layouts]} if document.layouts else {}
            pages = ", ".join(self._page(i, page, shown) for i, page in enumerate(self._pages))
            self._texts[shown] = f'{_dumped(about)[:-1]}, "pages": [{pages}]}}'
        return self._texts[shown]

    def _lengths(self) -> Iterator[int]:
        return (200 + page.length for page in self._pages)

    def _page(self, i: int, page: _PageText, shown: int) -> str:
        if self.is_whole:
            return page.text
        if i == shown:
            return f'{{"page": {i + 1}, {page.text[1:]}'
        about = page.page
        return _dumped({"page": i + 1, "headline": about.headline, "number_of_elements": len(about.elements)})


def _written(page: Page) -> _PageText:
    about = {"width": page.width, "height": page.height, "background": page.background}
    about |= {name: value for name in ("backdrop", "notes") if (value := getattr(page, name))}
    lines, is_brief = _lines(page)
    about |= {"is_brief": True} if is_brief else {}
    length = len(page.notes) + len(lines) + 2 * bool(page.elements)
    return _PageText(page, f'{_dumped(about)[:-1]}, "elements": [\n{lines}]}}', length)


def _lines(page: Page) -> tuple[str, bool]:
    """The elements of a page, and whether there are too many to write all of each, or even those in groups."""
    outer = [one for one in page.elements if one.parent is None]
    lines = ""
    for write, elements in ((_line, page.elements), (_brief, page.elements), (_brief, outer)):
        lines = ",\n".join(map(write, elements))
        if len(lines) <= _LONGEST:
            return lines, write is not _line
    return lines, True


def _brief(element: Element) -> str:
    about = {"id": element.id, "type": element.type, "bbox": element.bbox, "text": element.text}
    return _dumped({name: value for name, value in about.items() if value})


@by_identity
def _line(element: Element) -> str:
    """An element as JSON."""
    return _dumped(element.model_dump(mode="json", exclude={"path"}, exclude_defaults=True))


def read_text(source: str) -> tuple[Document, int]:
    """The document in the text of an observation, and the number of the page that is shown, from 0.

    Raises:
        ValueError: if the text is no whole document.
    """
    fields = json.loads(source)
    shown = fields.pop("shows_page", 1)
    return Document.model_validate(fields), shown - 1
