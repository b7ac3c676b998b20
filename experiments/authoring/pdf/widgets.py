"""The boxes of a PDF's fields: what a field is, by its dictionary and those above it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any, cast

from pypdf.generic import DictionaryObject, NameObject, StreamObject

from ....envs.core.boxes import Box

_MAX_DEPTH = 32
"""Of the tree of fields."""
_MAX_COMB, _MIN_DATE = 40, 6
_READ_ONLY, _MULTILINE, _PUSH, _COMBO, _EDIT, _COMB = 1, 1 << 12, 1 << 16, 1 << 17, 1 << 18, 1 << 24
_HIDDEN = 1 << 1 | 1 << 5
_FORMATS = {
    r"AFDate_": "date",
    r"AFSpecial_Format\(2": "phone",
    r"AFSpecial_": "identifier",
    r"AFNumber_Format\(\s*\d+\s*,\s*[23]": "text",
    r'AFNumber_Format\((?:[^,]*,){4}\s*"[^"]*[^"\s]': "money",
    r"AFNumber_": "number",
}
"""The matchers of values that a script of Acrobat formats; numbers with a decimal comma are compared as they stand."""
_WORDS = {
    r"\bsignature\b(?!.*\bdate)|\binitials$": "signature",
    r"^(?!.*\b(?:day|month|year|dd|mm|yy+|dates)\b).*\bdate\b": "date",
    r"^(?!.*\b(?:names?|address|e-?mail)\b).*\b(?:(?:tele)?phone|mobile)\b": "phone",
    r"^(?!.*\b(?:names?|phone)\b).*\be-?mail\b": "email",
}
"""The matchers of texts whose label says plainly what they are."""


@dataclass(frozen=True, eq=False)
class Widget:
    """A box of a field.

    Attributes:
        chain: its dictionary, that of its field, and those above.
        page: the index of its page.
        box: in pixels of that page's picture.
    """

    chain: tuple[Mapping[str, Any], ...]
    page: int
    box: Box

    def get(self, key: str) -> Any:
        """A value of the field, which those above it may have."""
        return resolved(next((node[key] for node in self.chain if key in node), None))

    @cached_property
    def name(self) -> str:
        """The full name of the field."""
        return ".".join(str(resolved(node["/T"])) for node in reversed(self.chain) if "/T" in node)

    @cached_property
    def flags(self) -> int:
        """The flags of the field."""
        return int(self.get("/Ff") or 0)

    @cached_property
    def ticked(self) -> bool:
        """Whether it is a check box or a radio button."""
        return bool(self.get("/FT") == "/Btn")

    @cached_property
    def state(self) -> str:
        """The state that ticks a check box or radio button; empty for other fields."""
        looks = resolved(resolved(self.chain[0].get("/AP", {})).get("/N", {})) if self.ticked else {}
        states = [] if isinstance(looks, StreamObject) else [str(name)[1:] for name in looks if name != "/Off"]
        return (states or ["Yes"])[0] if self.ticked else ""

    @cached_property
    def option(self) -> str:
        """The name of a radio button's state, where the states are numbers of a list of names."""
        options = self.get("/Opt") if self.ticked else None
        if isinstance(options, list) and self.state.isdecimal() and int(self.state) < len(options):
            return _shown(options[int(self.state)])
        return self.state

    @cached_property
    def is_multiline(self) -> bool:
        """Whether it takes a text of several lines."""
        return self.get("/FT") == "/Tx" and bool(self.flags & _MULTILINE)

    @cached_property
    def is_editable(self) -> bool:
        """Whether it is a list that takes other texts than those in it."""
        return bool(self.flags & _EDIT and self.flags & _COMBO)

    @cached_property
    def listed(self) -> list[tuple[str, str]]:
        """The options of a list, each as it is stored and as it is shown."""
        options = self.get("/Opt") if self.get("/FT") == "/Ch" else None
        return [(_shown(one, 0), _shown(one)) for one in options] if isinstance(options, list) else []

    @property
    def choices(self) -> tuple[str, ...]:
        """What can be chosen from a list, as it is shown."""
        return tuple(shown for _, shown in self.listed if shown)

    @cached_property
    def max_length(self) -> int:
        """The most characters of a text; 0: any number."""
        return max(int(self.get("/MaxLen") or 0), 0) if self.get("/FT") == "/Tx" else 0

    @cached_property
    def comb(self) -> int:
        """The number of cells of one character each; 0 for other fields."""
        is_comb = self.flags & _COMB and not self.flags & _MULTILINE and self.max_length <= _MAX_COMB
        return self.max_length if is_comb else 0

    @cached_property
    def named(self) -> Mapping[str, Any]:
        """The dictionary of the field itself."""
        return next((node for node in self.chain if "/T" in node), self.chain[0])

    @property
    def tooltip(self) -> str:
        """What the field says of itself."""
        return str(resolved(self.named.get("/TU")) or "").strip()

    @property
    def option_tooltip(self) -> str:
        """What one of several boxes of a field says of itself."""
        return "" if self.named is self.chain[0] else str(resolved(self.chain[0].get("/TU")) or "").strip()

    @property
    def is_filled_in(self) -> bool:
        """Whether its field has a value that is more than what it begins with: of ticks and lists it may be changed."""
        value, usual = _text(self.get("/V")), _text(self.get("/DV"))
        if self.ticked:
            return False
        if self.choices:
            return value not in ("", usual, self.choices[0])
        return bool(value) and (value != usual or self.get("/FT") == "/Sig")

    @property
    def shows_default(self) -> bool:
        """Whether a viewer draws something in it though it is not filled in: what it begins with, or a list's arrow."""
        return not self.ticked and bool(self.choices or _text(self.get("/V")))

    @property
    def shows_value(self) -> bool:
        """Whether it has a tick, or holds a text."""
        if self.ticked:
            return f"/{self.state}" in (self.get("/V"), resolved(self.chain[0].get("/AS")))
        return self.get("/FT") != "/Sig" and bool(_text(self.get("/V")))

    def untick(self) -> bool:
        """Take the tick of a box away, in the dictionaries that it was read from; whether it had one."""
        had_one = self.ticked and self.shows_value
        for node, key in ((self.chain[0], "/AS"), (self.named, "/V")) if had_one else ():
            cast(dict[Any, Any], node)[NameObject(key)] = NameObject("/Off")
        return had_one

    @property
    def obstacle(self) -> str:
        """Why nobody can fill it in; empty if one can."""
        reasons = {
            "buttons": self.ticked and self.flags & _PUSH,
            "hidden": int(resolved(self.chain[0].get("/F")) or 0) & _HIDDEN,
            "read-only": self.flags & _READ_ONLY,
            "of an unknown kind": self.get("/FT") not in ("/Tx", "/Btn", "/Ch", "/Sig"),
        }
        return next((reason for reason, is_so in reasons.items() if is_so), "")

    def matcher(self, label: str) -> str:
        """How a value is compared: by the type of the field, the format that it gives to values, or its label."""
        if self.get("/FT") != "/Tx":
            is_closed = self.get("/FT") == "/Ch" and not self.flags & _EDIT
            return "checkbox" if self.ticked else "signature" if self.get("/FT") == "/Sig" else _LIST[is_closed]
        script = str(resolved(resolved(resolved(self.get("/AA") or {}).get("/F") or {}).get("/JS")) or "")
        if found := next((matcher for call, matcher in _FORMATS.items() if re.search(call, script)), None):
            return found
        usual = "identifier" if self.comb else "text"
        named = next((matcher for words, matcher in _WORDS.items() if re.search(words, label, re.IGNORECASE)), usual)
        return usual if named == "date" and 0 < self.max_length < _MIN_DATE else named


def _text(value: Any) -> str:
    """A value as text; one of white space and punctuation alone is empty."""
    if isinstance(value, StreamObject):
        value = value.get_data().decode("latin-1")
    text = ", ".join(map(str, value)) if isinstance(value, list) else str(value or "")
    return text if re.search(r"\w", text) else ""


_LIST = {True: "choice", False: "text"}


def resolved(value: Any) -> Any:
    """A value of a PDF's dictionary, where it may be a reference to it."""
    return value.get_object() if hasattr(value, "get_object") else value


def annotations_of(page: Mapping[str, Any]) -> Iterator[DictionaryObject]:
    """The dictionaries of the boxes of fields on a page."""
    for annotation in map(resolved, resolved(page.get("/Annots")) or ()):
        if isinstance(annotation, DictionaryObject) and annotation.get("/Subtype") == "/Widget":
            yield annotation


def ancestry(node: Mapping[str, Any]) -> tuple[Mapping[str, Any], ...]:
    """A dictionary and those above it, each once."""
    found = [node]
    while len(found) < _MAX_DEPTH:
        above = resolved(found[-1].get("/Parent"))
        if not isinstance(above, DictionaryObject) or any(above is one for one in found):
            break
        found.append(above)
    return tuple(found)


def _shown(option: Any, part: int = -1) -> str:
    """What is shown of an option: its name, or the second part of a pair, of which the first (0) is stored."""
    option = resolved(option)
    return str(resolved(option[part]) if isinstance(option, list) and option else option).strip()
