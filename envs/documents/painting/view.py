"""View: a page of a document as it is seen, patched where an edit changed it."""

from __future__ import annotations

import numpy as np

from ...core.painting import Frame, Image, Rect, Stamp
from ..scene.document import Document
from ..scene.elements import Element
from .layers import background, layers_of, stamp_of


def painted(document: Document, page: int) -> Image:
    """A page of a document, drawn anew: uint8 (height, width, 3); the page counted from 0."""
    shown = document.pages[page]
    buffer = np.empty((shown.height, shown.width, 3), np.uint8)
    Frame(buffer).show(background(shown, page), layers_of(shown.elements))
    return buffer


class PageView:
    """One page of a document that is being edited.

    Attributes:
        background: the empty page: uint8 (height, width, 3), another array when another page is shown.
        layers: what is drawn over it, the lowest first; one list that changes.
    """

    def __init__(self, document: Document, page: int = 0) -> None:
        self.layers: list[Stamp] = []
        self._shown: dict[str, tuple[Element, Stamp]] = {}
        self._dirty: list[Rect] = []
        self._page = -1
        self.show(document, page)

    def show(self, document: Document, page: int) -> None:
        """Show a document as it is now, or another page of it."""
        shown = document.pages[page]
        if page != self._page:
            self._page, self._shown = page, {}
        self.background: Image = background(shown, page)
        before, self._shown = self._shown, {}
        for element in shown.elements:
            if element.type != "group":
                self._shown[element.id] = self._stamp(element, before.get(element.id))
        self._note_order(list(before), list(self._shown))
        self._dirty += [stamp.rect for name, (_, stamp) in before.items() if name not in self._shown]
        self.layers[:] = [stamp for _, stamp in self._shown.values()]

    def take_dirty(self) -> list[Rect]:
        """The rectangles that changed since the last call."""
        dirty, self._dirty = self._dirty, []
        return dirty

    def _stamp(self, element: Element, before: tuple[Element, Stamp] | None) -> tuple[Element, Stamp]:
        """The stamp of an element: the one from before if it is the same object."""
        if before is not None and before[0] is element:
            return before
        stamp = stamp_of(element)
        self._dirty += [stamp.rect] if before is None else [before[1].rect, stamp.rect]
        return element, stamp

    def _note_order(self, before: list[str], after: list[str]) -> None:
        """Note the elements that others have passed in the order."""
        kept = set(before) & set(after)
        old, new = [name for name in before if name in kept], [name for name in after if name in kept]
        if old != new:
            places = {name: i for i, name in enumerate(old)}
            self._dirty += [self._shown[name][1].rect for i, name in enumerate(new) if places[name] != i]
