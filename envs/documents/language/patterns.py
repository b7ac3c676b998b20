"""Patterns of phrasings with slots; a match covers all words of a clause.

``[x]`` is optional, ``(x|y)`` is a choice, ``{slot}`` matches some words, ``<name>`` inserts a shared part.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

from .lexicon import LEXICON

_TOKEN = re.compile(
    r"\"[^\"]*\"|(?<![\w'])'[^']+'(?!\w)"
    r"|[$€£]\s?\d[\d,]*(?:\.\d+)?|#[0-9a-fA-F]{3,8}\b|\d+(?:st|nd|rd|th)\b"
    r"|(?<!\()\d{1,3}(?:,\d{3})+(?:\.\d+)?(?!\d)|\d+(?:\.\d+)?|'s\b|[^\W\d_](?:\w|'(?!s\b)(?=\w))*|[^\w\s]"
)
_ITEM = re.compile(r"[\[\](|)]|\{\w+\}|<\w+>|\"[^\"]*\"|[^\s\[\](|){}<>\"]+")
_MAX_SLOT = 40


@dataclass(frozen=True, slots=True)
class Token:
    """A word, number, sign or quotation, at ``start`` to ``end`` of the request."""

    word: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Slot:
    """A placeholder for some words."""

    name: str


@dataclass(frozen=True, slots=True)
class Choice:
    """One of several sequences; an empty one may be among them."""

    options: tuple[Pattern, ...]


Item = str | Slot | Choice
Pattern = tuple[Item, ...]
Spans = Mapping[str, tuple[int, int]]
"""The range of tokens of each slot."""
Fits = Callable[[str, Sequence[Token]], bool]
"""Whether some tokens fit a slot."""


def tokens_of(text: str) -> tuple[Token, ...]:
    """The tokens of a text; hyphens within words separate them."""
    found = []
    for one in _TOKEN.finditer(text):
        if one[0] in "-–" and _is_within(text, one.start()):
            continue
        word = one[0] if one[0][0] in "\"'" and len(one[0]) > 2 and one[0] != "'s" else one[0].lower()
        found.append(Token(LEXICON.equivalents.get(word, word), one.start(), one.end()))
    return tuple(found)


def _is_within(text: str, at: int) -> bool:
    return 0 < at < len(text) - 1 and text[at - 1].isalnum() and text[at + 1].isalnum()


def pattern_of(text: str, shared: Mapping[str, str]) -> Pattern:
    """The pattern of a notation.

    Raises:
        ValueError: if brackets do not match.
    """
    for _ in range(3):
        text = re.sub(r"<(\w+)>", lambda found: shared[found[1]], text)
    parts = _ITEM.findall(text)
    items, rest = _parsed(parts)
    if rest:
        raise ValueError(f"the brackets of {text!r} do not match")
    return items


def template_of(text: str) -> Pattern:
    """The pattern of a template without brackets, such as those of ``Phrasings``."""
    items: list[Item] = []
    # Hyphens part words: "{alignment}-aligned".
    text = re.sub(r"(?<=\})-|-(?=\{)", " ", text)
    # The unit belongs to the value.
    text = re.sub(r"\{(percent|size|pixels|amount|x|y)\}[ -]?(?:%|percent|px|pixels?)(?!\w)", r"{\1}", text)
    for part in re.split(r"\"?(\{\w+\})\"?", text):
        if part.startswith("{"):
            items.append(Slot(part[1:-1]))
        else:
            items += _words(part)
    return tuple(items)


def _parsed(parts: list[str]) -> tuple[Pattern, list[str]]:
    options: list[Pattern] = []
    items: list[Item] = []
    while parts:
        part, parts = parts[0], parts[1:]
        if part in "([":
            choice, parts = _parsed(parts)
            found = choice[0] if len(choice) == 1 and isinstance(choice[0], Choice) else Choice((choice,))
            items.append(Choice((*found.options, ())) if part == "[" else found)
        elif part in ")]":
            break
        elif part == "|":
            options.append(tuple(items))
            items = []
        elif part[0] == "{":
            items.append(Slot(part[1:-1]))
        else:
            items += _words(part, frozenset())
    else:
        if options:
            raise ValueError("a choice without brackets")
        return tuple(items), []
    return (Choice((*options, tuple(items))),), parts


def _words(text: str, skipped: frozenset[str] = LEXICON.skipped) -> list[str]:
    return [token.word for token in tokens_of(text) if token.word not in skipped]


class TooMuchWork(Exception):
    """Matching takes more steps than it may."""


@dataclass(slots=True)
class Steps:
    """The number of steps that matching may still take, the same on every machine."""

    left: int

    def take(self, count: int = 1) -> None:
        """Take steps.

        Raises:
            TooMuchWork: if there are no more.
        """
        self.left -= count
        if self.left < 0:
            raise TooMuchWork


def matches(items: Pattern, tokens: Sequence[Token], fits: Fits, steps: Steps) -> Iterator[Spans]:
    """All ways in which a pattern matches all of some tokens.

    Raises:
        TooMuchWork: if that takes too many steps.
    """
    yield from _matched(items, tokens, 0, {}, fits, steps)


def _matched(
    items: Pattern, tokens: Sequence[Token], at: int, spans: dict[str, tuple[int, int]], fits: Fits, steps: Steps
) -> Iterator[Spans]:
    steps.take()
    if not items:
        if all(token.word in LEXICON.skipped for token in tokens[at:]):
            yield spans
        return
    first, rest = items[0], items[1:]
    if isinstance(first, Choice):
        for option in first.options:
            yield from _matched((*option, *rest), tokens, at, spans, fits, steps)
        return
    if isinstance(first, str):
        # A pattern may hold a word that can be skipped elsewhere.
        for i in _starts(tokens, at):
            if tokens[i].word == first:
                yield from _matched(rest, tokens, i + 1, spans, fits, steps)
                return
        return
    starts = _starts(tokens, at)
    if not starts:
        return
    start = starts[-1]
    for end in range(start + 1, min(len(tokens), start + _MAX_SLOT) + 1):
        if tokens[end - 1].word != "," and fits(first.name, tokens[start:end]):
            yield from _matched(rest, tokens, end, spans | {first.name: (start, end)}, fits, steps)


def _starts(tokens: Sequence[Token], at: int) -> list[int]:
    """The indices where the next part may start: a token, or one after skipped ones."""
    found = []
    for i in range(at, len(tokens)):
        found.append(i)
        if tokens[i].word not in LEXICON.skipped:
            break
    return found


def first_words(items: Pattern) -> frozenset[str] | None:
    """The words with which a pattern may begin; ``None``: any."""
    if not items or isinstance(items[0], Slot):
        return None
    if isinstance(items[0], str):
        return frozenset((items[0],))
    found: set[str] = set()
    for option in items[0].options:
        words = first_words((*option, *items[1:]))
        if words is None:
            return None
        found |= words
    return frozenset(found)


def needed_words(items: Pattern) -> frozenset[str]:
    """The words that every match holds."""
    needed: set[str] = set()
    for item in items:
        if isinstance(item, str):
            needed.add(item)
        elif isinstance(item, Choice):
            needed |= frozenset.intersection(*(needed_words(option) for option in item.options))
    return frozenset(needed)


def words_in(items: Pattern) -> frozenset[str]:
    """All words of a pattern."""
    found: set[str] = set()
    for item in items:
        if isinstance(item, str):
            found.add(item)
        elif isinstance(item, Choice):
            found.update(*(words_in(option) for option in item.options))
    return frozenset(found)
