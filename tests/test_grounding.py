"""Grounding: expressions are read as they are meant, and the element that is meant comes first."""

import pytest

from formgym.assets import ROOT
from formgym.envs.documents.grounding.expressions import reference
from formgym.envs.documents.grounding.places import infer_place
from formgym.envs.documents.grounding.ranking import rank
from formgym.envs.documents.scene.document import load_document

FILES = sorted((ROOT / "documents").glob("*.json"))
POSTER = load_document(ROOT / "documents" / "concert_poster.json")


def test_an_expression_is_read():
    asked = reference('the second bold red text from the right that says "Sold out" below the large photo')
    assert (asked.kind, asked.ordinal, asked.direction, asked.quoted) == ("text", 2, "right", "Sold out")
    assert asked.colour == (208, 44, 44)
    assert asked.styles == ("bold",)
    assert (asked.relation, asked.anchor.kind) == ("below", "image")
    assert reference("all the icons").is_plural
    assert reference("the blue circle").shape == "ellipse"
    assert reference("").words == ""


@pytest.mark.parametrize(
    ("expression", "element"),
    [
        ("the headline", "headline"),
        ("the photograph", "photo"),
        ("the star", "badge"),
        ("the table", "prices"),
        ("the ticket prices", "prices"),
        ('the text that says "The Tidewater Quintet"', "band"),
        ("the line", "rule"),
        ("the line below the name of the band", "rule"),
        ("the text above the photograph", "series"),
        ("the bottommost text", "foot"),
        ("the italic text", "band"),
        ("the turned shape", "badge"),
        ("the list", "notes"),
        ("the shape at the top", "banner"),
        ("the dark blue rectangle", "banner"),
    ],
)
def test_what_is_meant_comes_first(expression, element):
    found = rank(POSTER, expression)
    assert found[0].element.id == element, [(p.element.id, round(p.score, 2)) for p in found[:4]]
    assert [p.score for p in found] == sorted((p.score for p in found), reverse=True)
    assert len(found) == len(list(POSTER.elements()))


def test_ordinals_and_places_choose_among_what_is_alike():
    document = load_document(ROOT / "documents" / "cafe_price_list.json")
    icons = [e for e in document.elements() if e.type == "table"]
    assert rank(document, "the table")[0].element in icons
    bike = load_document(ROOT / "documents" / "bike_rental_poster.json")
    prices = sorted((e for e in bike.elements() if e.text.startswith("$")), key=lambda e: e.bbox[0])
    if len(prices) == 3:
        assert rank(bike, f'the text that says "{prices[1].text}"')[0].element is prices[1]


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_names_are_enough(path):
    """What a person calls an element finds it; where names are much alike, nearly always."""
    document = load_document(path)
    elements = list(document.elements())
    hits = sum(rank(document, f"the {e.name}")[0].element is e for e in elements)
    assert hits / len(elements) >= 0.9


@pytest.mark.parametrize(
    "expression", ["", "   ", "\0", "the " * 500, "42", "'", '"', "the", "(((", "🙂", "in the in the"]
)
def test_anything_can_be_said(expression):
    assert len(rank(POSTER, expression)) == len(list(POSTER.elements()))


@pytest.mark.parametrize(
    ("words", "box"),
    [
        ("below the headline", (60, 596, 600, 40)),
        ("right above the name of the band", (60, 538, 600, 40)),
        ("to the right of the date and time", (362, 672, 240, 40)),
        ("next to the star", (480, 420, 240, 140)),
        ("in the top left corner", (24, 24, 240, 40)),
        ("at the bottom", (240, 896, 240, 40)),
        ("in the centre of the page", (240, 460, 240, 40)),
        ("somewhere nice", None),
        ("", None),
    ],
)
def test_where_something_new_goes(words, box):
    assert infer_place(POSTER, words) == box


@pytest.mark.parametrize("path", FILES[::6], ids=lambda path: path.stem)
def test_new_things_stay_on_their_page(path):
    document = load_document(path)
    page = document.pages[0]
    for element in page.elements[::6]:
        for side in ("below", "above", "left of", "right of"):
            left, top, width, height = infer_place(document, f"{side} the {element.name}")
            assert 0 <= left <= max(page.width - width, 0)
            assert 0 <= top <= max(page.height - height, 0)
