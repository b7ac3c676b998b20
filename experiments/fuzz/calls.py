"""Random calls: valid, mutated, and values that are not calls."""

from __future__ import annotations

import re
from typing import Any

import numpy as np
from gymnasium import spaces

from ...envs.core.env import PaperworkEnv
from ...envs.core.spaces import UnicodeText
from ...envs.core.tools import Call, Tool
from ...envs.documents.operations.modifying import TYPES
from ...envs.documents.scene.elements import KINDS
from ...envs.web_forms.replay.captured_page import CapturedPage
from .values import MARK, Rng, hostile, one_of, texts
from .web_calls import random_call as random_web_call

_KINDS = ("right", "natural", "random", "mutated", "raw")
_SHARES = (0.25, 0.25, 0.25, 0.17, 0.08)


class Caller:
    """Makes random calls for one episode.

    Args:
        env: where they are made.
        rng: the source of randomness.
    """

    def __init__(self, env: PaperworkEnv, rng: Rng) -> None:
        self._env, self._rng = env, rng
        self._right = env.solution()[:-1]
        self._words = re.findall(r"[\w$@./#-]+", f"{env.state.goal} {env.state.source}")[:2_000]

    def next(self) -> Any:
        """The next random call, as JSON; see ``values.decoded``."""
        kind = _KINDS[int(self._rng.choice(len(_KINDS), p=_SHARES))]
        if kind == "raw":
            return one_of(texts()["raw"], self._rng)
        if kind == "right" and self._right:
            # Mostly in their order, for many are of use only after those before.
            return self._right.pop(0 if self._rng.random() < 0.8 else int(self._rng.integers(len(self._right))))
        call = self._natural() if kind == "natural" else self._random()
        return self._mutated(call) if kind == "mutated" else call

    def _natural(self) -> Call:
        """A call at or near something on the page."""
        state = self._env.state
        if isinstance(page := getattr(state, "page", None), CapturedPage):
            return random_web_call(page, self._rng)
        call = self._random()
        if state.places and {"x", "y"} <= set(call):
            x, y = one_of(state.places, self._rng).centre
            height, width = state.background.shape[:2]
            is_share = getattr(self._env.action_space["x"], "high", 2) == 1
            call |= {"x": x / width, "y": y / height} if is_share else {"x": int(x), "y": int(y)}
        return call

    def _random(self) -> Call:
        tool: Tool = one_of(self._env.action_space.tools, self._rng)
        if tool.name == "terminate" and self._rng.random() < 0.8:
            tool = self._env.action_space.tools[0]
        return {"tool": tool.name} | {
            name: self._argument(name, argument.space) for name, argument in tool.arguments.items()
        }

    def _argument(self, name: str, space: spaces.Space[Any]) -> Any:
        rng = self._rng
        if isinstance(space, spaces.Discrete):
            return int(space.start + rng.integers(space.n))
        if isinstance(space, UnicodeText):
            return self._text(name, space)
        assert isinstance(space, spaces.Box)
        low, high = float(space.low), float(space.high)
        return one_of([low, high, float(rng.uniform(low, high)), float(np.clip(rng.normal(0, 300), low, high))], rng)

    def _text(self, name: str, space: UnicodeText) -> str:
        rng = self._rng
        if name == "code":
            return self._code()
        if name == "object_id":
            return self._id()
        if name == "object_ids":
            return ", ".join(self._id() for _ in range(int(rng.integers(1, 4))))
        chance = rng.random()
        text: str
        if name == "object_type" and chance < 0.8:
            text = one_of(KINDS, rng)
        elif name in texts() and chance < 0.7:
            text = one_of(texts()[name], rng)
        elif name == "type_of_modification" and chance < 0.8:
            text = one_of(TYPES, rng)
        elif chance < 0.55 and self._words:
            text = " ".join(one_of(self._words, rng) for _ in range(int(rng.integers(1, 4))))
        elif chance < 0.9:
            text = one_of(texts()["any"], rng)
        else:
            text = (one_of(self._words or ["a"], rng) + " ") * int(rng.integers(1, 400))
        return text[: space.max_length]

    def _code(self) -> str:
        rng = self._rng
        lines: list[str] = []
        for _ in range(int(rng.integers(1, 4))):
            line = str(one_of(texts()["code"], rng))
            for slot in ("{id}", "{id2}", "{text}", "{kind}"):
                line = line.replace(slot, repr(self._word(slot)))
            lines += line.replace("{{", "{").replace("}}", "}").split("\n")
        return "def main(document):\n" + "".join(f"    {line}\n" for line in lines)

    def _word(self, slot: str) -> str:
        """A random word for a slot of a program."""
        if slot == "{kind}":
            return str(one_of(TYPES, self._rng))
        if slot.startswith("{id"):
            return self._id()
        return str(one_of(texts()["any"] if self._rng.random() < 0.5 or not self._words else self._words, self._rng))

    def _id(self) -> str:
        """The id of an element of a document; sometimes of something else."""
        document = getattr(self._env.state, "document", None)
        ids = [*document.places] if document is not None else []
        return str(one_of(ids if ids and self._rng.random() < 0.95 else ["nobody"], self._rng))

    def _mutated(self, call: Call) -> Any:
        rng = self._rng
        names = [name for name in call if name != "tool"]
        kind = rng.integers(5)
        if kind == 0 and names:
            del call[one_of(names, rng)]
            return call
        if kind == 1:
            return call | {one_of(["extra", "", "tool ", "self", "state", "x", "text"], rng): hostile(rng)}
        if kind == 2:
            return call | {"tool": one_of([call["tool"].upper(), f" {call['tool']}", hostile(rng)], rng)}
        if kind == 3:
            return one_of([[call], {"call": call}, str(call), {MARK: "object"}], rng)
        return call | ({one_of(names, rng): hostile(rng)} if names else {})
