"""Edits: what a clause asks for, by rules on what is told in it.

A rule fits a clause if the clause tells exactly the kinds of things that the rule takes, no more, and holds its cues.
So nothing that is told is passed over in silence.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from .lexicon import ALIGNMENTS, AXES, COLUMNS, COPY, DIRECTIONS, EDGES, INSTEAD, LARGER, LETTERS, MERGE, MIDDLE, NOT
from .lexicon import RELATION, ROWS, SIDES, SMALLER, SWAP, TURNS
from .values import Told

Takes = Mapping[str, int]
"""How many values of each kind a clause must tell; a page may always be told."""
_PLACE = rf"\b(?:{RELATION}) <target"
_CORNER = rf"{ROWS['top']}|{ROWS['bottom']}|{COLUMNS['left']}|{COLUMNS['right']}|{MIDDLE}"
_KEPT = (
    r"(?:,? (?:and|but|while|whilst|with))?(?:^| )(?:keep\w*|leav\w+|maintain\w*|preserv\w+|"
    r"(?:without|not|never|n't) (?:chang\w+|touch\w*|alter\w*|affect\w*)) "
    r"(?:the |its |their )?(?:width|height)\b|(?:and|while|with) (?:the |its |their )?(?:width|height) "
    r"(?:stay|remain|unchanged|kept|as it|untouched|the same)"
)
_SIZE = r"\b(?:size|font|type|typeface|lettering|letters|text)\b"
_BY = r"\bby <pixels|<pixels 0> (?:larger|bigger|smaller|greater|less|more|higher|lower|above|over|below|off)|(?:add|subtract|take) <pixels"


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


@dataclass(frozen=True, slots=True)
class Rule:
    """When a clause asks for an edit.

    Attributes:
        kind: of the edit.
        takes: what must be told.
        cues: patterns that must all be found.
        bars: patterns of which none may be found.
    """

    kind: str
    takes: Takes
    cues: tuple[str, ...] = ()
    bars: tuple[str, ...] = ()


_ONE: Takes = {"target": 1}
_TWO: Takes = {"target": 2}
_SIZED: Takes = {"target": 1, "pixels": 1}
_ORDER_FRONT = (
    r"\bfront|\bforeground|\buppermost|\btopmost|\bhighest layer|\btop layer|\b(?:above|over|on top of|before) (?:all|every)"
    r"|\btop of the (?:stack|pile|order)|\bto the (?:very )?top\b"
)
_ORDER_BACK = (
    r"\bback(?:most|ground)?\b|\brearmost|\bhindmost|\bundermost|\blowest|\bbottommost|\bbottom layer|"
    r"\b(?:below|under|underneath|beneath|behind) (?:all|every)|\bbottom of the (?:stack|pile|order)|\bto the (?:very )?bottom\b"
)
RULES: tuple[Rule, ...] = (
    Rule("cell", {"target": 1, "quote": 2}, (r"\b(?:cells?|entry|entries)\b",)),
    Rule("word", {"target": 1, "quote": 2}),
    Rule("add_text", {"target": 1, "new text": 1}, (_PLACE,)),
    Rule("add_text", {"target": 1, "quote": 1}, (_PLACE,)),
    Rule("add_text", {"new text": 1}, (_CORNER,)),
    Rule("add_text", {"quote": 1}, (_CORNER,)),
    Rule("add_image", {"target": 1, "picture": 1}, (_PLACE,)),
    Rule("add_image", {"picture": 1}, (_CORNER,)),
    Rule("add_shape", {"target": 1, "colour": 1, "shape": 1}, (_PLACE,)),
    Rule("add_shape", {"colour": 1, "shape": 1}, (_CORNER,)),
    Rule("text", {"target": 1, "new text": 1}, (r"\b(?:wording|contents?|words|text) of <target|\bgiv\w+",)),
    Rule("replace_by_text", {"target": 1, "new text": 1}, (INSTEAD,)),
    Rule("replace_by_text", {"target": 1, "quote": 1}, 
         (r"\binstead\b|\bthere\b|\bplace\b|\bremov|\bdelet|\bposition\b|\bspot\b|\bwhere <target|\bswap|\btrad|\bexchang|\bsubstitut",),
         (r"\b(?:say|read|state)s?\b|\b(?:wording|contents?|words|text) of <target",)),
    Rule("text", {"target": 1, "quote": 1}, (), (r"\bcells?\b|\bcontaining\b",)),
    Rule("replace_by_image", {"target": 1, "picture": 1}, (INSTEAD,), (COPY,)),
    Rule("copy_to", {"target": 1, "point": 1}, (COPY,)),
    Rule("move_to", {"target": 1, "point": 1}),
    Rule("rotate", {"target": 1, "degrees": 1}),
    Rule("opacity", {"target": 1, "percent": 1}, (r"\bopa|\btransparen|\bsee-through|\btransluc|\bvisib|\bfad",)),
    Rule("scale", {"target": 1, "percent": 1}),
    Rule("font_larger", _SIZED, (_SIZE, LARGER, _BY), (r"\bwid|\bheight|\bhigh\b|\bmov",)),
    Rule("font_smaller", _SIZED, (_SIZE, SMALLER, _BY), (r"\bwid|\bheight|\bhigh\b|\bmov",)),
    Rule("font_size", _SIZED, (_SIZE,), (r"\bwid|\bheight|\bmov",)),
    Rule("width", _SIZED, (r"\bwid|\bnarrow|\bbroad|\bacross|\bside to side",)),
    Rule("height", _SIZED, (r"\bheight|\bhigh\b|\btall",)),
    Rule("move_by", _SIZED, ("|".join(DIRECTIONS.values()),)),
    Rule("font_larger", _SIZED, (r"\blarger|\bbigger|\benlarg",)),
    Rule("font_smaller", _SIZED, (r"\bsmaller|\bshrink",)),
    Rule("text_colour", {"target": 1, "colour": 1}, (LETTERS,)),
    Rule("colour", {"target": 1, "colour": 1}),
    Rule("font", {"target": 1, "typeface": 1}),
    Rule("replace_shape", {"target": 1, "shape": 1}, (), (r"\badd\b|\binsert\b|\bdraw\b",)),
    Rule("swap", _TWO, (SWAP,)),
    Rule("align_edge", _TWO, (_CORNER, r"\balign|\bedge|\bside|\bflush|\blin(?:e|ed|es|ing) ?up|\blevel|\bborder|\bmargin|\bin line\b|\bshare|"
         r"\b(?P<side>left|right|top|bottom)\b.*\b(?P=side)\b")),
    Rule("merge", _TWO, (MERGE,)),
    Rule("copy_beside", _ONE, (COPY, "|".join(SIDES.values()))),
    Rule("split", _ONE, (r"\b(?:split\w*|chop\w*|by (?:itself|themselves)|break\w*|broken|divid\w+|separat\w+|part|cut|turn\w*|convert\w*|own|individual\w*|single)\b",
                         r"\b(?:lines?|paragraphs?|separat\w+|several|items?|pieces|parts)\b"), (r"\bcapital|\balign|\bcase\b",)),
    Rule("upper_case", _ONE, (r"\bupper-? ?case|\bcapital|\b(?:all[- ])?caps\b|\bmajuscul|\bbig letters",)),
    Rule("align_text", _ONE, (r"\balign|\bjustif|\bflush|\bragged|\b(?:lines|text|words|wording)\b", "|".join(ALIGNMENTS.values())),
         (r"\bpage\b", rf"{AXES['vertically']}",)),
    Rule("center", _ONE, (r"\bcent(?:er|re)|\bcentral|\bmiddle|\bmidway|\bhalfway|\bequal",)),
    Rule("not_bold", _ONE, (r"bold|\bweight", NOT)),
    Rule("bold", _ONE, (r"bold|\bheavy|\bheavier",)),
    Rule("not_italic", _ONE, (r"italic|\bslant|\boblique|\bupright|\broman\b", NOT)),
    Rule("italic", _ONE, (r"\bitalic|\bslant|\boblique|\bcursive",)),
    Rule("underline", _ONE, (r"\bunderlin|\bunderscor|\ba line (?:under|below|beneath)",), (r"\bremov|\boff\b|\baway\b|\bwithout|\bno\b|\bnot\b",)),
    Rule("to_front", _ONE, (_ORDER_FRONT,)),
    Rule("to_back", _ONE, (_ORDER_BACK,)),
    Rule("delete", _ONE, (r"\b(?:delet\w+|remov\w+|eras\w+|tak\w+ \S+ \S+ (?:out|away|off)|tak\w+ (?:out|away|off)|eliminat\w+|discard\w*|get rid|rid|"
                          r"drop\w*|cut|clear\w*|str[iu]ck|strike|scrap\w*|not|don't|no longer|dispens\w+|omit\w*|without|leav\w+|throw\w*|wip\w+|"
                          r"go|gone|disappear|away|any ?more|no more|bin|trash|do away|out|vanish|ditch|withdraw)\b",)),
)  # fmt: skip
"""The rules; the first one that fits holds."""


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
        re.search(r"\b(?:substitut\w+|writ\w+|put\w*|enter\w*|typ\w+|us\w+|insert\w*|have|want) (?:the (?:word|words|text|number) )?<quote 0>", told.skeleton, re.I)
        or re.search(r"<quote 0> (?:\w+ ){0,3}(?:instead of|in place of|in the place of|rather than)\b", told.skeleton, re.I)
    )  # fmt: skip


def _edge(told: Told) -> str:
    """The edge that is told with a noun, or else the first one."""
    found = re.search(r"\b(left|right|top|bottom|upper|lower)(?:-hand)?,? (?:edge|side|border|margin|end)", told.skeleton, re.I)
    return _of(EDGES)(Told(found[0] if found else told.skeleton))


def _percent(told: Told) -> str:
    """The share that is to be there in the end."""
    percent, words = told.value("percent"), told.skeleton
    number = float(percent)
    if re.search(r"\btransparen|\bsee-through|\bfaded", words, re.I) and not re.search(r"\bopa", words, re.I):
        number = 100 - number
    elif re.search(r"\bby <percent|<percent 0> (?:larger|bigger|smaller|wider|more|less)", words, re.I):
        number = 100 + number if re.search(LARGER, words, re.I) else 100 - number if re.search(SMALLER, words, re.I) else number
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
    "side": _of(SIDES),
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
    found = re.search(_PLACE, told.skeleton, re.I)
    if found:
        return _of(SIDES)(Told(found[0])) or "below"
    # The words that are left after "top" or "left" may be those of another thing.
    row, column = _of(ROWS)(told), _of(COLUMNS)(told)
    return f"{row} {column}" if row and column else row or column or "middle"


def turned_order(told: Told) -> bool:
    """Whether what is told first of two that are joined comes second."""
    return bool(
        re.search(r"\b(?:append|attach|add|tack|stick|glue|hang|tag)\w* <target 0> (?:to|onto|on|at|behind|below|under|after)\b", told.skeleton, re.I)
        or re.search(r"<target 0> (?:to be|should be|must be|be|is) (?:append|attach|add|tack|stuck|glued|put|joined on)\w*", told.skeleton, re.I)
        or re.search(r"<target 0> (?:\w+ ){0,3}(?:after|behind|follow|follows|following|to the end of) <target 1>", told.skeleton, re.I)
    )  # fmt: skip


def without_kept_sides(skeleton: str) -> str:
    """A clause without the words on which side of a box is to stay as it is."""
    return re.sub(_KEPT, " ", skeleton, flags=re.I)
