"""Random facts to type on scans, by kind and in the language of the page."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache
from typing import Annotated, Any

import numpy as np
from pydantic import Field, RootModel

from ....assets import ROOT
from ...core.facts import FactMaker
from ...core.files import load

_LOCALES = {
    "en": "en_US", "ru": "ru_RU", "el": "el_GR", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT",
    "pt": "pt_PT", "pl": "pl_PL", "cs": "cs_CZ", "bg": "bg_BG", "uk": "uk_UA",
}  # fmt: skip
_DAYS = "1984-01-01", "2019-12-31"
_TRIES = 30

Patterns = Annotated[tuple[str, ...], Field(min_length=1)]


class Kinds(RootModel[dict[str, dict[str, Patterns]]]):
    """Patterns of each kind of fact by language; those of ``en`` are the default."""


@lru_cache(maxsize=1)
def kinds() -> dict[str, dict[str, Patterns]]:
    """The shipped kinds."""
    return load(Kinds, ROOT / "scans" / "kinds.json").root


def kind_of(fact: str) -> str:
    """The kind of a fact: its name without a number, as in ``phone_2``.

    Raises:
        ValueError: if there is no such kind.
    """
    name = re.sub(r"_\d+$", "", fact)
    if name not in kinds():
        raise ValueError(f"no kind of fact {name!r}; there are {', '.join(kinds())}")
    return name


class ScanFactMaker(FactMaker):
    """A ``FactMaker`` whose patterns also know ``fake``, ``about`` and ``day``."""

    @cached_property
    def functions(self) -> dict[str, Callable[..., Any]]:
        """Adds Faker's texts, amounts of any size, and a day of the years of the scans."""
        return {**super().functions, "fake": self.fake, "about": self.about, "day": lambda: self.date(*_DAYS)}

    def about(self, low: float, high: float, decimals: int) -> str:
        """A number from ``low`` to ``high``, small ones as likely as large ones."""
        return f"{float(np.exp(self.uniform(np.log(low), np.log(high)))):,.{decimals}f}"


def scan_facts(names: Iterable[str], language: str, seed: int) -> dict[str, str]:
    """A text for each fact, all different if possible.

    Args:
        names: of the facts: kinds, with a number where there are several of one.
        language: of the page and, if available, of names and words; otherwise they are English.
        seed: equal seeds give equal texts.

    Raises:
        ValueError: if a fact is of no kind.
    """
    maker = ScanFactMaker(np.random.default_rng(seed), seed, locale=_LOCALES.get(language, "en_US"), weighted=True)
    facts: dict[str, str] = {}
    for name in sorted(names):
        kind = kinds()[kind_of(name)]
        patterns = kind.get(language, kind["en"])
        texts = [maker.text(maker.choice(patterns))]
        while texts[-1] in facts.values() and len(texts) < _TRIES:
            texts.append(maker.text(maker.choice(patterns)))
        facts[name] = texts[-1]
    return facts
