"""Large arrays outside the heap, so that freed memory returns to the system."""

from __future__ import annotations

import math
import mmap
import weakref
from collections import defaultdict

import numpy as np
from numpy.typing import NDArray

_MIN_BYTES = 1 << 17
"""Smaller arrays stay in the heap: a mapping costs a system call and fills whole pages of memory."""
MAX_SPARE_BYTES = 24 << 20
"""Freed mappings are kept up to this size: the pages of a new mapping are slow to touch for the first time."""


def mapped_array(shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """An uninitialised uint8 array, for large ones that stay in a cache.

    Its memory is used again or returns to the system as soon as the array is freed. From the heap such arrays leave
    holes that small objects with a longer life fill, so that the next large array makes the heap grow.
    """
    n_bytes = math.prod(shape)
    if n_bytes < _MIN_BYTES:
        return np.empty(shape, np.uint8)
    memory = _SPARE.take(_size_class(n_bytes))
    array = np.frombuffer(memory, np.uint8, n_bytes)
    weakref.finalize(array, _SPARE.give, memory).atexit = False
    return array.reshape(shape)


def _size_class(n_bytes: int) -> int:
    """``n_bytes`` rounded up by an eighth at most, so that arrays share mappings."""
    step = 1 << max(n_bytes.bit_length() - 4, 12)
    return -(-n_bytes // step) * step


class _Spare:
    """Mappings that no array uses."""

    def __init__(self) -> None:
        self._by_size: defaultdict[int, list[mmap.mmap]] = defaultdict(list)

    def take(self, size: int) -> mmap.mmap:
        """A mapping of ``size`` bytes."""
        try:
            return self._by_size[size].pop()
        except IndexError:
            # Private, or a forked process would write into its parent's array.
            return mmap.mmap(-1, size, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)

    def give(self, memory: mmap.mmap) -> None:
        """Keep a mapping for the next array, if there is room."""
        if sum(size * len(kept) for size, kept in self._by_size.items()) + len(memory) <= MAX_SPARE_BYTES:
            self._by_size[len(memory)].append(memory)


_SPARE = _Spare()
