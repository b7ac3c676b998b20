"""Asking: which kinds of edits the words of a request ask for."""

from __future__ import annotations

import re

import numpy as np

from ..operations.table import EDITS
from .keyword_features import cue_patterns, cues_in
from .network import Layers, Numbers
from .request_features import Reading

_COUNTS = ("new quotes", "said quotes", "mentions", "numbers", "colours", "shapes", "pictures", "faces", "plurals")
_AFTER = ("mention first", "mention is", "two mentions", "new before", "place told", "of mention", "in mention")
EDIT_NAMES = tuple(EDITS)
"""The kinds of edits, in the order of the reader's outputs."""
_SHAPES = {
    "mention first": r"^(?:i want |i'd like |i would like )?\{[nm]\d+\}",
    "mention is": r"\{[nm]\d+\} (?:should|must|needs?|has|ought|to be|wants?)",
    "two mentions": r"\{[nm]\d+\} (?:and|with|to|for) \{[nm]\d+\}",
    "new before": r"(?:\{q\d+\}|[\w-]+) (?:below|under|above|over|beneath|underneath|in the|at the) ",
    "place told": r"(?:below|under|above|over|beneath|underneath|next to|beside) \{[nm]\d+\}",
    "of mention": r"of \{[nm]\d+\}",
    "in mention": r"(?:in|within|inside) \{[nm]\d+\}",
}
_PATTERNS = {name: re.compile(pattern) for name, pattern in _SHAPES.items()}


def asking_inputs() -> tuple[str, ...]:
    """What the reader is told of a request: cues first, in the order of their file."""
    return (*cue_patterns(), *_COUNTS, *_AFTER, "words")


def asking_values(reading: Reading) -> Numbers:
    """What the reader is told: float64 (len(asking_inputs()),)."""
    # Without what stands between them, both parts of a verb such as "take ... out" are one.
    words = " ".join(re.sub(r"\{[nmq]\d+\}", " ", reading.skeleton).split())
    counts = (
        reading.is_said.count(False),
        reading.is_said.count(True),
        len(reading.mentions),
        len(reading.numbers),
        len(reading.colours),
        len(reading.shapes),
        len(reading.pictures),
        len(reading.faces),
        sum(reading.is_plural),
    )
    shapes = (pattern.search(reading.skeleton) is not None for pattern in _PATTERNS.values())
    found = (*cues_in(words).values(), *(min(count, 3) for count in counts), *shapes, len(words.split()) / 10)
    return np.array(found, np.float64)


def asked_edits(values: Numbers, reader: Layers) -> dict[str, float]:
    """For each kind of edit, how likely it is that a request asks for it, from 0 to 1.

    Args:
        values: of ``asking_values``.
        reader: the network.
    """
    scores = np.clip(reader.scores(values), -30, 30)
    return dict(zip(reader.outputs, (1 / (1 + np.exp(-scores))).tolist(), strict=True))
