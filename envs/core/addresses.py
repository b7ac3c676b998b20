"""Reading postal addresses: their words in the shortest usual form."""

from __future__ import annotations

import re


def address_words(folded: str) -> list[str]:
    """The words of a folded address, street types, directions, units and states abbreviated."""
    spaced = re.sub(r"[,;]", " ", re.sub(r"(?<!\d)\.|\.(?!\d)", "", folded)).replace("#", " # ")
    spaced = re.sub(r"\bp o box\b", "po box", " ".join(spaced.split()))
    spaced = _STATE.sub(lambda found: STATES[found[0]], spaced)
    words = [_ADDRESS_WORDS.get(word, word) for word in spaced.split()]
    return [word for i, word in enumerate(words) if not (word == "#" and i and words[i - 1] == "#")]


_ADDRESS_WORDS = {
    word: short
    for short, words in {
        "st": "street str", "ave": "avenue av", "rd": "road", "dr": "drive drv", "ln": "lane", "ct": "court",
        "cir": "circle", "blvd": "boulevard boul", "pl": "place", "ter": "terrace terr", "pkwy": "parkway",
        "hwy": "highway", "sq": "square", "trl": "trail", "way": "wy", "n": "north", "s": "south",
        "e": "east", "w": "west", "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
        "#": "apartment apt unit suite ste", "fl": "floor",
    }.items()
    for word in words.split()
}  # fmt: skip

STATES = {
    "alabama": "al", "alaska": "ak", "arizona": "az", "arkansas": "ar", "california": "ca", "colorado": "co",
    "connecticut": "ct", "delaware": "de", "florida": "fl", "georgia": "ga", "hawaii": "hi", "idaho": "id",
    "illinois": "il", "indiana": "in", "iowa": "ia", "kansas": "ks", "kentucky": "ky", "louisiana": "la",
    "maine": "me", "maryland": "md", "massachusetts": "ma", "michigan": "mi", "minnesota": "mn",
    "mississippi": "ms", "missouri": "mo", "montana": "mt", "nebraska": "ne", "nevada": "nv",
    "new hampshire": "nh", "new jersey": "nj", "new mexico": "nm", "new york": "ny", "north carolina": "nc",
    "north dakota": "nd", "ohio": "oh", "oklahoma": "ok", "oregon": "or", "pennsylvania": "pa",
    "rhode island": "ri", "south carolina": "sc", "south dakota": "sd", "tennessee": "tn", "texas": "tx",
    "utah": "ut", "vermont": "vt", "virginia": "va", "washington": "wa", "west virginia": "wv",
    "wisconsin": "wi", "wyoming": "wy", "district of columbia": "dc",
}  # fmt: skip
"""The two letters of each state by its folded name."""

_LONGEST_FIRST = sorted(STATES, key=len, reverse=True)
_STATE = re.compile(rf"\b(?:{'|'.join(_LONGEST_FIRST)})(?=(?:\s+\d{{5}}(?:-\d{{4}})?)?\s*$)")
