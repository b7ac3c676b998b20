"""LabelWindow: the windows of WindowPool, cells as points, labels that are not found, pages read once."""

import gymnasium as gym
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from sizes import LONG

pytest.importorskip("cv2")

from formgym.envs.core.grounding import GroundingEnv, GroundingPage, GroundingTarget
from formgym.envs.paper_forms.made_pages.page_generator import page as made_page
from formgym.envs.web_forms.grounding_env import WebGroundingEnv
from formgym.fieldfinder_model.evaluation.measuring import ReadWords
from formgym.fieldfinder_model.reading.page_reading import gray_page
from formgym.fieldfinder_model.windows.label_windows import CELLS, COLUMNS, ROWS
from formgym.fieldfinder_model.windows.window_pool import WindowPool, window_page
from formgym.wrappers import ActionBatch, FieldQueue, LabelWindow, label_window

SEED = 3
LOST = "zzz qqq xxx"
"""A name that is like nothing on the page."""


class MadeEnv(GroundingEnv):
    """Asks for all fields of a made page, and for one that is not on it."""

    task_ids = ("page",)

    def __init__(self, **kwargs):
        super().__init__(made_page(SEED).gray.shape, **kwargs)

    def open_page(self, task_id):
        page = made_page(SEED)
        targets = [GroundingTarget(example.target, example.field) for example in page.examples]
        image = np.repeat(page.gray[:, :, None], 3, axis=2)
        return GroundingPage(image, (*targets, GroundingTarget(LOST, (0, 0, 1, 1))))


@pytest.fixture
def read(monkeypatch):
    """The pages that are read; their words are known, OCR is not needed."""
    pages = []

    def words(gray):
        pages.append(gray)
        return ReadWords(list(made_page(SEED).words), 0.0, 0.0)

    monkeypatch.setattr(label_window, "read_words", words)
    label_window._read.cache_clear()
    yield pages
    label_window._read.cache_clear()


@pytest.fixture(scope="module")
def pool():
    return WindowPool([window_page(made_page(SEED))])


def _played(env, actions):
    """The observations of an episode, by goal, and the rewards."""
    observation, _ = env.reset(seed=0)
    seen, rewards = {}, {}
    for action in actions:
        goal = env.unwrapped.state.goal
        seen[goal] = observation
        observation, rewards[goal], ended, *_ = env.step(action)
        if ended:
            return seen, rewards
    raise AssertionError("the episode goes on")


def test_windows_and_rewards_are_those_of_the_pool(read, pool):
    env = LabelWindow(MadeEnv())
    cells = np.random.default_rng(0).integers(CELLS, size=len(pool) + len(pool.unmatched) + 1)
    index = np.arange(len(pool))
    names = [target.name for target in pool.targets]
    order = [target.name for target in env.unwrapped.open_page("page").targets]
    # Right cells, as far as there are any, so that there is something to be rewarded.
    right = pool.right_cells(index, pool.origins(index))
    cells[[order.index(name) for name in names]] = np.where(right.any(1), right.argmax(1), 0)
    seen, rewards = _played(env, cells)
    expected = pool.observe(index, pool.origins(index))
    hits = pool.rewards(index, cells[[order.index(name) for name in names]], pool.origins(index))
    assert len(set(names)) == len(names) > 10
    assert hits.sum() > 5
    for at, name in enumerate(names):
        np.testing.assert_array_equal(seen[name]["picture"], expected["picture"][at])
        np.testing.assert_array_equal(seen[name]["planes"], expected["planes"][at])
        assert seen[name]["found"].tolist() == [1]
        assert rewards[name] * len(order) == pytest.approx(hits[at])


def test_a_label_that_is_not_found_leaves_the_window_blank(read):
    env = LabelWindow(MadeEnv(), candidates=2)
    env.reset(options={"task": "page"})
    blank = env._windows(LOST)
    assert not any(array.any() for array in blank.values())
    cell = 3 * COLUMNS + 5
    assert env._point(1, cell) == [5.5 / COLUMNS, 3.5 / ROWS]


def test_an_action_picks_a_candidate_and_a_cell(read, pool):
    one, three = LabelWindow(MadeEnv()), LabelWindow(MadeEnv(), candidates=3)
    assert three.action_space.n == 3 * CELLS
    single, _ = one.reset(seed=0)
    stacked, _ = three.reset(seed=0)
    assert three.observation_space.contains(stacked)
    assert stacked["found"].sum() > 1
    np.testing.assert_array_equal(stacked["picture"][0], single["picture"])
    assert one._point(0, 7) == three._point(0, 7) != three._point(1, 7)
    label = three._page.labels(three.unwrapped.state.goal)[1]
    width, height = three.unwrapped.page_size[::-1]
    three.step(CELLS + 7)
    x, y = three.unwrapped.state.answers[0][:2]
    assert abs(x * width - label.box[0]) < 0.3 * width
    assert abs(y * height - label.box[1]) < 0.1 * height


def test_windows_can_be_moved_at_random(read):
    still, env = LabelWindow(MadeEnv()), LabelWindow(MadeEnv(), jitter=True)
    still.reset(seed=0)
    places = {tuple(env.reset(seed=seed) and env._origins[0] - still._origins[0]) for seed in (0, 1, 2, 0)}
    assert len(places) == 3
    assert np.abs(list(places)).max(0).tolist() <= [8, 24]


def test_a_page_is_read_once(read):
    envs = [LabelWindow(MadeEnv(max_targets=2)) for _ in range(2)]
    for env in envs * 3:
        env.reset(seed=0)
        env.step(0)
    assert len(read) == 1
    np.testing.assert_array_equal(read[0], gray_page(np.repeat(made_page(SEED).gray[:, :, None], 3, axis=2)))


@pytest.mark.parametrize("candidates", [1, 3])
@pytest.mark.filterwarnings("ignore:.*wrapped|.*different|.*resolution|.*unconventional")
def test_checkers_accept_it(read, candidates):
    _check(LabelWindow(MadeEnv(), candidates))


def _check(env):
    sb3 = pytest.importorskip("stable_baselines3.common.env_checker")
    check_env(env, skip_render_check=True)
    sb3.check_env(env)


@LONG
@pytest.mark.parametrize(
    "make",
    [
        lambda: WebGroundingEnv("dev"),
        lambda: gym.make("FormGym/Grounding-v0"),
        lambda: gym.make("DocEdit/Grounding-v0", action="point"),
        lambda: FieldQueue(gym.make("FormGym/Scans-v0")),
    ],
)
@pytest.mark.filterwarnings("ignore")
def test_checkers_accept_it_around_every_id_that_asks_for_names(make):
    pytest.importorskip("rapidocr")
    _check(LabelWindow(make(), 2))


def test_wrong_arguments_are_refused():
    with pytest.raises(ValueError, match="at least 1"):
        LabelWindow(MadeEnv(), candidates=0)
    with pytest.raises(ValueError, match="no tool 'fly'"):
        LabelWindow(MadeEnv(), tool="fly")
    with pytest.raises(ValueError, match="nothing else"):
        LabelWindow(gym.make("FormGym/Scans-v0"), tool="place_text")
    with pytest.raises(ValueError, match="one a step"):
        LabelWindow(ActionBatch(MadeEnv()))
