"""Resolving: the elements that a description matches without ambiguity; otherwise an error that gives the reason."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from rapidfuzz import fuzz

from ..operations.values import colour_name
from ..scene.document import Document
from ..scene.elements import Element
from .expressions import QUOTE, Reference, number_of, paged, reference, words_of
from .lexicon import COLOUR_WORDS, GENERAL, LEXICON, ROLES
from .selection import chosen, distance, has_style, is_in_line, measure, says
from .view import Sight, View, view_of

_ALIKE = 88
"""How alike two words are at least, of 100, to be one, but for an ending."""
_LEVEL = 6
"""By how many pixels two elements may differ that are equally far in a direction."""
_MANY = re.compile(
    r"^(?:any and all|every single one|every one|every last one|every single|the (?:whole|entire|full) (?:set|lot)|"
    r"all|every|each|both)(?: of)?(?= |$)(?: (?:the|these|those|our|my|your))?"
)
_ONE = re.compile(r"^(?:the|this|that|these|those|our|my|your|its|their)(?= |$)")
_COUNT = re.compile(r"^ ?(one|two|three|four|five|six|seven|eight|nine|ten|[2-9])(?= \w)")
_LESS = re.compile(r"(?<=\w)[ ,]+(?:except(?: for)?|but(?: not)?|apart from|other than|save for) ")
_EVERY_PAGE = re.compile(r",? (?:on|of|from|in|at|across) (?:every|each|all)(?: of)?(?: the)? (?:page|slide)s?\b")
_EVERY_PAGES = re.compile(r"^(?:every|each) (?:slide|page)'?s? (?=\w)")
_ON_TITLED = re.compile(r",? (?:on|of|from|in) the (\w[^,\"]*?) (?:slide|page)$", re.I)
_UNFINISHED = re.compile(
    r"\b(?:on|in|at|to|and|or|but|by|with|of|is|be|(?:to|into) the (?:top|bottom|left|right|middle))$", re.I
)
"""Words that end no description."""
_AMOUNT = re.compile(
    r"\b(?:a (?:little|bit|touch|tad)|slightly|somewhat|much|more|less|very(?! \w+(?:st|most)))\b", re.I
)
"""Words for the amount of a change, not for its target."""
_LETTERED = re.compile(
    r" (?:note|line|message|bubble|badge|button|stamp|banner|sign|tag|sticker|blurb|box|field|text|label|caption|"
    r"sentence|heading|title|header|headline|remark|notice)$",
    re.I,
)
"""Nouns for anything with text."""
_AND = re.compile(r",? and (?!all\b)|, (?=the |our |my |your )", re.I)
_IDLE = re.compile(r"^(?:existing|current|present|actual|element (?:known as|called)(?: the)?) ")
_TRAILING = re.compile(r"(?:,? (?:over|found|shown|located|placed|seen|there|here))+$")
"""What is left of "found on page 2" without the page."""
_CONTENT_VERB = re.compile(r"(?:mention|featur|includ|contain|show|bear|carr|read)\w*|off|goes|has|have|says?")
"""Verbs and prepositions that introduce a quotation."""
_PARTS = re.compile(
    r"\b(?:bullets?(?: points?)?(?! list)|items?|entry|entries|points?|rows?|columns?|cells?|words?|letters?|"
    r"sentences?|paragraphs?)$"
)
"""Nouns for parts of elements rather than elements."""
_HALVES = ("semi", "half", "partly", "coloured")
"""First halves of words such as "semi-transparent"."""


class Unresolved(ValueError):
    """A description matches no element, or is ambiguous; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class _Names:
    """A description of elements, parsed into its parts.

    Attributes:
        words: without determiners and the page.
        is_many: whether it describes all that match.
        count: how many must match; 0: any number.
        page: counted from 0, or from -1 at the end.
        on_every_page: whether it describes one on each page.
    """

    words: str
    is_many: bool
    count: int
    page: int | None
    on_every_page: bool


def resolve(document: Document, words: str) -> list[Element]:
    """The elements that a description matches: one, or all that match where it is in the plural.

    Every word must match: the kind, the name, the text, the colour, the style or the place of the element.

    Args:
        document: that holds the elements.
        words: such as ``"the title on slide 2"`` or ``"all red circles"``.

    Raises:
        Unresolved: if nothing matches, or several elements match a description of one.
    """
    view = view_of(document)
    bare = QUOTE.sub(lambda found: "x" * len(found[0]), words)
    if _AMOUNT.search(bare):
        raise Unresolved(f"{words!r} names an amount")
    less = _LESS.search(bare)
    if less is not None:
        kept = resolve(document, words[: less.start()])
        out = {element.id for element in resolve(document, words[less.end() :])}
        if not out <= {element.id for element in kept}:
            raise Unresolved(f"{words!r} leaves out what it does not name")
        return [element for element in kept if element.id not in out]
    names = _on_titled(document, _taken_apart(words))
    sights = _on_page(view, names)
    called = [sight for sight in sights if _is_called(sight, names.words)]
    if called and not names.is_many:
        return [_only(called, words).element]
    both = _both(document, words)
    if both is not None:
        return both
    failed: Unresolved | None = None
    for variant in _ways_to_call(document, names.words):
        try:
            return _described(document, view, replace(names, words=variant), sights, words, variant != names.words)
        except Unresolved as error:
            failed = failed or error
    raise failed or Unresolved(f"nothing in the document is {words!r}")


def _both(document: Document, words: str) -> list[Element] | None:
    """The elements of two descriptions with "and" between them; ``None``: there is only one description."""
    bare = QUOTE.sub(lambda found: "x" * len(found[0]), words)
    many = _MANY.match(bare)
    joint = _AND.search(bare, many.end() if many else 0)
    if joint is None or any(" ".join(words.lower().split()[1:]) in e.text.lower() for e in document.elements()):
        return None
    found = [*resolve(document, words[: joint.start()]), *resolve(document, words[joint.end() :])]
    return list({element.id: element for element in found}.values())


def _described(
    document: Document, view: View, names: _Names, sights: Sequence[Sight], words: str, is_loose: bool
) -> list[Element]:
    """The elements that a description matches; ``is_loose``: a noun of it has been left out."""
    query = reference(names.words)
    if is_loose:
        sights = [sight for sight in sights if sight.text and sight.kind != "table"]
    if _UNFINISHED.search(names.words) or _is_quality_behind(names.words):
        raise Unresolved(f"{words!r} holds more than what is meant")
    found = _fitting(document, view, query, names, sights)
    if not found:
        raise Unresolved(f"nothing in the document is {words!r}")
    _check_surely_called(document, query, found, names, is_loose)
    if names.is_many or (query.is_plural and not query.ordinal):
        return _all(document, query, found, names, words)
    if names.on_every_page:
        raise Unresolved(f"{words!r} may be one or many; say all of them, or which")
    return [_only(_chosen(query, found, words), words).element]


def _ways_to_call(document: Document, words: str) -> Iterator[str]:
    """A description; without a noun for anything with letters; without the words for the document itself."""
    yield words
    noun = _LETTERED.search(words)
    if noun is not None:
        yield words[: noun.start()].strip()
    own = {*document.name.split("_"), document.kind, *document.title.lower().split()}
    kept = [word for word in words.split() if word.lower() not in own]
    if 0 < len(kept) < len(words.split()):
        yield " ".join(kept)


def titled_pages(document: Document, words: str) -> list[int]:
    """The pages, counted from 0, in whose titles all words are."""
    stems = {_stem(word) for word in re.findall(r"\w+", words.lower())}
    found = []
    for number, page in enumerate(document.pages):
        titles = [e.text for e in page.elements if LEXICON.headings & set(e.name.lower().split()) and e.text]
        if stems and any(stems <= {_stem(word) for word in re.findall(r"\w+", title.lower())} for title in titles):
            found.append(number)
    return found


def _on_titled(document: Document, names: _Names) -> _Names:
    """Names with the page whose title they hold: ``on the contact slide``."""
    found = _ON_TITLED.search(names.words)
    pages = titled_pages(document, found[1]) if found and names.page is None else []
    if found is None or len(pages) != 1:
        return names
    return replace(names, words=names.words[: found.start()].strip(" ,"), page=pages[0])


def _taken_apart(words: str) -> _Names:
    text = " ".join(QUOTE.sub(lambda found: found[0].replace(" ", "\0"), words).split())
    text = re.sub(r"^[A-Z](?=[a-z' ])", lambda found: found[0].lower(), text)
    every = _EVERY_PAGE.search(text) or _EVERY_PAGES.search(text)
    text = text if every is None else f"{text[: every.start()]} {text[every.end() :]}".strip()
    many = _MANY.match(text)
    text = text[many.end() :] if many else _ONE.sub("", text)
    count = _COUNT.match(text)
    number = 2 if many and many[0].startswith("both") else number_of(count[1]) if count else 0
    text = text[count.end() :] if count else text
    quoted = QUOTE.search(text)
    rest, page = paged(text if quoted is None else _unquoted(text))
    if quoted is not None and page is not None:
        rest = _without_page(text)
    elif quoted is not None:
        rest = text
    plain = _TRAILING.sub("", rest.replace("\0", " ").strip(" ,"))
    return _Names(plain, bool(many or every or number > 1), number, page, every is not None)


def _unquoted(text: str) -> str:
    return QUOTE.sub(" ", text).lower()


def _without_page(text: str) -> str:
    """A text without the page that it names, its quotations as they are."""
    kept: list[str] = []

    def keep(found: re.Match[str]) -> str:
        kept.append(found[0])
        return f"zq{len(kept) - 1}zq"

    rest = paged(QUOTE.sub(keep, text).lower())[0]
    return re.sub(r"zq(\d+)zq", lambda found: kept[int(found[1])], rest)


def _on_page(view: View, names: _Names) -> list[Sight]:
    page = view.page(names.page)
    if page is not None and not 0 <= page < view.pages:
        raise Unresolved(f"there is no page {page + 1}; there are {view.pages}")
    return [sight for sight in view.sights if page is None or sight.page == page]


def _is_called(sight: Sight, words: str) -> bool:
    """Whether words are just the name of an element, wherever it is."""
    return bool(sight.name) and _bared(words) in (_bared(sight.name), _bared(paged(sight.name)[0]))


def _bared(words: str) -> str:
    kept = _IDLE.sub("", words.lower().strip())
    return " ".join(re.sub(r"\b(?:the|a|an)\b|[_\W]+", " ", kept.replace("gray", "grey")).split())


def _fitting(document: Document, view: View, query: Reference, names: _Names, sights: Sequence[Sight]) -> list[Sight]:
    """The elements that match a query, apart from ordinals and superlatives."""
    part = _PARTS.search(_unquoted(names.words).strip(" ,")) if not query.kinds or query.quoted else None
    words = _required_words(query)
    if not (words or query.kinds or query.quoted or query.colour or query.styles):
        raise Unresolved(f"{names.words!r} does not say what is meant")
    found = [sight for sight in sights if sight.element.opacity > 0 and (sight.kind != "group" or words)]
    if query.quoted is not None:
        found = _quoted(query, found, part is not None)
    if query.colour is not None:
        colour = query.colour
        found = (
            [s for s in found if s.colour == colour]
            or [s for s in found if _has_colour(s, colour)]
            or [s for s in found if " " not in colour and _has_colour(s, f"dark {colour}", f"light {colour}")]
        )
    found = [sight for sight in found if all(has_style(sight, style) for style in query.styles)]
    if words:
        is_many = names.is_many
        matching = [s for s in found if all(_matches(s, word, is_many) for word in words)]
        if not matching and found:
            unknown = [word for word in words if not any(_matches(s, word, is_many) for s in found)]
            raise Unresolved(f"nothing there is {' '.join(unknown or words)!r}")
        found = _closest(matching, words) if not is_many else matching
    found = _of_kind(query, words, found)
    if part is not None and query.quoted is None and not any(s.named for s in found if part[0] in s.name):
        raise Unresolved(f"{names.words!r} is a part of something, which cannot be edited by itself")
    if len(found) > 1:
        found = [sight for sight in found if not sight.is_wide] or found
    return _related(document, query, found)


def _required_words(query: Reference) -> list[str]:
    """The words that must be in the name or the text: all that are not about kind, looks, order or place."""
    required = [word for word in query.words if not _is_general(word) or _is_idle(word, query)]
    return required if query.quoted is None else [word for word in required if not _CONTENT_VERB.fullmatch(word)]


def _is_idle(word: str, query: Reference) -> bool:
    """Whether a word about colour is not a part of the colour of the query."""
    name = COLOUR_WORDS.get(word, word)
    if word in ("dark", "light") or word in COLOUR_WORDS:
        return query.colour is None or (word not in query.colour.split() and name != query.colour)
    return False


def _is_general(word: str) -> bool:
    forms = (word, word.removesuffix("s"), word.removesuffix("es"))
    return word in _HALVES or (not ROLES & set(forms) and any(GENERAL.fullmatch(form) for form in forms))


def _of_kind(query: Reference, words: Sequence[str], sights: Sequence[Sight]) -> list[Sight]:
    if not query.kinds or {word.rstrip("s") for word in words} & ROLES:
        return list(sights)
    return [s for s in sights if s.kind in query.kinds] or [s for s in sights if s.kind in query.loosely]


def _quoted(query: Reference, sights: Sequence[Sight], is_part: bool) -> list[Sight]:
    """The elements that match the quotation of a query; an item of a list is not the list."""
    quoted = str(query.quoted)
    exact = [sight for sight in sights if says(sight, quoted, query.quote_way) or sight.name == quoted]
    if exact or query.quote_way != "says":
        return exact
    holding = [sight for sight in sights if quoted in sight.text]
    in_parts = any(sight.kind in ("list", "table") for sight in holding)
    if is_part or (in_parts and not query.kinds & {"list", "table"}):
        raise Unresolved(f"{quoted!r} is a part of something, not the whole of it")
    return holding


def _has_colour(sight: Sight, *colours: str) -> bool:
    return sight.ink is not None and sight.kind != "picture" and colour_name(sight.ink) in colours


def _matches(sight: Sight, word: str, by_name: bool) -> bool:
    """Whether a word is in the name of an element or, in a description of one element, in its text."""
    named = [*sight.named, sight.element.id.lower(), *re.findall(r"\w+", str(sight.element.asset or "").lower())]
    if word in LEXICON.headings or word.rstrip("s") in LEXICON.headings:
        return bool(LEXICON.headings & {one.rstrip("s") for one in named})
    if word in ROLES or word.rstrip("s") in ROLES or by_name:
        return _is_among(word, named)
    return _is_among(word, (*named, *sight.texted))


def _is_among(word: str, others: Iterable[str]) -> bool:
    stem = _stem(word)
    return any(
        stem == _stem(other) or (len(word) > 4 and other[:1] == word[:1] and fuzz.ratio(word, other) >= _ALIKE)
        for other in others
        if other[-1:].isalnum()
    )


def _stem(word: str) -> str:
    word = word.removesuffix("'s").removesuffix("’s")
    if len(word) > 4 and word.endswith("ies"):
        return word[:-3] + "y"
    return word[:-2] if word.endswith(("ches", "shes", "xes", "sses")) else word.rstrip("s") if len(word) > 3 else word


def _closest(sights: list[Sight], words: Sequence[str]) -> list[Sight]:
    """Of the elements that match words, those whose name or text has no other words; if there are none, all of them."""
    stems = sorted({_stem(word) for word in words})

    def is_whole(held: Iterable[str]) -> bool:
        return sorted({_stem(word) for word in held if not _is_general(word)}) == stems

    named = [sight for sight in sights if all(_matches(sight, word, True) for word in words)]
    whole = [sight for sight in named if is_whole(sight.unpaged)]
    return whole or named or [sight for sight in sights if is_whole(sight.texted)] or sights


def _related(document: Document, query: Reference, found: list[Sight]) -> list[Sight]:
    if query.relation is None or query.anchor is None or not found:
        return found
    if query.other is not None:
        raise Unresolved("what is between two things is not read")
    pages = {sight.page for sight in found}
    anchor = _anchor(document, query.anchor.source, pages)
    relation = query.relation
    page = document.places[anchor.id][0]
    away = [
        (gap, sight)
        for sight in found
        if sight.element.id != anchor.id and sight.page == page
        if (gap := distance(sight.element, anchor, relation)) is not None
    ]
    if query.is_plural or query.ordinal or query.places:
        return [sight for _, sight in away]
    straight = [(gap, sight) for gap, sight in away if is_in_line(sight.element, anchor, relation)]
    away = straight or away
    least = min((gap for gap, _ in away), default=0.0)
    return [sight for gap, sight in away if gap <= least + 1]


def _anchor(document: Document, words: str, pages: set[int]) -> Element:
    try:
        (anchor,) = resolve(document, words)
    except Unresolved:
        if len(pages) != 1:
            raise
        (anchor,) = resolve(document, f"{words} on page {min(pages) + 1}")
    except ValueError:
        raise Unresolved(f"{words!r} is more than one thing") from None
    return anchor


def _is_quality_behind(words: str) -> bool:
    """Whether a description ends with a colour or a style that nothing joins to it: ``the title red``."""
    tokens = [word.lower() for word in QUOTE.sub(" ", words).split()]
    if len(tokens) < 2 or tokens[-2] in ("in", "is", "are", "as", "of", "be", "being", "looks", "light", "dark", "the"):
        return False
    return tokens[-1] in COLOUR_WORDS or any(re.fullmatch(pattern, tokens[-1]) for pattern in LEXICON.styles.values())


def _check_surely_called(
    document: Document, query: Reference, found: Sequence[Sight], names: _Names, is_loose: bool
) -> None:
    """Check that words which are only in the text of an element describe the whole element.

    Raises:
        Unresolved: if they may describe a part of it, or its subject.
    """
    words = _required_words(query)
    is_kind = bool(query.kinds) or is_loose
    for sight in found:
        if query.quoted is not None and query.quote_way == "says":
            if sight.text != query.quoted and sight.name != query.quoted and not is_kind:
                raise Unresolved(f"{query.quoted!r} is only a part of {sight.element.text!r}")
            continue
        if not words or query.quoted is not None or all(_matches(sight, word, True) for word in words):
            continue
        lines = sight.element.text.split("\n")
        if len(lines) > 1 and not (query.kinds & {"list", "table"}):
            raise Unresolved(f"{names.words!r} may be only a part of {sight.element.name or sight.element.id}")
        stems = {_stem(word) for word in words}
        text_stems = {_stem(word) for word in sight.texted if word[-1:].isalnum()}
        label = re.match(r"([^:\n]{1,30}):", sight.element.text)
        is_label = label is not None and stems <= {_stem(word) for word in words_of(label[1])}
        is_title = bool(LEXICON.headings & set(sight.named))
        if not is_kind and not is_label and (text_stems - stems or is_title):
            raise Unresolved(f"{names.words!r} may not mean all of {sight.element.text!r}; say what it is")
    if {word.rstrip("s") for word in words} & LEXICON.headings and names.page is None and not names.is_many:
        pages = {number for number in range(len(document.pages)) if document.pages[number].elements}
        headed = {
            document.places[e.id][0] for e in document.elements() if LEXICON.headings & set(e.name.lower().split())
        }
        if len(words) == 1 and pages - headed and len(pages) > 1 and headed:
            raise Unresolved(f"on which page is {names.words!r}?")


def _all(document: Document, query: Reference, found: list[Sight], names: _Names, words: str) -> list[Element]:
    if query.kinds == {"text"} and re.search(r"\btext$", names.words):
        pages = {sight.page for sight in found}
        others = [e for e in document.elements() if e.text and e.type != "text" and document.places[e.id][0] in pages]
        if others:
            other = others[0].name or others[0].id
            raise Unresolved(f"{words!r} may or may not mean {other}, which is a {others[0].type}")
    if names.count and len(found) != names.count:
        raise Unresolved(f"there are {len(found)} of {words!r}, not {names.count}")
    return [sight.element for sight in found]


def _chosen(query: Reference, found: list[Sight], words: str) -> list[Sight]:
    """The elements that an ordinal or a superlative selects; without one, all of them."""
    if not (query.ordinal or query.places) or (len(found) == 1 and not query.ordinal):
        return found
    if len({sight.page for sight in found}) > 1:
        raise Unresolved(f"there are such things on several pages; say on which {words!r} is")
    picked = chosen(query, found)
    if query.ordinal and not picked:
        raise Unresolved(f"there are only {len(found)} of {words!r}")
    if len(query.places) == 1 and not query.ordinal and picked:
        return _as_far(query.places[0], picked[0], found)
    return picked


def _as_far(place: str, first: Sight, found: Sequence[Sight]) -> list[Sight]:
    narrow = [sight for sight in found if not sight.is_wide] or list(found)
    way: Callable[[Sight], float] = measure(place, narrow)
    slack = _LEVEL if place in ("top", "bottom", "left", "right", "middle", "last") else 0
    return [sight for sight in narrow if sight is first or way(sight) > way(first) - slack]


def _only(found: Sequence[Sight], words: str) -> Sight:
    if len(found) == 1:
        return found[0]
    names = [f"{s.element.name or s.element.id} (page {s.page + 1})" for s in found]
    listing = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    raise Unresolved(f"which one is {words!r}? There are {len(found)}: {listing}")
