"""Parse referring expressions such as "the second red icon" into typed data."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import lru_cache

from ..operations.traits import ORDINALS
from .lexicon import COLOUR, COLOUR_WORDS, LEXICON, NTH, NUMBERS, Kinds, Way

_PAGE = r"(?:page|slide|sheet)"
_ON = r"\b(?:(?:on|of|from|in|at) )?(?:the )?"
_OF_DOCUMENT = r"(?:,? (?:of|in) (?:the|this) (?:document|file|deck))?"
_NUMBER = re.compile(rf"{_ON}{_PAGE} (?:number(?:ed)? |no\.? ?|# ?)?(\d+|{'|'.join(NUMBERS)})\b{_OF_DOCUMENT}")
_NTH = re.compile(rf"{_ON}({NTH}|last|final) {_PAGE}\b{_OF_DOCUMENT}")
_HERE = re.compile(rf"\b(?:on|of|in|from|at) (?:the|this)(?: whole| entire| current| same)? (?:{_PAGE}|document)\b")


def paged(text: str) -> tuple[str, int | None]:
    """A text in lower case without its page, and this page (from 0; -1 is the last)."""
    page = None
    for pattern in (_NUMBER, _NTH):
        found = pattern.search(text)
        if found is not None:
            page = number_of(found[1]) if page is None else page
            text = pattern.sub(" ", text)
    text = " ".join(_HERE.sub(" ", text).split()).strip(" ,")
    return text, page if page is None or page < 0 else max(page - 1, 0)


def number_of(word: str) -> int:
    """The number of a word such as ``third``, ``3rd`` or ``3``; -1: the last."""
    for words in (ORDINALS, NUMBERS):
        if word in words:
            return words.index(word) + 1
    digits = re.match(r"\d{1,6}", word)
    return int(digits[0]) if digits else -1


QUOTE = re.compile(r'"([^"]+)"|“([^”]+)”|‘([^’]+)’|«([^»]+)»|(?<!\w)\'(.+?)\'(?!\w)', re.S)
"""The pattern of quotations."""
MARK = re.compile(r"<(\d+)>")
"""The mark of a quotation in a marked text."""
_QUOTE_WAYS = {name: re.compile(words) for name, words in LEXICON.quote_ways.items()}


def marked(text: str) -> tuple[str, list[str]]:
    """A text with its quotations replaced by marks such as ``<0>``, and these."""
    quotes: list[str] = []

    def mark(found: re.Match[str]) -> str:
        quotes.append(next(part for part in found.groups() if part is not None))
        return f" <{len(quotes) - 1}> "

    return QUOTE.sub(mark, MARK.sub(" ", text)), quotes


def mask_quotations(text: str) -> str:
    """A text of the same length with its quotations masked."""
    return QUOTE.sub(lambda found: "x" * len(found[0]), text)


def first_quoted(text: str, quotes: Sequence[str]) -> tuple[str | None, Way]:
    """The first quotation of a marked text, and how it relates to the element."""
    found = MARK.search(text)
    if found is None:
        return None, "says"
    return quotes[int(found[1])], next((way for way, words in _QUOTE_WAYS.items() if words.search(text)), "says")


_MAX_LENGTH = 2000
"""The maximum length of an expression; the rest is ignored."""
_SIGNS = re.compile(r"[\"“”‘.;:!?()\[\]]|(?<!\w)['’]|['’](?!\w)")
"""Signs that separate words; apostrophes within words do not."""
_EDGE = r"(left|right|top|bottom)(?:[- ]hand)?(?: (?:edge|side|end|margin|border))?"
_AWAY = r"(?: (?:to(?:wards?)? (?:the )?(?:left|right|top|bottom)|(?:up|down|left|right|on)?wards?|on|up|down))?"
_COUNTED = r"(?:when |if |as )?(?:(?:count|start|go|read|number|seen|look)(?:ed|ing)?,? )?"
_DIRECTION = re.compile(
    rf"\b{_COUNTED}from (?:the )?(?:very |far )?{_EDGE}{_AWAY}\b"
    rf"|\b(?:starting|beginning|counting|counted) (?:at|on|with) the {_EDGE}{_AWAY}\b"
    r"|\b(left)-to-right\b|\b(right)-to-left\b"
)
_BACKWARDS = re.compile(rf"\b({NTH}|next)[- ](?:to[- ]last|from (?:the )?(?:end|last))\b|\b(penultimate)\b")
_ORDINAL = re.compile(rf"\b({NTH})\b|\b(?:number|no\.?|#) ?(\d+)\b")
_ALL = re.compile(r"\b(?:all|every|each|both|any|everything)\b")
_BOTH = re.compile(r"s,? (?:and|or|as well as) ")
_AFTER_NOUN = re.compile(rf" (?:{'|'.join(LEXICON.after_nouns)}|<)")
_LINKS = re.compile(rf"(?:[ ,]+(?:{'|'.join(LEXICON.links)}))+$")
_DETERMINER = "the|a|an|this|that|these|those|all|every|each|both|it|what|whatever|my|our|your|its"
_RELATED = "|".join(f"(?P<{name.replace(' ', '_')}>{words})" for name, words in LEXICON.relations.items())
_RELATION = re.compile(rf"\b(?:{_RELATED})(?= (?:{_DETERMINER})\b| <)")
_NO_ANCHOR = re.compile(
    rf"(?:the |an? )?(?:very |far |extreme )?(?:(?:{'|'.join((*LEXICON.places.values(), NTH))})[ -]?)+"
    r"(?: (?:corner|edge|side|position|place|row|column|half|part|area|end|spot|slot))?\b|<"
    rf"|(?:the |an? |its |their |any |this |that )?(?:{'|'.join(LEXICON.no_anchors)})\b"
)
_PLACES = {name: re.compile(rf"\b(?:{words})\b") for name, words in LEXICON.places.items()}
_NOT = r"(\b(?:not|non|without|un)[ -]*(?:an? )?)?"
_STYLES = {name: re.compile(rf"{_NOT}\b(?:{words})\b") for name, words in LEXICON.styles.items()}
_NOUNS = tuple((re.compile(rf"\b(?:{noun.words})(s|es)?\b"), (noun.kinds, noun.near)) for noun in LEXICON.nouns)
_BY_NAME = re.compile(LEXICON.by_name)
_ANYTHING = re.compile(rf"\b(?:{LEXICON.generic_nouns})(s)?\b")


@dataclass(frozen=True, slots=True)
class Reference:
    """A parsed description of elements.

    Attributes:
        text: all the words but quotations, in lower case.
        words: those that may be of a name or a text: no articles, nothing that a relation is to.
        kinds: of ``traits.KINDS``, and ``group``; empty: any.
        near_kinds: those that count where there are none of these.
        quoted: what is quoted, in lower case.
        quote_way: how it relates to the element: says, begins, ends, holds, name.
        colour: a name of ``COLOURS``.
        styles: of ``traits.STYLES``; with "not " before it: without it.
        places: which of several, of ``Lexicon.places``.
        ordinal: which in the order of ``direction``, counted from 1, or from -1 at the end; 0: none.
        direction: from where ordinals count: top, bottom, left, right; "": as one reads, or in the order of ``places``.
        relation: to the anchor: one of ``Lexicon.relations``.
        anchor: what the relation is to.
        other: what it is to besides, for "between".
        page: counted from 0, or from -1 at the end.
        is_plural: whether it means several.
        source: the words themselves, with quotations.
    """

    text: str
    words: tuple[str, ...] = ()
    kinds: Kinds = frozenset()
    near_kinds: Kinds = frozenset()
    quoted: str | None = None
    quote_way: Way = "says"
    colour: str | None = None
    styles: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    ordinal: int = 0
    direction: str = ""
    relation: str | None = None
    anchor: Reference | None = None
    other: Reference | None = None
    page: int | None = None
    is_plural: bool = False
    source: str = ""


@lru_cache(maxsize=1024)
def reference(expression: str) -> Reference:
    """Parse an expression; it takes any text and keeps unknown words as words."""
    text, quotes = marked(expression[:_MAX_LENGTH])
    text = text.lower().replace("gray", "grey")
    text = re.sub(r"\b(?:line|piece|block|bit|run)(s?) of (?:text|words|writing)\b", r"text\1", text)
    text = " ".join(_SIGNS.sub(" ", text).replace("_", " ").split()).strip(" ,")
    text = " ".join(_BY_NAME.sub(" ", text).split())
    rest, page = paged(text)
    query = _parsed(rest, [" ".join(quote.split()).lower() for quote in quotes])
    return replace(query, text=_unmarked(text), page=page)


def words_of(text: str) -> tuple[str, ...]:
    """The words and signs of a text in lower case."""
    return tuple(re.findall(r"[^\W_]+(?:['’][^\W_]+)*|[$€£%&@]", text.lower()))


def stem(word: str) -> str:
    """A noun without the ending of its plural or genitive."""
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word.rstrip("s") if len(word) > 3 else word


def bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """The words without articles and other stopwords."""
    return tuple(word for word in words if word not in LEXICON.stopwords)


def _unmarked(text: str) -> str:
    return " ".join(MARK.sub(" ", text).split())


def _parsed(text: str, quotes: Sequence[str]) -> Reference:
    """Parse a marked text without a page."""
    head, relation, anchor = _split_relation(text)
    source = MARK.sub(lambda found: f'"{quotes[int(found[1])]}"', text)
    anchor, _, other = anchor.partition(" and ") if relation == "between" else (anchor, "", "")
    rest, ordinal, direction = _split_ordinal(head)
    places = _placed(rest)
    kinds, near_kinds, several = _noun_kinds(head)
    quoted, way = first_quoted(head, quotes)
    return Reference(
        text=_unmarked(text),
        words=bare(words_of(_unmarked(head))),
        kinds=kinds,
        near_kinds=near_kinds,
        quoted=quoted,
        quote_way=way,
        colour=_coloured(rest),
        styles=_styled(rest),
        places=places,
        ordinal=ordinal,
        direction=direction,
        relation=relation,
        anchor=_parsed(anchor, quotes) if anchor else None,
        other=_parsed(other, quotes) if other else None,
        is_plural=bool(_ALL.search(head)) or (several and not ordinal and not places),
        source=source,
    )


def _split_relation(text: str) -> tuple[str, str | None, str]:
    """The text before a relation, the relation and the anchor."""
    for found in _RELATION.finditer(text):
        before, after = text[: found.start()].strip(" ,"), text[found.end() :].strip(" ,")
        relation = next(name for name, words in found.groupdict().items() if words).replace("_", " ")
        if relation == "inside" and _NO_ANCHOR.match(after):
            continue
        if not before and "," in after:
            after, _, before = after.partition(",")
        head = _LINKS.sub("", before).strip(" ,")
        if head not in ("", "the", "a", "an") and after not in ("", "the", "a", "an"):
            return head, relation, after
    return text, None, ""


def _split_ordinal(text: str) -> tuple[str, int, str]:
    """The text without the ordinal, the ordinal, and where counting starts."""
    direction = ""
    found = _DIRECTION.search(text)
    if found is not None:
        direction = next(part for part in found.groups() if part)
        text = f"{text[: found.start()]} {text[found.end() :]}"
    back = _BACKWARDS.search(text)
    if back is not None:
        number = 2 if back[2] or back[1] == "next" else number_of(back[1])
        return text.replace(back[0], " "), -number, direction
    found = _ORDINAL.search(text)
    if found is not None:
        return f"{text[: found.start()]} {text[found.end() :]}", number_of(found[1] or found[2]), direction
    # "The icon from the right": the one that is farthest there.
    return text, 1 if direction else 0, direction


def _placed(text: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _PLACES.items() if pattern.search(text))


def _styled(text: str) -> tuple[str, ...]:
    found = ((name, pattern.search(text)) for name, pattern in _STYLES.items())
    return tuple(f"not {name}" if at[1] else name for name, at in found if at)


def _coloured(text: str) -> str | None:
    found = COLOUR.search(text)
    return COLOUR_WORDS[found[1].replace("-", " ")] if found else None


def _noun_kinds(text: str) -> tuple[Kinds, Kinds, bool]:
    """The kinds that the noun means, its near kinds, and whether it is a plural."""
    after = _AFTER_NOUN.search(text)
    first = text[: after.start()] if after else text
    found = [(at.end(), at.end() - at.start(), i, bool(at[1])) for i, at in _nouns(first)]
    if found:
        several = [i for _, _, i, is_plural in found if is_plural]
        if len(several) > 1 and _BOTH.search(first):
            return frozenset().union(*(_NOUNS[i][1][0] for i in several)), frozenset(), True
        # The last noun is the head; of two that end there, the longer one: "text line".
        _, _, at, is_plural = max(found)
        return (*_NOUNS[at][1], is_plural)
    anything = _ANYTHING.search(first)
    behind = sorted((at.start(), -at.end(), i) for i, at in _nouns(text))
    if behind and not MARK.match(text.removeprefix("the ")):
        return (*_NOUNS[behind[0][2]][1], bool(anything and anything[1]))
    return frozenset(), frozenset(), bool(anything and anything[1])


def _nouns(text: str) -> list[tuple[int, re.Match[str]]]:
    """The nouns for elements in a text, each with its index in ``_NOUNS``."""
    return [(i, at) for i, (words, _) in enumerate(_NOUNS) for at in words.finditer(text)]
