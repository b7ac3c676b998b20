"""Random facts to type on scans, by kind and in the language of the page."""

from __future__ import annotations

import datetime
import re
import string
from collections.abc import Iterable
from functools import lru_cache
from threading import get_ident
from typing import TYPE_CHECKING

import numpy as np
from pydantic import BaseModel, ConfigDict, RootModel, model_validator

from ....assets import ROOT
from ...core.files import load
from ...core.people import thread_faker

if TYPE_CHECKING:
    from faker import Faker

_KINDS = ROOT / "scans" / "kinds.json"
_LOCALES = {
    "en": "en_US", "ru": "ru_RU", "el": "el_GR", "de": "de_DE", "fr": "fr_FR", "es": "es_ES", "it": "it_IT",
    "pt": "pt_PT", "pl": "pl_PL", "cs": "cs_CZ", "bg": "bg_BG", "uk": "uk_UA",
}  # fmt: skip
_DAYS = (datetime.date(1984, 1, 1).toordinal(), datetime.date(2019, 12, 31).toordinal())
_TRIES = 30
_PLACEHOLDERS = {"#": string.digits, "%": string.digits[1:], "?": string.ascii_uppercase, "~": string.ascii_lowercase}


class Kind(BaseModel):
    """How to make facts of one kind, in exactly one of these ways.

    Attributes:
        faker: the name of a method of ``faker.Faker``.
        longest: the maximum length of a text from Faker.
        patterns: texts where ``#`` stands for a digit, ``%`` for one from 1 to 9, ``?`` for a capital,
            ``~`` for a small letter.
        dates: formats of ``strftime``.
        numbers: the smallest and the largest number.
        decimals: the number of decimals of a number.
        words: texts by language.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    faker: str | None = None
    longest: int = 30
    patterns: tuple[str, ...] = ()
    dates: tuple[str, ...] = ()
    numbers: tuple[int, int] | None = None
    decimals: int = 0
    words: dict[str, tuple[str, ...]] = {}

    @model_validator(mode="after")
    def _one_way(self) -> Kind:
        if sum(map(bool, (self.faker, self.patterns, self.dates, self.numbers, self.words))) != 1:
            raise ValueError("give one of faker, patterns, dates, numbers and words")
        return self


class Kinds(RootModel[dict[str, Kind]]):
    """The kinds by name."""


@lru_cache(maxsize=1)
def kinds() -> dict[str, Kind]:
    """The shipped kinds."""
    return load(Kinds, _KINDS).root


def kind_of(fact: str) -> str:
    """The kind of a fact: its name without a number, as in ``phone_2``.

    Raises:
        ValueError: if there is no such kind.
    """
    name = re.sub(r"_\d+$", "", fact)
    if name not in kinds():
        raise ValueError(f"no kind of fact {name!r}; there are {', '.join(kinds())}")
    return name


def scan_facts(names: Iterable[str], language: str, seed: int) -> dict[str, str]:
    """A text for each fact, all different if possible.

    Args:
        names: of the facts: kinds, with a number where there are several of one.
        language: of the page and, if available, of names and words; otherwise they are English.
        seed: equal seeds give equal texts.

    Raises:
        ValueError: if a fact is of no kind.
    """
    rng = np.random.default_rng(seed)
    faker = thread_faker(_LOCALES.get(language, "en_US"), get_ident())
    faker.seed_instance(seed)
    facts: dict[str, str] = {}
    for name in sorted(names):
        facts[name] = _unused_text(kinds()[kind_of(name)], language, faker, rng, set(facts.values()))
    return facts


def _unused_text(kind: Kind, language: str, faker: Faker, rng: np.random.Generator, used: set[str]) -> str:
    texts = (_random_text(kind, language, faker, rng) for _ in range(_TRIES))
    return next((text for text in texts if text not in used), _random_text(kind, language, faker, rng))


def _random_text(kind: Kind, language: str, faker: Faker, rng: np.random.Generator) -> str:
    if kind.faker is not None:
        return _faker_text(kind, faker)
    if kind.patterns:
        return "".join(_random_character(character, rng) for character in _choice(kind.patterns, rng))
    if kind.dates:
        day = datetime.date.fromordinal(int(rng.integers(*_DAYS)))
        return day.strftime(_choice(kind.dates, rng))
    if kind.numbers:
        low, high = (np.log(n) for n in kind.numbers)
        return f"{float(np.exp(rng.uniform(low, high))):,.{kind.decimals}f}"
    return _choice(kind.words.get(language, kind.words["en"]), rng)


def _faker_text(kind: Kind, faker: Faker) -> str:
    texts = (" ".join(str(getattr(faker, kind.faker or "")()).split()) for _ in range(_TRIES))
    return next((text for text in texts if len(text) <= kind.longest), "") or faker.last_name()


def _random_character(character: str, rng: np.random.Generator) -> str:
    choices = _PLACEHOLDERS.get(character, character)
    return choices[rng.integers(len(choices))]


def _choice(texts: tuple[str, ...], rng: np.random.Generator) -> str:
    return texts[int(rng.integers(len(texts)))]
