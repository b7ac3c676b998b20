"""A limit on the processor time of a tool call: the last wall behind the limits that tools count in steps and sizes."""

from __future__ import annotations

import ctypes
import itertools
import os
import time
from threading import Thread, get_ident

MAX_CPU_SECONDS = 10.0
"""The maximum processor time of a step in seconds: ten times that of the costliest call that tools allow."""
_PERIOD = 1.0
_CANCEL = None


class CpuLimitExceeded(RuntimeError):
    """A step needs too much of the processor: a fault of the environment, whose own limits should have come first."""

    def __init__(self, message: str = "") -> None:
        super().__init__(
            message or "a tool call needs too much of the processor and was interrupted; the episode cannot go on"
        )


class CpuLimit:
    """Interrupts calls of Python that need too much of the processor, whichever thread they run in.

    A thread of its own looks every ``period`` seconds at the processor time of the threads that are in a call. It
    raises ``CpuLimitExceeded`` in one that has used ``seconds`` of it, at most a period more. Python is interrupted
    where it is; a call of C, such as a regular expression, when it returns. Waiting costs nothing, so that no outcome
    depends on what else the machine does.

    It does not hold what other processes do in a call (the sandbox of edit programs has a limit of its own, a browser
    has none), and nothing at all where the system cannot tell the processor time of another thread (macOS, Windows).

    Args:
        seconds: of the processor in a call.
        period: between two looks, in seconds.
    """

    def __init__(self, seconds: float = MAX_CPU_SECONDS, period: float = _PERIOD) -> None:
        self._seconds, self._period = seconds, period
        self._numbers = itertools.count(1)
        self._forget()
        if hasattr(os, "register_at_fork"):
            # The thread that looks does not survive a fork.
            os.register_at_fork(after_in_child=self._forget)

    def begin(self) -> int:
        """Begin a call of the running thread; the call's number."""
        thread, number = get_ident(), next(self._numbers)
        if thread not in self._clocks:
            self._watch(thread)
        self._calls[number] = thread
        return number

    def end(self, number: int) -> None:
        """End a call.

        Raises:
            CpuLimitExceeded: if it has been interrupted.
        """
        if self._calls.pop(number, None) is not None:
            return
        while number not in self._interrupted:
            time.sleep(0.001)
        # The interruption may not have come through yet, or have been swallowed.
        _raise_in(get_ident(), _CANCEL)
        raise CpuLimitExceeded

    def _forget(self) -> None:
        self._calls: dict[int, int] = {}
        self._clocks: dict[int, int] = {}
        self._used: dict[int, float] = {}
        self._interrupted: set[int] = set()
        self._watcher: Thread | None = None

    def _watch(self, thread: int) -> None:
        """Begin to watch the running thread."""
        has_clock = hasattr(time, "pthread_getcpuclockid")
        self._used[thread] = time.thread_time()
        self._clocks[thread] = time.pthread_getcpuclockid(thread) if has_clock else -1
        if self._watcher is None and has_clock:
            self._watcher = Thread(target=self._look, name="formgym-cpu-limit", daemon=True)
            self._watcher.start()

    def _look(self) -> None:
        began: dict[int, float] = {}
        while True:
            now = self._processor_times()
            calls = {number: thread for number, thread in list(self._calls.items()) if thread in now}
            # A call that is new began after the last look.
            began = {number: began.get(number, self._used[thread]) for number, thread in calls.items()}
            for number, thread in calls.items():
                # Whoever takes it away, this thread or that of the call, ends it.
                if now[thread] - began[number] > self._seconds and self._calls.pop(number, 0):
                    _raise_in(thread, CpuLimitExceeded)
                    self._interrupted.add(number)
            self._used |= now
            time.sleep(self._period)

    def _processor_times(self) -> dict[int, float]:
        """By thread, how much of the processor it has used, in seconds."""
        times = {}
        for thread, clock in list(self._clocks.items()):
            try:
                times[thread] = time.clock_gettime(clock)
            except OSError:
                # The thread has ended.
                self._clocks.pop(thread, None)
        return times


def _raise_in(thread: int, error: type[Exception] | None) -> None:
    """Raise an error in a thread at its next instruction of Python; ``None`` takes back what has not come through."""
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(error) if error else None)


CPU_LIMIT = CpuLimit()
"""The limit of this process, behind every step."""
