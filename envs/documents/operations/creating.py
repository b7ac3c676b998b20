"""ADD: new elements from a type and a description (Agent-DocEdit)."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from ...core.tools import ToolError
from ..painting.texts import text_height
from ..scene.charts import Chart
from ..scene.document import Document, Page, changed, element_of, fresh_id, inserted, possible_box
from ..scene.elements import KINDS, Element, Run, Style, rect_of
from .charts import chart_data, with_chart_data
from .draft import EditDraft, EditKind, EditScene, Numbers, Slots, operation, pick, with_article
from .modifying import modify
from .operation import EditOperation, OperationTool
from .placing import CORNERS, SINGLE, beside, in_corner, is_free, quarter, region_beside
from .values import colour_in, is_wide, number_of, picture_in, pictures, quoted_in, shape_in

_WORDS = {"icon": "image", "picture": "image", "photo": "image", "textbox": "text", "title": "text", "heading": "text"}
_TYPES = (*SINGLE, "chart")
"""The types of elements that can be added."""
SIZES = {
    "image": (160, 160),
    "shape": (120, 120),
    "line": (240, 2),
    "table": (360, 120),
    "chart": (480, 320),
    "text": (320, 40),
}
"""The width and height of new elements in pixels."""
_ICONS = (
    "bell",
    "calendar",
    "camera",
    "clock",
    "flag",
    "flower",
    "gift",
    "heart",
    "phone",
    "pin",
    "star",
    "sun",
    "tag",
)
"""Icons that suit most documents."""


def add(
    document: Document,
    object_type: Any,
    object_description: Any,
    position: Any = None,
    size: Any = None,
    style: Any = None,
    page: Any = None,
) -> tuple[Document, str]:
    """Add a new element on top of a page.

    Args:
        document: what is edited.
        object_type: text, image, shape, line, table or list.
        object_description: a text's words, in quotation marks if there is more; a list's items and a table's rows, as
            lists or a line each; which shape or picture; colours by name; the data of a chart as JSON (see
            ``with_chart_data``).
        position: ``[x, y]`` of its top left corner, or a box; ``None``: in the middle of the page.
        size: ``[width, height]``; ``None``: see ``SIZES``, texts and lists as high as their text.
        style: values by ``MODIFICATIONS``, such as ``{"size": 30, "align": "center"}``.
        page: its number; ``None`` and 1: the first.

    Returns:
        The document, and the new element's id.

    Raises:
        ToolError: if there is no such type or page, the description lacks something, or a value does not fit.
    """
    at = number_of(page) - 1 if page is not None else 0
    if at not in range(len(document.pages)):
        raise ToolError(f"There is no page {page!r}; the document has {len(document.pages)}, the first is page 1.")
    kind = kind_of(object_type)
    number, new = int(at), described(document, kind, description_of(object_description), document.pages[int(at)])
    document = inserted(document, number, len(document.pages[number].elements), new)
    if size is not None and not (isinstance(size, list | tuple) and len(size) == 2):
        raise ToolError(f"A size is [width, height] in pixels, not {size!r}.")
    if style is not None and not isinstance(style, dict):
        raise ToolError(f'A style is such as {{"size": 30, "colour": "red"}}, not {style!r}.')
    for name, value in (style or {}).items():
        document = modify(document, new.id, value, name)
    box = list(position) if isinstance(position, list | tuple) and len(position) == 4 else None
    for value, name in ((size, "size"), (box, "bbox"), (None if box else position, "position")):
        document = document if value is None else modify(document, new.id, value, name)
    element = element_of(document, new.id)
    if style and kind in ("text", "list") and element.bbox[3] == new.bbox[3]:
        return changed(document, new.id, bbox=(*element.bbox[:3], text_height(element))), new.id
    return document, new.id


def description_of(value: Any) -> str:
    """A description in words: of a list its items, of a list of lists a table's rows, of a dict a chart's JSON."""
    if isinstance(value, dict):
        return json.dumps(value)
    if not isinstance(value, list | tuple):
        return str(value)
    return "\n".join("\t".join(map(str, row)) if isinstance(row, list | tuple) else str(row) for row in value)


def size_of_new(document: Document, kind: str, description: str) -> tuple[int, int]:
    """Width and height in pixels of the element that ``add`` makes.

    Raises:
        ToolError: if the description does not say what is needed.
    """
    return described(document, kind, description, document.pages[0]).bbox[2:]


def kind_of(word: Any) -> str:
    """The type that a word names.

    Raises:
        ToolError: if it names none.
    """
    name = str(word).strip().lower()
    name = _WORDS.get(name, name)
    name = "shape" if name not in KINDS and shape_in(name) else name
    if name not in _TYPES:
        raise ToolError(f"There is no type of element {word!r}; there are {', '.join(_TYPES)}.")
    return name


def described(document: Document, kind: str, words: str, page: Page) -> Element:
    """An element made from a description, in the middle of its page.

    Raises:
        ToolError: if the description does not say what is needed.
    """
    if not words.strip() and kind != "table":
        raise ToolError(f"The description of the {kind} is empty.")
    fields: dict[str, Any] = {"id": fresh_id(document), "type": kind, "style": _style(kind, words)}
    if kind in ("text", "list"):
        fields["runs"] = (Run(text=quoted_in(words) or words),)
    elif kind == "shape":
        fields["shape"] = shape_in(words) or "rectangle"
        fields["runs"] = (Run(text=text),) if (text := quoted_in(words)) else ()
    elif kind == "image":
        fields["asset"] = picture_in(words)
        if fields["asset"] is None:
            raise ToolError(f"No picture is described by {words!r}; there are {pictures()}.")
    elif kind == "table":
        fields["cells"] = tuple(tuple(line.split("\t")) for line in words.split("\n"))
    elif kind == "chart":
        try:
            fields["chart"] = with_chart_data(Chart(kind="column"), words)
        except ValueError as error:
            raise ToolError(f"This is described by {error}.") from None
    width, height = SIZES.get(kind, SIZES["text"])
    fields["bbox"] = ((page.width - width) // 2, (page.height - height) // 2, width, height)
    try:
        element = Element.model_validate(fields)
    except ValidationError as error:
        raise ToolError(f"{words!r} does not describe {with_article(kind)}: {error.errors()[0]['msg']}.") from None
    if kind in ("text", "list"):
        # As high as its text is.
        return element.model_copy(update={"bbox": possible_box(*element.bbox[:3], text_height(element))})
    return element


def _style(kind: str, words: str) -> Style:
    colour = colour_in(words.replace(quoted_in(words) or "\0", ""))
    if kind == "shape":
        return Style(fill=colour or (128, 128, 128), align="center", anchor="middle")
    if kind == "line":
        return Style(stroke=colour or (20, 20, 20), stroke_width=2)
    if kind == "table":
        return Style(stroke=(120, 120, 120), stroke_width=1, size=16)
    return Style(colour=colour) if colour else Style()


def _new_text(scene: EditScene, rng: Numbers) -> tuple[str, Slots]:
    text = pick(rng, [text for text in scene.texts if len(text) <= 28])
    return f'"{text}"', {"text": text}


def _new_image(scene: EditScene, rng: Numbers) -> tuple[str, Slots]:
    icon = pick(rng, [name for name in _ICONS if all(e.asset != f"icon/{name}" for e in scene.elements)])
    return f"icon/{icon}", {"picture": with_article(icon)}


def _new_shape(scene: EditScene, rng: Numbers) -> tuple[str, Slots]:
    shape = pick(rng, ("circle", "star", "arrow", "triangle"))
    colour = pick(rng, ("red", "yellow", "orange", "green", "blue", "pink", "gold", "black"))
    return f"{colour} {shape}", {"colour": colour, "shape": shape}


def _addition(
    kind: str, slots: tuple[str, ...], describe: Callable[[EditScene, Numbers], tuple[str, Slots]]
) -> EditKind:
    """The kind of edit that adds something beside an element or in a corner.

    Args:
        kind: the type of the new element.
        slots: what a request mentions of it.
        describe: its description, and the values of its slots.
    """

    def make(scene: EditScene, rng: Numbers, targets: tuple[Element, ...]) -> EditDraft | None:
        anchors = [e for e in scene.elements if e.type != "group" and not is_wide(e, scene.current_page)]
        anchor = pick(rng, anchors) if rng.random() < 0.5 and anchors else None
        description, values = describe(scene, rng)
        size = size_of_new(scene.document, kind, description)
        if anchor is None:
            place = pick(rng, list(CORNERS))
            box = in_corner(scene, place, size)
            region = quarter(scene, place)
        else:
            place = pick(rng, ("below", "above"))
            box = beside(place, anchor.bbox, size)
            region = region_beside(place, anchor.bbox, box)
        if not is_free(scene, rect_of(box)):
            return None
        call = operation("ADD", object_type=kind, object_description=description, position=list(box[:2]))
        return EditDraft(values, (), (call,), anchor=anchor, place=place, region=region)

    return EditKind((*slots, "place"), (), make)


def _quoted(element: Element) -> str:
    return f'"{element.text}"' if element.text else ""


def _hex(element: Element) -> str:
    return "" if element.style.fill is None else "#{:02x}{:02x}{:02x}".format(*element.style.fill)


_DESCRIPTIONS: dict[str, Callable[[Element], str]] = {
    "text": _quoted,
    "list": lambda element: element.text,
    "shape": lambda element: " ".join(filter(None, (_hex(element), str(element.shape), _quoted(element)))),
    "image": lambda element: str(element.asset),
    "line": lambda element: "line",
    "table": lambda element: element.text,
    "chart": lambda element: json.dumps(chart_data(element.chart)) if element.chart else "",
}
"""The description of an element for ADD, by its type."""


def _add_arguments(before: Element | None, after: Element | None) -> Iterator[dict[str, Any]]:
    """The arguments of ADD for a new element; size and style are left out."""
    if before is None and after is not None and after.type in _DESCRIPTIONS:
        yield {
            "object_type": after.type,
            "object_description": _DESCRIPTIONS[after.type](after) or "-",
            "position": list(after.bbox[:2]),
        }


ADD = EditOperation(
    add,
    "Add a text, list (its items), shape, image, line, table (its rows, lists of texts) or chart, as described; "
    "returns its id. position is [x, y] of its top left corner or a box, size [width, height], style such as "
    "{'size': 30, 'colour': 'red'}, page a number from 1, by default that of the page that is shown. Without a size "
    "images are 160 x 160 px, shapes 120 x 120, lines 240 x 2, "
    "tables 360 x 120, texts and lists 320 wide and as high as their text.",
    (
        'Add the text "Sold out" below the headline.',
        'position, box = INFER("a text below the headline", document)\nADD("text", \'"Sold out"\', position)',
    ),
    (
        OperationTool(
            "add",
            "Add a text, list, shape, image, line or table to the page that is shown, its top left corner at x, y.",
            ("object_type", "object_description", "position"),
        ),
    ),
    typesets="object_description",
    edits={
        "add_text": _addition("text", ("text",), _new_text),
        "add_shape": _addition("shape", ("colour", "shape"), _new_shape),
        "add_image": _addition("image", ("picture",), _new_image),
    },
    between=_add_arguments,
)
