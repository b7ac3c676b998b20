"""The small pages of grounding: what is asked for can be seen, told apart and hit, and no two splits share a page."""

import gymnasium as gym
import numpy as np
import pytest

import formgym  # noqa: F401  (registers the environments)
from formgym.envs.core.boxes import intersection
from formgym.envs.paper_forms.grounding.env import PaperGroundingEnv
from formgym.envs.paper_forms.grounding.ladder_pages import LEVELS

LEVEL = pytest.mark.parametrize("level", range(len(LEVELS)))
CELL = 8


def pages(level, split="test", n=60):
    env = PaperGroundingEnv(f"level_{level}", split)
    return [env.open_page(env.task_ids[i]) for i in range(n)]


@LEVEL
def test_names_are_told_apart_and_blanks_are_apart(level):
    for page in pages(level):
        names = [target.name for target in page.targets]
        assert len(set(names)) == len(names) > 0
        boxes = [target.box for target in page.targets]
        height, width = page.image.shape[:2]
        assert all(0 <= left < right <= width and 0 <= top < bottom <= height for left, top, right, bottom in boxes)
        for i, box in enumerate(boxes):
            assert all(intersection(box, other) is None for other in boxes[:i])


@LEVEL
def test_every_blank_holds_the_middle_of_a_cell(level):
    for page in pages(level):
        for left, top, right, bottom in (target.box for target in page.targets):
            assert any(left <= x <= right for x in range(CELL // 2, page.image.shape[1], CELL))
            assert any(top <= y <= bottom for y in range(CELL // 2, page.image.shape[0], CELL))


@LEVEL
def test_a_blank_is_framed_or_underlined_and_empty(level):
    for page in pages(level):
        for target in page.targets:
            left, top, right, bottom = map(int, target.box)
            gray = page.image[top:bottom, left:right, 0]
            assert (gray[-1] == 0).all() or (gray[-2] == 0).all()
            assert (gray[1:-2, 1:-1] == 255).all()


@LEVEL
def test_splits_share_no_page_and_seeds_no_pixels(level):
    seen = {split: {page.image.tobytes() for page in pages(level, split)} for split in ("train", "dev", "test")}
    assert all(len(one) > 50 for one in seen.values())
    assert not seen["train"] & seen["test"]
    assert not seen["dev"] & seen["test"]
    assert not seen["train"] & seen["dev"]


@LEVEL
def test_the_oracle_hits_all_and_the_same_seed_gives_the_same_page(level):
    env = gym.make("FormGym/Grounding-v0", domain=f"level_{level}", split="train", secret=3)
    first, _ = env.reset(seed=5)
    for call in env.unwrapped.solution():
        _, _, ended, _, info = env.step(env.unwrapped.action_space.from_call(call))
    assert ended
    assert info["score"]["strict_accuracy"] == 1
    again, _ = env.reset(seed=5)
    np.testing.assert_array_equal(first["page"], again["page"])
    other = PaperGroundingEnv(f"level_{level}", "train", secret=4)
    assert (other.reset(seed=5)[0]["page"] != first["page"]).any()
