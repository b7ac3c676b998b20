"""A label's text as numbers: its words and triples of letters, hashed."""

from __future__ import annotations

from zlib import crc32

import numpy as np
from numpy.typing import NDArray

BUCKETS = 4096
MOST = 48
"""How many numbers a text becomes at most."""
_LONGEST = 60


def text_ids(text: str) -> NDArray[np.int64]:
    """A text as int64 (MOST,), from 1 to BUCKETS - 1, padded by 0."""
    plain = " ".join(text.lower().split())[:_LONGEST]
    framed = f"^{plain}$"
    pieces = {framed[i : i + 3] for i in range(len(framed) - 2)} | {f"={word}" for word in plain.split()}
    ids = sorted({1 + crc32(piece.encode()) % (BUCKETS - 1) for piece in pieces})[:MOST]
    return np.array(ids + [0] * (MOST - len(ids)), np.int64)
