"""Large arrays outside the heap."""

from __future__ import annotations

import math
import mmap

import numpy as np
from numpy.typing import NDArray

_MIN_BYTES = 1 << 17
"""Smaller arrays stay in the heap: a mapping costs a system call and fills whole pages of memory."""


def mapped_array(shape: tuple[int, ...]) -> NDArray[np.uint8]:
    """A uint8 array of zeros, for large ones that live as long as a cache keeps them.

    Its memory returns to the system as soon as the array is freed. From the heap such arrays leave holes, in which
    small objects that live longer settle, so that the next large array makes the heap grow.
    """
    n_bytes = math.prod(shape)
    if n_bytes < _MIN_BYTES:
        return np.zeros(shape, np.uint8)
    # Private, or a forked process would write into its parent's array.
    memory = mmap.mmap(-1, n_bytes, flags=mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS)
    return np.frombuffer(memory, np.uint8).reshape(shape)
