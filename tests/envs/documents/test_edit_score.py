"""Edit scores: equivalent edits pass, edits with an extra change fail, doing nothing is worth nothing."""

import itertools

import numpy as np
import pytest
from document_walk import random_operation
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

from formgym.assets import ROOT
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.scene.colours import colour_difference
from formgym.envs.documents.scene.document import Document, changes, load_document
from formgym.envs.documents.scoring.edit_score import edit_score, field_similarity

POSTER = load_document(ROOT / "documents" / "concert_poster.json")


def _edited(*calls, document=POSTER):
    for name, *arguments in calls:
        document = OPERATIONS[name](document, *arguments)
    return document


GOLD = {
    "move": [("MOVE", "headline", None, ("DOWN", 20))],
    "delete": [("DELETE", "badge")],
    "text": [("MODIFY", "headline", "Winter Lights", "text")],
    "colour": [("MODIFY", "badge", "blue", "fill")],
    "add": [("ADD", "text", '"Sold out"', [60, 130])],
    "copy": [("COPY", "badge", [20, 500])],
    "replace": [("REPLACE", "photo", "image", "shape", "a green rectangle")],
    "order": [("MODIFY", "badge", "back", "order")],
    "split": [("SPLIT", "notes")],
    "merge": [("MERGE", ["when", "where"])],
    "several": [("MODIFY", "when", True, "italic"), ("MOVE", "where", [100, 700]), ("DELETE", "foot")],
}
EQUIVALENT = {
    "move": [[("MOVE", "headline", [60, 520])], [("MODIFY", "headline", [60, 520], "position")]],
    "delete": [[("MOVE", "badge", [0, 0]), ("DELETE", "badge")]],
    "text": [[("REPLACE", "headline", "text", "text", "Winter Lights")]],
    "colour": [[("MODIFY", "badge", "red", "fill"), ("MODIFY", "badge", [44, 96, 190], "fill")]],
    "add": [[("ADD", "text", "Sold out", [0, 0]), ("MODIFY", "n1", [60, 130], "position")]],
    "replace": [
        [("DELETE", "photo"), ("ADD", "shape", "a green rectangle", [60, 150, 600, 330])],
        [("ADD", "shape", "a green rectangle", [60, 150, 600, 330]), ("DELETE", "photo")],
    ],
    "several": [[("DELETE", "foot"), ("MOVE", "where", [100, 700]), ("MODIFY", "when", True, "italic")]],
}
EXTRA = [
    ("MOVE", "series", None, ("UP", 1)),
    ("MODIFY", "series", "grey", "color"),
    ("DELETE", "rule"),
    ("ADD", "shape", "a red star", [5, 5]),
    ("MODIFY", "prices", (1, 1, "Tickets"), "cell"),
    ("MODIFY", "series", "front", "order"),
    ("COPY", "rule"),
]


@pytest.mark.parametrize("name", GOLD)
def test_the_wanted_edit_is_exact_and_none_is_worth_nothing(name):
    expected = _edited(*GOLD[name])
    assert edit_score(POSTER, _edited(*GOLD[name]), expected).is_exact
    nothing = edit_score(POSTER, POSTER, expected)
    assert nothing.f1 == nothing.recall == 0.0
    assert nothing.preservation == 1.0
    assert not nothing.is_exact


@pytest.mark.parametrize(("name", "calls"), [(n, c) for n, several in EQUIVALENT.items() for c in several])
def test_an_equivalent_edit_is_exact(name, calls):
    assert edit_score(POSTER, _edited(*calls), _edited(*GOLD[name])).is_exact


@pytest.mark.parametrize(("name", "extra"), list(itertools.product(GOLD, EXTRA)))
def test_an_extra_change_is_never_exact(name, extra):
    score = edit_score(POSTER, _edited(*GOLD[name], extra), _edited(*GOLD[name]))
    assert not score.is_exact
    assert score.precision < 1.0
    assert score.preservation < 1.0
    assert score.recall > 0.9


def test_half_an_edit_is_worth_a_part():
    expected = _edited(*GOLD["several"])
    half = edit_score(POSTER, _edited(*GOLD["several"][:2]), expected)
    assert half.precision == 1.0
    assert 0 < half.recall < 1
    assert half.preservation == 1.0


def test_near_misses_are_worth_more_than_far_ones():
    expected = _edited(("MODIFY", "headline", "Winter Lights", "text"))
    scores = [
        edit_score(POSTER, _edited(("MODIFY", "headline", text, "text")), expected).f1
        for text in ("Winter Lights", "Winter Light", "Lights in winter", "xxx")
    ]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] == 1.0
    assert scores[-1] < 0.1
    moved = _edited(("MOVE", "badge", [100, 100]))
    near, far = (edit_score(POSTER, _edited(("MOVE", "badge", at)), moved).f1 for at in ([104, 100], [400, 100]))
    assert 0.9 < near < 1
    assert far == 0


def test_colours_are_compared_as_they_are_seen():
    assert colour_difference((0, 0, 0), (255, 255, 255)) == pytest.approx(100, abs=0.01)
    assert colour_difference((10, 20, 30), (10, 20, 30)) == 0
    assert colour_difference((200, 30, 30), (205, 30, 30)) < 3
    assert field_similarity("style.fill", None, (1, 2, 3)) == 0


def test_random_edits_are_exact_only_against_themselves():
    rng = np.random.default_rng(0)
    documents = [POSTER]
    while len(documents) < 40:
        name, arguments = random_operation(POSTER, rng)
        try:
            documents.append(OPERATIONS[name](POSTER, **arguments))
        except ToolError:
            continue
    for one, other in itertools.product(documents, documents):
        score = edit_score(POSTER, one, other)
        assert 0 <= score.f1 <= 1
        assert 0 <= score.preservation <= 1
        assert score.is_exact == (changes(POSTER, one) == changes(POSTER, other))


def _numbered(number, page):
    """A page whose ids say which of several it is, without groups."""
    elements = [e.model_copy(update={"id": f"p{number}_{e.id}"[:40], "parent": None}) for e in page.elements]
    return page.model_copy(update={"elements": tuple(elements)})


_ONE_SIZE = [load_document(path) for path in sorted((ROOT / "documents").glob("*.json"))]
_ONE_SIZE = [document.pages[0] for document in _ONE_SIZE if document.pages[0].width == POSTER.pages[0].width][:4]
PAGES = [_numbered(i, page) for i, page in enumerate(_ONE_SIZE)]
PAGES += [page.model_copy(update={"elements": page.elements[::-2]}) for page in PAGES]
PAGES += [PAGES[0].model_copy(update={"elements": ()})]
DOCUMENTS = st.lists(
    st.integers(0, len(PAGES) - 1), min_size=1, max_size=4, unique_by=lambda i: i % 4 if i < 8 else i
).map(lambda numbers: Document(name="made", title="Made", kind="slides", pages=tuple(PAGES[i] for i in numbers)))
"""Documents of one to four pages; those of two have pages, elements and ids in common."""


@settings(deadline=None, max_examples=some(15, 60))
@given(DOCUMENTS, DOCUMENTS, DOCUMENTS)
def test_documents_of_any_numbers_of_pages_have_a_score(source, edited, expected):
    for score in (edit_score(source, edited, expected), edit_score(source, source, expected)):
        assert all(0 <= metric <= 1 for metric in (score.precision, score.recall, score.f1, score.preservation))
    assert edit_score(source, expected, expected).is_exact
    assert edit_score(source, source, expected).f1 == (not changes(source, expected))


def test_elements_of_pages_that_only_one_document_has_are_added_or_removed():
    one, two = (Document(name="made", title="Made", kind="slides", pages=tuple(PAGES[:n])) for n in (1, 2))
    more, fewer = changes(one, two), changes(two, one)
    ids = [element.id for element in PAGES[1].elements]
    assert [name for name, field in more if field == "added"] == [*ids, "new page 1"]
    assert list(fewer) == [(name, "removed") for name in (*ids, "page 2")]
    first = changes(two, Document(name="made", title="Made", kind="slides", pages=(PAGES[1],)))
    removed = [name for name, field in first if field == "removed"]
    assert removed == [*(element.id for element in PAGES[0].elements), "page 2"]
