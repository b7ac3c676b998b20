"""Read expressions such as "the second red icon from the left"."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from ..operations.values import COLOURS, ORDINALS

QuoteWay = Literal["says", "begins", "ends", "contains"]
_MAX_LENGTH = 2000
"""The maximum length of an expression; the rest is ignored."""
_NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_NTH = rf"(?:{'|'.join(ORDINALS)}|\d{{1,3}}(?:st|nd|rd|th)|last|final)"
_SHAPES = frozenset("arrow chevron circle diamond hexagon oval rectangle star triangle".split())
_NOUNS: dict[str, frozenset[str]] = {
    **{
        noun: frozenset(kinds.split())
        for nouns, kinds in (
            ("text heading headline header title subtitle caption paragraph label sentence words textbox", "text"),
            ("list bullets", "list"),
            ("table grid", "table"),
            ("line rule divider separator", "line"),
            ("icon pictogram symbol", "icon"),
            ("picture photo photograph", "picture"),
            ("image illustration graphic", "icon picture"),
            ("circle disc dot", "circle"),
            ("ellipse", "circle oval"),
            ("oval rectangle triangle diamond star arrow hexagon chevron group", ""),
            ("square box panel banner bar", "rectangle"),
        )
        for noun in nouns.split()
    },
    "shape": _SHAPES,
    "figure": _SHAPES,
}
"""The kinds of elements that each noun stands for; an empty set: the noun is itself a kind."""
_COLOUR_SYNONYMS = {"navy": "dark blue", "turquoise": "teal", "violet": "purple", "golden": "gold"}
_COLOUR = re.compile(rf"\b({'|'.join(sorted((*COLOURS, *_COLOUR_SYNONYMS), key=len, reverse=True))})\b")
_STYLES = {
    "bold": re.compile(r"\bbold\b"),
    "italic": re.compile(r"\bitalics?\b"),
    "underlined": re.compile(r"\bunderlined\b"),
    "rotated": re.compile(r"\b(?:rotated|turned|tilted)\b"),
    "semi-transparent": re.compile(r"\b(?:transparent|translucent|faded)\b"),
}
_PLACES = {
    "top": re.compile(r"\b(?:top(?:most)?|upper(?:most)?|highest)\b"),
    "bottom": re.compile(r"\b(?:bottom(?:most)?|lower(?:most)?|lowest)\b"),
    "left": re.compile(r"\bleft(?:most|-hand)?\b"),
    "right": re.compile(r"\bright(?:most|-hand)?\b"),
    "large": re.compile(r"\b(?:large(?:st)?|big(?:gest)?)\b"),
    "small": re.compile(r"\bsmall(?:est)?\b"),
    "middle": re.compile(r"\b(?:middle|cent(?:er|re|ral))\b"),
}
_ON_PAGE = re.compile(
    rf"(?:\b(?:over|found|shown) )?(?:\b(?:on|of|from|in|at) )?(?:\bthe )?\b(?:"
    rf"(?:page|slide|sheet) (?:number(?:ed)? )?(?P<number>\d{{1,3}}|{'|'.join(_NUMBERS)})"
    rf"|(?P<nth>{_NTH}) (?:page|slide|sheet)"
    r")\b(?: (?:of|in) (?:the|this) (?:document|file|deck))?"
)
_HERE = re.compile(r"\b(?:on|of|in|from|at) (?:the|this)(?: whole| current)? (?:page|slide|sheet|document)\b")
_EDGE = r"(?P<edge>left|right|top|bottom)(?:[- ]hand)?(?: (?:edge|side|end))?"
_DIRECTION = re.compile(rf"[- ]from[- ](?:the[- ])?{_EDGE}\b")
_PENULTIMATE = re.compile(r"\b(?:second|next)[- ]to[- ]last\b|\bpenultimate\b")
_ORDINAL = re.compile(rf"\b({_NTH})\b")
RELATIONS = {
    "below": "below|underneath|under|beneath",
    "above": "above|over|on top of",
    "left of": r"(?:to|on|at) the (?:\w+ )?left(?:[- ]hand)?(?: side)? of|left of",
    "right of": r"(?:to|on|at) the (?:\w+ )?right(?:[- ]hand)?(?: side)? of|right of",
    "beside": "next to|beside|near(?:est)?(?: to)?|close(?:st)? to|alongside",
    "inside": "inside(?: of)?|within|in|on",
}
"""The relations of an element to another one, with the words for them."""
_RELATED = "|".join(f"(?P<{name.replace(' ', '_')}>{words})" for name, words in RELATIONS.items())
_RELATION = re.compile(
    rf"\b(?:{_RELATED})"
    r" (?=(?:the|an?|this|that|these|those|my|our|your|its)\b|<)"
)
_PAGE_PART = re.compile(
    rf"(?:(?:the|an?|this|very|far|top|upper|bottom|lower|left|right|hand|middle|cent(?:er|re)|corner|edge|side|half|part"
    rf"|page|slide|sheet|document|margin|border|space|in|on|at|of|to|from|and|{_NTH}|position|place"
    r"|row|column|same|wording|words|text|italics?|bold)\b[- ,]*)+"
)
"""What stands after "in" and "on" without being an element."""
_AFTER_NOUN = re.compile(r" (?:that|which|whose|with|where|when|you|in|of|from|at|on|for|by|saying|reading|<)")
_ARTICLES = re.compile(
    r"^(?:(?:the|an?|this|that|our|my|your|existing|current|element|called|named|known|as) )+| (?:element|please)$"
)
QUOTE = re.compile(r'"([^"]+)"|“([^”]+)”|‘([^’]+)’|(?<!\w)\'(.+?)\'(?!\w)', re.S)
"""The pattern of quotations."""
_QUOTE_WAYS: dict[QuoteWay, re.Pattern[str]] = {
    "begins": re.compile(r"\b(?:begin|start|open)\w*\b|\bat the (?:beginning|start)\b"),
    "ends": re.compile(r"\bend(?:s|ing)?\b"),
    "contains": re.compile(r"\b(?:contain|includ|mention|featur)\w*|\bin (?:it|them)\b"),
}


@dataclass(frozen=True, slots=True)
class ElementQuery:
    """What an expression says of an element.

    Attributes:
        words: the expression itself.
        names: the expression without articles and quotations, in lower case; also without a page.
        kinds: of elements, as ``kind_of`` names them, and ``group``; empty: any.
        quote, quote_way: a quotation in lower case, and how the text of the element relates to it.
        colour: a name of ``COLOURS``.
        styles: names of ``_STYLES``.
        places: which of several: sides, ``large``, ``small``, ``middle``.
        ordinal: counted from 1, or from -1 at the end; 0: none.
        direction: the edge from which ordinals count; "": in reading order.
        relation: to the anchor, one of ``RELATIONS``.
        anchor: the expression of what the relation is to; "": nothing.
        page: counted from 0, or from -1 at the end; ``None``: any.
    """

    words: str
    names: tuple[str, ...]
    kinds: frozenset[str] = frozenset()
    quote: str | None = None
    quote_way: QuoteWay = "says"
    colour: str | None = None
    styles: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    ordinal: int = 0
    direction: str = ""
    relation: str | None = None
    anchor: str = ""
    page: int | None = None


@lru_cache(maxsize=1024)
def parse_query(words: str) -> ElementQuery:
    """Read an expression; any text is one.

    >>> query = parse_query("the second bold text from the left below the headline")
    >>> query.ordinal, query.styles, query.kinds, query.relation, query.anchor
    (2, ('bold',), frozenset({'text'}), 'below', 'the headline')
    """
    quotes: list[str] = []

    def mark(found: re.Match[str]) -> str:
        quotes.append(next(part for part in found.groups() if part is not None))
        return f" <{len(quotes) - 1}> "

    marked = QUOTE.sub(mark, re.sub(r"<\d+>", " ", words[:_MAX_LENGTH]))
    whole = " ".join(re.sub(r"[.;:!?()\[\]_,]", " ", marked.lower()).split()).replace("gray", "grey")
    text, page = split_page(whole)
    text = re.sub(r"\b(?:line|piece|block)(s?) of (?:text|words)\b", r"text\1", text)
    head, relation, after = _split_relation(text)
    at = re.search(r"<(\d+)>", head)
    rest, ordinal, direction = _split_ordinal(head)
    colour = _COLOUR.search(rest.replace("-", " "))
    return ElementQuery(
        words=words.strip(),
        names=tuple(dict.fromkeys(_ARTICLES.sub("", re.sub(r" ?<\d+> ?", " ", one).strip()) for one in (text, whole))),
        kinds=_kinds(head),
        quote=" ".join(quotes[int(at[1])].lower().split()) if at else None,
        quote_way=next((way for way, pattern in _QUOTE_WAYS.items() if pattern.search(head)), "says"),
        colour=_COLOUR_SYNONYMS.get(colour[1], colour[1]) if colour else None,
        styles=tuple(name for name, pattern in _STYLES.items() if pattern.search(rest)),
        places=tuple(name for name, pattern in _PLACES.items() if pattern.search(rest)),
        ordinal=ordinal,
        direction=direction,
        relation=relation,
        anchor=re.sub(r"<(\d+)>", lambda found: f'"{quotes[int(found[1])]}"', after),
        page=page,
    )


def searches_in(words: str) -> int:
    """An upper bound of how many elements must be found to find the one that an expression means.

    >>> searches_in("the icon left of the second text below the headline")
    3
    """
    return 1 + sum(1 for _ in _RELATION.finditer(words.lower()))


def split_page(text: str) -> tuple[str, int | None]:
    """A text in lower case without its page, and this page; see ``ElementQuery.page``."""
    # Names of elements may have a page too, so the last one counts.
    *_, found = None, *_ON_PAGE.finditer(text)
    rest = text if found is None else f"{text[: found.start()]} {text[found.end() :]}"
    return " ".join(_HERE.sub(" ", rest).split()), None if found is None else _number(found["number"] or found["nth"])


def is_page_part(words: str) -> bool:
    """Whether words mean the page or a part of it, not an element on it."""
    rest = split_page(f"on {words.lower().strip(' .!')}")[0].removeprefix("on").strip()
    return not rest or _PAGE_PART.fullmatch(rest) is not None


def _number(word: str) -> int:
    """The index of an ordinal or number, from 0; -1: the last."""
    for words in (ORDINALS, _NUMBERS):
        if word in words:
            return words.index(word)
    digits = re.match(r"\d+", word)
    return max(int(digits[0]) - 1, 0) if digits else -1


def _split_relation(text: str) -> tuple[str, str | None, str]:
    """The text before a relation, the relation, and its anchor."""
    for found in _RELATION.finditer(text):
        relation = next(name for name, words in found.groupdict().items() if words).replace("_", " ")
        head, after = text[: found.start()].strip(), text[found.end() :]
        if head and not is_page_part(after) and not (relation == "inside" and after.startswith("<")):
            return head, relation, after
    return text, None, ""


def _split_ordinal(text: str) -> tuple[str, int, str]:
    """The text without the ordinal, the ordinal, and the edge from which it counts."""
    found = _DIRECTION.search(text)
    edge = found["edge"] if found else ""
    text = _DIRECTION.sub(" ", text)
    if _PENULTIMATE.search(text):
        return _PENULTIMATE.sub(" ", text), -2, edge
    ordinal = _ORDINAL.search(text)
    if ordinal is None:
        return text, 1 if edge else 0, edge
    number = _number(ordinal[1])
    return _ORDINAL.sub(" ", text, count=1), number if number < 0 else number + 1, edge


def _kinds(text: str) -> frozenset[str]:
    """The kinds that the last noun before a clause means, or else the first one in it."""
    before = _AFTER_NOUN.split(text, maxsplit=1)[0]
    nouns = [noun for word in re.findall(r"[a-z]+", before) if (noun := _noun(word))]
    after = [noun for word in re.findall(r"[a-z]+", text) if (noun := _noun(word))]
    noun = nouns[-1] if nouns else after[0] if after and "<" not in before else None
    return frozenset() if noun is None else _NOUNS[noun] or frozenset({noun})


def _noun(word: str) -> str | None:
    singular = word[:-2] if word.endswith("xes") else word.removesuffix("s")
    return word if word in _NOUNS else singular if singular in _NOUNS else None
