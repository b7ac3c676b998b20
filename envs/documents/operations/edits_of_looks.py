"""The kinds of edits that MODIFY makes: of one element, or of all of a kind alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence

from ..scene.colours import colour_difference
from ..scene.elements import Element, overlap
from .draft import EditDraft, EditKind, EditScene, Numbers, Slots, operation, pick
from .values import COLOURS, FACES, is_wide

Draw = Callable[[EditScene, Numbers, Element], Slots | None]
"""The values that a request mentions for an edit of an element; ``None`` if it cannot be made."""
Value = Callable[[Element, Slots], object]
"""The new value, from the values in the request."""

_LETTERED = ("text", "list")
_PAINTED = ("text", "list", "shape", "line")
_TURNED = ("image", "shape", "text")
_SIZES = (12, 14, 16, 18, 20, 22, 24, 28, 32, 36, 40, 48)
_DIFFERENT = 25.0
"""The minimum difference of a new colour from the old one (CIE76)."""


def _modify(
    slots: tuple[str, ...],
    types: Sequence[str],
    draw: Draw,
    kind: str | None,
    value: Value,
    side_effects: tuple[str, ...] = (),
    of_several: bool = True,
) -> EditKind:
    """The kind of edit that makes one type of modification of each element; ``None``: that of its colour.

    The values drawn for the first element hold for all.
    """

    def make(scene: EditScene, rng: Numbers, targets: tuple[Element, ...]) -> EditDraft | None:
        targets = targets if of_several else targets[:1]
        drawn = [draw(scene, rng, element) for element in targets]
        first = drawn[0]
        if first is None or None in drawn:
            return None
        calls = (
            operation(
                "MODIFY",
                object_id_to_modify=element.id,
                modification=value(element, first),
                type_of_modification=kind or _part(element),
            )
            for element in targets
        )
        return EditDraft(first, targets, tuple(calls))

    return EditKind(("target", *slots), types, make, side_effects, of_several)


def _slot(name: str) -> Value:
    return lambda element, slots: slots[name]


def _flag(field: str, value: bool) -> EditKind:
    """The kind of edit that sets or clears a flag such as bold."""

    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        is_plain = all(getattr(run, field) is None for run in element.runs)
        return {} if is_plain and getattr(element.style, field) is not value else None

    return _modify((), _LETTERED, draw, field, lambda element, slots: value)


def _part(element: Element) -> str:
    """The field with the colour of an element."""
    return {"shape": "fill", "line": "stroke"}.get(element.type, "colour")


def _colour(field: str | None, types: Sequence[str]) -> EditKind:
    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        now = getattr(element.style, field or _part(element))
        if now is None or (field and not element.text):
            return None
        fitting = [name for name, colour in COLOURS.items() if colour_difference(colour, now) >= _DIFFERENT]
        return {"colour": pick(rng, fitting)}

    return _modify(("colour",), types, draw, field, _slot("colour"))


def _size(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    if any(run.size is not None for run in element.runs):
        return None
    return {"size": str(pick(rng, [size for size in _SIZES if abs(size - element.style.size) > 1]))}


def _size_by(sign: int) -> EditKind:
    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        amount = pick(rng, (2, 3, 4, 5, 6, 8))
        is_plain = all(run.size is None for run in element.runs)
        return {"amount": str(amount)} if is_plain and element.style.size + sign * amount >= 9 else None

    def value(element: Element, slots: Slots) -> object:
        return element.style.size + sign * int(slots["amount"])

    return _modify(("amount",), _LETTERED, draw, "size", value)


def _other(field: str, slot: str, values: Sequence[str], kind: str) -> EditKind:
    """The kind of edit that sets another one of several values."""

    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        return {slot: pick(rng, [value for value in values if value != getattr(element.style, field)])}

    return _modify((slot,), _LETTERED, draw, kind, _slot(slot))


def _percent(percents: Sequence[int]) -> Draw:
    return lambda scene, rng, element: {"percent": str(pick(rng, percents))}


def _with_sign(element: Element, slots: Slots) -> object:
    return f"{slots['percent']}%"


def _turn(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    degrees = str(pick(rng, (5, 10, 15, 20, 30, 45, 90)))
    return {"degrees": degrees, "turn": pick(rng, ("clockwise", "counterclockwise"))}


def _turned(element: Element, slots: Slots) -> object:
    return int(slots["degrees"]) * (1 if slots["turn"] == "clockwise" else -1)


def _new_text(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    if not element.text or len(element.runs) > 1:
        return None
    return {"text": pick(rng, [text for text in scene.texts if text != element.text])}


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
    """Another word of the same kind, such as another number or day."""
    if word[0].isdigit():
        return re.sub(r"\d", lambda digit: str((int(digit[0]) + 1 + int(rng.integers(8))) % 10), word)
    for series in _SERIES:
        if word in series:
            return pick(rng, [other for other in series if other != word])
    return None


def _word_in(rng: Numbers, text: str) -> tuple[str, str] | None:
    """A word that occurs once in a text, and a word to replace it."""
    words = [word for word in _PIECE.findall(text) if text.count(word) == 1]
    found = [(word, other) for word in words if (other := _other_word(rng, word)) is not None and other != word]
    return pick(rng, found) if found else None


def _word(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    found = _word_in(rng, element.text)
    return {"old": found[0], "new": found[1]} if found else None


def _cell(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    texts = [text for row in element.cells for text in row if text.strip()]
    old = pick(rng, texts)
    found = _word_in(rng, old)
    if found is None or texts.count(old) > 1 or '"' in old:
        return None
    return {"old": old, "new": old.replace(*found)}


def _new_cell(element: Element, slots: Slots) -> object:
    row = next(row for row in element.cells if slots["old"] in row)
    return [element.cells.index(row) + 1, row.index(slots["old"]) + 1, slots["new"]]


def _side_length(kind: str) -> EditKind:
    side = 2 if kind == "width" else 3

    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        if element.type == "shape" and element.runs:
            return None
        now = element.bbox[side]
        pixels = round(now * pick(rng, (0.5, 0.6, 0.75, 1.2, 1.25, 1.5)) / 5) * 5
        return {"pixels": str(pixels)} if abs(pixels - now) >= 5 and pixels >= 10 else None

    return _modify(
        ("pixels",), ("image", "shape"), draw, kind, lambda element, slots: int(slots["pixels"]), of_several=False
    )


def _order(value: str) -> EditKind:
    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        order = [one.id for one in scene.elements]
        at = order.index(element.id)
        passed = order[at + 1 :] if value == "front" else order[:at]
        covered = [e for e in scene.elements if e.id in passed and e.type != "group" and overlap(e.bbox, element.bbox)]
        # Something that fills the page is a background, behind which nothing is sent.
        is_possible = covered and not any(is_wide(e, scene.current_page) for e in (*covered, element))
        return {} if is_possible else None

    types = ("text", "image", "shape", "line")
    return _modify((), types, draw, "order", lambda element, slots: value, of_several=False)


MODIFY_EDITS: dict[str, EditKind] = {
    "text": _modify(("text",), ("text", "shape"), _new_text, "text", _slot("text"), of_several=False),
    "word": _modify(
        ("old", "new"),
        ("text", "list", "shape"),
        _word,
        "words",
        lambda element, slots: [slots["old"], slots["new"]],
        of_several=False,
    ),
    "cell": _modify(("old", "new"), ("table",), _cell, "cell", _new_cell, of_several=False),
    "colour": _colour(None, _PAINTED),
    "text_colour": _colour("colour", ("shape",)),
    "font_size": _modify(("size",), _LETTERED, _size, "size", lambda element, slots: int(slots["size"])),
    "font_larger": _size_by(1),
    "font_smaller": _size_by(-1),
    "font": _other("face", "face", FACES, "face"),
    "bold": _flag("bold", True),
    "not_bold": _flag("bold", False),
    "italic": _flag("italic", True),
    "not_italic": _flag("italic", False),
    "underline": _flag("underline", True),
    "align_text": _other("align", "alignment", ("left", "center", "right"), "align"),
    "upper_case": _modify(
        (),
        _LETTERED,
        lambda scene, rng, element: {} if element.text.upper() != element.text else None,
        "case",
        lambda element, slots: "upper",
    ),
    "opacity": _modify(("percent",), _TURNED, _percent((20, 30, 40, 50, 60, 70, 80)), "opacity", _with_sign),
    "rotate": _modify(("degrees", "turn"), _TURNED, _turn, "rotate", _turned),
    "scale": _modify(
        ("percent",),
        ("image", "shape"),
        _percent((50, 60, 75, 80, 120, 125, 150)),
        "scale",
        _with_sign,
        side_effects=("position",),
    ),
    "width": _side_length("width"),
    "height": _side_length("height"),
    "to_front": _order("front"),
    "to_back": _order("back"),
}
"""The kinds of edits that MODIFY makes."""
