"""Matchers: functions that compare the text entered with the right answer.

Each takes the text entered and the gold answer. Case, accents, and runs of spaces never matter; digits always do. The
spellings that each accepts and rejects are in ``tests/data/spellings.json``.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable
from functools import lru_cache

from .contacts import read_name, read_phone, same_address, same_name, same_signature
from .quantities import is_full_date, read_date, read_months, read_number, same_date, same_order, same_weekday
from .wording import same_description, same_wording, tokens_of

TICKS = frozenset("xXvV✓✔✗✘☑☒√×✕✖■●")
"""Characters that tick a box."""
# In running text, V and X are letters.
_TICKS_IN_TEXT = TICKS - set("vVX")

_MAX_INITIALS = 4

_FRACTIONS = "¼½¾⅕⅖⅗⅘⅛⅜⅝⅞"
# So that neither superscripts nor fractions become digits of the number before them.
_UNFOLDED = str.maketrans(
    {"\u00a0": " ", "\ufe0e": "", "\ufe0f": ""}
    | {c: " " + unicodedata.normalize("NFKD", c).replace("⁄", "/") for c in _FRACTIONS}
    | {c: f"^{unicodedata.digit(c)}" for c in "⁰¹²³⁴⁵⁶⁷⁸⁹"}
    | {c: f"_{unicodedata.digit(c)}" for c in "₀₁₂₃₄₅₆₇₈₉"}
)
_STROKED = {"ł": "l", "Ł": "L", "ø": "o", "Ø": "O", "đ": "d", "Đ": "D"}
_DASHES = dict.fromkeys("‐‑‒–—―−", "-")
_QUOTES = dict.fromkeys("’‘′`´", "'") | dict.fromkeys("“”″", '"')
_PLAIN_MARKS = str.maketrans(_STROKED | _DASHES | _QUOTES)


def fold(text: str) -> str:
    """``text`` in lower case, without accents, extra spaces and typographic marks."""
    if text.isascii():
        return " ".join(text.replace("`", "'").casefold().split())
    decomposed = unicodedata.normalize("NFKD", text.translate(_UNFOLDED))
    plain = "".join(c for c in decomposed if not unicodedata.combining(c))
    return " ".join(plain.translate(_PLAIN_MARKS).casefold().split())


def match_text(entered: str, gold: str) -> bool:
    """The same letters, digits and signs, or the same number, date, phone or tick."""
    left, right = fold(entered), fold(gold)
    return same_wording(left, right) or _same_value(left, right)


def match_identifier(entered: str, gold: str) -> bool:
    """The same letters and digits: numbers of accounts, licences and the like."""
    return _alphanumeric(entered) == _alphanumeric(gold) != ""


def match_number(entered: str, gold: str) -> bool:
    """The same number: ``12,000.00`` is ``12 000``, ``-`` is 0; signs and % count."""
    left, right = read_number(fold(entered)), read_number(fold(gold))
    return left is not None and left == right


def match_money(entered: str, gold: str) -> bool:
    """The same amount in gold's currency or dollars; ``(5.00)`` is negative."""
    expected = _currencies(gold) or {"usd"}
    left, right = read_number(_without_currency(entered)), read_number(_without_currency(gold))
    return left is not None and left == right and _currencies(entered) <= expected


def match_phone(entered: str, gold: str) -> bool:
    """The same telephone number in any grouping, with or without country code."""
    left, right = read_phone(fold(entered)), read_phone(fold(gold))
    return left is not None and left == right


def match_date(entered: str, gold: str) -> bool:
    """The same date in any usual spelling, the month first where that is ambiguous.

    A part that gold has (year, month, day) must be entered, a part that it lacks must not be. Years of two digits are
    compared by these two. Where gold has points, 05.06.2024, its country may put the day first: then that order stays.
    """
    left, right = fold(entered), fold(gold)
    date, expected = read_date(left), read_date(right)
    if date is None or expected is None or not same_date(date, expected):
        return False
    if not same_weekday(left, right, date, expected):
        return False
    return "." not in right or same_order(left, right)


def match_name(entered: str, gold: str) -> bool:
    """The same name; ``Last, First``, middle initials or a missing title are fine."""
    name = read_name(fold(gold))
    return bool(name.words) and same_name(read_name(fold(entered)), name)


def match_duration(entered: str, gold: str) -> bool:
    """The same time span: ``4 years 2 months``, ``50 mo`` or ISO 8601 ``P4Y2M``."""
    left, right = read_months(fold(entered)), read_months(fold(gold))
    return left is not None and left == right


def match_address(entered: str, gold: str) -> bool:
    """The same postal address, with or without the usual abbreviations."""
    return same_address(fold(entered), fold(gold))


def match_checkbox(entered: str, gold: str) -> bool:
    """Both are ticks, of any kind."""
    return _is_tick(entered) and _is_tick(gold)


def match_signature(entered: str, gold: str) -> bool:
    """First and last name, with or without what is between and the suffix; or the same initials.

    Of initials, the first and the last are enough. The mark must be a signature, not typed text.
    """
    letters, initials = (re.sub(r"[. ]", "", fold(text)) for text in (entered, gold))
    if gold.isalpha() and gold.isupper() and len(gold) <= _MAX_INITIALS:
        return letters in (initials, initials[0] + initials[-1])
    name = read_name(fold(gold))
    return bool(name.words) and (same_signature(read_name(fold(entered)), name) or letters == initials != "")


def match_choice(entered: str, gold: str) -> bool:
    """The same option, its words joined by spaces, hyphens or underscores."""
    return same_wording(*(_WORD_JOINT.sub(" ", fold(text)) for text in (entered, gold)))


def match_email(entered: str, gold: str) -> bool:
    """The same e-mail address but for case, spaces and a full stop at the end."""
    left, right = ("".join(text.split()).casefold().rstrip(".") for text in (entered, gold))
    return left == right != ""


def match_uri(entered: str, gold: str) -> bool:
    """The same e-mail address or URL, but for case and spaces around it."""
    left, right = (text.strip().casefold().removesuffix("/") for text in (entered, gold))
    return left == right != ""


def match_description(entered: str, gold: str) -> bool:
    """The same words, numbers and signs, with one typo allowed per twenty words."""
    return same_description(fold(entered), fold(gold), _proper_words(gold))


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
    "uri": match_uri,
    "description": match_description,
}


# Equal spaces on both sides, and not two digits: the hyphens in ``A-``, ``Rate -5`` and ``5-6`` are signs.
_JOINT = r"(?:[-_/]| [-_/] )"
_WORD_JOINT = re.compile(rf"(?<=[^\W_]){_JOINT}(?=[^\W\d_])|(?<=[^\W\d_]){_JOINT}(?=\d)|(?<=\d)_(?=\d)")
_AROUND_A_MARK = re.compile(r"\s*([^\w\s])\s*")
# Without leading zeros, which belong to codes, and without a plus sign, which counts.
_PLAIN_NUMBER = re.compile(r"-?(?:(?:0|[1-9]\d{0,2}(?:,\d{3})+|[1-9]\d*)(?:\.\d*)?|\.\d+)%?")
_PLAIN_PHONE = re.compile(r"(?:\+?1[-. ])?(?:\(\d{3}\) ?|\d{3}[-./ ])\d{3}[-. ]\d{4}")


@lru_cache(maxsize=8192)
def value_matcher(text: str) -> str | None:
    """The matcher of a text that is a number, phone number, full date or tick."""
    tight = _tight(fold(text))
    if _PLAIN_NUMBER.fullmatch(tight):
        return "number"
    if _PLAIN_PHONE.fullmatch(tight):
        return "phone"
    if is_full_date(tight):
        return "date"
    return "checkbox" if tight in _TICKS_IN_TEXT else None


def _same_value(entered: str, gold: str) -> bool:
    """Whether two folded texts are the same value of gold's kind."""
    matcher = value_matcher(gold)
    left, right = _tight(entered), _tight(gold)
    if matcher == "checkbox":
        return left in _TICKS_IN_TEXT
    if matcher is None or (matcher == "number" and not _PLAIN_NUMBER.fullmatch(left)):
        return False
    return MATCHERS[matcher](left, right) and (matcher != "date" or same_order(left, right))


def _tight(folded: str) -> str:
    """A folded text without spaces around its punctuation."""
    return _AROUND_A_MARK.sub(r"\1", folded)


@lru_cache(maxsize=4096)
def _proper_words(text: str) -> frozenset[str]:
    """The folded words of a text that have a capital."""
    capital = (word for word in text.translate(_PLAIN_MARKS).split() if any(map(str.isupper, word)))
    return frozenset(token.text for word in capital for token in tokens_of(fold(word)))


def _alphanumeric(text: str) -> str:
    """The letters and digits of an identifier; empty if the text is not one."""
    folded = fold(text)
    return "" if re.search(r"[^\w\s.,:/#'-]|^-|-$", folded) else "".join(c for c in folded if c.isalnum())


_CURRENCY_NAMES = {"$": "usd", "us": "usd", "dollar": "usd", "dollars": "usd", "€": "eur", "£": "gbp", "¥": "jpy"}
_CURRENCY = re.compile(r"[$€£¥]|\b(?:usd|us|eur|gbp|jpy|dollars?)\b")


def _currencies(text: str) -> set[str]:
    return {_CURRENCY_NAMES.get(name, name) for name in _CURRENCY.findall(fold(text))}


def _without_currency(text: str) -> str:
    """An amount without its currency, with a minus sign first if it is negative."""
    amount = " ".join(_CURRENCY.sub(" ", fold(text), count=2).split())
    amount = re.sub(r"\s*/-$|\.-$|(?<=\d)\.$", "", amount)
    negative = re.fullmatch(r"\(-?(.*)\)|minus (.*)|(.*\d) ?-", amount)
    return f"-{next(part for part in negative.groups() if part is not None).strip()}" if negative else amount


_TICK_MARKS = str.maketrans("", "", "\ufe0f")
_TICK_IN_BRACKETS = re.compile(r"[\[(]\s*(\S)\s*[\])]|(\S)\.?")


def _is_tick(text: str) -> bool:
    found = _TICK_IN_BRACKETS.fullmatch(text.strip().translate(_TICK_MARKS))
    return found is not None and found[found.lastindex or 0] in TICKS
