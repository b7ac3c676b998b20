"""Scripted agents: the oracle and baselines."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ..envs.core.texts import PLACES, TICK_BOX, UnicodeText
from .base import Action, TaskInfo

if TYPE_CHECKING:
    from ..envs.core.locators import Locator

_BOX = re.compile(rf"{re.escape(TICK_BOX)}: x=([\d.]+), y=([\d.]+)$", re.MULTILINE)


class _Planned:
    """An agent that plans all of an episode's actions from the first observation."""

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode."""
        self._task = task
        self._left: list[Action] | None = None

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The next actions of the plan, as many as a round takes.

        Raises:
            ValueError: if the observation has nothing to plan from.
        """
        left = self._plan(observation) if self._left is None else self._left
        n = self._task.max_actions or max(len(left), 1)
        self._left = left[n:]
        return left[:n]

    def _plan(self, observation: Mapping[str, Any]) -> list[Action]:
        raise NotImplementedError


class Noop(_Planned):
    """Terminates at once: the floor of every score.

    >>> from formgym.experiments.evaluation import evaluate_agent
    >>> evaluate_agent(Noop(), "FormGym/Scans-v0", episodes=1).scores["strict_accuracy"]["mean"]
    0.0
    """

    def _plan(self, observation: Mapping[str, Any]) -> list[Action]:
        return [self._task.tools.action("terminate")]


class Oracle(_Planned):
    """Carries out the solution of the task: the ceiling of every score.

    >>> from formgym.experiments.evaluation import evaluate_agent
    >>> evaluate_agent(Oracle(), "FormGym/Scans-v0", episodes=1).scores["strict_accuracy"]["mean"]
    1.0
    """

    privileged = True

    def _plan(self, observation: Mapping[str, Any]) -> list[Action]:
        return [self._task.tools.from_call(call) for call in self._task.solution]


class TickEverything(_Planned):
    """Ticks every box that the goal locates, right or wrong, and writes nothing else.

    A metric that gives it a high score does not count wrong marks. It reads the places that the wrapper
    ``GroundTruthCoordinates`` adds to the goal.

    >>> import gymnasium as gym
    >>> from formgym.experiments.evaluation import evaluate_agent
    >>> from formgym.wrappers import GroundTruthCoordinates
    >>> env = GroundTruthCoordinates(gym.make("FormGym/Scans-v0"))
    >>> evaluate_agent(TickEverything(), env, episodes=1).scores["strict_accuracy"]["mean"]
    0.0
    """

    def _plan(self, observation: Mapping[str, Any]) -> list[Action]:
        if PLACES not in observation["goal"]:
            raise ValueError("this agent ticks the places in the goal: add wrappers=[ground_truth_coordinates]")
        tools = self._task.tools
        found = _BOX.findall(observation["goal"])
        ticks = [tools.action("place_text", x=float(x), y=float(y), text="X") for x, y in found]
        return [*ticks, tools.action("terminate")]


class SubmitSource(_Planned):
    """Moves the first element of a document to where it is, and terminates (DocEdit).

    Its documents look almost like the expected ones and its program runs, so a useful metric scores it below an agent
    that attempts the edit.

    >>> from formgym.experiments.evaluation import evaluate_agent
    >>> evaluate_agent(SubmitSource(), "DocEdit/MeetingAgenda-v0", episodes=1).scores["edit_f1"]["mean"]
    0.0
    """

    def _plan(self, observation: Mapping[str, Any]) -> list[Action]:
        try:
            pages = json.loads(observation["source"])["pages"]
            element = next(page["elements"][0] for page in pages if page.get("elements"))
        except (ValueError, LookupError, TypeError, StopIteration):
            raise ValueError("this agent edits documents: choose an environment of DocEdit") from None
        tools = self._task.tools
        name, (x, y, _, _) = element["id"], element["bbox"]
        if "run_program" in tools.names:
            edit = tools.action("run_program", code=f"def main(document):\n    MOVE({name!r}, [{x}, {y}])\n")
        else:
            edit = tools.action("move", object_id=name, x=x, y=y)
        return [edit, tools.action("terminate")]


class Random:
    """Calls tools at random, at random places, with words of the observation.

    >>> from formgym.experiments.evaluation import evaluate_agent
    >>> evaluate_agent(Random(n_actions=5), "FormGym/Scans-v0", episodes=1).scores["field_accuracy"]["mean"]
    0.0

    Args:
        n_actions: how many actions it takes before it terminates.
        wild: the share of texts that are random characters rather than words of the observation.
    """

    def __init__(self, n_actions: int = 40, wild: float = 0.1) -> None:
        if n_actions < 0 or not 0 <= wild <= 1:
            raise ValueError(f"n_actions must not be negative and wild lie in [0, 1]; they are {n_actions} and {wild}")
        self.n_actions, self.wild = n_actions, wild

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode."""
        self._task = task
        self._rng = np.random.default_rng(seed)
        task.tools.seed(seed)
        self._left = self.n_actions

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """As many random actions as a round takes; ``terminate`` when all are spent."""
        n = min(self._left, self._task.max_actions or self._left)
        self._left -= n
        words = [word for text in observation.values() if isinstance(text, str) for word in _words(text)]
        actions = [self._action(words) for _ in range(n)]
        if len(actions) < (self._task.max_actions or len(actions) + 1):
            actions.append(self._task.tools.action("terminate"))
        return actions

    def _action(self, words: Sequence[str]) -> Action:
        tools = self._task.tools
        action = tools.sample()
        action["tool"] = int(self._rng.choice([i for i, name in enumerate(tools.names) if name != "terminate"]))
        for name, space in tools.spaces.items():
            if words and isinstance(space, UnicodeText) and self._rng.random() >= self.wild:
                action[name] = str(self._rng.choice(words))
        return action


def _words(text: str) -> list[str]:
    """The words of a text, without the punctuation around them."""
    return [word for token in text.split() if (word := token.strip("\"'()[]{},:;"))]


class Pointing:
    """Points at the best place that a locator finds on the page for the goal, a name.

    It answers the goals of the grounding environments, and those of the wrapper ``FieldQueue``, which writes the right
    values where it points. Where the locator finds nothing it points at random.

    >>> import gymnasium as gym
    >>> env = gym.make("FormFactory/Grounding-v0")
    >>> observation, _ = env.reset(seed=0)
    >>> agent = Pointing(None)
    >>> agent.reset(TaskInfo(env.spec.id, env.action_space, max_actions=1), seed=0)
    >>> len(agent.act(observation))
    1

    Args:
        locator: makes the locator, called with the options; ``None``: it always points at random.
        **options: such as ``path``, the folder of a trained policy.
    """

    def __init__(self, locator: Callable[..., Locator] | None, **options: Any) -> None:
        self._locator = locator(**options) if locator else None

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode.

        Raises:
            ValueError: if the goals are no names, or a round has more than one action.
        """
        if not {"point", "box"} & set(task.tools.names):
            raise ValueError("this agent points: add wrappers=[field_queue], or choose an environment of grounding")
        if task.max_actions != 1:
            raise ValueError("this agent answers one goal a round: choose flow=stepwise")
        self._tools, self._paper = task.tools, task.paper_sizes.get("page")
        self._rng = np.random.default_rng(seed)

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """Answer the goal with the middle of a place, or with its box."""
        height, width = self._paper or observation["page"].shape[:2]
        page = observation["page"][:height, :width]
        found = self._locator.locate(page, observation["goal"]) if self._locator else []
        if found:
            box = np.clip(np.divide(found[0].box, (width, height, width, height)), 0, 1)
        else:
            box = np.sort(self._rng.random((2, 2)), axis=0).ravel()
        left, top, right, bottom = box.tolist()
        if "box" in self._tools.names:
            return [self._tools.action("box", left=left, top=top, right=right, bottom=bottom)]
        return [self._tools.action("point", x=(left + right) / 2, y=(top + bottom) / 2)]
