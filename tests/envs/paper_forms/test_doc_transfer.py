"""AutoLoans-DocTransfer: another form is the source page; test_source_texts.py has the texts."""

from dataclasses import replace

import gymnasium as gym
import numpy as np
import pytest

from formgym.envs.core.painting import DESK, LayeredPage
from formgym.envs.paper_forms.env import _HANDS, DocTransferEnv
from formgym.envs.paper_forms.form_tasks import User, filled_in, recoverable_facts, written_facts
from formgym.envs.paper_forms.paper_form import FormField, PaperForm, paper_form, shipped_forms
from formgym.envs.paper_forms.profile import derived_facts, profile, users
from formgym.envs.paper_forms.state import PaperFormState

ID = "FormGym/AutoLoans-DocTransfer-v0"
FORMS = [folder.name for folder in shipped_forms()]


@pytest.fixture(scope="module")
def env():
    return DocTransferEnv(FORMS)


def _form(*fields):
    data = {"title": "T", "description": "D", "width": 100, "height": 900, "source_sha256": "", "browser": ""}
    boxes = ([1, 20 * i, 90, 20 * i + 15] for i in range(len(fields)))
    made = [
        FormField(name=f"f{i}", label=f"field {i}", box=box, **field)
        for i, (field, box) in enumerate(zip(fields, boxes, strict=True))
    ]
    return PaperForm(**data, fields=made)


def _text(value):
    return {"matcher": "text", "value": value}


@pytest.mark.parametrize(
    ("fields", "shown"),
    [
        ([_text("{{ first_name }}")], {"first_name"}),
        ([_text("{{ full_name }}")], {"first_name", "middle_name", "last_name"}),
        (
            [_text("{{ address_city }}, {{ address_state }} {{ address_zip }}")],
            {"address_city", "address_state", "address_zip"},
        ),
        ([_text("{{ address_line }}")], {"address_street", "address_city", "address_state", "address_zip"}),
        ([_text("{{ birth_date|us_date }}")], {"birth_date"}),
        ([_text("{{ birth_date|year }}")], set()),
        (
            [_text("{{ birth_date|year }}"), _text("{{ birth_date|month }}"), _text("{{ birth_date|day }}")],
            {"birth_date"},
        ),
        ([_text("{{ residence_duration|years }}"), _text("{{ residence_duration|months }}")], {"residence_duration"}),
        ([_text("{{ home_phone|local_number }}")], set()),
        ([_text("{{ ssn|last4 }}")], set()),
        ([_text("{{ initials }}")], set()),
        ([_text("{{ checking_balance|whole_amount }}")], set()),
        ([_text("{{ gross_monthly_income|amount }}")], {"gross_monthly_income"}),
        ([_text("{{ total_monthly_income|amount }}")], set()),
        ([{"matcher": "checkbox", "when": "citizenship=other"}], {"citizenship"}),
        ([{"matcher": "checkbox", "when": "citizenship=us_citizen"}], set()),
        # Two given names cannot be told apart from a surname.
        ([_text("{{ joint_full_name }}"), _text("{{ joint_last_name }}")], {"joint_last_name"}),
    ],
)
def test_what_a_filled_in_form_shows(fields, shown):
    facts = dict(profile("ines_barragan").root)
    facts.update(joint_first_name="Ana Maria", joint_last_name="Nobody", joint_middle_name="Q")
    assert recoverable_facts(_form(*fields), facts | derived_facts().of(facts)) == shown


def test_a_source_page_holds_much_of_what_a_form_needs(env):
    for task in env.task_ids:
        form, source, user = task.split("/")
        needed = derived_facts().base_facts({f for field in paper_form(form).fields for f in field.facts})
        assert len(needed & recoverable_facts(paper_form(source), profile(user).facts)) >= 20, task


def test_any_other_form_can_be_the_source(env):
    form, source = FORMS[0], FORMS[5]
    observation, info = env.reset(seed=0, options={"form": form, "source": source, "user": users()[0]})
    assert info["task"] == f"{form}/{source}/{users()[0]}"
    assert paper_form(source).title in observation["goal"]
    usual, _ = env.reset(options={"form": form, "user": users()[0]})
    assert not np.array_equal(usual["source_page"], observation["source_page"])
    for wrong in ({"form": form, "source": form}, {"source": "no_form"}, {"task": f"{form}/{form}/{users()[0]}"}):
        with pytest.raises(ValueError, match="no task"):
            env.reset(options=wrong)
    for seed in range(20):
        _, info = env.reset(seed=seed, options={"source": source})
        assert info["task"].split("/")[1] == source


def test_a_user_fills_in_every_form_by_one_hand(env):
    """The page is what a person writes in that face; there are a typewriter's, a printer's and hands."""
    faces = {user: {_face_of(env, source, user) for source in FORMS[:2]} for user in users()}
    assert all(len(found) == 1 for found in faces.values())
    assert len(set.union(*faces.values())) >= 3


def _face_of(env, source, user):
    (form,) = (form for form in FORMS[:2] if form != source)
    state = env.open_task(f"{form}/{source}/{user}")
    blank = env.open_task(f"{source}/{form}/{user}").background
    written = filled_in(source, written_facts(source, User(user), form))
    for face, share in _HANDS.items():
        page = PaperFormState(replace(written, face=face, text_size=round(written.text_size * share)), blank)
        for call in page.solution()[:-1]:
            page.write(call["x"], call["y"], call["text"], signed=call["tool"] == "sign_or_initial")
        if np.array_equal(LayeredPage(blank, page.layers).pixels(), state.source_page.pixels()):
            return face
    raise AssertionError(f"{source} is filled in by no hand for {user}")


def test_the_source_page_is_filled_in_and_cannot_be_written(env):
    options = {"form": FORMS[0], "user": users()[1]}
    observation, _ = env.reset(options=options)
    page = observation["source_page"]
    assert observation in env.observation_space
    uncopied, _ = DocTransferEnv(FORMS, copy=False).reset(options=options)
    assert np.array_equal(uncopied["source_page"], page)
    with pytest.raises(ValueError, match="read-only"):
        uncopied["source_page"][:] = 0
    height, _ = paper_form(FORMS[1]).size
    assert (page[height:] == DESK).all()
    empty = DocTransferEnv(FORMS).open_task(f"{FORMS[1]}/{FORMS[0]}/{users()[1]}").background
    changed = (page[:height] != empty).any(axis=2)
    assert changed.sum() > 5_000
    task = env.open_task(f"{FORMS[1]}/{FORMS[0]}/{users()[1]}").task
    for target in task.targets:
        left, top, right, bottom = (round(edge) for edge in target.blank)
        assert changed[top:bottom, left:right].any() == (target.gold.value is not None), target.name


def test_train_pairs_all_forms():
    env = gym.make(ID, split="train").unwrapped
    pairs = {tuple(env.task_ids[i].split("/")[:2]) for i in range(90)}
    assert len(pairs) == 90
    _, first = env.reset(seed=1)
    _, second = env.reset(seed=2)
    assert first["task"] != second["task"]


@pytest.mark.parametrize("forms", [5, [], "abc", [None], FORMS[:1], {FORMS[0]: 1}])
def test_forms_are_a_list_of_two_names_at_least(forms):
    with pytest.raises(ValueError, match=r"list of names|two at least"):
        DocTransferEnv(forms)


def test_an_unknown_form_is_named(env):
    with pytest.raises(ValueError, match=r"no task 'no_form/.*with two of"):
        env.reset(options={"task": f"no_form/{FORMS[0]}/{users()[0]}"})
