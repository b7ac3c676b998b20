"""Tasks: a document, a request, and the expected document."""

from __future__ import annotations

import json
from dataclasses import dataclass
from functools import cached_property

from .requests.request import Request, apply_operations
from .scene.changes import Changes, changes
from .scene.document import Document, Page
from .scene.elements import Element


class DocumentText:
    """The text of a document, which reuses the lines of unchanged elements.

    Args:
        document: what is written.
        last: the text of the document before an edit.
    """

    def __init__(self, document: Document, last: DocumentText | None = None) -> None:
        self._lines: dict[str, tuple[Element, str]] = {}
        known = last._lines if last else {}
        for element in document.elements():
            line = known.get(element.id)
            if line is None or line[0] is not element:
                fields = element.model_dump(mode="json", exclude_defaults=True)
                line = element, json.dumps(fields, ensure_ascii=False)
            self._lines[element.id] = line
        about = {"name": document.name, "title": document.title, "kind": document.kind}
        pages = ", ".join(self._page(page) for page in document.pages)
        self.text = f'{json.dumps(about, ensure_ascii=False)[:-1]}, "pages": [{pages}]}}'

    def _page(self, page: Page) -> str:
        about = {"width": page.width, "height": page.height, "background": page.background}
        lines = ",\n".join(self._lines[element.id][1] for element in page.elements)
        return f'{json.dumps(about)[:-1]}, "elements": [\n{lines}]}}'


@dataclass(frozen=True)
class DocumentTask:
    """A request for an edit of a document.

    Attributes:
        task_id: unique in its environment.
        before: the document.
        request: with its gold edit.
    """

    task_id: str
    before: Document
    request: Request

    def prepared(self) -> DocumentTask:
        """The task with all cached values computed, so that caches count their size."""
        _ = self.expected, self.source, self.requested
        return self

    @cached_property
    def expected(self) -> Document:
        """The document after the gold edit."""
        return apply_operations(self.before, self.request.operations, self.request.page)

    @cached_property
    def source(self) -> DocumentText:
        """The document in the form that agents read."""
        return DocumentText(self.before)

    @cached_property
    def requested(self) -> Changes:
        """The changes that the gold edit makes."""
        return changes(self.before, self.expected)
