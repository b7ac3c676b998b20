"""Users' facts, those derived from them, and the sentences that state them."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping
from decimal import Decimal
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Annotated

import numpy as np
from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from ...assets import ROOT
from ..core.asset_cache import cached
from ..core.files import load, load_once
from ..core.templates import facts_of, fill, months_of

JOINT = "joint_"
"""The prefix of a co-applicant's facts."""


class Sum(BaseModel):
    """A derived fact: a sum of facts; ``-`` subtracts one, ``?`` makes it optional."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    sum: tuple[Annotated[str, Field(pattern=r"^-?\w+\??$")], ...]

    def of(self, facts: Mapping[str, str]) -> str | None:
        """The amount in plain digits; None if a fact is missing, or all are."""
        if any(term.strip("-") not in facts for term in self.sum if not term.endswith("?")):
            return None
        if not self.facts & facts.keys():
            return None
        amounts = (Decimal(facts.get(term.strip("-?"), "0")) * (-1 if term[0] == "-" else 1) for term in self.sum)
        return str(sum(amounts, Decimal(0)))

    @property
    def facts(self) -> set[str]:
        """The facts in the sum."""
        return {term.strip("-?") for term in self.sum}


class Recent(BaseModel):
    """A derived fact that forms want only of people whose stay was short: ``value`` if a duration is short enough."""

    model_config = ConfigDict(extra="forbid", frozen=True)

    value: str
    duration: Annotated[str, Field(alias="if")]
    under_months: Annotated[int, Field(gt=0)]

    def of(self, facts: Mapping[str, str]) -> str | None:
        """The filled template; None if the duration is too long, or a fact is missing."""
        years, months = months_of(facts.get(self.duration, f"P{self.under_months}M"))
        return fill(self.value, facts) if years * 12 + months < self.under_months else None

    @property
    def facts(self) -> set[str]:
        """The facts in the template, and the duration."""
        return facts_of(self.value) | {self.duration}


class Derived(RootModel[dict[str, str | Sum | Recent]]):
    """The derived facts by name: a template over facts, a sum of them, or a template with a condition."""

    def of(self, facts: Mapping[str, str]) -> dict[str, str]:
        """The derived facts that ``facts`` allow."""
        values = {name: fill(d, facts) if isinstance(d, str) else d.of(facts) for name, d in self.root.items()}
        return {name: value for name, value in values.items() if value is not None}

    @model_validator(mode="after")
    def _known_parts(self) -> Derived:
        for name, definition in self.root.items():
            if unknown := sorted(_parts(definition) - set(fact_book().names)):
                raise ValueError(f"{name}: unknown fact {unknown[0]!r}")
        return self

    def base_facts(self, names: Iterable[str]) -> set[str]:
        """The plain facts from which the named facts are derived."""
        return set().union(*(_parts(self.root[name]) if name in self.root else {name} for name in names))


def _parts(definition: str | Sum | Recent) -> set[str]:
    """The facts that a derived fact is made of."""
    return facts_of(definition) if isinstance(definition, str) else definition.facts


Phrasings = str | Annotated[tuple[str, ...], Field(min_length=1)]
"""A sentence, or several with the same meaning."""


class FactBook(BaseModel):
    """The sentences that state each fact, in general or for each of its values.

    ``person`` facts exist twice, for the applicant and, with the prefix ``joint_``, for the co-applicant.
    """

    model_config = ConfigDict(extra="forbid", frozen=True)

    person: dict[str, Phrasings | dict[str, Phrasings]]
    loan: dict[str, Phrasings | dict[str, Phrasings]]

    @model_validator(mode="after")
    def _known_placeholders(self) -> FactBook:
        for fact, phrasing in (self.person | self.loan).items():
            for sentence in [way for ways in _phrasings_by_value(phrasing) for way in _several(ways)]:
                if unknown := sorted(facts_of(sentence) - self.known - {"role"}):
                    raise ValueError(f"sentence of {fact}: unknown fact {unknown[0]!r}")
        return self

    def sentence(self, fact: str) -> Phrasings | dict[str, Phrasings]:
        """The phrasings of ``fact``; for a co-applicant's fact, those of the applicant's."""
        return self.loan[fact] if fact in self.loan else self.person[fact.removeprefix(JOINT)]

    def check_value(self, fact: str, value: str) -> None:
        """Check that ``fact`` can have ``value``.

        Raises:
            ValueError: if ``fact`` has a list of values, and this is none of them.
        """
        phrasing = self.sentence(fact) if fact in self.known else None
        if isinstance(phrasing, dict) and value not in phrasing:
            raise ValueError(f"{fact} is never {value!r}; it is one of {', '.join(phrasing)}")

    @cached_property
    def names(self) -> tuple[str, ...]:
        """All facts in the order of their sentences."""
        return (*self.person, *(JOINT + name for name in self.person), *self.loan)

    @cached_property
    def known(self) -> frozenset[str]:
        """All facts as a set."""
        return frozenset(self.names)

    def phrasings(self, fact: str, value: str) -> tuple[str, ...]:
        """The sentence templates that state that ``fact`` has ``value``."""
        phrasing = self.sentence(fact)
        return _several(phrasing[value] if isinstance(phrasing, dict) else phrasing)

    def state(self, fact: str, facts: Mapping[str, str], choose: Callable[[tuple[str, ...]], str] | None = None) -> str:
        """The sentence that states ``fact``.

        Args:
            fact: its name.
            facts: the values by name, with that of ``fact`` among them.
            choose: picks one of several phrasings; by default the first.

        Raises:
            ValueError: if a fact in the sentence is missing.
        """
        joint = fact.startswith(JOINT) and fact not in self.loan
        ways = self.phrasings(fact, facts[fact])
        sentence = choose(ways) if choose else ways[0]
        if joint:
            sentence = re.sub(r"\{\{ *", "{{ " + JOINT, sentence)
        role = {"role": "applicant", JOINT + "role": "co-applicant"}
        filled = fill(sentence, {**facts, **role})
        if filled is None:
            raise ValueError(f"the sentence of {fact} needs a fact that is missing: {sentence}")
        return tidy(filled)


def tidy(text: str) -> str:
    """``text`` without the space of an empty place before a mark, and the second of two full stops."""
    return re.sub(r" (?=[.,;])|(?<=\.)\.", "", text)


def _phrasings_by_value(phrasing: Phrasings | dict[str, Phrasings]) -> list[Phrasings]:
    """The phrasings of a fact, one item for each value with its own phrasings."""
    return list(phrasing.values()) if isinstance(phrasing, dict) else [phrasing]


def _several(ways: Phrasings) -> tuple[str, ...]:
    return (ways,) if isinstance(ways, str) else ways


class Profile(RootModel[dict[str, str]]):
    """The facts of one user by name, as text; facts that do not apply are missing."""

    @model_validator(mode="after")
    def _known_facts(self) -> Profile:
        unknown = [name for name in self.root if name not in fact_book().known]
        if unknown:
            raise ValueError(f"unknown fact {unknown[0]!r}; facts are declared in assets/profiles/facts.json")
        empty = [name for name, value in self.root.items() if not value.strip()]
        if empty:
            raise ValueError(f"fact {empty[0]!r} is empty; leave out what does not apply")
        for name, value in self.root.items():
            fact_book().check_value(name, value)
        return self

    @cached_property
    def facts(self) -> dict[str, str]:
        """All facts, the derived ones included."""
        return {**self.root, **derived_facts().of(self.root)}

    def sentences(
        self, requested: Iterable[str], book: FactBook | None = None, rng: np.random.Generator | None = None
    ) -> list[str]:
        """The sentences that state the requested facts that the user has.

        Args:
            requested: names of facts.
            book: the phrasings; by default the shipped fact book.
            rng: shuffles the facts and picks a phrasing of each; without it they are in the order of the book, each
                in its first phrasing.
        """
        chosen, book = set(requested), book or fact_book()
        facts = [fact for fact in book.names if fact in chosen and fact in self.root]
        if rng is None:
            return [book.state(fact, self.root) for fact in facts]
        shuffled = [facts[i] for i in rng.permutation(len(facts))]
        return [book.state(fact, self.root, lambda ways: ways[int(rng.integers(len(ways)))]) for fact in shuffled]


_PROFILES = ROOT / "profiles"


fact_book = load_once(FactBook, _PROFILES / "facts.json")
"""The shipped fact book."""
train_book = load_once(FactBook, _PROFILES / "train_facts.json")
"""The fact book for training: the same facts in other and more phrasings."""
derived_facts = load_once(Derived, _PROFILES / "derived.json")
"""The shipped derived facts."""


@cached
def profile(user: str) -> Profile:
    """The profile of a shipped user.

    Raises:
        ValueError: if there is no such user, or the file is broken (naming file and fact).
    """
    if user not in users():
        raise ValueError(f"no user {user!r}; there are {', '.join(users())}")
    return load(Profile, _PROFILES / "users" / f"{user}.json")


@lru_cache(maxsize=1)
def users() -> tuple[str, ...]:
    """The shipped users, sorted."""
    return tuple(sorted(path.stem for path in Path(_PROFILES / "users").glob("*.json")))


def condition_facts(condition: str) -> tuple[str, str]:
    """Fact and value of a condition such as ``residence_type=rent``.

    Raises:
        ValueError: if it is not of that form.
    """
    found = re.fullmatch(r"(\w+)=(\w+)", condition)
    if found is None:
        raise ValueError(f"{condition!r} is no condition; write fact=value")
    return found[1], found[2]
