"""Write documents as JSON for agents: whole, or where they are long one page and an outline of the others."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping

from ..core.env import MAX_SOURCE_LENGTH
from .scene.document import Document, Page
from .scene.elements import Element

_WHOLE = MAX_SOURCE_LENGTH // 2
"""The most characters of a document that is written whole: edits may make it longer."""


class DocumentText:
    """The text of a document, which reuses the lines of unchanged elements.

    Args:
        document: what is written.
        last: the text of the document before an edit.

    Attributes:
        is_whole: whether all pages are in the text; else it is different for each page that is shown.
    """

    def __init__(self, document: Document, last: DocumentText | None = None) -> None:
        self._document = document
        self._lines: dict[str, tuple[Element, str]] = {}
        self._texts: dict[int, str] = {}
        known = last._lines if last else {}
        for element in document.elements():
            line = known.get(element.id)
            if line is None or line[0] is not element:
                fields = element.model_dump(mode="json", exclude={"path"}, exclude_defaults=True)
                line = element, json.dumps(fields, ensure_ascii=False)
            self._lines[element.id] = line
        self.is_whole: bool = sum(self._lengths()) <= (MAX_SOURCE_LENGTH if last and last.is_whole else _WHOLE)

    @property
    def longest(self) -> int:
        """The length of the text of the longest page, and of what is written with it."""
        if self.is_whole:
            return len(self.text(0))
        return len(self.text(max(range(len(self._document.pages)), key=list(self._lengths()).__getitem__)))

    def text(self, shown: int) -> str:
        """The text while a page is shown, counted from 0."""
        shown = 0 if self.is_whole else shown
        if shown not in self._texts:
            document = self._document
            about = {"name": document.name, "title": document.title, "kind": document.kind}
            pages = ", ".join(self._page(i, page, shown) for i, page in enumerate(document.pages))
            self._texts[shown] = f'{_dumped(about)[:-1]}, "pages": [{pages}]}}'
        return self._texts[shown]

    def _lengths(self) -> Iterator[int]:
        for page in self._document.pages:
            yield 200 + len(page.notes) + sum(len(self._lines[element.id][1]) + 2 for element in page.elements)

    def _page(self, i: int, page: Page, shown: int) -> str:
        if i != shown and not self.is_whole:
            return _dumped({"page": i + 1, "headline": page.headline, "number_of_elements": len(page.elements)})
        about = {"width": page.width, "height": page.height, "background": page.background}
        about |= {name: value for name in ("backdrop", "notes") if (value := getattr(page, name))}
        lines = ",\n".join(self._lines[element.id][1] for element in page.elements)
        number = {} if self.is_whole else {"page": i + 1}
        return f'{_dumped(number | about)[:-1]}, "elements": [\n{lines}]}}'


def _dumped(fields: Mapping[str, object]) -> str:
    return json.dumps(fields, ensure_ascii=False)
