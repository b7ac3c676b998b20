"""Matchers: pure functions that say whether what was entered means the right answer.

Each takes the text entered and the gold answer. Case, accents, and spacing never matter; digits always do. Known faults
of published scorers that these must not have are listed in the tests.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from decimal import Decimal, InvalidOperation
from functools import lru_cache

from .addresses import address_words
from .dates import read_date, read_months, same_date

TICKS = frozenset("xX✓✔✗✘☑☒√×✕✖")
"""Characters that tick a box."""

# Superscripts are no digits of the number before them, and fractions no digits after it.
_UNFOLDED = str.maketrans(
    {"½": " 1/2", "\u00a0": " ", "\ufe0e": "", "\ufe0f": ""}
    | {c: f"^{unicodedata.digit(c)}" for c in "⁰¹²³⁴⁵⁶⁷⁸⁹"}
    | {c: f"_{unicodedata.digit(c)}" for c in "₀₁₂₃₄₅₆₇₈₉"}
)
_STROKED = {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"}
_DASHES = dict.fromkeys("‐‑‒–—―−", "-")
_QUOTES = dict.fromkeys("’‘′`´", "'") | dict.fromkeys("“”″", '"')
_PUNCTUATION = str.maketrans(_STROKED | _DASHES | _QUOTES)
_TYPOGRAPHY = str.maketrans(_DASHES | _QUOTES)


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
    """The same amount, ``(5.00)`` a negative one, in dollars or gold's currency; that may be left out."""
    wanted = _currencies(gold) or {"usd"}
    left, right = _number(_without_currency(entered)), _number(_without_currency(gold))
    return left is not None and left == right and _currencies(entered) <= wanted


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
    return _words(re.sub(r"[-_/]", " ", fold(entered))) == _words(re.sub(r"[-_/]", " ", fold(gold)))


def match_email(entered: str, gold: str) -> bool:
    """The same address, spaces and a full stop at the end left out and case ignored."""
    left, right = ("".join(text.split()).casefold().rstrip(".") for text in (entered, gold))
    return left == right != ""


def match_description(entered: str, gold: str) -> bool:
    """The same text letter by letter, case included; only spacing and the style of quotes and dashes do not matter."""
    return _plain(entered) == _plain(gold)


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
    "description": match_description,
}


_EDGES = ".,;:!?\"'()[]_"


def _words(text: str) -> list[str] | str:
    """Folded words without punctuation at their edges; the folded text itself if nothing else is left."""
    folded = fold(text)
    words = [_bare(word) for word in folded.split()]
    return [word for word in words if word] or folded


def _bare(word: str) -> str:
    # A point before a digit and brackets around a number are part of the number.
    if re.fullmatch(r"\(-?[\d.,]+\)[.,;:]?", word):
        return word.rstrip(".,;:")
    bare = word.strip(_EDGES)
    return f".{bare}" if re.match(r"[^\w]*\.\d", word) and bare[:1].isdigit() else bare


def _plain(text: str) -> str:
    composed = unicodedata.normalize("NFC", text.replace("\u00a0", " "))
    return " ".join(composed.translate(_TYPOGRAPHY).split())


def _alphanumeric(text: str) -> str:
    """Letters and digits; nothing if there are characters that no identifier has."""
    folded = fold(text)
    return "" if re.search(r"[^\w\s.,:/#'-]", folded) else "".join(c for c in folded if c.isalnum())


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
    """An amount without its currency, with a minus sign in front if it is negative."""
    amount = " ".join(_CURRENCY.sub(" ", fold(text), count=2).split())
    amount = re.sub(r"\s*/-$|\.-$|(?<=\d)\.$", "", amount)
    negative = re.fullmatch(r"\(-?(.*)\)|minus (.*)|(.*\d) ?-", amount)
    return f"-{next(part for part in negative.groups() if part is not None).strip()}" if negative else amount


@lru_cache(maxsize=4096)
def _phone(text: str) -> tuple[str, str] | None:
    """The national number and the extension, read as a number of the United States unless it has another code."""
    import phonenumbers

    folded = re.sub(r"^(?:tel|phone|ph)\b[.:]?", "", fold(text))
    folded = re.sub(r",?\s*\bext(?:ension)?\b[.:]?", " x", folded)
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
    """The words of a name in the order first to last, suffixes at the end, dots and commas gone."""
    parts = [part.replace(".", " ").split() for part in fold(text).split(",")]
    if len([part for part in parts if set(part) - _SUFFIXES]) == 2:
        last_name = parts[0]
        parts = [*parts[1:], last_name]
    words = [word for part in parts for word in part]
    return [word for word in words if word not in _SUFFIXES] + [word for word in words if word in _SUFFIXES]


_SUFFIXES = frozenset(["jr", "sr", "ii", "iii", "iv", "md", "phd"])


def _same_middle_name(left: str, right: str) -> bool:
    return left == right or (min(len(left), len(right)) == 1 and left[0] == right[0])


def _is_tick(text: str) -> bool:
    return text.strip().removesuffix("\ufe0f").removeprefix("[").removesuffix("]").strip() in TICKS
