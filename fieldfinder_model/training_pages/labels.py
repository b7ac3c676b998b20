"""Labels: the names of fields as they are printed on a page."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import NamedTuple

from ...envs.core.locators import Box
from . import vocabulary
from .canvas import Part, Sheet
from .faces import Type
from .vocabulary import Kind, Label
from .writing import wrapped

KINDS: dict[Kind, float] = dict.fromkeys(vocabulary.KINDS, 1.0) | {
    "name": 15,
    "date": 14,
    "words": 16,
    "company": 10,
    "subject": 13,
    "long": 16,
    "code": 8,
    "product": 6,
    "phone": 6,
    "address": 6,
    "number": 6,
    "money": 6,
    "department": 4,
    "position": 4,
    "street": 3,
    "city": 3,
    "signature": 3,
    "small_number": 3,
    "brand": 3,
    "fax": 2,
    "percent": 2,
    "measure": 2,
}
"""How often forms ask for each kind of value."""

_TRIES = 8
_MOST_LINES = 3


class Named(NamedTuple):
    """The name of a field.

    Attributes:
        text: as a target says it.
        shown: as it is printed.
        kind: of value that is asked for.
    """

    text: str
    shown: str
    kind: Kind

    def part(self, box: Box) -> Part:
        """It as a part of a target, printed in ``box``."""
        return self.text, box


def named(
    sheet: Sheet,
    kinds: Collection[Kind] | None = None,
    room: float = 1e9,
    type_: Type | None = None,
    *,
    colon: bool = True,
    words: Sequence[Label] | None = None,
) -> Named | None:
    """A label that is not on the page yet, or ``None`` if none that fits was found.

    Args:
        sheet: the page.
        kinds: of value, one of which it has to ask for; ``None``: any.
        room: in pixels, in one line.
        type_: what it is set in; ``None``: the page's type of labels.
        colon: whether what the page puts after labels follows.
        words: what to choose from; ``None``: all labels of the page's language.
    """
    type_ = type_ or sheet.style.label
    for _ in range(_TRIES):
        label = _drawn(sheet, kinds) if words is None else sheet.dice.pick(words)
        if label is None:
            continue
        made = dressed(sheet, label, colon)
        # A label that is there already would make a target that nobody could tell apart.
        known = label.text.lower() in sheet.used and not sheet.dice.chance(0.15)
        if not known and type_.width(made.shown) <= room:
            sheet.used.add(label.text.lower())
            return made
    return None


def _drawn(sheet: Sheet, kinds: Collection[Kind] | None) -> Label | None:
    """Any label of the page's language, or one of some kinds; ``None`` if the language lacks the kind."""
    kind = sheet.dice.weighted(KINDS if kinds is None else {kind: KINDS[kind] for kind in sorted(kinds)})
    texts = vocabulary.labels_of(kind, sheet.style.language)
    return Label(sheet.dice.pick(texts), kind) if texts else None


def dressed(sheet: Sheet, label: Label, colon: bool = True) -> Named:
    """A label in the page's habit: in capitals or not, with a colon or not."""
    text = label.text.upper() if sheet.style.caps else label.text
    shown = text
    if colon and text[-1].isalnum() | (text[-1] in ")#%."):
        shown = f"{text}{sheet.style.colon}"
    return Named(shown if sheet.dice.chance(0.5) else text, shown, label.kind)


def printed(
    sheet: Sheet,
    name: Named,
    x: float,
    y: float,
    room: float = 1e9,
    type_: Type | None = None,
    *,
    align: str = "left",
) -> Box:
    """Prints a label with its first baseline at ``y``, in up to three lines if ``room`` asks for it."""
    type_ = type_ or sheet.style.label
    lines = wrapped(name.shown, type_, room, _MOST_LINES, may_cut=False) or [name.shown]
    if len(lines) == 1:
        return sheet.text(x, y, lines[0], type_, align=align, underlined=sheet.style.underlined)
    return sheet.lines(x, y, lines, type_, align=align)


def lines_of(name: Named, type_: Type, room: float) -> int:
    """How many lines ``printed`` takes in ``room``."""
    return len(wrapped(name.shown, type_, room, _MOST_LINES, may_cut=False)) or 1
