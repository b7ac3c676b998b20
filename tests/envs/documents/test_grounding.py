"""Grounding: the element that words mean comes first, and words name places for new ones."""

import math
import time

import numpy as np
import pytest
from grounding_metrics import Grounded, average_precision, expressions
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import sample, some

from formgym.assets import ROOT
from formgym.envs.documents.env import endless_document
from formgym.envs.documents.grounding.lookup import Grounder, make_grounder, rank_elements
from formgym.envs.documents.grounding.placing import infer_place
from formgym.envs.documents.grounding.query import parse_query
from formgym.envs.documents.operations.draft import EditScene
from formgym.envs.documents.operations.placing import CORNERS, quarter, region_beside
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.requests.generate import planned_request
from formgym.envs.documents.requests.phrasings import phrasings
from formgym.envs.documents.scene.document import load_document, shipped_document

FILES = sorted((ROOT / "documents").glob("*.json"))
POSTER = load_document(ROOT / "documents" / "concert_poster.json")
SLIDES = load_document(ROOT / "documents" / "quarterly_review_slides.json")


def find(document, words):
    return Grounder().find(document, words)


@pytest.mark.parametrize(
    ("expression", "fields"),
    [
        ("the blue icon", {"kinds": {"icon"}, "colour": "blue"}),
        ("the dark-blue icon", {"kinds": {"icon"}, "colour": "dark blue"}),
        ("the illustration", {"kinds": {"icon", "picture"}}),
        ("the line of text below the line", {"kinds": {"text"}, "relation": "below", "anchor": "the line"}),
        ("the second of the stars", {"kinds": {"star"}, "ordinal": 2}),
        ("the element on the left", {"kinds": set(), "places": ("left",), "relation": None}),
        ('the text beginning with "Hello"', {"quote": "hello", "quote_way": "begins"}),
        ('the text that ends in "now"', {"quote": "now", "quote_way": "ends"}),
        ('the text that contains "$"', {"quote": "$", "quote_way": "contains"}),
        ("the text ‘Hello’", {"quote": "hello", "quote_way": "says"}),
        ("the text about the baker's bread", {"quote": None}),
        ("the 3rd icon from the top", {"ordinal": 3, "direction": "top", "places": ()}),
        ("the penultimate icon", {"ordinal": -2}),
        ("the second largest icon", {"ordinal": 2, "places": ("large",)}),
        ("the icon in the top left corner", {"ordinal": 0, "places": ("top", "left"), "relation": None}),
        ("the icon on page 2", {"page": 1}),
        ("the headline of the second page", {"page": 1}),
        ("the icon on the last page", {"page": -1}),
        ("the icon on the page", {"page": None, "relation": None}),
        ("", {"kinds": set(), "names": ("",)}),
    ],
)  # fmt: skip
def test_an_expression_is_read(expression, fields):
    query = parse_query(expression)
    assert {name: getattr(query, name) for name in fields} == fields


@pytest.mark.parametrize(
    ("expression", "element"),
    [
        ("the headline", "headline"),
        ("the headline element, please", "headline"),
        ("the photograph", "photo"),
        ("the star", "badge"),
        ("the table", "prices"),
        ("the ticket prices", "prices"),
        ('the text that says "The Tidewater Quintet"', "band"),
        ('the text starting with "Saturday"', "when"),
        ("Harbour Lights", "headline"),
        ("the text that says The Tidewater Quintet", "band"),
        ("THE TURNED SHAPE", "badge"),
        ("the line", "rule"),
        ("the line below the name of the band", "rule"),
        ("the text above the photograph", "series"),
        ("the text inside the top banner", "series"),
        ("the text next to the ticket prices", "when"),
        ("the text to the left of the table", "when"),
        ("the bottommost text", "foot"),
        ("the second text from the bottom", "where"),
        ("the third text from the top", "band"),
        ("the second largest text", "series"),
        ("the shape furthest to the right", "badge"),
        ("the text in italics", "band"),
        ("the grey text", "foot"),
        ("the turned shape", "badge"),
        ("the list", "notes"),
        ("the shape at the top", "banner"),
        ("the navy rectangle", "banner"),
    ],
)
def test_the_target_comes_first(expression, element):
    found = rank_elements(POSTER, expression)
    assert found[0].element.id == element, [(p.element.id, round(p.score, 2)) for p in found[:4]]


@pytest.mark.parametrize("path", sample(FILES, 14), ids=lambda path: path.stem)
def test_ids_and_names_are_enough(path):
    document = load_document(path)
    words = [(e, one) for e in document.elements() for one in (e.id, f"the {e.name}")]
    assert not [one for e, one in words if rank_elements(document, one)[0].element is not e]


WORDS = st.lists(st.sampled_from('the all second icons text from of page 2 " below left but and red'.split()))


@given(st.one_of(st.text(max_size=60), WORDS.map(" ".join)))
@settings(max_examples=some(37, 150), deadline=None)
def test_any_expression_is_accepted(expression):
    found = rank_elements(SLIDES, expression)
    assert {p.element.id for p in found} == {e.id for e in SLIDES.elements()}
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)
    assert math.isclose(sum(p.score for p in found), 1.0)
    infer_place(SLIDES, expression, find)


def test_very_long_expressions_are_read_quickly():
    began = time.process_time()
    for words in ("the " * 50_000, '"' * 50_000, "below the " * 20_000, "page 1 " * 20_000, "icon below the " * 100):
        rank_elements(POSTER, words)
        rank_elements(SLIDES, words[:600])
    assert time.process_time() - began < 2


@pytest.mark.parametrize(("edge", "axis", "sign"), [("left", 0, 1), ("right", 0, -1), ("top", 1, 1), ("bottom", 1, -1)])
def test_ordinals_count_among_what_fits(edge, axis, sign):
    texts = sorted((e for e in POSTER.elements() if e.type == "text"), key=lambda e: sign * e.centre[axis])
    places = [e.centre[axis] for e in texts]
    for number, (word, element) in enumerate(zip(("first", "second", "third", "fourth"), texts, strict=False)):
        if places.count(places[number]) == 1:
            assert rank_elements(POSTER, f"the {word} text from the {edge}")[0].element is element


def test_a_page_in_the_expression_limits_the_candidates():
    for number in range(1, len(SLIDES.pages) + 1):
        found = rank_elements(SLIDES, f"the topmost text on page {number}")[0].element
        texts = [e for e in SLIDES.elements_of_page(number - 1) if e.type == "text"]
        assert found is min(texts, key=lambda e: e.centre[1])


def test_expressions_of_the_test_requests_find_what_they_mean():
    """The two that do not: something beside the anchor, and a rectangle that fills the page."""
    missed = [m.words for d, m in expressions() if rank_elements(d, m.words)[0].element.id != m.ids[0]]
    assert len(missed) <= 2


def test_generated_expressions_find_what_they_mean():
    documents = [endless_document(path.stem, 1, 4242) for path in FILES[::6]]
    mentions = [(d, m) for d in documents for k in range(some(8, 24)) for m in planned_request(d, k, 4242).mentions]
    right = [rank_elements(d, m.words)[0].element.id == m.ids[0] for d, m in mentions if len(m.ids) == 1]
    assert len(right) > 50
    assert np.mean(right) >= 0.95


def test_the_oracle_knows_what_the_request_mentions():
    for request in frozen_requests("concert_poster"):
        for mention in request.mentions:
            assert (
                make_grounder("oracle", request, 1.0).find(shipped_document("concert_poster"), mention.words)[0].id
                in mention.ids
            )


@pytest.mark.parametrize(
    ("words", "box"),
    [
        ("below the headline", (60, 596, 600, 40)),
        ("right under the headline", (60, 596, 600, 40)),
        ("in the space below the headline", (60, 596, 600, 40)),
        ("right above the name of the band", (60, 538, 600, 40)),
        ("to the right of the date and time", (362, 672, 240, 40)),
        ("next to the date and time", (362, 672, 240, 40)),
        ("on the left side of the badge", (288, 420, 240, 140)),
        ("a circle to the left of the badge", (408, 420, 120, 120)),
        ("between the headline and the footer", (240, 728, 240, 40)),
        ("inside the top banner", (240, 40, 240, 40)),
        ("in the top left corner", (24, 24, 240, 40)),
        ("in the upper left corner of the page", (24, 24, 240, 40)),
        ("a picture in the bottom right corner", (536, 776, 160, 160)),
        ('the text "Left" at the bottom', (200, 912, 320, 24)),
        ("at the bottom", (240, 896, 240, 40)),
        ("in the centre of the page", (240, 460, 240, 40)),
        ("somewhere nice", None),
        ("below the page", None),
        ("", None),
    ],
)
def test_where_something_new_goes(words, box):
    assert infer_place(POSTER, words, find) == box


def test_a_corner_is_on_the_page_of_the_expression():
    wide = SLIDES.pages[1].width
    assert infer_place(SLIDES, "in the top right corner of page 2", find, 0) == (wide - 24 - 240, 24, 240, 40)


@pytest.mark.parametrize("path", FILES[::5], ids=lambda path: path.stem)
def test_places_of_the_train_split_are_found(path):
    """The middle of what is placed lies where a request wants it."""
    document = load_document(path)
    page, scene = document.pages[0], EditScene(document, 0, ())
    for place, templates in phrasings().places.items():
        for template in templates:
            if place in CORNERS:
                anchors, regions = [""], [quarter(scene, place)]
            else:
                room = [e for e in page.elements if e.name and e.type != "group" and 80 < e.bbox[1] < page.height - 160]
                anchors = [f"the {e.name}" for e in room[::5]]
                regions = [region_beside(place, e.bbox, (*_corner(place, e.bbox), 320, 24)) for e in room[::5]]
            for anchor, (left, top, width, height) in zip(anchors, regions, strict=True):
                box = infer_place(document, template.format(anchor=anchor), find)
                x, y = box[0] + box[2] / 2, box[1] + box[3] / 2
                assert left <= x <= left + width, (template, anchor)
                assert top <= y <= top + height, (template, anchor)


def _corner(place, anchor):
    left, top, _, height = anchor
    return (left, top + height + 12) if place == "below" else (left, top - 24 - 12)


@pytest.mark.parametrize("path", FILES[::6], ids=lambda path: path.stem)
def test_new_things_stay_on_their_page(path):
    document = load_document(path)
    page = document.pages[0]
    for element in page.elements[::6]:
        for side in ("below", "above", "left of", "right of"):
            left, top, width, height = infer_place(document, f"{side} the {element.name}", find)
            assert 0 <= left <= max(page.width - width, 0)
            assert 0 <= top <= max(page.height - height, 0)


def test_average_precision_is_that_of_coco():
    """Two expressions: one is right at once, one in the second place, and not so sure."""
    rows = [Grounded((0.9, 0.1), (1.0, 0.0), 1), Grounded((0.6, 0.4), (0.0, 0.7), 2)]
    # In the order of scores: right, wrong, right, wrong. Precision 1 up to recall .5, then 2/3.
    assert average_precision(rows, 0.5) == pytest.approx((51 * 1 + 50 * 2 / 3) / 101)
    assert average_precision(rows, 0.75) == pytest.approx(51 / 101)
    assert average_precision(rows[:1], 0.95) == 1.0
