"""Edits: what a clause asks for, by rules on what is told in it.

A rule fits a clause if the clause tells exactly the kinds of things that the rule takes, no more, and holds its cues.
So nothing that is told is passed over in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .lexicon import ALIGNMENTS, AXES, COLUMNS, DIRECTIONS, EDGES, LARGER, PLACE, ROWS, SIDES, SMALLER, TURNS
from .rule_table import RULES, Rule
from .values import Told

_KEPT = (
    r"(?:,? (?:and|but|while|whilst|with))?(?:^| )(?:keep\w*|leav\w+|maintain\w*|preserv\w+|"
    r"(?:without|not|never|n't) (?:chang\w+|touch\w*|alter\w*|affect\w*)) "
    r"(?:the |its |their )?(?:width|height)\b|(?:and|while|with) (?:the |its |their )?(?:width|height) "
    r"(?:stay|remain|unchanged|kept|as it|untouched|the same)"
)


@dataclass(frozen=True, slots=True)
class Edit:
    """What is asked for.

    Attributes:
        kind: one of ``phrasings.EDITS``.
        slots: what is told of it but for target, anchor and place, by the slot's name.
        target: the words for what is edited; empty for additions.
        anchor: the words for what else is spoken of.
        place: where something new goes: below, above, left or right of the anchor, or ``"top left"`` and so on.
        is_plural: whether all are meant that the target's words fit.
        page: the page that is told, counted from 1; 0: none is.
    """

    kind: str
    slots: Mapping[str, str] = field(default_factory=dict)
    target: str = ""
    anchor: str = ""
    place: str = ""
    is_plural: bool = False
    page: int = 0


def fitting(told: Told) -> Rule | None:
    """The rule that a clause fits; ``None`` if there is none."""
    counts = {kind: told.count(kind) for kind in told.values if kind != "page"}
    counts = {kind: count for kind, count in counts.items() if count}
    for rule in RULES:
        if dict(rule.takes) != counts or told.count("page") > 1:
            continue
        found = all(re.search(cue, told.skeleton, re.I) for cue in rule.cues)
        if found and not any(re.search(bar, told.skeleton, re.I) for bar in rule.bars):
            return rule
    return None


def _of(table: Mapping[str, str]) -> Callable[[Told], str]:
    """Which of several words comes first in a clause; empty if none does."""

    def read(told: Told) -> str:
        found = {name: re.search(pattern, told.skeleton, re.I) for name, pattern in table.items()}
        places = {name: one.start() for name, one in found.items() if one}
        return min(places, key=lambda name: places[name]) if places else ""

    return read


def _value(kind: str, *others: str) -> Callable[[Told], str]:
    return lambda told: next((value for name in (kind, *others) if (value := told.value(name))), "")


def _old(told: Told) -> str:
    return told.value("quote", int(_new_first(told)))


def _new(told: Told) -> str:
    return told.value("quote", int(not _new_first(told)))


def _new_first(told: Told) -> bool:
    """Whether the new words are told before the old ones."""
    return bool(
        re.search(
            (
                r"\b(?:substitut\w+|writ\w+|put\w*|enter\w*|typ\w+|us\w+|insert\w*|have|want) (?:the (?:word|"
                r"words|text|number) )?<quote 0>"
            ),
            told.skeleton,
            re.I,
        )
        or re.search(
            r"<quote 0> (?:\w+ ){0,3}(?:instead of|in place of|in the place of|rather than)\b", told.skeleton, re.I
        )
    )


def _edge(told: Told) -> str:
    """The edge that is told with a noun, or else the first one."""
    found = re.search(
        r"\b(left|right|top|bottom|upper|lower)(?:-hand)?,? (?:edge|side|border|margin|end)", told.skeleton, re.I
    )
    return _of(EDGES)(Told(found[0] if found else told.skeleton))


def _percent(told: Told) -> str:
    """The share that is to be there in the end."""
    percent, words = told.value("percent"), told.skeleton
    number = float(percent)
    if re.search(r"\btransparen|\bsee-through|\bfaded", words, re.I) and not re.search(r"\bopa", words, re.I):
        number = 100 - number
    elif re.search(r"\bby <percent|<percent 0> (?:larger|bigger|smaller|wider|more|less)", words, re.I):
        number = (
            100 + number
            if re.search(LARGER, words, re.I)
            else 100 - number
            if re.search(SMALLER, words, re.I)
            else number
        )
    return f"{number:g}"


SLOTS: dict[str, Callable[[Told], str]] = {
    "direction": _of(DIRECTIONS),
    "pixels": _value("pixels"),
    "x": lambda told: told.value("point").split()[0],
    "y": lambda told: told.value("point").split()[1],
    "edge": _edge,
    "axis": _of(AXES),
    "text": _value("new text", "quote"),
    "colour": _value("colour"),
    "shape": _value("shape"),
    "picture": _value("picture"),
    "side": lambda told: _of(SIDES)(told) or "right",
    "old": _old,
    "new": _new,
    "size": _value("pixels"),
    "amount": _value("pixels"),
    "face": _value("typeface"),
    "alignment": _of(ALIGNMENTS),
    "percent": _percent,
    "degrees": _value("degrees"),
    "turn": lambda told: _of(TURNS)(told) or "clockwise",
}
"""How each slot of an edit is read from a clause."""


def place_in(told: Told) -> str:
    """Where something new goes: on a side of an anchor, or in a part of the page."""
    found = re.search(PLACE, told.skeleton, re.I)
    if found:
        return _of(SIDES)(Told(found[0])) or "right"
    # The words that are left after "top" or "left" may be those of another thing.
    row, column = _of(ROWS)(told), _of(COLUMNS)(told)
    return f"{row} {column}" if row and column else row or column or "middle"


def turned_order(told: Told) -> bool:
    """Whether what is told first of two that are joined comes second: ``append this to that``."""
    between = re.search(r"<target 0>(.*?)<target 1>", told.skeleton, re.I)
    is_behind = between and re.search(
        r"\b(?:to|onto|after|behind|into|follow|follows|following|upon|end)\b", between[1], re.I
    )
    return bool(is_behind and not re.search(r"\b(?:with|and|followed|by|then)\b", str(between and between[1]), re.I))


def without_kept_sides(skeleton: str) -> str:
    """A clause without the words on which side of a box is to stay as it is."""
    return re.sub(_KEPT, " ", skeleton, flags=re.I)
