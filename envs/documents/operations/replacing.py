"""REPLACE: put new elements in the place of others (Agent-DocEdit)."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ...core.tools import ToolError
from ..painting.pictures import icons
from ..scene.document import Document, element_of, inserted
from ..scene.elements import BBox, Element
from .copying import delete
from .creating import described, description_of, kind_of
from .draft import EditDraft, EditKind, EditScene, Numbers, Slots, of_one, operation, pick, with_article
from .operation import EditOperation, OperationTool
from .placing import is_under
from .values import colour_in

_LETTERED = ("text", "list", "shape", "line")


def replace(
    document: Document,
    object_id_to_replace: Any,
    type_of_object_replaced: Any,
    new_object_type: Any,
    new_object_content: Any,
) -> tuple[Document, str]:
    """Replace an element by a new one with its box and z-order.

    Texts and lists keep the style of the element before; shapes and lines keep its colours. A picture in place of
    a text or a shape is a square in the middle of its box.

    Returns:
        The document, and the new element's id.

    Raises:
        ToolError: if there is no such element, it is of another type than the given one, or the content does not fit.
    """
    old = element_of(document, object_id_to_replace)
    replaced_type = old.type if type_of_object_replaced == old.type else kind_of(type_of_object_replaced)
    if replaced_type != old.type:
        raise ToolError(f"{old.id} is {with_article(old.type)}, not {with_article(replaced_type)}.")
    page, at = document.places[old.id]
    kind = kind_of(new_object_type)
    content = description_of(new_object_content)
    new = described(document, kind, content, document.pages[page])
    box = _square_in(old.bbox) if kind == "image" and old.type in _LETTERED else old.bbox
    kept: dict[str, Any] = {"bbox": box, "angle": old.angle, "opacity": old.opacity, "parent": old.parent}
    kept |= {"id": old.id, "name": old.name} if kind == old.type else {}
    is_restyled = colour_in(content) is not None
    if (kind == old.type or {kind, old.type} <= {"text", "list", "shape", "line"}) and not is_restyled:
        kept["style"] = old.style
    smaller = delete(document, old.id)
    element = new.model_copy(update=kept)
    return inserted(smaller, page, min(at, len(smaller.pages[page].elements)), element), element.id


_PLAIN = ("rectangle", "ellipse", "triangle", "diamond", "star", "hexagon")


def _square_in(box: BBox) -> BBox:
    left, top, width, height = box
    side = min(width, height)
    return left + (width - side) // 2, top + (height - side) // 2, side, side


Content = Callable[[EditScene, Numbers, Element], tuple[str, str, Slots]]
"""Type and description of a replacement, and the values that a request mentions."""


def _other_image(scene: EditScene, rng: Numbers, target: Element) -> tuple[str, str, Slots]:
    """An icon that is not on the page."""
    used = {element.asset for element in scene.elements}
    icon = pick(rng, [name for name in icons() if f"icon/{name}" not in used])
    return "image", f"icon/{icon}", {"picture": with_article(icon)}


def _other_shape(scene: EditScene, rng: Numbers, target: Element) -> tuple[str, str, Slots]:
    shape = pick(rng, [shape for shape in _PLAIN if shape != target.shape])
    is_square = abs(target.bbox[2] - target.bbox[3]) <= 0.05 * max(target.bbox[2:])
    word = ("circle" if is_square else "oval") if shape == "ellipse" else str(shape)
    return "shape", word, {"shape": word}


def _replacement(slot: str, types: tuple[str, ...], content: Content) -> EditKind:
    """The kind of edit that replaces one element by another."""

    def make(scene: EditScene, rng: Numbers, target: Element) -> EditDraft | None:
        if target.type == "shape" and (target.runs or is_under(scene, target)):
            return None
        kind, description, slots = content(scene, rng, target)
        call = operation(
            "REPLACE", object_id_to_replace=target.id, type_of_object_replaced=target.type,
            new_object_type=kind, new_object_content=description,
        )  # fmt: skip
        return EditDraft(slots, (target,), (call,))

    return EditKind(("target", slot), types, of_one(make))


REPLACE = EditOperation(
    replace,
    "Replace an element by a new one in its box and style; returns its id. The content is as the description of ADD.",
    (
        "Replace the photograph with an icon of a cup.",
        'photograph = FIND_AND_GET("the photograph", document)[0]\nREPLACE(photograph, "image", "image", "icon/cup")',
    ),
    (
        OperationTool(
            "replace",
            "Replace an element by a new text, list, shape, image, line or table with the given content.",
            ("object_id_to_replace", "type_of_object_replaced", "new_object_type", "new_object_content"),
        ),
    ),
    typesets="new_object_content",
    edits={
        "replace_image": _replacement("picture", ("image",), _other_image),
        "replace_shape": _replacement("shape", ("shape",), _other_shape),
    },
)
