"""Noun phrases: the words of a request that mean elements, such as ``the second icon from the left on page 2``.

Quoted texts, typefaces and known names are marks (``«q0»``) in the text meanwhile: no rule looks into them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from .lexicon import (
    COLOUR,
    DETERMINER,
    EDGE,
    FACE,
    IS_PLURAL,
    NEARLY,
    ORDINAL,
    PLURAL_KIND,
    PROPERTY,
    RELATION,
    STOP,
    TRAILING,
)

_QUOTED = re.compile(r"\"([^\"]+)\"|“([^”]+)”|(?<![\w'’])['‘]([^'‘’]+)['’](?![\w])")
_MARK = re.compile(r"«([a-z])(\d+)»")
_WORD = rf"(?:(?!(?:{STOP})\b)[a-z][\w'’-]*)"
_HEAD = rf"(?!lines? up\b)(?!(?:{PROPERTY}|{TRAILING})(?![\w-]))(?:«n\d+»|{_WORD})"
_OWN = (
    r"(?:colou?r|size|width|height|font|typeface|type|opacity|rotation|angle|position|edge|side|"
    r"corner|alignment|wording|content|words?|letters?|case|order|layer|style|weight|fill|cell|break)"
)
_CORE = (
    rf"(?!(?:each|every)(?: single)? (?:line|row|paragraph|item)\b(?! (?:that|which|on|with|above|"
    rf"below|to|«)))(?:{DETERMINER})(?! (?:same|new|copied|duplicated|resulting|(?:front|rear|back|"
    rf"fore|hind|under)most)\b)(?: "
    rf"{_WORD})*?(?: «q\d+»)?(?: {_WORD})* {_HEAD}(?! {_OWN}s?\b)"
)
PAGE = (
    r",? \(?(?:(?:that|which) (?:is|are|appears?|stands?|sits?) )?(?:found |located |placed |shown |"
    r"seen |there |appearing |standing |"
    r"sitting |situated )?(?:(?:on|of|from|in|at|within) )?(?:the )?(?:(?:page|slide|sheet|p\.|pg\.?) "
    r"(?:number |no\.? |numbered |# ?)?\d+"
    rf"|(?:page|slide|sheet) with (?:the )?number \d+|(?:{ORDINAL}) (?:page|slide|sheet))\b\)?(?: "
    rf"(?:of|in) (?:the|this|our) (?:\w+))?"
)
"""A page that is told, with the space before it."""
_IS = (
    r",? (?:(?:you (?:can )?(?:see|find) |(?:that|which) (?:you (?:can )?(?:see|find)|is|are|was|"
    r"sits?|stands?|lies?|lie|appears?|comes?|goes|can be (?:seen|found)) ))?"
    r"(?:placed |located |positioned |situated |found |shown |seen |sitting |standing |lying |"
    r"appearing |coming |set |printed |written |occurring |arranged |resting |residing |to be found |"
    r"to be seen |"
    r"with (?:a|its|their) (?:place|position) |whose (?:place|position) is )?"
)
_WITH_QUOTE = (
    r" with (?:the |an? )?(?:words?|text|wording|label|caption|inscription|phrase|content|sign|symbol|"
    r"character|letters?|"
    r"title|name|beginning|first words?)(?: (?!«|with\b)[\w'-]+){0,3} «q\d+»"
    r"| with «q\d+»(?= (?:at|among|in|inside|somewhere|as))"
)
_QUOTE = (
    r",? (?:that|which|whose|where|in which|on which)(?: (?!«)[\w'-]+){1,7} «q\d+»| (?:in|on|with) "
    r"which «q\d+» (?:appears|occurs|stands|is|can be \w+)"
    r"| (?:saying|reading|containing|including|beginning|starting|opening|labelled|labeled|titled|"
    r"marked|bearing|carrying|showing|featuring|stating|holding|worded|"
    r"having)(?: (?!«)[\w'-]+){0,4} «q\d+»| «q\d+»"
)
_BEHIND_QUOTE = (
    r"(?: (?:at|in|as) (?:the|its|their) (?:very )?(?:beginning|start|front|text|texts|wording|words|first words?)\b"
    r"| among (?:the|its|their) words| in (?:it|them|there)\b| anywhere\b| somewhere\b| somewhere in "
    r"(?:it|them)\b| inside\b)?"
)
_COUNTED = (
    rf"(?:{ORDINAL}|that|which|is|are|comes?|stands?|sits?|the|in|at|line|row|order|place|position|"
    rf"spot|one|number|counted|counting|"
    r"if|when|as|you|we|one|reach|meet|find|get|come|to|met|reached|found|looking|place|counts?|seen|"
    r"viewed|read|reading|starting|beginning|going|coming|numbered|along|across|away|reckoned|working|"
    r"moving|starting out|inwards?|going|looking)"
)
_PLACE_IN_ORDER = (
    rf"(?:,? {_COUNTED}){{0,9}} from the (?:(?:very|far|extreme) )?(?:{EDGE})(?:[ -](?:hand )?(?:edge|side|end))?"
    rf"|(?:,? {_COUNTED}){{2,9}} (?:at|on) the (?:(?:very|far|extreme) )?(?:{EDGE})(?:[ -](?:hand "
    rf")?(?:edge|side|end))?\b(?! of|-| left| right)"
    rf"| (?:in|at) (?:the )?(?:{ORDINAL}) (?:position|place|spot)|,? (?:(?:that|which) (?:is|comes) "
    rf")?(?:the )?(?:{ORDINAL})(?: one)? (?:in (?:the )?(?:row|line|order|sequence))"
    rf"|,? (?:that|which) (?:is|stands|sits|lies) (?:the )?(?:\w+most|largest|smallest|biggest|highest|"
    rf"lowest)(?: one)?(?: of all)?"
    r"| of (?:them all\b|all\b(?! (?:the|of|those|\w+s)\b))|,? (?:that )?there (?:is|are)\b| without "
    r"exception|,? (?:every|each) one of them|"
    r",? (?:that|which) (?:is|are) (?:there|here|present)\b| of (?:its|their|that|this) kind\b| to be "
    r"found(?! on)|,? (?:namely |meaning |i\.e\. )?"
    rf"the (?:\w+most|largest|smallest|biggest|highest|lowest)(?: one)?\b(?= (?:of|on|in|to|by|should|"
    rf"must|has|is|up|down)|[,.]|$)"
)
_QUALITY = (
    rf"(?:(?:plain|solid) )?(?:{COLOUR}|bold|italics?|underlined|rotated|tilted|turned|semi-transparent|transparent)"
)
_LOOK = (
    rf" of (?:an? |the )?(?:{COLOUR}) colou?r| (?:in|of|with|having) (?:the |an? )?colou?r "
    rf"(?:{COLOUR})| colou?red (?:in )?(?:{COLOUR})"
    rf"|,? (?:that|which) (?:is|are|looks?|appears?) (?:set in |shown in |printed in |written in |in |"
    rf"drawn in |coloured |shown |made |drawn |displayed |being )?{_QUALITY}\b"
    rf"| whose (?:colou?r|fill|text) is {_QUALITY}\b| (?:set|printed|written|shown|drawn) in "
    rf"{_QUALITY}(?: type| letters| ink)?\b"
)
_KNOWN_AS = (
    rf",? (?:known as|called|named|(?:that|which) is(?: called| known as)?|referred to as|labelled as|"
    rf"we call|you call|people call|with the name|by the name(?: of)?|under the name(?: of)?) (?:the "
    rf")?(?:«q\d+»|(?:{_WORD} )*{_HEAD})"
)
_NO_PART = r"(?! of (?:the|all|each|every|an?|this|that|both|«))(?!['’]s\b)(?![\w»-])"
_POSSESSIVE = (
    rf"\b(the (?:[\w-]+ ){{0,4}}?(?:«n\d+»|[\w-]+))['’]s ((?:own |text |font |type |letter |top |left |"
    rf"right |bottom )*(?:{_OWN}s?|text|texts|lettering|place))\b"
)
_INSIDE = (
    rf"(?<!among )\bthe (text|words|lettering|lines) (?:in|inside|on) (?=(?:the|all|each|this) (?!page|"
    rf"document|top|bottom|upper|lower|left|right|middle|cent|space|font|typeface|colou?r|{ORDINAL}))"
)


def _finder(quote: str) -> re.Pattern[str]:
    """Finds noun phrases; ``quote``: how quoted texts can be parts of them."""
    said = rf"(?:{quote}){_BEHIND_QUOTE}|" if quote else ""
    simple = rf"(?:{_LOOK}|{_PLACE_IN_ORDER}|{_KNOWN_AS}|{said}{PAGE})"
    anchor = rf"{_CORE}{simple}*"
    return re.compile(rf"\b{_CORE}(?:{simple}|{_IS}{NEARLY}(?:{RELATION}) {anchor})*{_NO_PART}", re.I)


_FINDERS = (_finder(f"{_WITH_QUOTE}|{_QUOTE}"), _finder(_QUOTE), _finder(""))
READINGS = len(_FINDERS)
"""In how many ways noun phrases can be read: with all that may belong to them, without ``with the words "…"``, and
without any quoted text."""


@dataclass
class Held:
    """What marks in a text stand for.

    Attributes:
        kept: the words behind the marks, by their letter: q for quoted texts, n for names, f for typefaces.
    """

    kept: dict[str, list[str]] = field(default_factory=dict)

    def mark(self, letter: str, words: str) -> str:
        """A mark for some words."""
        held = self.kept.setdefault(letter, [])
        held.append(words)
        return f"«{letter}{len(held) - 1}»"

    def restored(self, text: str) -> str:
        """A text with the words in the place of the marks."""
        while _MARK.search(text):
            text = _MARK.sub(lambda found: self.kept[found[1]][int(found[2])], text)
        return text

    def quoted(self, mark: str) -> str:
        """What stands between the quotation marks behind a mark."""
        return next(group for group in _all_of(_QUOTED, self.restored(mark)) if group is not None)


@dataclass(frozen=True, slots=True)
class NounPhrase:
    """Words that mean elements.

    Attributes:
        words: as they are in the request, with marks.
        is_plural: whether they mean all of a kind.
        span: where they are in the text.
    """

    words: str
    is_plural: bool
    span: tuple[int, int]


def held_back(request: str, names: Iterable[str]) -> tuple[str, Held]:
    """A request in which quoted texts, names of elements behind an article, and typefaces are marks."""
    held = Held()
    text = " ".join(request.split()).replace("«", "“").replace("»", "”")
    text = _QUOTED.sub(lambda found: held.mark("q", found[0]), text)
    known = sorted({name for name in names if name}, key=len, reverse=True)
    if known:
        pattern = (
            rf"\b((?:the|all|this|that|our|my|your) (?:(?:existing|current|present|whole|entire|said|single|"
            rf"so-called|given|actual|same) )?)({'|'.join(map(re.escape, known))})(?![\w-])"
        )
        text = re.sub(pattern, lambda found: found[1] + held.mark("n", found[2]), text, flags=re.I)
    text = re.sub(rf"\b(?:{FACE})\b", lambda found: held.mark("f", found[0]), text, flags=re.I)
    # "The title's colour" is read as "the colour of the title".
    text = re.sub(_INSIDE, r"the \1 of ", text, flags=re.I)
    return re.sub(_POSSESSIVE, r"the \2 of \1", text, flags=re.I), held


def noun_phrases(text: str, reading: int = 0) -> list[NounPhrase]:
    """The noun phrases of a text with marks, in order.

    Args:
        text: with quoted texts as marks.
        reading: of ``READINGS``.
    """
    found = _FINDERS[reading].finditer(text)
    return [NounPhrase(_lowered(one[0]), _is_plural(one[0]), one.span()) for one in found]


def _is_plural(words: str) -> bool:
    if re.match(IS_PLURAL, words, re.I):
        return True
    return bool(re.match(rf"(?:the|these|those) (?:(?!(?:{STOP})\b)[a-z-]+ )*{PLURAL_KIND}\b", words, re.I))


def _lowered(words: str) -> str:
    """Words without the capital of a sentence's beginning."""
    return words[0].lower() + words[1:]


def _all_of(pattern: re.Pattern[str], text: str) -> Sequence[str | None]:
    found = pattern.search(text)
    return found.groups() if found else (text,)
