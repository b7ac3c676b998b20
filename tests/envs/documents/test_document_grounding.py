"""DocEdit/Grounding: pages of documents with the expressions that mean their elements."""

import numpy as np
from sizes import LONG, some

from formgym.envs.documents.grounding.env import DocumentGroundingEnv, shipped_mentions
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.requests.frozen import frozen_requests
from formgym.envs.documents.scene.document import shipped_document, shipped_documents

SEEDS = some(6, 60)


@LONG
def test_the_test_split_asks_for_every_expression_of_the_requests_once():
    env = DocumentGroundingEnv()
    asked = [(task.split("/")[0], target.name) for task in env.task_ids for target in env.open_page(task).targets]
    mentions = {
        (name, mention.words)
        for name in shipped_documents()
        for request in frozen_requests(name)
        for mention in request.mentions
        if len(mention.ids) == 1
    }
    assert set(asked) == mentions
    assert len(asked) == len(mentions)


def test_targets_are_the_elements_boxes_on_the_page_as_it_is_painted():
    env = DocumentGroundingEnv("conference_slides")
    document = shipped_document("conference_slides")
    for task in env.task_ids:
        page = int(task.split("_")[-1])
        opened = env.open_page(task)
        assert np.array_equal(opened.image, painted(document, page))
        for target, mention in zip(opened.targets, shipped_mentions("conference_slides")[page], strict=True):
            left, top, width, height = document.find(mention.ids[0]).bbox
            assert target.box == (left, top, left + width, top + height)
            assert (target.name, target.kind) == (mention.words, mention.kind)


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
