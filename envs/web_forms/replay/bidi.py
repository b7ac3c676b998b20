"""Directions of writing: levels of the Unicode Bidirectional Algorithm (UAX #9) in a line of Latin direction."""

from __future__ import annotations

import re
import unicodedata

_CLASSES = {"AL": "A", "EN": "E", "AN": "N", "ES": "S", "CS": "C", "ET": "T", "NSM": "M", "L": "L", "R": "R"}
"""Classes as one letter each; all others are neutral."""
_NEUTRAL = "O"
_LEVELS = {"L": 0, "R": 1, "E": 2, "N": 2}
_RIGHT_TO_LEFT = re.compile(
    "[\u0590-\u08ff\u200f\u202b\u202e\u2067\ufb1d-\ufdff\ufe70-\ufefc\U00010800-\U00010fff\U0001e800-\U0001efff]"
)
CONTROLS = re.compile("[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Characters that set directions; they are not heeded here."""
MIRRORED = str.maketrans("()[]{}<>«»‹›", ")(][}{><»«›‹")
_PAIRS = {"(": ")", "[": "]", "{": "}"}


def levels(text: str) -> list[int]:
    """The level of each character of a line: odd where it is written to the left; [] if all are 0."""
    if text.isascii() or not _RIGHT_TO_LEFT.search(text):
        return []
    # An L stands before and behind the line, whose direction it is.
    kinds = "L" + "".join(_CLASSES.get(unicodedata.bidirectional(c), _NEUTRAL) for c in text) + "L"
    kinds = _implied(_with_brackets(_weak(kinds), text))
    found = [_LEVELS[kind] for kind in kinds[1:-1]]
    for i in range(len(text.rstrip()), len(text)):
        found[i] = 0
    return found


def _weak(kinds: str) -> str:
    """Rules W1 to W7."""
    while "M" in kinds:
        kinds = re.sub("(.)M", r"\1\1", kinds)
    kinds = re.sub("(?<=A)[^LRA]+", lambda found: found[0].replace("E", "N"), kinds).replace("A", "R")
    kinds = re.sub("(?<=N)C(?=N)", "N", re.sub("(?<=E)[SC](?=E)", "E", kinds))
    kinds = re.sub("T+(?=E)|(?<=E)T+", lambda found: "E" * len(found[0]), kinds)
    kinds = re.sub("[SCT]", _NEUTRAL, kinds)
    return re.sub("(?<=L)[^LR]+", lambda found: found[0].replace("E", "L"), kinds)


def _with_brackets(kinds: str, text: str) -> str:
    """Rule N0: brackets go with what is between them."""
    found, opened = list(kinds), list[int]()
    for i, c in enumerate(text, 1):
        if kinds[i] != _NEUTRAL:
            continue
        if c in _PAIRS:
            opened.append(i)
        elif opened and _PAIRS[text[opened[-1] - 1]] == c:
            start = opened.pop()
            inside = set(found[start + 1 : i]) - {_NEUTRAL}
            before = next(kind for kind in reversed(found[:start]) if kind != _NEUTRAL)
            if inside:
                found[start] = found[i] = "L" if "L" in inside or before == "L" else "R"
    return "".join(found)


def _implied(kinds: str) -> str:
    """Rules N1 and N2: neutrals go with what is on both sides, or with the line."""
    return re.sub("(?<=[REN])O+(?=[REN])", lambda found: "R" * len(found[0]), kinds).replace(_NEUTRAL, "L")


def visual_order(levels: list[int]) -> list[int]:
    """Rule L2: the numbers of runs of these levels from left to right."""
    order = list(range(len(levels)))
    for level in range(max(levels, default=0), 0, -1):
        start = 0
        while start < len(order):
            stop = start
            while stop < len(order) and levels[order[stop]] >= level:
                stop += 1
            order[start:stop] = reversed(order[start:stop])
            start = stop + 1
    return order
