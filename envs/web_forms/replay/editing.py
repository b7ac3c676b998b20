"""Editing: a text with caret and selection, and keys as in Chromium on Linux."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass


@dataclass(slots=True)
class Editor:
    """A text that is being edited.

    Attributes:
        text: the current text.
        caret: how many characters are before the caret.
        anchor: where the selection began; equal to ``caret`` where nothing is selected.
    """

    text: str = ""
    caret: int = 0
    anchor: int = 0

    @property
    def selection(self) -> tuple[int, int]:
        """The first selected character and the one after the last."""
        return (self.anchor, self.caret) if self.anchor <= self.caret else (self.caret, self.anchor)

    def insert(self, typed: str) -> None:
        """Replace the selection with characters."""
        start, end = self.selection
        self.text = self.text[:start] + typed + self.text[end:]
        self.caret = self.anchor = start + len(typed)

    def select(self, start: int, end: int) -> None:
        """Select from ``start`` to ``end``, where the caret goes."""
        self.anchor, self.caret = start, end

    def move(self, to: int, extend: bool) -> None:
        """Move the caret, and extend or clear the selection."""
        self.caret = to
        if not extend:
            self.anchor = to

    def erase(self, to: int) -> bool:
        """Remove the selection, or the text from the caret to ``to``; ``False`` if empty."""
        start, end = self.selection if self.anchor != self.caret else sorted((self.caret, to))
        if start == end:
            return False
        self.text = self.text[:start] + self.text[end:]
        self.caret = self.anchor = start
        return True

    def before(self) -> int:
        """The place one grapheme before the caret."""
        return max((at for at in _bounds(_GRAPHEME, self.text) if at < self.caret), default=0)

    def after(self) -> int:
        """The place one grapheme after the caret."""
        return next((at for at in _bounds(_GRAPHEME, self.text) if at > self.caret), len(self.text))

    def erased_before(self) -> int:
        """Where Backspace erases to: it removes a mark without its letter, an emoji whole."""
        start = self.before()
        last = self.text[start : self.caret].translate(_KINDS)
        return start if _WHOLE.search(last) else max(self.caret - 1, 0)

    def word_before(self) -> int:
        """The target of Control+ArrowLeft, within the line."""
        start, end = self._line()
        if start == end:
            return max(start - 1, 0)
        return start + _word_before(self.text[start:end], self.caret - start)

    def word_erased_before(self) -> int:
        """Where Control+Backspace erases to: at least one character."""
        to = self.word_before()
        return to if to < self.caret else self.before()

    def word_after(self) -> int:
        """The target of Control+ArrowRight."""
        at = self.caret
        if self.text[at : at + 1] == "\n":
            at += 1
            # From the end of a line to the next one, and on over the spaces that it begins with.
            if at == len(self.text) or self.text[at] == "\n" or _is_visible(self.text[at]):
                return at
        start, end = self._line(at)
        return start + _word_after(self.text[start:end], at - start)

    def word_at(self, at: int) -> tuple[int, int]:
        """The word, the spaces or the sign around a character; at the end the last one."""
        bounds = _bounds(_SEGMENT, self.text)
        end = next((bound for bound in bounds if bound > at), len(self.text))
        return max((bound for bound in bounds if bound < end), default=0), end

    def _line(self, at: int | None = None) -> tuple[int, int]:
        """The start and the end of the line around the caret, or around another place."""
        at = self.caret if at is None else at
        end = self.text.find("\n", at)
        return self.text.rfind("\n", 0, at) + 1, end if end >= 0 else len(self.text)


# Words and graphemes as ICU parts them, as far as Latin text and pictures go. Each character is of one kind.

_BY_KIND = {
    # Letters, and signs that go as such.
    "L": "¸˂˃˄˅˒˓˔˕˖˗˞˟˥˦˧˨˩˪˫˭˯˰˱˲˳˴˵˶˷˸˹˺˻˼˽˾˿",
    # Between letters, between digits, and between either.
    "l": "·\u0387՟״‧︓",
    "n": ",.;\u037e։،؍٬߸⁄﹐﹔，．；",
    "b": "'‘’․﹒＇",
    "_": "\u202f",
    "x": "\xa0\u2007\u200b",
    "e": "\u200c" + "".join(map(chr, [*range(0x1F3FB, 0x1F400), *range(0xE0020, 0xE0080)])),
    "z": "\u200d",
    "v": "\ufe0f\u20e3",
    "R": "".join(map(chr, range(0x1F1E6, 0x1F200))),
    "\n": "\n",
}
_BY_CATEGORY = {"L": "L", "Nl": "L", "Nd": "N", "Pc": "_", "M": "m", "Cf": "f", "Zs": "s"}


class _Kinds(dict[int, str]):
    """A lazy table of the kind of each character, for ``str.translate``."""

    def __missing__(self, code: int) -> str:
        category = unicodedata.category(chr(code))
        kind = _BY_CATEGORY.get(category) or _BY_CATEGORY.get(category[0], "x")
        self[code] = "P" if category == "So" and (code >= 0x1F000 or 0x2600 <= code < 0x27C0) else kind
        return self[code]


_KINDS = _Kinds({ord(c): kind for kind, characters in _BY_KIND.items() for c in characters})
_MARK = "[emvz]*"
_PICTURES = f"P{_MARK}(?:(?<=z)P{_MARK})*"
_GRAPHEME = re.compile(rf"RR{_MARK}|{_PICTURES}|\n|.{_MARK}")
_WHOLE = re.compile("[PRv]")
_WITH = "[emvzf]*"
_SEGMENT = re.compile(
    rf"(?:L{_WITH}(?:[lb]{_WITH}(?=L))?|N{_WITH}(?:[nb]{_WITH}(?=N))?|_{_WITH})+"
    rf"|s+{_WITH}|R{_WITH}(?:R{_WITH})?|P{_WITH}(?:(?<=z)P{_WITH})*|\n|.{_WITH}"
)


def _bounds(part: re.Pattern[str], text: str) -> list[int]:
    """The boundaries of a pattern's matches in a text, with its start and end."""
    return [0, *(found.end() for found in part.finditer(text.translate(_KINDS)))]


def _word_after(line: str, at: int) -> int:
    for end in _bounds(_SEGMENT, line):
        if at < end < len(line):
            before, after = line[end - 1], line[end]
            if _is_alphanumeric(before) if _is_sign(after) else _is_visible(before):
                return end
    return len(line)


def _word_before(line: str, at: int) -> int:
    signs = None
    for start in reversed(_bounds(_SEGMENT, line)):
        if start >= at:
            continue
        if _is_sign(line[start]):
            if start and _is_alphanumeric(line[start - 1]):
                return start
            signs = start
        elif signs is not None:
            return signs
        elif _is_visible(line[start]):
            return start
    return 0


def _is_sign(c: str) -> bool:
    """Whether Chromium counts a character as punctuation: all beyond 16 bits are."""
    return c > "\uffff" or unicodedata.category(c)[0] in "PS"


def _is_alphanumeric(c: str) -> bool:
    return c <= "\uffff" and (c.isalpha() or unicodedata.category(c) == "Nd")


def _is_visible(c: str) -> bool:
    return c not in " \xa0" and (c > "\uffff" or unicodedata.category(c)[0] != "C")


def utf16_length(text: str) -> int:
    """The length of a text in UTF-16 units, as browsers count."""
    return len(text.encode("utf-16-le")) // 2


# Numbers.

_NARROW = str.maketrans("０１２３４５６７８９－ー．", "0123456789--.")


def number_characters(typed: str, before: str, after: str) -> str:
    """The part of ``typed`` that Chromium accepts in a number field between two texts."""
    taken = ""
    for c in typed.translate(_NARROW):
        if _fits_number(c, before + taken, after):
            taken += c
    return taken


def _fits_number(c: str, before: str, after: str) -> bool:
    has_power = bool(re.search("[eE]", before + after))
    at_power = before[-1:] in ("e", "E")
    sign_after = after[:1] in ("+", "-")
    if c == ".":
        power_before = re.search("[eE]", before)
        return "." not in before + after and not power_before and not re.match("[^+-]*(?<![eE])[+-]", after)
    if c in "eE":
        return not has_power and "." not in after
    if c in "+-":
        fits = not has_power or at_power or (not before and c == "-")
        return fits and not sign_after and len(re.findall("[+-]", before + after)) < 2
    return c in "0123456789" and not (sign_after and (not before or at_power))
