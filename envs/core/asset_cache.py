"""A cache of decoded assets for the whole process, limited in bytes: the least recently used go first."""

from __future__ import annotations

import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Mapping
from functools import wraps
from threading import RLock
from typing import Any, Generic, ParamSpec, Protocol, TypeVar, TypeVarTuple, cast

import numpy as np
from PIL import Image as PillowImage

BUDGET_VARIABLE = "FORMGYM_CACHE_MB"
DEFAULT_MEGABYTES = 256

P = ParamSpec("P")
R = TypeVar("R")
T = TypeVar("T")
R_co = TypeVar("R_co", covariant=True)
Ts = TypeVarTuple("Ts")


class Cached(Protocol[P, R_co]):
    """A function whose results are cached."""

    __wrapped__: Callable[..., Any]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """The result, from the cache or computed now."""

    def cache_clear(self) -> None:
        """Remove the results of this function from the cache."""


def size_in_bytes(value: object) -> int:
    """The approximate memory of a value: its pixels, texts and containers.

    What has ``n_bytes`` takes these. What occurs twice counts once; parts whose class has ``HAS_OWN_CACHE_ENTRY =
    True`` do not count.
    """
    size, pending, seen = 0, [value], set[int]()
    while pending:
        thing = pending.pop()
        counted_elsewhere = thing is not value and getattr(type(thing), "HAS_OWN_CACHE_ENTRY", False)
        if id(thing) in seen or isinstance(thing, type) or counted_elsewhere:
            continue
        seen.add(id(thing))
        if (n_bytes := getattr(thing, "n_bytes", None)) is not None:
            size += n_bytes
            continue
        if isinstance(thing, np.ndarray):
            # Views of one array count once.
            is_view = isinstance(thing.base, np.ndarray)
            size += 128 if is_view else 128 + thing.nbytes
            pending += [thing.base] if is_view else []
            continue
        if isinstance(thing, PillowImage.Image):
            size += thing.width * thing.height * len(thing.getbands())
        size += sys.getsizeof(thing, 64)
        if isinstance(thing, Mapping):
            pending += [*thing.keys(), *thing.values()]
        elif isinstance(thing, list | tuple | set | frozenset):
            pending += thing
        else:
            pending += getattr(thing, "__dict__", {}).values()
            pending += [getattr(thing, name, None) for name in getattr(type(thing), "__slots__", ())]
    return size


class _Results(OrderedDict[Hashable, tuple[Any, int]]):
    """Results with their bytes, the least recently used first; they have at most ``budget`` bytes."""

    def __init__(self, budget: int) -> None:
        super().__init__()
        self.budget, self.size = budget, 0

    def keep(self, key: Hashable, item: tuple[Any, int]) -> None:
        """Add a result that is not too large, in the place of others if need be."""
        if item[1] <= self.budget:
            self[key] = item
            self.size += item[1]
            while self.size > self.budget:
                self.size -= self.popitem(last=False)[1][1]


class AssetCache:
    """Results of functions, up to a number of bytes; threads may share it.

    A quarter of it is for results that are quickly computed again from others, so that pixels never drive out what they
    are unpacked from. A result that is removed stays valid for whoever holds it.

    Args:
        budget: in bytes.

    >>> cache = AssetCache(1000)
    >>> zeros = cache.cached(bytes)
    >>> zeros(100) is zeros(100), zeros(2000) is zeros(2000)
    (True, False)
    """

    def __init__(self, budget: int) -> None:
        self._lock = RLock()
        self.resize(budget)

    @property
    def size(self) -> int:
        """The bytes in use."""
        return self._loaded.size + self._derived.size

    def cached(
        self, load: Callable[P, R], derived: bool = False, size_of: Callable[[R], int] = size_in_bytes
    ) -> Cached[P, R]:
        """``load`` with its results cached.

        Args:
            load: the function; its arguments must be hashable.
            derived: whether its results are quickly computed again from other results.
            size_of: gives the bytes of a result.
        """

        @wraps(load)
        def lookup(*args: P.args, **kwargs: P.kwargs) -> R:
            key = (load, args, *kwargs.items()) if kwargs else (load, args)
            results = self._derived if derived else self._loaded
            with self._lock:
                found = results.get(key)
                if found is not None:
                    results.move_to_end(key)
                    known: R = found[0]
                    return known
            value = load(*args, **kwargs)
            item = value, size_of(value)
            with self._lock:
                if key not in results:
                    results.keep(key, item)
                return cast(R, results.get(key, item)[0])

        lookup.cache_clear = lambda: self._forget(load)  # type: ignore[attr-defined]
        return cast(Cached[P, R], lookup)

    def resize(self, budget: int) -> None:
        """Set the budget in bytes; the cache begins empty."""
        with self._lock:
            self.budget = budget
            self._loaded, self._derived = _Results(budget - budget // 4), _Results(budget // 4)

    def clear(self) -> None:
        """Remove all results."""
        self.resize(self.budget)

    def _forget(self, load: Callable[..., Any]) -> None:
        with self._lock:
            for results in (self._loaded, self._derived):
                for key in [key for key in results if cast(tuple[Any, ...], key)[0] == load]:
                    results.size -= results.pop(key)[1]


class Keyed(Generic[T]):
    """A value that caches know by a key: equal to another one whose key is equal."""

    __slots__ = ("_hash", "_key", "value")

    def __init__(self, key: Hashable, value: T) -> None:
        self._key, self._hash, self.value = key, hash(key), value

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Keyed) and self._key == other._key


def by_identity(function: Callable[[*Ts], R], maxsize: int = 2048) -> Callable[[*Ts], R]:
    """``function`` of immutable objects with small results, which are kept by which objects they are of.

    Where most of a whole stays the same objects, only what is new is computed: nothing is hashed or compared by value.
    """
    known: dict[tuple[int, ...], tuple[R, tuple[Any, ...]]] = {}

    @wraps(function)
    def lookup(*args: *Ts) -> R:
        key = tuple(map(id, args))
        found = known.get(key)
        if found is None:
            if len(known) >= maxsize:
                known.clear()
            # What is held keeps its id.
            found = known[key] = function(*args), args
        return found[0]

    return lookup


def budget_bytes(megabytes: float | str) -> int:
    """A budget in bytes.

    Raises:
        ValueError: if it is no number of megabytes from 0 on.
    """
    try:
        number = float(megabytes)
    except (TypeError, ValueError):
        number = -1.0
    if not 0 <= number < 1 << 40:
        raise ValueError(f"the cache ({BUDGET_VARIABLE}) takes a number of megabytes from 0 on, not {megabytes!r}")
    return int(number * (1 << 20))


CACHE = AssetCache(budget_bytes(os.environ.get(BUDGET_VARIABLE) or DEFAULT_MEGABYTES))
"""The cache of this process."""


def cached(load: Callable[P, R]) -> Cached[P, R]:
    """``load`` with results in the process's cache; see ``AssetCache.cached``."""
    return CACHE.cached(load)


def derived(load: Callable[P, R]) -> Cached[P, R]:
    """Like ``cached``, for results quickly computed again from other results."""
    return CACHE.cached(load, derived=True)


def set_cache_budget(megabytes: float) -> None:
    """Limit this process's cache to a number of megabytes; 0 turns it off.

    Raises:
        ValueError: if it is no number from 0 on.
    """
    CACHE.resize(budget_bytes(megabytes))
