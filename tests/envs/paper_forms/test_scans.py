"""Scans: pages with a few empty fields, degraded; shipped ones are frozen, those of a seed always the same."""

import re
from dataclasses import replace

import numpy as np
import pytest
from form_checks import assert_apart
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from sizes import some

from formgym.envs.core.matchers import MATCHERS
from formgym.envs.core.text_sprites import TYPED_FACE, characters, font
from formgym.envs.paper_forms.paper_form import paper_form
from formgym.envs.paper_forms.scans.degradation import MACHINES, Degradation, Skew
from formgym.envs.paper_forms.scans.env import ScansEnv
from formgym.envs.paper_forms.scans.scan_pages import (
    SCANS,
    SIZE,
    check_blanks,
    check_scan,
    degradation_of,
    filling,
    kind_of,
    kinds,
    scan_facts,
    scan_names,
    scanned,
    typed_text,
)
from formgym.envs.paper_forms.scans.scan_sources import made_filling, sources
from formgym.envs.paper_forms.state import PaperFormState
from formgym.envs.paper_forms.writing import pieces

ID = "FormGym/Scans-v0"
TEST, TRAIN = scan_names("test"), scan_names("train")


def _folder(split, name):
    return SCANS / split / name


def _form(split, name):
    return paper_form(str(_folder(split, name)))


@pytest.fixture(scope="module")
def clean():
    """A made page with a cross in its middle, a rule, and a dot in a corner."""
    page = np.full(SIZE, 255, np.uint8)
    page[500:556, 400:416] = page[520:536, 380:436] = 0
    page[700:702, 100:700] = 0
    return page


def test_there_are_fifty_pages_in_many_languages():
    assert len(TEST) == 50
    languages = [_form("test", name).language for name in TEST]
    assert {"en", "ru", "el", "zh", "ja"} <= set(languages)
    assert min(map(languages.count, ("ru", "el", "zh", "ja"))) >= 2
    assert len(TRAIN) >= 12


def test_the_splits_share_no_page_and_no_words_of_a_page():
    assert not set(TEST) & set(TRAIN)
    titles = {split: {_form(split, name).title for name in scan_names(split)} for split in ("test", "train")}
    assert not titles["test"] & titles["train"]
    shapes = {
        split: {tuple(f.box for f in _form(split, name).fields) for name in scan_names(split)}
        for split in ("test", "train")
    }
    assert not shapes["test"] & shapes["train"]
    assert len(shapes["test"]) == 50


@pytest.mark.parametrize(("split", "name"), [("test", n) for n in TEST] + [("train", n) for n in TRAIN])
def test_every_page_is_well_made(split, name):
    form = _form(split, name)
    check_scan(form)
    assert len(form.fields) >= 6
    assert_apart(form.fields)
    if split == "test":
        typed = filling(_folder(split, name))
        assert {fact for f in form.fields for fact in f.facts if f.value} <= set(typed.facts)
        check_blanks(form, typed.blanks)
        _check_typed(form, typed.facts)


@pytest.mark.parametrize("name", TRAIN)
def test_what_is_made_for_train_pages_can_be_typed(name):
    form = _form("train", name)
    for seed in range(some(3, 10)):
        facts = scan_facts({fact for f in form.fields for fact in f.facts if f.value}, form.language, seed)
        _check_typed(form, facts)


def _check_typed(form, facts):
    texts = [text for field in form.fields if (text := typed_text(field, facts))]
    lacking = set("".join(texts)) - characters(form.face) - {" "}
    assert not lacking, f"{form.face} lacks {lacking}"


@pytest.mark.parametrize("name", TEST)
def test_the_blanks_of_a_shipped_scan_are_empty_and_the_other_fields_are_not(name):
    """Where the blanks are, there is no more ink than their rules; where most others are, there is."""
    form, typed = _form("test", name), filling(_folder("test", name))
    page = np.asarray(Image.open(_folder("test", name) / "page.png").convert("L")).astype(int)
    assert page.shape == SIZE

    def ink(field):
        moved = degradation_of(typed.seed).moved(field.box, form.size)
        left, top, right, bottom = (round(edge) for edge in moved)
        inside = page[max(top + 6, 0) : bottom - 6, max(left + 6, 0) : right - 6]
        return float((inside < np.median(inside) - 60).mean())

    written = [ink(f) for f in form.fields if f.name not in typed.blanks and typed_text(f, typed.facts)]
    assert max(ink(f) for f in form.fields if f.name in typed.blanks) < 0.03
    assert np.median(written) > 0.02


# -- Sources -----------------------------------------------------------------------------------------------------------


def _check_source(env, task_id, typed):
    """The source states every answer and values that are wrong everywhere; the goal states none of them."""
    state = env.open_task(task_id)
    golds = {target.name: target.gold for target in state.task.targets}
    assert set(golds) == set(typed.blanks)
    assert {name for name, gold in golds.items() if gold.value is not None} == set(typed.targets)
    assert len(typed.distractors) >= 2
    answers = [gold for gold in golds.values() if gold.value is not None]
    for gold in answers:
        assert gold.accepts(gold.value)
        assert re.search(rf"(?<![A-Za-z0-9]){re.escape(gold.value)}(?![A-Za-z0-9])", state.source)
        assert gold.value not in state.goal
        assert not any(gold.accepts(value) for value in typed.distractors)
    assert all(value in state.source for value in typed.distractors)
    kinds_ = {gold.matcher for gold in answers}
    alike = [v for v in typed.distractors for k in kinds_ if v and MATCHERS[k](v, v)]
    assert alike, "a value that could be mistaken for an answer"
    return state


@pytest.mark.parametrize("name", TEST)
def test_a_shipped_scan_takes_reading(name):
    typed = filling(_folder("test", name))
    _check_source(ScansEnv(), name, typed)
    assert len(typed.blanks) >= 3
    assert typed.empty


@pytest.mark.parametrize("name", TRAIN)
def test_a_made_scan_takes_reading(name):
    form, env = _form("train", name), ScansEnv("train")
    for seed in range(some(1, 40)):
        typed = made_filling(form, np.random.default_rng([seed, 0]))
        assert typed == made_filling(form, np.random.default_rng([seed, 0]))
        _check_source(env, f"{name}/{seed}", typed)
        assert typed.empty


def test_no_sentence_of_an_endless_source_is_in_a_shipped_one():
    made = [part for text in sources().answers + sources().open for part in re.split(r"\{\{.*?\}\}", text)]
    shipped = "\n".join(filling(_folder("test", name)).source for name in TEST)
    assert not [part for part in made if len(part.split()) > 3 and part in shipped]
    assert all("{{ other }}" in text for text in sources().answers + sources().open)


@settings(max_examples=some(30, 200), deadline=None)
@given(
    angle=st.floats(-1.6, 1.6), dx=st.integers(-9, 9), dy=st.integers(-9, 9),
    left=st.integers(20, 300), top=st.integers(20, 1000), width=st.integers(40, 500), comb=st.sampled_from([0, 7]),
)  # fmt: skip
def test_writing_moves_with_the_page(angle, dx, dy, left, top, width, comb):
    """What is written in a moved blank is where what was written before has moved to."""
    skew, blank, face = Skew(angle, (dx, dy)), (left, top, left + width, top + 30), font(TYPED_FACE, 17)
    for piece, turned in zip(
        pieces("1403-22", blank, face, comb=comb),
        pieces("1403-22", skew.moved(blank, SIZE), face, comb=comb, angle=angle),
        strict=True,
    ):
        assert (turned.x, turned.y) == pytest.approx(skew.moved((piece.x, piece.y, piece.x, piece.y), SIZE)[:2])


@pytest.mark.parametrize("name", TEST[::7])
def test_answers_are_written_along_the_lines_of_the_page(name):
    """What the oracle writes is turned with the page, in its face, and right; what is a line lower at an end is not."""
    state = ScansEnv().open_task(name)
    degradation = degradation_of(filling(_folder("test", name)).seed)
    assert (state.task.face, state.task.angle) == (_form("test", name).face, degradation.angle)
    for call in state.solution()[:-1]:
        state.write(call["x"], call["y"], call["text"])
    assert state.metrics()["strict_accuracy"] == 1
    upright = replace(state.task, angle=0.0)
    drawn, level = state.drawn("WWWWWWWW", False), PaperFormState(upright, state.background).drawn("WWWWWWWW", False)
    assert (drawn.inverse_alpha.shape != level.inverse_alpha.shape) == (abs(degradation.angle) >= 0.05)


@pytest.mark.parametrize("machine", MACHINES)
def test_a_degraded_page_is_legible_gray_and_the_same_again(clean, machine):
    degradation = Degradation(1.2, (5, -3), machine, 4)
    page = degradation.applied(clean)
    assert page.shape == SIZE
    assert page.dtype == np.uint8
    assert len(np.unique(page)) <= 16
    assert np.array_equal(page, degradation.applied(clean))
    left, top, right, bottom = (round(edge) for edge in degradation.moved((380, 500, 436, 556), SIZE))
    ink, paper = page[top + 24 : bottom - 24, left + 24 : right - 24], page[200:300, 200:600]
    assert ink.mean() < np.median(paper) - 60
    assert np.median(paper) > 200


@settings(max_examples=some(15, 60), deadline=None)
@given(
    angle=st.floats(-1.6, 1.6), dx=st.integers(-9, 9), dy=st.integers(-9, 9),
    x=st.integers(40, SIZE[1] - 60), y=st.integers(40, SIZE[0] - 60),
)  # fmt: skip
def test_boxes_move_with_what_is_printed(angle, dx, dy, x, y):
    """A dot lies in its box before and after the page has moved."""
    page = np.full(SIZE, 255, np.uint8)
    page[y : y + 9, x : x + 9] = 0
    skew = Skew(angle, (dx, dy))
    rows, columns = np.nonzero(skew.applied(page) < 128)
    left, top, right, bottom = skew.moved((x, y, x + 9, y + 9), SIZE)
    assert abs(columns.mean() + 0.5 - (left + right) / 2) < 1
    assert abs(rows.mean() + 0.5 - (top + bottom) / 2) < 1
    grown = skew.moved((x, y, x + 9, y + 9), SIZE, grow=True)
    assert np.allclose(grown, (columns.min(), rows.min(), columns.max() + 1, rows.max() + 1), atol=1.5)


def test_the_wear_of_many_seeds_is_mixed():
    drawn = [Degradation.drawn(np.random.default_rng(seed)) for seed in range(400)]
    counts = [sum(degradation.machine == machine for degradation in drawn) for machine in MACHINES]
    assert min(counts) > 60
    assert min(degradation.angle for degradation in drawn) < -1.3
    assert max(degradation.angle for degradation in drawn) > 1.3


def test_facts_are_of_their_kinds_and_differ():
    names = [*kinds(), "person_1", "person_2", "phone_3"]
    facts = scan_facts(names, "en", 5)
    assert set(facts) == set(names)
    assert len(set(facts.values())) == len(facts)
    assert facts == scan_facts(reversed(names), "en", 5)
    assert facts != scan_facts(names, "en", 6)
    assert kind_of("phone_12") == "phone"
    for language, letters in (("ru", "а-яё"), ("el", "α-ωά-ώ")):
        assert re.search(f"[{letters}]", scan_facts(["person"], language, 1)["person"].casefold())
    with pytest.raises(ValueError, match="no kind of fact 'colour'"):
        scan_facts(["colour_1"], "en", 0)


def test_misuse_raises():
    with pytest.raises(ValueError, match="'no_such_field' is no field with a value"):
        check_blanks(_form("test", TEST[0]), ["no_such_field"])
    for split, task in (("test", "no_page"), ("train", f"{TRAIN[0]}/x"), ("train", TEST[0])):
        with pytest.raises(ValueError, match="no task"):
            ScansEnv(split=split).reset(options={"task": task})


def test_a_scan_is_read_only():
    form, typed = _form("test", TEST[0]), filling(_folder("test", TEST[0]))
    page = scanned(np.full(SIZE, 255, np.uint8), form, typed.facts, typed.blanks, typed.seed)
    with pytest.raises(ValueError, match="read-only"):
        page[:] = 0
