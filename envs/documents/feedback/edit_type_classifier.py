"""Classify a request by the kinds of edits that it asks for."""

from __future__ import annotations

import re
from functools import lru_cache

import numpy as np
from pydantic import RootModel

from ....assets import ROOT
from ...core.files import load
from ..operations.table import EDITS
from .network import Network, Numbers
from .request_features import RequestFeatures

_COUNTS = ("new quotes", "said quotes", "mentions", "numbers", "colours", "shapes", "pictures", "faces", "plurals")
EDIT_NAMES = tuple(EDITS)
"""The kinds of edits, in the order of the network's outputs."""
_FORMS = {
    name: re.compile(pattern)
    for name, pattern in (
        ("mention first", r"^(?:i want |i'd like |i would like )?\{[nm]\d+\}"),
        ("mention is", r"\{[nm]\d+\} (?:should|must|needs?|has|ought|to be|wants?)"),
        ("two mentions", r"\{[nm]\d+\} (?:and|with|to|for) \{[nm]\d+\}"),
        ("new before", r"(?:\{q\d+\}|[\w-]+) (?:below|under|above|over|beneath|underneath|in the|at the) "),
        ("place told", r"(?:below|under|above|over|beneath|underneath|next to|beside) \{[nm]\d+\}"),
        ("of mention", r"of \{[nm]\d+\}"),
        ("in mention", r"(?:in|within|inside) \{[nm]\d+\}"),
    )
}
"""Patterns of skeletons, by the names of features."""
CUES_FILE = ROOT / "document_models" / "feedback_cues.json"
"""The regular expressions of each cue, for whole words."""


class _Cues(RootModel[dict[str, tuple[str, ...]]]):
    """The regular expressions of each cue; one of them must match."""


@lru_cache(maxsize=1)
def cue_patterns() -> dict[str, re.Pattern[str]]:
    """The pattern of each cue, for text in lower case.

    Raises:
        ValueError: if the file is missing or against the schema.
    """
    cues = load(_Cues, CUES_FILE).root
    return {name: re.compile(rf"(?<![\w-])(?:{'|'.join(words)})(?!\w)") for name, words in cues.items()}


def cues_in(words: str) -> dict[str, int]:
    """How often each cue occurs in text in lower case, up to twice."""
    return {name: min(len(pattern.findall(words)), 2) for name, pattern in cue_patterns().items()}


def edit_type_inputs() -> tuple[str, ...]:
    """The names of the features: cues first, in the order of their file."""
    return (*cue_patterns(), *_COUNTS, *_FORMS, "words")


def edit_type_features(request: RequestFeatures) -> Numbers:
    """The features of a request: float64 (len(edit_type_inputs()),)."""
    # Without what stands between them, both parts of a verb such as "take ... out" are one.
    words = " ".join(re.sub(r"\{[nmq]\d+\}", " ", request.skeleton).split())
    counts = (
        request.quote_in_document.count(False),
        request.quote_in_document.count(True),
        len(request.mentions),
        len(request.numbers),
        len(request.colours),
        len(request.shapes),
        len(request.pictures),
        len(request.faces),
        sum(request.is_plural),
    )
    forms = (pattern.search(request.skeleton) is not None for pattern in _FORMS.values())
    found = (*cues_in(words).values(), *(min(count, 3) for count in counts), *forms, len(words.split()) / 10)
    return np.array(found, np.float64)


def predict_edit_types(values: Numbers, classifier: Network) -> dict[str, float]:
    """The probability of each kind of edit that a request asks for it.

    Args:
        values: of ``edit_type_features``.
        classifier: the network.
    """
    scores = np.clip(classifier.scores(values), -30, 30)
    return dict(zip(classifier.outputs, (1 / (1 + np.exp(-scores))).tolist(), strict=True))
