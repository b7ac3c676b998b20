"""Paper forms and profiles as data, and the errors of their authors."""

import json
import re

import numpy as np
import pytest
from form_checks import assert_blank_and_apart
from hypothesis import given
from hypothesis import strategies as st
from sizes import sample

from formgym.envs.core.files import load
from formgym.envs.core.pages import page_image, picture_size
from formgym.envs.core.templates import FILTERS, fill
from formgym.envs.paper_forms.env import AutoLoansEnv
from formgym.envs.paper_forms.form_tasks import User, form_task
from formgym.envs.paper_forms.paper_form import PaperForm, form_folder, paper_form, shipped_forms
from formgym.envs.paper_forms.profile import (
    Derived,
    FactBook,
    Profile,
    derived_facts,
    fact_book,
    profile,
    users,
)
from formgym.envs.paper_forms.state import PaperFormState

FORMS = [folder.name for folder in shipped_forms()]
BROKEN = "cedar_valley_vehicle_loan"
TASKS = [(form, user) for form in FORMS for user in users()]


def _task(form, user):
    return form_task(form, User(user), f"{form}/{user}")


@pytest.fixture
def broken(tmp_path):
    """A function that changes a copy of a shipped form's JSON and says why it does not load."""
    data = json.loads((form_folder(BROKEN) / "form.json").read_text(encoding="utf-8"))

    def why(change):
        change(data)
        path = tmp_path / "form.json"
        path.write_text(json.dumps(data))
        with pytest.raises(ValueError, match=re.escape(str(path))) as caught:
            load(PaperForm, path)
        return str(caught.value)

    return why


@pytest.mark.parametrize(
    ("key", "value", "words"),
    [
        ("colour", "red", "colour: Extra inputs"),
        ("box", [1200, 10, 1300, 40], "not on the page"),
        ("box", [50, 40, 30, 60], "not on the page"),
        ("box", [10, 10, 50], "box"),
        ("matcher", "fuzzy", "unknown matcher 'fuzzy'"),
        ("value", "{{ shoe_size }}", "unknown fact 'shoe_size'"),
        ("value", "{{ first_name|reversed }}", "unknown filter 'reversed'"),
        ("when", "residence_type", "no condition"),
        ("when", "residence_type=rentt", "residence_type is never 'rentt'"),
        ("value", "{first_name", "no placeholder"),
        ("value", "", "value"),
        ("label", "", "label"),
        ("comb", 99, "comb"),
    ],
)
def test_a_broken_field_is_named_with_its_file(broken, key, value, words):
    name = paper_form(BROKEN).fields[3].name
    assert paper_form(BROKEN).fields[3].matcher == "checkbox"

    def change(data):
        field = data["fields"][3]
        if key == "value":
            field["matcher"] = "text"
            del field["when"]
        field[key] = value

    message = broken(change)
    assert name in message
    assert words in message


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda fields: fields.append(fields[0]), "there are two"),
        # FieldFinder would write into the first of them whichever was meant.
        (lambda fields: fields[1].update(label=fields[0]["label"]), "two fields have it"),
        (lambda fields: fields.clear(), "fields"),
    ],
)
def test_fields_that_do_not_go_together_are_refused(broken, change, words):
    assert words in broken(lambda data: change(data["fields"]))


def test_a_form_of_another_vocabulary_is_refused():
    database_form = shipped_forms("database_forms")[0].name
    with pytest.raises(ValueError, match="must be 'profile'"):
        AutoLoansEnv([FORMS[0], database_form])


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"\xff\xfe", b"null"])
def test_what_is_no_json_is_named(tmp_path, content):
    path = tmp_path / "form.json"
    path.write_bytes(content)
    with pytest.raises(ValueError, match=re.escape(str(path))):
        load(PaperForm, path)


def test_a_missing_file_or_form_is_named(tmp_path):
    with pytest.raises(ValueError, match="cannot be read"):
        load(PaperForm, tmp_path / "nothing.json")
    for form, words in (("no_such_form", "no form"), ("/no/such/folder", "formgym import /no/such/folder writes it")):
        with pytest.raises(ValueError, match=words):
            AutoLoansEnv([form])


@pytest.mark.parametrize("form", FORMS)
def test_shipped_forms_are_as_dense_as_real_ones(form):
    data = paper_form(form)
    assert data.size in ((1584, 1224), (2016, 1224))
    assert data.size == picture_size(form_folder(form) / "page.png")
    assert 50 <= len(data.fields) <= 135
    heights = [_height(f) for f in data.fields if f.matcher != "checkbox"]
    ticks = [_height(f) for f in data.fields if f.matcher == "checkbox" and not f.option]
    assert 26 <= np.median(heights) <= 43
    assert any(9 <= tick <= 16 for tick in ticks)
    covered = sum((f.box[2] - f.box[0]) * _height(f) for f in data.fields)
    assert 0.15 <= covered / (data.width * data.height) <= 0.5
    assert any(f.matcher == "signature" for f in data.fields)
    assert sum(f.value is None and f.when is None for f in data.fields) >= 4
    assert len({f.label for f in data.fields}) == len(data.fields)


def test_the_set_of_forms_is_as_large_and_mixed_as_the_published_one():
    fields = [field for form in FORMS for field in paper_form(form).fields]
    assert len(FORMS) == 10
    assert len(fields) >= 886
    assert 0.2 <= np.mean([f.matcher == "checkbox" for f in fields]) <= 0.32
    assert 0.3 <= np.mean([any(fact.startswith("joint_") for fact in f.facts) for f in fields]) <= 0.45
    assert 30 <= np.median([_height(f) for f in fields if f.matcher != "checkbox"]) <= 43
    assert any(f.option for f in fields)
    assert sum(any(f.comb for f in paper_form(form).fields) for form in FORMS) >= 3
    assert {paper_form(form).size for form in FORMS} == {(1584, 1224), (2016, 1224)}


def _height(field):
    return field.box[3] - field.box[1]


@pytest.mark.parametrize("form", FORMS)
def test_fields_do_not_overlap_and_are_blank(form):
    assert_blank_and_apart(form)


@pytest.mark.parametrize("form", FORMS)
def test_labels_hold_no_answers(form):
    labels = " ".join(field.label for field in paper_form(form).fields).casefold()
    sentences = fact_book().person | fact_book().loan
    for user in users():
        for fact, value in profile(user).root.items():
            is_choice = isinstance(sentences[fact if fact in sentences else fact.removeprefix("joint_")], dict)
            # Short words, such as a friend's, are names of relations as well as answers.
            assert is_choice or len(value) < 7 or value.casefold() not in labels


@pytest.mark.parametrize(("form", "user"), sample(TASKS, 12))
def test_answers_fit_their_fields(form, user):
    """Written by the oracle, no text reaches out of its field by more than a hair, nor over another answer."""
    page = PaperFormState(_task(form, user), page_image(form_folder(form) / "page.png", paper_form(form).size))
    for call in page.solution()[:-1]:
        mark = page.write(call["x"], call["y"], call["text"], signed=call["tool"] == "sign_or_initial")
        target = page.task.targets[mark.target]
        if target.gold.matcher != "checkbox":
            left, right = mark.stamp.rect[0], mark.stamp.rect[2]
            assert target.blank[0] - 3 <= left, target.name
            assert right <= target.blank[2] + 3, target.name


def test_a_number_may_carry_the_unit_of_its_label_and_no_other():
    units = {"odometer": " miles", "years": " yrs", "months": " mos."}
    checked = set()
    for form, user in TASKS:
        for target in _task(form, user).targets:
            named = [word for word in units if word in target.label.lower()]
            if target.gold.matcher == "number" and target.gold.value is not None and named:
                checked.update(named)
                assert target.gold.accepts(target.gold.value + units[named[0]]), target.label
                assert not target.gold.accepts(f"{target.gold.value} km"), target.label
    assert checked == set(units)


@pytest.mark.parametrize("user", users())
def test_users_are_complete(user):
    facts = profile(user).facts
    assert len(profile(user).root) >= (220 if facts["application_type"] == "joint" else 150)
    assert set(facts) > set(profile(user).root)
    for phone in (value for fact, value in facts.items() if fact.endswith("_phone")):
        assert re.fullmatch(r"\d{3}-555-01\d\d", phone)
    for mail in (value for fact, value in facts.items() if fact.endswith("email")):
        assert re.search(r"@example\.(com|org|net)$", mail)


def test_sums_are_sums():
    facts = {"gross_monthly_income": "2000.50", "other_income_monthly": "100"}
    assert derived_facts().of(facts)["total_monthly_income"] == "2100.50"


@given(st.sampled_from(sorted(FILTERS.keys() - {"zfill", "strftime"})), st.text(max_size=30))
def test_filters_answer_or_explain(name, value):
    try:
        filled = fill(f"{{{{ fact|{name} }}}}", {"fact": value})
    except ValueError as error:
        filled = str(error)
    assert filled is None or isinstance(filled, str)


def _first_name(sentence):
    return {"person": {"first_name": sentence}, "loan": {}}


@pytest.mark.parametrize(
    ("model", "data", "words"),
    [
        (Profile, {"shoe_size": "9"}, "unknown fact 'shoe_size'"),
        (Profile, {"first_name": " "}, "is empty"),
        (Profile, {"first_name": 3}, "first_name"),
        (Profile, {"residence_type": "boat"}, "residence_type is never 'boat'"),
        (Derived, {"x": "{{ frist_name }}"}, "unknown fact 'frist_name'"),
        (Derived, {"x": "{{ first_name|loud }}"}, "unknown filter 'loud'"),
        (Derived, {"x": {"sum": ["nonsense"]}}, "unknown fact 'nonsense'"),
        (FactBook, _first_name("{{ shoe_size }} is it."), "shoe_size"),
        (FactBook, _first_name("{{ first_name|loud }}"), "loud"),
    ],
)
def test_broken_data_is_named(tmp_path, model, data, words):
    path = tmp_path / "data.json"
    path.write_text(json.dumps(data))
    with pytest.raises(ValueError, match=words) as caught:
        load(model, path)
    assert str(path) in str(caught.value)


def test_options_pick_form_and_user():
    env = AutoLoansEnv(FORMS)
    for _ in range(3):
        assert env.reset(options={"form": FORMS[1]})[1]["task"].startswith(FORMS[1])
        assert env.reset(options={"user": users()[2]})[1]["task"].endswith(users()[2])
    assert env.reset(options={"form": FORMS[0], "user": users()[1]})[1]["task"] == f"{FORMS[0]}/{users()[1]}"
    for wrong in ({"form": "x"}, {"user": "x"}, {"form": FORMS[0], "task": "x"}, {"form": FORMS[0], "colour": 1}):
        with pytest.raises(ValueError, match=r"no task|do not go with"):
            env.reset(options=wrong)
