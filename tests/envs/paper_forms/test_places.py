"""Where values are written, and where they count, on every form and scan."""

from functools import partial
from itertools import product

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import sample, some

from formgym.agents.models.model import ImageBlock
from formgym.agents.session import Session
from formgym.envs.core.boxes import encloses, intersection_area
from formgym.envs.core.painting import DESK, Frame
from formgym.envs.core.scoring import Gold
from formgym.envs.core.text_sprites import font
from formgym.envs.paper_forms.state import PaperFormState, PaperTask, Target
from formgym.envs.paper_forms.tools import delete_text, place_text
from formgym.envs.paper_forms.writing import fitting_size, pieces, reaches
from formgym.wrappers import GridOverlay, PadPage, Ruler

IDS = ("FormGym/AutoLoans-Text-v0", "FormGym/Database-v0", "FormGym/Scans-v0")
LETTER = 1400
"""The height of a page in the units of the shifts below."""
LIGHT = settings(max_examples=some(30, 200), deadline=None)


def answered_pages(env_id):
    """A page of each form, with its task."""
    env = gym.make(env_id, disable_env_checker=True).unwrapped
    first = {task.split("/")[0]: task for task in reversed(env.task_ids)}
    yield from map(env.open_task, sample([*first.values()], 10))


def written(page, across=0.0, down=0.0, only=None):
    """The score after the solution, shifted by pixels."""
    page = page.copy()
    for target in page.task.targets:
        for piece in page.pieces(target) if only in (None, target.ticked) else ():
            x, y = (piece.x + across) / page.width, (piece.y + down) / page.height
            page.write(x, y, piece.text, signed=target.signed)
    return page.score()


@pytest.mark.parametrize("env_id", IDS)
def test_answers_count_where_they_are_almost_right_and_not_two_lines_away(env_id):
    legible = []
    for page in answered_pages(env_id):
        text, tick = 8 * page.height / LETTER, 6 * page.height / LETTER
        right = written(page)
        assert all(field.correct for field in right.fields), page.task_id
        assert right.metrics["legible"] == 1, page.task_id
        for across, down in ((0, 1.2), (0, -1.2), (-1.2, 0)):
            away = written(page, across * page.task.text_size, down * page.task.text_size, only=False)
            legible.append(away.metrics["legible"])
        for shift in (text, -text):
            assert all(field.correct for field in written(page, down=shift, only=False).fields if not is_tick(field))
        for across, down in ((tick, 0), (-tick, 0), (0, tick), (0, -tick)):
            ticks = written(page, across, down, only=True).fields
            assert all(field.correct for field in ticks if is_tick(field)), page.task_id
        for number, target in enumerate(page.task.targets):
            if target.blank[3] - target.blank[1] > 3 * page.task.text_size:
                continue  # A tall blank has room for several lines.
            for piece, lines in product(() if target.ticked else page.pieces(target), (-2.3, 2.3)):
                assert page.task.field_at(piece.x, piece.y + lines * page.task.text_size) != number, target.name
    assert np.mean(legible) < 0.4


def is_tick(field):
    return field.matcher == "checkbox"


def apart(boxes):
    return all(not intersection_area(a, b) for i, a in enumerate(boxes) for b in boxes[i + 1 :])


sides = st.integers(0, 120)
boxes = st.builds(lambda x, y, w, h: (x, y, x + w + 1, y + h + 1), sides, sides, sides, sides)


@LIGHT
@given(st.lists(st.tuples(boxes, st.booleans()), max_size=8), st.integers(8, 24))
def test_reaches_hold_their_blanks_and_take_nothing_of_others(fields, size):
    blanks = []
    for box, _ in fields:
        if apart([*blanks, box]):
            blanks.append(box)
    ticked = [tick for _, tick in fields][: len(blanks)]
    found = reaches(blanks, ticked, size)
    assert all(encloses(reach, blank) for reach, blank in zip(found, blanks, strict=True))
    assert apart(found)
    assert all(encloses(alone, reach) for alone, reach in zip(map_alone(blanks, ticked, size), found, strict=True))


def map_alone(blanks, ticked, size):
    return [reaches([blank], [tick], size)[0] for blank, tick in zip(blanks, ticked, strict=True)]


def test_text_on_a_rule_and_a_tick_beside_its_box_count():
    line, box = reaches([(100, 100, 400, 134), (500, 100, 512, 112)], [False, True], 20)
    assert line == (90, 90, 410, 144)
    assert box == (492.5, 92.5, 519.5, 119.5)


# --- writing


@LIGHT
@given(st.text("abc de fgh", min_size=1, max_size=60), st.integers(20, 400), st.integers(10, 150))
def test_pieces_are_all_words_from_the_left_inside_of_the_blank(text, width, height):
    face, blank = font("Arimo", 16), (50, 60, 50 + width, 60 + height)
    found = pieces(text, blank, face)
    assert " ".join(piece.text for piece in found).split() == text.split()
    lefts = {round(piece.x - face.getlength(piece.text) / 2) for piece in found if piece.x < (50 + 50 + width) / 2 - 3}
    assert len(lefts) <= 1
    ascent, descent = face.getmetrics()
    if len(found) == 1 and height >= ascent + descent:
        assert blank[1] <= found[0].y - (ascent + descent) / 2
        assert found[0].y + (ascent + descent) / 2 <= blank[3]


@pytest.mark.parametrize(("height", "lines"), [(16, 1), (27, 2), (46, 3)])
def test_where_words_were_erased_the_answer_is_within_their_box_in_as_many_lines(height, lines):
    text, blank = "Lorem ipsum dolor sit amet, consectetur adipiscing elit", (50, 60, 50 + 420 // lines, 60 + height)
    face = font("Arimo", fitting_size(text, blank, range(16, 7, -1)))
    found = pieces(text, blank, face, tight=True)
    assert len(found) == lines
    assert " ".join(piece.text for piece in found) == text
    for piece in found:
        half = face.getlength(piece.text) / 2
        assert blank[0] <= piece.x - half
        assert piece.x + half <= blank[2]
        assert blank[1] < piece.y < blank[3]


@pytest.mark.parametrize(
    ("text", "comb", "cells"),
    [
        ("911-08-6642", 9, list("911086642")),
        ("A1B2", 4, list("A1B2")),
        ("1984", 2, ["1984"]),
        ("07 24", 5, list("0724")),
    ],
)
def test_combs_take_a_character_a_cell_without_punctuation_if_need_be(text, comb, cells):
    assert [piece.text for piece in pieces(text, (0, 0, 200, 30), font("Arimo", 16), comb=comb)] == cells


COMB = Target("ssn", "Social Security number", (20, 20, 206, 50), Gold("identifier", "911086642"), comb=9)
PAPER = np.full((96, 256, 3), 255, np.uint8)


def comb_page():
    return PaperFormState(PaperTask("comb", "", "", 16, (COMB,)), PAPER)


def pixels(page):
    frame = Frame(np.empty_like(PAPER))
    frame.show(PAPER, page.layers)
    return frame.buffer


@pytest.mark.parametrize("text", ["911-08-6642", "911086642", "911 08 6642"])
def test_a_text_over_a_comb_is_drawn_as_cell_by_cell_and_counts(text):
    cells, whole = comb_page(), comb_page()
    for piece in cells.pieces(cells.task.targets[0]):
        cells.write(piece.x / 256, piece.y / 96, piece.text)
    patched = Frame(np.empty_like(PAPER))
    patched.show(PAPER, whole.layers)
    mark = whole.write(110 / 256, 35 / 96, text)
    patched.paint(whole.take_dirty())
    assert whole.metrics()["strict_accuracy"] == 1
    np.testing.assert_array_equal(pixels(whole), pixels(cells))
    np.testing.assert_array_equal(patched.buffer, pixels(whole))
    assert mark.box[0] < 40
    assert mark.box[2] > 186
    assert whole.delete(110 / 256, 35 / 96) == [mark]


def test_groups_of_digits_go_into_the_cells_about_them():
    cells, groups = comb_page(), comb_page()
    for piece in cells.pieces(cells.task.targets[0]):
        cells.write(piece.x / 256, piece.y / 96, piece.text)
    for text, middle in (("911", 48), ("08", 102), ("6642", 164)):
        groups.write(middle / 256, 35 / 96, text)
    np.testing.assert_array_equal(pixels(groups), pixels(cells))
    assert groups.metrics()["strict_accuracy"] == 1


def test_a_text_too_long_for_a_comb_is_drawn_as_it_is():
    page = comb_page()
    mark = page.write(0.5, 0.5, "0123456789")
    assert mark.stamp.sprite.advance < 120


# --- paper


UNITS = (None, "pixel", "fraction", "thousand")
PICTURES = {
    "bare": ((), (1584, 1224)),
    "ruler": ((Ruler,), (1624, 1264)),
    "grid": ((GridOverlay,), (1584, 1224)),
    "padded": ((partial(PadPage, height=1500, width=1500),), (1500, 1500)),
}


@pytest.mark.parametrize(("unit", "picture"), some([("pixel", "ruler")], [*product(UNITS, PICTURES)]))
def test_a_model_is_sent_the_paper_alone_and_its_coordinates_span_it(unit, picture):
    wrap, page_size = PICTURES[picture]
    task = "cedar_valley_vehicle_loan/summit_ridge_motor_credit/ines_barragan"
    with Session("FormGym/AutoLoans-DocTransfer-v0", task, wrappers=wrap, unit=unit) as session:
        sent = {block.name: block.pixels for block in session.open() if isinstance(block, ImageBlock)}
        state = session.env.unwrapped.state
        assert (state.paper, state.source_page.background.shape[:2]) == ((1584, 1224), (2016, 1224))
        assert session.env.unwrapped.observation_space["page"].shape == (2016, 1224, 3)
        assert sent["page"].shape[:2] == page_size
        assert sent["source_page"].shape[:2] == ((1500, 1500) if page_size == (1500, 1500) else (2016, 1224))
        for call in session.solution():
            session.call(call.pop("tool"), call)
        assert session.reward == pytest.approx(1)


@pytest.mark.parametrize("env_id", IDS)
def test_corners_of_coordinates_are_corners_of_the_paper(env_id):
    env = gym.make(env_id, disable_env_checker=True)
    observation, info = env.reset(seed=3)
    height, width = info["paper_size"]
    page, shown = env.unwrapped.state, observation["page"]
    assert (page.write(0, 0, "x").stamp.x, page.write(0, 0, "x").stamp.y) == (0, 0)
    assert (page.write(1, 1, "x").stamp.x, page.write(1, 1, "x").stamp.y) == (width, height)
    assert not (shown[:height, :width] == DESK).all(axis=(1, 2)).any()
    assert (shown[height:] == DESK).all()


# --- legibility

LABEL = Target("name", "Name", (20, 20, 206, 50), Gold("text", "Ann Lee"))


@pytest.mark.parametrize("signed", [False, True])
def test_text_over_print_of_a_page_is_not_legible_and_text_over_a_rule_is(signed):
    printed = np.array(PAPER)
    for page, is_legible in ((PAPER, 1), (ruled(printed), 1), (lettered(printed), 0)):
        state = PaperFormState(PaperTask("t", "", "", 16, (LABEL,)), page)
        state.write(90 / 256, 36 / 96, "Ann Lee", signed=signed)
        assert state.metrics()["legible"] == is_legible


def ruled(page):
    page[36:38, 20:206] = page[20:50, 90:92] = 0
    return page


def lettered(page):
    frame = Frame(np.empty_like(page))
    frame.show(page, [PaperFormState(PaperTask("t", "", "", 18, ()), page).write(0.4, 0.4, "Name, in full").stamp])
    return frame.buffer


def test_feedback_names_the_own_text_that_a_text_covers_and_both_are_illegible():
    page = PaperFormState(PaperTask("t", "", "", 16, (LABEL,)), PAPER)
    assert "covers" not in place_text(page, 0.35, 0.37, "Ann Lee")
    assert page.metrics()["legible"] == 1
    assert place_text(page, 0.4, 0.4, "Bob").endswith('It covers your "Ann Lee".')
    assert "covers" not in place_text(page, 0.4, 0.9, "far away")
    assert page.metrics()["legible"] == 0
    delete_text(page, 0.4, 0.4)
    assert page.metrics()["legible"] == 0, "both are deleted"
    place_text(page, 0.35, 0.37, "Ann Lee")
    assert page.metrics()["legible"] == 1
