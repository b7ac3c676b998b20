"""Personas: users made from seeds, unlike the shipped ones, at one with themselves, told in words of their own."""

import json
import re
import subprocess
import sys
from datetime import date
from threading import Thread

import numpy as np
import pytest

from formgym.envs.core.facts import Places, places
from formgym.envs.core.files import load
from formgym.envs.core.matchers import fold
from formgym.envs.paper_forms.profiles.fact_templates import DERIVATIONS, fill
from formgym.envs.paper_forms.profiles.persona import persona
from formgym.envs.paper_forms.profiles.persona_choices import Cars, Choices, cars, choices
from formgym.envs.paper_forms.profiles.profile import (
    JOINT,
    FactBook,
    Profile,
    fact_book,
    profile,
    train_book,
    users,
)

SEEDS = range(200)
PEOPLE = ("", JOINT)
UNIQUE = ("name", "ssn", "phone", "email", "street", "number", "vin")


@pytest.fixture(scope="module")
def personas():
    return [persona(seed).root for seed in SEEDS]


def _number(facts, name):
    return float(facts[name])


def _months(first, last):
    """Whole months between two dates as they are written in facts."""
    start, end = date.fromisoformat(first), date.fromisoformat(last)
    return (end.year - start.year) * 12 + end.month - start.month - (end.day < start.day)


def _age(facts, prefix):
    return _months(facts[prefix + "birth_date"], facts["application_date"]) // 12


def _templates(book):
    """Fact, value or None, and phrasings of everything that a book tells."""
    for fact in (*book.person, *book.loan):
        told = book.sentence(fact)
        for value in told if isinstance(told, dict) else [None]:
            yield fact, value, book.phrasings(fact, value)


@pytest.mark.parametrize("hash_seed", ["0", "77"])
def test_a_seed_is_the_same_user_in_another_process(hash_seed):
    code = (
        "import json; from formgym.envs.paper_forms.profiles.persona import persona;"
        "print(json.dumps([persona(seed, 5).root for seed in (9, 3, 2**40)]))"
    )
    environment = {"PYTHONHASHSEED": hash_seed, "PYTHONPATH": ":".join(sys.path)}
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=environment)
    assert json.loads(result.stdout) == [persona(seed, 5).root for seed in (9, 3, 2**40)]


def test_no_draw_depends_on_what_was_drawn_before(personas):
    np.random.seed(3)  # noqa: NPY002
    assert persona(SEEDS[7]).root == personas[7]
    made = {}
    threads = [Thread(target=lambda n=n: made.update({n: persona(n).root})) for n in SEEDS[:12]]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert [made[n] for n in SEEDS[:12]] == personas[:12]


def test_a_secret_changes_everybody():
    telling = "first_name last_name ssn birth_date cell_phone email address_street employer_name vehicle_vin".split()
    for seed in SEEDS[:20]:
        here, there = persona(seed).root, persona(seed, 1).root
        assert sum(here[fact] == there[fact] for fact in telling) <= 1
    assert persona(1, 2).root != persona(2, 1).root


@pytest.mark.parametrize(("seed", "secret"), [(-1, 0), (0, -1)])
def test_negative_numbers_are_refused(seed, secret):
    with pytest.raises(ValueError, match="non-negative"):
        persona(seed, secret)


def test_personas_have_many_facts_in_the_order_of_the_book(personas):
    assert all(len(facts) >= 200 for facts in personas)
    assert np.mean([len(facts) for facts in personas]) >= 236
    for facts in personas:
        assert list(facts) == [fact for fact in fact_book().names if fact in facts]
        assert Profile(facts)


def test_every_fact_and_value_occurs(personas):
    seen = {fact: {facts.get(fact) for facts in personas} for fact in fact_book().names}
    assert all(values - {None} for values in seen.values())
    for fact, value, _ in _templates(fact_book()):
        assert value is None or value in seen[fact] | seen.get(JOINT + fact, set())


def test_no_persona_shares_anything_with_a_shipped_user(personas):
    shipped = [item for user in users() for item in profile(user).root.items()]
    theirs = {fold(value) for fact, value in shipped if fact.endswith(UNIQUE)}
    assert len(theirs) > 250
    for facts in [*personas, *(persona(seed, 8).root for seed in range(100))]:
        assert not {fold(value) for fact, value in facts.items() if fact.endswith(UNIQUE)} & theirs


def test_values_fit_the_cells_of_forms(personas):
    limits = {"street": 20, "employer_name": 24, "city": 16, "job_title": 22, "email": 28, "_name": 24}
    people = ("first_name", "middle_name", "last_name", "relative_name", "supervisor_name", "salesperson_name")
    for facts in personas:
        for fact, value in facts.items():
            assert len(value) <= min([40, *(most for end, most in limits.items() if fact.endswith(end))]), (fact, value)
            assert len(value) <= 20 or not fact.endswith(people), (fact, value)
        assert all(len(Profile(facts).facts[prefix + "full_name"]) <= 30 for prefix in PEOPLE)


def test_values_are_written_as_facts_are(personas):
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
            for end, form in forms.items():
                assert not fact.endswith(end) or re.fullmatch(form, value), (fact, value)


def test_durations_agree_with_dates(personas):
    for facts in personas:
        for prefix in PEOPLE:
            for since, lasted in (("address_since", "residence"), ("employment_start_date", "employment")):
                months = _months(facts[prefix + since], facts["application_date"])
                assert fill(f"{{{prefix}{lasted}_duration|total_months}}", facts) == str(months)
            for what in ("residence", "employment"):
                spans = [f"{prefix}{what}_duration", f"{prefix}previous_{what}_duration"]
                total = sum(int(fill(f"{{{span}|total_months}}", facts)) for span in spans if span in facts)
                assert total <= (_age(facts, prefix) - 17) * 12
        assert facts["application_date"] < min(facts["first_payment_date"], facts["insurance_expiration_date"])


def test_people_are_of_an_age_for_what_they_have(personas):
    for facts in personas:
        for prefix in PEOPLE:
            age = _age(facts, prefix)
            ages = [int(n) for n in facts.get(prefix + "dependent_ages", "").split(", ") if n]
            assert int(facts[prefix + "dependents"]) == len(ages)
            assert 21 <= age <= 85
            assert all(1 <= n <= min(17, age - 18) for n in ages)
            assert facts[prefix + "employment_type"] != "retired" or age >= 62
            assert facts.get(prefix + "driver_license_expiration", "9") > facts["application_date"]
            assert (prefix + "child_care_monthly" not in facts) or min(ages) <= 12
        if facts["joint_relationship"] == "parent":
            assert _age(facts, JOINT) >= _age(facts, "") + 18


def test_money_adds_up(personas):
    for facts in personas:
        for prefix in PEOPLE:
            assert _number(facts, prefix + "net_monthly_income") < _number(facts, prefix + "gross_monthly_income")
            if prefix + "credit_card_limit" in facts:
                assert _number(facts, prefix + "credit_card_balance") < _number(facts, prefix + "credit_card_limit")
            assert (facts[prefix + "alimony_obligation"] == "yes") == (prefix + "alimony_monthly" in facts)
            assert (facts[prefix + "other_income_monthly"] == "0") == (prefix + "other_income_source" not in facts)
        owed = _number(facts, "desired_payment") * int(facts["loan_term_months"])
        requested = _number(facts, "amount_requested")
        if facts["transaction_type"] != "lease":
            assert requested <= owed + int(facts["loan_term_months"]) <= 1.6 * requested + 200
        if facts["transaction_type"] != "refinance" and "trade_in_allowance" in facts:
            assert _number(Profile(facts).facts, "amount_financed") == requested


def test_housing_facts_are_those_of_the_kind_of_home(personas):
    for facts in personas:
        for prefix in PEOPLE:
            kind = facts[prefix + "residence_type"]
            assert (
                (prefix + "landlord_name" in facts)
                == (prefix + "landlord_phone" in facts)
                == (kind in ("rent", "buying"))
            )
            assert (prefix + "mortgage_balance" in facts) == (kind == "buying")
            assert (prefix + "home_value" in facts) == (kind in ("own", "buying"))
            if kind == "buying":
                assert _number(facts, prefix + "mortgage_balance") < _number(facts, prefix + "home_value")
            if kind in ("own", "buying"):
                assert facts[prefix + "home_purchase_year"] <= facts[prefix + "address_since"][:4]


def test_spouses_share_a_home(personas):
    shared = ("address_street", "address_city", "address_zip", "home_phone", "residence_type", "dependents")
    spouses = [facts for facts in personas if facts["joint_relationship"] == "spouse"]
    assert len(spouses) > 50
    for facts in spouses:
        assert all(facts[fact] == facts[JOINT + fact] for fact in shared)
        assert facts["marital_status"] == facts["joint_marital_status"] == "married"
    assert 0.5 < np.mean([facts["last_name"] == facts["joint_last_name"] for facts in spouses]) < 1
    for facts in personas:
        assert facts["first_name"] != facts["joint_first_name"]
        assert facts in spouses or facts["address_street"] != facts["joint_address_street"]


def test_vehicles_are_those_that_there_are(personas):
    models = {(model.make, model.name): model for model in cars().models}
    for facts in personas:
        model, year = models[facts["vehicle_make"], facts["vehicle_model"]], int(facts["vehicle_year"])
        today = int(facts["application_date"][:4])
        assert model.years[0] <= year <= model.years[1]
        assert facts["vehicle_vin"][:3] + facts["vehicle_vin"][9] == model.vin + cars().year_codes[str(year)]
        assert (year < today) == (facts["vehicle_condition"] == "used")
        assert ("vehicle_cylinders" in facts) == (facts["vehicle_fuel"] != "electric")
        traded = [fact for fact in facts if fact.startswith("trade_in_")]
        assert len(traded) in (0, 7, 8)
        assert ("trade_in_lienholder" in facts) == (facts.get("trade_in_balance", "0") != "0")
        assert facts["transaction_type"] != "refinance" or (not traded and facts["vehicle_condition"] == "used")
        assert facts["transaction_type"] != "lease" or facts["vehicle_condition"] != "used"
        assert not (facts["application_type"] == "individual" and facts["credit_insurance"] == "joint")


def test_places_go_together(personas):
    for facts in personas:
        for fact in (name for name in facts if name.endswith("_city") and name.removesuffix("city") + "zip" in facts):
            state = places().root[facts[fact.removesuffix("city") + "state"]]
            city = next(city for city in state.cities if city.name == facts[fact])
            assert facts[fact.removesuffix("city") + "zip"].startswith(city.zip[:4])
        city = next(c for c in places().root[facts["address_state"]].cities if c.name == facts["address_city"])
        assert facts["home_phone"].startswith(city.area_code)
        assert facts["address_county"] == city.county


def test_the_books_tell_the_same_in_other_words():
    test, train = list(_templates(fact_book())), list(_templates(train_book()))
    assert [told[:2] for told in test] == [told[:2] for told in train]
    assert all(2 <= len(ways) <= 3 for _, _, ways in train)
    words = [[way.casefold() for _, _, ways in told for way in ways] for told in (test, train)]
    assert not set(words[0]) & set(words[1])
    assert all(len(set(told)) == len(told) for told in words)


def test_phrasings_state_their_fact_and_no_other():
    names = {"first_name", "role"}
    for fact, value, ways in _templates(train_book()):
        for way in ways:
            found = set(re.findall(r"\{(\w+)", way))
            allowed = names | ({JOINT + "first_name"} if fact.startswith(JOINT) else set())
            assert found <= allowed | {fact}, way
            assert value is not None or fact in found, way


def test_every_persona_can_be_told_in_all_phrasings(personas):
    book = train_book()
    for facts in personas:
        for fact, value in facts.items():
            for i in range(len(book.phrasings(fact, value))):
                sentence = book.state(fact, facts, lambda ways, i=i: ways[i])
                assert "{" not in sentence


def test_what_is_told_tells_the_whole_value(personas):
    """No phrasing rounds an amount or leaves a day out of a date."""
    lossless = {"us_date", "long_date", "duration_words", "total_months", "money", ""}
    for facts in personas[:40]:
        for fact, value in facts.items():
            for way in train_book().phrasings(fact, value):
                for _, how in re.findall(rf"\{{({fact.removeprefix(JOINT)})\|?(\w*)\}}", way):
                    assert how in lossless or (how == "whole_money" and float(value) == int(float(value))), way
    assert lossless - {""} <= set(DERIVATIONS)


def test_sentences_come_shuffled_with_a_generator_and_in_order_without(personas):
    person = Profile(personas[0])
    plain = person.sentences(person.root)
    assert plain == [fact_book().state(fact, person.root) for fact in person.root]
    shuffled = [person.sentences(person.root, train_book(), np.random.default_rng(n)) for n in (1, 1, 2)]
    assert shuffled[0] == shuffled[1] != shuffled[2]
    assert len(shuffled[0]) == len(plain)
    assert not set(shuffled[0]) & set(plain)
    in_order = [train_book().state(fact, person.root) for fact in person.root]
    assert sorted(shuffled[0]) != sorted(in_order) == sorted(person.sentences(person.root, train_book()))


@pytest.mark.parametrize(
    ("told", "words"),
    [([], "at least 1 item"), (["{first_name} is.", "{shoe_size}"], "shoe_size"), ({"a": ["{b}"]}, "'b'")],
)
def test_broken_phrasings_are_named(tmp_path, told, words):
    path = tmp_path / "facts.json"
    path.write_text(json.dumps({"person": {"first_name": told}, "loan": {}}))
    with pytest.raises(ValueError, match=words):
        load(FactBook, path)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda data: data["weights"]["residence_type"].update(boat=3), "residence_type is never 'boat'"),
        (lambda data: data["patterns"]["landlord"].append("{brant}"), "unknown word 'brant'"),
        (lambda data: data["industries"][0]["employers"].append("{brant}"), "unknown word 'brant'"),
        (lambda data: data["left_out"].append("shoe_size"), "shoe_size"),
        (lambda data: data["chances"].update(suffix=7), "chances.suffix"),
    ],
)
def test_broken_choice_lists_are_named(tmp_path, change, words):
    data = choices().model_dump(mode="json")
    change(data)
    path = tmp_path / "choices.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=re.escape(words)):
        load(Choices, path)


@pytest.mark.parametrize(
    ("model", "data"), [(Places, {"OH": {"cities": []}}), (Cars, {"year_codes": {}, "models": []})]
)
def test_broken_places_and_cars_are_named(tmp_path, model, data):
    path = tmp_path / "lists.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=re.escape(str(path))):
        load(model, path)
