"""Read and compare names of people, telephone numbers, and postal addresses."""

from __future__ import annotations

import re
from collections import deque
from functools import lru_cache
from typing import NamedTuple

# -- Names -------------------------------------------------------------------------------------------------------------

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
    return all(_same_word(a, b) if 0 < i < last else a.strip("-") == b.strip("-") for i, (a, b) in enumerate(pairs))


def _compatible_titles(entered: frozenset[str], gold: frozenset[str]) -> bool:
    """Whether titles may be one person's: the entered are gold's, or gold has none."""
    return len((entered | gold) & _FORMS_OF_ADDRESS) <= 1 and (not gold or entered <= gold)


def same_signature(entered: Name, gold: Name) -> bool:
    """Whether a signature has gold's first and last name; names between and the suffix may be left out.

    A gold of two words may have lost its middle name: initials between them are fine.
    """
    if len(gold.words) == 2 and same_name(_without_middle_initials(entered), gold):
        return True
    if len(gold.words) < 2:
        return same_name(entered, gold)
    kept, given = [gold.words[0]], deque(entered.words[1:-1])
    for word in gold.words[1:-1]:
        # Halves of a double name belong together.
        if "-" in word or (given and _same_word(given[0], word)):
            kept.append(word)
            if given:
                given.popleft()
    words = (*kept, gold.words[-1])
    return any(same_name(entered, gold._replace(words=words, suffixes=some)) for some in {gold.suffixes, ()})


def _without_middle_initials(name: Name) -> Name:
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


def _same_word(left: str, right: str) -> bool:
    """Whether two words between the first and the last of a name are the same, or one is the other's initial."""
    return left.strip("-") == right.strip("-") or _same_initial(left, right)


def _same_initial(left: str, right: str) -> bool:
    return "-" not in left + right and min(len(left), len(right)) == 1 and left[0] == right[0]


# -- Telephone numbers -------------------------------------------------------------------------------------------------

# Signs at the ends, a plus inside, empty brackets and an extension without a number do not occur in one.
_NO_PHONE = re.compile(r"[^\d\s().+/x#-]|^\s*[-/]|[-/(+]\s*$|[^\s(]\s*\+|\(\s*\)|[x#](?!\s*\d+\s*$)")


@lru_cache(maxsize=4096)
def read_phone(folded: str) -> tuple[str, str] | None:
    """The national number (by default of the US) and the extension, or None."""
    import phonenumbers

    plain = re.sub(r"^(?:tel|phone|ph)\b[.:]?", "", folded)
    plain = re.sub(r",?\s*\bext(?:ension)?\b[.:]?", " x", plain)
    if _NO_PHONE.search(plain):
        return None
    plain = re.sub(r"^\s*00(?=[1-9])", "+", plain)
    digits = re.sub(r"\D", "", re.split("[x#]", plain)[0])
    try:
        number = phonenumbers.parse(plain, "US")
    except phonenumbers.NumberParseException:
        return (digits, "") if digits else None
    national, code = str(number.national_number), str(number.country_code)
    # The parser drops leading zeros, which are digits that were entered.
    return (f"{code} {national}", number.extension or "") if digits in (national, code + national) else (digits, "")


# -- Addresses ---------------------------------------------------------------------------------------------------------


def same_address(left: str, right: str) -> bool:
    """Whether folded addresses are the same; one may lack the last four ZIP digits, or a county its last word."""
    words, plus_four = _without_plus_four(address_words(_COUNTY.sub("", left)))
    others, other_plus_four = _without_plus_four(address_words(_COUNTY.sub("", right)))
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


_COUNTY = re.compile(r"(?<=\w) county$")
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
