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

    @property
    def has_children(self) -> bool:
        """Whether it has started any that still run."""
        return bool(self._children())

    def cpu_seconds(self) -> float:
        """CPU seconds spent so far, also by those that have ended, without what this method itself takes.

        What other processes spend is known to 10 ms each.
        """
        began = time.process_time()
        ended = self._process.cpu_times()
        spent = began - self._own_cost + ended.children_user + ended.children_system
        for process in self._children():
            with suppress(psutil.Error):
                spent += sum(process.cpu_times()[:4])
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
