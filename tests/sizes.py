"""How much of the batteries is run: samples by default, everything with FORMGYM_TEST_ALL=1 (``make test-all``)."""

import os

from formgym.envs.registration import ids, index

ALL = bool(os.environ.get("FORMGYM_TEST_ALL"))
FIRST_OF_EACH_CLASS = tuple({index()["environments"][name]["entry_point"]: name for name in reversed(ids())}.values())


def some(sample: int, everything: int) -> int:
    """``everything`` in a whole run, else ``sample``."""
    return everything if ALL else sample
