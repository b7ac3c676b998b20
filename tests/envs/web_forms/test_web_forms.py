"""Web forms as environments: every instance can be solved by clicks and keys, doing nothing is worth nothing."""

import re

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.vector import AsyncVectorEnv
from sizes import LONG, sample, some

from formgym.envs.registration import ids, index
from formgym.envs.web_forms.chromium.settings import browser_path
from formgym.envs.web_forms.env import AtomicEnv, WebFormEnv
from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.html.themes import themes
from formgym.envs.web_forms.instances.instance_generator import NUMBER, frozen_instances
from formgym.envs.web_forms.scoring import ATOMIC_KINDS
from formgym.experiments.authoring.web.comparison import random_call

FORMS = web_forms()
needs_browser = pytest.mark.skipif(browser_path() is None, reason="apt-get install chromium-headless-shell")


def _solve(env, task=None, **options):
    """The infos of the first and the last step of an oracle's episode, and the return."""
    _, first = env.reset(options=({"task": task} if task else {}) | options or None)
    total, info, calls = 0.0, first, env.solution()
    for number, call in enumerate(calls):
        _, reward, terminated, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"], info["feedback"]
        assert terminated == (number == len(calls) - 1), (task, number, call)
        total += reward
    return first, info, total, len(calls)


@pytest.mark.parametrize("form", sample(FORMS, 5))
def test_every_instance_is_solved_by_clicks_and_keys_and_nothing_is_worth_nothing(form):
    env = WebFormEnv(forms=form)
    assert len(env.task_ids) == NUMBER == 50
    for task in sample(env.task_ids, 3):
        first, last, total, steps = _solve(env, task)
        assert first["score"]["strict_accuracy"] == 0
        assert last["score"]["strict_accuracy"] == last["score"]["success"] == pytest.approx(total) == 1, task
        assert last["score"]["click_accuracy"] == last["score"]["value_accuracy"] == 1, task
        assert steps < 150
        assert all(field.correct for field in env.state.score().fields)


@pytest.mark.parametrize("form", sample(FORMS, 4))
def test_an_oracle_repairs_what_chance_has_done(form):
    """What it cannot take back is what is ticked among radio buttons, and a file where there is but one."""
    env = WebFormEnv(forms=form)
    for seed in range(some(2, 3)):
        env.reset(seed=seed)
        rng = np.random.default_rng(seed)
        for _ in range(60):
            env.step(env.action_space.from_call(random_call(env.state.page, rng)))
            if env.state.finished:
                env.reset()
        for call in env.solution():
            *_, info = env.step(env.action_space.from_call(call))
            assert info["valid"], info["feedback"]
        wrong = [field.name for field in env.state.score().fields if not field.correct]
        assert {web_form(form).by_name[name].control for name in wrong} <= {"radio", "file"}, (seed, wrong)
        assert info["score"]["submitted"]


def test_there_are_25_forms_in_8_domains_with_what_the_suite_promises():
    forms = [web_form(name) for name in FORMS]
    assert len(forms) == 25
    assert {index()["environments"][name]["kwargs"].get("forms") for name in ids()} >= set(FORMS)
    assert len({form.domain for form in forms}) == 8
    assert sum(len(form.fields) for form in forms) >= 279
    assert sum(len(form.pages) > 1 for form in forms) >= 8
    dynamic = [f for f in forms if any(x.when or x.options_by or x.row > 1 for x in f.fields)]
    assert len(dynamic) >= 6
    assert {ATOMIC_KINDS[field.control] for form in forms for field in form.fields} == set(ATOMIC_KINDS.values())
    assert len(themes()) >= 4


def test_there_are_1250_instances_with_13800_values_or_more():
    instances = [instance for form in FORMS for instance in frozen_instances(form)]
    values = sum(value not in (None, "", []) for instance in instances for value in instance.values.values())
    assert len(instances) == 1250
    assert values >= 13_800


@pytest.mark.parametrize("theme", themes())
def test_a_form_has_every_theme(theme):
    env = WebFormEnv(forms="scholarship")
    page = env.reset(options={"task": "scholarship/test_0", "theme": theme})[0]["page"]
    others = {look: env.reset(options={"task": "scholarship/test_0", "theme": look})[0]["page"] for look in themes()}
    assert [look for look, other in others.items() if np.array_equal(page, other)] == [theme]


def test_a_draft_that_is_not_submitted_is_taken_back():
    env = WebFormEnv(forms="personal_loan")
    env.reset(options={"task": "personal_loan/test_3"})
    total = 0.0
    for call in env.solution()[:-1]:
        total += env.step(env.action_space.from_call(call))[1]
    assert total == pytest.approx(1)
    _, reward, terminated, _, info = env.step(env.action_space.action("terminate"))
    assert terminated
    assert total + reward == pytest.approx(0)
    assert info["score"]["strict_accuracy"] == 0
    assert info["score"]["field_accuracy"] == 1
    assert "not submitted" in info["feedback"]


@pytest.mark.parametrize("kind", sorted(set(ATOMIC_KINDS.values())))
def test_an_atomic_task_of_each_kind(kind):
    env = AtomicEnv()
    for seed in range(3):
        env.reset(seed=seed, options={"kind": kind})
        task = env.state.task_id
        form, name, _ = task.split("/")
        assert ATOMIC_KINDS[web_form(form).by_name[name].control] == kind
        assert _solve(env, task)[1]["score"]["success"] == 1
    assert all(task.startswith(f"{form}/") for task in AtomicEnv(kinds=kind, forms=form).task_ids)


def test_feedback_names_only_what_a_field_holds_and_cannot_draw():
    env = WebFormEnv(forms="personal_loan", theme="clinic")
    env.reset(seed=0)
    text = next(w for w in env.state.page.values.widgets if w.place and w.control.type == "text")
    left, top, *_ = text.place.box
    env.step(env.action_space.action("click", x=int(left) + 9, y=int(top) + 20))
    assert "lacks" not in env.step(env.action_space.action("type_text", text="a\tb"))[4]["feedback"]
    env.step(env.action_space.action("click", x=int(left) + 9, y=int(top) + 20))
    assert "lacks U+10FFFD" in env.step(env.action_space.action("type_text", text="\U0010fffd"))[4]["feedback"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"forms": "tax_return"}, "no form 'tax_return'"),
        ({"theme": "neon"}, "no theme 'neon'"),
        ({"backend": "firefox"}, "backend must be one of replay, chromium"),
    ],
)
def test_wrong_arguments_are_named(arguments, words):
    with pytest.raises(ValueError, match=words):
        WebFormEnv(**arguments)


@pytest.mark.parametrize(
    "options",
    [
        {"form": "tax_return"},
        {"theme": "neon"},
        {"task": "nda/test_50"},
        {"task": "nda/7"},
        {"task": "nda/x"},
        {"number": 3},
    ],
)
def test_wrong_options_are_named(options):
    with pytest.raises(ValueError, match=r"no |unknown"):
        WebFormEnv(forms="nda").reset(options=options)


@pytest.mark.parametrize(
    ("task", "why"),
    [
        ("nope", "no form 'nope' here"),
        ("nda/zz", "one of test_0, …, test_49"),
        ("nda/company/zz", "one of test_0, …, test_49"),
        ("nda/test_0", "no field ''"),
        ("nda/shoe_size/test_0", "no field 'shoe_size'"),
    ],
)
def test_a_wrong_atomic_task_is_named_as_it_was_given(task, why):
    with pytest.raises(ValueError, match=f"^no task '{task}': .*{why}"):
        AtomicEnv(forms="nda").reset(options={"task": task})


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"tool": "press_key", "key": "Control+v"}, "There is no key"),
        ({"tool": "type_text", "text": ""}, "empty"),
        ({"tool": "type_text", "text": "a\x00b"}, "U\\+0000"),
        ({"tool": "click", "x": 1024, "y": 3}, "x"),
        ({"tool": "drag", "x": 1, "y": 3}, "drag"),
    ],
)
def test_a_wrong_call_changes_nothing_and_says_why(call, words):
    env = gym.make("FormFactory/NDA-v0").unwrapped
    before = env.reset(seed=3)[0]["page"]
    observation, reward, terminated, _, info = env.step(env.action_space.from_call(call))
    assert not info["valid"]
    assert not terminated
    assert reward == 0
    assert np.array_equal(observation["page"], before)
    assert re.search(words, info["feedback"])


def test_keys_may_be_named_as_people_name_them():
    env = WebFormEnv(forms="nda")
    env.reset(seed=1)
    for key in ("ctrl+A", "return", "esc", "shift+tab", "Shift+Control+ArrowLeft", " "):
        assert env.step(env.action_space.action("press_key", key=key))[4]["valid"], key


@needs_browser
def test_the_browser_behind_the_same_id_agrees_in_everything():
    captured = gym.make("FormFactory/InsuranceClaim-v0").unwrapped
    chromium = gym.make("FormFactory/InsuranceClaim-v0", backend="chromium").unwrapped
    try:
        for seed in some((0,), (0, 4)):
            first, info = captured.reset(seed=seed)
            second, other = chromium.reset(seed=seed)
            assert np.array_equal(first["page"], second["page"])
            assert info == other
            calls = captured.solution()
            assert calls == chromium.solution()
            for call in calls:
                mine = captured.step(captured.action_space.from_call(call))
                theirs = chromium.step(chromium.action_space.from_call(call))
                assert np.array_equal(mine[0]["page"], theirs[0]["page"]), call
                assert mine[1:] == theirs[1:], call
            assert mine[4]["score"]["success"] == 1
    finally:
        chromium.close()


@LONG
@needs_browser
def test_browsers_work_in_processes_of_a_vector_environment():
    make = [lambda: gym.make("FormFactory/PersonalLoan-v0", backend="chromium")] * 2
    with_browser = AsyncVectorEnv(make, shared_memory=False)
    try:
        pages = with_browser.reset(seed=[1, 2])[0]["page"]
    finally:
        with_browser.close()
    env = gym.make("FormFactory/PersonalLoan-v0")
    for seed, page in zip((1, 2), pages, strict=True):
        assert np.array_equal(env.reset(seed=seed)[0]["page"], page)
