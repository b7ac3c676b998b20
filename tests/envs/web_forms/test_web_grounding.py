"""FormFactory/Grounding: controls of web forms by their labels, on whole pages with every control in sight."""

import gymnasium as gym
import numpy as np
import pytest
from sizes import sample

from formgym.envs.web_forms.grounding_env import CANVAS, WebGroundingEnv

SPLITS = ("train", "dev", "test")
FORMS = ("bug_report", "rental_application")


def parts(env, part):
    return {task.split("/")[part] for task in env.task_ids}


def test_splits_share_no_form_and_test_has_themes_of_its_own():
    envs = {split: WebGroundingEnv(split) for split in SPLITS}
    forms = [parts(env, 0) for env in envs.values()]
    assert sum(map(len, forms)) == len(set().union(*forms)) == 25
    assert not parts(envs["test"], 1) & (parts(envs["train"], 1) | parts(envs["dev"], 1))
    with pytest.raises(ValueError, match="no form"):
        WebGroundingEnv("train", forms=next(iter(forms[2])))


def test_targets_lie_on_the_page_and_their_boxes_are_apart():
    for split in SPLITS:
        env = WebGroundingEnv(split)
        for task in env.task_ids[::9]:
            page = env.open_page(task)
            assert page.image.shape == (*CANVAS, 3)
            boxes = page.boxes()
            assert len(boxes)
            assert ((boxes >= 0) & (boxes <= 1)).all()
            assert (boxes[:, :2] < boxes[:, 2:]).all()
            centres = (boxes[:, :2] + boxes[:, 2:]) / 2
            inside = (centres[:, None] >= boxes[None, :, :2]) & (centres[:, None] <= boxes[None, :, 2:])
            assert np.array_equal(inside.all(-1), np.eye(len(boxes), dtype=bool))


def test_the_solution_is_right():
    for action in ("point", "box"):
        env = gym.make("FormFactory/Grounding-v0", action=action, themes="foundry").unwrapped
        env.reset(seed=1)
        total = sum(env.step(env.action_space.from_call(call))[1] for call in env.solution())
        assert total == pytest.approx(1)
        assert "/foundry/" in env.state.task_id


@pytest.mark.parametrize("theme", sample(["night", "clinic", "registry"], 1))
def test_every_control_is_in_sight(theme):
    env = WebGroundingEnv("dev", forms=FORMS, themes=theme)
    for task_id in env.task_ids:
        page = env.open_page(task_id)
        for target in page.targets:
            left, top, right, bottom = (int(edge) for edge in target.box)
            around = page.image[max(top - 3, 0) : bottom + 3, max(left - 3, 0) : right + 3].reshape(-1, 3)
            assert len(np.unique(around, axis=0)) > 1, (task_id, target.name)


def test_below_a_short_page_is_its_ground():
    env = WebGroundingEnv("dev", forms="bug_report", themes="registry")
    image = env.open_page("bug_report/registry/0").image
    colours, counts = np.unique(image[:1000].reshape(-1, 3), axis=0, return_counts=True)
    assert (image[-1] == colours[counts.argmax()]).all()
