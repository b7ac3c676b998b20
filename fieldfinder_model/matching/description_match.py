"""Match a description to labels, word by word, in the label or near it."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property

from ...envs.core.boxes import Box, on_one_line, overlaps_by
from ..reading.page_reading import PageReading
from .label import Decay, Label, distinct, in_line, nearness, top_matches
from .target_words import similarity, split_joined, tokens_of, weight_of

_DECAY = Decay(beside=120, right=0.4, above=12, across=12, under=0.3, below=12)
_CROSSING = 0.6
"""The nearness of a row's heading that is below the heading of a column."""
_MAX_BAND, _MIN_RULE = 9.0, 6.0
"""The maximum height of a row of cells, and the minimum length of its rules, in heights of a letter."""
_NEAR = 0.5


class SpatialRelations:
    """Spatial relations between the boxes of a page.

    Args:
        reading: of the page.
    """

    def __init__(self, reading: PageReading) -> None:
        self._reading = reading
        self._bands: dict[Box, tuple[float, float] | None] = {}

    def nearness(self, label: Box, box: Box) -> float:
        """How likely a label belongs to a box, from 0 to 1, by their positions.

        High if the box is near, and left of the label, above it, or in the same row of cells.

        Args:
            label: in pixels.
            box: of something else.
        """
        letter = self._reading.letter
        near = _nearness(label, box, letter)
        if near < _NEAR and self._share_band(label, box):
            near = max(near, in_line(label, box, letter, _DECAY))
        return near

    def _share_band(self, one: Box, other: Box) -> bool:
        """Whether two boxes are between the same rules, like the cells of a row."""
        a, b = self._band(one), self._band(other)
        slack = 0.4 * self._reading.letter
        return a is not None and b is not None and abs(a[0] - b[0]) < slack and abs(a[1] - b[1]) < slack

    def _band(self, box: Box) -> tuple[float, float] | None:
        """The heights of the rules above and below a box, if they may bound a row."""
        if box not in self._bands:
            self._bands[box] = self._found_band(box)
        return self._bands[box]

    def _found_band(self, box: Box) -> tuple[float, float] | None:
        level, letter, middle = self._reading.level, self._reading.letter, (box[0] + box[2]) / 2
        y = (level[:, 1] + level[:, 3]) / 2
        over = (level[:, 0] <= middle) & (level[:, 2] >= middle) & (level[:, 2] - level[:, 0] > _MIN_RULE * letter)
        above, below = y[over & (y <= box[1] + 3)], y[over & (y >= box[3] - 3)]
        if not len(above) or not len(below) or below.min() - above.max() > _MAX_BAND * letter:
            return None
        return float(above.max()), float(below.min())


def _nearness(label: Box, box: Box, letter: float) -> float:
    near = nearness(label, box, letter, _DECAY)
    beneath = not on_one_line(label, box) and box[3] > label[1] + 0.5 * letter
    if beneath and box[2] <= label[0]:
        return max(near, _CROSSING * math.exp(-(box[1] - label[3]) / letter / 40))
    return near


_BESIDE = 0.75
"""The value of a word that is not in the label but near it."""
_LED = 0.75
"""The value of a word in a label that names what the field belongs to."""
_HEAD, _HEAD_BESIDE = 2.6, 0.15
"""The weight of the word that names the field, and the share of it if it is only near the label."""
_EXTRA_WORD = 0.3
"""The penalty for each word of a label that the description lacks."""
_INSIDE, _IN_PROSE = 7.0, 12.0
"""The penalty for words in the middle of others, and in a sentence."""
_NOWHERE = 0.35
"""The weight of a word that is not on the page at all."""
_KEPT, _MAX_COMPARED = 24, 96
_MAX_LENGTH, _MAX_RUN, _ABBREVIATED = 16, 3, 5
_PROSE = 8
"""A segment with more words than this is a sentence."""
_FAR = 0.12
_ENDS_A_LABEL = (":", "?", "_")


@dataclass(frozen=True)
class _Phrase:
    """Printed words that may be a label, and the penalty for their context."""

    printed: tuple[str, ...]
    box: Box
    loss: float


@dataclass(frozen=True)
class _Description:
    """A description of a field.

    Attributes:
        weights: the weight of each of its words, in their order.
        similar: for each word the similar words of the page, and how similar they are.
        head: the word that the label itself has.
        led: the words that name what the field belongs to.
    """

    weights: dict[str, float]
    similar: dict[str, dict[str, float]]
    head: str
    led: frozenset[str]

    def worth(self, token: str, printed: Sequence[str]) -> float:
        """How well some words match a word, from 0 to 1."""
        similar = self.similar[token]
        return max((similar.get(word, 0.0) for word in printed), default=0.0) * (_LED if token in self.led else 1)

    def extra_words(self, printed: Sequence[str]) -> float:
        """The weight of words that the description lacks."""
        return sum(weight_of(word) for word in printed if not any(word in similar for similar in self.similar.values()))


class TargetWording:
    """The words and phrases of a page with their places, searched by description.

    Args:
        reading: of the page.
    """

    def __init__(self, reading: PageReading) -> None:
        self._reading = reading
        self._relations = SpatialRelations(reading)
        self._placed: dict[str, list[tuple[Box, float]]] = {}
        self._similar_words: dict[str, dict[str, float]] = {}

    def described(self, text: str, lead: str = "", named: str = "") -> list[Label]:
        """The labels that a description may mean, the most likely first.

        Args:
            text: the description, without the person it is about.
            lead: the part of it that names what the field belongs to, rather than the field.
            named: the words of it that are most likely the field's label.
        """
        tokens = tuple(dict.fromkeys(tokens_of(split_joined(text))))
        head = self._head(tokens, named)
        if head is None:
            return []
        weights = {token: self._weight(token) * (_HEAD if token == head else 1) for token in tokens}
        similar = {token: self._similar(token) for token in tokens}
        description = _Description(weights, similar, head, frozenset(tokens_of(lead)))
        judged = (self._label(phrase, description) for phrase in self._phrases_with(tokens))
        return distinct(top_matches(label for label in judged if label is not None)[:_MAX_COMPARED])[:_KEPT]

    def _head(self, tokens: Sequence[str], named: str) -> str | None:
        """The word of a description that the label has; ``None`` if none is on the page."""
        on_page = [token for token in tokens if self._places(token)]
        matched = [token for token in on_page if token in tokens_of(named)]
        weighty = [token for token in on_page if weight_of(token) == 1]
        return next(reversed(matched or weighty or on_page), None)

    def _weight(self, token: str) -> float:
        """The weight of a word in the description: lower if it is frequent on the page."""
        count = len(self._places(token))
        return weight_of(token) * (1 / (1 + 0.4 * math.log(count)) if count else _NOWHERE)

    def _label(self, phrase: _Phrase, description: _Description) -> Label | None:
        """A phrase as a label for a description; ``None`` if they share no word."""
        matched = {
            token: worth for token in description.weights if (worth := description.worth(token, phrase.printed)) > 0
        }
        if not matched:
            return None
        total = sum(description.weights[token] * worth for token, worth in matched.items())
        best, other = 0.0, None
        for token, weight in description.weights.items():
            near, box = self._beside(token, phrase.box) if matched.get(token, 0) < 1 else (0.0, None)
            share = _BESIDE * (_HEAD_BESIDE if token == description.head else 1) * near
            gain = weight * max(0.0, share - matched.get(token, 0))
            total += gain
            if gain > best:
                best, other = gain, box
        score = (
            100 * total / (sum(description.weights.values()) + _EXTRA_WORD * description.extra_words(phrase.printed))
        )
        return Label(score - phrase.loss, phrase.box, " ".join(matched), other)

    def _beside(self, token: str, label: Box) -> tuple[float, Box | None]:
        """How near to a label a word is printed, from 0 to 1, and where."""
        best, where = _FAR, None
        for box, score in self._places(token):
            near = score * self._relations.nearness(label, box)
            if near > best and not overlaps_by(box, label, 0.5) and not overlaps_by(label, box, 0.5):
                best, where = near, box
        return (best, where) if where is not None else (0.0, None)

    # -- Words and their places ----------------------------------------------------------------------------------------

    def _places(self, token: str) -> list[tuple[Box, float]]:
        """Where a word is printed, and how well it matches."""
        if token not in self._placed:
            similar = self._similar(token)
            self._placed[token] = [(box, similar[word]) for word in similar for box in self._words.get(word, ())]
        return self._placed[token]

    def _similar(self, token: str) -> dict[str, float]:
        """The words of the page that are similar to a word, and how similar they are."""
        if token not in self._similar_words:
            found = {word: similarity(token, word) for word in self._phrases_of}
            self._similar_words[token] = {word: score for word, score in found.items() if score > 0}
        return self._similar_words[token]

    @cached_property
    def _words(self) -> dict[str, list[Box]]:
        """The boxes of every printed word."""
        found = defaultdict[str, list[Box]](list)
        for segment in self._reading.segments:
            for token in dict.fromkeys(tokens_of(self._text(segment))):
                found[token].append(self._box_of(segment, token))
        return dict(found)

    def _box_of(self, segment: Sequence[int], token: str) -> Box:
        """The box of the word in a segment that is a token, or of all if several are."""
        for i in segment:
            if token in tokens_of(self._reading.words[i].text):
                return self._reading.words[i].box
        return self._reading.box(segment)

    def _text(self, run: Sequence[int]) -> str:
        return " ".join(self._reading.words[i].text for i in run)

    def _phrases_with(self, tokens: Sequence[str]) -> list[_Phrase]:
        """The phrases that share a word with a description."""
        words = {word for token in tokens for word in self._similar(token)}
        return [self._phrases[i] for i in sorted({i for word in words for i in self._phrases_of[word]})]

    @cached_property
    def _phrases_of(self) -> dict[str, list[int]]:
        """For each word the phrases that have it."""
        found = defaultdict[str, list[int]](list)
        for i, phrase in enumerate(self._phrases):
            for word in dict.fromkeys(phrase.printed):
                found[word].append(i)
        return dict(found)

    @cached_property
    def _phrases(self) -> list[_Phrase]:
        return list(self._runs())

    def _runs(self) -> Iterator[_Phrase]:
        """Segments, alone and with their continuations, and runs of their words."""
        reading = self._reading
        for i, segment in enumerate(reading.segments):
            further = reading.segments[reading.following[i]] if i in reading.following else ()
            for run in dict.fromkeys((segment, (*segment, *further))):
                if len(run) <= _MAX_LENGTH:
                    yield _Phrase(tokens_of(self._text(run)), reading.box(run), 0.0)
            for length in range(1, min(len(segment), _MAX_RUN + 1)):
                for start in range(len(segment) - length + 1):
                    run = segment[start : start + length]
                    printed = self._text(run)
                    yield _Phrase(tokens_of(printed), reading.box(run), _loss(printed, start, len(segment)))


def _loss(printed: str, start: int, words: int) -> float:
    """The penalty for words in the middle of others or in a sentence."""
    if words > _PROSE or (printed.endswith(".") and len(printed) > _ABBREVIATED):
        return _IN_PROSE
    return 0.0 if start == 0 and printed.endswith(_ENDS_A_LABEL) else _INSIDE
