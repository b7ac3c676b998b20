"""What replies cost: prices, and the ledger of a budget."""

from __future__ import annotations

import fcntl
import json
import os
import re
import socket
import threading
import time
from collections.abc import Callable, Mapping
from dataclasses import asdict
from io import FileIO
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from ...assets import ROOT
from ...envs.core.files import Data, load, validated
from ..base import ModelError
from .model import Usage

SHIPPED = ROOT / "prices.json"


class Price(Data):
    """US dollars per million tokens.

    >>> Price(input=2, output=8).cost(Usage(input_tokens=500_000))
    1.0

    Attributes:
        input: of the prompt.
        output: of the reply.
        cached_input: of what the provider has in its cache; ``None``: as ``input``.
        cache_write: of what it puts there; ``None``: as ``input``.
    """

    input: float
    output: float
    cached_input: float | None = None
    cache_write: float | None = None

    def cost(self, usage: Usage) -> float:
        """The US dollars that a usage costs."""
        cached, written = usage.cached_input_tokens, usage.cache_write_tokens
        fresh = max(0, usage.input_tokens - cached - written)
        cached_price = self.input if self.cached_input is None else self.cached_input
        write_price = self.input if self.cache_write is None else self.cache_write
        millionths = fresh * self.input + cached * cached_price + written * write_price
        return (millionths + usage.output_tokens * self.output) / 1e6


class Prices(Data):
    """The prices of models by name, the day that they were looked up, and where."""

    date: str
    source: str
    models: dict[str, Price]

    def of(self, name: str) -> Price | None:
        """The price of a model: of the longest name here that its name is or continues.

        What is before the last ``/`` of a model's name, such as its provider, does not count. ``gpt-5-2025-08-07``
        continues ``gpt-5``; ``gpt-5.4`` does not.
        """
        candidates = (name, name.rpartition("/")[2])
        known = [
            key
            for key in self.models
            if any(re.match(rf"{re.escape(key)}(?:[-:@]|$)", one, re.IGNORECASE) for one in candidates)
        ]
        return self.models[max(known, key=len)] if known else None


def read_prices(prices: str | Path | Mapping[str, Any] | None = None) -> Prices:
    """The prices in a file or an object of models; ``None``: the shipped ones.

    Raises:
        ValueError: if they are malformed.
    """
    if isinstance(prices, Mapping):
        given = {"date": "", "source": "given", "models": prices}
        return validated(Prices, given, Path("prices"))
    return load(Prices, SHIPPED if prices is None else Path(prices))


T = TypeVar("T")
_POLL = 0.05
"""Seconds between looks at a ledger whose budget is reserved for requests that are under way."""


class BudgetSpent(ModelError):
    """The budget is spent: the episode is unscored, and runs again with a higher one."""


class CostLedger:
    """A file of reservations and payments, for many threads and processes at once.

    Each time that a request is sent, the most that it may cost is reserved before; afterwards what it cost takes the
    place of that, with its status. So the sum is never below the bill: what a failed request may have cost is entered
    as an estimate, and what a killed process has reserved stays reserved unless its reply is found in the cache.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     ledger = CostLedger(Path(folder) / "ledger.jsonl", dollars=1)
    ...     ledger.settle(ledger.reserve("request", Usage(300, 600, cost=0.5)), Usage(300, 100, cost=0.25), "ok")
    ...     ledger.paid()
    (0.25, 400)

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
        self.path, self._limits = path, {"dollars": dollars, "tokens": tokens}
        self._lock = threading.Lock()
        self._size = 0
        self._paid = {"dollars": 0.0, "tokens": 0.0}
        self._open: dict[str, dict[str, Any]] = {}

    def reserve(self, key: str, highest: Usage) -> str:
        """Reserve the most that a request may cost; the id of the reservation.

        Where the budget would do but for requests that are under way, it waits for them.

        Raises:
            BudgetSpent: if the budget does not suffice.
        """
        process = f"{socket.gethostname()}:{os.getpid()}"
        entry = {"id": uuid4().hex[:16], "key": key, "by": process, **_amounts(highest)}
        while not self._locked(lambda file: self._try_to_reserve(file, entry)):
            time.sleep(_POLL)
        return str(entry["id"])

    def settle(self, reservation: str, usage: Usage, status: str) -> None:
        """Enter what a reserved request cost, and its status: ``"ok"``, that of HTTP or a word for a fault."""
        entry = {"id": reservation, "status": status, **_amounts(usage)}
        self._locked(lambda file: self._append(file, entry))

    def recover(self, key: str, usage: Usage) -> None:
        """Enter the cost of a reply that is in the cache, where a process was killed before it did so."""

        def enter(file: FileIO) -> None:
            for one in self._open.values():
                if one["key"] == key and not _is_alive(one["by"]):
                    self._append(file, {"id": one["id"], "status": "ok", **_amounts(usage)})
                    break

        self._locked(enter)

    def paid(self) -> tuple[float, int]:
        """The dollars and tokens that all requests took, those that are under way left out."""

        def total(file: FileIO) -> list[float]:
            ended = [one for one in self._open.values() if not _is_alive(one["by"])]
            return [self._paid[name] + sum(one[name] for one in ended) for name in self._paid]

        dollars, tokens = self._locked(total)
        return dollars, int(tokens)

    def _try_to_reserve(self, file: FileIO, entry: dict[str, Any]) -> bool:
        """Whether the reservation is made; if not, it may be later."""
        for name, limit in self._limits.items():
            reserved = self._paid[name] + sum(one[name] for one in self._open.values())
            if limit is None or reserved + entry[name] <= limit:
                continue
            under_way = sum(one[name] for one in self._open.values() if _is_alive(one["by"]))
            if reserved - under_way + entry[name] <= limit:
                return False
            raise BudgetSpent(
                f"the budget of {limit:g} {name} is spent: {reserved:g} are paid, and a request may take "
                f"{entry[name]:g}; go on with budget.{name}=MORE (a sweep with resume=true retry=errors, too)"
            )
        self._append(file, entry)
        return True

    def _locked(self, change: Callable[[FileIO], T]) -> T:
        """The result of a function, called while nobody else writes."""
        self.path.parent.mkdir(parents=True, exist_ok=True)
        with self._lock, self.path.open("a+b", buffering=0) as file:
            fcntl.flock(file, fcntl.LOCK_EX)
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
        if "status" in entry:
            os.fsync(file.fileno())
        self._size += len(line)
        self._enter(entry)

    def _enter(self, entry: dict[str, Any]) -> None:
        if "status" not in entry:
            self._open[entry["id"]] = entry
            return
        self._open.pop(entry["id"], None)
        for name in self._paid:
            self._paid[name] += entry[name]


def _amounts(usage: Usage) -> dict[str, Any]:
    """A usage as an entry has it."""
    amounts = {name: value for name, value in asdict(usage).items() if value and name not in ("seconds", "cost")}
    return {"dollars": usage.cost, "tokens": usage.input_tokens + usage.output_tokens, **amounts}


def _is_alive(process: str) -> bool:
    """Whether a process runs on this machine; those of others are taken for ended."""
    host, _, number = process.rpartition(":")
    if host != socket.gethostname():
        return False
    try:
        os.kill(int(number), 0)
    except OSError as error:
        return isinstance(error, PermissionError)  # It runs as another user.
    return True
