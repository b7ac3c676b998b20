"""How much of the batteries is run: samples by default, everything with FORMGYM_TEST_ALL=1 (``make test-all``)."""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

from formgym.envs.registration import ids, index

T = TypeVar("T")

ALL = bool(os.environ.get("FORMGYM_TEST_ALL"))
LONG = pytest.mark.skipif(not ALL, reason="long: make test-all runs it")
FIRST_OF_EACH_CLASS = tuple({index()["environments"][name]["entry_point"]: name for name in reversed(ids())}.values())


def sample(items: Sequence[T], size: int) -> Sequence[T]:
    """At most ``size`` of the items, evenly spread from the first; all of them in a whole run."""
    return items if ALL else items[:: -(-len(items) // size)]


def some(sample: T, everything: T) -> T:
    """``everything`` in a whole run, else ``sample``."""
    return everything if ALL else sample
