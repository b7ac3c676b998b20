"""Personas: endless random users for training, each made from a seed."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from typing import Any

from ..core.facts import Gender, Place
from .persona_draws import PersonaMaker, choices, recipes, reserved
from .profile import JOINT, Profile, fact_book

_GROWN_UP = 18
"""The age from which a person has a home, work and children."""


@dataclass(frozen=True)
class Outline:
    """The basic data of a person, from which other facts follow.

    Attributes:
        today: the date of the application, whose day of the month is at most 28.
        gender: for the first name and the relatives.
        age: in whole years.
        place: of the home.
        marital_status: one of the values of that fact.
        first_name: unique in the persona.
        last_name: the present one.
        maiden_name: the name at birth, if it was another.
    """

    today: date
    gender: Gender
    age: int
    place: Place
    marital_status: str
    first_name: str
    last_name: str
    maiden_name: str | None

    @property
    def family_name(self) -> str:
        """The name at birth."""
        return self.maiden_name or self.last_name

    @property
    def grown_up_months(self) -> int:
        """The months since the person came of age."""
        return (self.age - _GROWN_UP) * 12


def persona(seed: int, secret: int = 0) -> Profile:
    """The user of a seed, the same with equal versions of faker and numpy.

    It shares no name, number, address or phone with a shipped user, and its facts contradict each other nowhere; see
    ``contradictions``. A joint application has a co-applicant, at times with fewer facts. What is drawn, and in which
    order, is in ``assets/profiles/persona.json``.

    Args:
        seed: any number that is not negative.
        secret: another one gives another user for each seed.

    Raises:
        ValueError: if a number is negative.

    >>> persona(3).root["ssn"] == persona(3).root["ssn"] != persona(3, secret=1).root["ssn"]
    True
    """
    maker = PersonaMaker(seed, secret, reserved())
    today = date(maker.in_range("application_year"), maker.between(1, 12), maker.between(1, 28))
    relationship = maker.weighted(choices().weights["joint_relationship"])
    applicant = _applicant(maker, today, relationship)
    partner = _partner(maker, applicant, relationship)
    mine, theirs = _household(maker, applicant, partner, together=relationship == "spouse")
    if maker.happens("brief_partner"):
        theirs = {fact: value for fact, value in theirs.items() if fact not in choices().left_out}
    income = _income(mine, theirs)
    given = {"today": today, "home": applicant.place, "income": income, "age": applicant.age}
    facts = mine | flat_facts(maker.draw(recipes().loan, given, "loan"))
    if facts["application_type"] == "joint":
        facts |= {JOINT + fact: value for fact, value in theirs.items()} | {"joint_relationship": relationship}
    return Profile({fact: str(facts[fact]) for fact in fact_book().names if fact in facts})


def flat_facts(drawn: dict[str, Any]) -> dict[str, Any]:
    """The facts of a recipe's results: parts of a result get its name as prefix.

    Results that are None, and those whose name begins with an underscore, are no facts.
    """
    facts: dict[str, Any] = {}
    for name, value in drawn.items():
        if isinstance(value, dict) and not name.startswith("_"):
            facts |= {f"{name}_{part}": text for part, text in value.items()}
        elif value is not None and not name.startswith("_"):
            facts[name] = value
    return facts


def _applicant(maker: PersonaMaker, today: date, relationship: str) -> Outline:
    age = maker.in_range("age_of_child" if relationship == "parent" else "age")
    status = "married" if relationship == "spouse" else _marital_status(maker)
    return _outline(maker, today, maker.gender(), age, maker.place(), status, maker.surname())


def _partner(maker: PersonaMaker, applicant: Outline, relationship: str) -> Outline:
    """The co-applicant: a spouse has the same home; relatives may share a surname."""
    spouse, related = relationship == "spouse", relationship != "friend"
    gender = maker.gender()
    if spouse:
        gender = "male" if applicant.gender == "female" else "female"
    place = applicant.place if spouse else maker.place_near(applicant.place.state)
    status = "married" if spouse else _marital_status(maker)
    shared = applicant.last_name if spouse else applicant.family_name
    surname = shared if related and maker.happens("shared_surname") else maker.surname()
    age = _partner_age(maker, applicant, relationship)
    return _outline(maker, applicant.today, gender, age, place, status, surname)


def _marital_status(maker: PersonaMaker) -> str:
    return maker.weighted(choices().weights["marital_status"])


def _partner_age(maker: PersonaMaker, applicant: Outline, relationship: str) -> int:
    if relationship == "parent":
        return applicant.age + maker.in_range("parent_older")
    return max(_GROWN_UP + 3, applicant.age + maker.in_range("partner_older"))


def _outline(
    maker: PersonaMaker, today: date, gender: Gender, age: int, place: Place, marital_status: str, surname: str
) -> Outline:
    married_once = gender == "female" and marital_status != "unmarried"
    maiden_name = maker.surname() if married_once and maker.happens("maiden_name") else None
    return Outline(today, gender, age, place, marital_status, maker.first_name(gender), surname, maiden_name)


def _household(
    maker: PersonaMaker, applicant: Outline, partner: Outline, together: bool
) -> tuple[dict[str, Any], dict[str, Any]]:
    """The facts of both people; those who live together share home and family."""

    def home_of(who: Outline, income: int) -> dict[str, Any]:
        return flat_facts(maker.draw(recipes().home, {"who": who, "income": income}, "home"))

    mine, theirs = (flat_facts(maker.draw(recipes().person, {"who": who}, "person")) for who in (applicant, partner))
    if together:
        home = home_of(min(applicant, partner, key=lambda who: who.age), _income(mine, theirs))
        return mine | home, theirs | home
    mine |= home_of(applicant, _income(mine))
    theirs |= home_of(partner, _income(theirs))
    return mine, theirs


def _income(*people: dict[str, Any]) -> int:
    """The total gross monthly income of people in dollars."""
    return sum(facts["gross_monthly_income"] for facts in people)
