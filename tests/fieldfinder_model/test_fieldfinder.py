"""The shipped FieldFinder, and the locators by rules: on pages made for it that it was not trained on."""

import hashlib
import json
from itertools import permutations
from math import inf

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from sizes import LONG, some

pytest.importorskip("cv2")
pytest.importorskip("onnxruntime")

from formgym.envs.core.locators import Detection
from formgym.envs.paper_forms.made_pages.page_generator import page as made_page
from formgym.fieldfinder_model.locators.finder import WEIGHTS, FieldFinder
from formgym.fieldfinder_model.locators.page_reader import assignment, one_place_each
from formgym.fieldfinder_model.locators.rule_locators import RightOfLabel, RuleLocator
from formgym.fieldfinder_model.reading.ocr import ocr_words

UNSEEN = 10_000_000
"""The first seed of pages that nothing is trained on."""
READERS = {"fieldfinder": FieldFinder, "rules": RuleLocator, "right_of_label": RightOfLabel}


def _picture(page):
    return np.repeat(page.gray[:, :, None], 3, axis=2)


@pytest.fixture(scope="module")
def pages():
    return [made_page(UNSEEN + i) for i in range(some(4, 12))]


@pytest.fixture(scope="module")
def readers(pages):
    """Each locator, which knows the words of the pages."""
    made = {name: make() for name, make in READERS.items()}
    for page in pages:
        for locator in made.values():
            locator.add_words(_picture(page), page.words)
    return made


@pytest.fixture(scope="module", params=READERS)
def reader(request, readers):
    return readers[request.param]


def _share_in_field(locator, pages):
    right = total = 0
    for page in pages:
        for example, found in zip(
            page.examples, locator.locate_all(_picture(page), [e.target for e in page.examples]), strict=True
        ):
            total += 1
            if found:
                left, top, right_edge, bottom = found[0].box
                x, y = (left + right_edge) / 2, (top + bottom) / 2
                field = example.field
                right += field[0] <= x <= field[2] and field[1] <= y <= field[3]
    return right / total


def test_the_shipped_weights_are_those_of_their_card():
    card = json.loads((WEIGHTS / "card.json").read_text(encoding="utf-8"))
    for name, digest in card["sha256"].items():
        assert hashlib.sha256((WEIGHTS / name).read_bytes()).hexdigest() == digest
    assert card["licence"] == "MIT"
    assert card["data"] == ["synthetic"]
    assert sum((WEIGHTS / name).stat().st_size for name in card["sha256"]) < 15e6


def test_the_network_beats_the_rules_on_unseen_pages(readers, pages):
    shares = {name: _share_in_field(locator, pages) for name, locator in readers.items()}
    assert shares["fieldfinder"] > 0.8
    assert shares["fieldfinder"] > shares["rules"] + 0.1
    assert shares["rules"] > shares["right_of_label"] > 0.1


@LONG
def test_places_are_ranked_on_the_page_and_sum_to_one_at_most(reader, pages):
    for page in pages:
        height, width = page.gray.shape
        for example in page.examples:
            found = reader.locate(_picture(page), example.target)
            assert [place.score for place in found] == sorted((place.score for place in found), reverse=True)
            assert 0 <= sum(place.score for place in found) <= 1 + 1e-6
            for left, top, right, bottom in (place.box for place in found):
                assert 0 <= left < right <= width
                assert 0 <= top < bottom <= height


def test_many_targets_have_the_places_of_one_by_one_and_share_no_first(reader, pages):
    picture, targets = _picture(pages[0]), [example.target for example in pages[0].examples]
    together, alone = reader.locate_all(picture, targets), [reader.locate(picture, target) for target in targets]
    assert list(map(sorted, together)) == list(map(sorted, alone))
    assert one_place_each(alone) == together
    assert reader.locate_all(picture, [targets[0], targets[0]]) == [alone[0], alone[0]]
    assert reader.locate_all(picture, []) == []


def test_what_is_not_printed_is_not_found(reader, pages):
    assert reader.locate(_picture(pages[0]), "ξψω χχχ 漢字漢字漢字") == []
    assert reader.label(_picture(pages[0]), "ξψω χχχ 漢字漢字漢字") is None


@settings(deadline=None, max_examples=some(8, 25))
@given(target=st.text(max_size=80))
def test_any_target_is_borne(reader, pages, target):
    assert len(reader.locate(_picture(pages[1]), target)) <= 5


@pytest.mark.parametrize("page", [np.zeros((5, 5), np.uint8), np.zeros((5, 5, 3)), np.zeros((5, 5, 4), np.uint8)])
def test_no_page_is_told(reader, page):
    with pytest.raises(ValueError, match=r"a page is uint8 \(height, width, 3\)"):
        reader.locate(page, "Name")


def test_a_page_is_read_once_until_it_is_forgotten(monkeypatch):
    pytest.importorskip("rapidocr")
    page = _picture(made_page(UNSEEN))[:300].copy()
    read = []
    monkeypatch.setattr(
        "formgym.fieldfinder_model.reading.page_reading.ocr_words", lambda gray: read.append(1) or ocr_words(gray)
    )
    finder = FieldFinder()
    first = finder.locate(page, "Date")
    assert finder.locate(page.copy(), "Date") == first
    assert len(finder.locate_all(page, ["Name", "Phone"])) == 2
    assert len(read) == 1
    finder.forget()
    assert finder.locate(page, "Date") == first
    assert len(read) == 2


def test_what_is_written_on_a_page_does_not_make_it_another(pages, monkeypatch):
    finder, window = FieldFinder(), FieldFinder(reread=True)
    picture = _picture(pages[0])
    for one in (finder, window):
        one.add_words(picture, pages[0].words)
    monkeypatch.setattr("formgym.fieldfinder_model.reading.page_reading.ocr_words", _no_reader)
    target = pages[0].examples[0].target
    written = picture.copy()
    written[40:60, 50:400:3] = 0
    assert finder.locate(written, target) == finder.locate(picture, target)
    erased = picture.copy()
    left, top, right, bottom = (int(edge) for edge in pages[0].words[0].box)
    erased[top:bottom, left:right] = 255
    for other in (_picture(pages[1]), picture[::-1], np.full_like(picture, 255), erased):
        with pytest.raises(AssertionError, match="read again"):
            finder.locate(other, target)
    # A window is read anew whatever came on it.
    with pytest.raises(AssertionError, match="read again"):
        window.locate(written, target)


def _no_reader(gray):
    raise AssertionError("read again")


def test_a_blank_page_has_no_fields():
    pytest.importorskip("rapidocr")
    assert FieldFinder().locate(np.full((200, 300, 3), 255, np.uint8), "Name") == []


def test_missing_weights_are_told(tmp_path):
    with pytest.raises(ValueError, match="no weights"):
        FieldFinder(tmp_path)


# -- Names that are located together take no place twice ---------------------------------------------------------------

LEFT, RIGHT, FAR = (0.0, 0.0, 50.0, 10.0), (60.0, 0.0, 110.0, 10.0), (0.0, 100.0, 50.0, 110.0)

shapes = st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), st.integers(n, 5)))
costs = shapes.flatmap(lambda size: arrays(np.float64, size, elements=st.floats(-50, 50)))
scored = st.tuples(st.sampled_from([LEFT, RIGHT, FAR]), st.floats(0, 1)).map(lambda place: Detection(*place))
places = st.lists(scored, max_size=4).map(lambda found: sorted(found, key=lambda place: -place.score))


@given(costs)
def test_the_assignment_is_the_cheapest(matrix):
    rows = np.arange(len(matrix))
    chosen = assignment(matrix)
    assert len(set(chosen.tolist())) == len(rows)
    best = min(
        (matrix[rows, list(order)].sum() for order in permutations(range(matrix.shape[1]), len(rows))), default=inf
    )
    assert matrix[rows, chosen].sum() == pytest.approx(best, abs=1e-6)


SURE, UNSURE = [Detection(LEFT, 0.9), Detection(RIGHT, 0.05)], [Detection(LEFT, 0.6), Detection(RIGHT, 0.3)]
NEARLY = [Detection((2.0, 1.0, 52.0, 11.0), 0.6), Detection(FAR, 0.3)]


@pytest.mark.parametrize(
    ("found", "firsts"),
    [
        ([SURE, UNSURE], [LEFT, RIGHT]),
        ([UNSURE, SURE], [RIGHT, LEFT]),
        ([SURE, NEARLY], [LEFT, FAR]),
        ([SURE[:1], UNSURE[:1]], [LEFT, LEFT]),
    ],
    ids=["the less sure gives way", "in either order", "boxes that overlap are one place", "there is no other"],
)
def test_names_share_no_place_if_there_is_another(found, firsts):
    assert [each[0].box for each in one_place_each(found)] == firsts


@given(st.lists(places, max_size=5))
def test_nothing_is_lost_and_one_name_alone_is_left_as_it_is(found):
    together = one_place_each(found)
    assert [sorted(each) for each in together] == [sorted(each) for each in found]
    if len(found) == 1 and len({place.score for place in found[0]}) == len(found[0]):
        assert together[0][:1] == found[0][:1]
