"""Observations as arrays, for networks."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable
from functools import lru_cache
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from numpy.typing import NDArray

from ..envs.core.spaces import Observation

VECTOR = "vector"
"""The name of the vector in the observation."""


class FlatObservation(gym.ObservationWrapper[Any, Any, Observation], RecordConstructorArgs):
    """Leaves pictures, and a vector of all other arrays; texts are left out.

    A single array that is left is the observation itself, as CleanRL's loops and SB3's ``CnnPolicy`` take it; several
    are a ``Dict`` for SB3's ``MultiInputPolicy``. Texts come into the vector if ``TextAsArray`` is inside. The vector
    is float32, of bytes divided by 255.

    >>> env = FlatObservation(TextAsArray(gym.make("FormFactory/Grounding-v0"), length=64))
    >>> sorted(env.observation_space.spaces)
    ['page', 'vector']

    Args:
        env: the environment; its observation space is a ``Dict``.
        channels_first: whether pictures are (3, height, width), as PyTorch takes them.

    Raises:
        ValueError: if observations are no ``Dict`` of texts and arrays, or of texts alone.
    """

    def __init__(self, env: gym.Env[Observation, Any], channels_first: bool = True) -> None:
        RecordConstructorArgs.__init__(self, channels_first=channels_first)
        super().__init__(env)
        if not isinstance(env.observation_space, spaces.Dict):
            raise ValueError(f"observations must be a Dict, not {env.observation_space}")
        inner = env.observation_space.spaces
        arrays = {name: space for name, space in inner.items() if isinstance(space, spaces.Box)}
        if not arrays or not all(isinstance(space, spaces.Box | spaces.Text) for space in inner.values()):
            raise ValueError(f"observations must be texts and at least one array, not {env.observation_space}")
        self._axes = (2, 0, 1) if channels_first else (0, 1, 2)
        self._pictures = [name for name, space in arrays.items() if len(space.shape) == 3]
        self._rest = [name for name in arrays if name not in self._pictures]
        flat: dict[str, spaces.Space[Any]] = {name: self._picture_space(arrays[name]) for name in self._pictures}
        if self._rest:
            low = self._vector({name: arrays[name].low for name in self._rest})
            high = self._vector({name: arrays[name].high for name in self._rest})
            flat[VECTOR] = spaces.Box(low, high, dtype=np.float32)
        self._is_single = len(flat) == 1
        self.observation_space = next(iter(flat.values())) if self._is_single else spaces.Dict(flat)

    def observation(self, observation: Observation) -> Any:
        """The pictures and the vector, or the one of them that there is."""
        flat = {name: np.ascontiguousarray(observation[name].transpose(self._axes)) for name in self._pictures}
        if self._rest:
            flat[VECTOR] = self._vector(observation)
        return next(iter(flat.values())) if self._is_single else flat

    def _picture_space(self, space: spaces.Box) -> spaces.Box:
        return spaces.Box(0, 255, tuple(space.shape[axis] for axis in self._axes), np.uint8)

    def _vector(self, arrays: Observation) -> NDArray[np.float32]:
        return np.concatenate([_as_floats(arrays[name]) for name in self._rest])


def _as_floats(array: NDArray[Any]) -> NDArray[np.float32]:
    """An array in one row; bytes as fractions."""
    scale = 255 if array.dtype == np.uint8 else 1
    return np.asarray(array, np.float32).reshape(-1) / np.float32(scale)


_NO_WORD = re.compile(r"[\W_]+")
_SIZES = (2, 3)
"""How many characters an n-gram has."""


class TextAsArray(gym.ObservationWrapper[Observation, Any, Observation], RecordConstructorArgs):
    """Turns every text of the observation, such as the goal, into an array.

    >>> env = TextAsArray(gym.make("FormFactory/Grounding-v0"), length=64, mode="ngrams")
    >>> env.observation_space["goal"].shape
    (64,)

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
        self._encode, high, dtype = ENCODINGS[mode]
        self._length = length
        array = spaces.Box(0, high, (length,), dtype)
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


ENCODINGS: dict[str, tuple[Callable[[str, int], NDArray[Any]], int, type[Any]]] = {
    "bytes": (utf8_bytes, 255, np.uint8),
    "ngrams": (hashed_ngrams, 1, np.float32),
}
"""By mode, how a text becomes an array, and the array's greatest value and type."""
