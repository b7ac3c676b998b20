"""Grounding: which element words mean, where new ones go, and the average precision of locators."""

import numpy as np
import pytest
from elements_by_name import infer_by_name
from grounding_metrics import (
    Grounded,
    average_precision,
    by_marks,
    by_picture,
    found_by,
    grounding_metrics,
    noisy,
    oracle,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image as PillowImage
from sizes import some

from formgym.agents.models.files import FilesModel
from formgym.agents.models.scripted import Scripted
from formgym.envs.core.locators import Detection
from formgym.envs.documents.env import document_split, document_task
from formgym.envs.documents.grounding.expressions import FOLDER, meant_box, problems_of, shipped_expressions
from formgym.envs.documents.grounding.grounder import Grounder, located, make_grounder
from formgym.envs.documents.grounding.placing import infer_place
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.scoring.looks import ink_rect
from formgym.envs.documents.shipped import shipped_document
from formgym.fieldfinder_model.locators.document_locator import query_of

POSTER = shipped_document("concert_poster")
SLIDES = shipped_document("quarterly_review_slides")
BY_NAME = {one.name: one.id for one in POSTER.elements()}


class Boxes:
    """A locator that knows where words point."""

    def __init__(self, **found):
        self.found, self.pages = found, []

    def locate(self, page, target):
        self.pages.append(page)
        return [Detection(*one) for one in self.found.get(target, ())]

    def locate_all(self, page, targets):
        return [self.locate(page, target) for target in targets]


def test_ids_and_whole_texts_are_found_without_a_locator():
    headline = POSTER.find(BY_NAME["headline"])
    for words in (headline.id, "Harbour Lights", '"harbour  lights"', "“Harbour Lights”"):
        assert Grounder().find(POSTER, words) == [headline]
    for words in ("the headline", "headline", "Harbour", "", '""', "e99"):
        assert Grounder().find(POSTER, words) == []


def test_the_element_whose_ink_fits_a_located_box_best_is_meant():
    badge, photo = POSTER.find(BY_NAME["badge"]), POSTER.find(BY_NAME["photograph of the sea"])
    left, top, right, bottom = ink_rect(POSTER, badge)
    locator = Boxes(star=[((left + 4, top, right, bottom - 4), 0.6), (ink_rect(POSTER, photo), 0.4)], void=[])
    assert [one.element for one in located(POSTER, 0, "star", locator)] == [badge, photo]
    assert Grounder(locator).find(POSTER, "star") == [badge, photo]
    assert Grounder(locator).find(POSTER, "void") == []
    assert np.array_equal(locator.pages[0], painted(POSTER, 0))


def test_the_page_that_is_shown_is_searched_unless_the_words_name_another():
    locator = Boxes()
    for words, page, seen in (("line", 2, 2), ("line on page 2", 0, 1), ("line on slide 99", 0, 3)):
        Grounder(locator).find(SLIDES, words, page=page)
        assert np.array_equal(locator.pages[-1], painted(SLIDES, seen))


def test_the_oracle_knows_what_the_request_mentions_and_the_noisy_one_errs():
    known = missed = 0
    for seed in range(some(6, 30)):
        task = document_task(f"concert_poster/{seed}", document_split(("concert_poster",), 0))
        right, wrong = (make_grounder(name, task.mentioned, 0.0) for name in ("oracle", "noisy"))
        for words, ids in task.mentioned.items():
            assert right.find(task.before, words)[0].id in ids
            missed += wrong.find(task.before, words)[0].id not in ids
            known += 1
    assert missed == known > 5


@pytest.mark.parametrize(
    ("words", "box"),
    [
        ("below the headline", (60, 596, 600, 24)),
        ("right under the headline", (60, 596, 600, 24)),
        ("right above the name of the band", (60, 554, 600, 24)),
        ("to the right of the date and time", (362, 672, 320, 40)),
        ("next to the date and time", (362, 672, 320, 40)),
        ("to the left of the badge", (208, 420, 320, 140)),
        ("a circle to the left of the badge", (408, 420, 120, 120)),
        ("between the headline and the footer", (200, 736, 320, 24)),
        ("inside the top banner", (200, 48, 320, 24)),
        ("in the top left corner", (24, 24, 320, 24)),
        ("in the upper left corner of the page", (24, 24, 320, 24)),
        ("a picture in the bottom right corner", (536, 776, 160, 160)),
        ('the text "Left" at the bottom', (200, 912, 320, 24)),
        ("at the bottom", (200, 912, 320, 24)),
        ("in the centre of the page", (200, 468, 320, 24)),
        ("somewhere nice", None),
        ("below the moon", None),
        ("", None),
    ],
)
def test_where_something_new_goes(words, box):
    assert infer_by_name(POSTER, words) == box


def test_a_corner_is_on_the_page_of_the_expression():
    wide = SLIDES.pages[1].width
    assert infer_by_name(SLIDES, "in the top right corner of page 2") == (wide - 24 - 320, 24, 320, 24)


WORDS = st.lists(st.sampled_from('the all second icons text from of page 2 " below left but and red'.split()))


@given(st.one_of(st.text(max_size=60), WORDS.map(" ".join)))
@settings(max_examples=some(30, 150), deadline=None)
def test_any_expression_is_accepted_and_new_things_stay_on_their_page(expression):
    query_of(expression)
    assert set(Grounder().find(SLIDES, expression)) <= set(SLIDES.elements())
    box = infer_place(SLIDES, expression, lambda document, words: list(document.elements())[:1])
    if box is not None:
        assert 0 <= box[0] <= SLIDES.pages[0].width - box[2]
        assert 0 <= box[1] <= SLIDES.pages[0].height - box[3]


def test_the_test_expressions_are_right_and_wrong_ones_are_named(tmp_path):
    files = sorted(FOLDER.glob("*.json"))
    assert files
    assert [problem for file in files for problem in problems_of(file)] == []
    wrong = tmp_path / "concert_poster.json"
    wrong.write_text('[{"text": "a", "element": "e99"}, {"text": "b", "page": 2, "element": "e1"}]')
    assert len(problems_of(wrong)) == 2
    wrong.write_text('[{"text": "a"}]')
    assert "element or elements" in problems_of(wrong)[0]


def test_the_locator_of_documents_finds_most_things_of_a_poster():
    asked = [(POSTER, one) for one in shipped_expressions("concert_poster")]
    found = grounding_metrics(found_by(by_picture(), asked))
    assert found["top-1"] >= 0.5
    assert found["AP75"] <= found["AP50"]
    assert 0 < found["AP"] < 1
    assert set(list(grounding_metrics(found_by(oracle, asked)).values())[1:]) == {1.0}
    assert grounding_metrics(found_by(lambda d, e: noisy(d, e, 0.0), asked))["top-1"] == 0
    right = [meant_box(document, one) for document, one in asked]
    assert all(0 <= box[0] < box[2] <= 720 and 0 <= box[1] < box[3] <= 960 for box in right)


def test_a_model_names_the_mark_of_what_is_meant(tmp_path):
    asked = [(POSTER, one) for one in shipped_expressions("concert_poster")]
    ids = [one.id for one in POSTER.elements()]
    right = {one.text: ids.index(one.ids[0]) + 1 for _, one in asked}
    numbered = Scripted(
        lambda messages, tools, seed: f"Box {right[messages[1].content[0].text.removeprefix('Words: ')]}."
    )
    found = grounding_metrics(found_by(by_marks(numbered), asked))
    assert found["top-1"] == found["AP75"] == 1
    assert grounding_metrics(found_by(by_marks(Scripted(["None of the 9999."])), asked))["top-1"] == 0
    through_files = by_marks(FilesModel(tmp_path, batch=True))
    assert found_by(through_files, asked[:1]) == []
    plain, marked = (PillowImage.open(next(tmp_path.rglob(f"{name}-*.png"))) for name in ("page", "marks"))
    assert plain.size == marked.size == (720, 960)
    assert np.array_equal(np.asarray(plain), painted(POSTER, 0))
    assert not np.array_equal(np.asarray(plain), np.asarray(marked))
    next(tmp_path.rglob("prompt.md")).with_name("reply.md").write_text(str(right[asked[0][1].text]))
    assert grounding_metrics(found_by(through_files, asked[:1]))["top-1"] == 1


def test_average_precision_is_that_of_coco():
    """Two expressions: one is right at once, one in the second place, and not so sure."""
    rows = [Grounded((0.9, 0.1), (1.0, 0.0), 1), Grounded((0.6, 0.4), (0.0, 0.7), 2)]
    # In the order of scores: right, wrong, right, wrong. Precision 1 up to recall .5, then 2/3.
    assert average_precision(rows, 0.5) == pytest.approx((51 * 1 + 50 * 2 / 3) / 101)
    assert average_precision(rows, 0.75) == pytest.approx(51 / 101)
    assert average_precision(rows[:1], 0.95) == 1.0
