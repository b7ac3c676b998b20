"""The table of rules: what a clause must tell, and which words it must hold, to ask for an edit."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from .lexicon import (
    ALIGNMENTS,
    AXES,
    BESIDE,
    COLUMNS,
    COPY,
    DIRECTIONS,
    INSTEAD,
    LARGER,
    LETTERS,
    MERGE,
    MIDDLE,
    NOT,
    PLACE,
    ROWS,
    SIDES,
    SMALLER,
    SWAP,
)

Takes = Mapping[str, int]
"""How many values of each kind a clause must tell; a page may always be told."""

_CORNER = rf"{ROWS['top']}|{ROWS['bottom']}|{COLUMNS['left']}|{COLUMNS['right']}|{MIDDLE}"
_SIZE = r"\b(?:size|font|type|typeface|lettering|letters|text)\b"
_BY = (
    r"\bby <pixels|<pixels 0> (?:larger|bigger|smaller|greater|less|more|higher|lower|above|over|below|off)|"
    r"(?:add|subtract|take) <pixels"
)
_SET = r"\b(?:to|at|of|be|is|in|exactly|=) (?:be )?<pixels"
_PLACED = r"\bwid|\bheight|\bhigh\b|\bmov"
_SAYS = r"\b(?:say|read|state)s?\b"
_WORDS_OF = r"\b(?:wording|contents?|words|text) of <target"
_GONE = (
    r"\binstead\b|\bthere\b|\bplace\b|\bremov|\bdelet|\bposition\b|\bspot\b|\bwhere <target|\bswap|\btrad|\bexchang|"
    r"\bsubstitut|\breplac|\bconvert|\btransform|\bway for\b"
)
_LEVEL = (
    r"\balign|\bedge|\bside|\bflush|\blin(?:e|ed|es|ing) ?up|\blevel|\bborder|\bmargin|\bin line\b|\bshare|"
    r"\b(?P<side>left|right|top|bottom)\b.*\b(?P=side)\b"
)
_EDGE = r"\b(?:left|right|tops?|bottoms?|upper|lower)\b(?! corner)"
_PARTED = (
    r"\b(?:split\w*|chop\w*|break\w*|broken|divid\w+|separat\w+|part|cut|turn\w*|convert\w*|own|"
    r"individual\w*|single|apart|alone|"
    r"independent\w*|by (?:itself|themselves)|each|every|per|line by line|by line|dismantl\w+|unstack\w*)\b"
)
_PARTS = r"\b(?:lines?|paragraphs?|separat\w+|several|items?|pieces|parts)\b"
_CAPITALS = (
    r"\bupper-? ?case|\bcapital|\b(?:all[- ])?caps\b|\bmajuscul|\b(?:big|large|block|capitalized) letters|\ball-caps"
)
_BOLD = r"bold|\bheavy|\bheavier|\bfat(?:ter)?\b|\bthick(?:er)? (?:type|letters)|\bstrong(?:er)? (?:type|letters)"
_ITALIC = r"\bitalic|\bslant|\boblique|\bcursive|\bslop(?:ed?|ing)\b|\binclin|\blean"
_UPRIGHT = r"italic|\bslant|\boblique|\bupright|\broman\b|\bstraight"
_UNDERLINE = r"\bunder-?lin|\bunder-?scor|\ba (?:\w+ )?(?:line|rule|stroke) (?:\w+ )?(?:under|below|beneath)"
_FRONT = (
    r"\bfront|\bforeground|\buppermost|\btopmost|\bhighest layer|\btop layer|\b(?:above|over|on top "
    r"of|before) (?:all|every)"
    r"|\btop of the (?:stack|pile|order)|\bto the (?:very )?top\b|\bforemost|\bnothing (?:\w+ "
    r")?(?:cover|in front|over|above|hide)"
    r"|\bcovers? (?:all|every)|\bforward"
)
_BACK = (
    r"\bback(?:most|ground)?\b|\brearmost|\bhindmost|\bundermost|\blowest|\bbottommost|\bbottom layer|"
    r"\b(?:below|under|underneath|beneath|behind) (?:all|every)|\bbottom of the (?:stack|pile|order)|"
    r"\bto the (?:very )?bottom\b|\bcovered by (?:all|every)|\bnothing (?:\w+ )?(?:behind|beneath|under|below)"
)
_DELETE = (
    r"\b(?:delet\w+|remov\w+|eras\w+|tak\w+ \S+ \S+ (?:out|away|off)|tak\w+ (?:out|away|off)|"
    r"eliminat\w+|discard\w*|get rid|rid|"
    r"drop\w*|cut|clear\w*|str[iu]ck|strike|scrap\w*|not|don't|no longer|any ?more|no more|dispens\w+|"
    r"omit\w*|without|leav\w+|"
    r"throw\w*|wip\w+|go|gone|disappear|away|bin|trash|do away|out|vanish|ditch|withdraw\w*|purg\w+|"
    r"expung\w+|rub\w*|cross\w*|kill|"
    r"banish\w*|lose|unnecessary|superfluous|redundant|unneeded|strip\w*|pull|cancel\w*|dump\w*|"
    r"exclud\w+|excis\w+|obliterat\w+|"
    r"do without|needed|clean\w*|zap|retire)\b"
)


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


def _about(count: int = 1, **values: int) -> Takes:
    return {"target": count} | {name.replace("_", " "): number for name, number in values.items()}


_ONE, _TWO, _SIZED = _about(), _about(2), _about(pixels=1)

RULES: tuple[Rule, ...] = (
    Rule("cell", _about(quote=2), (r"\b(?:cells?|entry|entries)\b",)),
    Rule("word", _about(quote=2)),
    Rule("add_text", _about(new_text=1), (PLACE,)),
    Rule("add_text", _about(quote=1), (PLACE,)),
    Rule("add_text", {"new text": 1}, (_CORNER,)),
    Rule("add_text", {"quote": 1}, (_CORNER,)),
    Rule("add_image", _about(picture=1), (PLACE,)),
    Rule("add_image", {"picture": 1}, (_CORNER,)),
    Rule("add_shape", _about(colour=1, shape=1), (PLACE,)),
    Rule("add_shape", {"colour": 1, "shape": 1}, (_CORNER,)),
    Rule("text", _about(new_text=1), (rf"{_WORDS_OF}|\bgiv\w+",)),
    Rule("replace_by_text", _about(new_text=1), (INSTEAD,)),
    Rule("replace_by_text", _about(quote=1), (_GONE,), (_SAYS, _WORDS_OF)),
    Rule("text", _about(quote=1), (), (r"\bcells?\b|\bcontaining\b",)),
    Rule("replace_by_image", _about(picture=1), (INSTEAD,), (COPY,)),
    Rule("copy_to", _about(point=1), (COPY,)),
    Rule("move_to", _about(point=1), (), (r"\bresiz|\bsize\b|\bwid(?:e|th)\b|\bheight|\bscal|\bstretch",)),
    Rule("rotate", _about(degrees=1)),
    Rule("opacity", _about(percent=1), (r"\bopa|\btransparen|\bsee-through|\btransluc|\bvisib|\bfad",)),
    Rule("scale", _about(percent=1)),
    Rule("font_larger", _SIZED, (_SIZE, LARGER, _BY), (_PLACED,)),
    Rule("font_smaller", _SIZED, (_SIZE, SMALLER, _BY), (_PLACED,)),
    Rule("font_larger", _SIZED, (_SIZE, LARGER), (_PLACED, _SET, SMALLER)),
    Rule("font_smaller", _SIZED, (_SIZE, SMALLER), (_PLACED, _SET)),
    Rule("font_size", _SIZED, (_SIZE,), (r"\bwid|\bheight|\bmov",)),
    Rule("width", _SIZED, (r"\bwid|\bnarrow|\bbroad|\bacross|\bside to side",)),
    Rule("height", _SIZED, (r"\bheight|\bhigh\b|\btall",)),
    Rule(
        "move_by",
        _SIZED,
        ("|".join(DIRECTIONS.values()),),
        (r"<pixels 0> (?:away )?(?:from|off) the (?:left|right|top|bottom)",),
    ),
    Rule("font_larger", _SIZED, (r"\blarger|\bbigger|\benlarg",)),
    Rule("font_smaller", _SIZED, (r"\bsmaller|\bshrink",)),
    Rule("text_colour", _about(colour=1), (LETTERS,)),
    Rule("colour", _about(colour=1)),
    Rule("font", _about(typeface=1)),
    Rule("replace_shape", _about(shape=1), (), (r"\badd\b|\binsert\b|\bdraw\b",)),
    Rule("swap", _TWO, (SWAP,)),
    Rule("align_edge", _TWO, (_CORNER, _LEVEL)),
    Rule("merge", _TWO, (MERGE,)),
    Rule("align_edge", _TWO, (_EDGE,), (COPY, LETTERS, r"\blines\b|\bbehind|\blayer|\bfront|\bcorner")),
    Rule("copy_beside", _ONE, (COPY, "|".join((*SIDES.values(), BESIDE)))),
    Rule("split", _ONE, (_PARTED, _PARTS), (r"\bcapital|\balign|\bcase\b|bold|italic|underlin",)),
    Rule("upper_case", _ONE, (_CAPITALS,)),
    Rule(
        "align_text",
        _ONE,
        (r"\balign|\bjustif|\bflush|\bragged|\b(?:lines|text|words|wording)\b", "|".join(ALIGNMENTS.values())),
        (r"\bpage\b", AXES["vertically"]),
    ),
    Rule("center", _ONE, (r"\bcent(?:er|re)|\bcentral|\bmiddle|\bmidway|\bhalfway|\bequal",)),
    Rule("not_bold", _ONE, (r"bold|\bweight", NOT)),
    Rule("bold", _ONE, (_BOLD,)),
    Rule("not_italic", _ONE, (_UPRIGHT, NOT)),
    Rule("italic", _ONE, (_ITALIC,)),
    Rule("underline", _ONE, (_UNDERLINE,), (r"\bremov|\boff\b|\baway\b|\bwithout|\bno\b|\bnot\b",)),
    Rule("to_front", _ONE, (_FRONT,)),
    Rule("to_back", _ONE, (_BACK,)),
    Rule("delete", _ONE, (_DELETE,)),
)
"""The rules; the first one that fits holds."""
