"""ADD and REPLACE: new elements from a type and a description (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from pydantic import ValidationError

from ...core.tools import ToolError
from ..painting.pictures import icons
from ..painting.texts import text_height
from ..scene.changes import Comparison
from ..scene.document import Document, Page
from ..scene.edits import fresh_id, inserted, possible_box
from ..scene.elements import KINDS, Box, Element, Run, Style
from .draft import Draft, EditKind, Explains, Numbers, Scene, Slots, change_of, of_one, operation, pick, with_article
from .edits_of_looks import sets_text
from .operation import Couple, EditOperation, OperationTool
from .placing import beside, delete, element_of, is_on, region_beside
from .values import COLOURS, SHAPES, colour_in, picture_in, point_of, quoted_in, shape_in

_WORDS = {"icon": "image", "picture": "image", "photo": "image", "textbox": "text", "title": "text", "heading": "text"}
_SIZES = {"image": (160, 160), "shape": (120, 120), "line": (240, 2), "table": (360, 120), "text": (320, 40)}
_SAME_PLACE = 14.0
"""How many pixels apart the middles of two things in one place may be."""
_MARGIN = 24
"""How far it stays off the edges of the page, in pixels."""
_CORNERS = {
    "top left": (0.0, 0.0),
    "top right": (1.0, 0.0),
    "bottom left": (0.0, 1.0),
    "bottom right": (1.0, 1.0),
    "middle": (0.5, 0.5),
}


def add(
    document: Document, object_type: Any, object_description: Any, position: Any = None, page: int = 0
) -> tuple[Document, str]:
    """Put a new element over everything on a page.

    Args:
        document: what is edited.
        object_type: text, image, shape, line, table or list.
        object_description: a text's words, in quotation marks if there is more; a list's items and a table's rows, a
            line each; which shape or picture; colours by name.
        position: ``[x, y]`` of its left top corner, or a box; ``None``: in the middle of the page.
        page: counted from 0.

    Returns:
        The document, and the new element's id.

    Raises:
        ToolError: if there is no such type, or the description does not say what is needed.
    """
    kind = kind_of(object_type)
    element = _described(document, kind, str(object_description), document.pages[page])
    try:
        if position is not None:
            size = position[2:] if len(position) == 4 else element.bbox[2:]
            element = Element.model_validate(element.model_dump() | {"bbox": (*point_of(position), *size)})
    except (ValueError, TypeError) as error:
        raise ToolError(f"{position!r} is no position: {_first_line(error)}.") from None
    return inserted(document, page, len(document.pages[page].elements), element), element.id


def replace(
    document: Document,
    object_id_to_replace: Any,
    type_of_object_replaced: Any,
    new_object_type: Any,
    new_object_content: Any,
) -> tuple[Document, str]:
    """Put a new element in the box and the place in the order of another, which goes.

    Texts and lists keep the style of what they replace; shapes and lines its colours.

    Returns:
        The document, and the new element's id.

    Raises:
        ToolError: if there is no such element, it is of another type than is given, or the content does not fit.
    """
    old = element_of(document, object_id_to_replace)
    replaced_type = kind_of(type_of_object_replaced)
    if replaced_type != old.type:
        raise ToolError(f"{old.id} is a {old.type}, not a {replaced_type}.")
    page, at = document.places[old.id]
    kind = kind_of(new_object_type)
    new = _described(document, kind, str(new_object_content), document.pages[page])
    kept: dict[str, Any] = {"bbox": old.bbox, "angle": old.angle, "opacity": old.opacity, "parent": old.parent}
    kept |= {"id": old.id, "name": old.name} if kind == old.type else {}
    is_restyled = colour_in(str(new_object_content)) is not None
    if (kind == old.type or {kind, old.type} <= {"text", "list", "shape", "line"}) and not is_restyled:
        kept["style"] = old.style
    smaller = delete(document, old.id)
    element = new.model_copy(update=kept)
    return inserted(smaller, page, min(at, len(smaller.pages[page].elements)), element), element.id


def size_of_new(document: Document, kind: str, description: str) -> tuple[int, int]:
    """Width and height in pixels of what ``add`` makes of a description.

    Raises:
        ToolError: if the description does not say what is needed.
    """
    return _described(document, kind, description, document.pages[0]).bbox[2:]


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


def _described(document: Document, kind: str, words: str, page: Page) -> Element:
    """An element as described, in the middle of its page."""
    if not words.strip():
        raise ToolError(f"The description of the {kind} is empty.")
    fields: dict[str, Any] = {"id": fresh_id(document, kind), "type": kind, "style": _style(kind, words)}
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


def _new_text(scene: Scene, rng: Numbers) -> tuple[str, Slots]:
    text = pick(rng, [text for text in scene.texts if len(text) <= 28])
    return f'"{text}"', {"text": text}


def _new_image(scene: Scene, rng: Numbers) -> tuple[str, Slots]:
    icon = pick(rng, list(icons()))
    return f"icon/{icon}", {"picture": with_article(icon)}


def _new_shape(scene: Scene, rng: Numbers) -> tuple[str, Slots]:
    shape = pick(rng, ["circle" if shape == "ellipse" else shape for shape in SHAPES])
    colour = pick(rng, list(COLOURS))
    return f"{colour} {shape}", {"colour": colour, "shape": shape}


def _addition(
    kind: str, slots: tuple[str, ...], describe: Callable[[Scene, Numbers], tuple[str, Slots]], *types: str
) -> EditKind:
    """The kind of edit that puts in something new, beside something or in a corner of the page.

    Args:
        kind: the type of the new element.
        slots: what a request says of it.
        describe: its description, and what a request says of it.
        types: of the new elements that it explains.
    """

    def make(scene: Scene, rng: Numbers, targets: tuple[Element, ...]) -> Draft | None:
        anchors = [e for e in scene.elements if e.name and e.type != "group"]
        anchor = pick(rng, anchors) if rng.random() < 0.5 and anchors else None
        description, said = describe(scene, rng)
        size = size_of_new(scene.document, kind, description)
        if anchor is None:
            place = pick(rng, list(_CORNERS))
            box = _in_corner(scene, place, size)
            region = _quarter(scene, place)
        else:
            place = pick(rng, ("below", "above"))
            box = beside(place, anchor.bbox, size)
            region = region_beside(place, anchor.bbox, box)
        if not is_on(scene, box):
            return None
        call = operation("ADD", object_type=kind, object_description=description, position=list(box[:2]))
        return Draft(said, (), (call,), anchor=anchor, place=place, region=region)

    explains = change_of("ADD", where=lambda old, new: new.type in types)
    return EditKind((*slots, "place"), (), make, explains)


def _in_corner(scene: Scene, place: str, size: tuple[int, int]) -> Box:
    across, down = _CORNERS[place]
    left = _MARGIN + round((scene.current_page.width - 2 * _MARGIN - size[0]) * across)
    top = _MARGIN + round((scene.current_page.height - 2 * _MARGIN - size[1]) * down)
    return (left, top, *size)


def _quarter(scene: Scene, place: str) -> Box:
    """The part of the page that a corner, or the middle, is."""
    across, down = _CORNERS[place]
    wide, high = scene.current_page.width // 2, scene.current_page.height // 2
    return round(wide * across), round(high * down), wide, high


Content = Callable[[Scene, Numbers, Element], tuple[str, str, Slots]]
"""Type and description of what replaces an element, and what a request says of it."""


def _other_image(scene: Scene, rng: Numbers, target: Element) -> tuple[str, str, Slots]:
    """An icon that is not on the page."""
    used = {element.asset for element in scene.elements}
    icon = pick(rng, [name for name in icons() if f"icon/{name}" not in used])
    return "image", f"icon/{icon}", {"picture": with_article(icon)}


def _other_shape(scene: Scene, rng: Numbers, target: Element) -> tuple[str, str, Slots]:
    shape = pick(rng, [shape for shape in SHAPES if shape != target.shape])
    is_square = abs(target.bbox[2] - target.bbox[3]) <= 0.05 * max(target.bbox[2:])
    word = ("circle" if is_square else "oval") if shape == "ellipse" else str(shape)
    return "shape", word, {"shape": word}


def _other_text(scene: Scene, rng: Numbers, target: Element) -> tuple[str, str, Slots]:
    text = pick(rng, [text for text in scene.texts if len(text) <= 24])
    return "text", f'"{text}"', {"text": text}


def _replacement(
    slot: str,
    types: tuple[str, ...],
    content: Content,
    explains: Explains,
    new_within: Callable[[Element], Box] | None = None,
) -> EditKind:
    """The kind of edit that puts something in the place of something else."""

    def make(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
        if target.type == "shape" and target.runs:
            return None
        kind, description, slots = content(scene, rng, target)
        call = operation(
            "REPLACE", object_id_to_replace=target.id, type_of_object_replaced=target.type,
            new_object_type=kind, new_object_content=description,
        )  # fmt: skip
        return Draft(slots, (target,), (call,))

    return EditKind(("target", slot), types, of_one(make), explains, new_within=new_within)


def _is_image(field: str, old: Element, new: Element) -> bool:
    return field == "asset" or (field == "REPLACE" and new.type == "image")


def _is_shape(field: str, old: Element, new: Element) -> bool:
    return field == "shape" or (field == "REPLACE" and new.type == "shape")


def _is_text(field: str, old: Element, new: Element) -> bool:
    return sets_text(field, old, new) and (field != "text" or new.text != old.text.upper())


def _box(element: Element) -> Box:
    return element.bbox


def _replaced(pair: Comparison) -> Iterator[Couple]:
    """What is no more, and what is new about where it was."""
    added = list(pair.added)
    for old in pair.removed:
        near = [one for one in added if _distance(old, one) <= _SAME_PLACE]
        if near:
            yield old, near[0]
            added.remove(near[0])


def _distance(one: Element, other: Element) -> float:
    (x, y), (a, b) = one.centre, other.centre
    return max(abs(x - a), abs(y - b))


def _new(pair: Comparison) -> Iterator[Couple]:
    yield from ((None, one) for one in pair.new_outermost())


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


def _description(before: Element | None, after: Element | None) -> Iterator[dict[str, Any]]:
    """What ADD takes for a new element: it takes no size, and the style of a new one is its own."""
    if before is None and after is not None and after.type in _DESCRIPTIONS:
        yield {
            "object_type": after.type,
            "object_description": _DESCRIPTIONS[after.type](after) or "-",
            "position": list(after.bbox[:2]),
        }


ADD = EditOperation(
    add,
    "Put in a new element of a type, as described, at [x, y]; its id.",
    (
        'Add the text "Sold out" below the headline.',
        'position, box = INFER("a text below the headline", document)\nADD("text", \'"Sold out"\', position)',
    ),
    (
        OperationTool(
            "add",
            "Put a new text, list, shape, image, line or table on the page that is shown, its left top corner at x, y.",
            ("object_type", "object_description", "position"),
        ),
    ),
    typesets="object_description",
    edits={
        "add_text": _addition("text", ("text",), _new_text, "text", "list"),
        "add_shape": _addition("shape", ("colour", "shape"), _new_shape, "shape"),
        "add_image": _addition("image", ("picture",), _new_image, "image"),
    },
    makes_elements=True,
    between=_description,
    traces=_new,
)
REPLACE = EditOperation(
    replace,
    "Put a new element in the place of another; its id.",
    (
        "Replace the photograph with an icon of a cup.",
        'photograph = FIND_AND_GET("the photograph", document)[0]\nREPLACE(photograph, "image", "image", "icon/cup")',
    ),
    (
        OperationTool(
            "replace",
            "Put something new in the place of an element: a text, list, shape, image, line or table, and what it "
            "shows.",
            ("object_id_to_replace", "type_of_object_replaced", "new_object_type", "new_object_content"),
        ),
    ),
    typesets="new_object_content",
    edits={
        "replace_image": _replacement("picture", ("image",), _other_image, _is_image),
        "replace_shape": _replacement("shape", ("shape",), _other_shape, _is_shape),
        "replace_by_image": _replacement("picture", ("text", "shape"), _other_image, _is_image, _box),
        "replace_by_text": _replacement("text", ("image", "shape"), _other_text, _is_text, _box),
    },
    makes_elements=True,
    traces=_replaced,
)
