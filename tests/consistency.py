"""Whether a user's facts can all be true together: the rules of ``data/consistency.json``."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import date
from decimal import Decimal
from functools import cached_property, lru_cache
from typing import Any

from paths import DATA
from pydantic import model_validator

from formgym.envs.core.files import Data, load
from formgym.envs.core.templates import check_recipe, evaluate_all, months_of, names_in
from formgym.envs.paper_forms.persona_draws import cars
from formgym.envs.paper_forms.profile import JOINT, derived_facts, fact_book

_FUNCTIONS = ("given", "months", "year_code")


class Consistency(Data):
    """What holds for facts that are consistent: Jinja conditions by a sentence that says them.

    Besides facts (numbers, dates, months of durations or texts) a condition has ``age``, in years, ``given``: whether
    there is any of some facts, ``months`` between two days, and the ``year_code`` of a model year. It holds if a fact
    that it names is missing.

    Attributes:
        person: for the applicant, and in the same way for the co-applicant.
        loan: for the application.
    """

    person: dict[str, str]
    loan: dict[str, str]

    @model_validator(mode="after")
    def _known_names(self) -> Consistency:
        for rules in (self.person, self.loan):
            for rule, condition in rules.items():
                known = {"age", *fact_book().names, *derived_facts().root}
                check_recipe({rule: condition}, {*known, *_FUNCTIONS})
                named = [
                    name for call in re.findall(r"given\(([^)]*)\)", condition) for name in re.findall(r"\w+", call)
                ]
                if unknown := sorted(set(named) - known):
                    raise ValueError(f"{rule}: unknown fact {unknown[0]!r}")
        return self

    @cached_property
    def recipes(self) -> dict[str, tuple[tuple[str, str], ...]]:
        """The rules of a person and a loan as a recipe each, guarded by the facts that they name."""
        return {
            kind: tuple((f"r{i}", _guarded(condition)) for i, condition in enumerate(rules.values()))
            for kind, rules in (("person", self.person), ("loan", self.loan))
        }


def _guarded(condition: str) -> str:
    facts = sorted(names_in(condition, is_expression=True) - set(_FUNCTIONS))
    return f"({condition}) if all_given({', '.join(map(repr, facts))}) else true"


@lru_cache(maxsize=1)
def consistency() -> Consistency:
    """The rules."""
    return load(Consistency, DATA / "consistency.json")


def contradictions(facts: Mapping[str, str]) -> list[str]:
    """The rules that a user's facts break, in words.

    Args:
        facts: of an applicant, a co-applicant and a loan, as in a profile.

    >>> contradictions({"application_type": "individual", "credit_insurance": "joint"})
    ['credit insurance for two is for two']
    """
    values = {name: _value(name, text) for name, text in (derived_facts().of(facts) | dict(facts)).items()}
    mine = {name: value for name, value in values.items() if not name.startswith(JOINT)}
    theirs = {name.removeprefix(JOINT): value for name, value in values.items() if name.startswith(JOINT)}
    shared = {name: mine[name] for name in fact_book().loan if name in mine}
    broken = _broken("person", mine)
    if theirs:
        broken += [f"co-applicant: {rule}" for rule in _broken("person", shared | theirs)]
    return broken + _broken("loan", values)


def _broken(kind: str, values: dict[str, Any]) -> list[str]:
    scope: dict[str, Any] = values | {
        "given": lambda *names: any(name in values for name in names),
        "all_given": lambda *names: all(name in scope for name in names),
        "months": _months,
        "year_code": lambda year: cars().year_codes.get(str(year)),
    }
    if "birth_date" in values and "application_date" in values:
        scope["age"] = _months(values["birth_date"], values["application_date"]) // 12
    holds = evaluate_all(consistency().recipes[kind], scope, f"consistency of a {kind}")
    return [rule for rule, kept in zip(getattr(consistency(), kind), holds.values(), strict=True) if not kept]


def _months(first: date, last: date) -> int:
    """Whole months from one day to another."""
    return (last.year - first.year) * 12 + last.month - first.month - (last.day < first.day)


def _value(name: str, text: str) -> Any:
    """A fact as a list of ages, a date, a number of months, another number, or itself."""
    if name.endswith("_ages"):
        return [int(age) for age in text.split(", ")]
    if re.fullmatch(r"\d{4}-\d\d-\d\d", text):
        return date.fromisoformat(text)
    if re.fullmatch(r"P(?=\d)(\d+Y)?(\d+M)?", text):
        years, months = months_of(text)
        return years * 12 + months
    if re.fullmatch(r"-?\d+(\.\d+)?", text):
        return Decimal(text)
    return text
