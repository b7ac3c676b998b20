"""Letters, threads and chats state each fact that a form needs once, in full, and in no machine's words."""

import re
from collections import Counter

import numpy as np
import pytest
from sizes import sample, some

from formgym.envs.core.env import MAX_SOURCE_LENGTH
from formgym.envs.core.facts import SPLITS
from formgym.envs.core.templates import fill, placeholders
from formgym.envs.core.vector import BatchVectorEnv
from formgym.envs.paper_forms.env import AutoLoansEnv, DocTransferEnv
from formgym.envs.paper_forms.form_tasks import (
    NAMES,
    PAYSLIP,
    User,
    form_task,
    genre_of,
    payslip_of,
    recoverable_facts,
    written_facts,
)
from formgym.envs.paper_forms.gui.env import AutoLoansGuiEnv
from formgym.envs.paper_forms.paper_form import paper_form, shipped_forms
from formgym.envs.paper_forms.profile import JOINT, derived_facts, fact_book, train_book, users
from formgym.envs.paper_forms.source_texts import FIRST_NAMES, GENRES, source_book

FORMS = [folder.name for folder in shipped_forms()]
WORDS = r"[\w'’.-]+"
HEADER = re.compile(r"^.*?[AP]M\S* [^:]*: |^\S+ ?\(?[^:]*[AP]M\)?: |^Subject: .*")


def _people(split):
    return (
        [User(name) for name in sample(users(), 3)]
        if split == "test"
        else [User(str(i), 7) for i in range(some(2, 40))]
    )


def _tasks(split):
    """Form, user, source form and source text of tasks with and without another form to take facts from."""
    for number, form in enumerate(FORMS):
        for user in _people(split):
            for source in (payslip_of(form, user), FORMS[number - 1]):
                yield form, user, source, form_task(form, user, f"{form}/{user.name}", source).source


def _ways(fact, facts, split):
    """All texts that may state a fact."""
    book = source_book(split)
    plain = train_book() if split == "train" else fact_book()
    yield from (
        plain.state(fact, facts, lambda ways, i=i: ways[i]) for i in range(len(plain.phrasings(fact, facts[fact])))
    )
    for passage in book.passages:
        if fact in passage.stated(facts):
            yield from (re.sub(r" (?=[.,;])|(?<=\.)\.", "", fill(way, facts)) for way in passage.ways)


@pytest.mark.parametrize("split", SPLITS)
def test_every_needed_fact_is_stated_or_on_the_source_page(split):
    for form, user, source, text in _tasks(split):
        facts = user.profile.root
        assert not re.search(r"[{}]|\bNone\b|\bNth\b|  | [.,;]|\.\.", text), (form, user.name)
        assert len(text) <= MAX_SOURCE_LENGTH
        needed = derived_facts().base_facts({fact for field in paper_form(form).fields for fact in field.facts})
        shown = recoverable_facts(paper_form(source), written_facts(source, user, form)) if source else set()
        flat = " ".join(text.split())
        for fact in (needed & facts.keys()) - shown - FIRST_NAMES:
            assert any(way in flat for way in _ways(fact, facts, split)), (form, user.name, fact)
        for fact in shown & facts.keys() - FIRST_NAMES if split == "test" else ():
            assert fact in NAMES or not any(way in flat for way in _ways(fact, facts, split)), (form, user.name, fact)


@pytest.mark.parametrize("split", SPLITS)
def test_no_fact_is_stated_twice_or_with_another_value(split):
    book = source_book(split)
    for user in _people(split):
        facts = user.profile.root
        for form in FORMS:
            needed = derived_facts().base_facts({fact for field in paper_form(form).fields for fact in field.facts})
            chosen = book.chosen(facts, needed, sorted(facts.keys() - needed), 20)
            stated = [fact for passage in chosen for fact in passage.stated(facts)]
            assert len(stated) == len(set(stated))
            assert all(facts[fact] == value for passage in chosen for fact, value in passage.conditions.items())
            assert 0 <= len(set(stated) - needed) <= 40


def test_books_state_the_same_facts_in_different_words():
    test, train = (source_book(split) for split in SPLITS)
    assert [p._replace(ways=()) for p in test.passages] == [p._replace(ways=()) for p in train.passages]
    assert all(len(p.ways) >= 3 for p in train.passages)
    for one in ("passages", "questions", "frames"):
        sets = [_texts(book, one) for book in (test, train)]
        assert not sets[0] & sets[1], one


def _texts(book, kind):
    if kind == "passages":
        return {way.casefold() for passage in book.passages for way in passage.ways}
    if kind == "questions":
        return {way for ways in book.questions.values() for way in ways}
    return {"".join(frame) for frames in book.frames.values() for frame in frames}


@pytest.mark.parametrize("split", SPLITS)
def test_values_are_written_in_full(split):
    whole = {None, "money", "long_date", "us_date", "duration_words", "thousands"}
    for passage in source_book(split).passages:
        for way in passage.ways:
            assert {part.filter for part in placeholders(way)} <= whole, way


def test_each_genre_comes_in_turn():
    tasks = [task.split("/") for task in AutoLoansEnv().task_ids]
    kinds = Counter(payslip_of(form, User(user)) or genre_of(form, User(user)) for form, user in tasks)
    assert set(kinds) == {*GENRES, PAYSLIP}
    assert min(kinds.values()) >= len(tasks) // 10


@pytest.mark.parametrize("split", SPLITS)
def test_a_task_has_one_source(split):
    for form, user, source, text in list(_tasks(split))[:: some(7, 1)]:
        form_task.cache_clear()
        assert form_task(form, user, f"{form}/{user.name}", source).source == text


@pytest.mark.parametrize("env", [AutoLoansEnv, AutoLoansGuiEnv])
def test_a_pay_slip_is_shown_where_there_is_one(env):
    env = env()
    for task in env.task_ids:
        form, user = task.split("/")
        if payslip_of(form, User(user)):
            page = env.reset(options={"task": task})[0]["source_page"]
            height, width = paper_form(PAYSLIP).size
            assert len(np.unique(page[:height, :width])) > 20
            assert paper_form(PAYSLIP).title in env.state.goal
            break
    plain = next(task for task in env.task_ids if not payslip_of(task.split("/")[0], User(task.split("/")[1])))
    assert not env.reset(options={"task": plain})[0]["source_page"].any()


def test_a_pay_slip_comes_and_goes_in_place():
    env, batch = AutoLoansEnv(copy=False), BatchVectorEnv(AutoLoansEnv, 1)
    with_slip = {task: bool(payslip_of(form, User(user))) for task in env.task_ids for form, user in [task.split("/")]}
    slips, plain = [t for t in with_slip if with_slip[t]], next(t for t in with_slip if not with_slip[t])
    fresh = {task: AutoLoansEnv().reset(options={"task": task})[0]["source_page"] for task in (*slips[:2], plain)}
    for task in (slips[0], plain, plain, slips[1], slips[0], plain):
        for observed in (env.reset(options={"task": task})[0], batch.reset(options={"task": task})[0]):
            assert np.array_equal(observed["source_page"].reshape(fresh[task].shape), fresh[task])


def test_a_slip_shows_what_is_apart_from_the_pay_only_to_forms_that_need_it():
    user = next(user for user in map(User, users()) if user.profile.root.get("overtime_monthly", "0") != "0")
    assert "overtime_monthly" in written_facts(PAYSLIP, user, "summit_ridge_motor_credit")
    assert "overtime_monthly" not in written_facts(PAYSLIP, user, "iron_bridge_dealer_application")


@pytest.mark.parametrize("split", SPLITS)
def test_no_phrase_is_repeated_thrice(split):
    """Five words in a row that are no value come at most twice in a source, labels of speakers aside."""
    for form, user, _, text in _tasks(split):
        if genre_of(form, user) == "sentences":
            continue
        values = {word for value in user.profile.facts.values() for word in re.findall(WORDS, value)}
        runs = Counter()
        for line in text.splitlines():
            words = re.findall(WORDS, HEADER.sub("", line))
            runs.update(" ".join(words[i : i + 5]) for i in range(len(words) - 4) if not values & set(words[i : i + 5]))
        worst = [run for run, count in runs.items() if count > 2]
        assert not worst, (form, user.name, worst)


def test_a_goal_mentions_only_what_the_form_has():
    env = AutoLoansEnv()
    for task in env.task_ids:
        state, fields = env.open_task(task), paper_form(task.split("/")[0]).fields
        answered = {target.name for target in state.task.targets if target.gold.value is not None}
        initialled = any("initials" in (field.value or "") and field.name in answered for field in fields)
        assert ("nitial where" in state.goal) == initialled, task
        assert ("circled" in state.goal) == any(field.option for field in fields), task
        assert "Tick boxes" in state.goal


def test_the_source_page_of_a_transfer_is_never_a_slip():
    env = DocTransferEnv()
    assert all(PAYSLIP not in task for task in env.task_ids)
    assert JOINT + "first_name" in FIRST_NAMES
