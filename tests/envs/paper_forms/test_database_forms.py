"""FormGym/Database: forms whose answers are in a database that the agent asks."""

import gc
import re

import numpy as np
import pytest
from form_checks import assert_blank_and_apart
from sizes import LONG, sample, some

from formgym.envs.paper_forms.accounting.env import CaseDatabase, DatabaseEnv
from formgym.envs.paper_forms.paper_form import form_folder, paper_form, shipped_forms

ID = "FormGym/Database-v0"
FORMS = [folder.name for folder in shipped_forms("database_forms")]


@pytest.fixture(scope="module")
def env():
    return DatabaseEnv(copy=False)


def _ask(env, sql):
    return env.step(env.action_space.action("query_sql", query=sql))[-1]


def test_there_are_enough_forms_of_the_papers_kinds():
    assert len(FORMS) >= 10
    assert {"rental_income_schedule", "closing_fees_statement"} <= set(FORMS)


@pytest.mark.parametrize("form", FORMS)
def test_forms_have_many_fields_to_query(form):
    data = paper_form(form)
    assert data.vocabulary == "answers"
    assert len(data.fields) >= 49
    assert sum(bool(field.facts) for field in data.fields) >= 39
    assert sum(field.matcher == "checkbox" for field in data.fields) >= 4
    assert len({field.label for field in data.fields}) == len(data.fields)


@pytest.mark.parametrize("form", FORMS)
def test_fields_are_blank_and_apart(form):
    assert_blank_and_apart(form, inset=3, contrast=60)


def _page_filled_in(env, task):
    page = env.open_task(task)
    for call in page.solution()[:-1]:
        page.write(call["x"], call["y"], call["text"], signed=call["tool"] == "sign_or_initial")
    return page


@pytest.mark.parametrize("form", sample(FORMS, 4))
def test_answers_of_shipped_and_made_cases_fit_their_fields(env, form):
    train = DatabaseEnv([form], split="train", copy=False)
    tasks = [task for task in env.task_ids if task.startswith(f"{form}/")]
    pages = [_page_filled_in(env, task) for task in tasks]
    pages += [_page_filled_in(train, f"{form}/{seed}") for seed in range(some(3, 8))]
    for page in pages:
        for mark in page.marks:
            target = page.task.targets[mark.target]
            if target.gold.matcher not in ("checkbox", "signature") and not target.comb:
                left, right = mark.stamp.rect[0], mark.stamp.rect[2]
                assert target.blank[0] - 3 <= left, (page.task_id, target.name)
                assert right <= target.blank[2] + 3, (page.task_id, target.name)


@pytest.mark.parametrize("form", FORMS)
def test_most_answers_are_told_nowhere_but_in_the_database(env, form):
    for task in (task for task in env.task_ids if task.startswith(f"{form}/")):
        page = env.open_task(task)
        golds = {t.gold.value for t in page.task.targets if t.gold.value and t.gold.matcher != "checkbox"}
        told = {gold for gold in golds if gold in page.goal or gold in page.source}
        assert len(told) <= 8, (task, told)
        assert sum(t.gold.value is not None and t.gold.value not in told for t in page.task.targets) >= 39, task


def test_the_cases_have_answers_of_their_own(env):
    for form in FORMS:
        tasks = [task for task in env.task_ids if task.startswith(f"{form}/")]
        golds = [[t.gold.value for t in env.open_task(task).task.targets] for task in tasks]
        for i, left in enumerate(golds):
            for right in golds[i + 1 :]:
                pairs = [(a, b) for a, b in zip(left, right, strict=True) if a is not None]
                assert np.mean([a != b for a, b in pairs]) > 0.4, form


def test_an_agent_finds_its_way_around(env):
    env.reset(options={"task": env.task_ids[0]})
    first = re.search(r"SELECT name FROM sqlite_master[^;]*'table'", env.state.source)[0]
    assert "account_transactions" in _ask(env, first)["feedback"]
    second = re.search(r"SELECT sql FROM sqlite_master WHERE name = '\w+'", env.state.source)[0]
    assert "CREATE TABLE clients" in _ask(env, second)["feedback"]
    info = _ask(env, "SELECT legal_name FROM clients ORDER BY client_id")
    assert info["valid"]
    assert info["feedback"].startswith("legal_name\n")


def test_two_tasks_of_one_practice_share_its_database_and_others_do_not():
    env = DatabaseEnv(split="train", copy=False)
    form = FORMS[0]
    rows = []
    for seed in (40, 41, 44):
        env.reset(options={"task": f"{form}/{seed}"})
        rows.append(_ask(env, "SELECT legal_name FROM clients ORDER BY client_id")["feedback"])
    assert rows[0] == rows[1] != rows[2]


def test_a_form_of_ones_own_needs_its_answers(tmp_path):
    folder = tmp_path / "own"
    folder.mkdir()
    source = form_folder(FORMS[0])
    for name in ("form.json", "page.png"):
        (folder / name).write_bytes((source / name).read_bytes())
    env = DatabaseEnv([str(folder)])
    with pytest.raises(ValueError, match=r"answers\.sql cannot be read"):
        env.reset(seed=0)
    (folder / "answers.sql").write_text("-- whom\nSELECT 'me' AS subject;\nSELECT name AS x FROM nowhere;")
    with pytest.raises(ValueError, match=r"answers\.sql, statement of line 3: no such table: nowhere"):
        env.reset(seed=0)
    (folder / "answers.sql").write_text("SELECT 1 AS x;")
    with pytest.raises(ValueError, match="gives no subject"):
        env.reset(seed=0)


@LONG
def test_databases_that_are_done_with_are_let_go():
    env = DatabaseEnv(FORMS[:1], split="train", copy=False)
    for seed in range(0, 4 * 12, 4):
        env.reset(options={"task": f"{FORMS[0]}/{seed}"})
    gc.collect()
    assert sum(isinstance(thing, CaseDatabase) and thing.seed is not None for thing in gc.get_objects()) <= 8
