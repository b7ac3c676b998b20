"""Read a request as operations on a document, or say which words are unknown."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import chain, islice
from typing import Any

from ..scene.document import Document
from .bank import edit_patterns, join_patterns, other_patterns
from .clause_edits import EDITS
from .lexicon import LEXICON, NTH
from .normalization import correct_spelling, normalize
from .patterns import Spans, Steps, Token, TooMuchWork, matches, needed_words, tokens_of
from .referring_expressions import paged
from .resolving import resolve
from .scope import Draft, Find, Operation, Refused, Scope, check
from .slot_values import value_of

MAX_LENGTH = 600
"""The maximum length of a request."""
MAX_STEPS = 600_000
"""The maximum number of matching steps for a request: a fraction of a second."""
_EDIT_STEPS = 1_000
"""The steps that a tried edit costs."""
_MAX_UNREAD, _MAX_TRIALS = 4, 40
"""The maximum length of an omitted stretch of words, and the maximum number of trials."""
_PAGE = (
    r"(?:page|slide) (?:number |no\.? ?)?(?:\d+|one|two|three|four|five|six)|"
    rf"(?:the )?(?:{NTH}|last|final) (?:page|slide)"
)
_ON_PAGE = re.compile(rf",? ?\b(?:on|in|at|for) (?:{_PAGE})\b,?", re.I)
_UNCHANGED = re.compile(LEXICON.unchanged, re.I)
"""Descriptions that no other edit changes."""
_EXCEPT = re.compile(r",? (?:except(?: for)?|apart from|other than|but not) (?=the |that |those )", re.I)


@dataclass(frozen=True)
class Reading:
    """The edit that a request describes.

    Attributes:
        document: after it.
        operations: by name and arguments, in order.
        page: that new elements are on, counted from 0; ``None``: there are none.
    """

    document: Document
    operations: tuple[Operation, ...]
    page: int | None = None


def read(request: str, document: Document, emu: float | None = None, find: Find = resolve) -> Reading:
    """The edit of a document that a request describes.

    Args:
        request: in English.
        document: to be edited.
        emu: English metric units in a pixel, for requests in points or centimetres; ``None``: unknown.
        find: the elements that a description matches.

    Raises:
        Refused: if a word of the request is not understood, or the request is ambiguous.
    """
    if len(request) > MAX_LENGTH:
        raise Refused(f"a request may have {MAX_LENGTH} characters; this one has {len(request)}")
    parser = _Parser(correct_spelling(normalize(request), document), Scope(document, document, emu=emu, find=find))
    try:
        draft = parser.request()
    except TooMuchWork:
        raise Refused("this request takes too long to read; split it into several shorter ones") from None
    if draft is None:
        raise Refused(parser.error_message())
    return Reading(draft.document, tuple(draft.operations), draft.page)


class _Parser:
    """The parser of one request.

    Args:
        text: of the request.
        scope: of the whole request.
    """

    def __init__(self, text: str, scope: Scope) -> None:
        self._text, self._scope = text, scope
        self.tokens = tokens_of(text)
        self._steps = Steps(MAX_STEPS)
        self._value = lru_cache(maxsize=None)(value_of)
        self._failed: set[tuple[int, ...]] = set()
        self._reasons: list[tuple[int, str]] = []

    def request(self) -> Draft | None:
        """The edit of the request; ``None`` if it cannot be read."""
        return self.whole(self.tokens, self._scope)

    def whole(self, tokens: Sequence[Token], scope: Scope) -> Draft | None:
        """The edit of one or several clauses; ``None`` if they cannot be read."""
        for stripped in self._without_courtesy(tokens):
            key = (*(token.start for token in stripped), -1, scope.page or 0, hash(scope.previous))
            if not stripped or key in self._failed:
                continue
            draft = self._joined(stripped, scope) or self._clause(stripped, scope) or self._keeping(stripped, scope)
            if draft is not None:
                return draft
            self._failed.add(key)
        return None

    def error_message(self) -> str:
        """The message for a request that cannot be read."""
        unread = self._unread()
        if unread:
            return f"the words {unread!r} are not understood"
        if self._reasons:
            return max(self._reasons, key=lambda reason: reason[0])[1]
        return "this cannot be read as an edit"

    def _unread(self) -> str:
        """The shortest stretch of words without which the rest can be read, or ""."""
        reasons = list(self._reasons)
        try:
            return next((words for rest, words in self._omissions() if self.whole(rest, self._scope) is not None), "")
        except TooMuchWork:
            return ""
        finally:
            self._reasons = reasons

    def _omissions(self) -> Iterator[tuple[Sequence[Token], str]]:
        """The request without a stretch of words, and these words; the shortest first."""
        tokens = self.tokens
        stretches = (
            (start, start + length)
            for length in range(1, min(_MAX_UNREAD, len(tokens) - 2) + 1)
            for start in range(len(tokens) - length + 1)
        )
        for start, end in islice(stretches, _MAX_TRIALS):
            if tokens[start].word not in ",.":
                rest = (*tokens[:start], *tokens[end:])
                yield rest, self._text[tokens[start].start : tokens[end - 1].end]

    def _without_courtesy(self, tokens: Sequence[Token]) -> Iterator[Sequence[Token]]:
        """The tokens as they are, and without courtesy around them."""
        yield tokens
        for _ in range(4):
            shorter = self._without_one_courtesy(tokens)
            if len(shorter) == len(tokens):
                return
            tokens = shorter
            yield tokens

    def _without_one_courtesy(self, tokens: Sequence[Token]) -> Sequence[Token]:
        while tokens and tokens[0].word in (",", "please", "just", "kindly", "simply", "also", "."):
            tokens = tokens[1:]
        for pattern in other_patterns("closing"):
            for start in range(max(0, len(tokens) - 7), len(tokens)):
                if next(matches(pattern, tokens[start:], _any, self._steps), None) is not None and start:
                    tokens = tokens[:start]
                    while tokens and tokens[-1].word in (",", "please"):
                        tokens = tokens[:-1]
                    break
        longest = 0
        for pattern in other_patterns("opening"):
            for end in range(min(9, len(tokens)), longest, -1):
                if next(matches(pattern, tokens[:end], _any, self._steps), None) is not None:
                    longest = end
                    break
        return tokens[longest:]

    def _joined(self, tokens: Sequence[Token], scope: Scope) -> Draft | None:
        """The edit of two clauses, one after the other."""
        for pattern in join_patterns():
            if not needed_words(pattern) <= {token.word for token in tokens}:
                continue
            for spans in matches(pattern, tokens, _any, self._steps):
                first, second = (tokens[slice(*spans[name])] for name in ("first", "second"))
                draft = self._both(first, second, scope)
                if draft is not None:
                    return draft
        return None

    def _keeping(self, tokens: Sequence[Token], scope: Scope) -> Draft | None:
        """The edit of a request that also names elements which must not change."""
        for pattern in other_patterns("keeps"):
            for spans in matches(pattern, tokens, _any, self._steps):
                others = self._words(tokens[slice(*spans["others"])])
                draft = self.whole(tokens[slice(*spans["first"])], scope)
                if draft is not None and self._leaves_alone(others, scope, draft):
                    return draft
        return None

    def _leaves_alone(self, words: str, scope: Scope, draft: Draft) -> bool:
        """Whether an edit leaves the elements of a description alone."""
        if _UNCHANGED.fullmatch(words):
            return True
        pages = [scope.before.places[name][0] for name in draft.about if name in scope.before.places]
        try:
            kept = scope.on_page(pages[0] if pages else None).elements(words)
        except Refused as error:
            self._reasons.append((9, str(error)))
            return False
        return not {element.id for element in kept} & set(draft.about)

    def _both(self, first: Sequence[Token], second: Sequence[Token], scope: Scope) -> Draft | None:
        scope, first = self._split_leading_page(first, scope)
        draft = self.whole(first, scope)
        if draft is None:
            return None
        after = replace(scope, now=draft.document, previous=tuple(draft.about))
        rest = self.whole(second, after) or self._elliptic(first, second, after)
        if rest is None:
            return None
        page = draft.page if rest.page is None else rest.page
        return Draft(rest.document, [*draft.operations, *rest.operations], rest.about, page)

    def _split_leading_page(self, tokens: Sequence[Token], scope: Scope) -> tuple[Scope, Sequence[Token]]:
        """The scope of the page that a sentence begins with, and the rest of it."""
        if not tokens:
            return scope, tokens
        found = _ON_PAGE.match(self._text, tokens[0].start)
        if found is None or not tokens[0].word.isalpha():
            return scope, tokens
        page = paged(found[0].lower().replace(",", ""))[1]
        return scope.on_page(page), [token for token in tokens if token.start >= found.end()]

    def _elliptic(self, first: Sequence[Token], second: Sequence[Token], scope: Scope) -> Draft | None:
        """The edit of a second clause without its verb: ``make the title bold and red``."""
        at = first[0].start
        it = Token("it", at, at)
        make = Token("make", at, at)
        for words in ((first[0], *second), (first[0], it, *second), (make, it, *second)):
            draft = self._clause(words, scope)
            if draft is not None:
                return draft
        return None

    def _clause(self, tokens: Sequence[Token], scope: Scope) -> Draft | None:
        """The edit of a clause; ``None`` if it has none, or several different ones."""
        drafts: list[Draft] = []
        for variant, words in chain(self._paged(tokens, scope), self._excepted(tokens, scope)):
            drafts = list(self._drafts(words, variant))
            if drafts:
                break
        different = {draft.document.digest: draft for draft in drafts}
        if len(different) > 1:
            self._reasons.append((9, "this can be read in several ways; say it in other words"))
            return None
        return next(iter(different.values()), None)

    def _paged(self, tokens: Sequence[Token], scope: Scope) -> Iterator[tuple[Scope, Sequence[Token]]]:
        """A clause as it is, then without the page that it names, in that page's scope."""
        yield scope, tokens
        for found in _ON_PAGE.finditer(self._text):
            inside = [token for token in tokens if found.start() <= token.start < found.end()]
            if not inside or '"' in self._text[found.start() : found.end()]:
                continue
            if inside[-1] is tokens[-1] or inside[0] is tokens[0]:
                page = paged(found[0].lower().replace(",", ""))[1]
                yield scope.on_page(page), [token for token in tokens if token not in inside]

    def _excepted(self, tokens: Sequence[Token], scope: Scope) -> Iterator[tuple[Scope, Sequence[Token]]]:
        """A clause without its final exceptions, which go into the scope."""
        found = list(_EXCEPT.finditer(self._text))
        if not found or not tokens:
            return
        rest = [token for token in tokens if token.start < found[-1].start()]
        words = self._words([token for token in tokens if token.start >= found[-1].end()] or tokens[:1])
        if 0 < len(rest) < len(tokens):
            for variant, kept in self._paged(rest, scope):
                yield replace(variant, without=words), kept

    def _drafts(self, tokens: Sequence[Token], scope: Scope) -> Iterator[Draft]:
        words = {token.word for token in tokens}
        first = next((token.word for token in tokens if token.word != ","), "")
        for one in edit_patterns():
            kind = one.kind
            # Requests may be made of kinds of edits that are not read.
            if kind not in EDITS or (one.first is not None and first not in one.first) or not one.needed <= words:
                continue
            for spans in matches(one.pattern, tokens, self._fits, self._steps):
                self._steps.take(_EDIT_STEPS)
                values = self._values(kind, spans, tokens)
                draft = Draft(scope.now)
                try:
                    EDITS[kind](scope, values, draft)
                    self._finish(draft, scope, values)
                except Refused as error:
                    self._reasons.append((_weight(kind, values), str(error)))
                    continue
                yield draft

    def _finish(self, draft: Draft, scope: Scope, values: dict[str, Any]) -> None:
        check(scope.now, draft)
        new = [name for name in draft.document.places if name not in scope.now.places]
        # What a part of something was changed to is not the whole of it.
        is_part = any(arguments.get("type_of_modification") in ("words", "cell") for _, arguments in draft.operations)
        draft.about = [] if is_part else new or draft.element_ids

    def _values(self, kind: str, spans: Spans, tokens: Sequence[Token]) -> dict[str, Any]:
        values: dict[str, Any] = {}
        for slot, (start, end) in spans.items():
            words = self._words(tokens[start:end])
            values[slot] = self._value(slot, words)
            if slot in ("text", "new"):
                values["is_quoted"] = words[:1] in "\"'"
            if slot == "quote":
                values |= {"text": values[slot], "is_quoted": True}
            if slot == "old":
                values["is_exact"] = words[:1] in "\"'"
        values.setdefault("is_quoted", True)
        values.setdefault("is_exact", True)
        values["is_in_pixels"] = any(token.word in ("px", "x", "=") for token in tokens)
        if "background" in {token.word for token in tokens}:
            values["is_fill"] = True
        return values

    def _words(self, tokens: Sequence[Token]) -> str:
        if all(token.start == token.end for token in tokens):
            return " ".join(token.word for token in tokens)
        return self._text[tokens[0].start : tokens[-1].end].strip(" ,")

    def _fits(self, slot: str, tokens: Sequence[Token]) -> bool:
        return self._value(slot, self._words(tokens)) is not None


def _any(slot: str, tokens: Sequence[Token]) -> bool:
    return True


def _weight(kind: str, values: dict[str, Any]) -> int:
    """How well a reason explains why a request is refused."""
    return len([name for name in values if not name.startswith("is_")]) + (kind in ("delete", "text", "colour"))
