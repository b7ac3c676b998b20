"""The zoom: an enlarged part of the page as a picture of its own; places stay those of the page."""

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from sizes import some

import formgym  # noqa: F401
from formgym.agents.models.model import ImageBlock
from formgym.agents.models.scripted import Scripted
from formgym.agents.session import Session
from formgym.agents.vlm import VLM
from formgym.experiments.running.rollout import run_episode
from formgym.wrappers import ActionBatch, Feedback, FieldFinder, PadPage, Ruler, Zoom

SCAN, WEB, POSTER = "FormGym/Scans-v0", "FormFactory/NDA-v0", "DocEdit/ConcertPoster-v0"


def _zoom(left, top, right, bottom):
    return {"tool": "zoom", "left": left, "top": top, "right": right, "bottom": bottom}


def _made(env_id=SCAN, size=(768, 1024), **options):
    env = Zoom(gym.make(env_id, disable_env_checker=True, **options), *size)
    env.reset(seed=1)
    return env


def test_the_part_is_shown_from_the_full_page_also_where_a_small_one_is_observed():
    full, small = _made(), _made(render_size=(264, 204))
    results = [env.step(env.action_space.from_call(_zoom(0.1, 0.2, 0.5, 0.4))) for env in (full, small)]
    for observation, reward, _, _, info in results:
        assert (reward, info["valid"]) == (0, True)
        assert (
            info["feedback"]
            == "The enlarged picture shows this part of the page: left 0.1, top 0.2, right 0.5, bottom 0.4."
        )
        assert observation["zoom"].shape == (768, 1024, 3)
    assert np.array_equal(results[0][0]["zoom"], results[1][0]["zoom"])
    assert results[1][0]["page"].shape == (264, 204, 3)
    page = full.unwrapped.page()
    height, width = page.shape[:2]
    box = (0.1 * width, 0.2 * height, 0.5 * width, 0.4 * height)
    expected = Image.fromarray(page).resize(
        (1024, round(1024 * (box[3] - box[1]) / (box[2] - box[0]))), Image.Resampling.LANCZOS, box
    )
    assert np.array_equal(results[0][0]["zoom"][: expected.height], np.asarray(expected))


def test_it_is_blank_at_first_and_shows_the_page_as_it_is_now():
    env = _made()
    observation, _ = env.reset(seed=1)
    assert not observation["zoom"].any()
    first = env.step(env.action_space.from_call(_zoom(0.3, 0.3, 0.6, 0.6)))[0]["zoom"]
    second = env.step(env.action_space.from_call({"tool": "place_text", "x": 0.45, "y": 0.45, "text": "Ann Lee"}))[0][
        "zoom"
    ]
    assert not np.array_equal(first, second)
    third = env.step(env.action_space.from_call({"tool": "delete_text", "x": 0.45, "y": 0.45}))[0]["zoom"]
    assert np.array_equal(first, third)
    assert not env.reset(seed=1)[0]["zoom"].any()


def test_a_zoom_costs_a_step_and_changes_nothing():
    env = _made(size=(96, 128))
    before = env.unwrapped.state.dump()
    for _ in range(19):
        *_, truncated, _ = env.step(env.action_space.from_call(_zoom(0, 0, 1, 1)))
        assert not truncated
    assert env.unwrapped.state.dump() == before
    assert env.step(env.action_space.from_call(_zoom(0, 0, 1, 1)))[3]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (_zoom(0.5, 0.2, 0.5, 0.4), "left must be less than right"),
        (_zoom(0.1, 0.2, 1.5, 0.4), "right must lie between 0 and 1"),
        ({"tool": "zoom", "left": 0.1}, "misses the argument top, right, bottom"),
        ({"tool": "fly"}, "the tools are place_text, delete_text, terminate, zoom."),
        ({"tool": "place_text", "x": 0.5, "y": 0.5}, "misses the argument text"),
        (None, "A call is an object"),
    ],
)
def test_a_bad_call_is_explained(call, words):
    env = _made()
    observation, _, _, _, info = env.step(env.action_space.from_call(call))
    assert not info["valid"]
    assert words in info["feedback"]
    assert not observation["zoom"].any()


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4))
@settings(max_examples=some(20, 500))
def test_every_part_can_be_enlarged(edges):
    env = _made(size=(96, 128))
    (left, right), (top, bottom) = sorted(edges[:2]), sorted(edges[2:])
    observation, _, _, _, info = env.step(env.action_space.from_call(_zoom(left, top, right, bottom)))
    assert observation in env.observation_space
    assert info["valid"] == (left < right and top < bottom)


def test_rounds_fields_by_name_and_zooms_go_together():
    env = FieldFinder(ActionBatch(gym.make(SCAN, disable_env_checker=True)), locator="oracle")
    env = Feedback(Zoom(env))
    env.reset(seed=1)
    target = env.unwrapped.state.places[0].label
    calls = [
        _zoom(0, 0, 0.5, 0.5),
        {"tool": "place_text_at", "target": target, "text": "x"},
        {"tool": "fly"},
        _zoom(0.5, 0.5, 1, 1),
    ]
    space = env.action_space.feature_space
    observation, _, _, _, info = env.step([space.from_call(call) for call in calls])
    assert info["valid"] == [True, True, False, True]
    assert "left 0.5" in observation["feedback"].splitlines()[3]
    page = np.asarray(Image.fromarray(env.unwrapped.page()))
    assert observation["zoom"][0, 0].tolist() == pytest.approx(page[528, 408].tolist(), abs=3)
    assert info["carried_out"] == 4
    assert len(info["actions"]) == 4


@pytest.mark.parametrize(("env_id", "side"), [(WEB, 300), (POSTER, 0.4)])
def test_the_part_is_in_the_units_of_the_tools(env_id, side):
    env = _made(env_id)
    observation, _, _, _, info = env.step(env.action_space.from_call(_zoom(0, 0, side, side)))
    assert info["valid"], info["feedback"]
    assert observation["zoom"].any()


def test_a_model_sees_it_in_its_own_coordinates():
    with Session(SCAN, seed=1, wrappers=[Zoom, Ruler], unit="thousand", max_side=600) as session:
        assert [block.name for block in session.open() if isinstance(block, ImageBlock)] == ["page"]
        blocks, _ = session.call("zoom", {"left": 500, "top": 500, "right": 1000, "bottom": 1000})
        assert [block.name for block in blocks if isinstance(block, ImageBlock)] == ["zoom"]
        assert session.turns[0].valid
        assert "left 0.4" in session.turns[0].feedback, "the ruler takes the first pixels of the picture"


def test_an_agent_looks_before_it_writes():
    env = Feedback(Zoom(ActionBatch(gym.make(SCAN, disable_env_checker=True), max_rounds=3)))

    def script(messages, tools, seed):
        if len(messages) == 2:
            assert "zoom shows a part" in messages[0].content[0].text
            return {
                "tool_calls": [{"name": "zoom", "arguments": {"left": 0.2, "top": 0.2, "right": 0.4, "bottom": 0.3}}]
            }
        assert [block.name for block in messages[-1].content if isinstance(block, ImageBlock)] == ["zoom"]
        return {"tool_calls": [{"name": c.pop("tool"), "arguments": c} for c in env.get_wrapper_attr("solution")()]}

    episode = run_episode(env, VLM(Scripted(script)), index=0, seed=2)
    assert episode.metrics["strict_accuracy"] == 1


def test_what_does_not_go_with_it_is_refused():
    with pytest.raises(ValueError, match="padded the page"):
        Zoom(PadPage(gym.make(SCAN), 1100, 900))
    with pytest.raises(ValueError, match="share a name"):
        Zoom(_made())
    with pytest.raises(ValueError, match="at least one row"):
        Zoom(gym.make(SCAN), height=0)
