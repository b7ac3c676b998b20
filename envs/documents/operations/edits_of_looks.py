"""The kinds of edits that MODIFY makes: of one element, or of all of a kind alike."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType

from ..scene.colours import colour_difference
from ..scene.elements import Element, overlap
from .draft import EditDraft, EditKind, EditScene, Numbers, Slots, operation, pick
from .placing import ink_rect, is_under
from .values import COLOURS, is_title, is_wide

Draw = Callable[[EditScene, Numbers, Element], Slots | None]
"""The values that a request mentions for an edit of an element; ``None`` if it cannot be made."""
Value = Callable[[Element, Slots], object]
"""The new value, from the values in the request."""

_LETTERED = ("text", "list")
_PAINTED = ("text", "list", "shape", "line")
_TURNED = ("image", "shape", "text")
_MIN_SIZE, _MAX_SIZE = 9, 200
"""The smallest and largest letters that an edit makes, in pixels."""
_MAX_NOTICE = 60
"""The maximum length of a text that another one takes the place of."""
_FACES = {"serif": "Noto Serif", "typewriter": "Source Code Pro"}
"""Typefaces by what people call them, where only one is called so."""
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
    ranges: Mapping[str, tuple[float, float]] = MappingProxyType({}),
    is_named: bool = True,
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
        return EditDraft(first, targets, tuple(calls), ranges=ranges)

    return EditKind((*["target"] * is_named, *slots), types, make, side_effects, of_several)


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


def _size_by(factor: float, low: float, high: float) -> EditKind:
    """The kind of edit that makes letters larger or smaller, by no amount in particular."""

    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        is_plain = all(run.size is None for run in element.runs)
        return {} if is_plain and _MIN_SIZE <= round(element.style.size * factor) <= _MAX_SIZE else None

    def value(element: Element, slots: Slots) -> object:
        return round(element.style.size * factor)

    return _modify((), _LETTERED, draw, "size", value, ranges={"size": (low, high)})


def _scale_by(percent: int, low: float, high: float) -> EditKind:
    """The kind of edit that makes a picture or shape larger or smaller, by no amount in particular."""

    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        is_bare = element.type == "image" or not (element.runs or is_under(scene, element))
        return {} if is_bare and not is_wide(element, scene.current_page) else None

    ranges = dict.fromkeys(("width", "height"), (low, high))
    return _modify(
        (), ("image", "shape"), draw, "scale", lambda element, slots: f"{percent}%",
        side_effects=("position",), ranges=ranges,
    )  # fmt: skip


def _alignment(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    left, _, right, _ = ink_rect(element)
    if right - left > 0.9 * element.bbox[2] and "\n" not in element.text:
        return None
    return {"alignment": pick(rng, [value for value in ("left", "center", "right") if value != element.style.align])}


def _font(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    now = element.style.face
    found = [word for word, face in _FACES.items() if face != now]
    return {"face": pick(rng, found)}


def _half_clear(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    is_solid = element.opacity > 0.9 and not is_wide(element, scene.current_page)
    return {} if is_solid and not (element.type == "shape" and is_under(scene, element)) else None


def _turn(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    is_round = element.shape == "ellipse" or (element.type == "shape" and is_under(scene, element))
    if element.angle or is_round or is_wide(element, scene.current_page):
        return None
    return {"degrees": str(pick(rng, (45, 90))), "turn": pick(rng, ("clockwise", "counterclockwise"))}


def _tilt(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    is_seen = element.shape != "ellipse" or bool(element.text)
    return {} if 2 < element.angle < 358 and is_seen else None


def _turned(element: Element, slots: Slots) -> object:
    return int(slots["degrees"]) * (1 if slots["turn"] == "clockwise" else -1)


def _new_text(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    """Another notice in the place of one: short or long as it is, and without facts such as prices and days."""
    old = element.text
    is_notice = len(element.runs) == 1 and not re.search(r"[\d@\n]", old) and len(old) <= _MAX_NOTICE
    if not is_notice or (element.type == "text" and (len(old.split()) < 3 or is_title(scene.current_page, element))):
        return None
    fitting = [text for text in scene.texts if 0.5 * len(old) <= len(text) <= 1.2 * len(old) + 2 and text != old]
    return {"text": pick(rng, fitting)} if fitting else None


_SERIES: tuple[tuple[str, ...], ...] = (
    ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"),
    ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun"),
    ("January", "February", "March", "April", "June", "July", "August", "September", "October", "November", "December"),
    ("Jan", "Feb", "Mar", "Apr", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"),
    ("morning", "afternoon", "evening"),
    ("spring", "summer", "autumn", "winter"),
)
_PIECE = re.compile(r"[A-Za-z]{3,}|(?<![\d-])\d+(?:[.,:]\d+)*(?![\d-])")


def _other_number(rng: Numbers, word: str) -> str | None:
    """A number like another one: a time at a full or half hour, a price with its cents, a day of a month."""
    if found := re.fullmatch(r"(\d{1,2}):(\d\d)", word):
        hour, minute = int(found[1]), "30" if found[2] == "00" else "00"
        return f"{hour + (1 if hour < 22 else -1)}:{pick(rng, (minute, found[2]))}"
    if found := re.fullmatch(r"(\d{1,3})\.(\d\d)", word):
        return f"{int(found[1]) + int(rng.integers(1, 4))}.{found[2]}"
    if re.fullmatch(r"[1-9]\d{0,2}", word):
        number = int(word)
        step = 1 if number < 20 else 5
        return str(number + step * int(rng.integers(1, 4)) if number < 28 or number > 31 else number - step)
    return None


def _other_word(rng: Numbers, word: str) -> str | None:
    """Another word of the same kind, such as another number or day."""
    if word[0].isdigit():
        return _other_number(rng, word)
    for series in _SERIES:
        if word in series:
            return pick(rng, [other for other in series if other != word])
    return None


def _word_in(rng: Numbers, text: str, around: str) -> tuple[str, str] | None:
    """A word that occurs once in all that is around its text, and its replacement; short numbers with the next word."""
    found = []
    for piece in _PIECE.finditer(text):
        other = _other_word(rng, piece[0])
        more = re.match(r" [A-Za-z]+", text[piece.end() :]) if len(piece[0]) < 3 else None
        old = piece[0] + (more[0] if more else "")
        if other is not None and len(re.findall(rf"\b{re.escape(old)}\b", around)) == around.count(old) == 1:
            found.append((old, other + (more[0] if more else "")))
    return pick(rng, found) if found else None


def _all_text(scene: EditScene) -> str:
    return "\n".join(element.text for element in scene.document.elements())


def _word(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    found = _word_in(rng, element.text, _all_text(scene))
    return {"old": found[0], "new": found[1]} if found else None


def _cell(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
    texts = [text for row in element.cells for text in row if text.strip()]
    old = pick(rng, texts)
    found = _word_in(rng, old, old)
    if found is None or _all_text(scene).count(old) > 1 or '"' in old:
        return None
    return {"old": old, "new": old.replace(*found)}


def _new_cell(element: Element, slots: Slots) -> object:
    row = next(row for row in element.cells if slots["old"] in row)
    return [element.cells.index(row) + 1, row.index(slots["old"]) + 1, slots["new"]]


def _order(value: str) -> EditKind:
    def draw(scene: EditScene, rng: Numbers, element: Element) -> Slots | None:
        order = [one.id for one in scene.elements]
        at = order.index(element.id)
        passed = order[at + 1 :] if value == "front" else order[:at]
        covered = [e for e in scene.elements if e.id in passed and e.type != "group" and overlap(e.bbox, element.bbox)]
        # Something that fills the page is a background, behind which nothing is sent; and no text is to be covered.
        is_possible = covered and not any(is_wide(e, scene.current_page) or e.text for e in (*covered, element))
        return {} if is_possible else None

    types = ("image", "shape")
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
        is_named=False,
    ),
    "cell": _modify(("old", "new"), ("table",), _cell, "cell", _new_cell, of_several=False, is_named=False),
    "colour": _colour(None, _PAINTED),
    "text_colour": _colour("colour", ("shape",)),
    "font_larger": _size_by(1.25, 1.05, 2.2),
    "font_smaller": _size_by(0.8, 0.4, 0.95),
    "font": _modify(("face",), _LETTERED, _font, "face", lambda element, slots: _FACES[slots["face"]]),
    "bold": _flag("bold", True),
    "not_bold": _flag("bold", False),
    "italic": _flag("italic", True),
    "not_italic": _flag("italic", False),
    "underline": _flag("underline", True),
    "align_text": _modify(("alignment",), _LETTERED, _alignment, "align", _slot("alignment")),
    "upper_case": _modify(
        (),
        _LETTERED,
        lambda scene, rng, element: {} if element.text.upper() != element.text and len(element.text) < 60 else None,
        "case",
        lambda element, slots: "upper",
    ),
    "fade": _modify(
        (), ("image", "shape"), _half_clear, "opacity", lambda element, slots: "50%", ranges={"opacity": (0.2, 0.75)}
    ),
    "rotate": _modify(("degrees", "turn"), ("image", "shape"), _turn, "rotate", _turned, of_several=False),
    "straighten": _modify((), _TURNED, _tilt, "angle", lambda element, slots: 0, of_several=False),
    "larger": _scale_by(135, 1.08, 2.2),
    "smaller": _scale_by(70, 0.35, 0.93),
    "to_front": _order("front"),
    "to_back": _order("back"),
}
"""The kinds of edits that MODIFY makes."""
