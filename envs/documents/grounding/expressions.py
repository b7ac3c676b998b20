"""Referring expressions: what "the second red icon below the headline" asks for, as typed data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from functools import lru_cache

from .lexicon import ANYTHING, COLOUR, COLOUR_WORDS, HEADS, PLACES, RELATIONS, STYLES, Kinds
from .paging import NTH, number_of, paged
from .paging import ORDINALS as ORDINALS
from .quoting import MARK, Way, marked
from .quoting import quoted as quoted_in

_EDGE = r"(left|right|top|bottom)(?:[- ]hand)?(?: (?:edge|side|end|margin|border))?"
_TOWARDS = (
    r"(?: (?:to(?:wards?)? (?:the )?(?:left|right|top|bottom)|(?:up|down|left|right)?wards?|on(?:wards?)?|up|down))?"
)
_COUNTED = r"(?:when |if |as )?(?:(?:count|start|go|read|number|seen|look)(?:ed|ing)?,? )?"
_DIRECTION = re.compile(
    rf"\b{_COUNTED}from (?:the )?(?:very |far )?{_EDGE}{_TOWARDS}\b"
    rf"|\b(?:starting|beginning|counting|counted) (?:at|on|with) the {_EDGE}{_TOWARDS}\b|\b(left)-to-right\b|\b(right)-to-left\b"
)
_BACKWARDS = re.compile(rf"\b({NTH}|next)[- ](?:to[- ]last|from (?:the )?(?:end|last))\b|\b(penultimate)\b")
_ORDINAL = re.compile(rf"\b({NTH})\b|\b(?:number|no\.?|#) ?(\d+)\b")
_ALL = re.compile(r"\b(?:all|every|each|both|any|everything|whichever|whatever)\b")
_AFTER_HEAD = re.compile(
    r" (?:that|which|whose|with|containing|saying|reading|beginning|starting|counted|counting|where|in|of|from|at|on|among|<)"
)
_LINKS = re.compile(
    r"(?:[ ,]+(?:that|which|who|is|are|was|being|lies|lie|lying|stands?|standing|sits?|sitting|appears?|appearing|placed|"
    r"located|situated|positioned|found|seen|shown|printed|set|set out|can|be|comes?|coming|directly|immediately|right|just|"
    r"straight|closest|nearest|only|somewhere|anywhere|further|the|you|see|we|have|one|lower|down|up))+$"
)
_DROPPED = frozenset(
    "the a an of that which is are was with all every each any both this these those "
    "in on at from to as and it its there here being by whose has have you we see can be only existing current present "
    "element item object thing one entry entity component known called named labelled labeled entitled titled "
    "designated identified described referred shown displayed visible seen found marked so-called aforementioned "
    "already currently now present given certain particular specific single overall my our your their what whatever "
    "you'd i it's just simply very whole entire for who people goes go would i've me us so".split()
)


@dataclass(frozen=True, slots=True)
class Reference:
    """What words ask for.

    Attributes:
        told: all the words but quotations, in lower case.
        words: those that may be of a name or a text: no articles, nothing that says where.
        kinds: of ``traits.KINDS``, and ``group``; empty: any.
        loosely: kinds that are called so at a pinch.
        quoted: what is quoted, in lower case.
        quote_way: how it is meant: says, begins, ends, holds, name.
        colour: a name of ``COLOURS``.
        styles: of ``traits.STYLES``; with "not " before it: without it.
        places: which of several, of ``lexicon.PLACES``.
        ordinal: which in the order of ``direction``, counted from 1, or from -1 at the end; 0: not told.
        direction: from where ordinals count: top, bottom, left, right; "": as one reads, or in the order of ``places``.
        relation: to the anchor: one of ``lexicon.RELATIONS``.
        anchor: what the relation is to.
        page: counted from 0, or from -1 at the end.
        is_plural: whether several are meant.
    """

    told: str
    words: tuple[str, ...] = ()
    kinds: Kinds = frozenset()
    loosely: Kinds = frozenset()
    quoted: str | None = None
    quote_way: Way = "says"
    colour: str | None = None
    styles: tuple[str, ...] = ()
    places: tuple[str, ...] = ()
    ordinal: int = 0
    direction: str = ""
    relation: str | None = None
    anchor: Reference | None = None
    page: int | None = field(default=None)
    is_plural: bool = False


@lru_cache(maxsize=1024)
def reference(expression: str) -> Reference:
    """What an expression asks for. It takes whatever there is; what is not understood stays among the words."""
    text, quotes = marked(expression[:_LONGEST])
    text = text.lower().replace("gray", "grey")
    text = re.sub(r"\b(?:line|piece|block|bit|run)(s?) of (?:text|words|writing)\b", r"text\1", text)
    text = " ".join(re.sub(r"[\"“”'‘’.;:!?()\[\]]", " ", text).replace("_", " ").split()).strip(" ,")
    text = " ".join(_BY_NAME.sub(" ", text).split())
    told = " ".join(MARK.sub(" ", text).split())
    text, page = paged(text)
    asked = _parsed(text, [" ".join(quote.split()).lower() for quote in quotes])
    return replace(asked, told=told, page=page)


def words_of(text: str) -> tuple[str, ...]:
    """The words of a text in lower case, signs apart."""
    return tuple(re.findall(r"[^\W_]+(?:['’][^\W_]+)*|[$€£%&@]", text.lower()))


def bare(words: tuple[str, ...]) -> tuple[str, ...]:
    """Words without articles and the like."""
    return tuple(word for word in words if word not in _DROPPED)


_BY_NAME = re.compile(
    r"\b(?:(?:that|which) )?(?:(?:goes|is known|known|found|listed|going|is|appears) )?"
    r"(?:by|under|with|bearing|bears|has|having|carrying|carries|whose) (?:the |a |its )?(?:name|label|title|designation)"
    r"(?: is| reads| being| of)?\b(?= )"
)
"""What stands before names, not before what they are of: "under the name headline"."""


def _parsed(text: str, quotes: list[str]) -> Reference:
    head, relation, anchor = _related(text)
    rest, ordinal, direction = _ordered(head)
    places = _placed(rest)
    kinds, loosely, several = _headed(head)
    quoted, way = quoted_in(head, quotes)
    plural = bool(_ALL.search(head)) or (several and not ordinal and not places)
    return Reference(
        told=" ".join(MARK.sub(" ", text).split()),
        words=bare(words_of(MARK.sub(" ", head))),
        kinds=kinds,
        loosely=loosely,
        quoted=quoted,
        quote_way=way,
        colour=_coloured(rest),
        styles=_styled(rest),
        places=places,
        ordinal=ordinal,
        direction=direction,
        relation=relation,
        anchor=_parsed(anchor, quotes) if anchor else None,
        is_plural=plural,
    )


_RELATED = "|".join(f"(?P<{name.replace(' ', '_')}>{words})" for name, words in RELATIONS.items())
_RELATION = re.compile(
    rf"\b(?:{_RELATED})"
    r"(?= (?:the|a|an|this|that|it|what|whatever|<\d+>|my|our|your|its)\b| <)"
)
_NO_ANCHOR = re.compile(
    rf"(?:the |a |an )?(?:very |far |extreme )?(?:(?:{'|'.join((*PLACES.values(), NTH))})[ -]?)+"
    r"(?: (?:corner|edge|side|position|place|row|column|half|part|area|end|spot|slot))?\b"
    r"|(?:the |a |an |its |their |any |this |that )?(?:beginning|start|front|words?|wording|texts?|contents?|sentences?|letters|"
    r"type|style|font|face|colour|colou?red|same|it|them|order|row|sequence|line|middle|page|document)\b"
)


def _related(text: str) -> tuple[str, str | None, str]:
    """The text before a relation, the relation and what it is to."""
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


def _ordered(text: str) -> tuple[str, int, str]:
    """The text without the ordinal, the ordinal, and from where it counts."""
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


_PLACED = {name: re.compile(rf"\b(?:{words})\b") for name, words in PLACES.items()}


def _placed(text: str) -> tuple[str, ...]:
    return tuple(name for name, pattern in _PLACED.items() if pattern.search(text))


_STYLED = {
    name: re.compile(rf"(\b(?:not|non|without|un)[ -]*(?:an? )?)?\b(?:{words})\b") for name, words in STYLES.items()
}


def _styled(text: str) -> tuple[str, ...]:
    found = ((name, pattern.search(text)) for name, pattern in _STYLED.items())
    return tuple(f"not {name}" if at[1] else name for name, at in found if at)


def _coloured(text: str) -> str | None:
    found = COLOUR.search(text)
    return COLOUR_WORDS[found[1].replace("-", " ")] if found else None


_HEADS = tuple((re.compile(rf"\b(?:{words})(s|es)?\b"), kinds) for words, kinds in HEADS.items())
_ANYTHING = re.compile(rf"\b(?:{ANYTHING})(s)?\b")


_BOTH = re.compile(r"s,? (?:and|or|as well as) ")


def _headed(text: str) -> tuple[Kinds, Kinds, bool]:
    """The kinds that the noun means, those that it means at a pinch, and whether it is in the plural."""
    after = _AFTER_HEAD.search(text)
    first = text[: after.start()] if after else text
    found = [
        (at.end(), at.end() - at.start(), kinds, bool(at[1])) for words, kinds in _HEADS for at in words.finditer(first)
    ]
    if found:
        both = [kinds for _, _, kinds, several in found if several]
        if len(both) > 1 and _BOTH.search(first):
            return both[0][0].union(*(kinds for kinds, _ in both)), frozenset(), True
        # The last noun is the head; of two that end there, the longer one: "line of text".
        _, _, (kinds, loosely), several = max(found, key=lambda one: one[:2])
        return kinds, loosely, several
    found = [(at.start(), -at.end(), kinds, bool(at[1])) for words, kinds in _HEADS for at in words.finditer(text)]
    if not found or MARK.match(first.removeprefix("the ")):
        anything = _ANYTHING.search(first)
        return frozenset(), frozenset(), bool(anything and anything[1])
    _, _, (kinds, loosely), _ = min(found, key=lambda one: one[:2])
    return kinds, loosely, False
