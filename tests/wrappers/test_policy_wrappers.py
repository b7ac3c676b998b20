"""What learners need: cells and points, arrays in place of texts, pages of one size, whole forms by pointing."""

import os
import subprocess
import sys

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode, SyncVectorEnv
from hypothesis import given, settings
from hypothesis import strategies as st
from PIL import Image
from sizes import sample, some

from formgym.envs.core.vector import BatchVectorEnv
from formgym.envs.web_forms.grounding_env import WebGroundingEnv
from formgym.wrappers import (
    ActionBatch,
    FieldFinder,
    FieldQueue,
    FlatObservation,
    GridOverlay,
    GridPoint,
    GroundTruthCoordinates,
    OneShot,
    PadPage,
    TextAsArray,
)
from formgym.wrappers.arrays import hashed_ngrams, utf8_bytes

TEXT, GROUNDING, WEB = "FormGym/AutoLoans-Text-v0", "DocEdit/Grounding-v0", "FormFactory/NDA-v0"
GUI = "FormGym/AutoLoans-GUI-v0"


def _cell_of(x, y, rows, columns):
    return int(y * rows) * columns + int(x * columns)


def _padded(name, height, width):
    return PadPage(WebGroundingEnv() if name == "grounding" else gym.make(name), height, width)


def test_the_cells_of_the_right_points_are_rewarded():
    env = GridPoint(WebGroundingEnv(), rows=225, columns=128)
    env.reset(seed=0)
    points = [call for call in env.unwrapped.solution() if call["tool"] == "point"]
    total = sum(env.step(_cell_of(call["x"], call["y"], 225, 128))[1] for call in points)
    assert total == pytest.approx(1)


@pytest.mark.parametrize(
    ("make", "tool", "arguments", "called"),
    [
        (lambda: gym.make(WEB), "click", {}, {"x": 640, "y": 576}),
        (lambda: gym.make(TEXT), "place_text", {"text": "x"}, {"x": 0.625, "y": 0.75, "text": "x"}),
        (lambda: gym.make(TEXT), "delete_text", {}, {"x": 0.625, "y": 0.75}),
        (lambda: gym.make(GROUNDING), "box", {}, {"left": 0.5, "top": 0.5, "right": 0.75, "bottom": 1.0}),
        (lambda: WebGroundingEnv(action="box"), "box", {}, {"left": 0.5, "top": 0.5, "right": 0.75, "bottom": 1.0}),
        (lambda: PadPage(gym.make(WEB), 400, 800), "click", {}, {"x": 500, "y": 300}),
    ],
)
def test_a_cell_is_what_the_tool_takes(make, tool, arguments, called):
    env = GridPoint(make(), rows=2, columns=4, tool=tool, arguments=arguments)
    assert env.env.action_space.to_call(env.action(np.int64(6))) == {"tool": tool, **called}


@pytest.mark.parametrize(
    "wrong", [{"rows": 0}, {"tool": "fly"}, {"tool": "terminate"}, {"tool": "place_text"}, {"arguments": {"z": 1}}]
)
def test_a_wrong_grid_is_refused(wrong):
    with pytest.raises(ValueError, match=r"row|tool|place|argument"):
        GridPoint(gym.make(TEXT), **{"rows": 3, "columns": 4, "tool": "delete_text"} | wrong)
    with pytest.raises(ValueError, match="one a step"):
        GridPoint(ActionBatch(gym.make(TEXT)), 3, 4, "delete_text")


@given(st.text(), st.integers(1, 40))
def test_bytes_are_the_beginning_of_the_text(text, length):
    array = utf8_bytes(text, length)
    encoded = text.encode()
    assert array.tobytes() == encoded[:length].ljust(length, b"\0")


@given(st.text(), st.integers(1, 300))
def test_ngrams_have_length_one_or_are_zero(text, length):
    array = hashed_ngrams(text, length)
    assert array.shape == (length,)
    norm = float(np.linalg.norm(array))
    assert norm == pytest.approx(1, abs=1e-5) if any(c.isalnum() for c in text) else norm in (0, pytest.approx(1))


def test_ngrams_are_alike_for_texts_that_are_alike():
    phone, phones, date = (hashed_ngrams(text, 1024) for text in ("Home phone", "home  PHONES:", "Date of birth"))
    assert phone @ phones > 0.8 > 0.2 > phone @ date


def test_ngrams_are_the_same_in_another_process():
    code = "from formgym.wrappers.arrays import hashed_ngrams; print(hashed_ngrams('Straße 1', 64).tolist())"
    outputs = {
        subprocess.run(
            [sys.executable, "-c", code], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert outputs == {f"{hashed_ngrams('Straße 1', 64).tolist()}\n".encode()}


@pytest.mark.parametrize("mode", ["bytes", "ngrams"])
def test_every_text_becomes_an_array_of_the_agents_own(mode):
    env = TextAsArray(WebGroundingEnv(), length=32, mode=mode)
    observation, _ = env.reset(seed=0)
    assert observation in env.observation_space
    assert [env.observation_space[name].shape for name in ("goal", "source")] == [(32,), (32,)]
    goal = observation["goal"].copy()
    observation["goal"][:] = 7
    assert not np.array_equal(goal, env.step(env.unwrapped.action_space.action("point", x=0, y=0))[0]["goal"])
    assert np.array_equal(env.reset(seed=0)[0]["goal"], goal)


@pytest.mark.parametrize("wrong", [{"mode": "words"}, {"length": 0}])
def test_wrong_arrays_are_refused(wrong):
    with pytest.raises(ValueError, match="must be"):
        TextAsArray(gym.make(TEXT), **wrong)


def test_without_texts_the_observation_is_the_picture():
    env = FlatObservation(WebGroundingEnv(render_size=(450, 256)))
    observation, _ = env.reset(seed=0)
    assert env.observation_space == spaces.Box(0, 255, (3, 450, 256), np.uint8)
    assert np.array_equal(observation.transpose(1, 2, 0), env.unwrapped.page())
    last = FlatObservation(env.env, channels_first=False)
    assert np.array_equal(last.reset(seed=0)[0], env.unwrapped.page())


@pytest.mark.parametrize("mode", ["bytes", "ngrams"])
def test_arrays_of_texts_are_one_vector(mode):
    env = FlatObservation(TextAsArray(WebGroundingEnv(), 32, mode))
    observation, _ = env.reset(seed=0)
    assert set(observation) == {"page", "vector"}
    assert observation in env.observation_space
    assert observation["vector"].dtype == np.float32
    assert env.observation_space["vector"] == spaces.Box(0, 1, (64,), np.float32)
    assert observation["vector"][:32].any()


def test_both_pages_of_a_transfer_stay_pictures():
    env = FlatObservation(gym.make("FormGym/AutoLoans-DocTransfer-v0"))
    observation, _ = env.reset(seed=0)
    assert set(observation) == {"page", "source_page"}
    assert observation in env.observation_space


@pytest.mark.parametrize("name", sample(["grounding", TEXT, WEB, GUI, GROUNDING], 3))
@pytest.mark.parametrize("size", sample([(700, 900), (2100, 1300), (450, 333)], 1))
def test_the_solution_of_a_padded_page_is_right(name, size):
    env = _padded(name, *size)
    observation, _ = env.reset(seed=3)
    assert observation in env.observation_space
    assert observation["page"].shape == (*size, 3)
    total = 0.0
    for call in env.solution():
        assert env.action_space.from_call(call) in env.action_space
        _, reward, terminated, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"]
        assert len(info["actions"]) == 1
        total += reward
        if terminated:
            break
    assert total == pytest.approx(1)


class _Solved(gym.Wrapper):
    """An environment with the solution that a test gives it."""

    def solution(self):
        return self.calls


@pytest.mark.parametrize(
    ("name", "tool", "size"),
    [
        *((WEB, "double_click", size) for size in [(900, 1300), (768, 1024), (400, 800), (255, 1100)]),
        *((TEXT, "delete_text", size) for size in [(2500, 1999), (2016, 1224), (1000, 1000)]),
    ],
)
@settings(max_examples=some(8, 25))
@given(st.data())
def test_places_of_the_picture_and_of_the_page_go_to_and_fro(name, tool, size, data):
    env = PadPage(_Solved(gym.make(name)), *size)
    env.reset(seed=0)
    page, canvas = np.array(env.unwrapped.state.paper), np.array(env.unwrapped.page_size)
    divisor = -(-canvas[0] // (size[0] - env.padding[0]))
    shown = page // divisor
    pixel = np.array([data.draw(st.integers(0, int(length) - 1)) for length in shown])
    # Fractions are those of a pixel's middle.
    unit = np.array([1, 1]) if name == WEB else 1 / np.array(size)
    y, x = (pixel if name == WEB else pixel + 0.5) * unit
    call = {"tool": tool, "x": x.item(), "y": y.item()}
    inner = env.unwrapped.action_space.to_call(env.step(env.action_space.from_call(call))[4]["actions"][0])
    env.env.calls = [inner]
    assert env.solution() == [
        {"tool": tool, "x": pytest.approx(call["x"], 1e-15), "y": pytest.approx(call["y"], 1e-15)}
    ]
    on_page = np.array([inner["y"], inner["x"]]) * (1 if name == WEB else page)
    assert (on_page // divisor == pixel).all()
    assert name == TEXT or divisor > 1 or inner == call


def test_a_page_that_fits_is_shown_as_it_is():
    env = PadPage(WebGroundingEnv(), 2000, 1100)
    observation, _ = env.reset(seed=0)
    assert np.array_equal(observation["page"][:1800, :1024], env.unwrapped.page())
    assert env.padding == (200, 76)
    assert (observation["page"][1800:] == observation["page"][-1, -1]).all()


def test_a_page_that_is_too_large_is_shrunk_by_area():
    env = PadPage(WebGroundingEnv(), 700, 400)
    observation, _ = env.reset(seed=0)
    reduced = np.asarray(Image.fromarray(env.unwrapped.page()).reduce(3))
    assert env.padding == (100, 58)
    inside = observation["page"][:600, :341].astype(int) - reduced[:, :341]
    assert abs(inside).max() <= 1


def test_places_beside_the_page_mean_its_edge():
    env = PadPage(gym.make(WEB), 1000, 1300)
    env.reset(seed=0)
    info = env.step(env.action_space.action("click", x=1299, y=999))[4]
    assert env.unwrapped.action_space.to_call(info["actions"][0]) == {"tool": "click", "x": 1023, "y": 767}
    info = env.step({"tool": 0, "x": 1300, "y": 0})[4]
    assert not info["valid"]
    assert "from 0 to 1299" in info["feedback"]


@pytest.mark.parametrize("wrapper", [FieldFinder, GroundTruthCoordinates, FieldQueue])
def test_what_knows_places_goes_inside(wrapper):
    with pytest.raises(ValueError, match="PadPage outside"):
        wrapper(PadPage(gym.make(TEXT), 2500, 2500))
    PadPage(wrapper(gym.make(TEXT)), 2500, 2500)


def test_pages_of_all_suites_share_one_space():
    made = [GridPoint(_padded(name, 512, 512), 8, 8, tool) for name, tool in _TOOLS.items()]
    flat = [FlatObservation(TextAsArray(env, 16)) for env in made]
    vector = SyncVectorEnv([lambda env=env: env for env in flat])
    observation, _ = vector.reset(seed=0)
    assert observation["page"].shape == (len(made), 3, 512, 512)
    vector.step(vector.action_space.sample())


_TOOLS = {"grounding": "point", WEB: "click", GROUNDING: "box"}


@pytest.mark.parametrize(
    "env_id", [TEXT, "FormGym/Scans-v0", "FormGym/Database-v0", "FormGym/AutoLoans-DocTransfer-v0"]
)
def test_right_points_fill_in_the_whole_form(env_id):
    env = FieldQueue(gym.make(env_id))
    for seed in range(2):
        observation, _ = env.reset(seed=seed)
        points, total, terminated, names = env.solution(), 0.0, False, []
        for call in points:
            assert not terminated
            names.append(observation["goal"])
            observation, reward, terminated, _, info = env.step(env.action_space.from_call(call))
            total += reward
        assert terminated
        assert total == pytest.approx(1)
        assert info["score"]["strict_accuracy"] == 1
        assert set(names) <= {place.label for place in env.unwrapped.state.places}


def test_a_miss_goes_on_to_the_next_field():
    env = FieldQueue(gym.make(TEXT))
    first, _ = env.reset(seed=1)
    n = len(env.solution())
    second, reward, *_, info = env.step(env.action_space.action("point", x=0.001, y=0.001))
    assert reward == 0
    assert len(env.solution()) == n - 1
    assert second["goal"] != first["goal"]
    assert [env.unwrapped.action_space.to_call(action)["tool"] for action in info["actions"]] == ["place_text"]
    refused, *_, info = env.step({"tool": "point", "x": 2, "y": 0})
    assert refused["goal"] == second["goal"]
    assert not info["valid"]


@pytest.mark.parametrize("env_id", [WEB, GUI, GROUNDING])
def test_only_paper_forms_have_a_queue(env_id):
    with pytest.raises(ValueError, match=r"no x and y|writes a text"):
        FieldQueue(gym.make(env_id))
    with pytest.raises(ValueError, match="writes a text"):
        FieldQueue(WebGroundingEnv())


def _wrapped_ids():
    grid = {"rows": 36, "columns": 36}
    return {
        "web grounding": lambda: OneShot(GridPoint(WebGroundingEnv(render_size=(450, 256)), **grid)),
        "form": lambda: GridPoint(FieldQueue(gym.make(TEXT)), **grid),
        "document": lambda: OneShot(GridPoint(gym.make(GROUNDING), **grid, tool="box")),
        "web form": lambda: GridPoint(gym.make(WEB), **grid, tool="click"),
    }


@pytest.mark.parametrize("name", sample([*_wrapped_ids()], 2))
@pytest.mark.parametrize("texts", sample(["ngrams", "dropped", "bytes"], 1))
@pytest.mark.filterwarnings("ignore:.*render|.*spec|.*wrapped|.*modified")
def test_checkers_accept_wrapped_environments(name, texts):
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    env = _wrapped_ids()[name]()
    flat = FlatObservation(env if texts == "dropped" else TextAsArray(env, 32, texts))
    check_env(flat, skip_render_check=True)
    sb3.check_env(flat)


def _bandit():
    return TextAsArray(OneShot(GridPoint(WebGroundingEnv(max_targets=1), 18, 12)), 64)


def test_pages_are_painted_in_place_under_wrappers():
    batch = BatchVectorEnv(_bandit, 3, autoreset_mode=AutoresetMode.SAME_STEP)
    sync = SyncVectorEnv([_bandit] * 3, autoreset_mode=AutoresetMode.SAME_STEP)
    page = batch.reset(seed=0)[0]["page"]
    sync.reset(seed=0)
    sync.action_space.seed(0)
    for _ in range(5):
        actions = sync.action_space.sample()
        (one, *left, _), (other, *right, _) = batch.step(actions), sync.step(actions)
        assert one["page"] is page
        assert all(np.array_equal(one[name], other[name]) for name in one)
        assert all(map(np.array_equal, left, right))


@pytest.mark.parametrize("wrapper", [GridOverlay, FlatObservation, lambda env: PadPage(env, 2000, 2000)])
def test_wrappers_that_change_pages_do_not_go_into_a_batch(wrapper):
    with pytest.raises(ValueError, match="changes the pages"):
        BatchVectorEnv(lambda: wrapper(WebGroundingEnv()), 2).reset(seed=0)
