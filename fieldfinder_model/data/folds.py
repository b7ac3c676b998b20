"""Form-disjoint cross-validation folds of the data sets.

Pages whose printed words are nearly the same are the same form with other answers: they are in one fold. A hash of the
first name in a group of such pages chooses the fold, so that it does not depend on what else is in the set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256

import numpy as np
from numpy.typing import NDArray

from .sources import PageSource, sources

_MIN_JACCARD = 0.3
"""Pages are of one form if their sets of words have at least this Jaccard index."""
_MIN_WORDS = 8
"""Pages with fewer words than this are similar to no other."""


def fold(name: str, k: int) -> int:
    """The fold, from 0 to k - 1, that the hash of a name gives."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") % k


def folds(name: str, k: int, root: str | None = None, split: str | None = None) -> dict[str, int]:
    """The fold, from 0 to k - 1, of each annotated page of a data set, by name.

    Args:
        name: of the set, such as ``"funsd"``.
        k: how many folds there are.
        root: the folder that the data set lies in; ``None``: below FORMGYM_DATA.
        split: of the data set; ``None``: ``"train"``.

    Raises:
        ValueError: if the data set cannot be had.
    """
    first = groups({source.name: printed_words(source) for source in sources(name, root, split)})
    return {page: fold(group, k) for page, group in first.items()}


def printed_words(source: PageSource) -> set[str]:
    """The set of words of a page that belong to no answer, in lower case."""
    parts = (part for part in source.parts.values() if part.label != "answer")
    return {word.text.casefold() for part in parts for word in part.words}


def groups(pages: Mapping[str, set[str]]) -> dict[str, str]:
    """For each page, the first name among the pages similar to it.

    Pages are similar directly or through others.

    Args:
        pages: the different words that are printed on each page.
    """
    names = sorted(pages)
    same_form = _same_form([pages[name] for name in names])
    labels = np.arange(len(names))
    while True:
        least = np.where(same_form, labels, len(names)).min(axis=1, initial=len(names))
        if np.array_equal(least, labels):
            return {name: names[label] for name, label in zip(names, labels, strict=True)}
        labels = least


def _same_form(pages: Sequence[set[str]]) -> NDArray[np.bool_]:
    """Which pages are of the same form: a symmetric matrix, (pages, pages)."""
    places = {word: i for i, word in enumerate(sorted(set[str]().union(*pages)))}
    has = np.zeros((len(pages), len(places)), np.float32)
    for row, words in enumerate(pages):
        has[row, [places[word] for word in words]] = 1
    both, count = has @ has.T, has.sum(axis=1)
    either = count[:, None] + count - both
    enough = np.minimum(count[:, None], count) >= _MIN_WORDS
    same: NDArray[np.bool_] = ((both >= _MIN_JACCARD * either) & enough) | np.eye(len(pages), dtype=np.bool_)
    return same
