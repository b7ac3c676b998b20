"""JavaScript's regular expressions with the flag ``v``, translated to Python's."""

from __future__ import annotations

import re
import unicodedata
from functools import lru_cache
from itertools import pairwise

from .capture import Control

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


def pattern_mismatch(control: Control, value: str) -> bool:
    """Whether a text does not match its control's pattern."""
    if not value or control.pattern is None or control.type in ("number", "textarea"):
        return False
    pattern = _pattern(control.pattern)
    return pattern is not None and not pattern.fullmatch(value)


@lru_cache(maxsize=512)
def _pattern(source: str) -> re.Pattern[str] | None:
    """A pattern in Python; ``None`` if it is invalid, so that everything matches."""
    try:
        return re.compile(_PatternReader(source).pattern(), re.A)
    except (ValueError, OverflowError, re.error):
        return None


class _PatternReader:
    """Reads a pattern; each method reads a part and returns it in Python's syntax.

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
        """Read the next part if it matches an expression."""
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
        """Read a class after its bracket, as alternatives of one character each."""
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
        """The intersection or the difference of a class and others."""
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
