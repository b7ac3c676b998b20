"""Match the keys of values to the controls of a page by their labels."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence

from ...core.matchers import fold

Fits = Callable[[str, str], bool]
"""Whether most values of a key can be entered into a control."""

_EQUAL = 100.0
_MARGIN = 5.0
"""By how much the best pair must be ahead of any other of its key or its control, on a scale of 100."""
_SAME_WORD, _MIN_STEM = 85.0, 5
_MANY_WORDS, _MANY_WORDS_SHARE = 5, 0.8
_IGNORED = frozenset("a an and any are be by for have i if in is of on or please that the this to you your".split())
_ASIDE = re.compile(r"\([^)]*\)")
_HYPHEN = re.compile(r"(?<=\b[a-zA-Z])-(?=[a-zA-Z])")
_CASE_CHANGE = re.compile(r"(?<=[a-z0-9])(?=[A-Z])")


def match_labels(keys: Sequence[str], labels: Mapping[str, Sequence[str]], fits: Fits) -> dict[str, str]:
    """The control of each key that has one; keys that fit several controls equally well, or none, are left out.

    Args:
        keys: unique texts.
        labels: the texts of each control, the most reliable first.
        fits: decides between equal labels, and must hold where labels differ.
    """
    scores = {(key, name): max(map(_score(key), texts), default=0.0) for key in keys for name, texts in labels.items()}
    found: dict[str, str] = {}
    while True:
        free = {
            pair: score
            for pair, score in scores.items()
            if score and pair[0] not in found and pair[1] not in found.values()
        }
        clear = [pair for pair in free if _is_ahead(pair, free, fits)]
        if not clear:
            return found
        key, name = max(clear, key=free.__getitem__)
        found[key] = name


def _is_ahead(pair: tuple[str, str], scores: Mapping[tuple[str, str], float], fits: Fits) -> bool:
    """Whether a pair is better than all others of its key and its control."""
    rivals = [other for other in scores if other != pair and (other[0] == pair[0] or other[1] == pair[1])]
    close = [other for other in rivals if scores[other] > scores[pair] - _MARGIN]
    if scores[pair] >= _EQUAL and all(scores[other] < _EQUAL for other in close):
        return True
    return fits(*pair) and not any(fits(*other) for other in close)


def _score(key: str) -> Callable[[str], float]:
    """How similar labels are to a key: ``_EQUAL`` and more, or less; 0 unless one has the words of the other."""
    from rapidfuzz import fuzz

    left = words(key)

    def score(label: str) -> float:
        if not label.strip():
            return 0.0
        if _letters(key) == _letters(label):
            return _EQUAL + 2 * _MARGIN
        if _letters(_ASIDE.sub("", key)) == _letters(_ASIDE.sub("", label)):
            return _EQUAL
        right = words(label)
        short, long = sorted((left, right), key=len)
        shared = sum(any(_same_word(word, other) for other in long) for word in short)
        if not short or shared < (_MANY_WORDS_SHARE if len(short) >= _MANY_WORDS else 1.0) * len(short):
            return 0.0
        return (_EQUAL - _MARGIN + fuzz.token_sort_ratio(" ".join(left), " ".join(right))) / 2

    return score


def words(label: str) -> tuple[str, ...]:
    """The words of a label or of a control's name that say what it is for."""
    spaced = _HYPHEN.sub("", _CASE_CHANGE.sub(" ", label))
    return tuple(word for word in re.findall(r"[^\W_]+", fold(spaced)) if word not in _IGNORED)


def _letters(label: str) -> str:
    return re.sub(r"[\W_]+", "", fold(re.sub(r"\((?:optional|required)\)", "", label, flags=re.IGNORECASE)))


def _same_word(one: str, other: str) -> bool:
    from rapidfuzz import fuzz

    short, long = sorted((one, other), key=len)
    alike = long.startswith(short) or fuzz.ratio(one, other) >= _SAME_WORD
    return one == other or (len(short) >= _MIN_STEM and alike)
