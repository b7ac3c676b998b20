"""The look of dense blocks, who their fields are about, and how an answer is put into a cell."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import NamedTuple

from ...envs.core.locators import Box
from . import vocabulary
from .canvas import Part, Sheet
from .faces import Type
from .labels import dressed
from .vocabulary import Genre, Kind, Label
from .writing import Written

_GENRES: dict[Genre, float] = {
    "loan": 60, "insurance": 8, "employment": 8, "tax": 7, "medical": 6, "school": 4, "purchase": 4, "shipping": 3,
}  # fmt: skip
"""Whose labels stand in dense blocks, and how often."""

_ORDINALS = {"1": ("First", "1st"), "2": ("Second", "2nd"), "3": ("Third", "3rd"), "4": ("Fourth", "4th")}

_SEVERAL_LINES: frozenset[Kind] = frozenset({"long", "address", "words", "company"})


@dataclass(frozen=True)
class Look:
    """What the cells of one block have in common; lengths in pixels.

    Attributes:
        type: of the labels.
        ruling: ``"grid"``: all round; ``"rows"``: between rows alone; ``"marks"``: rows, and short marks between cells;
            ``"strips"``: a rule under each answer alone.
        placing: ``"corner"``: labels in the upper left corner; ``"beside"``: before the answer, on its line;
            ``"under"``: under the rule of a strip.
        height: of a row.
        shade: of the cells' ground; ``None``: white.
        pad: between a rule and what stands in the cell.
        centred: the share of answers that stand in the middle of their cells.
        ticks: the shape of places for ticks.
        ticks_first: whether they stand before their options.
        units_first: whether ``Years`` and ``Months`` stand before their answers, not after them.
        head: of the heads above and beside the cells.
        ground: of these heads: ``"plain"``, ``"shaded"`` or ``"black"``.
        head_caps: whether they are in capitals.
        head_centred: whether they stand in the middle.
    """

    type: Type
    ruling: str
    placing: str
    height: float
    shade: int | None
    pad: float
    centred: float
    ticks: str
    ticks_first: bool
    units_first: bool
    head: Type
    ground: str
    head_caps: bool
    head_centred: bool


class Owner(NamedTuple):
    """What the fields of a block belong to.

    Attributes:
        text: what the block's head says.
        box: where it says so.
        first: whether it is the first of those that are asked the same, or the only one.
        person: whether it can stand before a label: ``Co-Applicant`` can, ``Insurance`` cannot.
    """

    text: str
    box: Box
    first: bool = True
    person: bool = True


def look(sheet: Sheet) -> Look:
    """A look for a dense block of the page."""
    dice, style = sheet.dice, sheet.style
    type_ = style.small.scaled(dice.between(0.72, 0.95))
    type_ = type_._replace(size=max(type_.size, 9))
    head = type_.scaled(dice.between(1.05, 1.5))
    ruling = dice.weighted({"grid": 54, "rows": 14, "marks": 14, "strips": 18})
    placing = dice.weighted(
        {"under": 6, "corner": 3, "beside": 1} if ruling == "strips" else {"corner": 78, "beside": 22}
    )
    answer = dice.between(0.95, 1.7) * max(style.typed.line * 0.9, type_.line)
    height = type_.line * 1.05 + answer if placing != "beside" else max(1.45 * type_.line, answer * 1.15)
    ticks = dice.weighted({"square": 62, "circle": 24, "underscore": 9, "parentheses": 3, "brackets": 2})
    return Look(
        type=type_,
        ruling=ruling,
        placing=placing,
        height=round(height),
        shade=dice.count(215, 244) if dice.chance(0.1) else None,
        pad=dice.between(0.15, 0.45) * type_.size + style.thickness,
        centred=dice.pick([0.0, 0.0, 0.1, 0.6]),
        ticks=ticks,
        ticks_first=dice.chance(0.8) or ticks in ("parentheses", "brackets"),
        units_first=dice.chance(0.5),
        head=head.bold() if dice.chance(0.75) else head,
        ground=dice.weighted({"plain": 50, "shaded": 34, "black": 16}),
        head_caps=style.caps or dice.chance(0.3),
        head_centred=dice.chance(0.25),
    )


def labels(sheet: Sheet, count: int) -> list[Label]:
    """``count`` labels that stand together, less where the vocabulary has fewer, each once."""
    dice, language = sheet.dice, sheet.style.language
    if language != "en" or dice.chance(0.22):
        pool = vocabulary.labels(language)
        found = [dice.pick(pool) for _ in range(count)]
    else:
        found = []
        genre = dice.weighted(_GENRES)
        while len(found) < count and len(found) < 40:
            found += dice.pick(vocabulary.sets(genre if dice.chance(0.85) else "loan"))
    return list({label.text.lower(): label for label in found}.values())[:count]


def shown(sheet: Sheet, label: Label, colon: bool) -> str:
    """The text of a label as the page prints it."""
    return dressed(sheet, label, colon).shown


def parts(sheet: Sheet, text: str, box: Box, owner: Owner | None, *between: Part) -> list[Part]:
    """The parts of a target: its label, what stands ``between``, and what both belong to.

    Empty if the label (or what stands between) was met on the page before and nothing tells the two apart.
    """
    dice = sheet.dice
    known = (between[0][0] if between else text).lower().rstrip(": ")
    repeated = known in sheet.used
    if not between or dice.chance(0.3):
        sheet.used.add(known)
    if owner is None:
        return [] if repeated else [(text, box), *between]
    if owner.first and not repeated and dice.chance(0.5):
        return [(text, box), *between]
    if owner.person and dice.chance(0.25):
        return [(f"{_called(sheet, owner.text)} {text}", box), *between]
    return [(text, box), *between, (_called(sheet, owner.text), owner.box)]


def _called(sheet: Sheet, head: str) -> str:
    """A head as a target says it: ``Reference 2`` may be the ``Second Reference``."""
    numbered = re.fullmatch(r"(\D+?)\s*([1-4])", head)
    if numbered and sheet.dice.chance(0.4):
        return f"{sheet.dice.pick(_ORDINALS[numbered[2]])} {numbered[1]}"
    return head.title() if head.isupper() and sheet.dice.chance(0.3) else head


def inner(cell: Box, sheet: Sheet) -> Box:
    """What the rules about a cell leave of it."""
    thick = sheet.style.thickness
    return cell[0] + thick, cell[1] + thick, cell[2] - 1, cell[3] - 1


def inset(box: Box, pad: float) -> Box:
    """``box`` with ``pad`` pixels less at the left and at the right."""
    return box[0] + pad, box[1], box[2] - pad, box[3]


def put(
    sheet: Sheet,
    look_: Look,
    kind: Kind,
    named: Sequence[Part],
    room: Box,
    reach: Box,
    layout: str = "cell",
    align: str = "",
) -> None:
    """Asks for an answer somewhere in ``room``; nothing is asked where no answer fits or ``named`` is empty.

    Args:
        sheet: the page.
        look_: of the block.
        kind: of value.
        named: the parts of the target.
        room: where the answer may be.
        reach: how far its field may go.
        layout: the example's kind.
        align: ``"left"``, ``"centre"``, ``"right"``; empty: as the block has it.
    """
    dice = sheet.dice
    if not named:
        return
    wide, high = room[2] - room[0], room[3] - room[1]
    many = max(int(high / (1.1 * sheet.style.typed.line)), 1) if kind in _SEVERAL_LINES else 1
    answer = sheet.answer(kind, wide, dice.count(1, many), None)
    answer = _fitted(answer, high) if answer else None
    if answer is None or answer.width > wide:
        return
    align = align or ("centre" if dice.chance(look_.centred) else "left")
    slack = wide - answer.width
    shift = {"left": min(slack, dice.pick([0.0, 0.1, 0.4, 0.8, 1.6]) * look_.type.size), "centre": slack / 2}
    x = room[0] + shift.get(align, slack) + answer.pad
    y = room[1] + (high - answer.height) * dice.between(0.3, 0.95) + answer.rise
    sheet.ask(named, answer, x, y, reach, layout)


def _fitted(answer: Written, room: float) -> Written | None:
    """An answer no higher than ``room``, written smaller if need be; ``None`` if that would be too small."""
    if answer.height <= room:
        return answer
    share = (room - 1) / answer.height
    if share < 0.6:
        return None
    small = replace(answer, type=answer.type.scaled(share * 0.97), step=answer.step * share, pad=answer.pad * share)
    return small if small.height <= room else None
