"""Wrappers that know the places of fields: coordinates in the goal, a grid on the page, fields by their names."""

import re

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env

from formgym.agents.oracle import Oracle
from formgym.envs.paper_forms.page import Page
from formgym.experiments.rollout import page_digest, replay, run_episode
from formgym.wrappers import (
    ActionBatch,
    Feedback,
    FieldFinder,
    GridOverlay,
    GroundTruthCoordinates,
    Ruler,
    SparseReward,
)

ID = "FormGym/AutoLoans-Text-v0"
WRAPPERS = [GridOverlay, GroundTruthCoordinates, FieldFinder]


@pytest.fixture
def env():
    return gym.make(ID)


class Nowhere:
    """A locator that finds nothing, and one that finds a place off the page."""

    def __init__(self, env):
        self.env = env

    def locate(self, page, name):
        return [] if name == "nothing" else [(page.shape[1] + 50, -90, page.shape[1] + 60, -80)]


@pytest.mark.filterwarnings("ignore:.*is different from the unwrapped version")
@pytest.mark.parametrize("wrapper", WRAPPERS)
def test_wrapped_environments_pass_the_checker_and_rebuild_from_their_spec(env, wrapper):
    wrapped = wrapper(env)
    check_env(wrapped, skip_render_check=True)
    twin = gym.make(EnvSpec.from_json(wrapped.spec.to_json()))
    left, right = wrapped.reset(seed=3)[0], twin.reset(seed=3)[0]
    assert np.array_equal(left["page"], right["page"])
    assert left["goal"] == right["goal"]


def test_the_goal_tells_every_centre_and_no_answer(env):
    wrapped = GroundTruthCoordinates(env)
    observation, _ = wrapped.reset(seed=4)
    assert observation in wrapped.observation_space
    state = wrapped.unwrapped.state
    lines = observation["goal"].split("centres:\n")[1].splitlines()
    assert len(lines) == len(state.task.targets)
    for line, target in zip(lines, state.task.targets, strict=True):
        found = re.fullmatch(r"(.+?)(?: \(tick box\))?: x=([\d.]+), y=([\d.]+)", line)
        assert found[1] == target.label
        assert state.task.field_at(float(found[2]) * state.width, float(found[3]) * state.height) is not None
        assert target.box[0] <= float(found[2]) * state.width <= target.box[2]
    assert wrapped.step(wrapped.action_space.action("terminate"))[0]["goal"] == observation["goal"]
    assert wrapped.reset(seed=5)[0]["goal"] != observation["goal"]


@pytest.mark.parametrize("unit", ["fraction", "pixel"])
def test_the_grid_leaves_what_is_between_its_lines(env, unit):
    wrapped = GridOverlay(env, unit=unit, parts=10)
    bare = gym.make(ID).reset(seed=6)[0]["page"]
    page = wrapped.reset(seed=6)[0]["page"]
    changed = (page != bare).any(axis=2)
    assert 0.002 < changed.mean() < 0.05
    height, width, _ = bare.shape
    for i in range(1, 10):
        assert changed[:, round(width * i / 10)].mean() > 0.95
        assert changed[round(height * i / 10)].mean() > 0.95
    assert not changed[height // 20 + 20 : height // 10 - 20, width // 20 + 20 : width // 10 - 4].any()
    # What is printed under a line stays darker than the paper beside it.
    columns = [round(width * i / 10) for i in range(1, 10)]
    before, after = bare[200:, columns, 1], page[200:, columns, 1]
    assert after[before < 100].mean() < after[before > 250].mean() - 60
    assert np.array_equal(wrapped.unwrapped.page(), bare)


def test_grid_and_coordinates_refuse_what_they_cannot_do(env):
    for arguments, words in (({"unit": "inch"}, "unit"), ({"parts": 1}, "parts"), ({"parts": 99}, "parts")):
        with pytest.raises(ValueError, match=words):
            GridOverlay(env, **arguments)
    with pytest.raises(ValueError, match="inside of Ruler"):
        GridOverlay(Ruler(env))
    window = gym.make("FormGym/AutoLoans-GUI-v0")
    assert np.array_equal(Ruler(window).reset(seed=0)[0]["page"], Ruler(window, unit="pixel").reset(seed=0)[0]["page"])
    for wrapper in (GroundTruthCoordinates, FieldFinder):
        with pytest.raises(ValueError, match="fractions of the page"):
            wrapper(window)


def test_fields_are_found_by_name(env):
    wrapped = FieldFinder(env)
    wrapped.reset(options={"form": "lakeshore_auto_credit", "user": "marigold_testwell"})
    assert set(wrapped.action_space.spaces) == {"tool", "field", "text", "query"}
    state = wrapped.unwrapped.state
    for target in state.task.targets:
        _, _, _, _, info = wrapped.step(wrapped.action_space.action("place_text", field=target.label, text="x"))
        assert info["valid"], info
        assert state.task.targets[state.marks[-1].target].name == target.name
        wrapped.step(wrapped.action_space.action("delete_text", field=target.label))
    assert state.marks == []


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"tool": "place_text", "field": "zzzz qqq", "text": "x"}, "No field 'zzzz qqq' was found"),
        ({"tool": "place_text", "x": 0.3, "y": 0.4, "text": "x"}, "no argument 'x'"),
        ({"tool": "place_text", "field": "", "text": "x"}, "at least 1"),
        ({"tool": "place_text", "field": 3, "text": "x"}, "must be text"),
        ({"tool": "fly"}, "no tool 'fly'"),
    ],
)
def test_what_is_not_found_is_feedback_and_costs_a_step(env, call, words):
    wrapped = FieldFinder(env)
    wrapped.reset(seed=0)
    _, reward, terminated, _, info = wrapped.step(wrapped.action_space.from_call(call))
    assert (reward, terminated, info["valid"]) == (0, False, False)
    assert words in info["feedback"]
    assert wrapped.unwrapped.state.marks == []
    batched = FieldFinder(ActionBatch(env))
    batched.reset(seed=0)
    info = batched.step([wrapped.action_space.from_call(call), {"tool": "terminate"}])[4]
    assert words in info["feedback"][0]
    assert info["valid"] == [False, True]
    with pytest.raises(ValueError, match="list of actions"):
        batched.step(call)


def test_a_locator_of_ones_own(env):
    wrapped = FieldFinder(env, locator="test_locating:Nowhere")
    wrapped.reset(seed=0)
    info = wrapped.step(wrapped.action_space.action("place_text", field="nothing", text="x"))[4]
    assert "No field 'nothing'" in info["feedback"]
    wrapped.step(wrapped.action_space.action("place_text", field="somewhere", text="x"))
    mark = wrapped.unwrapped.state.marks[-1]
    assert (mark.x, mark.y) == (1.0, 0.0)
    with pytest.raises(ValueError, match="no locator 'magic'; there are oracle"):
        FieldFinder(env, locator="magic")
    for missing in ("no_such_module:Locator", "test_locating:NoSuchLocator"):
        with pytest.raises(ValueError, match="cannot be had"):
            FieldFinder(env, locator=missing)


def test_the_oracle_solves_every_form_by_names_and_the_record_replays(env):
    wrapped = Feedback(FieldFinder(ActionBatch(env, max_rounds=10)))
    for index, task in enumerate(env.unwrapped.task_ids[::5]):
        episode = run_episode(wrapped, Oracle(), index=index, seed=index, task=task)
        assert episode.figures["strict_accuracy"] == 1.0, task
        assert {call["tool"] for call in episode.rounds[0].calls} <= set(env.unwrapped.action_space.names)
        *_, last = replay(env.unwrapped, episode)
        assert last.figures == episode.figures


def test_a_smaller_page_is_located_as_well():
    height, width, _ = gym.make(ID).observation_space["page"].shape
    wrapped = FieldFinder(gym.make(ID, render_size=(height // 2, width // 2)))
    wrapped.reset(seed=1)
    calls = wrapped.solution()
    for call in calls:
        info = wrapped.step(wrapped.action_space.from_call(call))[4]
    assert info["score"]["strict_accuracy"] == 1.0
    assert isinstance(wrapped.unwrapped.state, Page)


ORDERS = [
    [ActionBatch, Ruler, FieldFinder],
    [ActionBatch, GridOverlay, FieldFinder, Ruler],
    [FieldFinder, ActionBatch],
    [Ruler, FieldFinder, ActionBatch, Feedback],
    [GroundTruthCoordinates, ActionBatch, GridOverlay, Ruler, FieldFinder, Feedback, SparseReward],
]


@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(wrapper.__name__ for wrapper in order))
def test_wrappers_go_in_any_order_and_the_record_replays(env, order):
    wrapped = env
    for wrapper in order:
        wrapped = wrapper(wrapped)
    episode = run_episode(wrapped, Oracle(), index=0, seed=3)
    assert episode.figures["strict_accuracy"] == 1.0
    assert episode.reward == pytest.approx(1.0)
    *_, last = replay(env.unwrapped, episode)
    assert page_digest(last.page) == episode.page_sha256


def test_one_of_a_kind_is_enough(env):
    with pytest.raises(ValueError, match="one FieldFinder"):
        FieldFinder(FieldFinder(env))
    with pytest.raises(ValueError, match="one ActionBatch"):
        ActionBatch(FieldFinder(ActionBatch(env)))


class Arrays:
    """A locator whose boxes are rows of an array."""

    def __init__(self, env):
        self.env = env

    def locate(self, page, name):
        return np.array([[10.0, 10, 30, 30], [50, 50, 60, 60]])[: 0 if name == "nothing" else 2]


def test_a_locator_may_give_an_array(env):
    wrapped = FieldFinder(env, locator="test_locating:Arrays")
    wrapped.reset(seed=0)
    for name, valid in (("nothing", False), ("something", True)):
        assert wrapped.step(wrapped.action_space.action("place_text", field=name, text="x"))[4]["valid"] is valid


def test_what_was_not_carried_out_is_said_so(env):
    batched = FieldFinder(ActionBatch(env))
    batched.reset(seed=0)
    info = batched.step([{"tool": "terminate"}, {"tool": "place_text", "field": "zzzz qqq", "text": "x"}])[4]
    assert info["feedback"][1] == "Not carried out: the episode had ended."
