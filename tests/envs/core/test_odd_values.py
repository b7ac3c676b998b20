"""Values that no JSON gives are refused and run none of their code; numbers are carried out as they are recorded."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from typing import Any

import gymnasium as gym
import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from sizes import ALL, FIRST_OF_EACH_CLASS, some

from formgym.envs.core.env import PaperworkEnv
from formgym.envs.core.tools import ToolSpace

GROUNDING = ("FormGym/Grounding-v0", "FormFactory/Grounding-v0", "DocEdit/Grounding-v0")
GUI = ("FormGym/AutoLoans-GUI-v0", "FormGym/Scans-v0")
N_FLOATS = some(300, 1_500)


def _refuse(*arguments: Any, **more: Any) -> Any:
    raise RuntimeError("code of a value's class ran")


def hostile(base: type, *arguments: Any) -> Any:
    """A value of a class derived from ``base``, of the same name, whose every method raises."""
    names = (
        "eq ne hash str repr format index int float len bool lt le gt ge iter getitem contains neg pos add"
        " abs round trunc"
    )
    methods = {f"__{name}__": _refuse for name in names.split()}
    methods |= dict.fromkeys(("get", "items", "keys", "values", "encode", "tolist", "item"), _refuse)
    return type(base.__name__, (base,), methods)(*arguments)


def nested(depth: int, width: int = 1) -> list[Any]:
    value: list[Any] = []
    for _ in range(depth):
        value = [value] * width
    return value


def endless() -> list[Any]:
    value: list[Any] = []
    value.append(value)
    return value


ODD: dict[str, Callable[[], Any]] = {
    "timedelta64": lambda: np.timedelta64(0),
    "timedelta64 in ns": lambda: np.timedelta64(0, "ns"),
    "NaT": lambda: np.timedelta64("NaT"),
    "datetime64": lambda: np.datetime64("2020-01-01"),
    "datetime64 in ns": lambda: np.datetime64(0, "ns"),
    "timedelta": lambda: timedelta(0),
    "void": lambda: np.void(b"ab"),
    "record": lambda: np.zeros(1, "i4,f4")[0],
    "complex": lambda: 0j,
    "complex64": lambda: np.complex64(0),
    "Decimal": lambda: Decimal("0.5"),
    "Fraction": lambda: Fraction(1, 2),
    "huge": lambda: 10**5_000,
    "bytes": lambda: b"x",
    "numpy bytes": lambda: np.bytes_(b"x"),
    "surrogate": lambda: "\ud800",
    "NaN": lambda: float("nan"),
    "float16 NaN": lambda: np.float16("nan"),
    "infinite": lambda: float("-inf"),
    "deep": lambda: nested(10_000),
    "wide": lambda: nested(18, 10),
    "endless": endless,
    "large array": lambda: np.zeros(10**6),
    "array of objects": lambda: np.array([hostile(object)]),
    "scalar array of an object": lambda: np.array(hostile(object)),
    "surrogate key": lambda: {"\ud800": hostile(object)},
    "ellipsis": lambda: ...,
    "class": lambda: hostile,
    "memory": lambda: memoryview(b"a"),
    **{f"hostile {base.__name__}": lambda base=base: hostile(base) for base in (object, list, tuple, set, dict, bytes)},
}  # fmt: skip
DISGUISED = {
    "hostile int": lambda: hostile(int, 0),
    "hostile float": lambda: hostile(float, 0.5),
    "hostile text": lambda: hostile(str, "terminate"),
    "hostile call": lambda: hostile(dict, {"tool": 0}),
    "longdouble": lambda: np.longdouble("0.3"),
    "int8": lambda: np.array(0, np.int8),
}
"""What is as good as a value of Python's own, and may be valid."""


def actions(space: ToolSpace, odd: Any) -> Iterator[Any]:
    """Actions that hold an odd value: as a whole, as a tool, as each argument, as one too much, and passed on."""
    sound = space.sample()
    yield odd
    yield {"tool": odd}
    yield {**sound, "tool": odd}
    for index, tool in enumerate(space.tools):
        for name in tool.arguments:
            yield {**sound, "tool": index, name: odd}
    yield {**sound, "tool": 0, "more": odd}
    yield {"tool": None, "call": odd}
    yield {"tool": None, "refusal": odd}


def made(env_id: str, **arguments: Any) -> PaperworkEnv:
    env = gym.make(env_id, disable_env_checker=True, **arguments).unwrapped
    assert isinstance(env, PaperworkEnv)
    env.reset(seed=0)
    env.action_space.seed(0)
    return env


def stepped(env: PaperworkEnv, action: Any) -> tuple[float, bool, str]:
    """Reward, whether the call was valid, and it and its feedback as JSON, which must be UTF-8."""
    if env.state.finished:
        env.reset(seed=0)
    call = env.action_space.to_call(action)
    _, reward, _, _, info = env.step(action)
    written = json.dumps(call, allow_nan=False, ensure_ascii=False)
    info["feedback"].encode()
    written.encode()
    return float(reward), info["valid"], written


@pytest.mark.parametrize("env_id", FIRST_OF_EACH_CLASS if ALL else GROUNDING[:1])
def test_odd_values_are_refused_wherever_they_stand(env_id: str, arguments: dict[str, dict[str, Any]]) -> None:
    env = made(env_id, **arguments[env_id])
    for name, make in (ODD | DISGUISED).items():
        for action in actions(env.action_space, make()):
            _, valid, _ = stepped(env, action)
            assert not valid or name in DISGUISED, (name, env.action_space.to_call(action))


leaves = st.sampled_from(list((ODD | DISGUISED).values())).map(lambda make: make())
anything = st.recursive(
    leaves | st.floats() | st.integers() | st.text(), lambda inner: st.lists(inner, max_size=3), max_leaves=4
)
ENVS: dict[str, PaperworkEnv] = {}


@settings(max_examples=some(40, 600), deadline=None, suppress_health_check=list(HealthCheck))
@given(st.sampled_from(FIRST_OF_EACH_CLASS if ALL else GROUNDING[:1]), anything, st.data())
def test_no_action_raises(arguments: dict[str, dict[str, Any]], env_id: str, odd: Any, data: st.DataObject) -> None:
    env = ENVS[env_id] = ENVS.get(env_id) or made(env_id, **arguments[env_id])
    sent = list(actions(env.action_space, odd))
    stepped(env, sent[data.draw(st.integers(0, len(sent) - 1))])


@pytest.mark.parametrize("env_id", [*GROUNDING, *GUI])
def test_floats_are_carried_out_as_they_are_recorded(env_id: str) -> None:
    first, again = made(env_id), made(env_id)
    rng = np.random.default_rng(0)
    pointing = [tool for tool in first.tools if any(isinstance(a.space, spaces.Box) for a in tool.arguments.values())]
    pointing = pointing or [tool for tool in first.tools if tool.arguments]
    for _ in range(N_FLOATS // len((*GROUNDING, *GUI))):
        if first.state.finished:
            seed = int(rng.integers(2**31))
            first.reset(seed=seed)
            again.reset(seed=seed)
        tool = pointing[rng.integers(len(pointing))]
        call = {"tool": tool.name} | {name: _drawn(a.space, rng) for name, a in tool.arguments.items()}
        outcome = stepped(first, first.action_space.from_call({"tool": tool.name}) | call)
        recorded = json.loads(outcome[2])
        assert (
            first.action_space.parse(recorded)[1].items()
            >= {name: value for name, value in recorded.items() if isinstance(value, float)}.items()
        )
        assert stepped(again, again.action_space.from_call(recorded)) == outcome


def _drawn(space: spaces.Space[Any], rng: np.random.Generator) -> Any:
    """A value as Python has it: no float of 32 bits."""
    if isinstance(space, spaces.Box):
        return float(rng.uniform(float(space.low), float(space.high)))
    return int(space.start + rng.integers(space.n)) if isinstance(space, spaces.Discrete) else "word"
