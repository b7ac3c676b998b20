"""Observation spaces: text of any Unicode characters, and page images."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from copy import deepcopy
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector.utils import batch_space, concatenate
from numpy.typing import NDArray

Observation = dict[str, Any]
"""An environment's observation: the page, and texts such as the goal."""

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
    def character_set(self) -> Any:
        """All Unicode characters, as a lazy collection."""
        return _ALL_CHARACTERS

    @property
    def character_list(self) -> Any:
        """All Unicode characters, as a lazy sequence."""
        return _ALL_CHARACTERS

    @property
    def characters(self) -> Any:
        """All Unicode characters, as a lazy sequence."""
        return _ALL_CHARACTERS

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


class PageSpace(spaces.Box):
    """Page images: uint8 RGB of shape (height, width, 3), or a batch of them.

    A ``Box`` whose bounds take no memory, whose checks take no time, and whose batches are painted in place: a vector
    environment need not copy pages that are in its batch already.

    Args:
        height: in pixels.
        width: in pixels.
        batch: the number of pages; ``None``: a single page.
        seed: the seed of ``sample``.
    """

    def __init__(
        self, height: int, width: int, batch: int | None = None, seed: int | np.random.Generator | None = None
    ) -> None:
        super().__init__(0, 255, (), np.uint8, seed)
        self._shape = (height, width, 3) if batch is None else (batch, height, width, 3)
        for name in ("low", "high", "bounded_below", "bounded_above"):
            setattr(self, name, np.broadcast_to(getattr(self, name), self._shape))

    def sample(self, mask: None = None, probability: None = None) -> NDArray[np.uint8]:
        """A page of random noise."""
        return self.np_random.integers(0, 256, self._shape, np.uint8)

    def contains(self, x: Any) -> bool:
        """Whether ``x`` is a uint8 array of this shape."""
        return isinstance(x, np.ndarray) and x.dtype == np.uint8 and x.shape == self._shape

    def __eq__(self, other: object) -> bool:
        return isinstance(other, PageSpace) and self._shape == other._shape

    def __reduce__(self) -> tuple[Any, ...]:
        height, width, _ = self._shape[-3:]
        batch = self._shape[0] if len(self._shape) == 4 else None
        return PageSpace, (height, width, batch, self._np_random)

    def __repr__(self) -> str:
        return f"PageSpace{self._shape}"


@batch_space.register(PageSpace)
def _batch_pages(space: PageSpace, n: int = 1) -> PageSpace:
    height, width, _ = space.shape
    return PageSpace(height, width, n, deepcopy(space.np_random))


@concatenate.register(PageSpace)
def _concatenate_pages(
    space: PageSpace, items: Iterable[NDArray[np.uint8]], out: NDArray[np.uint8]
) -> NDArray[np.uint8]:
    for row, page in zip(out, items, strict=True):
        if not np.may_share_memory(row, page):
            np.copyto(row, page)
    return out


def blank(space: spaces.Space[Any]) -> Any:
    """A fixed, harmless element of ``space``, for arguments a tool does not use."""
    if isinstance(space, spaces.Text):
        return "" if space.min_length == 0 else " " * space.min_length
    if isinstance(space, spaces.Discrete):
        return space.start
    assert isinstance(space, spaces.Box)
    low: NDArray[Any] = space.low
    return np.asarray(np.clip(np.zeros(space.shape, space.dtype), low, space.high))
