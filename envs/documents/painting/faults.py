"""Find faults in a document that its schema allows, such as text beyond its box."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from ..scene.document import Document, Page
from ..scene.elements import Element
from .pictures import is_picture
from .texts import text_height, too_wide

_MIN_ELEMENTS = 7


def faults(document: Document) -> Iterator[str]:
    """The faults of a document, each in a sentence that names the element."""
    for number, page in enumerate(document.pages):
        visible = [element for element in page.elements if element.type != "group"]
        if len(visible) < _MIN_ELEMENTS:
            yield f"page {number + 1} has {len(visible)} elements; there must be {_MIN_ELEMENTS} at least"
        for element in page.elements:
            yield from (f"page {number + 1}, {element.id}: {fault}" for fault in element_faults(element, page))
    names = Counter(element.name for element in document.elements())
    yield from (f"the name {name!r} is used {count} times" for name, count in names.items() if count > 1)


def element_faults(element: Element, page: Page) -> Iterator[str]:
    """The faults of an element of a page."""
    left, top, width, height = element.bbox
    if not element.name:
        yield "has no name"
    if left < 0 or top < 0 or left + width > page.width or top + height > page.height:
        yield f"reaches off the page: {element.bbox} on {page.width} x {page.height}"
    if element.asset is not None and not is_picture(element.asset):
        yield f"there is no picture {element.asset!r}"
    if element.type in ("text", "list") and not element.text.strip():
        yield "has no text"
    yield from (f"its text {words!r} is wider than its room" for words in too_wide(element))
    if element.runs and text_height(element) > height:
        yield f"its text is {text_height(element)} pixels high and its box {height}"
