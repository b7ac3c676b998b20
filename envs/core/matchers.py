"""Matchers: pure functions that say whether what was entered means the right answer.

Each takes the text entered and the gold answer. Case, accents, and spacing never matter; digits always do. Known faults
of published scorers that these must not have are listed in the tests.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal, InvalidOperation

from .addresses import address_words
from .dates import read_date, read_months, same_date

TICKS = frozenset("xX✓✔✗✘☑☒√×")
"""Characters that tick a box."""

# Superscripts are no digits of the number before them, and fractions no digits after it.
_UNFOLDED = str.maketrans(
    {"½": " 1/2", "\u00a0": " ", "\ufe0e": "", "\ufe0f": ""}
    | {c: f"^{unicodedata.digit(c)}" for c in "⁰¹²³⁴⁵⁶⁷⁸⁹"}
    | {c: f"_{unicodedata.digit(c)}" for c in "₀₁₂₃₄₅₆₇₈₉"}
)
_STROKED = {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"}
_PUNCTUATION = str.maketrans(_STROKED | {"’": "'", "‘": "'", "“": '"', "”": '"', "–": "-", "—": "-", "−": "-"})


def fold(text: str) -> str:
    """``text`` without what never matters: case, accents, runs of spaces, typographic quotes and dashes."""
    decomposed = unicodedata.normalize("NFKD", text.translate(_UNFOLDED))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(plain.translate(_PUNCTUATION).casefold().split())


def match_text(entered: str, gold: str) -> bool:
    """Equal but for case, accents, spacing, and punctuation at the end or between spaces."""
    return _words(entered) == _words(gold)


def match_identifier(entered: str, gold: str) -> bool:
    """Equal letters and digits in the same order: numbers of accounts, licences, vehicles, social security."""
    return _alphanumeric(entered) == _alphanumeric(gold) != ""


def match_number(entered: str, gold: str) -> bool:
    """The same number: ``12,000.00`` is ``12000``; a minus sign and a percent sign count."""
    left, right = _number(entered), _number(gold)
    return left is not None and left == right


def match_money(entered: str, gold: str) -> bool:
    """The same amount; ``(5.00)`` is a negative one. A currency may be left out, but not be another."""
    currencies = [_currencies(text) for text in (entered, gold)]
    left, right = _number(_without_currency(entered)), _number(_without_currency(gold))
    return left is not None and left == right and (not all(currencies) or currencies[0] == currencies[1])


def match_phone(entered: str, gold: str) -> bool:
    """The same telephone number, however it is grouped, with or without the country code."""
    left, right = _phone(entered), _phone(gold)
    return left is not None and left == right


def match_date(entered: str, gold: str) -> bool:
    """The same date in any usual spelling, the month first where that is ambiguous.

    A part that gold has (year, month, day) must be entered, a part that it lacks must not be. Years of two digits are
    compared by these two.
    """
    left, right = read_date(fold(entered)), read_date(fold(gold))
    return left is not None and right is not None and same_date(left, right)


def match_name(entered: str, gold: str) -> bool:
    """The same name of a person: ``Last, First`` too; names in the middle may be initials."""
    left, right = _name(entered), _name(gold)
    if len(left) != len(right) or not right:
        return False
    inner = zip(left[1:-1], right[1:-1], strict=True)
    return left[0] == right[0] and left[-1] == right[-1] and all(_same_middle_name(a, b) for a, b in inner)


def match_duration(entered: str, gold: str) -> bool:
    """The same time span, in years and months: ``4 yrs``, ``4 years 2 months``, ``50 mo``; gold may be ISO 8601."""
    left, right = read_months(fold(entered)), read_months(fold(gold))
    return left is not None and left == right


def match_address(entered: str, gold: str) -> bool:
    """The same postal address, however its street types, directions, units and states are abbreviated."""
    left, right = address_words(fold(entered)), address_words(fold(gold))
    return left == right and bool(right)


def match_checkbox(entered: str, gold: str) -> bool:
    """A tick of any kind where gold is a tick."""
    return _is_tick(entered) and _is_tick(gold)


def match_signature(entered: str, gold: str) -> bool:
    """The same name or initials; dots after initials do not matter. The mark must have been signed, not typed."""
    return (
        match_name(entered, gold)
        or fold(entered).replace(".", "").replace(" ", "") == fold(gold).replace(".", "") != ""
    )


def match_choice(entered: str, gold: str) -> bool:
    """The same option, its words joined by spaces, hyphens or underscores."""
    return _words(re.sub(r"[-_/]", " ", entered)) == _words(re.sub(r"[-_/]", " ", gold))


def match_email(entered: str, gold: str) -> bool:
    """The same address, spaces left out and case ignored."""
    return "".join(entered.split()).casefold() == "".join(gold.split()).casefold() != ""


MATCHERS: dict[str, Callable[[str, str], bool]] = {
    "text": match_text,
    "number": match_number,
    "money": match_money,
    "phone": match_phone,
    "date": match_date,
    "name": match_name,
    "duration": match_duration,
    "address": match_address,
    "checkbox": match_checkbox,
    "signature": match_signature,
    "choice": match_choice,
    "identifier": match_identifier,
    "email": match_email,
}


def _words(text: str) -> list[str] | str:
    """Folded words without punctuation at their edges; the folded text itself if nothing else is left."""
    folded = fold(text)
    words = [word.strip(".,;:!?\"'()[]_") for word in folded.split()]
    return [word for word in words if word] or folded


def _alphanumeric(text: str) -> str:
    return "".join(c for c in fold(text) if c.isalnum())


_NUMBER = re.compile(r"([+-]?)\s*((?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d*)?|\.\d+)\s*(%?)")


def _number(text: str) -> tuple[Decimal, bool] | None:
    """The number that ``text`` is, and whether it is a percentage; None if it is not exactly one number."""
    found = _NUMBER.fullmatch(fold(text))
    if found is None:
        return None
    try:
        value = Decimal(found[2].replace(",", ""))
    except InvalidOperation:
        return None
    # Not `-value`, which rounds to the context's precision.
    return (value.copy_negate() if found[1] == "-" else value), bool(found[3])


_CURRENCY_NAMES = {"$": "usd", "us": "usd", "dollar": "usd", "dollars": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}
_CURRENCY = re.compile(r"[$€£¥]|\b(?:usd|us|eur|gbp|jpy|dollars?)\b")


def _currencies(text: str) -> set[str]:
    return {_CURRENCY_NAMES.get(name, name) for name in _CURRENCY.findall(fold(text))}


def _without_currency(text: str) -> str:
    amount = " ".join(_CURRENCY.sub(" ", fold(text)).split())
    if amount.startswith("(") and amount.endswith(")"):
        return f"-{amount[1:-1].strip()}"
    return re.sub(r"\s*/-$|\.-$", "", amount)


def _phone(text: str) -> tuple[str, str] | None:
    """The national number and the extension, read as a number of the United States unless it has another code."""
    import phonenumbers

    folded = re.sub(r"\bext(?:ension)?\b\.?", "x", fold(text))
    if re.search(r"[^\d\s().+/x#-]", folded):
        return None
    digits = re.sub(r"\D", "", re.split("[x#]", folded)[0])
    try:
        number = phonenumbers.parse(folded, "US")
    except phonenumbers.NumberParseException:
        return (digits, "") if digits else None
    national, code = str(number.national_number), str(number.country_code)
    # The parser drops leading zeros, which are digits that were entered.
    return (f"{code} {national}", number.extension or "") if digits in (national, code + national) else (digits, "")


def _name(text: str) -> list[str]:
    """The words of a name in the order first to last, dots and commas gone."""
    parts = [part.strip() for part in fold(text).split(",")]
    suffixes = [part for part in parts if part.strip(".") in _SUFFIXES]
    names = [part for part in parts if part not in suffixes]
    if len(names) == 2:
        names.reverse()
    return " ".join([*names, *suffixes]).replace(".", " ").split()


_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv", "md", "phd"])


def _same_middle_name(left: str, right: str) -> bool:
    return left == right or (min(len(left), len(right)) == 1 and left[0] == right[0])


def _is_tick(text: str) -> bool:
    return text.strip().removesuffix("\ufe0f") in TICKS
