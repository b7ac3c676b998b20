"""Texts of any script: their space for Gymnasium, in one line, truncated."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gymnasium import spaces

PLACES = "The fields of the page and the exact x and y of their centres:"
"""The line before a list of field positions in a goal."""
TICK_BOX = " (tick box)"
"""What follows the name of a tick box in such a list."""


def one_line(text: str) -> str:
    """``text`` in one line: no invisible characters, runs of white space one space."""
    visible = text if text.isascii() else "".join(c for c in text if unicodedata.category(c) != "Cf")
    return " ".join(visible.split())


def truncate(text: str, max_length: int) -> str:
    """``text``, cut to ``max_length`` characters with an ellipsis if it is longer."""
    return text if len(text) <= max_length else f"{text[: max_length - 1]}…"


def truncate_middle(text: str, max_length: int) -> str:
    """``text``, or its two ends with a note of how many characters are omitted."""
    if len(text) <= max_length:
        return text
    half = max_length // 2 - 30
    return f"{text[:half]}\n[… {len(text) - 2 * half:,} characters left out …]\n{text[-half:]}"


_SURROGATES = range(0xD800, 0xE000)
_N_CHARACTERS = 0x110000 - len(_SURROGATES)

# What `sample` draws from: printable ASCII, Latin, Greek, Cyrillic, Hebrew, Chinese, emoji.
_SAMPLED_RANGES = (
    range(0x20, 0x7F),
    range(0x20, 0x7F),
    range(0xA1, 0x180),
    range(0x391, 0x3CA),
    range(0x410, 0x450),
    range(0x5D0, 0x5EB),
    range(0x4E00, 0x4F00),
    range(0x1F600, 0x1F640),
)
_SAMPLED_STARTS = np.array([characters.start for characters in _SAMPLED_RANGES])
_SAMPLED_LENGTHS = np.array([len(characters) for characters in _SAMPLED_RANGES])
_MAX_SAMPLED_LENGTH = 24


class _AllCharacters(Sequence[str]):
    """All Unicode scalar values in code point order, computed on access."""

    def __len__(self) -> int:
        return _N_CHARACTERS

    def __getitem__(self, index: Any) -> Any:
        position = range(_N_CHARACTERS)[int(index)]
        return chr(position if position < _SURROGATES.start else position + len(_SURROGATES))

    def __contains__(self, character: object) -> bool:
        return isinstance(character, str) and len(character) == 1 and ord(character) not in _SURROGATES

    def __iter__(self) -> Iterator[str]:
        return (self[i] for i in range(_N_CHARACTERS))


_ALL_CHARACTERS = _AllCharacters()


class UnicodeText(spaces.Text):
    """Strings of up to ``max_length`` characters, of any script.

    A ``gymnasium.spaces.Text`` over a million characters would hold them all in a set, a list and a dict; this one
    computes them, so that batching and flattening work as they do for ``Text``.

    Args:
        max_length: the greatest number of characters.
        min_length: the smallest number of characters.
        seed: the seed of ``sample``.
    """

    def __init__(self, max_length: int, *, min_length: int = 0, seed: int | np.random.Generator | None = None) -> None:
        super().__init__(max_length, min_length=min_length, charset=" ", seed=seed)

    def sample(self, mask: Any = None, probability: Any = None) -> str:
        """A random string of mixed scripts, by default of at most 24 characters.

        Args:
            mask: ``None`` or ``(length, None)``.
            probability: ``None`` or ``(length, None)``.

        Raises:
            ValueError: if a mask or probability over characters is given, or a length outside the space.
        """
        length, over_characters = mask or probability or (None, None)
        if over_characters is not None:
            raise ValueError("UnicodeText samples by length alone; a mask over a million characters is not supported")
        if length is None:
            longest = max(self.min_length, min(self.max_length, _MAX_SAMPLED_LENGTH))
            length = int(self.np_random.integers(self.min_length, longest + 1))
        if not self.min_length <= length <= self.max_length:
            raise ValueError(f"length {length} lies outside {self.min_length} to {self.max_length}")
        picks = self.np_random.integers(len(_SAMPLED_RANGES), size=length)
        points = _SAMPLED_STARTS[picks] + self.np_random.integers(_SAMPLED_LENGTHS[picks])
        return "".join(map(chr, points.tolist()))

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a string of allowed length without lone surrogates."""
        return isinstance(x, str) and self.min_length <= len(x) <= self.max_length and encodable(x)

    @property
    def character_list(self) -> Any:
        """All Unicode characters, as a lazy sequence."""
        return _ALL_CHARACTERS

    character_set = characters = character_list

    def character_index(self, char: str) -> np.int32:
        """The index of ``char`` in ``character_list``."""
        point = ord(char)
        return np.int32(point if point < _SURROGATES.start else point - len(_SURROGATES))

    def __eq__(self, other: object) -> bool:
        return isinstance(other, UnicodeText) and (self.min_length, self.max_length) == (
            other.min_length,
            other.max_length,
        )

    def __repr__(self) -> str:
        return f"UnicodeText({self.min_length}, {self.max_length})"


def encodable(text: str) -> bool:
    """Whether ``text`` can be written as UTF-8, that is, has no lone surrogates."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def utf8(text: str) -> str:
    """``text`` with a question mark for each lone surrogate, so that it can be written as UTF-8."""
    return text if text.isascii() else text.encode(errors="replace").decode()


def utf16_length(text: str) -> int:
    """The length of a text in UTF-16 units, as browsers count."""
    return len(text.encode("utf-16-le")) // 2


@dataclass(frozen=True, slots=True)
class TextExtents:
    """How large written text is, as shares of the page's height and width.

    Attributes:
        height: of a line.
        widths: of some texts, by the text.
    """

    height: float
    widths: Mapping[str, float]
