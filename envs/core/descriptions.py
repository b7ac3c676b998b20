"""Comparing long texts as a clerk does: what was typed may hold a slip or two, but no word less and no other number."""

from __future__ import annotations

import re
from functools import lru_cache

_WORDS_A_SLIP = 20
"""One word in this many may hold a slip, and one in any text."""
_SHORTEST_SLIP = 5
"""Shorter words must be right: ``not`` and ``now``, ``can`` and ``can't``."""
# A number keeps its sign, currency, points and percent sign.
_WORD = re.compile(r"(?:(?<!\w)[-+$€£¥]\s?){0,3}\d(?:[\w.,:/-]*\w)?(?:\s?%)?|[^\W\d_][^\W_]*(?:'[^\W_]+)*")
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_NUMERAL = re.compile(
    "three|third|four|fif|six|seven|eigh|nine|ten|elev|twel|twen|thirt|hundred|thousand|million|billion|half|dozen"
)


@lru_cache(maxsize=4096)
def words_of(folded: str) -> tuple[str, ...]:
    """The words and numbers of a folded text, without apostrophes, spaces within a number and commas of thousands."""
    return tuple(re.sub(r"[\s']", "", word) for word in _WORD.findall(_THOUSANDS.sub("", folded)))


def same_description(entered: str, gold: str, proper: frozenset[str]) -> bool:
    """Whether two folded texts have the same words in the same order, but for slips and for where words are parted.

    A slip is one letter that is missing, too many or wrong, or two that changed places: in a word of five letters or
    more, behind its first letter. Numbers, in digits or in words, and proper words hold none.

    Args:
        entered: the text entered, folded.
        gold: the answer, folded.
        proper: the folded words that must be right to the letter: names, and all others that begin with a capital.
    """
    words, wanted = words_of(entered), words_of(gold)
    if words == wanted:
        return bool(wanted) or entered == gold
    if "".join(words) == "".join(wanted):
        return _numbers(words) == _numbers(wanted)
    if len(words) != len(wanted):
        return False
    wrong = [(word, right) for word, right in zip(words, wanted, strict=True) if word != right]
    allowed = max(1, len(wanted) // _WORDS_A_SLIP)
    return len(wrong) <= allowed and all(right not in proper and _is_slip(word, right) for word, right in wrong)


def _numbers(words: tuple[str, ...]) -> list[str]:
    return [word for word in words if any(map(str.isdigit, word))]


def _is_slip(word: str, right: str) -> bool:
    from rapidfuzz.distance import OSA

    if len(right) < _SHORTEST_SLIP or word[0] != right[0] or not right.isalpha() or _NUMERAL.match(right):
        return False
    return not _NUMERAL.match(word) and OSA.distance(word, right, score_cutoff=1) <= 1
