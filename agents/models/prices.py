"""Prices of models' tokens."""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...assets import ROOT
from ...envs.core.files import Data, load, validated
from ..model import Usage

SHIPPED = ROOT / "prices.json"
_AFTER_PREFIX = "-:@"


class Price(Data):
    """US dollars per million tokens.

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
        name = name.lower()
        candidates = (name, name.rpartition("/")[2])
        known = [key for key in self.models if any(_continues(one, key.lower()) for one in candidates)]
        return self.models[max(known, key=len)] if known else None


def _continues(name: str, prefix: str) -> bool:
    return name.startswith(prefix) and name[len(prefix) : len(prefix) + 1] in ("", *_AFTER_PREFIX)


@lru_cache(maxsize=1)
def _shipped() -> Prices:
    return load(Prices, SHIPPED)


def read_prices(prices: str | Path | Mapping[str, Any] | None = None) -> Prices:
    """The prices in a file or an object of models; ``None``: the shipped ones.

    Raises:
        ValueError: if they are malformed.
    """
    if prices is None:
        return _shipped()
    if isinstance(prices, Mapping):
        given = {"date": "", "source": "given", "models": prices}
        return validated(Prices, given, Path("prices"))
    return load(Prices, Path(prices))
