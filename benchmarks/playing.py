"""The same steps in every environment: clicks on two text fields in turn, single letters, words."""

from __future__ import annotations

import random
import string
from collections.abc import Callable
from typing import Any, NamedTuple

import gymnasium as gym
import numpy as np

STEPS = 6
"""Steps between two resets."""

Scripts = dict[str, list[Any]]
"""Actions by kind: ``click``, ``letter``, ``word``; and ``before`` them."""


class Played(NamedTuple):
    """An open environment.

    ``scripts`` is called after a reset: it makes the page ready to be typed in, and returns actions for ``step``, which
    returns the frame.
    """

    reset: Callable[[], object]
    scripts: Callable[[], Scripts]
    step: Callable[[Any], np.ndarray]
    close: Callable[[], object]


def formgym(env_id: str, **options: Any) -> Played:
    """An environment of ours, as ``gym.make`` makes it."""
    env: Any = gym.make(f"formgym:{env_id}", disable_env_checker=True, **options)
    space = env.unwrapped.action_space
    calls_of = next(_WRITERS[tool] for tool in _WRITERS if tool in space.names)

    def scripts() -> Scripts:
        calls = calls_of(env.unwrapped)
        for call in calls.pop("before", ()):
            env.step(space.from_call(call))
        return {kind: [space.from_call(call) for call in some] for kind, some in calls.items()}

    return Played(env.reset, scripts, lambda action: env.step(action)[0]["page"], env.close)


def scripts_of(clicks: list[Any], typed: Callable[[str], Any]) -> Scripts:
    """Scripts of two clicks in turn, for when the second field has the focus, and of what types a text."""
    texts = {kind: [typed(text) for text in texts] for kind, texts in _texts().items()}
    return {"click": clicks * (STEPS // 2), **texts}


def typed_calls(env: Any) -> Scripts:
    """Calls in a window: the first two fields that the oracle clicks and types in."""
    calls = env.solution()
    typed = [k for k, call in enumerate(calls) if call["tool"] == "type_text"]
    clicks = [calls[k - 1] for k in typed[:2]]
    scripts = scripts_of(clicks, lambda text: {"tool": "type_text", "text": text})
    return {"before": [*calls[: typed[0]], clicks[1]], **scripts}


def _texts() -> dict[str, list[str]]:
    """New texts at every call, so that no cache holds what is typed."""
    words = ["".join(random.choices(string.ascii_lowercase, k=7)) for _ in range(STEPS)]
    return {"letter": random.sample(string.ascii_lowercase, STEPS), "word": words}


def _placed_calls(env: Any) -> Scripts:
    """Calls on a paper form: texts in its first fields."""
    calls = [call for call in env.solution() if call["tool"] == "place_text"]
    return {
        kind: [call | {"text": text} for call, text in zip(calls, texts, strict=False)]
        for kind, texts in _texts().items()
    }


def _edit_calls(env: Any) -> Scripts:
    """Calls in a document: a text moved to and fro, and rewritten."""
    element = next(one for one in env.state.document.elements() if one.type == "text" and one.text)
    moves = [{"tool": "move_by", "object_id": element.id, "direction": way, "pixels": 12} for way in ("down", "up")]
    modify = {"tool": "modify", "object_id": element.id, "type_of_modification": "text"}
    return scripts_of(moves, lambda text: modify | {"modification": text})


_WRITERS = {"type_text": typed_calls, "place_text": _placed_calls, "modify": _edit_calls}
"""What makes the calls, by a tool of the environment."""
