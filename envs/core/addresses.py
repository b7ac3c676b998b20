"""Read and compare postal addresses: their words in the shortest usual form."""

from __future__ import annotations

import re


def same_address(left: str, right: str) -> bool:
    """Whether folded addresses are the same; one may lack the last four ZIP digits."""
    words, plus_four = _without_plus_four(address_words(left))
    others, other_plus_four = _without_plus_four(address_words(right))
    return words == others != [] and ("" in (plus_four, other_plus_four) or plus_four == other_plus_four)


def address_words(folded: str) -> list[str]:
    """The words of a folded address, abbreviated and without its country."""
    bare = re.sub(r"(?<!\d)\.|\.(?!\d)|'", "", folded)
    spaced = re.sub(r"[,;]|(?<=[a-z])-(?=[a-z])", " ", bare).replace("#", " # ")
    spaced = _COUNTRY.sub("", " ".join(spaced.split()))
    spaced = _STATE.sub(lambda found: STATES[found[0]], _PO_BOX.sub("po box", spaced))
    words = [_ADDRESS_WORDS.get(word, word) for word in spaced.split()]
    words = [word for i, word in enumerate(words) if not (word == "#" and i and words[i - 1] == "#")]
    return [_UNIT_HYPHEN.sub("", word) if i and words[i - 1] == "#" else word for i, word in enumerate(words)]


def _without_plus_four(words: list[str]) -> tuple[list[str], str]:
    """The words with a five-digit ZIP code at the end, and the "plus four" digits."""
    found = _ZIP_PLUS_FOUR.search(" ".join(words))
    if found is None:
        return words, ""
    return [*words[: -1 - found[0].count(" ")], found[1]], found[2]


_COUNTRY = re.compile(r"(?<=.) (?:usa|us|united states(?: of america)?)$")
_PO_BOX = re.compile(r"\b(?:p ?o ?b(?:ox)?|p o box|post office box)\b(?= ?#? ?\w*\d)")
_UNIT_HYPHEN = re.compile(r"(?<=\d)-(?=[a-z]$)|(?<=^[a-z])-(?=\d)")
_ZIP_PLUS_FOUR = re.compile(r"(?<!\S)(\d{5})[- ]?(\d{4})$")

_ADDRESS_WORDS = {
    word: short
    for short, words in {
        "st": "street str saint", "ave": "avenue av", "rd": "road", "dr": "drive drv", "ln": "lane", "ct": "court",
        "cir": "circle", "blvd": "boulevard boul", "pl": "place", "ter": "terrace terr", "pkwy": "parkway",
        "hwy": "highway", "sq": "square", "trl": "trail", "way": "wy", "n": "north", "s": "south",
        "e": "east", "w": "west", "ne": "northeast", "nw": "northwest", "se": "southeast", "sw": "southwest",
        "#": "apartment apt unit suite ste", "fl": "floor", "mt": "mount", "ft": "fort",
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
