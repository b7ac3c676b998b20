"""The oracle locator: knows where every field is, and finds it by its name."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache
from math import log
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
from rapidfuzz import fuzz

from ..envs.core.boxes import Box
from ..envs.core.locators import Detection
from ..envs.core.painting import Image
from ..envs.core.spaces import Observation

if TYPE_CHECKING:
    from ..envs.core.env import FieldBox, PaperworkEnv

_AT_LEAST = 0.4
"""The lowest similarity of two names, of 1, at which they match."""
_MAX_PLACES = 5
_SHARPNESS = 12
"""The exponent that sharpens the scores: the higher, the more the best match has."""
_WORD = re.compile(r"[^\W_]+(?:-[^\W_]+)*")
_OWN = re.compile(r"['’]s\b")
_SMALL = frozenset({"a", "an", "and", "at", "be", "by", "for", "in", "is", "of", "on", "or", "the", "to", "with"})
_SAME_WORD = 84
"""The lowest similarity of two words, of 100, at which they are forms of one word."""


class OracleLocator:
    """Finds fields by their names and gives their exact boxes.

    Names are compared by their words, in any order, the rarer ones on the page counting for more; so ``"Phone | Second
    reference"`` finds ``"Second reference: phone"``.

    Args:
        env: the environment whose fields it knows.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        self._env = cast("PaperworkEnv", env.unwrapped)

    def locate(self, page: Image, target: str) -> list[Detection]:
        """Up to five fields whose names are most similar to ``target``, the best first."""
        places = self._env.state.places
        alike = sorted(_likenesses(target, tuple(place.label for place in places)), reverse=True)[:_MAX_PLACES]
        total = sum(likeness**_SHARPNESS for likeness, _ in alike)
        return [
            Detection(self.box_on(page, places[-index]), min(likeness, 1.0) * likeness**_SHARPNESS / total)
            for likeness, index in alike
        ]

    def locate_all(self, page: Image, targets: Sequence[str]) -> list[Sequence[Detection]]:
        """The fields of many names; see ``Locator``."""
        return [self.locate(page, target) for target in targets]

    @property
    def places(self) -> Sequence[FieldBox]:
        """The fields that it knows."""
        return self._env.state.places

    @property
    def task_id(self) -> str:
        """The id of the current task."""
        return self._env.state.task_id

    def box_on(self, page: Image, place: FieldBox) -> Box:
        """The box of a field in pixels of a page that may be scaled down."""
        factor = page.shape[1] / self._env.state.background.shape[1]
        left, top, right, bottom = place.box
        return left * factor, top * factor, right * factor, bottom * factor


@lru_cache(maxsize=4096)
def _likenesses(target: str, labels: tuple[str, ...]) -> list[tuple[float, int]]:
    """The similarity of a target to each similar label, with the label's index.

    The index is negative so that of two equally similar labels the first one on the page is the greater pair. An
    identical label scores more than 1.
    """
    weights = _weights(labels)
    found = ((_likeness(target, label, weights), -index) for index, label in enumerate(labels))
    return [pair for pair in found if pair[0] >= _AT_LEAST]


def _likeness(target: str, label: str, weights: Mapping[str, float]) -> float:
    """The weighted Dice similarity of words, from 0 to 1; 1.5 for identical texts."""
    if target == label:
        return 1.5
    target_words, label_words = _words(target), _words(label)
    rarest = max(weights.values(), default=1.0)
    shared = sum(weights[word] for word in label_words if any(_same(word, other) for other in target_words))
    matched = sum(
        _weight(word, weights, rarest) for word in target_words if any(_same(word, other) for other in label_words)
    )
    total = sum(_weight(word, weights, rarest) for word in (*target_words, *label_words))
    return (shared + matched) / total if total else fuzz.ratio(target, label) / 100


def _weight(word: str, weights: Mapping[str, float], rarest: float) -> float:
    """The weight of a word; a word in no label weighs half as much as the rarest."""
    return weights.get(word, rarest / 2)


@lru_cache(maxsize=256)
def _weights(labels: tuple[str, ...]) -> dict[str, float]:
    """The weight of each word of the labels: smaller for those in many of them."""
    counts = Counter(word for label in labels for word in _words(label))
    return {word: 0.3 + log(1 + len(labels) / count) for word, count in counts.items()}


@lru_cache(maxsize=65_536)
def _words(name: str) -> frozenset[str]:
    words = _WORD.findall(_OWN.sub("", name.casefold()))
    return frozenset(word for word in words if word not in _SMALL) or frozenset(words)


@lru_cache(maxsize=65_536)
def _same(one: str, other: str) -> bool:
    """Whether two words are forms of one, as phone and phones; numbers must be equal."""
    if one == other or one.replace("-", "") == other.replace("-", ""):
        return True
    # What words begin with changes their meaning (married, unmarried); their ends seldom do.
    if min(len(one), len(other)) < 4 or one[:3] != other[:3] or "-" in one + other:
        return False
    return bool(fuzz.ratio(one, other) >= _SAME_WORD)
