"""Work in several threads: results as they come, interrupts put off until kept."""

from __future__ import annotations

import signal
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from queue import Empty, SimpleQueue
from typing import Any, TypeVar

T = TypeVar("T")
R = TypeVar("R")

_GRACE_SECONDS = 2.0
_RESULT, _END, _STOP = range(3)
"""The kinds of messages that threads and signals send."""


def in_threads(
    open_worker: Callable[[], AbstractContextManager[Callable[[T], R]]], items: Sequence[T], n_threads: int
) -> Iterator[R]:
    """The results of ``items``, which are begun in their order, as they come.

    SIGINT and SIGTERM are put off: nothing new is begun, what ends within two seconds is still returned, and then the
    signal has its effect. What takes longer, such as an answer of a model, is not waited for.

    Args:
        open_worker: called in each thread; within its context, what it gives does one item after another.
        items: what to do.
        n_threads: how many threads there are at most.

    Raises:
        BaseException: the first that a worker raised, which ends it as an interrupt does.
    """
    messages = SimpleQueue[tuple[int, Any]]()
    stopping = threading.Event()
    # Threads may share the iterator of a list.
    todo = iter(list(items))

    def work() -> None:
        try:
            with open_worker() as do:
                for item in todo:
                    if stopping.is_set():
                        break
                    messages.put((_RESULT, do(item)))
        except BaseException as error:  # noqa: BLE001  It is raised again in the thread that waits for results.
            messages.put((_STOP, error))
        finally:
            messages.put((_END, None))

    n_working = min(n_threads, len(items))
    with _signals_put_off(lambda: messages.put((_STOP, None))):
        # Daemons: a process that is interrupted does not wait for them.
        for _ in range(n_working):
            threading.Thread(target=work, daemon=True).start()
        try:
            yield from _results(messages, n_working, stopping)
        finally:
            stopping.set()


def _results(messages: SimpleQueue[tuple[int, Any]], n_working: int, stopping: threading.Event) -> Iterator[Any]:
    """The results among messages, until all threads end or an interrupt's time is up."""
    deadline, error = None, None
    while n_working:
        try:
            kind, value = messages.get(timeout=None if deadline is None else max(deadline - time.monotonic(), 0))
        except Empty:
            break
        if kind == _RESULT:
            yield value
        elif kind == _END:
            n_working -= 1
        else:
            stopping.set()
            deadline = deadline or time.monotonic() + _GRACE_SECONDS
            error = error or value
    if error is not None:
        raise error


@contextmanager
def _signals_put_off(react: Callable[[], None]) -> Iterator[None]:
    """Calls ``react`` at SIGINT and SIGTERM; they have their effect in the end."""
    pending: list[int] = []
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _: object) -> None:
        pending.append(number)
        react()

    handlers = {number: signal.signal(number, handle) for number in (signal.SIGINT, signal.SIGTERM)}
    try:
        yield
    finally:
        for number, handler in handlers.items():
            signal.signal(number, handler)
        if pending:
            signal.raise_signal(pending[0])
