"""Find the runs of printed words that are similar to a text."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from rapidfuzz import fuzz, process

from ...envs.core.boxes import Box, area, intersection_area, iou, overlap_height
from ...envs.core.locators import Detection
from ..reading.page_reading import PageReading
from .description_match import TargetWording
from .owners import Zones, columns_of, zones_of
from .target_words import agreement, letters

_MAX_WORDS, _MAX_LETTERS = 26, 140
_LINES = 5
"""The maximum number of lines of a label."""
_BEST = 250
"""The maximum number of matches to score in full."""
_REWORDED, _MIN_AGREEMENT = 6.0, 42.0
"""The penalty for text in other words, and its minimum agreement."""
_WITHIN = 8.0
"""The penalty for words that are not the first of their segment, as most labels are."""
_ENDS_A_LABEL = (":", "_", "?")
_BEFORE_A_LABEL = (":", "_", ".", ")")


class Spans:
    """All runs of words of a page.

    Args:
        reading: of the page.
    """

    def __init__(self, reading: PageReading) -> None:
        self._reading = reading
        self._letters = [letters(word.text) for word in reading.words]
        self._segment_of = {i: segment for segment in reading.segments for i in segment}
        self._known: dict[tuple[str, int, float], list[Detection]] = {}

    @cached_property
    def zones(self) -> Zones | None:
        """The parts of the page that are about the first and the second person."""
        return zones_of(self._reading)

    @cached_property
    def columns(self) -> list[tuple[Box, Box]]:
        """Headings of columns for the first and the second person."""
        return columns_of(self._reading)

    @property
    def asks_two(self) -> bool:
        """Whether the page asks the same of two persons, in separate parts or columns."""
        return self.zones is not None or bool(self.columns)

    @cached_property
    def wording(self) -> TargetWording:
        """The words of the page and their places, to search by description."""
        return TargetWording(self._reading)

    def like(self, text: str, limit: int, min_score: float = 55) -> list[Detection]:
        """The runs of words most similar to a text, the best first, without duplicates.

        Args:
            text: the text to search for.
            limit: the maximum number of results.
            min_score: the minimum similarity, of 100.
        """
        key = text, limit, min_score
        if key not in self._known:
            self._known[key] = self._found(text, limit, min_score)
        return self._known[key]

    def _found(self, text: str, limit: int, min_score: float) -> list[Detection]:
        query = letters(text)
        if not query or not self._runs[0]:
            return []
        found = list(self._whole(query, text, min_score))
        if max((match.score for match in found), default=0) < 82:
            found.extend(self._within(query))
        kept: list[Detection] = []
        for match in sorted(found, key=lambda match: -match.score):
            if len(kept) == limit:
                break
            if all(_apart(match.box, other.box) for other in kept):
                kept.append(match)
        return kept

    @cached_property
    def _runs(self) -> tuple[list[tuple[int, ...]], list[str], np.ndarray[tuple[int], np.dtype[np.int64]]]:
        """The runs as indices of words, their letters, and the number of their letters."""
        runs: dict[tuple[int, ...], str] = {}
        for line in self._lines():
            for start in range(len(line)):
                printed = ""
                for end in range(start, min(len(line), start + _MAX_WORDS)):
                    printed += self._letters[line[end]]
                    if len(printed) > _MAX_LETTERS:
                        break
                    if printed:
                        runs.setdefault(line[start : end + 1], printed)
        return list(runs), list(runs.values()), np.array([len(printed) for printed in runs.values()], np.int64)

    def _lines(self) -> Iterator[tuple[int, ...]]:
        """Segments, whole lines, and segments with their continuations."""
        reading = self._reading
        yield from reading.segments
        yield from (tuple(row) for row in reading.rows if len(row) > 1)
        for i, segment in enumerate(reading.segments):
            run, last = segment, i
            for _ in range(_LINES - 1):
                if last not in reading.following:
                    break
                last = reading.following[last]
                run = run + reading.segments[last]
                yield run

    def _whole(self, query: str, text: str, min_score: float) -> Iterator[Detection]:
        runs, printed, length = self._runs
        near = np.flatnonzero((length >= 0.55 * len(query)) & (length <= 1.6 * len(query) + 2))
        if not len(near):
            return
        scores = process.cdist([query], [printed[i] for i in near], scorer=fuzz.ratio, score_cutoff=min_score)[0]
        for at in np.argsort(-scores, kind="stable")[:_BEST]:
            if scores[at] < min_score:
                return
            run = runs[near[at]]
            score = float(scores[at]) - self._gap_penalty(run) + self._form_bonus(run, text)
            yield Detection(self._reading.box(run), score)

    def _within(self, query: str) -> Iterator[Detection]:
        """Matches inside segments, where words were read as one."""
        for segment, box in zip(self._reading.segments, self._reading.segment_boxes, strict=True):
            printed = "".join(self._letters[i] for i in segment)
            if len(printed) < max(4, 0.9 * len(query)):
                continue
            at = fuzz.partial_ratio_alignment(query, printed, score_cutoff=70)
            if at is not None and at.dest_end - at.dest_start > 0.6 * len(query):
                left, right = self._edges(segment, at.dest_start, at.dest_end)
                yield Detection((left, box[1], right, box[3]), at.score - 4)

    def _edges(self, segment: Sequence[int], start: int, end: int) -> tuple[float, float]:
        """The left and right edge of a range of letters of a segment."""
        edges = [
            (left + (right - left) * n / count, left + (right - left) * (n + 1) / count)
            for i in segment
            for left, right, count in [(*self._reading.words[i].box[::2], len(self._letters[i]))]
            for n in range(count)
        ]
        return edges[start][0], edges[end - 1][1]

    def _gap_penalty(self, run: Sequence[int]) -> float:
        """The penalty of a run for wide gaps."""
        loss = 0.0
        boxes = [self._reading.words[i].box for i in run]
        for a, b in itertools.pairwise(boxes):
            gap = (b[0] - a[2]) / max(6.0, a[3] - a[1])
            if overlap_height(a, b) > 0 and gap > 1.6:
                loss += min(30.0, 6 * (gap - 1.6))
        return loss

    def _form_bonus(self, run: Sequence[int], text: str) -> float:
        """The bonus or penalty of a run for its spelling and for being a whole segment."""
        words = self._reading.words
        printed = " ".join(words[i].text for i in run)
        gain = 0.06 * (fuzz.ratio(printed, text.strip()) - 100)
        first, last = self._segment_of[run[0]], self._segment_of[run[-1]]
        before, after = first.index(run[0]), last.index(run[-1])
        if before > 0:
            gain -= 1.0 if _leads(words[first[before - 1]].text.rstrip()) else _WITHIN
        if after < len(last) - 1 and not words[run[-1]].text.endswith(_ENDS_A_LABEL):
            gain -= 2.0
        return gain

    def sharing_words(self, text: str, limit: int) -> list[Detection]:
        """Segments that share words with a text, the best first.

        Args:
            text: the text to search for.
            limit: the maximum number of results.
        """
        found = ((agreement(text, printed) - _REWORDED, box) for printed, box in self._phrases)
        likely = sorted((pair for pair in found if pair[0] >= _MIN_AGREEMENT), key=lambda pair: -pair[0])
        kept: list[Detection] = []
        for score, box in likely:
            if len(kept) < limit and all(_apart(box, other.box) for other in kept):
                kept.append(Detection(box, score))
        return kept

    @cached_property
    def _phrases(self) -> list[tuple[str, Box]]:
        """The texts and boxes of segments, alone and with their continuations."""
        reading = self._reading
        runs: dict[tuple[int, ...], None] = dict.fromkeys(reading.segments)
        for i, segment in enumerate(reading.segments):
            if i in reading.following:
                runs[segment + reading.segments[reading.following[i]]] = None
        return [(" ".join(reading.words[i].text for i in run), reading.box(run)) for run in runs]


def _leads(word: str) -> bool:
    """Whether a label may begin after this word: a number or the end of a label."""
    return word.endswith(_BEFORE_A_LABEL) or word.isdecimal()


def _apart(a: Box, b: Box) -> bool:
    return iou(a, b) < 0.3 and intersection_area(a, b) < 0.7 * min(area(a), area(b))
