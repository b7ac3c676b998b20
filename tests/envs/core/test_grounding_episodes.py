"""Episodes of grounding on toy pages: goals, rewards, scores, and parts of a page."""

import numpy as np
import pytest
from gymnasium.error import ResetNeeded
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core.grounding import GroundingEnv, GroundingPage, GroundingTarget
from formgym.envs.core.tasks import check_task

SIZE = (100, 200)
N_TARGETS = {"empty": 0, "one": 1, "seven": 7, "ten": 10}


def page_with(count):
    boxes = [(20.0 * i, 10.0, 20.0 * i + 10, 30.0 + i) for i in range(count)]
    targets = tuple(GroundingTarget(f"target {i}", box, "line") for i, box in enumerate(boxes))
    return GroundingPage(np.full((*SIZE, 3), count, np.uint8), targets)


class ToyEnv(GroundingEnv):
    task_ids = tuple(N_TARGETS)

    def __init__(self, **kwargs):
        super().__init__(SIZE, **kwargs)
        self.n_opened = 0

    def open_page(self, task_id):
        check_task(task_id, self.task_ids, "one")
        self.n_opened += 1
        return page_with(N_TARGETS[task_id])


def begun(task="seven", **kwargs):
    env = ToyEnv(**kwargs)
    return env, *env.reset(options={"task": task})


def played(env):
    """The goals that an episode asks for, answered rightly, and its return."""
    goals, total = [], 0.0
    for call in env.solution():
        goals.append(env.state.goal)
        _, reward, terminated, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"]
        total += reward
    assert terminated
    return goals, total


@pytest.mark.parametrize("action", ["point", "box"])
def test_the_goals_are_the_targets_in_turn_and_the_solution_is_right(action):
    env, observation, info = begun(action=action)
    assert observation["goal"] == "target 0"
    assert observation["source"] == ""
    assert set(info["score"].values()) == {0.0}
    goals, total = played(env)
    assert goals == [f"target {i}" for i in range(7)]
    assert total == pytest.approx(1)
    assert env.state.score().metrics["strict_accuracy"] == pytest.approx(1)
    assert all(field.correct for field in env.state.score().fields)
    with pytest.raises(ResetNeeded):
        env.step(env.action_space.action("terminate"))


@settings(max_examples=some(8, 20))
@given(st.lists(st.tuples(*[st.floats(0, 1, width=32)] * 4), min_size=7, max_size=7), st.integers(0, 7))
def test_the_return_is_the_mean_reward_of_the_targets(answers, n_answered):
    env, *_ = begun(action="box", reward={"iou": 1, "gaussian_coverage": 2, "format": 1})
    expected, total = env.state._page.boxes(), 0.0
    for answer in answers[:n_answered]:
        call = {"tool": "box", **dict(zip(("left", "top", "right", "bottom"), answer, strict=True))}
        total += env.step(env.action_space.from_call(call))[1]
    if n_answered < 7:
        total += env.step(env.action_space.action("terminate"))[1]
    each = [float(env._reward(a, box)) for a, box in zip(answers[:n_answered], expected, strict=False)]
    assert total == pytest.approx(sum(each) / 7, abs=1e-6)
    assert env.state.metrics()["grounding_reward"] == pytest.approx(total)


def test_an_invalid_call_is_no_answer():
    env, *_ = begun()
    info = env.step({"tool": 99})[4]
    assert not info["valid"]
    assert env.state.goal == "target 0"


def test_a_box_is_right_from_half_of_what_both_cover():
    env, *_ = begun("one", action="box")
    box = env.state._page.boxes()[0]
    width = box[2] - box[0]
    for share, is_right in ((0.51, 1.0), (0.49, 0.0)):
        env.reset(options={"task": "one"})
        call = {"tool": "box", "left": box[0], "top": box[1], "right": box[0] + share * width, "bottom": box[3]}
        assert env.step(env.action_space.from_call(call))[4]["score"]["strict_accuracy"] == is_right


def test_parts_of_a_page_are_all_its_targets_each_once():
    for size in (1, 3, 7, 20):
        env = ToyEnv(max_targets=size)
        n_parts = -(-7 // size)
        goals = []
        for part in range(n_parts):
            env.reset(options={"task": f"seven#{part}"})
            goals.append(played(env)[0])
        assert sorted(goal for some in goals for goal in some) == [f"target {i}" for i in range(7)]
        assert {len(some) for some in goals[:-1]} <= {size}
        for wrong in (f"seven#{n_parts}", "seven#-1", "seven#x", "eight", "empty"):
            with pytest.raises(ValueError, match=r"no task|no target"):
                env.reset(options={"task": wrong})


def test_a_page_is_gone_through_before_another_one_is_drawn():
    env = ToyEnv(max_targets=2)
    _, info = env.reset(seed=0)
    tasks = [info["task"]] + [env.reset()[1]["task"] for _ in range(60)]
    pages = [task.split("#")[0] for task in tasks]
    assert "empty" not in pages
    at = 0
    while at < len(tasks) - 5:
        parts = -(-N_TARGETS[pages[at]] // 2)
        assert tasks[at : at + parts] == [pages[at]] + [f"{pages[at]}#{k}" for k in range(1, parts)]
        at += parts
    assert env.n_opened < len(tasks) / 1.5


def test_a_seed_begins_again_and_a_part_can_be_asked_for_again():
    env = ToyEnv(max_targets=2)
    first = [env.reset(seed=4)[1]["task"], env.reset()[1]["task"]]
    goals, _ = played(env)
    assert [env.reset(seed=4)[1]["task"], env.reset()[1]["task"]] == first
    other = ToyEnv(max_targets=2)
    other.reset(options={"task": first[1]})
    assert played(other)[0] == goals


def test_wrong_arguments_are_refused():
    for arguments in (
        {"action": "click"},
        {"reward": "score"},
        {"reward": "iou"},
        {"max_targets": 0},
        {"max_pages": 0},
    ):
        with pytest.raises(ValueError, match=r"action|reward|max_"):
            ToyEnv(**arguments)


class EmptyEnv(ToyEnv):
    task_ids = ("empty",)


def test_few_pages_alone_are_drawn_on_request():
    env = ToyEnv(max_pages=2)
    assert {env.reset(seed=seed)[1]["task"] for seed in range(30)} == {"one"}
    assert env.reset(options={"task": "ten"})[1]["task"] == "ten"


def test_pages_without_targets_alone_are_no_environment():
    with pytest.raises(ValueError, match="no targets"):
        EmptyEnv().reset(seed=0)
