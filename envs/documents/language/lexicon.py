"""The words for kinds, colours, styles and places of elements, as patterns of lower-case English."""

from __future__ import annotations

import re

from ..operations.traits import ORDINALS
from ..operations.values import COLOURS

Kinds = frozenset[str]
"""Of ``traits.KINDS``, and ``group``."""

_SHAPES = frozenset(("circle", "oval", "rectangle", "triangle", "diamond", "star", "arrow", "hexagon", "chevron"))
_NONE: Kinds = frozenset()


def _one(*kinds: str) -> Kinds:
    return frozenset(kinds)


HEADS: dict[str, tuple[Kinds, Kinds]] = {
    "text line|text block|text ?box|text element|text field": (
        _one("text"), _one("list")),
    "text|heading|headline|header|title|subtitle|subheading|caption|paragraph|label|sentence|wording|inscription|phrase":
        (_one("text"), _one("list")),
    "words|lettering|writing|written|says|reads": (_one("text"), _one("list")),
    "bullet(?:ed)? list|bullet points?|bullets|list|enumeration": (_one("list"), _one("text", "table")),
    "table|grid|spreadsheet": (_one("table"), _one("list")),
    "dividing line|rule|line|divider|separator|stroke": (_one("line"), _one("rectangle")),
    "icon|pictogram|symbol|glyph": (_one("icon"), _one("picture") | _SHAPES),
    "photo|photograph|photography|picture": (_one("picture"), _one("icon")),
    "image|illustration|drawing|graphic|artwork|visual|clip ?art": (_one("icon", "picture"), _SHAPES),
    "geometric shape|shape|figure|polygon": (_SHAPES, _one("icon", "line")),
    "circle|circular shape|dis[ck]|dot": (_one("circle"), _one("oval")),
    "oval|oval shape": (_one("oval"), _one("circle")),
    "ellipse": (_one("circle", "oval"), _NONE),
    "rounded rectangle|rectangle|rectangular shape|square|box|panel|bar|banner": (_one("rectangle"), _SHAPES),
    "triangle|triangular shape": (_one("triangle"), _NONE),
    "diamond|rhombus|lozenge": (_one("diamond"), _NONE),
    "star|star shape": (_one("star"), _NONE),
    "arrow": (_one("arrow"), _one("chevron")),
    "hexagon|six-sided shape": (_one("hexagon"), _NONE),
    "chevron": (_one("chevron"), _one("arrow")),
    "group|cluster": (_one("group"), _NONE),
}  # fmt: skip
"""For the nouns for elements: the kinds that they mean, and those that are called so at a pinch."""
ANYTHING = "element|item|object|thing|one|component|part|piece"
"""Nouns for elements of any kind."""

_SYNONYMS = {
    "navy": "dark blue", "navy blue": "dark blue", "sky blue": "light blue", "azure": "light blue",
    "crimson": "red", "scarlet": "red", "maroon": "dark red", "burgundy": "dark red",
    "violet": "purple", "lilac": "purple", "turquoise": "teal", "cyan": "teal", "golden": "gold",
    "silver": "light grey", "charcoal": "dark grey", "rose": "pink", "lime": "light green",
}  # fmt: skip
_DEPTHS = {"deep ": "dark ", "pale ": "light ", "bright ": "", "soft ": "light "}
COLOUR_WORDS: dict[str, str] = (
    {word: word for word in COLOURS}
    | {
        f"{said}{name.removeprefix(meant)}": name
        for said, meant in _DEPTHS.items()
        for name in COLOURS
        if name.startswith(meant)
        if meant or " " not in name
    }
    | _SYNONYMS
)
"""The words for colours, with the names of colours that they mean."""
COLOUR = re.compile(
    r"\b(" + "|".join(sorted(COLOUR_WORDS, key=len, reverse=True)).replace(" ", "[ -]") + r")(?:ish)?\b"
)

STYLES: dict[str, str] = {
    "bold": r"bold(?:ed|face|faced|-faced)?|heavy type|thick letters",
    "italic": r"itali[cs]+(?:ed|i[sz]ed)?|italicised|cursive|slant(?:ed|ing) (?:letters|type|text)",
    "underlined": r"underlined?|underlining|underscored",
    "rotated": r"rotated|turned|tilted|slanted|slanting|skewed|crooked|askew|leaning|inclined|at an angle",
    "semi-transparent": r"(?:semi|half|partly|partially)?[ -]?transparent|translucent|see-through|faded|faint"
    r"|(?:semi|half)-?opaque|reduced opacity|not (?:fully|wholly|entirely|completely) opaque",
}
"""The styles of ``traits.STYLES``, as words say them."""

_FAR = (
    r"(?:furthest|farthest|utmost|nearest|closest|most|all the way|far)(?: (?:away|over))?"
    r"(?: (?:to|on|at|towards?))?(?: the)?"
)
_END = r"(?:[- ]hand)?(?: (?:edge|side|end|margin|part|half|border|corner|most))?"
PLACES: dict[str, str] = {
    "top": rf"top-?most|uppermost|highest|upper(?:most)?|top{_END}|head|{_FAR} (?:top|up)",
    "bottom": rf"bottom-?most|lower-?most|lowest|lower|bottom{_END}|foot|{_FAR} (?:bottom|down)",
    "left": rf"left-?most|left{_END}|{_FAR} left{_END}",
    "right": rf"right-?most|right{_END}|{_FAR} right{_END}",
    "large": r"large(?:st)?|big(?:gest)?|huge|greatest|most (?:large|sizeable)|hugest",
    "small": r"small(?:est)?|tin(?:y|iest)|little|littlest|least large|most (?:small|tiny)",
    "wide": r"widest|broadest|longest",
    "narrow": r"narrowest",
    "tall": r"tallest",
    "short": r"shortest",
    "middle": r"middle|central|cent(?:er|re)(?:most)?",
    "last": r"last|final",
}
"""Which of several, as words say it."""

_NEAR = r"(?:immediate(?:ly)?|direct(?:ly)?|just|right|straight|near(?:est)?|close(?:st)?)? ?"
RELATIONS: dict[str, str] = {
    "below": r"below|underneath|under|beneath|lower than|further down than|down from",
    "above": r"above|over|on top of|atop|higher than|further up than|up from",
    "left of": rf"(?:to|on|at) the {_NEAR}left(?:[- ]hand)?(?: side)? of|left of|leftwards? of",
    "right of": rf"(?:to|on|at) the {_NEAR}right(?:[- ]hand)?(?: side)? of|right of|rightwards? of",
    "beside": r"(?:next|adjacent|near|nearest|close|closest|nearer) to|beside|besides|near|nearest|alongside",
    "between": r"(?:in )?between|amid",
    "inside": r"inside(?: of)?|within|in|on",
}
"""Where something is, seen from something else, as words say it."""

BY_NAME = re.compile(
    r"\b(?:(?:that|which) )?(?:(?:goes|is known|known|found|listed|going|is|appears) )?"
    r"(?:by|under|with|bearing|bears|has|having|carrying|carries|whose) (?:the |a |its )?"
    r"(?:name|label|title|designation)(?: is| reads| being| of)?\b(?= )"
)
"""What stands before names, not before what they are of: "under the name headline"."""
AFTER_NOUNS = (
    "that which whose with containing saying reading beginning starting counted counting where in of from at on among "
    "for by under over above below beside between behind near about around without"
).split()
"""What begins what is said of a noun behind it."""
LINKS = (
    "that which who is are was being lies? lying stands? standing sits? sitting appears? appearing placed located "
    "situated positioned found seen shown printed set can be comes? coming directly immediately right just straight "
    "closest nearest only somewhere anywhere further the you see we have one lower down up out"
).split()
"""What may stand between a noun and a relation, as patterns."""
NO_ANCHORS = (
    "beginning start front words? wording texts? contents? sentences? letters type style font face colour colou?red "
    "same it them order row sequence line middle page document"
).split()
"""What stands behind "in" and "on" without being an element, as patterns."""
DROPPED = frozenset(
    (
        "the a an of that which is are was with all every each any both this these those in on at from to as and it "
        "its there here being by whose has have you we see can be only existing current present element item object "
        "thing one entry entity component known called named labelled labeled entitled titled designated identified "
        "described referred shown displayed visible seen found marked so-called aforementioned already currently now "
        "given certain particular specific single overall my our your their what whatever you'd i it's just simply "
        "very whole entire for who people goes go would i've me us so"
    ).split()
)
"""Words that do not tell one element from another."""


_SPOKEN = "comes?|coming|counts?|counted|counting|hit|reading|reads|says?|lot|absolute|when|opens|starts|begins|slides?"
"""Words that people put around what they mean."""
_LOOKS = ("dark|light|colou?r", *HEADS, ANYTHING, *COLOUR_WORDS, *STYLES.values())
GENERAL = re.compile(
    "|".join((*_LOOKS, *PLACES.values(), *RELATIONS.values(), *ORDINALS, *LINKS, *AFTER_NOUNS, _SPOKEN))
)
"""Words that need not be in a name or a text."""
HEADINGS = frozenset(("title", "headline", "heading", "header"))
ROLES = HEADINGS | {"subtitle", "subheading", "caption", "label", "footer"}
"""Words for texts that say what a text is for: one without that role is not meant."""
