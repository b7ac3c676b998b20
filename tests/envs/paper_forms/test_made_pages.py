"""Training pages: the same for the same seed, and what is known of them is true."""

from __future__ import annotations

from collections import Counter
from functools import lru_cache

import numpy as np
import pytest
from form_checks import contains_box
from hypothesis import given
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core.boxes import are_near, union
from formgym.envs.core.randomness import Sampler
from formgym.envs.paper_forms.examples import ExamplePage
from formgym.envs.paper_forms.made_pages import augmentation, page_generator
from formgym.envs.paper_forms.made_pages.fake_answers import draw_answer
from formgym.envs.paper_forms.made_pages.page_canvas import Area, Canvas
from formgym.envs.paper_forms.made_pages.page_generator import block, cut
from formgym.envs.paper_forms.made_pages.page_settings import settings
from formgym.envs.paper_forms.made_pages.style import draw_style, wrap
from formgym.envs.paper_forms.scans.degradation import MACHINES

KINDS = {"line", "space", "lines", "above", "below", "tick", "table", "prose", "cell", "comb"}


@lru_cache(maxsize=1)
def drawn_pages() -> tuple[ExamplePage, ...]:
    return tuple(map(page_generator.page, range(some(12, 60))))


def drawn(seed: int, language: str = "en") -> Canvas:
    random = Sampler(np.random.default_rng(seed))
    return Canvas(random, draw_style(random, 754, language), 754, 1000)


def test_a_seed_makes_one_page():
    one, again, other = page_generator.page(7), page_generator.page(7), page_generator.page(8)
    assert np.array_equal(one.gray, again.gray)
    assert one.examples == again.examples
    assert one.words == again.words
    assert one.name == again.name != other.name
    assert one.gray.shape != other.gray.shape or not np.array_equal(one.gray, other.gray)


def test_a_strange_genre_is_refused():
    with pytest.raises(ValueError, match=r'no genre "poem".*memo'):
        page_generator.page(0, "poem")


@pytest.mark.parametrize("genre", settings().genres)
def test_each_genre_asks_for_something(genre):
    assert sum(len(page_generator.page(seed, genre).examples) for seed in range(some(2, 4))) > some(3, 8)


def test_pictures_are_gray_with_ink():
    for page in drawn_pages():
        assert page.gray.dtype == np.uint8
        assert page.gray.ndim == 2
        assert page.gray.flags.c_contiguous
        assert 0.002 < (page.gray < np.percentile(page.gray, 60) - 50).mean() < 0.3, page.name


def test_answers_lie_in_their_fields_and_targets_differ_and_have_a_label_for_each_part():
    for page in drawn_pages():
        height, width = page.gray.shape
        targets = [example.target.lower() for example in page.examples]
        assert len(set(targets)) == len(targets), page.name
        for example in page.examples:
            assert example.box[2] - example.box[0] > 2
            assert example.box[3] - example.box[1] > 2
            assert contains_box(example.field, example.box), (page.name, example)
            assert contains_box((0, 0, width, height), example.field), (page.name, example)
            assert len(example.labels) == len(example.target.split(" | ")), (page.name, example)


def test_words_hold_ink():
    empty = Counter()
    for page in drawn_pages():
        dark = page.gray < np.percentile(page.gray, 75) - 25
        for word in page.words:
            left, top, right, bottom = (max(round(edge), 0) for edge in word.box)
            empty[bool(dark[top : bottom + 1, left : right + 1].any())] += 1
    assert empty[False] < 0.03 * empty[True]


def test_labels_hold_words_of_their_targets():
    found = Counter()
    for page in drawn_pages():
        for example in page.examples:
            first = example.target.split(" | ")[0].split()[0].lower()
            inside = [w.text.lower() for w in page.words if are_near(w.box, example.labels[0])]
            found[any(first[:3] in word for word in inside)] += 1
    assert found[True] > 0.95 * found.total()


def test_no_word_stands_where_an_answer_goes():
    taken = Counter()
    for page in drawn_pages():
        for example in page.examples:
            middle = union([example.box])
            x, y = (middle[0] + middle[2]) / 2, (middle[1] + middle[3]) / 2
            at = (x - 1, y - 1, x + 1, y + 1)
            taken[any(are_near(at, word.box) for word in page.words)] += 1
    assert taken[True] < 0.01 * taken.total()


def test_fields_are_blank_but_for_rules():
    """Of the rows of pixels in a field nearly all are paper; a rule makes one dark row, text would make many."""
    inky = Counter()
    for page in drawn_pages():
        paper = np.percentile(page.gray, 60)
        for example in page.examples:
            if example.kind in ("tick", "lines"):
                continue
            left, top, right, bottom = (round(edge) for edge in example.field)
            region = page.gray[top + 2 : bottom - 2, left + 3 : right - 3] < paper - 90
            inky[bool(region.size and np.median(region.mean(axis=1)) > 0.1)] += 1
    assert inky[True] < 0.02 * inky.total()


def test_all_kinds_are_met():
    missing = set(KINDS)
    for seed in range(200):
        page = drawn_pages()[seed] if seed < len(drawn_pages()) else page_generator.page(seed)
        missing -= {example.kind for example in page.examples}
        if not missing:
            return
    assert not missing


def test_some_targets_name_what_stands_above_them():
    targets = [example.target for page in drawn_pages() for example in page.examples]
    share = sum(" | " in target for target in targets) / len(targets)
    assert 0.1 < share < 0.6


# -- Parts ---------------------------------------------------------------------------------------------------------

edges = st.tuples(*[st.integers(0, 60)] * 4).map(
    lambda e: (float(e[0]), float(e[1]), float(e[0] + e[2] % 20 + 1), float(e[1] + e[3] % 20 + 1))
)


@given(reach=edges, answer=edges, printed=st.lists(edges, max_size=8))
@hypothesis_settings(max_examples=some(50, 200), deadline=None)
def test_a_blank_holds_its_answer_and_nothing_printed(reach, answer, printed):
    blank = cut(reach, answer, printed)
    assert contains_box(blank, answer)
    assert contains_box(union([reach, answer]), blank)
    for box in printed:
        assert are_near(answer, box) or not are_near(blank, box)


@given(st.lists(st.text("abc", min_size=1, max_size=9), min_size=1, max_size=30), st.integers(30, 300))
@hypothesis_settings(max_examples=some(15, 60), deadline=None)
def test_wrapped_lines_are_no_wider_than_their_room(words, room):
    type_ = drawn(0).style.label
    text = " ".join(words)
    lines = wrap(text, type_, room, 3)
    assert len(lines) <= 3
    assert all(type_.width(line) <= room for line in lines)
    assert text.startswith(" ".join(lines))
    whole = wrap(text, type_, room, 3, may_cut=False)
    assert whole in ([], lines)
    assert not whole or " ".join(whole) == text


@pytest.mark.parametrize("kind", ["name", "date", "long", "signature", "money", "address"])
def test_an_answer_fits_its_room(kind):
    sheet = drawn(3)
    for room in (40.0, 90.0, 400.0):
        answer = draw_answer(sheet.random, sheet.style, kind, room, lines=2)
        if answer is not None:
            assert answer.width <= room + 1e-6
            left, top, right, bottom = answer.box(100.0, 200.0)
            assert left <= 100 < right
            assert top < 200 <= bottom
    assert draw_answer(sheet.random, sheet.style, kind, 1.0) is None


def test_a_word_is_recorded_where_its_ink_is():
    sheet = drawn(1)
    box = sheet.text(100, 200, "Gross weight", sheet.style.label)
    dark = np.argwhere(np.asarray(sheet.picture) < 128)
    top, left = dark.min(axis=0)
    bottom, right = dark.max(axis=0) + 1
    assert np.allclose(box, (left, top, right, bottom), atol=1.5)
    assert [word.text for word in sheet.words] == ["Gross", "weight"]


def test_a_block_that_does_not_fit_leaves_nothing():
    sheet = drawn(2)
    sheet.text(100, 100, "before", sheet.style.label)
    before = np.array(sheet.picture)
    assert sheet.attempt(block("memo_head"), Area(sheet.left, sheet.bottom - 5, sheet.right)) is None
    assert np.array_equal(before, np.asarray(sheet.picture))
    assert len(sheet.words) == 1
    assert not sheet.drafts
    assert not sheet.rules


def test_what_is_printed_takes_up_room():
    sheet = drawn(4)
    box = sheet.text(100, 100, "Name", sheet.style.label)
    assert not sheet.is_free(box)
    assert sheet.is_free((400, 400, 500, 420))
    assert not sheet.is_free((-5, 400, 500, 420))


@pytest.mark.parametrize("look", settings().rules)
def test_rules_are_drawn_where_they_are_said_to_be(look):
    sheet = drawn(5)
    rule = sheet.rule(100, 300, 400, look)
    dark = np.argwhere(np.asarray(sheet.picture) < 128)
    assert dark[:, 0].min() == 300
    assert dark[:, 0].max() < rule[3]
    assert dark[:, 1].min() >= 100
    assert dark[:, 1].max() < 400


@pytest.mark.parametrize("shape", ["square", "circle", "brackets", "parentheses", "underscore"])
def test_a_tick_box_is_blank_inside(shape):
    sheet = drawn(6)
    blank = sheet.tick_box(100, 200, shape, 12)
    left, top, right, bottom = (round(edge) for edge in blank)
    assert (np.asarray(sheet.picture)[top + 2 : bottom - 1, left + 2 : right - 2] == 255).all()
    assert (np.asarray(sheet.picture) < 128).any()


# -- Damage --------------------------------------------------------------------------------------------------------


def test_there_is_a_function_for_all_damage():
    assert settings().damage.keys() == {"clean"} | augmentation.DAMAGE.keys() | MACHINES.keys()


@pytest.mark.parametrize("name", augmentation.DAMAGE)
def test_damage_keeps_the_page_readable(name):
    page = np.full((300, 300), 255, np.uint8)
    page[100:110, 50:250] = 0
    damaged = augmentation.DAMAGE[name](page, Sampler(np.random.default_rng(0)))
    assert damaged.shape == page.shape
    assert damaged.dtype == np.uint8
    assert damaged[102:108, 60:240].mean() < damaged[150:290, 60:240].mean() - 80


def test_erasing_wipes_rules_at_times_and_nothing_without_a_box():
    page = np.full((300, 300), 255, np.uint8)
    page[100:102, :] = 0
    assert np.array_equal(augmentation.erased(page, [], [], Sampler(np.random.default_rng(0))), page)
    left = set()
    for seed in range(40):
        wiped = augmentation.erased(page, [(50.0, 90.0, 120.0, 110.0)], [], Sampler(np.random.default_rng(seed)))
        assert (wiped[91:99, 51:119] > 200).all()
        left.add(bool((wiped[100:102, 60:110] < 50).all()))
    assert left == {True, False}
    assert (page[100:102] == 0).all()


def test_the_gallery_shows_what_is_known():
    page = next(page for page in drawn_pages() if page.examples)
    picture = np.asarray(page_generator.draw(page))
    assert picture.shape == (*page.gray.shape, 3)
    left, top, right, _ = (round(edge) for edge in page.examples[-1].box)
    assert (picture[top, left + 1 : right - 1] == (255, 0, 0)).all()
