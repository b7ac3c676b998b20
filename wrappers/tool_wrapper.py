"""ToolWrapper, the base of wrappers that offer other tools; and what wrappers ask of tools and pages."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
from gymnasium import spaces

from ..envs.core.boxes import contains, expand
from ..envs.core.spaces import Observation, PageSpace, Step
from ..envs.core.tools import Argument, Tool, ToolError, ToolSpace, is_fraction

if TYPE_CHECKING:
    from ..envs.core.env import FieldBox, PaperworkEnv, State


@dataclass(frozen=True)
class Translated:
    """An action of the agent as the environment receives it.

    Attributes:
        action: the environment's.
        suffix: what is appended to the environment's feedback, if anything.
        is_answered: whether the wrapper itself has carried out the call: it is valid, though the environment has no
            such tool.
        details: what the wrapper notes about the call.
    """

    action: Any
    suffix: str = ""
    is_answered: bool = False
    details: Any = None


class ToolWrapper(gym.Wrapper[Observation, Any, Observation, Any]):
    """Offers other tools than its environment takes, and translates their calls.

    A subclass says by ``translate`` what a valid call becomes. An invalid one costs a step and is explained in the
    feedback. ``info["actions"]`` lists the actions as the environment was given them.

    >>> class Upper(ToolWrapper):
    ...     def translate(self, action, tool, arguments):
    ...         text = {"text": arguments["text"].upper()} if "text" in arguments else {}
    ...         return Translated(self._inner.from_call({"tool": tool.name, **arguments, **text}))
    >>> env = gym.make("FormGym/Scans-v0")
    >>> env = Upper(env, env.action_space, env.action_space)
    >>> _ = env.reset(seed=0)
    >>> info = env.step(env.action_space.action("place_text", x=0.5, y=0.5, text="ann"))[4]
    >>> env.unwrapped.action_space.to_call(info["actions"][0])["text"]
    'ANN'

    Args:
        env: the environment, ``ActionBatch`` or not.
        inner: the tools that the environment takes.
        outer: the tools that agents call.
    """

    def __init__(self, env: gym.Env[Observation, Any], inner: ToolSpace, outer: ToolSpace) -> None:
        super().__init__(env)
        self._base = cast("PaperworkEnv", env.unwrapped)
        self._inner, self._outer = inner, outer
        self._batched = isinstance(env.action_space, spaces.Sequence)
        self.action_space = spaces.Sequence(outer) if self._batched else outer

    def translate(self, action: Any, tool: Tool, arguments: dict[str, Any]) -> Translated:
        """The environment's action for a valid call.

        Args:
            action: the call as an element of the action space.
            tool: that is called.
            arguments: of the call by name.

        Raises:
            ToolError: if the call is refused; its text is the feedback.
        """
        raise NotImplementedError

    def begin(self) -> None:
        """Called when an episode begins."""

    def prepare(self, calls: Sequence[tuple[Tool, dict[str, Any]]]) -> None:
        """Called with the valid calls of a step before they are translated."""

    def note(self, carried_out: Sequence[Translated]) -> None:
        """Called after a step with the actions that were carried out."""

    def observation(self, observation: Observation) -> Observation:
        """The observation as agents see it."""
        return observation

    def refused(self, action: Any, reason: str) -> dict[str, Any]:
        """An action that costs a step, changes nothing and has ``reason`` as its feedback."""
        return {"tool": None, "call": self._outer.to_call(action), "refusal": reason}

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin an episode."""
        observation, info = self.env.reset(seed=seed, options=options)
        self.begin()
        return self.observation(observation), info

    def step(self, action: Any) -> Step:
        """Take a step, or a round of them.

        Raises:
            ValueError: if the environment takes rounds, and this is no list of actions.
        """
        if self._batched and not isinstance(action, list | tuple):
            raise ValueError(f"a round is a list of actions, not {type(action).__name__}")
        translated = self._translated(action if self._batched else [action])
        inner = [one.action for one in translated]
        observation, reward, terminated, truncated, info = self.env.step(inner if self._batched else inner[0])
        # Those after the end of an episode, or beyond the limit of a round, were not carried out.
        carried_out = translated[: info.get("carried_out", 1)]
        self.note(carried_out)
        info = {"actions": inner} | info | self._answers(carried_out, info["feedback"], info["valid"])
        return self.observation(observation), float(reward), terminated, truncated, info

    def _translated(self, actions: Sequence[Any]) -> list[Translated]:
        parsed = [self._parsed(action) for action in actions]
        self.prepare([call for call in parsed if not isinstance(call, ToolError)])
        return [self._translate(action, call) for action, call in zip(actions, parsed, strict=True)]

    def _parsed(self, action: Any) -> tuple[Tool, dict[str, Any]] | ToolError:
        try:
            return self._outer.parse(action)
        except ToolError as error:
            return error

    def _translate(self, action: Any, call: tuple[Tool, dict[str, Any]] | ToolError) -> Translated:
        try:
            if isinstance(call, ToolError):
                raise call
            return self.translate(action, *call)
        except ToolError as error:
            return Translated(self.refused(action, str(error)))

    def _answers(self, carried_out: Sequence[Translated], feedback: Any, valid: Any) -> dict[str, Any]:
        """The feedback on a step, and whether its calls were valid, with what the wrapper itself has answered."""
        feedbacks, valids = (list(feedback), list(valid)) if self._batched else ([feedback], [valid])
        for i, one in enumerate(carried_out):
            feedbacks[i] += f" {one.suffix}" if one.suffix else ""
            valids[i] = valids[i] or one.is_answered
        if self._batched:
            return {"feedback": feedbacks, "valid": valids}
        return {"feedback": feedbacks[0], "valid": valids[0]}


def carry_out(env: gym.Env[Observation, Any], actions: Sequence[Any]) -> Step:
    """A step that takes several of an environment's, up to one that is invalid; ``info["actions"]`` lists them."""
    total, taken = 0.0, []
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        total += float(reward)
        taken.append(action)
        if terminated or truncated or not info["valid"]:
            break
    return observation, total, terminated, truncated, info | {"actions": taken}


def own_tool(name: str, about: str, arguments: Mapping[str, Argument]) -> Tool:
    """A tool that the wrapper carries out itself: the environment has none of its name."""
    return Tool(name, _refuse, arguments, about)


def _refuse(state: Any, **_: Any) -> str:
    raise ToolError("the environment itself has no such tool")


def single_tools(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The action space of an environment that takes one call of a tool a step.

    Raises:
        ValueError: if it takes something else.
    """
    if not isinstance(env.action_space, ToolSpace):
        raise ValueError(f"actions must be calls of tools, one a step, not {env.action_space}")
    return env.action_space


def takes_fractions(env: gym.Env[Observation, Any]) -> bool:
    """Whether the tools of an environment take x and y as fractions of the page."""
    space = cast("PaperworkEnv", env.unwrapped).action_space
    return all(is_fraction(space.spaces.get(name)) for name in ("x", "y"))


def tools_with_places(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment whose x and y are fractions of the page.

    Raises:
        ValueError: if its tools take no such x and y, or a wrapper has padded the page.
    """
    check_unpadded(env)
    space = cast("PaperworkEnv", env.unwrapped).action_space
    if not takes_fractions(env):
        raise ValueError(f"the tools {', '.join(space.names)} take no x and y as fractions of the page")
    return space


def place_at(state: State, x: float, y: float) -> FieldBox:
    """The place that a point is in, or the nearest; x and y are fractions of the page."""
    height, width = state.paper
    point = x * width, y * height
    return min(
        state.places, key=lambda place: (not contains(expand(place.box, 0.5), *point), math.dist(place.centre, point))
    )


def check_unpadded(env: gym.Env[Observation, Any]) -> None:
    """Raise ``ValueError`` if a wrapper has padded the page."""
    if env.has_wrapper_attr("padding"):
        raise ValueError("a wrapper inside has padded the page, so that x and y mean other places; put PadPage outside")


def called_tools(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment that takes calls, one a step or lists of them.

    Raises:
        ValueError: if it takes something else.
    """
    taken = env.action_space
    tools = taken.feature_space if isinstance(taken, spaces.Sequence) else taken
    if not isinstance(tools, ToolSpace):
        raise ValueError(f"actions must be calls of tools, or lists of them, not {taken}")
    return tools


def check_page(env: gym.Env[Observation, Any]) -> tuple[int, int]:
    """Height and width of the page that ``env`` shows.

    Raises:
        ValueError: if it shows none, or not as (height, width, 3).
    """
    page = _observed(env, "page")
    if not isinstance(page, PageSpace):
        raise ValueError(f"observations must be a Dict with a page, not {env.observation_space}")
    return page.shape[-3], page.shape[-2]


def check_goal(env: gym.Env[Observation, Any]) -> None:
    """Raise ``ValueError`` if ``env`` shows no goal as a text."""
    if not isinstance(_observed(env, "goal"), spaces.Text):
        raise ValueError(f"observations must be a Dict with a goal as text, not {env.observation_space}")


def _observed(env: gym.Env[Observation, Any], name: str) -> spaces.Space[Any] | None:
    """The space of a part of the observation; ``None`` if there is no such part."""
    observed = env.observation_space
    return observed.spaces.get(name) if isinstance(observed, spaces.Dict) else None


def shrink_factor(env: gym.Env[Observation, Any]) -> int:
    """How many pixels, as tools count them, a pixel of the picture is wide."""
    return int(env.get_wrapper_attr("page_size")[1]) // check_page(env)[1] or 1


def joined(texts: Sequence[str]) -> str:
    """The pieces of an answer as one text: characters of a comb in one word, lines with spaces between them."""
    return ("" if all(len(text) == 1 for text in texts) else " ").join(texts)
