"""Requested edits of what elements say and how they look: of one element, or of all of a kind alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from ..scene.colours import colour_difference
from ..scene.elements import Element, overlap
from .draft import Draft, EditKind, Numbers, Operation, Scene, Slots, of_one, operation, pick
from .traits import is_wide
from .values import COLOURS, FACES

_LETTERED = ("text", "list")
_PAINTED = ("text", "list", "shape", "line")
_DIFFERENT = 25.0
"""How different a new colour is from the old one (CIE76)."""


@dataclass(frozen=True, slots=True)
class Modification:
    """A kind of edit that can be made of several elements at once.

    Attributes:
        types: of the elements.
        draw: what is told of it; ``None`` if it cannot be made of an element.
        carry_out: the call for one element.
        side_effects: the fields that may change besides.
    """

    types: Sequence[str]
    draw: Callable[[Numbers, Element], Slots | None]
    carry_out: Callable[[Element, Slots], Operation]
    side_effects: tuple[str, ...] = ()


def _modify(kind: str, value: Callable[[Element, Slots], object]) -> Callable[[Element, Slots], Operation]:
    return lambda element, slots: operation(
        "MODIFY", object_id_to_modify=element.id, modification=value(element, slots), type_of_modification=kind
    )


def _flag(field: str, wanted: bool) -> Modification:
    """Bold or not, and the like."""

    def draw(rng: Numbers, element: Element) -> Slots | None:
        is_plain = all(getattr(run, field) is None for run in element.runs)
        return {} if is_plain and getattr(element.style, field) is not wanted else None

    return Modification(_LETTERED, draw, _modify(field, lambda element, slots: wanted))


def _colour(field: str | None, kind: str, types: Sequence[str]) -> Modification:
    def draw(rng: Numbers, element: Element) -> Slots | None:
        part = field or {"shape": "fill", "line": "stroke"}.get(element.type, "colour")
        now = getattr(element.style, part)
        if now is None or (kind == "text_color" and not element.text):
            return None
        fitting = [name for name, colour in COLOURS.items() if colour_difference(colour, now) >= _DIFFERENT]
        return {"colour": pick(rng, fitting)}

    return Modification(types, draw, _modify(kind, lambda element, slots: slots["colour"]))


def _size(rng: Numbers, element: Element) -> Slots | None:
    if any(run.size is not None for run in element.runs):
        return None
    size = element.style.size
    return {"size": str(pick(rng, [s for s in (12, 14, 16, 18, 20, 22, 24, 28, 32, 36, 40, 48) if abs(s - size) > 1]))}


def _by(sign: int) -> Modification:
    def draw(rng: Numbers, element: Element) -> Slots | None:
        amount = pick(rng, (2, 3, 4, 5, 6, 8))
        is_plain = all(run.size is None for run in element.runs)
        return {"amount": str(amount)} if is_plain and element.style.size + sign * amount >= 9 else None

    change = _modify("font_size", lambda element, slots: element.style.size + sign * int(slots["amount"]))
    return Modification(_LETTERED, draw, change)


def _turned(element: Element, slots: Slots) -> object:
    return int(slots["degrees"]) * (1 if slots["turn"] == "clockwise" else -1)


def _other(field: str, slot: str, values: Sequence[str], kind: str, types: Sequence[str]) -> Modification:
    """Another one of several values."""

    def draw(rng: Numbers, element: Element) -> Slots | None:
        return {slot: pick(rng, [value for value in values if value != getattr(element.style, field)])}

    return Modification(types, draw, _modify(kind, lambda element, slots: slots[slot]))


def _of_several(edit: str, slots: tuple[str, ...], kind: Modification) -> EditKind:
    """The kind of edit that makes a modification of all elements alike."""

    def make(scene: Scene, rng: Numbers, targets: tuple[Element, ...]) -> Draft | None:
        drawn = [kind.draw(rng, element) if element.type in kind.types else None for element in targets]
        said = drawn[0]
        if said is None or None in drawn:
            return None
        calls = tuple(kind.carry_out(element, said) for element in targets)
        return Draft(edit, said, targets, calls, targets[0].type)

    return EditKind(("target", *slots), kind.types, make, kind.side_effects, of_several=True)


def _text(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    if not target.text or len(target.runs) > 1:
        return None
    text = pick(rng, [text for text in scene.texts if text != target.text])
    call = operation("MODIFY", object_id_to_modify=target.id, modification=text, type_of_modification="text")
    return Draft("text", {"text": text}, (target,), (call,), target.type)


_SERIES: tuple[tuple[str, ...], ...] = (
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("January", "February", "March", "April", "June", "July", "August", "September", "October", "November"),
    ("morning", "afternoon", "evening"),
    ("spring", "summer", "autumn", "winter"),
    ("first", "second", "third", "fourth"),
    ("north", "south", "east", "west"),
    ("small", "large"),
    ("new", "old"),
    ("free", "cheap"),
    ("fresh", "frozen"),
)
_PIECE = re.compile(r"[A-Za-z]{3,}|\d+(?:[.,:]\d+)*")


def _other_word(rng: Numbers, word: str) -> str | None:
    """Another word of its kind: another number, another day."""
    if word[0].isdigit():
        return re.sub(r"\d", lambda digit: str((int(digit[0]) + 1 + int(rng.integers(8))) % 10), word)
    for series in _SERIES:
        if word in series:
            return pick(rng, [other for other in series if other != word])
    return None


def _word_in(rng: Numbers, text: str) -> tuple[str, str] | None:
    """A word that stands once in a text, and another one in its place."""
    words = [word for word in _PIECE.findall(text) if text.count(word) == 1]
    found = [(word, other) for word in words if (other := _other_word(rng, word)) is not None and other != word]
    return pick(rng, found) if found else None


def _word(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    found = _word_in(rng, target.text)
    if found is None:
        return None
    old, new = found
    call = operation("MODIFY", object_id_to_modify=target.id, modification=[old, new], type_of_modification="words")
    return Draft("word", {"old": old, "new": new}, (target,), (call,), target.type)


def _cell(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
    cells = [(r, c, text) for r, row in enumerate(target.cells, 1) for c, text in enumerate(row, 1) if text.strip()]
    texts = [text for _, _, text in cells]
    row, column, old = pick(rng, cells)
    found = _word_in(rng, old)
    if found is None or texts.count(old) > 1 or '"' in old:
        return None
    new = old.replace(*found)
    call = operation(
        "MODIFY", object_id_to_modify=target.id, modification=[row, column, new], type_of_modification="cell"
    )
    return Draft("cell", {"old": old, "new": new}, (target,), (call,), "table")


def _side_length(edit: str) -> Callable[[Scene, Numbers, Element], Draft | None]:
    at = 2 if edit == "width" else 3

    def make(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
        if target.type == "shape" and target.runs:
            return None
        now = target.bbox[at]
        pixels = round(now * pick(rng, (0.5, 0.6, 0.75, 1.2, 1.25, 1.5)) / 5) * 5
        if abs(pixels - now) < 5 or pixels < 10:
            return None
        call = operation("MODIFY", object_id_to_modify=target.id, modification=pixels, type_of_modification=edit)
        return Draft(edit, {"pixels": str(pixels)}, (target,), (call,), target.type)

    return make


def _order(edit: str, value: str) -> Callable[[Scene, Numbers, Element], Draft | None]:
    def make(scene: Scene, rng: Numbers, target: Element) -> Draft | None:
        order = [element.id for element in scene.elements]
        mine = order.index(target.id)
        passed = order[mine + 1 :] if value == "front" else order[:mine]
        covered = [e for e in scene.elements if e.id in passed and e.type != "group" and overlap(e.bbox, target.bbox)]
        # Something that fills the page is a background, behind which nothing is sent.
        if not covered or any(is_wide(e, scene.current_page) for e in (*covered, target)):
            return None
        call = operation("MODIFY", object_id_to_modify=target.id, modification=value, type_of_modification="order")
        return Draft(edit, {}, (target,), (call,), target.type)

    return make


_MODIFICATIONS: dict[str, tuple[tuple[str, ...], Modification]] = {
    "colour": (("colour",), _colour(None, "color", _PAINTED)),
    "text_colour": (("colour",), _colour("colour", "text_color", ("shape",))),
    "font_size": (
        ("size",),
        Modification(_LETTERED, _size, _modify("font_size", lambda element, slots: int(slots["size"]))),
    ),
    "font_larger": (("amount",), _by(1)),
    "font_smaller": (("amount",), _by(-1)),
    "font": (("face",), _other("face", "face", FACES, "font", _LETTERED)),
    "bold": ((), _flag("bold", True)),
    "not_bold": ((), _flag("bold", False)),
    "italic": ((), _flag("italic", True)),
    "not_italic": ((), _flag("italic", False)),
    "underline": ((), _flag("underline", True)),
    "align_text": (("alignment",), _other("align", "alignment", ("left", "center", "right"), "align", _LETTERED)),
    "upper_case": (
        (),
        Modification(
            ("text", "list"),
            lambda rng, element: {} if element.text.upper() != element.text else None,
            _modify("case", lambda element, slots: "upper"),
        ),
    ),
    "opacity": (
        ("percent",),
        Modification(
            ("image", "shape", "text"),
            lambda rng, element: {"percent": str(pick(rng, (20, 30, 40, 50, 60, 70, 80)))},
            _modify("opacity", lambda element, slots: f"{slots['percent']}%"),
        ),
    ),
    "rotate": (
        ("degrees", "turn"),
        Modification(
            ("image", "shape", "text"),
            lambda rng, element: {
                "degrees": str(pick(rng, (5, 10, 15, 20, 30, 45, 90))),
                "turn": pick(rng, ("clockwise", "counterclockwise")),
            },
            _modify("rotate", _turned),
        ),
    ),
    "scale": (
        ("percent",),
        Modification(
            ("image", "shape"),
            lambda rng, element: {"percent": str(pick(rng, (50, 60, 75, 80, 120, 125, 150)))},
            _modify("scale", lambda element, slots: f"{slots['percent']}%"),
            ("position",),
        ),
    ),
}
"""What is said of each modification that can be made of several elements alike, besides its target."""
MODIFY_EDITS: dict[str, EditKind] = {
    "text": of_one(("target", "text"), ("text", "shape"), _text),
    "word": of_one(("target", "old", "new"), ("text", "list", "shape"), _word),
    "cell": of_one(("target", "old", "new"), ("table",), _cell),
    **{edit: _of_several(edit, slots, kind) for edit, (slots, kind) in _MODIFICATIONS.items()},
    "width": of_one(("target", "pixels"), ("image", "shape"), _side_length("width")),
    "height": of_one(("target", "pixels"), ("image", "shape"), _side_length("height")),
    "to_front": of_one(("target",), ("text", "image", "shape", "line"), _order("to_front", "front")),
    "to_back": of_one(("target",), ("text", "image", "shape", "line"), _order("to_back", "back")),
}
"""The kinds of edits that MODIFY makes."""
DELETE_EDITS = {
    "delete": _of_several(
        "delete",
        (),
        Modification(
            (*_PAINTED, "image", "table"),
            lambda rng, element: {},
            lambda element, slots: operation("DELETE", object_id=element.id),
        ),
    ),
}
"""The kind of edit that DELETE makes."""
