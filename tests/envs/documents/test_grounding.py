"""Grounding: expressions are parsed, and the elements that they mean come first."""

import json
import math
import time

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import LONG

from formgym.assets import ROOT
from formgym.envs.documents.env import DocumentEnv, endless_document
from formgym.envs.documents.grounding_env import DocumentGroundingEnv
from formgym.envs.documents.language.features import FEATURES
from formgym.envs.documents.language.grounders import DocumentLocator, rank_elements, resolve_plural
from formgym.envs.documents.language.positions import infer_place
from formgym.envs.documents.language.ranking import LEARNED, hand_set_weights, learned_weights, rank
from formgym.envs.documents.language.referring_expressions import paged, reference
from formgym.envs.documents.operations.creating import _CORNERS, _quarter
from formgym.envs.documents.operations.draft import Scene
from formgym.envs.documents.operations.placing import region_beside
from formgym.envs.documents.requests.frozen import planned_request
from formgym.envs.documents.requests.phrasings import phrasings
from formgym.envs.documents.scene.document import load_document
from formgym.envs.documents.scoring.pictures import box_iou
from formgym.experiments.reporting.grounding_metrics import (
    Detection,
    average_precision,
    expressions,
    grounding_metrics,
    report_grounding,
    set_f1,
)
from formgym.experiments.training import train_model
from formgym.experiments.training.ranker import learned, observed, training_examples, with_noise

FILES = sorted((ROOT / "documents").glob("*.json"))
POSTER = load_document(ROOT / "documents" / "concert_poster.json")
SLIDES = load_document(ROOT / "documents" / "quarterly_review_slides.json")


def test_an_expression_is_read():
    query = reference('the second bold red text from the right that says "Sold out" below the large photo')
    assert (query.kinds, query.ordinal, query.direction) == ({"text"}, 2, "right")
    assert (query.quoted, query.quote_way, query.colour, query.styles) == ("sold out", "says", "red", ("bold",))
    assert query.anchor is not None
    assert (query.relation, query.anchor.kinds, query.anchor.places) == ("below", {"picture"}, ("large",))
    assert not query.is_plural
    assert reference("").words == ()


@pytest.mark.parametrize(
    ("expression", "kinds"),
    [
        ("the blue icon", {"icon"}),
        ("the photograph", {"picture"}),
        ("the illustration", {"icon", "picture"}),
        ("the disc", {"circle"}),
        ("the oval", {"oval"}),
        ("the figure", {"circle", "oval", "rectangle", "triangle", "diamond", "star", "arrow", "hexagon", "chevron"}),
        ("the square", {"rectangle"}),
        ("the line of text below the line", {"text"}),
        ("the dividing line", {"line"}),
        ("the text box", {"text"}),
        ("the second of the stars", {"star"}),
        ("all circles and stars", {"circle", "star"}),
        ("the element on the left", set()),
    ],
)
def test_nouns_have_kinds(expression, kinds):
    assert reference(expression).kinds == kinds


@pytest.mark.parametrize(
    ("expression", "quoted", "way"),
    [
        ('the text that says "Hello"', "hello", "says"),
        ("the text ‘Hello’", "hello", "says"),
        ('the text beginning with "Hello"', "hello", "begins"),
        ('the text with "Hello" at the start', "hello", "begins"),
        ('the text that ends in "now"', "now", "ends"),
        ('every text that contains "$"', "$", "holds"),
        ('the texts with "$" in them', "$", "holds"),
        ('the element called "main title"', "main title", "name"),
        ("the text about the baker's bread", None, "says"),
    ],
)
def test_quotations_have_a_relation_to_the_text(expression, quoted, way):
    query = reference(expression)
    assert (query.quoted, query.quote_way) == (quoted, way)


@pytest.mark.parametrize(
    ("expression", "ordinal", "direction", "places"),
    [
        ("the third icon", 3, "", ()),
        ("the 3rd icon from the top", 3, "top", ()),
        ("the icon that is second when counted from the left-hand side", 2, "left", ()),
        ("the second icon, going from left to right", 2, "left", ()),
        ("the penultimate icon", -2, "", ()),
        ("the second to last icon", -2, "", ()),
        ("the second largest icon", 2, "", ("large",)),
        ("the icon in the top left corner", 0, "", ("top", "left")),
        ("the icon furthest to the right", 0, "", ("right",)),
        ("the last icon", 0, "", ("last",)),
    ],
)
def test_orders_and_places_are_read(expression, ordinal, direction, places):
    query = reference(expression)
    assert (query.ordinal, query.direction, query.places) == (ordinal, direction, places)


@pytest.mark.parametrize(
    ("expression", "page"),
    [
        ("the icon on page 2", 1),
        ("the headline of the second page", 1),
        ("the icon on slide number 3 of the document", 2),
        ("the icon on the last page", -1),
        ("the icon on page one", 0),
        ("the icon on the page", None),
    ],
)
def test_pages_are_read(expression, page):
    assert reference(expression).page == page
    assert paged(expression)[0] in ("the icon", "the headline")


@pytest.mark.parametrize(
    ("expression", "is_plural"),
    [
        ("all icons", True),
        ("every icon below the headline", True),
        ("each of the bold texts", True),
        ("the icons", True),
        ("the first of the icons", False),
        ("the icon below all texts", False),
        ("the words at the top", False),
        ("the overall largest text", False),
    ],
)
def test_number_is_read(expression, is_plural):
    assert reference(expression).is_plural is is_plural


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
        ("the text between the photo and the name of the band", "headline"),
        ("the line between the name of the band and the ticket prices", "rule"),
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


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_names_are_enough(path):
    """What a person calls an element finds it."""
    document = load_document(path)
    missed = [e.name for e in document.elements() if rank_elements(document, f"the {e.name}")[0].element is not e]
    assert not missed


WORDS = st.lists(st.sampled_from('the all second icons text from of page 2 " below left but and red'.split()))


@given(st.one_of(st.text(max_size=60), WORDS.map(" ".join)))
@settings(max_examples=150, deadline=None)
def test_any_expression_is_accepted(expression):
    found = rank_elements(SLIDES, expression)
    assert {p.element.id for p in found} == {e.id for e in SLIDES.elements()}
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)
    assert math.isclose(sum(p.score for p in found), 1.0)
    assert {e.id for e in resolve_plural(SLIDES, expression)} <= {e.id for e in SLIDES.elements()}
    infer_place(SLIDES, expression, rank_elements)


def test_very_long_expressions_are_read_quickly():
    began = time.perf_counter()
    for words in ("the " * 50_000, '"' * 50_000, "below the " * 20_000, "page 1 " * 20_000):
        rank_elements(POSTER, words)
    assert time.perf_counter() - began < 2


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
    only = rank(SLIDES, "the topmost text", hand_set_weights(), page=1)
    assert {p.element.id for p in only} == {e.id for e in SLIDES.elements_of_page(1)}


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        ("all texts", "series headline band when where foot"),
        ("the bold texts", "series headline when"),
        ("every text that is not bold", "band where foot"),
        ("all texts below the headline", "band when where foot"),
        ('all texts that contain "7"', "when"),
        ("both shapes", "banner badge"),
        ("all shapes and lines", "banner rule badge"),
        ("all texts except the headline", "series band when where foot"),
        ("all texts in the top half of the page", "series"),
        ('all texts that contain "but the"', ""),
        ("all green texts", ""),
        ("the headline", "headline"),
    ],
)
def test_plurals_mean_all_that_fit(words, ids):
    assert [element.id for element in resolve_plural(POSTER, words)] == ids.split()


def test_what_is_called_in_the_plural_is_one():
    document = load_document(ROOT / "documents" / "board_game_rules.json")
    name = "rules for winning"
    assert [e.name for e in resolve_plural(document, f"the {name}")] == [name]


def test_plurals_keep_to_a_page():
    texts = [[e.id for e in SLIDES.elements_of_page(page) if e.type == "text"] for page in (0, 1)]
    assert [e.id for e in resolve_plural(SLIDES, "all texts", page=0)] == texts[0]
    assert [e.id for e in resolve_plural(SLIDES, "all texts on page 2")] == texts[1]


@pytest.fixture(scope="module")
def endless():
    """Expressions of the train split in documents that no ranking was trained on."""
    documents = [endless_document(path.stem, 1, 4242) for path in FILES[::6]]
    return [(d, m) for d in documents for k in range(24) for m in planned_request(d, "train", k, 4242).mentions]


def test_generated_expressions_mean_what_they_were_made_for(endless):
    single = [(d, m) for d, m in endless if len(m.ids) == 1 and not m.kind.startswith("all")]
    right = [rank_elements(d, m.words)[0].element.id == m.ids[0] for d, m in single]
    assert len(single) > 100
    assert np.mean(right) >= 0.98


def test_generated_plurals_mean_what_they_were_made_for(endless):
    several = [(d, m) for d, m in endless if m.kind.startswith("all")]
    f1 = [set_f1({e.id for e in resolve_plural(d, m.words)}, set(m.ids)) for d, m in several]
    assert len(several) > 20
    assert np.mean(f1) >= 0.97


def test_ranking_is_quick():
    document = endless_document("quarterly_review_slides", 2, 9)
    times = []
    for number in range(40):
        began = time.perf_counter()
        rank_elements(document, f"the {number}th bold text from the left below the headline")
        times.append(time.perf_counter() - began)
    assert sorted(times)[20] < 0.003 * max(1, len(list(document.elements())) / 40)


def test_the_weights_that_are_shipped_name_the_features():
    shipped = json.loads(LEARNED.read_text())
    assert list(shipped) == list(FEATURES) == list(hand_set_weights())
    assert dict(learned_weights()) == shipped


@LONG
def test_learning_makes_targets_likelier_and_is_reproducible():
    examples = []
    for example in training_examples(layouts=1, requests=2):
        examples.append(example)
        if len(examples) == 40:
            break
    start = dict.fromkeys(FEATURES, 0.0)
    weights = learned(with_noise(examples), start)
    assert weights == learned(with_noise(examples), start)

    def likelihood(counts):
        chances = [{p.element.id: p.score for p in rank(d, m.words, counts)} for d, m in examples]
        return np.mean([math.log(sum(c[i] for i in m.ids)) for c, (_, m) in zip(chances, examples, strict=True)])

    assert likelihood(weights) > likelihood(start) + 1
    observations = observed(examples, weights)
    assert observations.sizes.sum() == len(observations.features) == len(observations.shares)
    assert np.allclose(np.add.reduceat(observations.shares, observations.starts), 1)


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
    assert infer_place(POSTER, words, rank_elements) == box


def test_a_corner_is_on_the_page_of_the_expression():
    wide = SLIDES.pages[1].width
    assert infer_place(SLIDES, "in the top right corner of page 2", rank_elements, 0) == (wide - 24 - 240, 24, 240, 40)


@pytest.mark.parametrize("path", FILES[::5], ids=lambda path: path.stem)
def test_places_of_the_train_split_are_found(path):
    """The middle of what is placed lies where a request wants it."""
    document = load_document(path)
    page, scene = document.pages[0], Scene(document, 0, ())
    for place, templates in phrasings("train").places.items():
        for template in templates:
            if place in _CORNERS:
                anchors, regions = [""], [_quarter(scene, place)]
            else:
                room = [e for e in page.elements if e.name and e.type != "group" and 80 < e.bbox[1] < page.height - 160]
                anchors = [f"the {e.name}" for e in room[::5]]
                regions = [region_beside(place, e.bbox, (*_corner(place, e.bbox), 320, 24)) for e in room[::5]]
            for anchor, (left, top, width, height) in zip(anchors, regions, strict=True):
                box = infer_place(document, template.format(anchor=anchor), rank_elements)
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
            left, top, width, height = infer_place(document, f"{side} the {element.name}", rank_elements)
            assert 0 <= left <= max(page.width - width, 0)
            assert 0 <= top <= max(page.height - height, 0)


def test_the_locator_finds_elements_on_the_visible_page():
    with DocumentGroundingEnv("concert_poster") as env:
        observation, _ = env.reset(seed=1)
        locator = DocumentLocator(env)
        left, top, width, height = POSTER.find("headline").bbox
        assert locator.locate(observation["page"], "the headline")[0].box == (left, top, left + width, top + height)
        ranked = locator.ranked("the headline")
        assert len(ranked) == len(POSTER.pages[0].elements)
        assert math.isclose(sum(score for _, score in ranked), 1)


def test_the_locator_follows_edits_and_sizes():
    with DocumentEnv("concert_poster", render_size=(480, 360)) as env:
        observation, _ = env.reset(seed=1)
        locator = DocumentLocator(env)
        assert observation["page"].shape[:2] == (480, 360)
        left, top, width, height = POSTER.find("headline").bbox
        expected = tuple(edge / 2 for edge in (left, top, left + width, top + height))
        assert locator.locate(observation["page"], "the headline")[0].box == expected
        call = {"tool": "move", "object_id": "headline", "x": 10, "y": 20}
        _, _, _, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"], info["feedback"]
        assert locator.ranked("the headline")[0][0] == (10, 20, 10 + width, 20 + height)


def test_average_precision_is_that_of_coco():
    """Two expressions: one is right at once, one in the second place, and not so sure."""
    found = [Detection("says", (0.9, 0.1), (1.0, 0.0), 1), Detection("says", (0.6, 0.4), (0.0, 0.7), 2)]
    # In the order of scores: right, wrong, right, wrong. Precision 1 up to recall .5, then 2/3.
    assert average_precision(found, 0.5) == pytest.approx((51 * 1 + 50 * 2 / 3) / 101)
    assert average_precision(found, 0.75) == pytest.approx(51 / 101)
    assert average_precision(found[:1], 0.95) == 1.0


def test_overlaps_and_sets_are_measured():
    assert box_iou((0, 0, 10, 10), (5, 0, 15, 10)) == pytest.approx(1 / 3)
    assert set_f1({"a", "b"}, {"b", "c"}) == pytest.approx(0.5)
    assert set_f1(set(), {"a"}) == 0.0


@LONG
def test_grounding_is_reported(capsys, tmp_path):
    report_grounding(out=tmp_path / "new" / "metrics.json")
    written = json.loads((tmp_path / "new" / "metrics.json").read_text())
    assert written["singular"]["overall"]["expressions"] > 500
    assert "top-1" in capsys.readouterr().out


def test_only_models_that_there_are_can_be_trained():
    with pytest.raises(ValueError, match="no model 'reader'; there are ranker, feedback"):
        train_model("reader")


def test_metrics_of_held_out_expressions():
    metrics = grounding_metrics(n=250)
    ranker = metrics["singular"]["overall"]
    assert min(ranker["top_1"], ranker["ap"], ranker["ap50"]) > 0.95
    assert metrics["plural"]["overall"]["set_f1"] > 0.95
    counts = [one["expressions"] for kind, one in metrics["singular"].items() if kind != "overall"]
    assert sum(counts) == ranker["expressions"] > 150
    assert ranker["expressions"] + metrics["plural"]["overall"]["expressions"] == 250


def test_expressions_that_are_measured_are_all_different():
    test = [(d.name, m.words, m.ids) for d, m in expressions("test")]
    assert len(set(test)) == len(test) > 500
    with pytest.raises(ValueError, match="no split"):
        next(expressions("all"))
    with pytest.raises(ValueError, match="no split"):
        grounding_metrics("best")
