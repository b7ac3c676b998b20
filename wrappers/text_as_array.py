"""TextAsArray: texts as arrays of a fixed length."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from ..envs.core.spaces import Observation

_NO_WORD = re.compile(r"[\W_]+")
_SIZES = (2, 3)
"""How many characters an n-gram has."""


class TextAsArray(gym.ObservationWrapper[Observation, Any, Observation], RecordConstructorArgs):
    """Turns every text of the observation, such as the goal, into an array.

    Args:
        env: the environment; its observation space is a ``Dict``.
        length: of each array.
        mode: ``"bytes"``: the first bytes of the text in UTF-8, then zeros, uint8; ``"ngrams"``: how often each hashed
            n-gram of its characters occurs, float32 and of length 1. Hashes are the same in every process.

    Raises:
        ValueError: if observations are no ``Dict``, there is no such mode, or the length is below 1.
    """

    def __init__(self, env: gym.Env[Observation, Any], length: int = 256, mode: str = "bytes") -> None:
        RecordConstructorArgs.__init__(self, length=length, mode=mode)
        super().__init__(env)
        if not isinstance(env.observation_space, spaces.Dict):
            raise ValueError(f"observations must be a Dict, not {env.observation_space}")
        if mode not in ENCODINGS:
            raise ValueError(f"mode must be one of {', '.join(ENCODINGS)}, not {mode!r}")
        if length < 1:
            raise ValueError(f"length must be at least 1, not {length}")
        encoding = ENCODINGS[mode]
        self._encode, self._length = encoding.encode, length
        array = spaces.Box(0, encoding.high, (length,), encoding.dtype)
        inner = env.observation_space.spaces
        self._texts = [name for name, space in inner.items() if isinstance(space, spaces.Text)]
        self.observation_space = spaces.Dict(inner | dict.fromkeys(self._texts, array))

    def observation(self, observation: Observation) -> Observation:
        """The observation with arrays in place of texts."""
        arrays = {name: self._encode(observation[name], self._length).copy() for name in self._texts}
        return observation | arrays


@lru_cache(maxsize=256)
def utf8_bytes(text: str, length: int) -> NDArray[np.uint8]:
    """The first bytes of a text in UTF-8, then zeros."""
    array = np.zeros(length, np.uint8)
    encoded = text.encode()[:length]
    array[: len(encoded)] = np.frombuffer(encoded, np.uint8)
    return array


@lru_cache(maxsize=256)
def hashed_ngrams(text: str, length: int) -> NDArray[np.float32]:
    """The counts of a text's n-grams, hashed and of length 1.

    Capitals count as small letters; a text without letters and digits gives zeros.
    """
    words = _NO_WORD.sub(" ", text.casefold()).strip()
    marked = f"^{words}$"
    ngrams = [marked[i : i + n] for n in _SIZES for i in range(len(marked) - n + 1)] if words else []
    slots = [zlib.crc32(ngram.encode()) % length for ngram in ngrams]
    counts = np.bincount(slots, minlength=length).astype(np.float32)
    return np.asarray(counts / max(float(np.linalg.norm(counts)), 1), np.float32)


@dataclass(frozen=True)
class _Encoding:
    """How a text becomes an array, and the array's greatest value and type."""

    encode: Callable[[str, int], NDArray[Any]]
    high: int
    dtype: type[Any]


ENCODINGS = {"bytes": _Encoding(utf8_bytes, 255, np.uint8), "ngrams": _Encoding(hashed_ngrams, 1, np.float32)}
"""The encodings by the name of the mode."""
