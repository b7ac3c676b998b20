"""ADD: new elements from a type and a description (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from ...core.tools import ToolError
from ..painting.texts import text_height
from ..scene.document import Document, Page, fresh_id, inserted, possible_box
from ..scene.elements import KINDS, Element, Run, Style, rect_of
from .draft import EditDraft, EditKind, EditScene, Numbers, Slots, operation, pick, with_article
from .operation import EditOperation, OperationTool
from .placing import CORNERS, beside, in_corner, is_free, quarter, region_beside
from .values import colour_in, is_wide, picture_in, point_of, quoted_in, shape_in

_WORDS = {"icon": "image", "picture": "image", "photo": "image", "textbox": "text", "title": "text", "heading": "text"}
_SIZES = {"image": (160, 160), "shape": (120, 120), "line": (240, 2), "table": (360, 120), "text": (320, 40)}
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
    document: Document, object_type: Any, object_description: Any, position: Any = None, page: int = 0
) -> tuple[Document, str]:
    """Add a new element on top of a page.

    Args:
        document: what is edited.
        object_type: text, image, shape, line, table or list.
        object_description: a text's words, in quotation marks if there is more; a list's items and a table's rows, a
            line each; which shape or picture; colours by name.
        position: ``[x, y]`` of its top left corner, or a box; ``None``: in the middle of the page.
        page: counted from 0.

    Returns:
        The document, and the new element's id.

    Raises:
        ToolError: if there is no such type, or the description lacks something.
    """
    kind = kind_of(object_type)
    element = described(document, kind, str(object_description), document.pages[page])
    try:
        if position is not None:
            size = position[2:] if len(position) == 4 else element.bbox[2:]
            element = Element.model_validate(element.model_dump() | {"bbox": (*point_of(position), *size)})
    except (ValueError, TypeError) as error:
        raise ToolError(f"{position!r} is no position: {_first_line(error)}.") from None
    return inserted(document, page, len(document.pages[page].elements), element), element.id


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
    if name not in KINDS or name == "group":
        raise ToolError(f"{word!r} is no type of element; there are {', '.join(k for k in KINDS if k != 'group')}.")
    return name


def described(document: Document, kind: str, words: str, page: Page) -> Element:
    """An element made from a description, in the middle of its page.

    Raises:
        ToolError: if the description does not say what is needed.
    """
    if not words.strip():
        raise ToolError(f"The description of the {kind} is empty.")
    fields: dict[str, Any] = {"id": fresh_id(document), "type": kind, "style": _style(kind, words)}
    if kind in ("text", "list"):
        fields["runs"] = (Run(text=quoted_in(words) or words),)
    elif kind == "shape":
        fields["shape"] = shape_in(words) or "rectangle"
        fields["runs"] = (Run(text=text),) if (text := quoted_in(words)) else ()
    elif kind == "image":
        fields["asset"] = picture_in(words)
    elif kind == "table":
        fields["cells"] = tuple(tuple(line.split("\t")) for line in words.split("\n"))
    width, height = _SIZES.get(kind, _SIZES["text"])
    fields["bbox"] = ((page.width - width) // 2, (page.height - height) // 2, width, height)
    try:
        element = Element.model_validate(fields)
    except ValidationError as error:
        raise ToolError(f"{words!r} does not describe a {kind}: {_first_line(error)}.") from None
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


def _first_line(error: Exception) -> str:
    if isinstance(error, ValidationError):
        return str(error.errors()[0]["msg"])
    return str(error).splitlines()[0] if str(error) else type(error).__name__


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
    "Add an element of a type, as described, at [x, y]; returns its id.",
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
