"""The locators that FieldFinder can be given, by name, and those that know the places of all fields."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from hashlib import sha256
from inspect import signature
from math import log
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
import numpy as np
from rapidfuzz import fuzz

from ..envs.core.boxes import Box, centre, contains_pixel, shift
from ..envs.core.locators import Detection, Locator
from ..envs.core.painting import Image
from ..envs.core.spaces import Observation
from ..fieldfinder_model.locators import LOCATORS as PAGE_LOCATORS
from ..fieldfinder_model.locators import Maker, maker_of
from .tool_wrapper import takes_fractions

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

    >>> env = gym.make("FormGym/Scans-v0")
    >>> observation, _ = env.reset(options={"task": "en_equipment_inspection"})
    >>> len(OracleLocator(env).locate(observation["page"], "Next inspection due"))
    1

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

    def box_on(self, page: Image, place: FieldBox) -> Box:
        """The box of a field in pixels of a page that may be scaled down."""
        factor = page.shape[1] / self._env.page_size[1]
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


class NoisyLocator(OracleLocator):
    """The oracle locator with errors: shows the value of locating at each accuracy.

    Whether a target is found is drawn for each task and target: to ask again gives the same answer. Where it is not,
    half of the answers are another field's box, and half a box of the right size beside the right one.

    >>> env = gym.make("FormGym/Scans-v0")
    >>> observation, _ = env.reset(options={"task": "en_equipment_inspection"})
    >>> len(NoisyLocator(env, accuracy=0.5).locate(observation["page"], "Next inspection due"))
    1

    Args:
        env: the environment whose fields it knows.
        accuracy: how likely the right box is, from 0 to 1.
        seed: another number gives other mistakes.

    Raises:
        ValueError: if the accuracy is not from 0 to 1.
    """

    def __init__(self, env: gym.Env[Observation, Any], accuracy: float = 0.8, seed: int = 0) -> None:
        if not 0 <= accuracy <= 1:
            raise ValueError(f"accuracy must lie between 0 and 1; it is {accuracy}")
        super().__init__(env)
        self.accuracy, self.seed = accuracy, seed

    def locate(self, page: Image, target: str) -> list[Detection]:
        """The oracle's boxes, or a single wrong one if this target is missed."""
        found = super().locate(page, target)
        # Task, target and seed alone decide.
        named = f"{self.seed}\n{self._env.state.task_id}\n{target}".encode("utf-8", "replace")
        rng = np.random.default_rng(int.from_bytes(sha256(named).digest()[:8], "big"))
        if not found or rng.random() < self.accuracy:
            return found
        return [Detection(self._wrong_box(page, found[0].box, rng), found[0].score)]

    def _wrong_box(self, page: Image, right: Box, rng: np.random.Generator) -> Box:
        boxes = [self.box_on(page, place) for place in self._env.state.places]
        others = [box for box in boxes if box != right]
        if others and rng.random() < 0.5:
            return others[int(rng.integers(len(others)))]
        return _beside(right, page, rng)


def _beside(box: Box, page: Image, rng: np.random.Generator) -> Box:
    """A box of the same size next to ``box``, on a side where the page has room."""
    left, top, right, bottom = box
    width, height = right - left, bottom - top
    steps = [(width, 0.0), (-width, 0.0), (0.0, height), (0.0, -height)]
    moved = [shift(box, x, y) for x, y in steps]
    page_box = (0, 0, page.shape[1], page.shape[0])
    fitting = [corners for corners in moved if contains_pixel(page_box, *centre(corners))]
    return fitting[int(rng.integers(len(fitting)))] if fitting else moved[0]


def _without_env(name: str, env: gym.Env[Observation, Any], **options: Any) -> Locator:
    """A locator that sees only the page; it rereads pages whose contents change."""
    if name != "florence" and not takes_fractions(env):
        options = {"reread": True} | options
    return PAGE_LOCATORS[name](**options)


LOCATORS: dict[str, Maker] = {
    "oracle": OracleLocator,
    "noisy_oracle": NoisyLocator,
    **{name: partial(_without_env, name) for name in PAGE_LOCATORS},
}
"""The function that makes each locator from its options and, if it takes ``env``, the environment: two know the
places of all fields, the others look for them on the page."""


def make_locator(name: str, env: gym.Env[Observation, Any], options: Mapping[str, Any]) -> Locator:
    """A locator for an environment.

    Args:
        name: one of ``LOCATORS``, or the entry point ``"module:name"`` of one of your own.
        env: the environment; locators with an argument of that name are given it.
        options: what the locator takes besides.

    Raises:
        ValueError: if there is no such locator, or it takes no such options.
    """
    maker = maker_of(name, LOCATORS)
    try:
        return maker(env, **options) if _takes_env(maker) else maker(**options)
    except (ImportError, TypeError) as error:
        raise ValueError(f"locator {name!r} cannot be made with {dict(options)}: {error}") from error


def _takes_env(maker: Maker) -> bool:
    """Whether a maker takes the environment."""
    try:
        return "env" in signature(maker).parameters
    except ValueError:
        return True
