"""Models with a cache, prices and a budget."""

from __future__ import annotations

import fcntl
import hashlib
import json
import warnings
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, nullcontext
from dataclasses import asdict, astuple, replace
from functools import partial
from pathlib import Path
from tempfile import TemporaryFile
from typing import Any

from ...envs.core.files import atomic_write, cache_folder
from ..base import ModelError
from .faults import Fault
from .ledger import CostLedger, Price, read_prices
from .model import Block, Message, Provider, Reply, Schema, TextBlock, ToolCall, Usage, prompt_tokens


def request_key(settings: Mapping[str, Any], messages: Sequence[Message], tools: Sequence[Schema], seed: int) -> str:
    """The SHA-256 of all that a reply depends on; pictures count by their pixels."""
    content = {
        "settings": settings,
        "messages": [
            [one.role, [*map(_identity, one.content)], [*map(astuple, one.tool_calls)], one.tool_call_id]
            for one in messages
        ],
        "tools": list(tools),
        "seed": seed,
    }
    text = json.dumps(content, sort_keys=True, separators=(",", ":"), default=_jsonable)
    return hashlib.sha256(text.encode()).hexdigest()


def _identity(block: Block) -> list[Any]:
    return ["text", block.text] if isinstance(block, TextBlock) else ["image", block.shape, block.sha256]


def _jsonable(value: Any) -> Any:
    return dict(value) if isinstance(value, Mapping) else list(value) if isinstance(value, Sequence) else repr(value)


class ReplyCache:
    """Replies in a folder; several processes may use it at once.

    >>> from tempfile import TemporaryDirectory
    >>> with TemporaryDirectory() as folder:
    ...     cache = ReplyCache(Path(folder))
    ...     cache.put("ab12", Reply("Done."))
    ...     cache.get("ab12").text
    'Done.'

    Args:
        folder: it is made if it does not exist.

    Raises:
        ValueError: if it cannot be written to.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True)
            # Better now than after the first reply is paid for.
            with TemporaryFile(dir=folder):
                pass
        except OSError as error:
            raise ValueError(
                f"the cache of replies cannot be written to {folder}: {error.strerror}; "
                "set model_cache to another folder, or to null for none"
            ) from None

    def get(self, key: str) -> Reply | None:
        """The reply of a request; ``None`` if there is none, or its file cannot be read."""
        try:
            saved = json.loads(self._path(key).read_bytes())
            calls = [ToolCall(**call) for call in saved["tool_calls"]]
            usage, left_out = Usage(**saved["usage"]), tuple(saved.get("left_out", ()))
            return Reply(**saved | {"tool_calls": calls, "usage": usage, "left_out": left_out})
        except (OSError, ValueError, LookupError, TypeError):
            return None

    def put(self, key: str, reply: Reply) -> None:
        """Keep a reply; when this returns, it is on disk.

        Raises:
            OSError: if it cannot be written.
        """
        path = self._path(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        atomic_write(path, json.dumps(asdict(reply)).encode(), sync=True)

    @contextmanager
    def locked(self, key: str) -> Iterator[None]:
        """Keep other threads and processes from asking for the same reply meanwhile."""
        path = self._path(key).with_suffix(".lock")
        path.parent.mkdir(parents=True, exist_ok=True)
        with path.open("a") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            try:
                yield
            finally:
                # Those that wait look into the cache first, so that it does no harm if others lock another file.
                path.unlink(missing_ok=True)

    def _path(self, key: str) -> Path:
        return self._folder / key[:2] / f"{key}.json"


_OUTPUT_TOKENS = 8192
"""Reserved for a reply whose length is not limited."""


class MeteredModel:
    """A model with a cache on disk, prices and a budget.

    A reply is in the cache and in the ledger before it is returned: after a kill it is not asked for again. The usage
    of a reply from the cache is what it took at first.

    >>> from formgym.agents.models.scripted import Scripted
    >>> model = MeteredModel(Scripted(["Done."]), cache=None, prices={"scripted": {"input": 2, "output": 8}})
    >>> model.generate([]).usage.cost > 0
    True

    Args:
        provider: of the model.
        cache: the folder of the cache; ``"default"``: ``replies`` in our folder for caches; ``None``: no cache.
        prices: see ``read_prices``.
        budget: limits by name, ``dollars`` and ``tokens``; ``None``: no limit.
        ledger: the file of what was paid, of a sweep as a whole; without one there is no budget.

    Raises:
        ValueError: if a limit or price is none, there is a budget and no ledger, or the cache cannot be written to.
    """

    def __init__(
        self,
        provider: Provider,
        cache: str | Path | None = "default",
        prices: str | Path | Mapping[str, Any] | None = None,
        budget: Mapping[str, float | None] | None = None,
        ledger: str | Path | None = None,
    ) -> None:
        limits = {name: limit for name, limit in (budget or {}).items() if limit is not None}
        if set(limits) - {"dollars", "tokens"}:
            raise ValueError(f"a budget has dollars and tokens, not {', '.join(sorted(limits))}")
        if limits and ledger is None:
            raise ValueError("a budget needs a ledger, the file of what was paid")
        self.name = provider.name
        self._provider = provider
        folder = cache_folder() / "replies" if cache == "default" else cache
        self._cache = None if folder is None else ReplyCache(Path(folder))
        self._price = _price(provider, prices, "dollars" in limits)
        self._ledger = None if ledger is None else CostLedger(Path(ledger), **limits)  # type: ignore[arg-type]

    def generate(self, messages: Sequence[Message], tools: Sequence[Schema] = (), *, seed: int = 0) -> Reply:
        """The reply to a conversation; see ``Model.generate``.

        Raises:
            BudgetSpent: if the budget does not suffice for another reply.
            ModelError: if the provider fails after all retries.
            OSError: if the cache or the ledger cannot be written.
        """
        key = request_key(self._provider.settings, messages, tools, seed)
        reply = self._cached(key)
        if reply is None:
            with self._cache.locked(key) if self._cache else nullcontext():
                reply = self._cached(key) or self._asked(key, messages, tools, seed)
        return reply

    def _cached(self, key: str) -> Reply | None:
        reply = self._cache.get(key) if self._cache else None
        if reply is None:
            return None
        if self._ledger:
            self._ledger.recover(key, self._priced(reply.usage))
        return replace(reply, is_cached=True)

    def _asked(self, key: str, messages: Sequence[Message], tools: Sequence[Schema], seed: int) -> Reply:
        read, limit = prompt_tokens(messages, tools), self._provider.max_output_tokens or _OUTPUT_TOKENS
        # Prompts that a provider caches may cost more.
        usages = Usage(read, limit, is_estimated=True), Usage(read, limit, 0, read, is_estimated=True)
        attempt = partial(self._attempt, key, max(map(self._priced, usages), key=lambda usage: usage.cost))
        return self._provider.generate(messages, tools, seed=seed, key=key, attempt=attempt)

    def _attempt(self, key: str, highest: Usage, send: Callable[[], Reply]) -> Reply:
        """The reply to a request that is sent once: it is in the cache and the ledger then, a failure in the ledger."""
        reservation = self._ledger.reserve(key, highest) if self._ledger else ""
        paid, status = highest, "interrupted"
        try:
            reply = send()
            reply = replace(reply, usage=self._priced(reply.usage), key=key if self._cache else "")
            paid, status = highest if reply.usage.is_estimated else reply.usage, "ok"
            if self._cache:
                self._cache.put(key, reply)
            return reply
        except Fault as fault:
            # As its body tells, or else the most that it may have cost.
            paid = self._priced(fault.usage) if fault.usage else highest if fault.may_be_billed else Usage()
            status = str(fault.status)
            raise
        except ModelError:
            paid, status = Usage(), "error"
            raise
        finally:
            if self._ledger:
                self._ledger.settle(reservation, paid, status)

    def _priced(self, usage: Usage) -> Usage:
        """A usage with its cost: the provider's own, or else by the price if it is known."""
        return usage if usage.cost or self._price is None else replace(usage, cost=self._price.cost(usage))


def _price(provider: Provider, prices: str | Path | Mapping[str, Any] | None, is_needed: bool) -> Price | None:
    """The price of a model.

    Raises:
        ValueError: if it is needed for a budget in dollars, and not known.
    """
    name, is_counted = provider.name, getattr(provider, "counts_tokens", True)
    price = read_prices(prices).of(name)
    if price is None and is_needed:
        raise ValueError(
            f"a budget in dollars needs the price of {name}: give prices={{{name}: {{input: .., output: ..}}}} in "
            "dollars per million tokens, or set budget.tokens instead"
        )
    if price is None and prices is None and is_counted:
        warnings.warn(f"no price of {name} is known: its cost is recorded as 0", stacklevel=3)
    return price
