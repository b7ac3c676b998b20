"""Parse descriptions of elements into count, page and the words that must match."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, replace

from ..scene.document import Document
from .lexicon import LEXICON, NUMBERS
from .referring_expressions import QUOTE, number_of, paged, stem

ALL_DETERMINERS = re.compile(rf"^(?:{LEXICON.all_determiners})(?: of)?(?= |$)(?: (?:the|these|those|our|my|your))?")
_ONE = re.compile(r"^(?:the|this|that|these|those|our|my|your|its|their)(?= |$)")
_COUNT = re.compile(rf"^ ?({'|'.join(NUMBERS)}|[2-9])(?= \w)")
_ON_EVERY_PAGE = re.compile(r",? (?:on|of|from|in|at|across) (?:every|each|all)(?: of)?(?: the)? (?:page|slide)s?\b")
_EVERY_PAGE = re.compile(r"^(?:every|each) (?:slide|page)'?s? (?=\w)")
_ON_TITLED = re.compile(r",? (?:on|of|from|in) the (\w[^,\"]*?) (?:slide|page)$", re.I)
_AFTER_PAGE = re.compile(r"(?:,? (?:over|found|shown|located|placed|seen|there|here))+$")
"""The rest of "found on page 2" without the page."""
_TEXT_NOUN = re.compile(rf" (?:{LEXICON.text_nouns})$", re.I)


class Unresolved(ValueError):
    """A description matches no element, or is ambiguous; the message gives the reason."""


@dataclass(frozen=True, slots=True)
class Description:
    """A description of elements.

    Attributes:
        words: without determiners and the page.
        is_many: whether it means all that match.
        count: how many must match; 0: any number.
        page: counted from 0, or from -1 at the end.
        on_every_page: whether it means one on each page.
    """

    words: str
    is_many: bool
    count: int
    page: int | None
    on_every_page: bool


def parse_description(document: Document, words: str) -> Description:
    """Parse a description and its page, by number or title (``the contact slide``)."""
    description = _parse(words)
    found = _ON_TITLED.search(description.words)
    pages = titled_pages(document, found[1]) if found and description.page is None else []
    if found is None or len(pages) != 1:
        return description
    return replace(description, words=description.words[: found.start()].strip(" ,"), page=pages[0])


def _parse(words: str) -> Description:
    text = " ".join(QUOTE.sub(lambda found: found[0].replace(" ", "\0"), words).split())
    text = re.sub(r"^[A-Z](?=[a-z' ])", lambda found: found[0].lower(), text)
    every = _ON_EVERY_PAGE.search(text) or _EVERY_PAGE.search(text)
    text = text if every is None else f"{text[: every.start()]} {text[every.end() :]}".strip()
    many = ALL_DETERMINERS.match(text)
    text = text[many.end() :] if many else _ONE.sub("", text)
    count = _COUNT.match(text)
    number = 2 if many and many[0].startswith("both") else number_of(count[1]) if count else 0
    text = text[count.end() :] if count else text
    rest, page = _paged(text)
    plain = _AFTER_PAGE.sub("", rest.replace("\0", " ").strip(" ,"))
    return Description(plain, bool(many or every or number > 1), number, page, every is not None)


def _paged(text: str) -> tuple[str, int | None]:
    """``paged`` outside quotations; a text with quotations and no page stays as it is."""
    if QUOTE.search(text) is None:
        return paged(text)
    page = paged(QUOTE.sub(" ", text).lower())[1]
    if page is None:
        return text, None
    quotations: list[str] = []

    def mark(found: re.Match[str]) -> str:
        quotations.append(found[0])
        return f"zq{len(quotations) - 1}zq"

    rest = paged(QUOTE.sub(mark, text).lower())[0]
    return re.sub(r"zq(\d+)zq", lambda found: quotations[int(found[1])], rest), page


def variants(document: Document, words: str) -> Iterator[str]:
    """A description, then without a noun for any text, then without document words."""
    yield words
    noun = _TEXT_NOUN.search(words)
    if noun is not None:
        yield words[: noun.start()].strip()
    own = {*document.name.split("_"), document.kind, *document.title.lower().split()}
    kept = [word for word in words.split() if word.lower() not in own]
    if 0 < len(kept) < len(words.split()):
        yield " ".join(kept)


def titled_pages(document: Document, words: str) -> list[int]:
    """The pages, counted from 0, whose titles have all the words."""
    stems = {stem(word) for word in re.findall(r"\w+", words.lower())}
    found = []
    for number, page in enumerate(document.pages):
        titles = [e.text for e in page.elements if LEXICON.headings & set(e.name.lower().split()) and e.text]
        if stems and any(stems <= {stem(word) for word in re.findall(r"\w+", title.lower())} for title in titles):
            found.append(number)
    return found
