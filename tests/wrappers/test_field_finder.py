"""Wrappers that know the places of fields: coordinates in the goal, a grid on the page, fields by their names."""

import math
import re
from collections import Counter
from typing import ClassVar

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import LONG, sample, some

from formgym.agents.baselines import Oracle
from formgym.envs.core.locators import Detection
from formgym.envs.core.scoring import Gold
from formgym.envs.paper_forms.state import PaperFormState, PaperTask, Target
from formgym.experiments.running.rollout import page_digest, replay, run_episode
from formgym.wrappers import (
    ActionBatch,
    Feedback,
    FieldFinder,
    GridOverlay,
    GroundTruthCoordinates,
    Ruler,
    SparseReward,
)
from formgym.wrappers.locators import NoisyLocator, OracleLocator
from formgym.wrappers.written_places import writing_point

ID = "FormGym/AutoLoans-Text-v0"


@pytest.fixture
def env():
    return gym.make(ID)


class Nowhere:
    """A locator that finds nothing, or a place off the page; it counts how often it reads a page."""

    reads: ClassVar[list[int]] = []

    def __init__(self, env, off=50):
        self.env, self.off = env, off

    def locate(self, page, target):
        return self.locate_all(page, [target])[0]

    def locate_all(self, page, targets):
        self.reads.append(len(targets))
        right, top = page.shape[1] + self.off, -90.0
        off_the_page = [Detection((right, top, right + 10, top + 10), 0.5)]
        return [[] if target == "nothing" else off_the_page for target in targets]


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
        assert target.blank[0] <= float(found[2]) * state.width <= target.box[2]
    assert wrapped.step(wrapped.action_space.action("terminate"))[0]["goal"] == observation["goal"]
    assert wrapped.reset(seed=5)[0]["goal"] != observation["goal"]


@pytest.mark.parametrize("unit", ["fraction", "pixel"])
def test_the_grid_leaves_what_is_between_its_lines(env, unit):
    wrapped = GridOverlay(env, unit=unit, parts=10)
    bare = gym.make(ID).reset(seed=6)[0]["page"]
    page = wrapped.reset(seed=6)[0]["page"]
    changed = (page != bare).any(axis=2)
    assert 0.002 < changed.mean() < 0.05
    height, width = wrapped.unwrapped.state.paper
    bare, page, changed = bare[:height], page[:height], changed[:height]
    for i in range(1, 10):
        assert changed[:, round(width * i / 10)].mean() > 0.95
        assert changed[round(height * i / 10)].mean() > 0.95
    assert not changed[height // 20 + 20 : height // 10 - 20, width // 20 + 20 : width // 10 - 4].any()
    # What is printed under a line stays darker than the paper beside it.
    columns = [round(width * i / 10) for i in range(1, 10)]
    before, after = bare[200:, columns, 1], page[200:, columns, 1]
    assert after[before < 100].mean() < after[before > 250].mean() - 60
    assert np.array_equal(wrapped.unwrapped.page()[:height], bare)


def test_grid_and_coordinates_refuse_what_they_cannot_do(env):
    for arguments, words in (({"unit": "inch"}, "unit"), ({"parts": 1}, "parts"), ({"parts": 99}, "parts")):
        with pytest.raises(ValueError, match=words):
            GridOverlay(env, **arguments)
    with pytest.raises(ValueError, match="inside of Ruler"):
        GridOverlay(Ruler(env))
    window = gym.make("FormGym/AutoLoans-GUI-v0")
    assert np.array_equal(Ruler(window).reset(seed=0)[0]["page"], Ruler(window, unit="pixel").reset(seed=0)[0]["page"])
    with pytest.raises(ValueError, match="fractions of the page"):
        GroundTruthCoordinates(window)


def test_every_tool_that_points_gains_one_that_names(env):
    wrapped = FieldFinder(env, locator="oracle")
    assert set(env.action_space.names) < set(wrapped.action_space.names)
    gained = set(wrapped.action_space.names) - set(env.action_space.names)
    assert gained == {"place_text_at", "delete_text_at", "sign_or_initial_at"}
    tools = {tool.name: tool for tool in wrapped.action_space.tools}
    assert list(tools["place_text_at"].arguments) == ["target", "text"]
    assert all("(x, y)" not in tools[name].description for name in gained)
    bare = FieldFinder(env, points=False, locator="oracle")
    assert set(bare.action_space.names) == {*gained, "terminate"}
    assert set(bare.action_space.spaces) == {"tool", "target", "text"}
    assert "find" in FieldFinder(env, show=2, locator="oracle").action_space.names


def test_fields_are_found_by_name(env):
    wrapped = FieldFinder(env, locator="oracle")
    wrapped.reset(options={"form": "lakeshore_auto_credit", "user": "margaret_holloway"})
    state = wrapped.unwrapped.state
    for target in state.task.targets:
        _, _, _, _, info = wrapped.step(wrapped.action_space.action("place_text_at", target=target.label, text="x"))
        assert info["valid"], info
        assert state.task.targets[state.marks[-1].target].name == target.name
        wrapped.step(wrapped.action_space.action("delete_text_at", target=target.label))
    assert state.marks == []


def test_names_above_a_field_may_follow_in_either_order(env):
    wrapped = FieldFinder(env, locator="oracle")
    wrapped.reset(options={"form": "old_mill_savings_auto", "user": "margaret_holloway"})
    state = wrapped.unwrapped.state
    for target, expected in (
        ("Phone | Reference 2", "Reference 2: phone"),
        ("Reference 2 | Phone", "Reference 2: phone"),
        ("E-mail address | Co-borrower", "Co-borrower: e-mail address"),
        ("ZIP code | Home address | Borrower", "Borrower: home address, ZIP code"),
    ):
        wrapped.step(wrapped.action_space.action("place_text_at", target=target, text="x"))
        assert state.task.targets[state.marks[-1].target].label == expected


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"tool": "place_text_at", "target": "zzzz qqq", "text": "x"}, "No field 'zzzz qqq' was found"),
        ({"tool": "place_text_at", "x": 0.3, "y": 0.4, "text": "x"}, "misses the argument target"),
        ({"tool": "place_text_at", "target": "", "text": "x"}, "at least 1"),
        ({"tool": "place_text_at", "target": 3, "text": "x"}, "must be text"),
        ({"tool": "place_text_at", "field": "a", "target": "a", "text": "x"}, "no argument 'field'"),
        ({"tool": "find", "target": "a"}, "no tool 'find'"),
        ({"tool": "fly"}, "no tool 'fly'"),
    ],
)
def test_what_is_not_found_is_feedback_and_costs_a_step(env, call, words):
    wrapped = FieldFinder(env, locator="oracle")
    wrapped.reset(seed=0)
    _, reward, terminated, _, info = wrapped.step(wrapped.action_space.from_call(call))
    assert (reward, terminated, info["valid"]) == (0, False, False)
    assert words in info["feedback"]
    batched = FieldFinder(ActionBatch(env), locator="oracle")
    batched.reset(seed=0)
    info = batched.step([wrapped.action_space.from_call(call), {"tool": "terminate"}])[4]
    assert words in info["feedback"][0]
    assert info["valid"] == [False, True]
    assert wrapped.unwrapped.state.marks == []
    with pytest.raises(ValueError, match="list of actions"):
        batched.step(call)


def test_a_locator_of_ones_own(env):
    wrapped = FieldFinder(env, locator=f"{__name__}:Nowhere", options={"off": 70})
    assert wrapped.spec.additional_wrappers[-1].kwargs["options"] == {"off": 70}
    wrapped.reset(seed=0)
    info = wrapped.step(wrapped.action_space.action("place_text_at", target="nothing", text="x"))[4]
    assert "No field 'nothing'" in info["feedback"]
    wrapped.step(wrapped.action_space.action("place_text_at", target="somewhere", text="x"))
    mark = wrapped.unwrapped.state.marks[-1]
    assert (mark.x, mark.y) == (1.0, 0.0)
    with pytest.raises(ValueError, match="no locator 'magic'; there are oracle, noisy_oracle"):
        FieldFinder(env, locator="magic")
    for missing in ("no_such_module:Locator", f"{__name__}:NoSuchLocator"):
        with pytest.raises(ValueError, match="cannot be had"):
            FieldFinder(env, locator=missing)
    for locator, options, words in (
        ("oracle", {"accuracy": 1}, "cannot be made with"),
        ("noisy_oracle", {"accuracy": 1.5}, "between 0 and 1"),
    ):
        with pytest.raises(ValueError, match=words):
            FieldFinder(env, locator=locator, options=options)
    with pytest.raises(ValueError, match="show"):
        FieldFinder(env, show=-1)


def test_a_round_asks_the_locator_once(env):
    batched = FieldFinder(ActionBatch(env), locator=f"{__name__}:Nowhere")
    batched.reset(seed=0)
    reads = Nowhere.reads
    reads.clear()
    named = [{"tool": "place_text_at", "target": name, "text": "x"} for name in ("a", "b", "a", "nothing")]
    info = batched.step([*named, {"tool": "place_text", "x": 0.5, "y": 0.5, "text": "y"}, {"tool": "fly"}])[4]
    assert reads == [3]
    assert info["valid"] == [True, True, True, False, True, False]
    assert batched.step([{"tool": "terminate"}])[4]["valid"] == [True]
    assert reads == [3]


def test_what_is_shown_is_where_it_acts(env):
    wrapped = FieldFinder(env, show=3, locator="oracle")
    wrapped.reset(seed=2)
    state = wrapped.unwrapped.state
    label = state.task.targets[5].label
    before = state.dump()
    _, reward, _, _, looked = wrapped.step(wrapped.action_space.action("find", target=label))
    assert (reward, looked["valid"], state.dump()) == (0, True, before)
    boxes = re.findall(r"(\d)\. x ([\d.]+) to ([\d.]+), y ([\d.]+) to ([\d.]+), score (\d\.\d\d)", looked["feedback"])
    assert [number for number, *_ in boxes] == [str(i + 1) for i in range(len(boxes))]
    assert 1 <= len(boxes) <= 3
    assert sum(float(score) for *_, score in boxes) <= 1.01
    left, right, top, bottom = (float(edge) for edge in boxes[0][1:5])
    info = wrapped.step(wrapped.action_space.action("place_text_at", target=label, text="x"))[4]
    mark = state.marks[-1]
    assert math.isclose(mark.x, (left + right) / 2, abs_tol=1e-3)
    assert math.isclose(mark.y, (top + bottom) / 2, abs_tol=1e-3)
    assert info["feedback"].startswith("Placed")
    assert info["feedback"].endswith(looked["feedback"])
    missed = wrapped.step(wrapped.action_space.action("find", target="zzzz qqq"))[4]
    assert (missed["valid"], "No field 'zzzz qqq'" in missed["feedback"]) == (False, True)


def _noisy(env, accuracy, seed=0):
    locator = NoisyLocator(env, accuracy=accuracy, seed=seed)
    page = env.unwrapped.page()
    right = [OracleLocator(env).locate(page, place.label)[0].box for place in env.unwrapped.state.places]
    found = [locator.locate(page, place.label)[0].box for place in env.unwrapped.state.places]
    return right, found


def test_the_noisy_oracle_is_right_as_often_as_it_is_told(env):
    env.reset(seed=0)
    for accuracy in (0.0, 0.5, 1.0):
        hits = []
        for seed in range(8):
            right, found = _noisy(env, accuracy, seed)
            hits += [one == other for one, other in zip(right, found, strict=True)]
        assert abs(sum(hits) / len(hits) - accuracy) < 0.08
    assert _noisy(env, 0.5, 1)[1] == _noisy(env, 0.5, 1)[1] != _noisy(env, 0.5, 2)[1]
    page, label = env.unwrapped.page(), env.unwrapped.state.places[3].label
    locator = NoisyLocator(env, accuracy=0.5)
    assert locator.locate_all(page, [label, label]) == [locator.locate(page, label)] * 2


def test_wrong_places_are_other_fields_or_beside_the_right_one_on_the_page(env):
    env.reset(seed=0)
    right, found = _noisy(env, 0.0)
    height, width = env.unwrapped.page().shape[:2]
    others = 0
    for box, wrong in zip(right, found, strict=True):
        assert wrong != box
        is_other = wrong in right
        others += is_other
        sizes = [(b[2] - b[0], b[3] - b[1]) for b in (box, wrong)]
        assert is_other or sizes[0] == pytest.approx(sizes[1])
        assert 0 <= (wrong[0] + wrong[2]) / 2 < width
        assert 0 <= (wrong[1] + wrong[3]) / 2 < height
    assert 0.25 < others / len(found) < 0.75


WORDS = st.lists(st.sampled_from("name phone street city date of the birth married unmarried 2 co-applicant".split()))


@settings(max_examples=some(15, 60), deadline=None)
@given(target=WORDS.map(" | ".join) | st.text(min_size=1, max_size=60))
def test_the_oracle_ranks_what_it_finds(target):
    env = SHARED
    page, places = env.unwrapped.page(), env.unwrapped.state.places
    found = OracleLocator(env).locate(page, target)
    scores = [score for _, score in found]
    assert len(found) <= 5
    assert scores == sorted(scores, reverse=True)
    assert all(0 < score <= 1 for score in scores)
    assert sum(scores) <= 1 + 1e-9
    assert {box for box, _ in found} <= {tuple(map(float, place.box)) for place in places}


SHARED = gym.make(ID)
SHARED.reset(seed=0)


def test_web_forms_are_clicked_by_name():
    wrapped = FieldFinder(gym.make("FormFactory/JobApplication-v0"), show=1, locator="oracle")
    wrapped.reset(seed=0)
    assert {"click_at", "double_click_at"} < set(wrapped.action_space.names)
    state = wrapped.unwrapped.state
    places = [place for place in state.places if place.box[3] < 768]
    assert len({place.label for place in places}) == len(places) > 5
    for place in places:
        info = wrapped.step(wrapped.action_space.action("click_at", target=place.label))[4]
        assert info["valid"], info
        x, y = map(int, re.match(r"Clicked at \((\d+), (\d+)\)\.", info["feedback"]).groups())
        assert place.box[0] <= x <= place.box[2]
        assert place.box[1] <= y <= place.box[3]
        wrapped.step(wrapped.action_space.action("press_key", key="Escape"))
    wrapped.step(wrapped.action_space.action("scroll", dy=300))
    assert wrapped.step(wrapped.action_space.action("click_at", target="Hours sought: Part time"))[4]["valid"]
    assert state.page.draft()["hours"] == "Part time"


def test_web_forms_are_solved_by_pointing_beside_names():
    env = gym.make("FormFactory/JobApplication-v0")
    episode = run_episode(FieldFinder(ActionBatch(env), locator="oracle"), Oracle(), index=0, seed=0)
    assert episode.reward == pytest.approx(1.0)
    env.reset(seed=0)
    with pytest.raises(ValueError, match="points=True"):
        FieldFinder(env, points=False, locator="oracle").solution()


def test_the_editor_is_clicked_by_name():
    wrapped = FieldFinder(gym.make("FormGym/AutoLoans-GUI-v0"), locator="oracle")
    wrapped.reset(options={"form": "lakeshore_auto_credit", "user": "margaret_holloway"})
    space = wrapped.unwrapped.state.space
    label = "Applicant: first name"
    for call in (
        {"tool": "press_key", "key": "t"},
        {"tool": "click_at", "target": label},
        {"tool": "type_text", "text": "x"},
        {"tool": "press_key", "key": "Enter"},
    ):
        info = wrapped.step(wrapped.action_space.from_call(call))[4]
        assert info["valid"], info
    assert space.page.task.targets[space.page.marks[-1].target].label == label
    labels = {place.label for place in wrapped.unwrapped.state.places}
    assert "Applicant: signature" not in labels
    wrapped.step(wrapped.action_space.from_call({"tool": "scroll", "dx": 0, "dy": 2000}))
    assert "Applicant: signature" in {place.label for place in wrapped.unwrapped.state.places}


def test_documents_have_nothing_to_point_at():
    with pytest.raises(ValueError, match="points at the page"):
        FieldFinder(gym.make("DocEdit/ConcertPoster-v0"))


@LONG
def test_the_oracle_solves_every_form_by_names_and_the_record_replays(env):
    wrapped = Feedback(FieldFinder(ActionBatch(env, max_rounds=10), locator="oracle"))
    for index, task in enumerate(env.unwrapped.task_ids[::5]):
        episode = run_episode(wrapped, Oracle(), index=index, seed=index, task=task)
        assert episode.metrics["strict_accuracy"] == 1.0, task
        assert {call["tool"] for call in episode.rounds[0].calls} <= set(env.unwrapped.action_space.names)
        *_, last = replay(env.unwrapped, episode)
        assert last.metrics == episode.metrics


def test_a_smaller_page_is_located_as_well():
    height, width, _ = gym.make(ID).observation_space["page"].shape
    wrapped = FieldFinder(gym.make(ID, render_size=(height // 2, width // 2)), locator="oracle")
    wrapped.reset(seed=1)
    calls = wrapped.solution()
    for call in calls:
        info = wrapped.step(wrapped.action_space.from_call(call))[4]
    assert info["score"]["strict_accuracy"] == 1.0
    assert isinstance(wrapped.unwrapped.state, PaperFormState)


ORDERS = [
    [ActionBatch, Ruler, FieldFinder],
    [ActionBatch, GridOverlay, FieldFinder, Ruler],
    [FieldFinder, ActionBatch],
    [Ruler, FieldFinder, ActionBatch, Feedback],
    [GroundTruthCoordinates, ActionBatch, GridOverlay, Ruler, FieldFinder, Feedback, SparseReward],
]


@LONG
@pytest.mark.parametrize("order", ORDERS, ids=lambda order: "-".join(wrapper.__name__ for wrapper in order))
def test_wrappers_go_in_any_order_and_the_record_replays(env, order):
    wrapped = env
    for wrapper in order:
        wrapped = wrapper(wrapped)
    episode = run_episode(wrapped, Oracle(), index=0, seed=3)
    assert episode.metrics["strict_accuracy"] == 1.0
    assert episode.reward == pytest.approx(1.0)
    *_, last = replay(env.unwrapped, episode)
    assert page_digest(last.page) == episode.page_sha256


def test_one_of_a_kind_is_enough(env):
    with pytest.raises(ValueError, match="one FieldFinder"):
        FieldFinder(FieldFinder(env, locator="oracle"))
    with pytest.raises(ValueError, match="one ActionBatch"):
        ActionBatch(FieldFinder(ActionBatch(env), locator="oracle"))


def test_what_follows_the_end_is_not_carried_out(env):
    batched = FieldFinder(ActionBatch(env), show=1, locator="oracle")
    batched.reset(seed=0)
    look = {"tool": "find", "target": batched.unwrapped.state.task.targets[0].label}
    lost = {"tool": "place_text_at", "target": "zzzz qqq", "text": "x"}
    info = batched.step([look, {"tool": "terminate"}, look, lost])[4]
    assert info["valid"] == [True, True, False, False]
    assert "may be at" in info["feedback"][0]
    assert set(info["feedback"][2:]) == {"Not carried out: the episode had ended."}


# --- where fields are written in


@pytest.mark.parametrize("name", ["AutoLoans-Text", "AutoLoans-DocTransfer", "Database", "Scans"])
def test_named_fields_are_written_in_from_the_left_of_their_blank_and_can_be_cleared(name):
    env = FieldFinder(gym.make(f"FormGym/{name}-v0", max_episode_steps=-1), locator="oracle")
    n_fitting = 0
    for task in sample(env.unwrapped.task_ids, 1):
        env.reset(options={"task": task})
        state = env.unwrapped.state
        labels = Counter(target.label for target in state.task.targets)
        for target in (one for one in state.task.targets if one.gold.value and labels[one.label] == 1):
            tool = "sign_or_initial" if target.signed else "place_text"
            act = env.action_space.action
            assert env.step(act(f"{tool}_at", target=target.label, text=target.gold.value))[4]["valid"]
            mark, (left, _, right, _) = state.marks[-1], target.blank
            if mark.stamp.sprite.advance < right - left:
                size, _ = state.lettering(target.signed)
                assert left - 2 <= mark.box[0]
                assert mark.box[2] <= right + 2
                assert target.comb or target.ticked or mark.box[0] - left <= size
                n_fitting += 1
            assert env.step(act("delete_text_at", target=target.label))[4]["valid"]
            assert state.marks == []
    assert n_fitting


@pytest.mark.parametrize(
    ("box", "begins"),
    [
        ((100, 40, 300, 64), (104, 112)),  # the blank, from its left
        ((60, 40, 300, 64), (96, 104)),  # with the end of its label: after it
        ((104, 40, 130, 64), (104, 112)),  # too narrow: on to the right
        ((250, 40, 300, 64), (225, 240)),  # too near the print on the right: earlier
    ],
)
def test_a_text_begins_after_the_label_and_ends_before_other_print(box, begins):
    page = np.full((100, 400, 3), 255, np.uint8)
    page[44:60, 20:98:6] = 0
    page[44:60, 310:390:6] = 0
    page[63:65, 100:305] = 0
    task = PaperTask("made", "", "", 18, (Target("a", "A", (100, 40, 304, 64), Gold("text", "Ann")),))
    state = PaperFormState(task, page)
    for scale in (1, 2):
        x, y = writing_point(page[::scale, ::scale], state, box, "Saturday", signed=False)
        mark = state.write(x, y, "Saturday")
        assert begins[0] <= mark.box[0] + 2 * scale
        assert mark.box[0] <= begins[1] + 2 * scale
        assert mark.box[2] <= 310
        assert mark.target == 0
    assert writing_point(page, state, box, "X", signed=False) == pytest.approx(
        ((box[0] + box[2]) / 800, (box[1] + box[3]) / 200)
    )
