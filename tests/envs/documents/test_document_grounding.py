"""DocEdit/Grounding: pages of documents with the expressions that mean their elements."""

import numpy as np
from sizes import some

from formgym.envs.documents.grounding.env import DocumentGroundingEnv
from formgym.envs.documents.grounding.expressions import meant_box, shipped_expressions
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.shipped import shipped_document, shipped_documents

SEEDS = some(6, 60)


def test_the_test_split_asks_for_every_expression_once():
    env = DocumentGroundingEnv()
    asked = [(task.split("/")[0], target.name) for task in env.task_ids for target in env.open_page(task).targets]
    written = [(name, one.text) for name in shipped_documents() for one in shipped_expressions(name)]
    assert sorted(asked) == sorted(written)


def test_targets_are_the_boxes_of_what_is_painted():
    env = DocumentGroundingEnv("quarterly_review_slides")
    document = shipped_document("quarterly_review_slides")
    for task in env.task_ids:
        page = int(task.split("_")[-1])
        opened = env.open_page(task)
        assert np.array_equal(opened.image, painted(document, page))
        expressions = [one for one in shipped_expressions(document.name) if one.page == page + 1]
        for target, one in zip(opened.targets, expressions, strict=True):
            assert (target.name, target.box) == (one.text, meant_box(document, one))
            assert target.kind == ("several" if one.elements else document.find(one.element).type)


def test_endless_targets_lie_on_the_page_and_their_names_are_different():
    env = DocumentGroundingEnv(split="train")
    height, width = env.observation_space["page"].shape[:2]
    for seed in range(SEEDS):
        _, info = env.reset(seed=seed)
        targets = env.open_page(info["task"]).targets
        assert len({target.name for target in targets}) == len(targets) > 10
        for target in targets:
            left, top, right, bottom = target.box
            assert 0 <= left < right <= width
            assert 0 <= top < bottom <= height


def test_secrets_and_points():
    pages = [
        DocumentGroundingEnv("invoice", split="train", secret=secret, action="point").open_page("invoice/3")
        for secret in (0, 0, 9)
    ]
    assert np.array_equal(pages[0].image, pages[1].image)
    assert pages[0].targets == pages[1].targets != pages[2].targets
