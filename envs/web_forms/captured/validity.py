"""Validity: what a browser finds wrong with what was entered, in Chromium's words."""

from __future__ import annotations

import math
import re
import sys
import unicodedata
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, ROUND_DOWN, ROUND_FLOOR, ROUND_HALF_DOWN, ROUND_HALF_UP, Context, Decimal
from functools import cached_property, lru_cache
from ipaddress import AddressValueError, IPv6Address
from itertools import pairwise
from urllib.parse import unquote_to_bytes

from .files import Control
from .overlays import parsed
from .widgets import ListBox, TextField, Tick, Widget

# Messages.


def problem_of(widget: Widget, group: Sequence[Tick]) -> str:
    """What is wrong with a control; "" if nothing is.

    Args:
        widget: the control.
        group: the ticks of its name, if it is one.
    """
    if isinstance(widget, Tick):
        return _tick_problem(widget, group)
    if isinstance(widget, ListBox):
        return _list_problem(widget)
    return text_problem(widget.control, submitted(widget), widget.editor.text) if isinstance(widget, TextField) else ""


def submitted(widget: TextField) -> str:
    """What a text field is submitted as: without what its type does not take."""
    text, kind = widget.editor.text, widget.control.type
    if kind == "email":
        return _email(text.strip(" \t\n\f\r"))
    return _number_text(text) if kind == "number" else text


def text_problem(control: Control, value: str, typed: str) -> str:
    """What is wrong with a text; ``typed``: what was typed, from which its type has made ``value``."""
    mismatch = _pattern_mismatch(control, value)
    message = (
        _date_problem(control, value)
        or _type_problem(control, value, typed)
        or ("Please match the requested format." if mismatch else "")
        or _length_problem(control, value, typed)
        or _number_problem(control, value)
    )
    # The page adds what the pattern asks for, whatever else is wrong.
    return f"{message}\n{control.title}" if mismatch and control.title else message


def _type_problem(control: Control, value: str, typed: str) -> str:
    if not value:
        bad = control.type == "number" and typed
        return "Please enter a number." if bad else "Please fill out this field." if control.required else ""
    if control.type == "email":
        return _email_problem(value)
    return "Please enter a URL." if control.type == "url" and not _is_url(value) else ""


def _tick_problem(tick: Tick, group: Sequence[Tick]) -> str:
    control = tick.control
    if control.group_required and tick is group[0] and not any(one.checked for one in group):
        return "Please select at least one option."
    if control.radio:
        required = any(one.control.required for one in group)
        return "Please select one of these options." if required and not any(one.checked for one in group) else ""
    return "Please check this box if you want to proceed." if control.required and not tick.checked else ""


def _list_problem(box: ListBox) -> str:
    first = box.chosen.index(True) if True in box.chosen else -1
    # A first option without a value stands for nothing chosen.
    prompt = not (box.control.several or box.control.file) and first == 0 and not box.options[0].value
    if not box.control.required or (first >= 0 and not prompt):
        return ""
    if not box.control.file:
        return "Please select an item in the list."
    return "Please select one or more files." if box.control.several else "Please select a file."


def _date_problem(control: Control, value: str) -> str:
    if control.type != "date" or not value:
        return ""
    if parsed(value) is None:
        return "Please enter a valid date as YYYY-MM-DD."
    if control.least and value < control.least:
        return f"Date must be {control.least} or later."
    if control.most and value > control.most:
        return f"Date must be {control.most} or earlier."
    return ""


def _length_problem(control: Control, value: str, typed: str) -> str:
    # Only what a person has typed is measured.
    if control.type == "number" or not value or typed == control.value:
        return ""
    length = len(value.encode("utf-16-le")) // 2
    using = f"(you are currently using {length} character{'s' * (length != 1)})."
    if 0 <= control.max_length < length:
        return f"Please shorten this text to {control.max_length} characters or less {using}"
    if length < control.min_length:
        return f"Please lengthen this text to {control.min_length} characters or more {using}"
    return ""


# Numbers. Chromium calculates with decimals of 18 digits, and cuts off what is beyond them.

_NUMBER = re.compile(r"(-?)(?:(\d+)(?:\.(\d*))?|\.(\d+))(?:[eE]([+-]?\d+))?", re.A)
_DIGITS = 18
_CUT = Context(prec=_DIGITS, rounding=ROUND_DOWN)
_DIVIDED = Context(prec=_DIGITS, rounding=ROUND_HALF_DOWN)
_SHOWN = Context(prec=15, rounding=ROUND_HALF_UP)
_LEAST_EXPONENT = -1023
_GREATEST = Decimal(repr(sys.float_info.max))


def _number_text(typed: str) -> str:
    """The value of a number field; "" if what was typed is no number."""
    text = typed if re.search("[eE]", typed) else re.sub(r"^\+(?=[\d.])|(?<=\d)\.$", "", typed)
    valid = _NUMBER.fullmatch(text) and not text.endswith(".") and math.isfinite(float(text))
    return text if valid else ""


def _number_of(text: str) -> Decimal | None:
    """The number that a value or an attribute says; ``None`` if it says none."""
    found = _NUMBER.fullmatch(text)
    if found is None or text.endswith("."):
        return None
    sign, whole, part, only, power = found.groups("")
    whole = whole.lstrip("0")
    kept = (whole + part + only)[:_DIGITS]
    places = len(whole) - len(kept) + int(max(-9999, min(9999, float(power or 0))))
    number = Decimal(f"{sign}{kept or 0}e{places}")
    if not number or places < _LEAST_EXPONENT:
        return Decimal(0)
    return number if abs(number) <= _GREATEST else None


def plain(number: Decimal) -> str:
    """A number as Chromium writes it into a field: 15 digits where it has decimals."""
    if not number:
        return "0"
    text = str(_SHOWN.plus(number) if _exponent(number) < 0 else number).lower()
    digits, e, power = text.partition("e")
    return (digits.rstrip("0").rstrip(".") if "." in digits else digits) + e + power


def _exponent(number: Decimal) -> int:
    return int(number.as_tuple().exponent)


def _sum(one: Decimal, other: Decimal) -> Decimal:
    """Added up: what the digits of the greater do not reach is cut off the lesser first."""
    fine, coarse = sorted((one, other), key=_exponent)
    last = coarse.adjusted() - _DIGITS + 1
    if coarse and _exponent(fine) < last:
        fine = _CUT.quantize(fine, Decimal((0, (1,), last)))
    return _CUT.add(fine, coarse)


def _rounded(number: Decimal, rounding: str) -> Decimal:
    if _exponent(number) >= 0:
        return number
    # Chromium rounds a zero that has decimals up to one.
    return number.to_integral_value(rounding) if number or rounding != ROUND_CEILING else Decimal(1)


@dataclass(frozen=True)
class _Steps:
    """The numbers that a field takes: from ``low`` to ``high``, by ``step`` from ``base``."""

    low: Decimal
    high: Decimal
    base: Decimal
    step: Decimal

    def nearest(self, number: Decimal, rounding: str) -> Decimal:
        """The number of steps from the base that ``number`` is rounded to."""
        steps = _DIVIDED.divide(_sum(number, -self.base), self.step)
        return _sum(self.base, _CUT.multiply(_rounded(steps, rounding), self.step))

    def miss(self, number: Decimal) -> bool:
        """Whether a number is between two steps; an error like that of a short float is none."""
        away = abs(_sum(number, -self.base))
        if _DIVIDED.divide(away, Decimal(2**53)) > self.step:
            return False
        steps = _rounded(_DIVIDED.divide(away, self.step), ROUND_HALF_UP)
        rest = abs(_sum(away, -_CUT.multiply(self.step, steps)))
        error = _DIVIDED.divide(self.step, Decimal(2**24))
        return error < rest < _sum(self.step, -error)

    def clamped(self, number: Decimal) -> Decimal:
        """The nearest number that the field takes."""
        inside = max(self.low, min(number, self.high))
        found = self.nearest(inside, ROUND_HALF_UP)
        if not self.low <= found <= self.high:
            found = _sum(found, -self.step if found > self.high else self.step)
        return found if self.low <= found <= self.high else inside

    @cached_property
    def last(self) -> Decimal | None:
        """The greatest number that the field takes; ``None`` if it takes none."""
        if _sum(self.base, -self.step) == self.base:
            return None
        steps = _DIVIDED.divide(_sum(self.high, -self.base), self.step)
        found = self.high if steps == _rounded(steps, ROUND_FLOOR) else self.nearest(self.high, ROUND_FLOOR)
        found = _sum(found, -self.step) if found > self.high else found
        return found if found >= self.low else None


def _steps(control: Control) -> _Steps:
    low, high, step = _number_of(control.least), _number_of(control.most), _number_of(control.step)
    base = low if low is not None else _number_of(control.value) or Decimal(0)
    step = step if step is not None and step > 0 else Decimal(1)
    return _Steps(-_GREATEST if low is None else low, _GREATEST if high is None else high, base, step)


def _takes_any(control: Control) -> bool:
    return control.step.lower() == "any"


def _number_problem(control: Control, value: str) -> str:
    number = _number_of(value) if control.type == "number" else None
    if number is None:
        return ""
    steps = _steps(control)
    if steps.low > steps.high:
        return f"Minimum value ({plain(steps.low)}) must be less than the maximum value ({plain(steps.high)})."
    if steps.low == steps.high != number:
        return f"Value must be {plain(steps.low)}."
    if number < steps.low:
        return f"Value must be greater than or equal to {plain(steps.low)}."
    if number > steps.high:
        return f"Value must be less than or equal to {plain(steps.high)}."
    return "" if _takes_any(control) or not steps.miss(number) else _step_problem(steps, number)


def _step_problem(steps: _Steps, number: Decimal) -> str:
    one = steps.clamped(number)
    other = _sum(one, steps.step if one < number else -steps.step)
    if not steps.low <= other <= steps.high:
        return f"Please enter a valid value. The nearest valid value is {plain(one)}."
    low, high = sorted((one, other))
    return f"Please enter a valid value. The two nearest valid values are {plain(low)} and {plain(high)}."


def stepped(control: Control, value: str, up: bool) -> str:
    """What ``stepUp`` or ``stepDown`` makes of a number."""
    steps = _steps(control)
    if _takes_any(control) or steps.low > steps.high or steps.last is None:
        return value
    before = _number_of(value)
    after, snapped = _step_from(steps, before or Decimal(0), up)
    if after < steps.low:
        after = steps.nearest(steps.low, ROUND_CEILING)
    if after > steps.high:
        after = steps.last
    if before is not None and not snapped and (after < before if up else after > before):
        return value
    return plain(after)


def _step_from(steps: _Steps, number: Decimal, up: bool) -> tuple[Decimal, bool]:
    """A number a step further, and whether it has only been brought to the next step."""
    if steps.miss(number):
        after = steps.nearest(number, ROUND_CEILING if up else ROUND_FLOOR)
        # No step more: of it the result has the decimals.
        return _sum(after, _CUT.multiply(steps.step, Decimal(0))), True
    after = _sum(number, steps.step if up else -steps.step)
    return (steps.nearest(after, ROUND_HALF_UP) if after < Decimal("1e21") else after), False


# E-mail addresses and URLs.

_LOCAL = r"[a-zA-Z0-9!#$%&'*+/=?^_`{|}~.-]"
_LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]{0,61}[a-zA-Z0-9])?"
_EMAIL = re.compile(rf"{_LOCAL}+@{_LABEL}(?:\.{_LABEL})*")
_NO_LOCAL, _NO_DOMAIN = re.compile(rf"(?!{_LOCAL}).", re.S), re.compile("[^a-zA-Z0-9.-]")
_SCHEME = re.compile("([a-zA-Z][a-zA-Z0-9+.-]*):(.*)", re.S)
_SPECIAL = ("http", "https", "ws", "wss", "ftp")
_NO_HOST = re.compile(r"[\0-\x1f#%/:<>?@\[\\\]^|\x7f]")
_NO_OPAQUE_HOST = re.compile(rb"[\0\t\n\r #/:<>?@\[\\\]^|]")
_PORT = re.compile(r":\d*\Z", re.A)
_PART = re.compile("(0[xX][0-9a-fA-F]*)|(0[0-7]*)|([1-9][0-9]*)")
_IGNORED = re.compile("[\u00ad\u034f\u200b\u2060\u2064\ufe00-\ufe0f\ufeff]")


def _email(text: str) -> str:
    """An address with its domain in ASCII, if that makes it one."""
    local, _, domain = text.partition("@")
    found = None if domain.isascii() else _host_in_ascii(domain)
    address = f"{local}@{found}"
    labels = domain.split(".")
    hyphens = any(label[:1] == "-" or label[-1:] == "-" or label[2:4] == "--" for label in labels)
    return address if found and not hyphens and len(found) <= 255 and _EMAIL.fullmatch(address) else text


def _host_in_ascii(host: str) -> str | None:
    """A domain's name with Punycode for labels that are not in ASCII; ``None`` if it cannot be one."""
    host = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", _IGNORED.sub("", host)).casefold())
    labels = host.replace("。", ".").split(".")
    for label in labels:
        kinds = [unicodedata.category(c) for c in label if not c.isascii()]
        if any(kind[0] == "C" or kind in ("Zl", "Zp") for kind in kinds):
            return None
        if kinds and (unicodedata.category(label[0])[0] == "M" or label.startswith("xn--")):
            return None
    return ".".join(label if label.isascii() else "xn--" + label.encode("punycode").decode() for label in labels)


def _email_problem(value: str) -> str:
    if _EMAIL.fullmatch(value):
        return ""
    local, at, domain = value.partition("@")
    if not at:
        return f"Please include an '@' in the email address. '{value}' is missing an '@'."
    if not local:
        return f"Please enter a part followed by '@'. '{value}' is incomplete."
    if not domain:
        return f"Please enter a part following '@'. '{value}' is incomplete."
    if wrong := _NO_LOCAL.search(local):
        return f"A part followed by '@' should not contain the symbol '{wrong[0]}'."
    if wrong := _NO_DOMAIN.search(domain):
        return f"A part following '@' should not contain the symbol '{wrong[0]}'."
    if domain.startswith(".") or domain.endswith(".") or ".." in domain:
        return f"'.' is used at a wrong position in '{domain}'."
    return "Please enter an email address."


def _is_url(value: str) -> bool:
    text = re.sub("[\t\n\r]", "", value.strip("".join(map(chr, range(33)))))
    found = _SCHEME.fullmatch(text)
    if found is None:
        return False
    scheme, rest = found[1].lower(), found[2]
    if scheme in _SPECIAL:
        return _is_authority(re.split(r"[/\\?#]", rest.lstrip("/\\"))[0], _is_host)
    slashes = re.match(r"[/\\]{2}" if scheme == "file" else "//", rest)
    if slashes is None:
        return True
    place = re.split(r"[/\\]" if scheme == "file" else "[/?#]", rest[2:])[0]
    if scheme == "file":
        return not place or _is_host(place)
    return not place or _is_authority(place, _is_opaque_host)


def _is_authority(text: str, is_host: Callable[[str], bool]) -> bool:
    """Whether a text is a host with or without a user before it and a port after it."""
    place = text.rpartition("@")[2]
    host = _PORT.sub("", place)
    port = place[len(host) + 1 :].lstrip("0")[:6]
    return host != "" and int(port or 0) < 2**16 and is_host(host)


def _is_host(text: str) -> bool:
    if text.startswith("["):
        return _is_bracketed(text)
    if re.search("%(?![0-9a-fA-F]{2})", text):
        return False
    try:
        host = unquote_to_bytes(text).decode()
    except UnicodeDecodeError:
        return False
    name = host.lower() if host.isascii() else _host_in_ascii(host)
    return bool(name and not _NO_HOST.search(name) and _is_name_or_ipv4(name))


def _is_opaque_host(text: str) -> bool:
    if text.startswith("["):
        return _is_bracketed(text)
    # Chromium looks at the lower byte of each UTF-16 unit only.
    return not _NO_OPAQUE_HOST.search(text.encode("utf-16-le")[::2])


def _is_bracketed(text: str) -> bool:
    try:
        return text.endswith("]") and "%" not in text and bool(IPv6Address(text[1:-1]).packed)
    except AddressValueError:
        return False


def _is_name_or_ipv4(host: str) -> bool:
    """Whether a host's name does not end in a number, or is an address of four bytes or less."""
    parts = host.removesuffix(".").split(".")
    if not re.fullmatch("[0-9]+|0x[0-9a-f]*", parts[-1]):
        return True
    numbers = [_PART.fullmatch(part) for part in parts]
    if len(parts) > 4 or not all(numbers):
        return False
    values = [_part_value(found) for found in numbers if found]
    return all(value < 256 for value in values[:-1]) and values[-1] < 256 ** (5 - len(values))


def _part_value(found: re.Match[str]) -> int:
    hexadecimal, octal, decimal = found.groups("")
    return int(hexadecimal[2:] or "0", 16) or int(octal or "0", 8) or int((decimal or "0")[:12])


# Patterns: JavaScript's regular expressions with the flag ``v``, in terms of Python's.

_SPACE = "\\t\\n\\v\\f\\r \\xa0\\u1680\\u2000-\\u200a\\u2028\\u2029\\u202f\\u205f\\u3000\\ufeff"
_CLASSES = {"d": "[0-9]", "D": "[^0-9]", "w": "[a-zA-Z0-9_]", "W": "[^a-zA-Z0-9_]"}
_CLASSES |= {"s": f"[{_SPACE}]", "S": f"[^{_SPACE}]", ".": r"[^\n\r\u2028\u2029]"}
_ASSERTIONS = {"^": r"\A", "$": r"\Z", r"\b": r"\b", r"\B": r"\B"}
_CONTROLS = {"f": "\f", "n": "\n", "r": "\r", "t": "\t", "v": "\v", "0": "\0", "b": "\b"}
_CHARACTER = (
    r"\\(?:([fnrtv]|0(?!\d))|c([a-zA-Z])|x([\da-fA-F]{2})|u([\da-fA-F]{4})|u\{([\da-fA-F]+)\}|([\^$\\.*+?()\[\]{}|/]))"
)
_PAIR = r"\\u([dD][89abAB][\da-fA-F]{2})\\u([dD][c-fC-F][\da-fA-F]{2})"
_IN_CLASS = r"(?!([&!#$%*+,.:;<=>?@^`~])\1)[^()\[\]{}/\\|-]"
_CATEGORIES = dict(
    word.split("=")
    for word in "Letter=L Uppercase_Letter=Lu Lowercase_Letter=Ll Mark=M Number=N Decimal_Number=Nd Punctuation=P "
    "Symbol=S Separator=Z Space_Separator=Zs".split()
)


def _pattern_mismatch(control: Control, value: str) -> bool:
    if not value or control.pattern is None or control.type in ("number", "textarea"):
        return False
    pattern = _pattern(control.pattern)
    return pattern is not None and not pattern.fullmatch(value)


@lru_cache(maxsize=512)
def _pattern(source: str) -> re.Pattern[str] | None:
    """A pattern as Python has it; ``None`` for what is no pattern to JavaScript, with which everything matches."""
    try:
        return re.compile(_PatternReader(source).pattern(), re.A)
    except (ValueError, OverflowError, re.error):
        return None


class _PatternReader:
    """Reads a pattern; its methods read a part each and give it as Python has it.

    Raises:
        ValueError: by all of them but ``take``, if there is something else.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.at = 0
        self.single, self.ranged = "", False
        self.groups = 0
        self.closed: set[int] = set()
        self.names: dict[str, int] = {}
        self.referred: set[int | str] = set()

    def take(self, expression: str) -> re.Match[str] | None:
        """What comes next, if it is this."""
        found = re.compile(expression).match(self.source, self.at)
        if found:
            self.at = found.end()
        return found

    def pattern(self) -> str:
        found = self.alternatives()
        known = {*range(1, self.groups + 1), *self.names}
        if self.at < len(self.source) or not self.referred <= known:
            raise ValueError(self.source)
        return found

    def alternatives(self) -> str:
        found = self.terms()
        while self.take(r"\|"):
            found += "|" + self.terms()
        return found

    def terms(self) -> str:
        found = ""
        while self.at < len(self.source) and self.source[self.at] not in "|)":
            found += self.term()
        return found

    def term(self) -> str:
        if assertion := self.take(r"\^|\$|\\[bB]"):
            return _ASSERTIONS[assertion[0]]
        if look := self.take(r"\(\?<?[=!]"):
            return self.closing(look[0])
        return self.atom() + self.quantifier()

    def closing(self, opening: str) -> str:
        found = self.alternatives()
        if not self.take(r"\)"):
            raise ValueError(self.source)
        return f"{opening}{found})"

    def atom(self) -> str:
        if found := self.take(r"\(\?(?:-?i|i-)?:"):
            return self.closing(found[0].replace("-:", ":"))
        if found := self.take(r"\((?:\?<([\w$]+)>|(?!\?))"):
            return self.group(found[1])
        if self.take(r"\["):
            return self.class_()
        if self.take(r"\."):
            return _CLASSES["."]
        if found := self.take(r"\\(?:([1-9]\d*)|k<([\w$]+)>)"):
            return self.reference(found[1], found[2])
        return self.set_escape() or re.escape(self.escape() or self.literal(r"[^\^$\\.*+?()\[\]{}|]"))

    def group(self, name: str | None) -> str:
        self.groups += 1
        number = self.groups
        if name:
            # Twice the same name can only be in two alternatives.
            if name in self.names and "|" not in self.source:
                raise ValueError(self.source)
            self.names[name] = number
        found = self.closing("(")
        self.closed.add(number)
        return found

    def reference(self, digits: str | None, name: str | None) -> str:
        self.referred.add(name or int(digits or 0))
        number = self.names.get(name, 0) if name else int(digits or 0)
        # What has matched nothing yet is matched by nothing.
        return rf"(?({number})\{number}|)" if number in self.closed else "(?:)"

    def quantifier(self) -> str:
        found = self.take(r"(?:[*+?]|\{(\d+)(?:,(\d*))?\})\??")
        if not found:
            return ""
        if found[2] and int(found[1]) > int(found[2]):
            raise ValueError(self.source)
        return re.sub(r"\d{5,}", "9999", found[0])

    def literal(self, expression: str) -> str:
        found = self.take(expression)
        if not found:
            raise ValueError(self.source)
        return found[0]

    def escape(self) -> str:
        if pair := self.take(_PAIR):
            return bytes.fromhex(pair[1] + pair[2]).decode("utf-16-be")
        if not (found := self.take(_CHARACTER)):
            return ""
        control, letter, *code, itself = found.groups("")
        if letter:
            return chr(ord(letter) % 32)
        return _CONTROLS[control] if control else itself or chr(int("".join(code), 16))

    def set_escape(self) -> str:
        if found := self.take(r"\\([dDwWsS])"):
            return _CLASSES[found[1]]
        found = self.take(r"\\([pP])\{(?:(?:gc|General_Category)=)?(\w+)\}")
        return f"[{'^' * (found[1] == 'P')}{_property(found[2])}]" if found else ""

    def class_(self) -> str:
        """A class, of which the bracket has been read: alternatives of one character each."""
        negated = self.take(r"\^")
        found = [] if self.take(r"\]") else self.members()
        any_of = f"(?:{'|'.join(found) or '(?!)'})"
        return rf"(?:(?!{any_of})[\s\S])" if negated else any_of

    def members(self) -> list[str]:
        first = self.member()
        if operator := self.take("&&(?!&)|--"):
            return [self.combined(first, operator[0])]
        found = [first]
        while not self.take(r"\]"):
            found.append(self.member())
        return found

    def combined(self, first: str, operator: str) -> str:
        """What is in one class and in all others, or in none of the others."""
        found, more = first, not self.ranged
        while more:
            found = f"(?{'=' if operator == '&&' else '!'}{self.operand()}){found}"
            more = bool(self.take(operator))
        if not self.take(r"\]"):
            raise ValueError(self.source)
        return found

    def member(self) -> str:
        found, first = self.operand(), self.single
        self.ranged = bool(first and self.take("-(?!-)"))
        if not self.ranged:
            return found
        last = self.operand()
        if first > self.single:
            raise ValueError(self.source)
        return f"[{found}-{last}]"

    def operand(self) -> str:
        self.single = ""
        if self.take(r"\["):
            return self.class_()
        if found := self.set_escape():
            return found
        if words := self.take(r"\\q\{([^\\{}]*)\}"):
            return f"(?:{'|'.join(re.escape(word) for word in sorted(words[1].split('|'), key=len, reverse=True))})"
        self.single = self.class_character()
        return re.escape(self.single)

    def class_character(self) -> str:
        if found := self.take(r"\\(?:(b)|([&\-!#%,:;<=>@`~]))"):
            return _CONTROLS["b"] if found[1] else found[2]
        return self.escape() or self.literal(_IN_CLASS)


@lru_cache(maxsize=64)
def _property(name: str) -> str:
    """The characters of a general category, as ranges of a class."""
    known = {"ASCII": "\\0-\\x7f", "Any": "\\s\\S"}
    if name in known:
        return known[name]
    category = _CATEGORIES.get(name, name)
    found = [code for code in range(0x110000) if unicodedata.category(chr(code)).startswith(category)]
    if not found or len(category) > 2:
        raise ValueError(name)
    gaps = [(last, first) for last, first in pairwise(found) if first - last > 1]
    firsts, lasts = [found[0], *(first for _, first in gaps)], [*(last for last, _ in gaps), found[-1]]
    return "".join(f"\\U{first:08x}-\\U{last:08x}" for first, last in zip(firsts, lasts, strict=True))
