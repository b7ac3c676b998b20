"""A cache of decoded assets for the whole process, limited in bytes (LRU)."""

from __future__ import annotations

import gc
import mmap
import os
import sys
from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass
from functools import wraps
from threading import RLock
from types import BuiltinFunctionType, FunctionType, ModuleType
from typing import Any, ParamSpec, Protocol, TypeVar, cast

import numpy as np
from PIL import Image as PillowImage

BUDGET_VARIABLE = "FORMGYM_CACHE_MB"
DEFAULT_MEGABYTES = 256
_MEGABYTE = 1 << 20
_MIN_SHARED_SIZE = 1024
"""Shared objects of at least this many bytes are counted once; small ones, such as (), may be shared by chance."""
_FLOAT = sys.getsizeof(0.0)
_ATOMS = {bool, bytes, float, int, str, type(None)}
_SHARED_BY_ALL = (type, ModuleType, FunctionType, BuiltinFunctionType)

P = ParamSpec("P")
R = TypeVar("R")
R_co = TypeVar("R_co", covariant=True)


class Cached(Protocol[P, R_co]):
    """A function whose results are cached."""

    __wrapped__: Callable[..., Any]

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> R_co:
        """The result, from the cache or computed now."""

    def cache_clear(self) -> None:
        """Remove the results of this function from the cache."""


@dataclass(slots=True)
class _Entry:
    """A cached result.

    Attributes:
        value: the result.
        size: in bytes.
        derived: whether it is quickly computed again from other entries.
        needs: keys of other entries that it refers to and that are not counted in its ``size``.
        identities: ``id`` of the objects in it by which other entries may refer to it.
    """

    value: Any
    size: int
    derived: bool
    needs: tuple[Hashable, ...] = ()
    identities: tuple[int, ...] = ()


class AssetCache:
    """Results of functions, up to a number of bytes; threads may share it.

    An evicted result stays valid for whoever holds it. The size of a result includes its arguments and everything that
    it refers to except other cached results. Those have a size of their own and are evicted after it.

    Args:
        budget: in bytes.

    Attributes:
        budget: the maximum number of bytes.
        size: the bytes in use.
    """

    def __init__(self, budget: int) -> None:
        self.budget, self.size = budget, 0
        self._entries: OrderedDict[Hashable, _Entry] = OrderedDict()
        self._derived: OrderedDict[Hashable, None] = OrderedDict()
        self._derived_size = 0
        self._keys: dict[int, Hashable] = {}
        self._lock = RLock()

    def cached(
        self, load: Callable[P, R], derived: bool = False, size_of: Callable[[R], int] | None = None
    ) -> Cached[P, R]:
        """``load`` with its results cached.

        Its arguments must be hashable, and its results must not change in size.

        Args:
            load: the function.
            derived: whether its results are quickly computed again from other entries. These take half the budget at
                most.
            size_of: gives the bytes of a result and its arguments, for many small results; ``None``: everything that
                they refer to is measured.
        """
        entries, touch = self._entries, self._touch

        @wraps(load)
        def lookup(*args: P.args, **kwargs: P.kwargs) -> R:
            key = (load, args, *kwargs.items()) if kwargs else (load, args)
            entry = entries.get(key)
            if entry is None:
                return cast(R, self._add(key, load(*args, **kwargs), derived, size_of))
            touch(key, entry)
            return cast(R, entry.value)

        lookup.cache_clear = lambda: self._forget(load)  # type: ignore[attr-defined]
        return cast(Cached[P, R], lookup)

    def resize(self, budget: int) -> None:
        """Set the budget in bytes, and evict what exceeds it."""
        with self._lock:
            self.budget = budget
            self._evict()

    def clear(self) -> None:
        """Remove all entries."""
        with self._lock:
            for key in list(self._entries):
                self._remove(key, self._entries.pop(key))

    def _forget(self, load: Callable[..., Any]) -> None:
        with self._lock:
            for key in [key for key in self._entries if cast(tuple[Any, ...], key)[0] is load]:
                self._remove(key, self._entries.pop(key))

    def _touch(self, key: Hashable, entry: _Entry) -> None:
        """Make an entry and those that it needs the most recent ones, without a lock."""
        try:
            self._entries.move_to_end(key)
            for needed in entry.needs:
                self._entries.move_to_end(needed)
            if entry.derived:
                self._derived.move_to_end(key)
        except KeyError:
            pass  # Another thread has evicted it meanwhile.

    def _add(self, key: Hashable, value: Any, derived: bool, size_of: Callable[[Any], int] | None) -> Any:
        """Cache a result; return the one of another thread if that was faster."""
        with self._lock:
            known = self._entries.get(key)
            if known is not None:
                return known.value
            if not self.budget:
                return value
            if size_of is None:
                size, needs = self._measure((key, value))
                entry = _Entry(value, size, derived, needs, _identities(value) if size >= _MIN_SHARED_SIZE else ())
            else:
                entry = _Entry(value, size_of(value), derived)
            if entry.size <= (self.budget // 2 if derived else self.budget):
                self._keep(key, entry)
        return value

    def _keep(self, key: Hashable, entry: _Entry) -> None:
        self._entries[key] = entry
        self.size += entry.size
        if entry.identities:
            self._keys |= dict.fromkeys(entry.identities, key)
        if entry.derived:
            self._derived[key] = None
            self._derived_size += entry.size
        if entry.needs:
            self._touch(key, entry)
        self._evict()

    def _evict(self) -> None:
        while self.size > self.budget:
            # A pop is atomic; between two operations, other threads may use the entries.
            if self._derived_size > self.budget // 2:
                key, _ = self._derived.popitem(last=False)
                self._remove(key, self._entries.pop(key))
            else:
                self._remove(*self._entries.popitem(last=False))

    def _remove(self, key: Hashable, entry: _Entry) -> None:
        """Update the sizes and indices after an entry is taken out."""
        self.size -= entry.size
        if entry.derived:
            self._derived.pop(key, None)
            self._derived_size -= entry.size
        for identity in entry.identities:
            if self._keys.get(identity) == key:
                del self._keys[identity]

    def _measure(self, root: object) -> tuple[int, tuple[Hashable, ...]]:
        """The bytes of an object, and the keys of entries in it, dependants first."""
        needs: dict[Hashable, None] = {}
        visited, size, pending = set[int](), 0, [root]
        while pending:
            thing = pending.pop()
            if id(thing) in visited or isinstance(thing, _SHARED_BY_ALL):
                continue
            visited.add(id(thing))
            known = self._keys.get(id(thing))
            if known is None:
                size += _own_size(thing)
                if type(thing) not in _ATOMS:
                    pending.extend(_parts(thing))
            else:
                for key in (known, *self._entries[known].needs):
                    needs.pop(key, None)
                    needs[key] = None
        return size, tuple(needs)


def _identities(value: object) -> tuple[int, ...]:
    """``id`` of a result and of the objects in it that other entries may refer to."""
    items = value.values() if isinstance(value, Mapping) else value if isinstance(value, tuple) else ()
    return id(value), *(id(item) for item in items if hasattr(item, "__dict__"))


def _own_size(thing: object) -> int:
    if isinstance(thing, PillowImage.Image):
        return thing.width * thing.height * len(thing.getbands())
    if isinstance(thing, mmap.mmap):
        return len(thing)
    return sys.getsizeof(thing) + _n_floats(thing) * _FLOAT


def _parts(thing: object) -> Iterable[object]:
    """The objects that an object refers to."""
    if isinstance(thing, np.ndarray):
        # The garbage collector does not know what arrays are views of.
        return (thing.base,)
    return () if _n_floats(thing) else gc.get_referents(thing)


def _n_floats(thing: object) -> int:
    """The length of a list of floats, 0 for others; its items are not visited."""
    return len(thing) if isinstance(thing, list) and thing and type(thing[0]) is float else 0


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
    return int(number * _MEGABYTE)


CACHE = AssetCache(budget_bytes(os.environ.get(BUDGET_VARIABLE) or DEFAULT_MEGABYTES))
"""The cache of this process."""


def cached(load: Callable[P, R]) -> Cached[P, R]:
    """``load`` with results in the process's cache; see ``AssetCache.cached``."""
    return CACHE.cached(load)


def derived(load: Callable[P, R]) -> Cached[P, R]:
    """Like ``cached``, for results quickly computed again from other entries."""
    return CACHE.cached(load, derived=True)


def set_cache_budget(megabytes: float) -> None:
    """Limit this process's cache to a number of megabytes; 0 turns it off.

    Raises:
        ValueError: if it is no number from 0 on.
    """
    CACHE.resize(budget_bytes(megabytes))
