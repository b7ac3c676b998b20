"""Requests: their words mean one thing, gold edits can be made and leave nothing out, the splits share nothing."""

import json
import re

import numpy as np
import pytest
from sizes import LONG, sample, some

from formgym.envs.core.tools import ToolError
from formgym.envs.documents.env import endless_document
from formgym.envs.documents.operations.draft import EditScene, operation
from formgym.envs.documents.operations.table import EDITS
from formgym.envs.documents.requests.frozen import frozen_requests, planned_request
from formgym.envs.documents.requests.generate import edits_by_action, make_request
from formgym.envs.documents.requests.phrasings import REFERENCES, Phrasings, phrasings
from formgym.envs.documents.requests.referring import plural, singular
from formgym.envs.documents.requests.request import apply_operations
from formgym.envs.documents.scene.document import shipped_document, shipped_documents, without
from formgym.envs.documents.scoring.evaluator import Evaluator

NAMES = shipped_documents()
ALL = [(name, i, request) for name in NAMES for i, request in enumerate(frozen_requests(name))]


def test_there_are_as_many_requests_as_are_told():
    assert len(NAMES) == 41
    assert len(ALL) == 977
    assert len({request.text for _, _, request in ALL}) == len(ALL)


def test_every_operation_kind_and_way_of_speaking_occurs():
    assert {edit for _, _, r in ALL for edit in r.edits} == set(phrasings("test").imperative)
    assert {m.kind for _, _, r in ALL for m in r.mentions} == set(REFERENCES)
    assert sum(r.is_pattern for _, _, r in ALL) > 150
    assert sum(r.is_compound for _, _, r in ALL) > 80


def test_every_kind_of_edit_can_be_trained_on():
    assert set(EDITS) == {edit for edits in edits_by_action("train").values() for edit in edits}


def test_the_splits_share_no_template_and_no_text():
    test, train = phrasings("test"), phrasings("train")
    assert not test.templates() & train.templates()
    assert not set(test.texts) & set(train.texts)


@LONG
def test_the_splits_share_no_request():
    known = {re.sub(r"[^a-z ]", "", request.text.lower()) for _, _, request in ALL}
    for seed in range(60):
        name = NAMES[seed % len(NAMES)]
        text = planned_request(endless_document(name, seed, 0), "train", seed).text
        assert re.sub(r"[^a-z ]", "", text.lower()) not in known


def test_constraints_hold_of_the_whole_gold_edit_alone():
    halves = 0
    for name, i, request in sample(ALL, 250):
        before = shipped_document(name)
        expected = apply_operations(before, request.operations, request.page)
        half = apply_operations(before, request.operations[:-1], request.page)
        evaluator = Evaluator(before, request.constraints, request.may_change)
        unedited, edited, incomplete = (evaluator.evaluate(done) for done in (before, expected, half))
        assert edited.success, (name, i)
        assert edited.progress == 1, (name, i)
        assert not any(one.success or one.progress == 1 for one in (unedited, incomplete)), (name, i)
        assert unedited.progress == 0, (name, i)
        halves += len(request.operations) > 1
    assert halves > some(50, 200)


def _pages():
    for name in NAMES:
        for document in (shipped_document(name), endless_document(name, 5, 0)):
            for page in range(len(document.pages)):
                yield document, page


@LONG
def test_an_expression_means_one_element():
    for document, page in _pages():
        ids_of = {}
        for element in document.elements_of_page(page):
            for expression in singular(document, page, element):
                key = json.dumps(expression)
                assert ids_of.setdefault(key, element.id) == element.id, (document.name, page, expression)


def test_an_expression_for_several_means_one_set():
    for document, page in _pages():
        ids_of = {}
        for expression, ids in plural(document, page):
            assert len(ids) == len(set(ids)) >= 2
            assert ids_of.setdefault(json.dumps(expression), ids) == ids, (document.name, page, expression)


def test_ordinals_count_as_people_do():
    document = shipped_document("concert_poster")
    seen = 0
    for element in document.elements_of_page(0):
        for kind, expression in singular(document, 0, element):
            if (
                kind == "ordinal"
                and expression["ordinal"] == "first"
                and expression["edge"] == "top"
                and expression["kind"] == "text"
            ):
                texts = [e for e in document.elements_of_page(0) if e.type == "text"]
                assert element.centre[1] == min(e.centre[1] for e in texts)
                seen += 1
    assert seen == 1


def test_the_words_of_requests_are_sentences():
    for _, _, request in ALL:
        assert request.text[0].isupper() or not request.text[0].isalpha(), request.text
        assert request.text[-1] in ".?!", request.text
        assert "{" not in request.text
        assert "  " not in request.text


def test_same_numbers_same_request():
    document = shipped_document("invoice")
    one, same, other = (make_request(document, "train", np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_what_is_asked_of_a_page_can_be_drawn_from_its_texts():
    scene = EditScene(shipped_document("invoice"), 0, phrasings("test").texts)
    assert scene.elements == scene.current_page.elements


def test_a_phrasing_must_tell_all_that_is_asked():
    bank = json.loads(phrasings("test").model_dump_json())
    bank["imperative"]["move_by"][0] = "move {target} by {pixels}"
    with pytest.raises(ValueError, match="direction"):
        Phrasings.model_validate(bank)
    bank["imperative"]["move_buy"] = bank["imperative"].pop("move_by")
    with pytest.raises(ValueError, match="move_buy"):
        Phrasings.model_validate(bank)


def test_operations_that_cannot_be_carried_out_say_so():
    with pytest.raises(ToolError, match="no element"):
        apply_operations(without(endless_document("invoice", 1, 0), {"e1"}), (operation("DELETE", object_id="e1"),))
