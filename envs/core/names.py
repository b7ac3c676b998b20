"""Read and compare names of people: their words in the order first to last."""

from __future__ import annotations

import re
from functools import lru_cache
from typing import NamedTuple

_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv", "md", "phd"])
_OTHER_SUFFIXES = {"junior": "jr", "senior": "sr", "2nd": "ii", "3rd": "iii", "4th": "iv"}
_PARTICLE = re.compile(r"\b([dlo])' ")
_FORMS_OF_ADDRESS = frozenset(["mr", "mrs", "ms", "miss", "mx"])
_TITLES = _FORMS_OF_ADDRESS | {"dr", "prof"}


class Name(NamedTuple):
    """Words, suffixes and titles of a name; halves of a double name keep a hyphen."""

    words: tuple[str, ...]
    suffixes: tuple[str, ...]
    titles: frozenset[str]


@lru_cache(maxsize=4096)
def read_name(folded: str) -> Name:
    """The name in a folded text, without dots, commas and apostrophes."""
    titled = [_without_titles(_words(part)) for part in folded.split(",")]
    titles = frozenset(title for found, _ in titled for title in found)
    parts = [_short_suffixes(words, is_first=i == 0) for i, (_, words) in enumerate(titled)]
    if len([part for part in parts if set(part) - _SUFFIXES]) == 2:
        last_name = parts[0]
        parts = [*parts[1:], last_name]
    words = [word for part in parts for word in part]
    core, suffixes = (tuple(word for word in words if (word in _SUFFIXES) == is_one) for is_one in (False, True))
    return Name(core, suffixes, titles)


def same_name(left: Name, right: Name) -> bool:
    """Whether names are the same; one may have middle initials, or lack titles."""
    if left.titles != right.titles and not _compatible_titles(left.titles, right.titles):
        return False
    if len(left.words) != len(right.words) or left.suffixes != right.suffixes:
        return False
    last = len(right.words) - 1
    pairs = zip(left.words, right.words, strict=True)
    return all(a.strip("-") == b.strip("-") or (0 < i < last and _same_initial(a, b)) for i, (a, b) in enumerate(pairs))


def _compatible_titles(entered: frozenset[str], gold: frozenset[str]) -> bool:
    """Whether titles may be one person's: the entered are gold's, or gold has none."""
    return len((entered | gold) & _FORMS_OF_ADDRESS) <= 1 and (not gold or entered <= gold)


def without_middle_initials(name: Name) -> Name:
    """``name`` without the initials between its first and its last word."""
    last = len(name.words) - 1
    return name._replace(words=tuple(word for i, word in enumerate(name.words) if i in (0, last) or len(word) > 1))


def _words(part: str) -> list[str]:
    """The words of a part between commas, a double name as two words."""
    plain = _PARTICLE.sub(r"\1", part).replace(".", " ").replace("'", "")
    return [word for whole in plain.split() for word in _halves(whole)]


def _without_titles(words: list[str]) -> tuple[list[str], list[str]]:
    """The titles at the start, and the other words; a title alone is a name."""
    n = next((i for i, word in enumerate(words[:-1]) if word not in _TITLES), max(0, len(words) - 1))
    return words[:n], words[n:]


def _short_suffixes(words: list[str], is_first: bool) -> list[str]:
    """The words with suffixes abbreviated; the first word of a name is no suffix."""
    return words[:is_first] + [_OTHER_SUFFIXES.get(word, word) for word in words[is_first:]]


def _halves(word: str) -> list[str]:
    """The names of a double name, with the hyphen on the side of the other."""
    names = [name for name in word.split("-") if name]
    last = len(names) - 1
    return ["-" * (i > 0) + name + "-" * (i < last) for i, name in enumerate(names)]


def _same_initial(left: str, right: str) -> bool:
    return "-" not in left + right and min(len(left), len(right)) == 1 and left[0] == right[0]
