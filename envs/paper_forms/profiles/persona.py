"""Personas: endless random users for training, each made from a seed."""

from __future__ import annotations

from datetime import date

from ...core.facts import Gender, Place
from .loan_facts import loan_facts
from .person_facts import GROWN_UP, Outline, family_facts, home_facts, person_facts
from .persona_choices import choices
from .persona_draws import Draws, Facts
from .profile import JOINT, Profile, fact_book


def persona(seed: int, secret: int = 0) -> Profile:
    """The user of a seed, the same with equal versions of faker and numpy.

    It shares no name, number, address or phone with a shipped user. There always is a co-applicant, at times with
    fewer facts.

    Args:
        seed: any number that is not negative.
        secret: another one gives another user for each seed.

    Raises:
        ValueError: if a number is negative.
    """
    draws = Draws(seed, secret)
    today = date(draws.in_range("application_year"), draws.between(1, 12), draws.between(1, 28))
    relationship = draws.fact("joint_relationship")
    applicant = _applicant(draws, today, relationship)
    partner = _partner(draws, applicant, relationship)
    mine, theirs = _household(draws, applicant, partner, together=relationship == "spouse")
    if draws.happens("brief_partner"):
        theirs = {fact: value for fact, value in theirs.items() if fact not in choices().left_out}
    loan = loan_facts(draws, today, applicant.place, _income(mine, theirs))
    facts = mine | {JOINT + fact: value for fact, value in theirs.items()} | loan | {"joint_relationship": relationship}
    return Profile({fact: facts[fact] for fact in fact_book().names if fact in facts})


def _applicant(draws: Draws, today: date, relationship: str) -> Outline:
    age = draws.in_range("age_of_child" if relationship == "parent" else "age")
    status = "married" if relationship == "spouse" else draws.fact("marital_status")
    return _outline(draws, today, draws.gender(), age, draws.place(), status, draws.surname())


def _partner(draws: Draws, applicant: Outline, relationship: str) -> Outline:
    """The co-applicant: a spouse has the same home; relatives may share a surname."""
    spouse, related = relationship == "spouse", relationship != "friend"
    gender = draws.gender()
    if spouse:
        gender = "male" if applicant.gender == "female" else "female"
    place = applicant.place if spouse else draws.place_near(applicant.place.state)
    status = "married" if spouse else draws.fact("marital_status")
    shared = applicant.last_name if spouse else applicant.family_name
    surname = shared if related and draws.happens("shared_surname") else draws.surname()
    age = _partner_age(draws, applicant, relationship)
    return _outline(draws, applicant.today, gender, age, place, status, surname)


def _partner_age(draws: Draws, applicant: Outline, relationship: str) -> int:
    if relationship == "parent":
        return applicant.age + draws.in_range("parent_older")
    return max(GROWN_UP + 3, applicant.age + draws.in_range("partner_older"))


def _outline(
    draws: Draws, today: date, gender: Gender, age: int, place: Place, marital_status: str, surname: str
) -> Outline:
    married_once = gender == "female" and marital_status != "unmarried"
    maiden_name = draws.surname() if married_once and draws.happens("maiden_name") else None
    return Outline(today, gender, age, place, marital_status, draws.first_name(gender), surname, maiden_name)


def _household(draws: Draws, applicant: Outline, partner: Outline, together: bool) -> tuple[Facts, Facts]:
    """The facts of both people; those who live together share home and family."""
    mine, theirs = person_facts(draws, applicant), person_facts(draws, partner)
    if together:
        younger = min(applicant, partner, key=lambda who: who.age)
        home = home_facts(draws, younger, _income(mine, theirs)) | family_facts(draws, younger)
        return mine | home, theirs | home
    mine |= home_facts(draws, applicant, _income(mine)) | family_facts(draws, applicant)
    theirs |= home_facts(draws, partner, _income(theirs)) | family_facts(draws, partner)
    return mine, theirs


def _income(*people: Facts) -> int:
    """The total gross monthly income of people in dollars."""
    return sum(int(facts["gross_monthly_income"]) for facts in people)
