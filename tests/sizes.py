"""How much of the batteries is run: samples by default, everything with FORMGYM_TEST_ALL=1 (``make test-all``)."""

import os
from collections.abc import Sequence
from typing import TypeVar

import pytest

from formgym.envs.registration import ids, index

T = TypeVar("T")

ALL = bool(os.environ.get("FORMGYM_TEST_ALL"))
LONG = pytest.mark.skipif(not ALL, reason="long: make test-all runs it")


def _class_of(env_id: str) -> str:
    """The class of an environment; those of the photo editor count as one, and test_editor.py walks in each."""
    entry_point: str = index()["environments"][env_id]["entry_point"]
    return entry_point.removesuffix(entry_point.partition(".gui.env:")[2])


FIRST_OF_EACH_CLASS = tuple({_class_of(env_id): env_id for env_id in reversed(ids())}.values())


def sample(items: Sequence[T], size: int) -> Sequence[T]:
    """At most ``size`` of the items, evenly spread from the first; all of them in a whole run."""
    return items if ALL else items[:: -(-len(items) // size)]


def some(sample: T, everything: T) -> T:
    """``everything`` in a whole run, else ``sample``."""
    return everything if ALL else sample
