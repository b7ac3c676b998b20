"""Florence-2 as a FieldFinder, without its weights: boxes in tokens, prompts, what may be trained on."""

import math
import re
import subprocess
import sys

import pytest
from florence_fixture import BINS, SIZES, field_pages, ordered
from hypothesis import given
from hypothesis import strategies as st

from formgym.envs.paper_forms.examples import Example, ExamplePage
from formgym.fieldfinder_model.florence.box_tokens import (
    MAX_TARGET,
    bins_box,
    bins_text,
    box_bins,
    places,
    prompt,
    text_bins,
)
from formgym.fieldfinder_model.florence.finetune import FlorenceRecipe, prompted_examples


@given(BINS, SIZES, SIZES)
def test_bins_survive_the_way_to_a_box_and_back(bins, width, height):
    box = bins_box(bins, width, height)
    assert box_bins(box, width, height) == bins
    assert text_bins(f"</s><s>{bins_text(bins)}</s><pad>") == bins
    assert 0 < box[0] < box[2] < width
    assert 0 < box[1] < box[3] < height


@given(ordered(st.floats(0, 1)), SIZES, SIZES)
def test_a_box_comes_back_within_a_bin(shares, width, height):
    box = tuple(share * size for share, size in zip(shares, (width, height) * 2, strict=True))
    again = bins_box(box_bins(box, width, height), width, height)
    for edge, other, size in zip(box, again, (width, height) * 2, strict=True):
        assert abs(edge - other) <= 0.7501 * size / 1000


@given(ordered(st.floats(-1e6, 1e6)), SIZES, SIZES)
def test_what_lies_off_the_page_is_moved_to_its_edge(box, width, height):
    clipped = tuple(min(max(edge, 0), size) for edge, size in zip(box, (width, height) * 2, strict=True))
    assert box_bins(box, width, height) == box_bins(clipped, width, height)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Name",
        "<loc_1><loc_2><loc_3>",
        "<loc_1><loc_2><loc_3><loc_4><loc_5>",
        "<loc_9><loc_2><loc_3><loc_4>",
        "<loc_1><loc_9><loc_3><loc_4>",
        "<loc_1><loc_2><loc_3><loc_1000>",
        "<loc_1><loc_2><loc_3><loc_-4>",
        "<loc_1><loc_2><loc_x><loc_4>",
    ],
)
def test_an_answer_that_is_no_box_has_no_bins(text):
    assert text_bins(text) is None
    assert places([(text, -0.1)], 100, 100) == []


@pytest.mark.parametrize("box", [(5, 0, 4, 9), (0, 9, 4, 8), (0, 0, math.nan, 1), (0, 0, math.inf, 1)])
def test_boxes_that_are_none_are_refused(box):
    with pytest.raises(ValueError, match="no box"):
        box_bins(box, 100, 100)


@given(st.text(max_size=300).filter(str.strip))
def test_no_target_brings_tokens_of_its_own(target):
    question = prompt(target)
    assert question.startswith("Locate the field: ")
    assert not re.search(r"<\S", question)
    assert len(question.replace("< ", "<")) <= len("Locate the field: ") + MAX_TARGET


def test_targets_are_asked_for_by_their_words():
    assert prompt(" Date\n of birth") == "Locate the field: Date of birth"
    assert prompt("<OCR> of </s>") == "Locate the field: < OCR> of < /s>"
    with pytest.raises(ValueError, match="blank"):
        prompt(" \n")


def test_answers_about_one_place_add_up():
    expected = {(100, 100, 300, 200): 0.3, (101, 100, 300, 200): 0.2, (600, 600, 700, 650): 0.4}
    answers = [(bins_text(bins), math.log(share)) for bins, share in expected.items()]
    first, second = places([*answers, ("words", math.log(0.1))], 1000, 1000)
    assert first.score == pytest.approx(0.5)
    assert first.box == bins_box((100, 100, 300, 200), 1000, 1000)
    assert second.score == pytest.approx(0.4)


def test_examples_that_cannot_be_asked_for_are_told_with_their_page():
    page = field_pages(1)[0]
    for target, box in (("Name", (9, 0, 4, 4)), (" ", (0, 0, 4, 4))):
        example = Example(target, box, box, "line")
        with pytest.raises(ValueError, match="page 'bad'"):
            prompted_examples([page, ExamplePage("bad", page.gray, (), (example,))])
    with pytest.raises(ValueError, match="no example"):
        prompted_examples([ExamplePage("none", page.gray, (), ())])


def test_the_recipe_is_the_papers():
    recipe = FlorenceRecipe()
    assert (recipe.epochs, recipe.batch_size, recipe.learning_rate) == (4, 8, 1e-6)
    for wrong, message in (({"learningrate": 1}, "extra"), ({"micro_batch_size": 3}, "does not divide")):
        with pytest.raises(ValueError, match=message):
            FlorenceRecipe(**wrong)


def test_the_doors_are_light():
    code = (
        "import sys, formgym.fieldfinder_model.florence.locator, formgym.fieldfinder_model.florence.finetune;"
        "print([name for name in ('torch', 'transformers') if name in sys.modules])"
    )
    result = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert result.stdout.strip() == "[]"
