"""One battery over every registered id."""

import json
import pickle
import subprocess
import sys
import warnings
from contextlib import closing
from functools import lru_cache, partial

import gymnasium as gym
import numpy as np
import pytest
from editor_walk import random_call
from gymnasium.envs.registration import EnvSpec
from gymnasium.utils.env_checker import check_env, data_equivalence
from invariants import EPISODE
from paths import TESTS
from sizes import ALL, FIRST_OF_EACH_CLASS, LONG, sample, some

from formgym.agents.base import TaskInfo
from formgym.agents.baselines import Oracle
from formgym.envs.core.grounding import GroundingEnv
from formgym.envs.core.painting import shrunk
from formgym.envs.core.vector import BatchVectorEnv
from formgym.envs.documents.state import DocumentState
from formgym.envs.paper_forms.paged_form import PagedForm
from formgym.envs.paper_forms.state import PaperFormState
from formgym.envs.registration import ids
from formgym.experiments.running.rollout import bare_env

OF_EVERY_TASK = ("semantic.oracle_max", "semantic.canary_floor")
_DIGESTS = "import json, sys; from invariants import digests; print(json.dumps(digests(json.loads(sys.argv[1]))))"
_same = partial(data_equivalence, exact=True)


def _unfinished_actions(env, n, seed):
    """Random actions that do not end the episode."""
    env.action_space.seed(seed)
    actions = (env.action_space.sample() for _ in range(10 * n))
    terminate = env.unwrapped.action_space.names.index("terminate")
    return [action for action in actions if action["tool"] != terminate][:n]


def _walk(env, actions):
    """What steps return, until the episode ends: a page of grounding ends with its last target."""
    for action in actions:
        yield (result := env.step(action))
        if result[2]:
            return


@lru_cache(maxsize=1)
def _environments(env_id, arguments):
    """As many environments as a check needs, for all checks of an id."""
    return [bare_env(env_id, **json.loads(arguments)) for _ in range(3)]


@pytest.mark.parametrize("name", EPISODE)
def test_what_must_hold_of_episodes_holds(env_id, arguments, name):
    environments = _environments(env_id, json.dumps(arguments[env_id]))
    begins = range(some(1, 3))
    if name in OF_EVERY_TASK:
        tasks = environments[0].task_ids
        begins = tasks if ALL else tasks[:: max(len(tasks) // 2, 1)]
    EPISODE[name](partial(next, iter(environments)), begins)


def test_a_tool_is_there_if_some_task_can_use_it(env_id, arguments):
    env = _environments(env_id, json.dumps(arguments[env_id]))[0]
    if isinstance(env, GroundingEnv) or env_id.startswith("FormFactory/") or "GUI" in env_id:
        return
    states = [env.open_task(task) for task in sample(env.task_ids, 24)]
    useful = {
        "sign_or_initial": any(t.signed for s in states for page in _papers(s) for t in page.task.targets),
        "query_sql": any(page.query for state in states for page in _papers(state)),
        "turn_page": any(isinstance(state, PagedForm) for state in states),
        "show_page": any(len(s.document.pages) > 1 for s in states if isinstance(s, DocumentState)),
    }
    assert {name: name in env.action_space.names for name in useful} == useful


def _papers(state):
    """The pages of a paper form."""
    return state.pages if isinstance(state, PagedForm) else [state] if isinstance(state, PaperFormState) else []


def test_the_checker_finds_nothing(env_id, arguments):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        # A user's own data may hold tasks that cannot be played.
        warnings.filterwarnings("default", message=".* tasks are left out")
        check_env(gym.make(env_id, render_mode="rgb_array", **arguments[env_id]).unwrapped)


@LONG
def test_same_seed_same_episode_in_fresh_processes(arguments):
    requests = {env_id: arguments[env_id] for env_id in (ids() if ALL else sample(FIRST_OF_EACH_CLASS, 9))}
    command = [sys.executable, "-W", "ignore", "-c", _DIGESTS, json.dumps(requests)]
    runs = [
        subprocess.run(
            command, capture_output=True, check=True, text=True, cwd=TESTS,
            env={"PYTHONHASHSEED": hash_seed, "HOME": "/nonexistent"},
        ).stdout
        for hash_seed in ("1", "2")
    ]  # fmt: skip
    assert runs[0] == runs[1]
    digests = json.loads(runs[0])
    assert len(set(digests.values())) == len(digests) == len(requests)


def test_observations_share_no_memory(env):
    first, _ = env.reset(seed=1)
    observations = [first] + [result[0] for result in _walk(env, _unfinished_actions(env, 4, 1))]
    for i, left in enumerate(observations):
        assert not any(np.shares_memory(left["page"], right["page"]) for right in observations[i + 1 :])
    truth = env.unwrapped.page()
    observations[-1]["page"][:] = 0
    assert np.array_equal(env.unwrapped.page(), truth)
    again, _ = env.reset(seed=1)
    assert again["page"].any()


def test_a_pickled_environment_goes_on_alike(env):
    env.reset(seed=5)
    actions = iter(_unfinished_actions(env, 8, 5))
    for _ in range(4):
        if env.step(next(actions))[2]:
            env.reset()
    twin = pickle.loads(pickle.dumps(env))
    for action in actions:
        left, right = env.step(action), twin.step(action)
        assert _same(left, right)
        if left[2]:
            break
    assert _same(env.reset(), twin.reset())


def test_the_spec_survives_json(env):
    spec = EnvSpec.from_json(env.spec.to_json())
    twin = gym.make(spec)
    assert _same(env.reset(seed=9), twin.reset(seed=9))
    assert spec == env.spec


def _modes(env_id):
    """All ways of starting again; in a sample one of them, another for the next class."""
    modes = list(gym.vector.AutoresetMode)
    return modes if ALL else [modes[FIRST_OF_EACH_CLASS.index(env_id) % len(modes)]]


@pytest.mark.parametrize(
    ("env_id", "kind"),
    [(env_id, "batch") for env_id in some(FIRST_OF_EACH_CLASS, ids())]
    + [(env_id, "async") for env_id in sample(some(FIRST_OF_EACH_CLASS, ids()), 4)],
)
def test_vector_environments_agree_step_by_step(env_id, arguments, kind):
    n = some(2, 3)
    make = _maker(env_id, arguments[env_id])
    for mode in _modes(env_id):
        sync = gym.vector.SyncVectorEnv([make] * n, autoreset_mode=mode)
        other = _vector(kind, env_id, arguments[env_id], make, n, mode)
        with closing(sync), closing(other):
            _assert_vectors_agree(sync, other, mode)


def _assert_vectors_agree(sync, other, mode):
    assert _same(sync.reset(seed=11), other.reset(seed=11))
    sync.action_space.seed(0)
    for _ in range(some(8, 30)):
        actions = sync.action_space.sample()
        result = sync.step(actions)
        assert _same(result, other.step(actions))
        ended = result[2] | result[3]
        if mode == gym.vector.AutoresetMode.DISABLED and ended.any():
            assert _same(*(v.reset(options={"reset_mask": ended.copy()}) for v in (sync, other)))


def _maker(env_id, arguments):
    def make():
        return gym.make(env_id, max_episode_steps=7, disable_env_checker=True, **arguments)

    return make


def _vector(kind, env_id, arguments, make, n, autoreset_mode):
    if kind == "batch":
        vector = gym.make_vec(env_id, num_envs=n, max_episode_steps=7, autoreset_mode=autoreset_mode.value, **arguments)
        assert isinstance(vector, BatchVectorEnv)
        return vector
    # Gymnasium reads texts from shared memory once, when it is made: they do not survive shared_memory=True.
    return gym.vector.AsyncVectorEnv([make] * n, shared_memory=False, autoreset_mode=autoreset_mode)


def test_batches_are_painted_in_place_and_final_pages_are_kept(env_id, arguments):
    vector = gym.make_vec(env_id, num_envs=2, max_episode_steps=2, autoreset_mode="SameStep", **arguments[env_id])
    # Of both seeds every environment has pages on which two actions end no episode.
    seeds = [1, 2]
    page = vector.reset(seed=seeds)[0]["page"]
    singles = [gym.make(env_id, **arguments[env_id]) for _ in range(2)]
    for seed, single in zip(seeds, singles, strict=True):
        single.reset(seed=seed)
    space = vector.single_action_space
    for action in _two_changes(singles[0].unwrapped):
        expected = [single.step(action)[0]["page"] for single in singles]
        actions = gym.vector.utils.concatenate(space, [action] * 2, gym.vector.utils.create_empty_array(space, 2))
        observation, _, _, truncated, infos = vector.step(actions)
        assert observation["page"] is page
    assert truncated.all()
    finals = [final["page"] for final in infos["final_obs"]]
    assert all(np.array_equal(final, last) for final, last in zip(finals, expected, strict=True))
    assert not any(np.shares_memory(final, page) for final in finals)
    if not isinstance(singles[0].unwrapped, GroundingEnv):  # Two episodes may have one page.
        assert not any(np.array_equal(final, page[i]) for i, final in enumerate(finals))


def _two_changes(base):
    """Two actions that change the page."""
    if hasattr(base, "documents") and "move_by" in base.action_space.names:
        shown = base.state.document.elements_of_page(0)[-1].id
        calls = [{"tool": "move_by", "object_id": shown, "direction": way, "pixels": 40} for way in ("UP", "LEFT")]
        return [base.action_space.from_call(call) for call in calls]
    if "place_text" not in base.action_space.names:
        return [base.action_space.from_call(call) for call in base.solution()[:2]]
    return [base.action_space.action("place_text", x=x, y=0.5, text="Ann") for x in (0.3, 0.6)]


def test_pages_of_batches_are_copied_on_request_and_others_cannot_be_written(env_id, arguments):
    make = partial(gym.make_vec, env_id, num_envs=2, **arguments[env_id])
    single = gym.make(env_id, copy=False, **arguments[env_id])
    for page in (make().reset(seed=0)[0]["page"], single.reset(seed=0)[0]["page"]):
        with pytest.raises(ValueError, match="read-only"):
            page[:] = 0
    vector = make(copy=True)
    first, second = (vector.reset(seed=seed)[0]["page"] for seed in (0, 1))
    assert not np.shares_memory(first, second)


def test_oracle_repairs_what_chance_has_done(env):
    base = env.unwrapped
    if base.spec.id.startswith("FormFactory/"):
        pytest.skip("what is submitted cannot be taken back; test_web_forms.py has the rest")
    if isinstance(base, GroundingEnv):
        pytest.skip("an answer cannot be taken back")
    for seed in range(some(2, 6)):
        env.reset(seed=seed)
        for action in _unfinished_actions(env, 12, seed):
            base.step(action)
        for call in _scribbles(base, seed):
            base.step(base.action_space.from_call(call))
        agent = Oracle()
        agent.reset(TaskInfo(env.spec.id, base.action_space, None, base.state.solution()), seed)
        for action in agent.act({}):
            info = base.step(action)[4]
            assert info["valid"], info
        assert info["score"][base.reward_metric] == 1.0


def _scribbles(base, seed):
    """Some right answers, marks on top of them, and deletions near by; in an editor, whatever a restless user does.

    In documents, elements that are moved and deleted.
    """
    rng = np.random.default_rng(seed)
    if "move_by" in base.action_space.names:
        for element in rng.permutation([*base.state.document.places])[:6]:
            yield {"tool": "move_by", "object_id": str(element), "direction": "DOWN", "pixels": 30}
            yield {"tool": "delete", "object_id": str(element)}
        return
    if "place_text" not in base.action_space.names:
        yield from (random_call(base.state.space, rng) for _ in range(100))
        return
    calls = [call for call in base.state.solution() if "text" in call]
    for call in rng.permutation(calls)[:8]:
        yield call
        yield {**call, "tool": "place_text", "text": "scribble"}
        x, y = np.clip([call["x"] + rng.normal(0, 0.02), call["y"] + rng.normal(0, 0.01)], 0, 1)
        yield {"tool": "delete_text", "x": x, "y": y}


def test_a_smaller_render_is_the_page_shrunk(env_id, arguments):
    full = gym.make(env_id, **arguments[env_id])
    height, width, _ = full.observation_space["page"].shape
    factor = next(k for k in (3, 2) if height % k == 0 == width % k)
    small = gym.make(env_id, render_size=(height // factor, width // factor), **arguments[env_id])
    pages = [env.reset(seed=4)[0]["page"] for env in (full, small)]
    assert np.array_equal(shrunk(pages[0], factor), pages[1])
    for results in zip(*(_walk(env, _unfinished_actions(full, 6, 4)) for env in (full, small)), strict=True):
        pages = [observation["page"] for observation, *_ in results]
        assert np.array_equal(shrunk(pages[0], factor), pages[1])
    with pytest.raises(ValueError, match="render_size"):
        gym.make(env_id, render_size=(101, 97), **arguments[env_id])
    with pytest.raises(ValueError, match="render_size"):
        gym.make(env_id, render_size=5, **arguments[env_id])


def test_misuse_by_the_caller_raises(env):
    base = env.unwrapped
    with pytest.raises(gym.error.ResetNeeded):
        base.step(base.action_space.action("terminate"))
    with pytest.raises(ValueError, match="task"):
        base.reset(options={"task": "no such task"})
    with pytest.raises(ValueError, match="option"):
        base.reset(options={"tusk": 1})
    base.reset(seed=0)
    base.step(base.action_space.action("terminate"))
    with pytest.raises(gym.error.ResetNeeded):
        base.step(base.action_space.action("terminate"))
