"""The ledger of a sweep: what its replies cost, and what is left of its budget."""

from __future__ import annotations

import fcntl
import json
import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

import psutil

from ..base import ModelError

T = TypeVar("T")
_POLL = 0.05
"""Seconds between looks at a ledger whose budget is reserved for requests that are under way."""


class BudgetSpent(ModelError):
    """The budget is spent: the episode is unscored, and runs again with a higher one."""


class Ledger:
    """A file of reservations and payments, for many threads and processes at once.

    Before a request its highest cost is reserved; afterwards its true cost takes the place of that. What a killed
    process has reserved stays reserved, since it may have been billed, until the same request is made again.

    Args:
        path: of the file; it need not exist.
        dollars: of the budget; ``None``: no limit.
        tokens: of the budget, input and output together; ``None``: no limit.

    Raises:
        ValueError: if a limit is negative.
    """

    def __init__(self, path: Path, dollars: float | None = None, tokens: int | None = None) -> None:
        if min(dollars or 0, tokens or 0) < 0:
            raise ValueError(f"a budget must not be negative; it is {dollars} dollars and {tokens} tokens")
        self.path, self._limits = path, (dollars, tokens)
        self._lock = threading.Lock()
        self._size = 0
        self._paid = [0.0, 0.0]
        self._open: dict[str, dict[str, Any]] = {}

    def reserve(self, key: str, dollars: float, tokens: int) -> str:
        """Reserve the highest cost of a request; the id of the reservation.

        Where the budget would do but for requests that are under way, it waits for them.

        Raises:
            BudgetSpent: if the budget does not suffice.
        """
        entry = {"id": uuid4().hex[:16], "key": key, "by": _process(), "dollars": dollars, "tokens": tokens}
        while not self._locked(lambda file: self._try_to_reserve(file, entry)):
            time.sleep(_POLL)
        return str(entry["id"])

    def settle(self, reservation: str, dollars: float, tokens: int) -> None:
        """Enter what a reserved request cost; 0 and 0 if it failed."""
        entry = {"id": reservation, "paid": True, "dollars": dollars, "tokens": tokens}
        self._locked(lambda file: self._append(file, entry))

    def recover(self, key: str, dollars: float, tokens: int) -> None:
        """Enter the cost of a reply that is in the cache, where it is still missing.

        That is so where a process was killed between the two.
        """

        def enter(file: FileIO) -> None:
            for entry in self._abandoned(key):
                self._append(file, {"id": entry["id"], "paid": True, "dollars": dollars, "tokens": tokens})
                break

        self._locked(enter)

    def paid(self) -> tuple[float, int]:
        """The dollars and tokens that all replies took."""
        dollars, tokens = self._locked(lambda file: tuple(self._paid))
        return dollars, int(tokens)

    def _try_to_reserve(self, file: FileIO, entry: dict[str, Any]) -> bool:
        """Whether the reservation is made; if not, it may be later."""
        wanted = entry["dollars"], entry["tokens"]
        for former in self._abandoned(entry["key"]):
            self._append(file, {"id": former["id"], "paid": True, "dollars": 0.0, "tokens": 0})
        alive = [one for one in self._open.values() if _is_alive(one["by"])]
        for limit, name, spent, more in zip(self._limits, ("dollars", "tokens"), self._paid, wanted, strict=True):
            if limit is None:
                continue
            reserved = sum(one[name] for one in self._open.values())
            if spent + reserved + more <= limit:
                continue
            if spent + reserved - sum(one[name] for one in alive) + more <= limit:
                return False
            raise BudgetSpent(
                f"the budget of {limit:g} {name} is spent: {spent:g} are paid, and a request may take {more:g}; "
                f"go on with budget.{name}=MORE resume=true retry=errors"
            )
        self._append(file, entry)
        return True

    def _abandoned(self, key: str) -> list[dict[str, Any]]:
        """Reservations for a request by processes that have ended."""
        return [one for one in self._open.values() if one["key"] == key and not _is_alive(one["by"])]

    def _locked(self, change: Callable[[FileIO], T]) -> T:
        """The result of a function, called while nobody else writes."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, _locked_file(self.path) as file:
            self._read(file)
            return change(file)

    def _read(self, file: FileIO) -> None:
        """Read the new entries; remove one that a killed process has not finished."""
        file.seek(self._size)
        content = file.read()
        whole = content.rfind(b"\n") + 1
        if whole < len(content):
            file.truncate(self._size + whole)
        for line in content[:whole].splitlines():
            self._enter(json.loads(line))
        self._size += whole

    def _append(self, file: FileIO, entry: dict[str, Any]) -> None:
        line = json.dumps(entry).encode() + b"\n"
        file.write(line)
        if entry.get("paid"):
            os.fsync(file.fileno())
        self._size += len(line)
        self._enter(entry)

    def _enter(self, entry: dict[str, Any]) -> None:
        if not entry.get("paid"):
            self._open[entry["id"]] = entry
            return
        self._open.pop(entry["id"], None)
        for i, name in enumerate(("dollars", "tokens")):
            self._paid[i] += entry[name]


@contextmanager
def _locked_file(path: Path) -> Iterator[FileIO]:
    with path.open("a+b", buffering=0) as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        yield file


def _process() -> str:
    return f"{socket.gethostname()}:{os.getpid()}"


def _is_alive(process: str) -> bool:
    """Whether a process runs on this machine; those of others are taken for ended."""
    host, _, number = process.rpartition(":")
    return host == socket.gethostname() and psutil.pid_exists(int(number))
