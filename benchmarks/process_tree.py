"""What this process and those that it starts cost."""

from __future__ import annotations

import time
from collections import defaultdict
from contextlib import suppress

import psutil


class ProcessTree:
    """This process and all that it starts from now on."""

    def __init__(self) -> None:
        self._process = psutil.Process()
        self._others = set(self._process.children(recursive=True))
        self._own_cost = 0.0
        self._seconds: dict[psutil.Process, float] = {}

    @property
    def has_children(self) -> bool:
        """Whether it has started any that still run."""
        return bool(self._children())

    def cpu_seconds(self) -> float:
        """CPU seconds spent so far, without what this method itself takes.

        What other processes spend is known to 10 ms each; of one that has ended, up to when this method last saw it.
        """
        began = time.process_time()
        for process in self._children():
            with suppress(psutil.Error):
                self._seconds[process] = sum(process.cpu_times()[:2])
        spent = began - self._own_cost + sum(self._seconds.values())
        self._own_cost += time.process_time() - began
        return spent

    def resident_bytes(self) -> int:
        """Memory that would be free without them: what several of them share counts once.

        Unlike the proportional set size it does not depend on who else runs the same browser on this machine.
        """
        private, shared = 0, defaultdict[str, int](int)
        for process in (self._process, *self._children()):
            with suppress(psutil.Error):
                for memory in process.memory_maps(grouped=True):
                    own = memory.private_clean + memory.private_dirty
                    private += own
                    shared[memory.path] = max(shared[memory.path], memory.rss - own)
        return private + sum(shared.values())

    def _children(self) -> set[psutil.Process]:
        return set(self._process.children(recursive=True)) - self._others
