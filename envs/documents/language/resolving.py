"""Resolve a description to the elements that it clearly matches, or say why not."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import replace

from ..scene.document import Document
from ..scene.elements import Element
from .candidates import Candidate, View, view_of
from .element_descriptions import ALL_DETERMINERS, Description, Unresolved, parse_description, variants
from .lexicon import COLOUR_WORDS, LEXICON
from .matching import matches_word, matching, required_words
from .referring_expressions import QUOTE, Reference, mask_quotations, paged, reference, stem, words_of
from .selection import chosen, is_in_line, measure, related, without_wide

_LEVEL = 6
"""The maximum difference, in pixels, of two elements that are equally far in a direction."""
_EXCEPT = re.compile(rf"{LEXICON.exceptions} ")
_AMOUNT = re.compile(rf"\b(?:{LEXICON.amounts})\b", re.I)
_UNFINISHED = re.compile(
    r"\b(?:on|in|at|to|and|or|but|by|with|of|is|be|(?:to|into) the (?:top|bottom|left|right|middle))$", re.I
)
"""Words with which no description ends."""
_AND = re.compile(r",? and (?!all\b)|, (?=the |our |my |your )", re.I)
_IDLE = re.compile(r"^(?:existing|current|present|actual|element (?:known as|called)(?: the)?) ")


def resolve(document: Document, words: str) -> list[Element]:
    """The element that a description matches, or all that a plural one matches.

    Every word must match: the kind, the name, the text, the colour, the style or the place of the element.

    Args:
        document: that holds the elements.
        words: such as ``"the title on slide 2"`` or ``"all red circles"``.

    Raises:
        Unresolved: if nothing matches, or several elements match a description of one.
    """
    view = view_of(document)
    bare = mask_quotations(words)
    if _AMOUNT.search(bare):
        raise Unresolved(f"{words!r} names an amount")
    exception = _EXCEPT.search(bare)
    if exception is not None:
        kept = resolve(document, words[: exception.start()])
        out = {element.id for element in resolve(document, words[exception.end() :])}
        if not out <= {element.id for element in kept}:
            raise Unresolved(f"{words!r} leaves out what it does not name")
        return [element for element in kept if element.id not in out]
    description = parse_description(document, words)
    candidates = _on_page(view, description)
    named = [candidate for candidate in candidates if _is_name(candidate, description.words)]
    if named and not description.is_many:
        return [_only(named, words).element]
    both = _both(document, words)
    if both is not None:
        return both
    failed: Unresolved | None = None
    for variant in variants(document, description.words):
        try:
            return _described(
                document, replace(description, words=variant), candidates, words, variant != description.words
            )
        except Unresolved as error:
            failed = failed or error
    raise failed or Unresolved(f"nothing in the document is {words!r}")


def _both(document: Document, words: str) -> list[Element] | None:
    """The elements of two descriptions joined by "and"; ``None`` for a single one."""
    bare = mask_quotations(words)
    many = ALL_DETERMINERS.match(bare)
    joint = _AND.search(bare, many.end() if many else 0)
    if joint is None or any(" ".join(words.lower().split()[1:]) in e.text.lower() for e in document.elements()):
        return None
    found = [*resolve(document, words[: joint.start()]), *resolve(document, words[joint.end() :])]
    return list({element.id: element for element in found}.values())


def _described(
    document: Document, description: Description, candidates: Sequence[Candidate], words: str, is_loose: bool
) -> list[Element]:
    """The elements that a description matches.

    ``is_loose``: the description is without its noun, which stood for any text.
    """
    query = reference(description.words)
    if is_loose:
        candidates = [candidate for candidate in candidates if candidate.text and candidate.kind != "table"]
    if _UNFINISHED.search(description.words) or _ends_with_quality(description.words):
        raise Unresolved(f"{words!r} holds more than what is meant")
    found = _related(document, query, matching(query, description, candidates))
    if not found:
        raise Unresolved(f"nothing in the document is {words!r}")
    _check_whole(document, query, found, description, is_loose)
    if description.is_many or (query.is_plural and not query.ordinal):
        return _all(document, query, found, description, words)
    if description.on_every_page:
        raise Unresolved(f"{words!r} may be one or many; say all of them, or which")
    return [_only(_chosen(query, found, words), words).element]


def _on_page(view: View, description: Description) -> list[Candidate]:
    page = view.page(description.page)
    if page is not None and not 0 <= page < view.pages:
        raise Unresolved(f"there is no page {page + 1}; there are {view.pages}")
    return view.on_page(page)


def _is_name(candidate: Candidate, words: str) -> bool:
    """Whether words are just the name of an element, on any page."""
    return bool(candidate.name) and _normalized(words) in (
        _normalized(candidate.name),
        _normalized(paged(candidate.name)[0]),
    )


def _normalized(words: str) -> str:
    kept = _IDLE.sub("", words.lower().strip())
    return " ".join(re.sub(r"\b(?:the|a|an)\b|[_\W]+", " ", kept.replace("gray", "grey")).split())


def _related(document: Document, query: Reference, found: list[Candidate]) -> list[Candidate]:
    if query.relation is None or query.anchor is None or not found:
        return found
    if query.other is not None:
        raise Unresolved("what is between two things is not read")
    pages = {candidate.page for candidate in found}
    anchor = _anchor(document, query.anchor.source, pages)
    relation = query.relation
    away = related(found, anchor, document.places[anchor.id][0], relation)
    if query.is_plural or query.ordinal or query.places:
        return [candidate for _, candidate in away]
    straight = [(gap, candidate) for gap, candidate in away if is_in_line(candidate.element, anchor, relation)]
    away = straight or away
    nearest = min((gap for gap, _ in away), default=0.0)
    return [candidate for gap, candidate in away if gap <= nearest + 1]


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


def _ends_with_quality(words: str) -> bool:
    """Whether a description ends with a stray colour or style: ``the title red``."""
    tokens = [word.lower() for word in QUOTE.sub(" ", words).split()]
    if len(tokens) < 2 or tokens[-2] in ("in", "is", "are", "as", "of", "be", "being", "looks", "light", "dark", "the"):
        return False
    return tokens[-1] in COLOUR_WORDS or any(re.fullmatch(pattern, tokens[-1]) for pattern in LEXICON.styles.values())


def _check_whole(
    document: Document, query: Reference, found: Sequence[Candidate], description: Description, is_loose: bool
) -> None:
    """Check that words found only in an element's text describe all of the element.

    Raises:
        Unresolved: if they may describe a part of it, or its subject.
    """
    words = required_words(query)
    is_kind = bool(query.kinds) or is_loose
    for candidate in found:
        if query.quoted is not None and query.quote_way == "says":
            if candidate.text != query.quoted and candidate.name != query.quoted and not is_kind:
                raise Unresolved(f"{query.quoted!r} is only a part of {candidate.element.text!r}")
            continue
        if not words or query.quoted is not None or all(matches_word(candidate, word, True) for word in words):
            continue
        lines = candidate.element.text.split("\n")
        if len(lines) > 1 and not (query.kinds & {"list", "table"}):
            raise Unresolved(
                f"{description.words!r} may be only a part of {candidate.element.name or candidate.element.id}"
            )
        stems = {stem(word) for word in words}
        text_stems = {stem(word) for word in candidate.text_words if word[-1:].isalnum()}
        label = re.match(r"([^:\n]{1,30}):", candidate.element.text)
        is_label = label is not None and stems <= {stem(word) for word in words_of(label[1])}
        is_title = bool(LEXICON.headings & set(candidate.name_words))
        if not is_kind and not is_label and (text_stems - stems or is_title):
            raise Unresolved(f"{description.words!r} may not mean all of {candidate.element.text!r}; say what it is")
    if {word.rstrip("s") for word in words} & LEXICON.headings and description.page is None and not description.is_many:
        pages = {number for number in range(len(document.pages)) if document.pages[number].elements}
        headed = {
            document.places[e.id][0] for e in document.elements() if LEXICON.headings & set(e.name.lower().split())
        }
        if len(words) == 1 and pages - headed and len(pages) > 1 and headed:
            raise Unresolved(f"on which page is {description.words!r}?")


def _all(
    document: Document, query: Reference, found: list[Candidate], description: Description, words: str
) -> list[Element]:
    if query.kinds == {"text"} and re.search(r"\btext$", description.words):
        pages = {candidate.page for candidate in found}
        others = [e for e in document.elements() if e.text and e.type != "text" and document.places[e.id][0] in pages]
        if others:
            other = others[0].name or others[0].id
            raise Unresolved(f"{words!r} may or may not mean {other}, which is a {others[0].type}")
    if description.count and len(found) != description.count:
        raise Unresolved(f"there are {len(found)} of {words!r}, not {description.count}")
    return [candidate.element for candidate in found]


def _chosen(query: Reference, found: list[Candidate], words: str) -> list[Candidate]:
    """The elements that an ordinal or a superlative selects; without one, all of them."""
    if not (query.ordinal or query.places) or (len(found) == 1 and not query.ordinal):
        return found
    if len({candidate.page for candidate in found}) > 1:
        raise Unresolved(f"there are such things on several pages; say on which {words!r} is")
    picked = chosen(query, found)
    if query.ordinal and not picked:
        raise Unresolved(f"there are only {len(found)} of {words!r}")
    if len(query.places) == 1 and not query.ordinal and picked:
        return _as_far(query.places[0], picked[0], found)
    return picked


def _as_far(place: str, first: Candidate, found: Sequence[Candidate]) -> list[Candidate]:
    narrow = without_wide(found)
    way: Callable[[Candidate], float] = measure(place, narrow)
    slack = _LEVEL if place in ("top", "bottom", "left", "right", "middle", "last") else 0
    return [candidate for candidate in narrow if candidate is first or way(candidate) > way(first) - slack]


def _only(found: Sequence[Candidate], words: str) -> Candidate:
    if len(found) == 1:
        return found[0]
    names = [f"{s.element.name or s.element.id} (page {s.page + 1})" for s in found]
    listing = ", ".join(names[:4]) + (" …" if len(names) > 4 else "")
    raise Unresolved(f"which one is {words!r}? There are {len(found)}: {listing}")
