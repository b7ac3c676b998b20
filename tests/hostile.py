"""An agent that does its worst: a state machine of Hypothesis whose calls are valid, mutated, or no calls at all.

An episode that breaks something is a ``Case``, without the actions that it takes no part of.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import lru_cache
from random import Random
from typing import Any, ClassVar

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from hypothesis import HealthCheck, Phase, settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, precondition, rule, run_state_machine_as_test
from invariants import WatchedEpisode
from paths import DATA

from formgym.envs.core.env import PaperworkEnv
from formgym.envs.core.texts import UnicodeText
from formgym.envs.core.tools import Call, Tool
from formgym.envs.documents.operations.modifying import TYPES
from formgym.envs.documents.scene.elements import KINDS
from formgym.envs.registration import index
from formgym.envs.web_forms.replay.captured_page import CapturedPage
from formgym.experiments.authoring.web.comparison import random_call as random_web_call

STEPS = 40
"""The most actions of an example; an episode that ends is followed by another."""
_COSTLY_EVERY = 8
MARK = "$"
"""The key of an object that stands for a value that JSON does not have."""
SPECIAL = {
    "nan": lambda: float("nan"),
    "inf": lambda: float("inf"),
    "-inf": lambda: float("-inf"),
    "huge": lambda: 10**5_000,
    "-huge": lambda: -(10**400),
    "bytes": lambda: b"\x00\xff",
    "array": lambda: np.zeros((2, 2)),
    "scalar": lambda: np.array(0.5, np.float32),
    "nan_scalar": lambda: np.float32("nan"),
    "strings": lambda: np.array(["a", "b"]),
    "object": object,
    "complex": lambda: 1j,
    "set": lambda: {1, 2},
    "deep": lambda: json.loads("[" * 200 + "]" * 200),
    "long": lambda: "x" * 200_000,
    "spaces": lambda: " \n" * 5_000,
}
"""Values that JSON does not have, or that are too long to be written down, by name."""
TEXTS: dict[str, list[Any]] = json.loads((DATA / "hostile_texts.json").read_text(encoding="utf-8"))
"""Hostile values: texts by argument or ``any``; ``raw`` actions; ``edges``."""


@dataclass(frozen=True)
class Case:
    """An episode that broke something: where, and its actions as JSON."""

    env: str
    options: dict[str, Any]
    seed: int
    actions: list[Any]
    broken: str = ""


def decoded(value: Any) -> Any:
    """The value with placeholders replaced by the values that JSON does not have."""
    if isinstance(value, dict):
        if set(value) == {MARK}:
            return SPECIAL[value[MARK]]()
        return {name: decoded(one) for name, one in value.items()}
    return [decoded(one) for one in value] if isinstance(value, list) else value


def replay(case: Case, arguments: dict[str, Any]) -> None:
    """Play an episode that once broke something, and check it."""
    episode = WatchedEpisode(_made(case.env, json.dumps(arguments | case.options)), case.seed)
    for action in case.actions:
        episode.step(decoded(action))
        if episode.env.state.finished:
            break
    episode.end()


def _outcome(case: Case, arguments: dict[str, Any]) -> str:
    """What breaks when the episode is played."""
    try:
        replay(case, arguments)
    except Exception as error:  # noqa: BLE001 (whatever an action raises is a finding)
        return _told(error)
    return ""


def _told(error: BaseException) -> str:
    return f"{type(error).__name__}: {str(error)[:200]}"


def shrunk(case: Case, arguments: dict[str, Any]) -> Case:
    """The episode without the actions that can be left out."""
    kind = case.broken.partition(":")[0]
    for i in reversed(range(len(case.actions))):
        fewer = replace(case, actions=case.actions[:i] + case.actions[i + 1 :])
        if _outcome(fewer, arguments).partition(":")[0] == kind:
            case = fewer
    return case


@lru_cache(maxsize=8)
def _made(env_id: str, arguments: str) -> PaperworkEnv:
    env = gym.make(env_id, **json.loads(arguments), disable_env_checker=True)
    assert isinstance(env.unwrapped, PaperworkEnv)
    return env.unwrapped


def attack(env_id: str, arguments: dict[str, Any], actions: int, steps: int = STEPS, fixed: bool = True) -> int:
    """Play episodes of about so many hostile actions, and check everything; how many there were.

    Raises:
        Exception: what broke, with the shrunk episode as its ``case``.
    """

    class Attack(HostileAgent):
        made_with = env_id, arguments

    rules = settings(
        max_examples=max(2, -(-actions // steps)), stateful_step_count=steps, deadline=None, database=None,
        derandomize=fixed, report_multiple_bugs=False, suppress_health_check=list(HealthCheck),
        phases=[Phase.generate],
    )  # fmt: skip
    Attack.n_actions = 0
    try:
        run_state_machine_as_test(Attack, settings=rules)
    except Exception as error:
        if Attack.case is not None:
            error.case = shrunk(Attack.case, arguments)  # type: ignore[attr-defined]
        raise
    return Attack.n_actions


class HostileAgent(RuleBasedStateMachine):
    """Sends anything to an environment; after every action what must hold is checked."""

    made_with: ClassVar[tuple[str, dict[str, Any]]]
    n_actions: ClassVar[int] = 0
    case: ClassVar[Case | None] = None

    @initialize(seed=st.integers(0, 2**31 - 1), train=st.booleans(), program=st.booleans(), copy=st.booleans())
    def make(self, seed: int, train: bool, program: bool, copy: bool) -> None:
        """Make the environment in one of its ways."""
        env_id, arguments = self.made_with
        self._options: dict[str, Any] = {} if copy else {"copy": False}
        if train and "split" in index()["environments"].get(env_id, {}).get("kwargs", {}):
            self._options["split"] = "train"
        if program and env_id.startswith("DocEdit/") and "Grounding" not in env_id:
            self._options["action_mode"] = "program"
        self._env = _made(env_id, json.dumps(arguments | self._options))
        self._is_broken = False
        self._begin(seed)

    def _begin(self, seed: int) -> None:
        self._seed, self._actions = seed, []
        with self._noting():
            self._episode = WatchedEpisode(self._env, seed, _COSTLY_EVERY)
            self._right = self._env.solution()[:-1]
            self._words = re.findall(r"[\w$@./#-]+", f"{self._env.state.goal} {self._env.state.source}")[:2_000]

    @contextmanager
    def _noting(self) -> Iterator[None]:
        """Notes the episode if it breaks something."""
        try:
            yield
        except Exception as error:
            self._is_broken = True
            type(self).case = Case(self.made_with[0], self._options, self._seed, list(self._actions), _told(error))
            raise

    @property
    def is_over(self) -> bool:
        """Whether the episode has ended."""
        return self._env.state.finished

    @precondition(lambda self: not self.is_over)
    @rule(rng=st.randoms(use_true_random=False))
    def act(self, rng: Random) -> None:
        """Any action, and all checks."""
        action = json.loads(json.dumps(self._action(rng)))
        self._actions.append(action)
        type(self).n_actions += 1
        with self._noting():
            self._episode.step(decoded(action))

    @precondition(lambda self: self.is_over)
    @rule(seed=st.integers(0, 2**31 - 1))
    def begin_again(self, seed: int) -> None:
        """Check the end, and begin another episode in the same environment."""
        with self._noting():
            self._episode.end()
        self._begin(seed)

    def teardown(self) -> None:
        """Check the end of the last episode."""
        if hasattr(self, "_episode") and not self._is_broken:
            with self._noting():
                self._episode.end()

    # -- Actions ------------------------------------------------------------------------------------------------------

    def _action(self, rng: Random) -> Any:
        kind = rng.choice(["right"] * 3 + ["natural"] * 3 + ["random"] * 3 + ["mutated"] * 2 + ["raw"])
        if kind == "raw":
            return rng.choice(TEXTS["raw"])
        if kind == "right" and self._right:
            # Mostly in their order, for many are of use only after those before.
            return self._right.pop(rng.choice([0, 0, 0, 0, rng.randrange(len(self._right))]))
        call = self._natural(rng) if kind == "natural" else self._random(rng)
        return self._mutated(call, rng) if kind == "mutated" else call

    def _natural(self, rng: Random) -> Call:
        """A call at or near something on the page."""
        state = self._env.state
        if isinstance(page := getattr(state, "page", None), CapturedPage):
            return random_web_call(page, np.random.default_rng(rng.randrange(2**32)))
        call = self._random(rng)
        if state.places and {"x", "y"} <= set(call):
            x, y = rng.choice(list(state.places)).centre
            height, width = state.paper
            is_share = getattr(self._env.action_space["x"], "high", 2) == 1
            call |= {"x": x / width, "y": y / height} if is_share else {"x": int(x), "y": int(y)}
        return call

    def _random(self, rng: Random) -> Call:
        tool: Tool = rng.choice(list(self._env.action_space.tools))
        if tool.name == "terminate" and rng.randrange(5):
            tool = self._env.action_space.tools[0]
        return {"tool": tool.name} | {
            name: self._argument(name, argument.space, rng) for name, argument in tool.arguments.items()
        }

    def _argument(self, name: str, space: spaces.Space[Any], rng: Random) -> Any:
        if isinstance(space, spaces.Discrete):
            return int(space.start) + rng.randrange(int(space.n))
        if isinstance(space, UnicodeText):
            return self._text(name, rng)[: space.max_length]
        low, high = float(space.low), float(space.high)  # type: ignore[attr-defined]
        return rng.choice([low, high, rng.uniform(low, high), min(max(rng.uniform(-300, 300), low), high)])

    def _text(self, name: str, rng: Random) -> str:
        if name == "code":
            return self._code(rng)
        if name in ("object_id", "object_ids"):
            return ", ".join(self._id(rng) for _ in range(1 if name == "object_id" else rng.randrange(1, 4)))
        usual = {"object_type": KINDS, "type_of_modification": TYPES}.get(name, TEXTS.get(name, ()))
        kind = rng.choice(["usual", "usual", "words", "words", "any", "any", "long"])
        if kind == "usual" and usual:
            return str(rng.choice(list(usual)))
        if kind == "long":
            return (rng.choice(self._words or ["a"]) + " ") * rng.randrange(1, 400)
        if kind == "words" and self._words:
            return " ".join(rng.choice(self._words) for _ in range(rng.randrange(1, 4)))
        return str(rng.choice(TEXTS["any"]))

    def _code(self, rng: Random) -> str:
        lines: list[str] = []
        for _ in range(rng.randrange(1, 4)):
            line = str(rng.choice(TEXTS["code"]))
            for slot in ("{id}", "{id2}", "{text}", "{kind}"):
                word = self._id(rng) if "id" in slot else rng.choice(TYPES if slot == "{kind}" else TEXTS["any"])
                line = line.replace(slot, repr(str(word)))
            lines += line.replace("{{", "{").replace("}}", "}").split("\n")
        return "def main(document):\n" + "".join(f"    {line}\n" for line in lines)

    def _id(self, rng: Random) -> str:
        """The id of an element of a document; sometimes of something else."""
        document = getattr(self._env.state, "document", None)
        return str(rng.choice([*(document.places if document is not None else ()), "nobody"]))

    def _mutated(self, call: Call, rng: Random) -> Any:
        names = [name for name in call if name != "tool"]
        kind = rng.randrange(5)
        if kind == 0 and names:
            del call[rng.choice(names)]
            return call
        if kind == 1:
            return call | {rng.choice(["extra", "", "tool ", "self", "state", "x", "text"]): _hostile(rng)}
        if kind == 2:
            return call | {"tool": rng.choice([call["tool"].upper(), f" {call['tool']}", _hostile(rng)])}
        if kind == 3:
            return rng.choice([[call], {"call": call}, str(call), {MARK: "object"}])
        return call | ({rng.choice(names): _hostile(rng)} if names else {})


def _hostile(rng: Random) -> Any:
    """A value that should not be there."""
    strange = "".join(chr(rng.randrange(0x3000)) for _ in range(rng.randrange(1, 20)))
    return rng.choice([{MARK: rng.choice([*SPECIAL])}, rng.choice(TEXTS["edges"]), rng.choice(TEXTS["any"]), strange])
