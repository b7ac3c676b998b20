"""How many processors and threads this process may use."""

from __future__ import annotations

import os
from contextlib import suppress


def processors() -> int:
    """The number of processors that this process may use, at least 1."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def threads() -> int:
    """The number of threads for numerical work.

    ``OMP_NUM_THREADS`` if it is a positive number, else one for each processor.
    """
    with suppress(ValueError):
        # OpenMP takes a list too, a number for each level of nesting.
        return max(int(os.environ.get("OMP_NUM_THREADS", "").split(",")[0]), 0) or processors()
    return processors()
