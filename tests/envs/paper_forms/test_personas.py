"""Personas: users made from seeds, unlike the shipped ones, at one with themselves, told in words of their own."""

import itertools
import json
import re
from datetime import date

import numpy as np
import pytest
from consistency import Consistency, consistency, contradictions
from sizes import some

from formgym.envs.core.facts import Places, places
from formgym.envs.core.files import load
from formgym.envs.core.matchers import fold
from formgym.envs.core.templates import fill, placeholders
from formgym.envs.paper_forms.persona import flat_facts, persona
from formgym.envs.paper_forms.persona_draws import Cars, PersonaChoices, Recipes, cars, choices, recipes
from formgym.envs.paper_forms.profile import JOINT, FactBook, Profile, fact_book, profile, train_book, users

SEEDS = range(200)
PEOPLE = ("", JOINT)
UNIQUE = ("name", "ssn", "phone", "email", "street", "number", "vin")


@pytest.fixture(scope="module")
def personas():
    return [persona(seed).root for seed in SEEDS]


def _months(first, last):
    """Whole months between two dates as they are written in facts."""
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    return (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)


def _people(facts):
    return PEOPLE if JOINT + "first_name" in facts else PEOPLE[:1]


def _age(facts, prefix):
    return _months(facts[prefix + "birth_date"], facts["application_date"]) // 12


def _templates(book):
    """Fact, value or None, and phrasings of everything that a book tells."""
    for fact in (*book.person, *book.loan):
        told = book.sentence(fact)
        for value in told if isinstance(told, dict) else [None]:
            yield fact, value, book.phrasings(fact, value)


def test_a_secret_changes_everybody(personas):
    telling = "first_name last_name ssn birth_date cell_phone email address_street employer_name vehicle_vin".split()
    for seed in SEEDS[:20]:
        there = persona(seed, 1).root
        assert sum(personas[seed].get(fact, 1) == there.get(fact, 2) for fact in telling) <= 1
    assert persona(1, 2).root != persona(2, 1).root
    for seed, secret in ((-1, 0), (0, -1)):
        with pytest.raises(ValueError, match="non-negative"):
            persona(seed, secret)


def test_every_fact_and_value_occurs_in_the_order_of_the_book(personas):
    assert all(len(facts) >= (185 if facts["application_type"] == "joint" else 110) for facts in personas)
    assert np.mean([len(facts) for facts in personas]) >= 210
    for facts in personas:
        assert list(facts) == [fact for fact in fact_book().names if fact in facts]
    seen = {fact: {facts.get(fact) for facts in personas} for fact in fact_book().names}
    assert all(values - {None} for values in seen.values())
    for fact, value, _ in _templates(fact_book()):
        assert value is None or value in seen[fact] | seen.get(JOINT + fact, set())


def test_no_persona_shares_anything_with_a_shipped_user(personas):
    shipped = [item for user in users() for item in profile(user).root.items()]
    theirs = {fold(value) for fact, value in shipped if fact.endswith(UNIQUE)}
    assert len(theirs) > 250
    for facts in [*personas, *(persona(seed, 8).root for seed in range(some(20, 100)))]:
        assert not {fold(value) for fact, value in facts.items() if fact.endswith(UNIQUE)} & theirs


def test_values_fit_the_cells_of_forms_and_are_written_as_facts_are(personas):
    limits = {"street": 20, "employer_name": 24, "city": 16, "job_title": 22, "email": 28, "_name": 24}
    people = ("first_name", "middle_name", "last_name", "relative_name", "supervisor_name", "salesperson_name")
    forms = {
        "phone": r"[2-9]\d\d-555-01\d\d",
        "ssn": r"9\d\d-[0-3]\d-[1-9]\d{3}",
        "email": r"[a-z0-9._]+@example\.(com|org|net)",
        "_zip": r"\d{5}",
        "vin": r"[A-HJ-NPR-Z0-9]{17}",
        "duration": r"P(?=\d)([1-9]\d*Y)?([1-9]\d*M)?",
        "_date": r"\d{4}-\d\d-\d\d",
        "address_since": r"\d{4}-\d\d-\d\d",
        "_monthly": r"\d+",
        "_state": r"[A-Z]{2}",
        "checking_balance": r"\d+\.\d\d",
    }
    for facts in personas:
        for fact, value in facts.items():
            assert len(value) <= min([40, *(most for end, most in limits.items() if fact.endswith(end))]), (fact, value)
            assert len(value) <= 20 or not fact.endswith(people), (fact, value)
            assert all(re.fullmatch(form, value) for end, form in forms.items() if fact.endswith(end)), (fact, value)
        assert all(len(Profile(facts).facts[prefix + "full_name"]) <= 30 for prefix in _people(facts))


def test_people_are_of_an_age_for_what_they_have(personas):
    for facts in personas:
        for prefix in _people(facts):
            age = _age(facts, prefix)
            ages = [int(n) for n in facts.get(prefix + "dependent_ages", "").split(", ") if n]
            assert int(facts[prefix + "dependents"]) == len(ages)
            assert 21 <= age <= 85
            assert all(1 <= n <= min(17, age - 18) for n in ages)
            assert facts[prefix + "employment_type"] != "retired" or age >= 62
            assert facts.get(prefix + "driver_license_expiration", "9") > facts["application_date"]
            assert (prefix + "child_care_monthly" not in facts) or min(ages) <= 12
            for since, what in (("address_since", "residence"), ("employment_start_date", "employment")):
                spans = [f"{prefix}{what}_duration", f"{prefix}previous_{what}_duration"]
                months = [int(fill(f"{{{{ {span}|total_months }}}}", facts)) for span in spans if span in facts]
                if prefix + since in facts:
                    assert months[0] == _months(facts[prefix + since], facts["application_date"])
                assert sum(months) <= (age - 17) * 12
        assert facts["application_date"] < min(facts["first_payment_date"], facts["insurance_expiration_date"])
        assert facts.get("joint_relationship") != "parent" or _age(facts, JOINT) >= _age(facts, "") + 18


def test_money_adds_up(personas):
    for facts in personas:
        amounts = {fact: float(value) for fact, value in facts.items() if re.fullmatch(r"[\d.]+", value)}
        for prefix in _people(facts):
            assert amounts[prefix + "net_monthly_income"] < amounts[prefix + "gross_monthly_income"]
            assert amounts.get(prefix + "credit_card_balance", 0) < amounts.get(prefix + "credit_card_limit", 1)
            assert (facts[prefix + "alimony_obligation"] == "yes") == (prefix + "alimony_monthly" in facts)
            assert (facts[prefix + "other_income_monthly"] == "0") == (prefix + "other_income_source" not in facts)
        owed, requested = amounts["desired_payment"] * amounts["loan_term_months"], amounts["amount_requested"]
        if facts["transaction_type"] != "lease":
            assert requested <= owed + amounts["loan_term_months"] <= 1.6 * requested + 200
        if facts["transaction_type"] != "refinance" and "trade_in_allowance" in facts:
            assert float(Profile(facts).facts["amount_financed"]) == requested


def test_the_facts_of_users_and_personas_are_consistent():
    for user in users():
        assert not contradictions(profile(user).root), user
    for seed in range(some(100, 2000)):
        assert not contradictions(persona(seed, 4).root), seed


def test_every_rule_finds_a_fact_of_somebody_else(personas):
    """One fact of another persona, or of another time, or a missing one, breaks each of the rules."""
    rules = {**consistency().person, **consistency().loan}
    words = set(re.findall(r"\w+", " ".join(rules.values())))
    days, numbers = {"1900-07-01", "1999-07-01", "2040-07-01"}, {"0.01", "1900", "2060"}
    broken = set()
    for facts, other in itertools.pairwise([*(profile(user).root for user in users()), *personas[:5]]):
        for fact in sorted(fact for fact in {*facts, *other} if {fact, fact.removeprefix(JOINT)} & words):
            value = facts.get(fact, "")
            values = {None, other.get(fact), facts.get(JOINT + fact), *([facts["last_name"]] * (fact == "maiden_name"))}
            values |= days if re.fullmatch(r"\d+-\d\d-\d\d", value) else set()
            for changed in values | (numbers if re.fullmatch(r"[\d.]+", value) and "_ages" not in fact else set()):
                altered = {name: text for name, text in (facts | {fact: changed}).items() if text is not None}
                broken.update(rule.removeprefix("co-applicant: ") for rule in contradictions(altered))
        if broken == rules.keys():
            break
    assert broken == rules.keys()


def test_homes_have_the_facts_of_their_kind_and_spouses_share_one(personas):
    shared = ("address_street", "address_city", "address_zip", "home_phone", "residence_type", "dependents")
    for facts in personas:
        for prefix in _people(facts):
            kind = facts[prefix + "residence_type"]
            for fact, kinds in (
                *(("landlord_name", ("rent", "buying")), ("landlord_phone", ("rent", "buying"))),
                *(("mortgage_balance", ("buying",)), ("home_value", ("own", "buying"))),
            ):
                assert (prefix + fact in facts) == (kind in kinds)
            if kind == "buying":
                assert float(facts[prefix + "mortgage_balance"]) < float(facts[prefix + "home_value"])
            if kind in ("own", "buying"):
                assert facts[prefix + "home_purchase_year"] <= facts[prefix + "address_since"][:4]
        if facts["application_type"] == "individual":
            continue
        married = facts["joint_relationship"] == "spouse"
        assert not married or all(facts[fact] == facts[JOINT + fact] for fact in shared)
        assert not married or facts["marital_status"] == facts["joint_marital_status"] == "married"
        assert married or facts["address_street"] != facts["joint_address_street"]
        assert facts["first_name"] != facts["joint_first_name"]
    spouses = [facts for facts in personas if facts.get("joint_relationship") == "spouse"]
    assert len(spouses) > 50
    assert 0.5 < np.mean([facts["last_name"] == facts["joint_last_name"] for facts in spouses]) < 1


def test_vehicles_and_places_are_those_that_there_are(personas):
    models = {(model.make, model.name): model for model in cars().models}
    for facts in personas:
        model, year = models[facts["vehicle_make"], facts["vehicle_model"]], int(facts["vehicle_year"])
        assert model.years[0] <= year <= model.years[1]
        assert facts["vehicle_vin"][:3] + facts["vehicle_vin"][9] == model.vin + cars().year_codes[str(year)]
        assert (year < int(facts["application_date"][:4])) == (facts["vehicle_condition"] == "used")
        assert ("vehicle_cylinders" in facts) == (facts["vehicle_fuel"] != "electric")
        traded = [fact for fact in facts if fact.startswith("trade_in_")]
        assert len(traded) in (0, 7, 8)
        assert ("trade_in_lienholder" in facts) == (facts.get("trade_in_balance", "0") != "0")
        assert facts["transaction_type"] != "refinance" or (not traded and facts["vehicle_condition"] == "used")
        assert facts["transaction_type"] != "lease" or facts["vehicle_condition"] != "used"
        assert not (facts["application_type"] == "individual" and facts["credit_insurance"] == "joint")
        for where in (name[:-4] for name in facts if name.endswith("_city") and name[:-4] + "zip" in facts):
            state = places().root[facts[where + "state"]]
            city = next(city for city in state.cities if city.name == facts[where + "city"])
            assert facts[where + "zip"].startswith(city.zip[:4])
            if where == "address_":
                assert facts["home_phone"].startswith(city.area_code)
                assert facts["address_county"] == city.county


def test_the_books_tell_the_same_facts_wholly_in_other_words(personas):
    """No phrasing states another fact, rounds an amount, or leaves a day out of a date."""
    test, train = list(_templates(fact_book())), list(_templates(train_book()))
    assert [told[:2] for told in test] == [told[:2] for told in train]
    assert all(2 <= len(ways) <= 3 for _, _, ways in train)
    words = [[way.casefold() for _, _, ways in told for way in ways] for told in (test, train)]
    assert not set(words[0]) & set(words[1])
    assert all(len(set(told)) == len(told) for told in words)
    lossless = {"us_date", "long_date", "duration_words", "total_months", "amount", None}
    for fact, value, ways in train:
        values = {facts[name] for facts in personas[:40] for name in (fact, JOINT + fact) if name in facts}
        for way in ways:
            told = placeholders(way)
            assert {part.fact for part in told} <= {"first_name", "role", JOINT + "first_name", fact}, way
            assert value is not None or fact in {part.fact for part in told}, way
            for how in {part.filter for part in told if part.fact == fact} - lossless:
                assert how == "whole_amount", way
                assert all(float(text) == int(float(text)) for text in values), way


def test_every_persona_can_be_told_in_all_phrasings(personas):
    for facts in personas[: some(40, len(SEEDS))]:
        for fact, value in facts.items():
            for i in range(len(train_book().phrasings(fact, value))):
                assert "{" not in train_book().state(fact, facts, lambda ways, i=i: ways[i])


def test_sentences_come_shuffled_with_a_generator_and_in_order_without(personas):
    person = Profile(personas[0])
    plain = person.sentences(person.root)
    assert plain == [fact_book().state(fact, person.root) for fact in person.root]
    shuffled = [person.sentences(person.root, train_book(), np.random.default_rng(n)) for n in (1, 1, 2)]
    assert shuffled[0] == shuffled[1] != shuffled[2]
    assert len(shuffled[0]) == len(plain)
    assert not set(shuffled[0]) & set(plain)


def test_parts_of_a_result_are_facts_and_what_is_private_is_none():
    assert flat_facts({"home": {"city": "X"}, "_n": 3, "unit": None, "age": 4}) == {"home_city": "X", "age": 4}


@pytest.mark.parametrize(
    ("model", "data", "words"),
    [
        (FactBook, {"person": {"first_name": []}, "loan": {}}, "at least 1 item"),
        (FactBook, {"person": {"first_name": ["{{ first_name }} is.", "{{ shoe_size }}"]}, "loan": {}}, "shoe_size"),
        (FactBook, {"person": {"first_name": {"a": ["{{ b }}"]}}, "loan": {}}, "'b'"),
        (Places, {"OH": {"cities": []}}, "lists.json"),
        (Cars, {"year_codes": {}, "models": []}, "lists.json"),
        (
            PersonaChoices,
            lambda data: data["weights"]["residence_type"].update(boat=3),
            "residence_type is never 'boat'",
        ),
        (PersonaChoices, lambda data: data["patterns"]["landlord"].append("{{ brant() }}"), "unknown word 'brant'"),
        (
            PersonaChoices,
            lambda data: data["lists"]["industries"][0]["employers"].append("{{ x }}"),
            "unknown word 'x'",
        ),
        (PersonaChoices, lambda data: data["lists"]["industries"][0]["employers"].append(-1), "valid string"),
        (PersonaChoices, lambda data: data["lists"]["industries"][0].pop("employers"), "valid tuple"),
        (PersonaChoices, lambda data: data["lists"].pop("industries"), "at least 1 item"),
        (PersonaChoices, lambda data: data["left_out"].append("shoe_size"), "shoe_size"),
        (PersonaChoices, lambda data: data["chances"].update(suffix=7), "chances.suffix"),
        (Consistency, {"person": {"x": "shoe_size > 3"}, "loan": {}}, "shoe_size"),
        (Consistency, {"person": {}, "loan": {"x": "given('shoe_size')"}}, "shoe_size"),
        (Recipes, lambda data: data["home"].update(shed="in_ranch('shed')"), "shed: 'in_ranch' is neither known"),
        (Recipes, lambda data: data["loan"].update(shed="1 +"), "shed: TemplateSyntaxError"),
    ],
)
def test_broken_lists_are_named(tmp_path, model, data, words):
    if callable(data):
        whole = (choices() if model is PersonaChoices else recipes()).model_dump(mode="json")
        data(whole)
        data = whole
    path = tmp_path / "lists.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=re.escape(words)):
        load(model, path)
