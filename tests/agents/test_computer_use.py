"""The agent with the one tool computer: scripted models solve tasks by it; every action is carried out or explained."""

import gymnasium as gym
import pytest
from computer_oracle import ComputerOracle
from hypothesis import given, settings
from hypothesis import strategies as st
from provider_answers import Answer
from provider_server import provider_server
from sizes import ALL, LONG, sample, some

import formgym  # noqa: F401
from formgym.agents.base import TaskInfo
from formgym.agents.computer_use import ACTIONS, DISPLAY, SCHEMA, ComputerUse, steps_of
from formgym.agents.models.model import ImageBlock, TextBlock
from formgym.agents.models.scripted import Scripted
from formgym.envs.registration import ids
from formgym.envs.web_forms.tools import TOOLS as WEB_TOOLS
from formgym.experiments.running.rollout import run_episode
from formgym.wrappers import ActionBatch, Feedback, Ruler

WEB, GUI = "FormFactory/NDA-v0", "FormGym/AutoLoans-GUI-v0"
GUIS = [f"FormGym/{name}-GUI-v0" for name in ("Database", "DocTransfer", "AutoLoans", "Scans", "FUNSD")]
WEB_NAMES = [tool.name for tool in WEB_TOOLS]
WITHOUT_MOUSE_OR_DATA = ("FormFactory/Grounding-v0",)
WEB_FORMS = [env for env in ids() if env.startswith("FormFactory/") and env not in WITHOUT_MOUSE_OR_DATA]


def _made(env_id, max_actions=None, wrappers=(), **options):
    env = gym.make(env_id, disable_env_checker=True, **options)
    for wrapper in wrappers:
        env = wrapper(env)
    return Feedback(ActionBatch(env, max_rounds=1000, max_actions=max_actions))


def _run(env, model, **agent):
    return run_episode(env, ComputerUse(model, **agent), index=0, seed=4)


@pytest.mark.parametrize(
    ("env_id", "max_actions", "wrappers", "display"),
    some(
        [(WEB, None, [], (1366, 768))],
        [
            (WEB, None, [], (1366, 768)),
            (WEB, 1, [], (1366, 768)),
            (WEB, None, [Ruler], (1280, 720)),
            ("FormFactory/BugReport-v0", 3, [], None),
            (GUI, None, [], (1366, 768)),
            (GUIS[0], 1, [Ruler], None),
        ],
    ),
)
@pytest.mark.parametrize("as_list", some([True], [True, False]))
def test_a_model_that_knows_the_solution_gets_the_oracles_score(env_id, max_actions, wrappers, display, as_list):
    env = _made(env_id, max_actions, wrappers)
    solver = ComputerOracle(env, display, (40, 40) if wrappers else (0, 0), as_list=as_list)
    episode = _run(env, Scripted(solver), display=display)
    assert episode.error is None
    assert episode.metrics["strict_accuracy"] == 1
    messages, tools = solver.asked[-1]
    assert [tool["name"] for tool in tools] == ["computer", "terminate"]
    if display:
        shown = [block for message in messages for block in message.content if isinstance(block, ImageBlock)]
        assert {block.pixels.shape for block in shown} == {(display[1], display[0], 3)}
    calls = sum(len(message.tool_calls) for message in messages)
    assert sum(message.role == "tool" for message in messages) == calls


@pytest.mark.parametrize(
    ("display", "at_once"),
    some([(DISPLAY, 12)], [(DISPLAY, 12), ((1280, 720), 12), ((1024, 768), 12), (DISPLAY, 1)]),
)
@pytest.mark.parametrize("env_id", sample([*GUIS, *WEB_FORMS], 6))
def test_native_actions_alone_reach_the_full_score(env_id, display, at_once, arguments):
    """Whole pixels of a shrunk window and the wheel by 100 pixels, on every task of a form in a whole run."""
    env = _made(env_id, **arguments[env_id])
    task_ids = list(env.unwrapped.task_ids)
    n, is_whole = len(task_ids), ALL and (display, at_once) == (DISPLAY, 12)
    # There are thousands of tasks with one field.
    for task in task_ids[:: -(-n // 120)] if is_whole else task_ids[n // 2 :: n]:
        agent = ComputerUse(Scripted(ComputerOracle(env, display, at_once=at_once)), display=display)
        episode = run_episode(env, agent, index=0, seed=4, task=task)
        assert (episode.error, episode.n_invalid) == (None, 0), task
        assert episode.metrics["strict_accuracy"] == 1, task


@LONG  # importing Inspect takes seconds
def test_the_tool_is_the_one_by_which_inspect_knows_native_computer_tools():
    computer = pytest.importorskip("inspect_ai.tool._tools._computer._computer")
    assert SCHEMA["parameters"]["properties"].keys() == computer._COMPUTER_TOOL_PARAMETERS
    assert set(ACTIONS) == set(computer.Action.__args__)


@pytest.mark.parametrize(
    ("arguments", "calls", "words"),
    [
        ({"action": "left_click", "coordinate": [3, 4]}, [{"tool": "click", "x": 3, "y": 4}], ""),
        ({"action": "left_click"}, [{"tool": "click", "x": 7, "y": 9}], ""),
        ({"action": "key", "text": "ctrl+a"}, [{"tool": "press_key", "key": "Control+a"}], ""),
        ({"action": "key", "text": "Down", "repeat": 2}, [{"tool": "press_key", "key": "ArrowDown"}] * 2, ""),
        (
            {"action": "type", "text": "Ann", "coordinate": [3, 4], "press_enter": True},
            [
                {"tool": "click", "x": 3, "y": 4},
                {"tool": "type_text", "text": "Ann"},
                {"tool": "press_key", "key": "Enter"},
            ],
            "",
        ),
        (
            {"action": "triple_click", "coordinate": [3, 4]},
            [{"tool": "click", "x": 3, "y": 4}, {"tool": "press_key", "key": "Control+a"}],
            "",
        ),
        (
            {"action": "scroll", "scroll_direction": "up", "scroll_amount": 3},
            [{"tool": "scroll", "dx": 0, "dy": -300}],
            "",
        ),
        ({"action": "mouse_move", "coordinate": [3, 4]}, [], "The pointer is at (3, 4)."),
        ({"action": "screenshot"}, [], "the window now"),
        ({"action": "navigate", "text": "https://example.com"}, [], "There is no navigate in this window."),
        ({"action": "left_click_drag", "start_coordinate": [1, 2], "coordinate": [3, 4]}, [], "no left_click_drag"),
        ({"action": "middle_click"}, [], "There is no middle_click"),
        ({"action": "fly"}, [], "There is no action 'fly'"),
        ({"action": "left_click", "coordinate": "left"}, [], "coordinate must be a list of 2 numbers."),
        ({"action": "key"}, [], "key needs a text."),
        ({"action": "key", "text": "a", "repeat": 1000}, [], "repeat must be a whole number from 1 to 100."),
        ({"action": "zoom"}, [], "zoom needs region."),
        ([1], [], "Arguments are an object"),
    ],
)
def test_actions_become_calls_or_words(arguments, calls, words):
    steps = steps_of(arguments, WEB_NAMES, (7, 9))
    assert steps.calls == calls
    assert words in " ".join(steps.words)
    assert bool(steps.words) == bool(words)


def test_actions_before_a_mistake_are_carried_out():
    actions = [{"action": "left_click", "coordinate": [3, 4]}, {"action": "fly"}, {"action": "key", "text": "a"}]
    steps = steps_of({"actions": actions}, WEB_NAMES, (0, 0))
    assert [call["tool"] for call in steps.calls] == ["click"]
    assert len(steps.words) == 1


VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=5) | st.lists(st.floats(), max_size=4)
)


@given(st.dictionaries(st.sampled_from(list(SCHEMA["parameters"]["properties"])), VALUES), st.sampled_from(ACTIONS))
def test_no_arguments_raise(arguments, action):
    steps_of(arguments, WEB_NAMES, (0, 0))
    steps = steps_of({**arguments, "action": action, "actions": None}, WEB_NAMES, (0, 0))
    assert steps.calls or steps.words or steps.region


def test_looking_is_no_step_and_zoom_shows_more():
    env = _made(WEB)
    replies = [
        {"tool_calls": [{"name": "computer", "arguments": {"action": "screenshot"}}]},
        {"tool_calls": [{"name": "computer", "arguments": {"action": "zoom", "region": [100, 100, 300, 200]}}]},
        '{"action": "mouse_move", "coordinate": [10, 20]}',
        {
            "tool_calls": [
                {"name": "computer", "arguments": {"action": "middle_click"}},
                {"name": "terminate", "arguments": {}},
            ]
        },
    ]
    asked = []

    def script(messages, tools, seed):
        asked.append(messages)
        return replies[len(asked) - 1]

    episode = _run(env, Scripted(script), history=9)
    assert len(episode.rounds) == 1
    assert [call["tool"] for call in episode.rounds[0].calls] == ["terminate"]
    zoomed = [block for block in asked[2][-1].content if isinstance(block, ImageBlock)]
    assert [block.name for block in zoomed] == ["zoom", "page"]
    assert zoomed[0].pixels.shape == (768, 1366, 3)
    assert zoomed[0].pixels[:683, :1366].std() > 0
    texts = [block.text for block in asked[3][-1].content if isinstance(block, TextBlock)]
    assert texts == ["The pointer is at (10, 20)."]


def test_a_model_that_stops_calling_ends_the_task():
    env = _made(WEB)
    episode = _run(env, Scripted(["I am done."]), max_repairs=1)
    assert [call["tool"] for call in episode.rounds[0].calls] == ["terminate"]
    assert episode.usage["model_calls"] == 2


def test_it_needs_a_mouse_and_a_model():
    env = gym.make("FormGym/Scans-v0")
    with pytest.raises(ValueError, match="no mouse and keyboard; use agent=vlm"):
        ComputerUse(Scripted(["x"])).reset(TaskInfo("FormGym/Scans-v0", env.action_space), 0)
    with pytest.raises(ValueError, match="needs a model"):
        ComputerUse(None)
    with pytest.raises(ValueError, match="display is"):
        ComputerUse(Scripted(["x"]), display=(0, 5))


NUMBERS = st.lists(st.floats(-1e7, 1e7) | st.floats(0, 1400), min_size=4, max_size=4)


@given(NUMBERS, NUMBERS)
@settings(max_examples=some(10, 200), deadline=None)
def test_any_place_can_be_clicked_and_enlarged_or_is_refused(region, point):
    env = _made(WEB)
    arguments = [
        {"action": "zoom", "region": region},
        {"action": "left_click", "coordinate": point[:2]},
        {"action": "scroll", "scroll_direction": "left", "coordinate": point[2:]},
    ]
    calls = [{"name": "computer", "arguments": one} for one in arguments]
    episode = _run(env, Scripted([{"tool_calls": calls}, {"tool_calls": [{"name": "terminate", "arguments": {}}]}]))
    assert episode.error is None
    x, y = point[:2]
    if max(abs(x), abs(y)) < 1e6:
        assert episode.rounds[0].valid[0] == (0 <= x <= 1366 and 0 <= y <= 768)


def _openai(server, monkeypatch):
    pytest.importorskip("openai")
    from formgym.agents.models.openai_compatible import OpenAICompatible

    return OpenAICompatible("tiny", f"{server.url}/v1")


def _anthropic(server, monkeypatch):
    pytest.importorskip("inspect_ai")
    pytest.importorskip("anthropic")
    from formgym.agents.models.inspect import InspectModel

    monkeypatch.setenv("ANTHROPIC_API_KEY", "none")
    return InspectModel("anthropic/claude-sonnet-4-5", server.url, max_tokens=500)


@pytest.mark.parametrize("model", [_openai, pytest.param(_anthropic, marks=LONG)])
def test_a_form_is_filled_in_over_http(model, monkeypatch):
    """The provider's own tool where it has one; results of calls and screenshots arrive at the server."""
    env = _made(WEB)
    solver = ComputerOracle(env, (1366, 768))

    def answer(request):
        calls = solver([], [], 0)["tool_calls"]
        return Answer("", [(call["name"], call["arguments"]) for call in calls])

    with provider_server(answer=answer) as server:
        episode = _run(env, model(server, monkeypatch))
    assert episode.error is None
    assert episode.metrics["strict_accuracy"] == 1
    assert len(server.requests) == episode.usage["model_calls"] == len(episode.rounds)
    last = server.requests[-1]
    assert {picture.size for picture in last.pictures} == {(1366, 768)}
    assert len(last.pictures) == min(8, len(server.requests))
    assert "computer" in last.tools
    if last.wire == "anthropic":
        assert last.tools["computer"] is None, "the provider's own tool has no schema"
    assert any(text.startswith("Clicked at") for text in last.texts)
