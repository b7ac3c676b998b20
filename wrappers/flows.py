"""Flows: how many actions a step takes, what is observed of their results, and when an episode ends and pays."""

from __future__ import annotations

from collections.abc import Sequence
from copy import deepcopy
from itertools import chain
from typing import Any

import gymnasium as gym
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.spaces import Observation, Step, extended
from ..envs.core.texts import UnicodeText, truncate_middle

Actions = Sequence[dict[str, Any]]


class ActionBatch(
    gym.Wrapper[Observation, Any, Observation, Any],
    RecordConstructorArgs,
):
    """Makes a step a round: a list of actions, carried out in order (FormGym).

    With ``max_rounds=1`` it is the one-shot flow, with ``max_rounds=10`` the iterative flow. ``info["feedback"]`` and
    ``info["valid"]`` become lists with one entry per action, and so is ``info["actions"]``: the actions as the
    environment itself was given them, where a wrapper inside translated them; ``info["counts"][i]`` is the number of
    these that action ``i`` expanded to. The reward of a round is the sum over its actions. Actions after the end of the
    episode are not carried out; ``info["carried_out"]`` says how many were.

    >>> env = ActionBatch(gym.make("FormGym/Scans-v0"), max_rounds=1)
    >>> _ = env.reset(seed=0)
    >>> actions = [env.unwrapped.action_space.from_call(call) for call in env.unwrapped.solution()]
    >>> observation, reward, terminated, truncated, info = env.step(actions)
    >>> reward, len(info["feedback"]) == len(actions)
    (1.0, True)

    Args:
        env: the environment.
        max_rounds: after how many rounds the episode is truncated; ``None``: never.
        max_actions: how many actions of a round are carried out; the others are refused in the feedback.

    Attributes:
        max_rounds: as above.
        max_actions: as above.

    Raises:
        ValueError: if a limit is below 1, or ``env`` takes lists already; from ``step``, if ``actions`` is no list or
            tuple.
    """

    def __init__(
        self,
        env: gym.Env[Observation, dict[str, Any]],
        max_rounds: int | None = None,
        max_actions: int | None = None,
    ) -> None:
        RecordConstructorArgs.__init__(self, max_rounds=max_rounds, max_actions=max_actions)
        super().__init__(env)
        for name, limit in {"max_rounds": max_rounds, "max_actions": max_actions}.items():
            if limit is not None and limit < 1:
                raise ValueError(f"{name} must be at least 1 or None, not {limit}")
        if isinstance(env.action_space, spaces.Sequence):
            raise ValueError("the environment takes lists of actions already: one ActionBatch is enough")
        self.max_rounds, self.max_actions = max_rounds, max_actions
        self.action_space = spaces.Sequence(env.action_space)
        self._rounds = 0
        self._last: tuple[Observation, dict[str, Any]] | None = None

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self._rounds = 0
        self._last = observation, info
        return observation, info | {"feedback": [], "valid": [], "actions": [], "carried_out": 0}

    def step(self, actions: Actions) -> Step:
        """Carry out one round."""
        if not isinstance(actions, list | tuple):
            raise ValueError(f"a round is a list of actions, not {type(actions).__name__}; that is what act returns")
        if self._last is None:
            raise gym.error.ResetNeeded("call reset() first: no episode is running")
        self._rounds += 1
        total, terminated, truncated = 0.0, False, False
        observation, info = self._last
        feedback: list[str] = []
        valid: list[bool] = []
        taken: list[list[Any]] = []
        for action in actions[: self.max_actions]:
            if terminated or truncated:
                break
            observation, reward, terminated, truncated, info = self.env.step(action)
            total += float(reward)
            feedback.append(info["feedback"])
            valid.append(info["valid"])
            taken.append(info.get("actions", [action]))
        carried_out = len(feedback)
        refused = len(actions) - carried_out
        feedback += [self._refusal(terminated or truncated)] * refused
        valid += [False] * refused
        if not actions:
            observation = deepcopy(observation)
        truncated = truncated or (not terminated and self.max_rounds is not None and self._rounds >= self.max_rounds)
        self._last = None if terminated or truncated else (observation, info)
        taken += [[action] for action in actions[carried_out:]]
        batch_info = {
            "feedback": feedback,
            "valid": valid,
            "actions": list(chain.from_iterable(taken)),
            "counts": list(map(len, taken)),
            "carried_out": carried_out,
        }
        return observation, total, terminated, truncated, info | batch_info

    def _refusal(self, ended: bool) -> str:
        if ended:
            return "Not carried out: the episode had ended."
        return f"Not carried out: at most {self.max_actions} actions a round."


MAX_FEEDBACK_LENGTH = 20_000


class Feedback(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Adds the result of the last action to ``observation["feedback"]``.

    After a round it has a numbered line for each action.

    It is empty after ``reset``. Feedback longer than 20,000 characters is cut in the middle.

    >>> env = Feedback(gym.make("FormGym/Scans-v0"))
    >>> _ = env.reset(seed=0)
    >>> env.step(env.action_space.from_call({"tool": "terminate"}))[0]["feedback"]
    'The page was handed in.'

    Args:
        env: the environment, ``ActionBatch`` or not; its observation space is a ``Dict``.

    Raises:
        ValueError: if it is not.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self.observation_space = extended(env, feedback=UnicodeText(MAX_FEEDBACK_LENGTH))

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        return observation | {"feedback": ""}, info

    def step(self, action: Any) -> Step:
        """Take a step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        feedback = info["feedback"]
        if not isinstance(feedback, str):
            feedback = "\n".join(f"{i}. {line}" for i, line in enumerate(feedback, start=1))
        feedback = truncate_middle(feedback, MAX_FEEDBACK_LENGTH)
        return observation | {"feedback": feedback}, float(reward), terminated, truncated, info


class OneShot(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Ends the episode after its first step: a contextual bandit.

    >>> env = OneShot(gym.make("FormFactory/Grounding-v0"))
    >>> _ = env.reset(seed=0)
    >>> env.step(env.action_space.sample())[2]
    True

    Args:
        env: the environment.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)

    def step(self, action: Any) -> Step:
        """Take the step."""
        observation, reward, _, _, info = self.env.step(action)
        return observation, float(reward), True, False, info


class SparseReward(gym.Wrapper[Observation, Any, Observation, Any], RecordConstructorArgs):
    """Moves the reward of an episode to its last step; the return stays what it is.

    An episode truncated by a ``TimeLimit`` outside of this wrapper pays nothing: put the limit inside.

    >>> env = SparseReward(gym.make("FormGym/Scans-v0"))
    >>> _ = env.reset(seed=0)
    >>> [float(env.step(env.action_space.from_call(call))[1]) for call in env.unwrapped.solution()]
    [0.0, 0.0, 1.0]

    Args:
        env: the environment.
    """

    def __init__(self, env: gym.Env[Observation, Any]) -> None:
        RecordConstructorArgs.__init__(self)
        super().__init__(env)
        self._accumulated = 0.0

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        self._accumulated = 0.0
        return self.env.reset(seed=seed, options=options)

    def step(self, action: Any) -> Step:
        """Take a step."""
        observation, reward, terminated, truncated, info = self.env.step(action)
        self._accumulated += float(reward)
        reward = self._accumulated if terminated or truncated else 0.0
        return observation, reward, terminated, truncated, info
