"""Tools: the action space, calls as JSON, and what becomes of every kind of bad call."""

from __future__ import annotations

import copy
import json
import pickle
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.spaces.utils import flatten, flatten_space, unflatten
from gymnasium.vector.utils import batch_space, concatenate, create_empty_array, iterate
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core.texts import UnicodeText
from formgym.envs.core.tools import Argument, Tool, ToolError, ToolSpace
from formgym.envs.paper_forms.env import AutoLoansEnv
from formgym.envs.paper_forms.tools import TOOLS

Draw = Callable[[st.SearchStrategy[Any]], Any]

LIGHT = settings(max_examples=some(15, 60), deadline=None)


def pick(state: list[str], row: int, share: float, word: str) -> str:
    """Pick a row."""
    state.append(f"{row} {share} {word}")
    return state[-1]


def stop(state: list[str]) -> str:
    """Stop."""
    state.append("stop")
    return "stop"


ROW = Argument(spaces.Discrete(5, start=2), "Which row.")
SHARE = Argument(spaces.Box(-1.0, 1.0, (), np.float64), "How much.")
WORD = Argument(UnicodeText(6, min_length=1), "Which word.")
PICK = Tool("pick", pick, {"row": ROW, "share": SHARE, "word": WORD})
SMALL = ToolSpace([PICK, Tool("stop", stop, {})])
PAPER = ToolSpace(TOOLS)
BOTH = pytest.mark.parametrize("space", [SMALL, PAPER], ids=["small", "paper"])

fractions = st.floats(0, 1)
letters = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)


@st.composite
def calls(draw: Draw) -> dict[str, Any]:
    """Valid tool calls of FormGym, as a model would send them."""
    tool = draw(st.sampled_from(TOOLS))
    values = {"x": fractions | st.integers(0, 1), "y": fractions, "text": letters, "query": letters}
    return {"tool": tool.name, **{name: draw(values[name]) for name in tool.arguments}}


def equal(a: Any, b: Any) -> bool:
    """Whether two actions are the same in kind and value."""
    return a.keys() == b.keys() and all(np.array_equal(a[name], b[name]) for name in a)


# --- the space


@BOTH
def test_samples_are_valid_calls_of_the_space(space: ToolSpace) -> None:
    space.seed(3)
    seen = set()
    for _ in range(60):
        action = space.sample()
        assert action in space
        tool, arguments = space.parse(action)
        assert set(arguments) == set(tool.arguments)
        assert all(type(value) in (int, float, str) for value in arguments.values())
        seen.add(tool.name)
    assert seen == set(space.names)


def test_the_same_seed_samples_the_same_actions_whatever_others_sample() -> None:
    first, second, other = (ToolSpace(TOOLS, seed=seed) for seed in (5, 5, 6))
    for _ in range(5):
        action = first.sample()
        other.sample()
        assert equal(second.sample(), action)


def test_the_space_is_the_union_of_the_arguments() -> None:
    assert set(PAPER.spaces) == {"tool", "x", "y", "text"}
    assert PAPER["tool"] == spaces.Discrete(len(TOOLS))
    assert PAPER.names == ("place_text", "delete_text", "sign_or_initial", "terminate")


@LIGHT
@given(calls())
def test_calls_and_actions_go_round(call: dict[str, Any]) -> None:
    action = PAPER.from_call(call)
    assert PAPER.to_call(action) == call
    assert equal(PAPER.from_call(PAPER.to_call(action)), action)
    assert PAPER.to_call(action) == json.loads(json.dumps(call))
    tool, arguments = PAPER.parse(action)
    assert {"tool": tool.name, **arguments} == call
    assert equal(PAPER.action(call["tool"], **{k: v for k, v in call.items() if k != "tool"}), action)


@pytest.mark.filterwarnings("ignore:.*Casting input x")
@LIGHT
@given(calls())
def test_a_valid_call_gives_an_element_of_the_space(call: dict[str, Any]) -> None:
    assert PAPER.from_call(call) in PAPER


@BOTH
def test_a_sampled_action_survives_the_way_through_json(space: ToolSpace) -> None:
    space.seed(9)
    for _ in range(40):
        action = space.sample()
        call = json.loads(json.dumps(space.to_call(action)))
        assert space.parse(space.from_call(call)) == space.parse(action)


def test_action_refuses_a_bad_call_of_the_caller() -> None:
    with pytest.raises(ValueError, match="no tool"):
        PAPER.action("nope")
    with pytest.raises(ValueError, match="between 0 and 1"):
        PAPER.action("place_text", x=1.5, y=0.5, text="a")
    with pytest.raises(ValueError, match="misses the argument text"):
        PAPER.action("place_text", x=0.5, y=0.5)


def test_the_json_schema_says_what_a_call_may_hold() -> None:
    schema = SMALL.schemas[0]
    assert schema == {
        "name": "pick",
        "description": "Pick a row.",
        "parameters": {
            "type": "object",
            "properties": {
                "row": {"type": "integer", "minimum": 2, "maximum": 6, "description": "Which row."},
                "share": {"type": "number", "minimum": -1.0, "maximum": 1.0, "description": "How much."},
                "word": {"type": "string", "minLength": 1, "maxLength": 6, "description": "Which word."},
            },
            "required": ["row", "share", "word"],
            "additionalProperties": False,
        },
    }
    assert SMALL.schemas[1]["parameters"]["properties"] == {}
    for schema in PAPER.schemas:
        assert json.loads(json.dumps(schema)) == schema
        assert schema["description"]
        assert all(p["description"] for p in schema["parameters"]["properties"].values())


@pytest.mark.parametrize(
    ("name", "right", "wrong", "said"),
    [
        ("row", [2, 6], [1, 7, 2.0, True], "row must be a whole number from 2 to 6"),
        ("word", ["a", "é你👍bcd"], ["", "abcdefg"], "pick: word "),
    ],
)
def test_the_limits_of_an_argument(name: str, right: list[Any], wrong: list[Any], said: str) -> None:
    for value in [*right, *wrong]:
        action = SMALL.from_call({"tool": "pick", "row": 2, "share": 0, "word": "a"} | {name: value})
        if value in right and type(value) is type(right[0]):
            assert SMALL.parse(action)[1][name] == value
        else:
            with pytest.raises(ToolError, match=said):
                SMALL.parse(action)


@pytest.mark.parametrize("x", [0, 1, 0.0, 1.0, np.float32(0.5), np.float64(1), np.array(0.25), np.int64(1)])
def test_edges_and_numpy_numbers_are_taken(x: Any) -> None:
    _, arguments = PAPER.parse(PAPER.from_call({"tool": "delete_text", "x": x, "y": 0.5}))
    assert arguments["x"] == float(x)
    assert type(arguments["x"]) is float


# --- gymnasium's own tools


@BOTH
def test_flattening(space: ToolSpace) -> None:
    space.seed(1)
    for _ in range(5):
        action = space.sample()
        flat = flatten(space, action)
        assert flat in flatten_space(space)
        assert equal(unflatten(space, flat), action)


@BOTH
def test_batching(space: ToolSpace) -> None:
    space.seed(2)
    actions = [space.sample() for _ in range(3)]
    batched = batch_space(space, 3)
    batch = concatenate(space, actions, create_empty_array(space, 3))
    assert batch in batched
    assert all(equal(a, b) for a, b in zip(iterate(batched, batch), actions, strict=True))
    assert len(list(iterate(batched, batched.sample()))) == 3
    for action in iterate(batched, batched.sample()):
        assert space.parse(action)[0].name in space.names


@BOTH
def test_copies_are_equal_and_go_on_alike(space: ToolSpace) -> None:
    space.seed(4)
    space.sample()
    for other in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        assert other == space
        assert other.names == space.names
        twin = copy.deepcopy(space)
        assert [other.to_call(other.sample()) for _ in range(3)] == [twin.to_call(twin.sample()) for _ in range(3)]


def test_other_tools_make_another_space() -> None:
    assert ToolSpace(TOOLS) == ToolSpace(TOOLS)
    assert ToolSpace(TOOLS) != ToolSpace(TOOLS[:-1])
    assert SMALL != PAPER


@pytest.mark.parametrize(
    ("tool", "said"),
    [
        (Tool("pick", stop, {}), "share a name"),
        (Tool("one", stop, {"tool": Argument(spaces.Discrete(7), "Which.")}), "'tool'"),
    ],
)
def test_tools_that_cannot_be_declared(tool: Tool, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        ToolSpace([PICK, tool])


@pytest.mark.parametrize("other", [spaces.Discrete(5), spaces.Discrete(4, start=2), UnicodeText(5)])
def test_an_argument_has_one_space_in_all_tools(other: spaces.Space[Any]) -> None:
    with pytest.raises(ValueError, match="'row' of drop"):
        ToolSpace([PICK, Tool("drop", stop, {"row": Argument(other, "Which.")})])
    ToolSpace([PICK, Tool("drop", stop, {"row": Argument(spaces.Discrete(5, start=2), "Which.")})])


def test_whole_numbers_may_be_negative() -> None:
    space = ToolSpace([Tool("scroll", stop, {"by": Argument(spaces.Discrete(9, start=-4), "How far.")})])
    for by in (-4, 0, 4):
        assert space.parse(space.action("scroll", by=by))[1] == {"by": by}
    for by in (-5, 5, True, 0.0):
        with pytest.raises(ToolError, match="by must be a whole number from -4 to 4"):
            space.parse(space.from_call({"tool": "scroll", "by": by}))


# --- bad calls


def nested(depth: int) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value]
    return value


def place(**changed: Any) -> dict[str, Any]:
    return {"tool": "place_text", "x": 0.5, "y": 0.5, "text": "Ann"} | changed


def without(name: str) -> dict[str, Any]:
    return {key: value for key, value in place().items() if key != name}


HUGE, HUGER = 10**400, 10**5000
BAD_NUMBERS = {
    "NaN": float("nan"),
    "inf": float("inf"),
    "-inf": float("-inf"),
    "above": 1.0000001,
    "below": -1e-9,
    "huge": HUGE,
    "huger": HUGER,
    "-huger": -HUGER,
    "bool": True,
    "text": "0.5",
    "null": None,
    "list": [0.5],
    "object": {"x": 0.5},
    "complex": 0.5j,
    "array": np.array([0.5]),
    "numpy NaN": np.float64("nan"),
    "numpy bool": np.bool_(True),
    "array of text": np.array("0.5"),
    "fraction": Fraction(7, 3),
    "deep": nested(100_000),
    "list of huger": [HUGER],
    "object of huger": {"x": HUGER},
}
BAD_TEXTS = {
    "null": None,
    "number": 5,
    "huger": HUGER,
    "list": ["Ann"],
    "object": {},
    "bytes": b"Ann",
    "empty": "",
    "spaces": " \n\t ",
    "100 kB": "a" * 100_000,
    "surrogate": "a\ud800",
    "other surrogate": "\udfff",
    "NUL": "a\x00b",
    "escape": "\x1b[31mAnn",
    "DEL": "\x7f",
    "backspace": "\b",
    "deep": nested(100_000),
}
BAD_TOOLS = {
    "unknown": "scribble",
    "case": "Place_Text",
    "spaces": "place_text ",
    "empty": "",
    "null": None,
    "number": 99,
    "negative": -1,
    "index": 2.0,
    "bool": True,
    "huge": HUGE,
    "huger": HUGER,
    "NaN": float("nan"),
    "list": ["place_text"],
    "object": {"name": "place_text"},
    "set": {"place_text"},
    "surrogate": "\ud800",
    "control": "\x00",
    "100 kB": "t" * 100_000,
    "deep": nested(100_000),
    "array": np.array([0, 1]),
    "bytes": b"place_text",
    "list of huger": [HUGER],
}
BAD_CALLS: dict[str, Any] = {
    **{f"x: {kind}": place(x=value) for kind, value in BAD_NUMBERS.items()},
    **{f"text: {kind}": place(text=value) for kind, value in BAD_TEXTS.items()},
    **{f"tool: {kind}": place(tool=value) for kind, value in BAD_TOOLS.items()},
    **{f"without {name}": without(name) for name in ("tool", "x", "y", "text")},
    "unknown argument": place(color="red"),
    "100 kB argument": place(**{"c" * 100_000: 1}),
    "surrogate argument": place(**{"\ud800": 1}),
    "argument that is no text": place() | {5: 1},
    "argument huger": place() | {HUGER: 1},
    "argument null": place() | {None: 1},
    "nothing to delete": {"tool": "delete_text", "x": 0.01, "y": 0.01},
    "no database": {"tool": "query_sql", "query": "SELECT 1"},
    "null": None,
    "number": 3,
    "huger": HUGER,
    "NaN": float("nan"),
    "text": "place_text",
    "JSON": json.dumps(place()),
    "empty": {},
    "list": [place()],
    "empty list": [],
    "list of huger": [HUGER],
    "deep": nested(100_000),
    "deep object": {"call": nested(100_000)},
    "bytes": b"\xff",
    "object": object(),
    "array": np.zeros(3),
    "surrogate": "\ud800",
    "100 kB": "x" * 100_000,
}


@pytest.fixture(scope="module")
def env() -> AutoLoansEnv:
    """One for all tests, each of which resets it."""
    return AutoLoansEnv(["lakeshore_auto_credit"], render_size=(792, 612))


@pytest.mark.parametrize("directly", [False, True], ids=["from_call", "as an action"])
@pytest.mark.parametrize("kind", BAD_CALLS)
def test_a_bad_call_is_explained_and_changes_nothing(env: AutoLoansEnv, kind: str, directly: bool) -> None:
    call, space = BAD_CALLS[kind], env.action_space
    if directly and isinstance(call, dict) and isinstance(call.get("tool"), str) and call["tool"] in space.names:
        call = call | {"tool": space.names.index(call["tool"])}
    env.reset(seed=0)
    page = env.step(space.action("place_text", x=0.5, y=0.5, text="before"))[0]["page"]
    before, score = env.state.dump(), env.state.metrics()
    observation, reward, terminated, truncated, info = env.step(call if directly else space.from_call(call))
    assert info["valid"] is False
    assert 10 < len(info["feedback"]) < 600
    assert info["feedback"].encode().decode() == info["feedback"]
    assert (reward, terminated, truncated) == (0.0, False, False)
    assert env.state.dump() == before
    assert info["score"] == env.state.metrics() == score
    assert np.array_equal(observation["page"], page)


@pytest.mark.parametrize("kind", BAD_CALLS)
def test_a_bad_call_is_written_down_as_json(kind: str) -> None:
    call = PAPER.to_call(PAPER.from_call(BAD_CALLS[kind]))
    json.dumps(call, allow_nan=False).encode()


@pytest.mark.parametrize(
    ("call", "said"),
    [
        (place(tool="scribble"), ["scribble", "place_text, delete_text, sign_or_initial, terminate"]),
        ({"tool": None}, ["no tool null"]),
        (None, ["A call is an object"]),
        (without("text"), ["place_text misses the argument text", "place_text(x, y, text)"]),
        ({"tool": "place_text"}, ["misses the argument x, y, text"]),
        (place(color="red"), ["no argument 'color'", "place_text(x, y, text)"]),
        (place(x="0.5"), ["x must be a number from 0 to 1", "'0.5'"]),
        (place(x=True), ["x must be a number", "bool True"]),
        (place(y=None), ["y must be a number", "null"]),
        (place(y=1.5), ["y must lie between 0 and 1", "1.5"]),
        (place(y=float("nan")), ["y must lie between 0 and 1", "nan"]),
        (place(y=float("-inf")), ["y must lie between 0 and 1", "-inf"]),
        (place(y=HUGER), ["y must lie between 0 and 1", "bits"]),
        (place(text=5), ["text must be text", "int 5"]),
        (place(text=""), ["text is empty"]),
        (place(text="a" * 100_000), ["100,000 characters", "1,000"]),
        (place(text="\ud800"), ["surrogate"]),
        (place(text="a\x00"), ["U+0000"]),
        ({"tool": "delete_text", "x": 0.25, "y": 0.75}, ["(0.250, 0.750)", "nothing was deleted"]),
        ({"tool": "query_sql", "query": "SELECT 1"}, ["no tool 'query_sql'"]),
    ],
    ids=[f"{n}" for n in range(1, 21)],
)
def test_the_feedback_says_precisely_what_was_wrong(env: AutoLoansEnv, call: Any, said: list[str]) -> None:
    env.reset(seed=0)
    info = env.step(env.action_space.from_call(call))[4]
    assert all(words in info["feedback"] for words in said), info["feedback"]


anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text() | st.binary(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
half_right = st.fixed_dictionaries(
    {"tool": st.sampled_from(PAPER.names) | anything},
    optional={"x": fractions | anything, "y": fractions | anything, "text": letters | anything, "query": anything},
)


@settings(max_examples=some(50, 200), deadline=None)
@given(anything | half_right)
def test_whatever_is_called_is_either_carried_out_or_explained(call: Any) -> None:
    for action in (call, PAPER.from_call(call)):
        try:
            tool, arguments = PAPER.parse(action)
        except ToolError as explained:
            said = str(explained)
        else:
            said = tool.apply.__doc__
            assert set(arguments) == set(tool.arguments)
        assert said
    json.dumps(PAPER.to_call(PAPER.from_call(call)), allow_nan=False).encode()


# --- texts that are unusual but right


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("Ann 👍", ["lacks", "👍", "boxes"]),
        ("שלום", ["Right-to-left"]),
        ("مرحبا", ["Right-to-left"]),
        ("你好", ["lacks", "你好", "boxes"]),
        ("x" * 1_000, ["runs off the page"]),
    ],
    ids=ascii,
)
def test_unusual_text_is_placed_and_flagged(env: AutoLoansEnv, text: str, said: list[str]) -> None:
    before = env.reset(seed=0)[0]["page"]
    observation, _, _, _, info = env.step(env.action_space.from_call(place(text=text)))
    assert info["valid"] is True
    assert info["feedback"].startswith("Placed ")
    assert all(words in info["feedback"] for words in said), info["feedback"]
    assert [mark["text"] for mark in env.state.dump()["marks"]] == [text]
    assert not np.array_equal(observation["page"], before)


@pytest.mark.parametrize("text", ["Ann", "José Núñez", "✓", "12,000.00"])
def test_usual_text_is_not_flagged(env: AutoLoansEnv, text: str) -> None:
    env.reset(seed=0)
    info = env.step(env.action_space.from_call(place(text=text)))[4]
    assert info["feedback"].startswith(f'Placed "{text}" at (0.500, 0.500), from x = 0.')
    assert not any(words in info["feedback"] for words in ("lacks", "Right-to-left", "runs off"))


def test_lines_are_joined_and_a_call_costs_a_step(env: AutoLoansEnv) -> None:
    env.reset(seed=0)
    assert env.step(env.action_space.from_call(place(text=" two\nlines ")))[4]["valid"]
    assert env.state.dump()["marks"][0]["text"] == "two lines"
