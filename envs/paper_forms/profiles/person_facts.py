"""Draw the facts of one person: name, work, bank, relatives, family and home."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date

from ...core.facts import Gender, Place, places
from .persona_choices import Job, choices
from .persona_draws import Draws, Facts, dollars, duration, rounded

GROWN_UP = 18
"""The age from which a person has a home, work and children."""
_RETIREMENT_AGE = 62
_MORTGAGE_YEARS = 30
_MAX_FULL_NAME = 30
# There are enough names of this length.
_MIN_MIDDLE_NAME = 6


@dataclass(frozen=True)
class Outline:
    """The basic data of a person, from which other facts follow.

    Attributes:
        today: the date of the application.
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
        return (self.age - GROWN_UP) * 12


def person_facts(draws: Draws, who: Outline) -> Facts:
    """The facts of a person that do not depend on the home."""
    parts = (_identity, _contact, _license, _work, _employment, _bank, _credit_card, _relative, _record)
    return {fact: value for part in parts for fact, value in part(draws, who).items()}


def _identity(draws: Draws, who: Outline) -> Facts:
    facts = {
        "first_name": who.first_name,
        "last_name": who.last_name,
        "ssn": draws.text_for("ssn"),
        "marital_status": who.marital_status,
        "citizenship": draws.fact("citizenship"),
    }
    if who.maiden_name:
        facts["maiden_name"] = who.maiden_name
    if who.gender == "male" and draws.happens("suffix"):
        facts["suffix"] = draws.common_text("suffix")
    room = _MAX_FULL_NAME - len(f"{who.first_name}  {who.last_name} {facts.get('suffix', '')}")
    if room >= _MIN_MIDDLE_NAME and draws.happens("middle_name"):
        facts["middle_name"] = draws.first_name(who.gender, room)
    return facts


def _contact(draws: Draws, who: Outline) -> Facts:
    first, last = ("".join(filter(str.isalnum, name)).lower() for name in (who.first_name, who.last_name))
    return {
        "cell_phone": draws.phone_at(draws.place_near(who.place.state)),
        "email": draws.text_for("email", first=first, last=last, initial=first[0]),
        **draws.facts("contact_preference", "contact_time"),
    }


def _license(draws: Draws, who: Outline) -> Facts:
    """Birth date and driver's licence, which expires on a birthday."""
    birth = draws.days_before(who.today.replace(year=who.today.year - who.age), max_days=364)
    state = draws.place_near(who.place.state).state if draws.happens("license_from_elsewhere") else who.place.state
    expiration = date(who.today.year + draws.in_range("license_years"), birth.month, min(birth.day, 28))
    return {
        "birth_date": birth.isoformat(),
        "driver_license_number": draws.text_of([places().root[state].license]),
        "driver_license_state": state,
        "driver_license_expiration": expiration.isoformat(),
    }


def family_facts(draws: Draws, who: Outline) -> Facts:
    """The dependents, all born after the person came of age."""
    oldest = min(17, who.age - GROWN_UP)
    ages = sorted(draws.between(1, oldest) for _ in range(draws.in_range("dependents")))
    facts = {"dependents": str(len(ages))}
    if ages:
        facts["dependent_ages"] = ", ".join(map(str, ages))
    if ages and ages[0] <= 12 and draws.happens("child_care"):
        facts["child_care_monthly"] = str(draws.in_range("child_care_monthly"))
    return facts


def home_facts(draws: Draws, who: Outline, income: int) -> Facts:
    """The present and previous home and the mailing address.

    The household's ``income`` is in dollars a month.
    """
    kind = draws.fact("residence_type")
    months = draws.in_range("residence_months", who.grown_up_months * 2 // 3)
    since = draws.months_before(who.today, months)
    address = draws.address("address", who.place)
    if kind not in ("own", "buying") and draws.happens("address_unit"):
        address["address_unit"] = draws.common_text("address_unit")
    return {
        **address,
        "address_county": who.place.city.county,
        "address_since": since.isoformat(),
        "home_phone": draws.phone_at(who.place),
        "residence_type": kind,
        "residence_duration": duration(months),
        **_housing(draws, who, kind, since, income),
        **_mailing(draws, who.place, address),
        **_previous_home(draws, who, months),
    }


def _housing(draws: Draws, who: Outline, kind: str, since: date, income: int) -> Facts:
    """The cost of the home as a share of the income, and the landlord or lender."""
    if kind in ("own", "buying"):
        return _owned_home(draws, who, kind, since, income)
    facts = {"housing_payment": str(draws.share(income, f"share_of_income_for_{kind}"))}
    if kind == "rent":
        facts |= {"landlord_name": draws.text_for("landlord"), "landlord_phone": draws.phone_at(who.place)}
    return facts


def _owned_home(draws: Draws, who: Outline, kind: str, since: date, income: int) -> Facts:
    """An owned home with its value and, if not paid off, the rest of its mortgage."""
    value = rounded(income * draws.in_range("home_value_in_months_of_income"), 1000)
    facts = {"home_value": str(value), "home_purchase_year": str(since.year)}
    if kind == "own":
        return facts | {"housing_payment": str(draws.share(value, "yearly_cost_of_home") // 12)}
    loan = draws.share(value, "share_of_home_mortgaged", 100)
    years = who.today.year - since.year
    return facts | {
        "mortgage_balance": str(rounded(loan * (_MORTGAGE_YEARS - years) // _MORTGAGE_YEARS, 100)),
        "housing_payment": str(draws.share(loan, "yearly_cost_of_mortgage") // 12),
        "landlord_name": draws.text_for("mortgage_lender"),
        "landlord_phone": draws.phone_at(draws.place()),
    }


def _mailing(draws: Draws, home: Place, address: Facts) -> Facts:
    if not draws.happens("mailing_address"):
        return {}
    parts = ("street", "city", "state", "zip")
    mailing = {f"mailing_{part}": address[f"address_{part}"] for part in parts}
    if draws.happens("mailing_at_home"):
        return mailing
    return mailing | {"mailing_street": draws.text_for("mailing_street"), "mailing_zip": draws.code(home.city.zip)}


def _previous_home(draws: Draws, who: Outline, months: int) -> Facts:
    return {
        **draws.address("previous", draws.place_near(who.place.state)),
        "previous_residence_duration": duration(draws.in_range("previous_months", who.grown_up_months - months)),
    }


def _work(draws: Draws, who: Outline) -> Facts:
    retired = who.age >= _RETIREMENT_AGE and draws.happens("retired")
    kind = "retired" if retired else draws.fact("employment_type")
    industry = draws.choice(choices().industries)
    job = draws.choice(industry.jobs)
    place = draws.place(who.place.state)
    facts = {
        "employer_name": draws.text_of(industry.employers),
        **draws.address("employer", place),
        "employer_phone": draws.phone_at(place),
        "employer_industry": industry.name,
        "work_phone": draws.phone_at(place),
        "job_title": job.title,
        "education_level": draws.choice(job.education),
        "employment_type": kind,
        **draws.facts("income_period"),
        **_pay(draws, kind, job),
        **_other_income(draws),
    }
    if kind != "self_employed":
        facts |= {"supervisor_name": draws.full_name(), "employee_number": draws.text_for("employee_number")}
    return facts


def _pay(draws: Draws, kind: str, job: Job) -> Facts:
    """The monthly pay; net is less than gross even with overtime and bonus."""
    gross = rounded(draws.between(*job.monthly), 5)
    if kind in ("part_time", "retired"):
        gross = draws.share(gross, f"share_of_hours_{kind}")
    salaried = kind in ("full_time", "part_time")
    overtime = draws.share(gross, "share_of_pay_overtime") if salaried and draws.happens("overtime") else 0
    bonus = draws.share(gross, "share_of_pay_bonus") if salaried and draws.happens("bonus") else 0
    return {
        "gross_monthly_income": str(gross),
        "overtime_monthly": str(overtime),
        "bonus_monthly": str(bonus),
        "net_monthly_income": str(draws.share(gross + overtime + bonus, "share_of_pay_net")),
    }


def _other_income(draws: Draws) -> Facts:
    if not draws.happens("other_income"):
        return {"other_income_monthly": "0"}
    return {
        "other_income_monthly": str(draws.in_range("other_income_monthly")),
        "other_income_source": draws.common_text("other_income_source"),
    }


def _employment(draws: Draws, who: Outline) -> Facts:
    """The duration of the present job, and the previous job."""
    months = draws.in_range("employment_months", who.grown_up_months * 2 // 3)
    facts = {
        "employment_start_date": draws.months_before(who.today, months).isoformat(),
        "employment_duration": duration(months),
    }
    if not draws.happens("previous_employer"):
        return facts
    industry, place = draws.choice(choices().industries), draws.place_near(who.place.state)
    return facts | {
        "previous_employer_name": draws.text_of(industry.employers),
        **draws.address("previous_employer", place),
        "previous_employer_phone": draws.phone_at(place),
        "previous_job_title": draws.choice(industry.jobs).title,
        "previous_employment_duration": duration(draws.in_range("previous_months", who.grown_up_months - months)),
    }


def _bank(draws: Draws, who: Outline) -> Facts:
    return {
        "bank_name": draws.text_for("bank_name"),
        "bank_branch_city": draws.place(who.place.state).city.name,
        "bank_phone": draws.phone_at(who.place),
        "bank_account_type": draws.fact("bank_account_type"),
        "checking_account_number": draws.text_for("checking_account_number"),
        "checking_balance": dollars(draws.in_range("checking_cents")),
        "savings_account_number": draws.text_for("savings_account_number"),
        "savings_balance": dollars(draws.in_range("savings_cents")),
        "retirement_balance": str(rounded(draws.in_range("retirement_per_year") * (who.age - GROWN_UP), 50)),
    }


def _credit_card(draws: Draws, who: Outline) -> Facts:
    if not draws.happens("credit_card"):
        return {}
    limit = draws.in_range("credit_card_limit")
    return {
        "credit_card_issuer": draws.text_for("credit_card_issuer"),
        "credit_card_balance": str(draws.share(limit, "share_of_card_used")),
        "credit_card_limit": str(limit),
    }


def _relative(draws: Draws, who: Outline) -> Facts:
    kin, place = draws.choice(choices().relatives), draws.place_near(who.place.state)
    surname = who.family_name if draws.chance(kin.same_name) else None
    return {
        "relative_name": draws.full_name(kin.gender, surname),
        "relative_relationship": kin.relationship,
        "relative_phone": draws.phone_at(place),
        **draws.address("relative", place),
    }


def _record(draws: Draws, who: Outline) -> Facts:
    """Bankruptcy, lawsuits, alimony and the like."""
    facts = draws.facts("bankruptcy", "repossession", "lawsuits", "judgments", "tax_liens", "cosigner_elsewhere")
    pays = draws.happens("alimony_of_separated" if who.marital_status == "separated" else "alimony")
    facts |= {"alimony_obligation": "yes" if pays else "no", "vehicles_owned": str(draws.in_range("vehicles_owned"))}
    return facts | {"alimony_monthly": str(draws.in_range("alimony_monthly"))} if pays else facts
