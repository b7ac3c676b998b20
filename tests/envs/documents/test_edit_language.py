"""Requests in plain English: each is carried out to its last word, or refused with what is not understood."""

import ast
import json
import os
import random
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import DATA, TESTS
from sizes import LONG, sample, some

from formgym.envs.documents.language.bank import all_words
from formgym.envs.documents.language.element_descriptions import Unresolved
from formgym.envs.documents.language.request_parser import MAX_LENGTH, read
from formgym.envs.documents.language.resolving import resolve
from formgym.envs.documents.language.scope import Refused
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.scene.document import Document, shipped_document, shipped_documents

RECORDED = json.loads((DATA / "edit_requests.json").read_text(encoding="utf-8"))
DECKS = {name: Document.model_validate(deck) for name, deck in RECORDED["decks"].items()}
EMU = 9525.0
"""English metric units in a pixel of the decks, which are ten inches wide."""
POSTER = shipped_document("concert_poster")


def _edited(deck, request):
    return read(request, DECKS[deck], EMU).document


def _changed(deck, request):
    before, after = DECKS[deck], _edited(deck, request)
    return {e.name for e in before.elements() if after.find(e.id) != e}, after


def test_of_a_hundred_requests_of_office_life_none_is_carried_out_wrongly():
    """Requests and decks of an author who did not know the rules, with the operations that were judged right."""
    right = wrong = 0
    rows = sample(RECORDED["requests"], 33)
    for row in rows:
        try:
            made = read(row["request"], DECKS[row["deck"]], EMU).operations
        except Refused:
            continue
        is_right = json.loads(json.dumps(made)) == row["operations"]
        right, wrong = right + is_right, wrong + (not is_right)
    assert len(RECORDED["requests"]) == 100
    assert wrong <= 1
    assert right >= 0.45 * len(rows)


@pytest.mark.parametrize(
    ("deck", "request_", "words"),
    [
        ("review", "make the logo larger and sparkling", "sparkling"),
        ("invoice", "make the number larger and white", "number"),
        ("invoice", 'drop the "Support hours" item', "part"),
        ("poster", "Delete the last act of the programme", "act"),
        ("poster", "Delete the sponsors", "sponsors"),
        ("poster", 'Make "Free entry" bold', "part"),
        ("poster", "Make the headline white on black", "white on"),
        ("newsletter", "Make the science fair headline bold", "science fair"),
        ("newsletter", "Change Sports day to 5 May", ""),
        ("review", "Make the title red", "which one"),
        ("review", "Make the title on slide 9 red", "no page 9"),
        ("review", "Don't delete the logo", "Don't"),
        ("review", "Delete the logo unless it is new", "unless"),
        ("review", "Should I delete the logo?", ""),
        ("review", "Delete the logo? No, keep it", ""),
        ("review", "Move the logo to 3, 2", ""),
        ("review", "Put the logo on slide 2", ""),
        ("review", 'Change the Highlights list to "x" and dance', ""),
        ("invoice", "Change the heading to RECHNUNG", "which page"),
        ("invoice", "Change the total due to 2000", "no such value"),
        ("invoice", "Make all text on slide 2 blue", ""),
        ("poster", "Make the star and the tree bigger", "tree"),
        ("review", "Change Maria Lopez to Ana Silva and make it bold", ""),
        ("review", "", ""),
        ("review", "?" * 3000, "characters"),
    ],
)
def test_what_is_open_is_refused_with_its_words(deck, request_, words):
    with pytest.raises(Refused) as caught:
        _edited(deck, request_)
    assert words in str(caught.value)


def test_an_amount_of_money_is_no_place():
    changed, after = _changed("invoice", "The total ought to read $1,400")
    assert changed == {"Total"}
    (total,) = (e for e in after.elements() if e.name == "Total")
    assert total.text == "Total due: $1,400"
    assert total.bbox == next(e for e in DECKS["invoice"].elements() if e.name == "Total").bbox


def test_an_item_is_not_its_list():
    changed, after = _changed("itinerary", "Delete the sunset boat trip")
    assert len(changed) == 1
    assert "Pastéis de Belém" in next(e.text for e in after.elements() if e.type == "list")


def test_every_title_is_no_page_number():
    before, after = DECKS["review"], _edited("review", "Make every slide title yellow")
    changed = [e for e in before.elements() if after.find(e.id) != e]
    assert len(changed) == len(before.pages)
    assert all(e.name.startswith("title") for e in changed)


def test_a_new_text_overwrites_none_that_is_called_text():
    text = next(e for e in POSTER.elements() if e.type == "text").model_copy(update={"name": "text"})
    elements = tuple(text if e.id == text.id else e for e in POSTER.pages[0].elements)
    document = POSTER.with_elements(0, elements)
    after = read('Add the text "Draft" in the top right corner', document).document
    assert all(after.find(e.id) == e for e in document.elements())
    (new,) = (e for e in after.elements() if e.id not in document.places)
    assert new.text == "Draft"


def test_two_things_are_two_things():
    changed, _ = _changed("poster", "Make the star and the picture bigger")
    assert len(changed) == 2


@pytest.mark.parametrize("row", ["top", "bottom"])
@pytest.mark.parametrize("column", ["left", "right"])
def test_a_corner_is_a_corner(row, column):
    where = f"in the {row} {column} corner"
    for request in (f'Add the text "Draft" {where}', f"Move the photograph {where}"):
        after = read(request, POSTER).document
        (element,) = (e for e in after.elements() if POSTER.find(e.id) != e)
        left, top, width, height = element.bbox
        page = POSTER.pages[0]
        assert (left if column == "left" else page.width - left - width) in range(0, 33)
        assert (top if row == "top" else page.height - top - height) in range(0, 33)
    if column == "right":
        assert read(f'Add the text "Draft" {where}', POSTER).document.pages[0].elements[-1].bbox[2] < 100


@pytest.mark.parametrize(
    ("request_", "size"), [("Make the title on slide 2 36 pt", 48), ("Make the title on slide 2 36 px", 36)]
)
def test_units_are_read(request_, size):
    after = _edited("review", request_)
    assert next(e for e in after.elements_of_page(1) if e.name.startswith("title")).style.size == size


def test_clauses_are_read_one_after_the_other():
    changed, after = _changed("prices", "Make the sale badge blue and move it to the top left corner, please")
    assert changed == {"Sale Badge"}
    badge = next(e for e in after.elements() if e.name == "Sale Badge")
    assert badge.bbox[:2] == (24, 24)


def test_what_the_shipped_requests_name_is_resolved_or_refused():
    right = wrong = 0
    for name in shipped_documents()[::4]:
        document = shipped_document(name)
        for mention in (mention for request in frozen_requests(name) for mention in request.mentions):
            try:
                found = {element.id for element in resolve(document, mention.words)}
            except Unresolved:
                continue
            right, wrong = right + (found == set(mention.ids)), wrong + (found != set(mention.ids))
    assert wrong == 0
    assert right > 280


@given(st.text(max_size=60))
@settings(max_examples=60, deadline=None)
def test_any_text_is_read_or_refused(text):
    with suppress(Refused):
        assert read(text, DECKS["review"], EMU).document != DECKS["review"]


@LONG
def test_no_request_takes_long_to_read():
    """Costs are counted in processor time of a process of its own, with a factor of three for slow machines."""
    code = "from test_edit_language import costs_of_word_salads as costs; print(max(costs()))"
    path = os.pathsep.join([str(TESTS), os.environ.get("PYTHONPATH", "")])
    run = subprocess.run(
        [sys.executable, "-c", code],
        cwd=Path(__file__).parent,
        env=os.environ | {"PYTHONPATH": path},
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    seconds, request = ast.literal_eval(run.stdout)
    assert seconds < 3, request


def costs_of_word_salads():
    """Seconds of the processor and request: words that rules know, at random and over and over."""
    rng = random.Random(0)
    known = sorted(all_words() | {"title", "logo", "slide", "?", ",", '"x"', "1", "it"})
    starts = ["make the title ", "make everything except the title ", "swap the ", "move it and ", ""]
    salads = [f"{'and ' * 140}delete the title", f"make the title {'very ' * 80}red", "? " * 300, "and , " * 100]
    for _ in range(some(2, 40)):
        vocabulary = rng.sample(known, rng.choice([1, 2, 3, 8, 40]))
        salads.append(rng.choice(starts) + " ".join(rng.choices(vocabulary, k=300)))
    for salad in salads:
        began = time.process_time()
        with suppress(Refused):
            _edited("review", salad[:MAX_LENGTH].strip())
        yield time.process_time() - began, salad[:MAX_LENGTH]
