"""Requests: their words mean one thing, gold edits can be made and leave nothing out, the splits share nothing."""

import itertools
import json
import re
from functools import cache

import numpy as np
import pytest
from sizes import LONG, sample, some

from formgym.envs.core.tools import ToolError
from formgym.envs.documents.env import document_split, document_task, endless_document
from formgym.envs.documents.operations.draft import operation
from formgym.envs.documents.operations.table import EDITS
from formgym.envs.documents.operations.values import NOUNS, ORDINALS, kind_of
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.requests.generate import edits_by_action, make_request, planned_request
from formgym.envs.documents.requests.phrasings import Phrasings, phrasings
from formgym.envs.documents.requests.referring import plural, singular
from formgym.envs.documents.requests.request import apply_operations
from formgym.envs.documents.scene.document import without
from formgym.envs.documents.scoring.evaluator import Evaluator
from formgym.envs.documents.scoring.layout import layout_problems
from formgym.envs.documents.shipped import shipped_document, shipped_documents

NAMES = shipped_documents()
NOUN_PHRASES = [f"the {noun}" for pair in NOUNS.values() for noun in pair]
TRAIN = [(name, seed) for seed, name in enumerate(sample(NAMES, 14) * some(1, 5))]
ALL = [(name, i, request) for name in NAMES for i, request in enumerate(frozen_requests(name))]


def test_there_are_as_many_requests_as_are_told():
    assert len(NAMES) == 53
    assert len(ALL) >= 600
    assert all(request.program for _, _, request in ALL)
    assert len({request.text for _, _, request in ALL}) == len(ALL)


@cache
@cache
def _made(name, seed):
    document = endless_document(name, seed, 0)
    return document, planned_request(document, seed)


def test_every_kind_of_edit_can_be_trained_on():
    assert set(EDITS) == {edit for edits in edits_by_action().values() for edit in edits}


def test_generated_edits_are_right_and_keep_the_layout():
    for name, seed in TRAIN:
        document, request = _made(name, seed)
        expected = apply_operations(document, request.operations, request.page)
        evaluator = Evaluator(document, request.constraints, request.may_change)
        unedited, edited = evaluator.evaluate(document), evaluator.evaluate(expected)
        assert unedited.progress == 0 < edited.progress == 1, (name, seed, request.text)
        assert edited.success, (name, seed, request.text)
        assert not layout_problems(document, expected), (name, seed, request.text)


def test_generated_requests_say_only_what_is_seen():
    for name, seed in TRAIN:
        document, request = _made(name, seed)
        visible = {element.text for element in document.elements()} | set(phrasings().texts)
        for element in document.elements():
            is_common = any(element.name in text for text in (*visible, *NOUN_PHRASES)) or " " not in element.name
            assert is_common or element.name not in request.text, (name, seed, request.text)
        assert not re.search(r"\d+ ?(px|pixels?)|x = ", request.text)
        assert "{" not in request.text


def test_a_bit_is_a_bit():
    document = endless_document("concert_poster", 3, 0)
    request = next(r for r in (make_request(document, np.random.default_rng(i), "MOVE") for i in range(60))
                   if r.edits == ("move_a_bit",))  # fmt: skip
    direction, step = request.operations[0].arguments["position_diff"]
    evaluator = Evaluator(document, request.constraints, request.may_change)
    for share, is_right in ((0.5, True), (2, True), (9, False), (-1, False)):
        call = operation("MOVE", object_id=request.operations[0].arguments["object_id"],
                         position_diff=[direction, round(step * share)])  # fmt: skip
        assert evaluator.evaluate(apply_operations(document, (call,))).success == is_right


def test_constraints_hold_of_the_gold_edit_and_not_before():
    for name, i, request in sample(ALL, 100):
        task = document_task(f"{name}/test_{i}", document_split((name,)))
        unedited, edited = task.evaluator.evaluate(task.before), task.evaluator.evaluate(task.expected)
        assert edited.success, (name, i, request.text)
        assert edited.progress == 1, (name, i, request.text)
        assert unedited.progress == 0, (name, i, request.text)


def _pages():
    for name in sample(NAMES, 14):
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
    counted = 0
    for document, page in itertools.islice(_pages(), 60):
        for element in document.elements_of_page(page):
            for kind, slots in singular(document, page, element):
                if kind == "ordinal" and slots["edge"] == "left":
                    alike = [e for e in document.elements_of_page(page) if kind_of(e) == kind_of(element)]
                    nearer = sum(e.centre[0] < element.centre[0] for e in alike)
                    assert nearer == ORDINALS.index(slots["ordinal"])
                    counted += 1
    assert counted > 10


def test_same_numbers_same_request():
    document = shipped_document("invoice")
    one, same, other = (make_request(document, np.random.default_rng(seed)) for seed in (1, 1, 2))
    assert one == same != other


def test_a_phrasing_must_tell_all_that_is_asked():
    bank = json.loads(phrasings().model_dump_json())
    bank["imperative"]["rotate"][0] = "turn {target} by {degrees}"
    with pytest.raises(ValueError, match="turn"):
        Phrasings.model_validate(bank)
    bank["imperative"]["rotated"] = bank["imperative"].pop("rotate")
    with pytest.raises(ValueError, match="rotated"):
        Phrasings.model_validate(bank)


def test_operations_that_cannot_be_carried_out_say_so():
    with pytest.raises(ToolError, match="no element"):
        apply_operations(without(endless_document("invoice", 1, 0), {"e1"}), (operation("DELETE", object_id="e1"),))
