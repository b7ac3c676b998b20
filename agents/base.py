"""The interface of agents, and the task that they are given."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from ..envs.core.painting import Image
from ..envs.core.texts import TextExtents
from ..envs.core.tools import Call, ToolSpace

Action = dict[str, Any]


@dataclass(frozen=True)
class TaskInfo:
    """What an agent knows when an episode begins.

    >>> import gymnasium as gym
    >>> import formgym
    >>> tools = gym.make("FormGym/Scans-v0").action_space
    >>> TaskInfo("FormGym/Scans-v0", tools, max_actions=1).tools.names
    ('place_text', 'delete_text', 'terminate')

    Attributes:
        env_id: the environment's id.
        tools: the action space; it knows the tools' names, schemas and how to build actions.
        max_actions: how many actions of a round are carried out; ``None``: all.
        solution: calls that solve the task, for agents that declare ``privileged = True``; empty for all others.
        max_rounds: how many rounds there are; ``None``: as many as the environment has steps for.
        max_steps: how many actions an episode has; ``None``: any number.
        text_extents: how large written text is, where the environment writes on pages.
        page_size: (height, width) of the page in the pixels that tools take.
        page_corner: (x, y) of the page's left top corner in the observed image, x and y.
        paper_sizes: (height, width) of the part of each observed picture that is no desk, by the picture's name, from
            its left top corner; all of one that is not named.
        changed_pages: pictures of pages that changed since the last call but are not observed, with their names.
    """

    env_id: str
    tools: ToolSpace
    max_actions: int | None = None
    solution: Sequence[Call] = ()
    max_rounds: int | None = None
    max_steps: int | None = None
    text_extents: TextExtents | None = None
    page_size: tuple[int, int] = (1, 1)
    page_corner: tuple[int, int] = (0, 0)
    paper_sizes: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    changed_pages: Callable[[], Sequence[tuple[str, Image]]] = tuple


class ModelError(Exception):
    """A provider failed after retries: the episode is recorded as unscored, not as 0.

    >>> issubclass(ModelError, Exception)
    True
    """


class ReplyAwaited(ModelError):
    """The reply comes later: nothing of the episode is recorded, and it is played again once the reply is there.

    >>> issubclass(ReplyAwaited, ModelError)
    True
    """


class ModelStopped(ModelError):
    """A model cannot go on with an episode, today or another day: it is scored as it stands.

    >>> ModelStopped("the prompt has 210,000 tokens; the model takes 200,000", "context").reason
    'context'

    Args:
        message: what happened, in a sentence.
        reason: ``"context"`` (too long), ``"policy"`` (refused or filtered), ``"images"`` (too many or too large),
            ``"parameter"`` (the model lacks one that the run sets), ``"request"`` or ``"silent"`` (several replies in a
            row had no words and no call).
    """

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Exchange:
    """A question to a model and its reply, as records keep it.

    A reply can be read again from it: ``{"text": reply, "tool_calls": native, "stop": stop}`` is a reply of
    ``models.scripted.Scripted``, and the agent that gets those of an episode in their order does the same calls again.

    Attributes:
        prompt: the messages that are new since the exchange before: ``role`` and ``content``, a list of texts and
            pictures; a picture is ``{"image": name, "width": w, "height": h, "sha256": digest of its pixels}``.
        reply: its words, all that calls are read from.
        calls: what is read in it: ``{"tool": name, "arguments": what the model wrote}`` each.
        usage: what it took: finite numbers by name, such as tokens and cost.
        key: of the reply in the cache on disk; empty if it is in none.
        stop: why the reply ended, see ``models.model.Reply``; ``"error"``: there is none, since the provider failed.
        native: its native calls as the model wrote them: ``{"id": id, "name": of the tool, "arguments": an object, or a
            text that is none}`` each. Where there are any, ``calls`` are read from them and not from the words.
        left_out: parameters that were not sent, since the server does not take them.
    """

    prompt: list[dict[str, Any]]
    reply: str
    calls: list[Any]
    usage: dict[str, float]
    key: str = ""
    stop: str = ""
    native: list[Any] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)


class Agent(Protocol):
    """An agent.

    Three attributes are optional: ``privileged = True`` asks for the solution (such agents measure the environment, not
    themselves); ``usage`` has what was used since ``reset``: finite numbers by name, such as tokens; and ``exchanges``
    has what was asked of a model since ``act`` was called last.

    >>> class Terminate:
    ...     def reset(self, task, seed):
    ...         pass
    ...
    ...     def act(self, observation):
    ...         return [{"tool": "terminate"}]
    """

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; everything random follows from ``seed``."""
        ...

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """Return the actions of the next round.

        Each is an element of ``task.tools`` or a plain call ``{"tool": name, ...}``.

        Raises:
            ModelError: if a model's provider fails.
        """
        ...


def split_feedback(feedback: str, count: int) -> list[str]:
    r"""The feedback on each of the calls of a round, empty where it is missing.

    >>> split_feedback("1. Two rows:\na\nb\n2. The page was handed in.", 2)
    ['Two rows:\na\nb', 'The page was handed in.']

    Args:
        feedback: as it is observed: a line, or more, for each call, the first one numbered; or one answer as it is.
        count: how many calls the round had.
    """
    replies = [""] * max(count, 1)
    number = 0
    for line in feedback.split("\n"):
        head, _, rest = line.partition(". ")
        if number < count and head == str(number + 1):
            number += 1
            replies[number - 1] = rest
        else:
            replies[max(number - 1, 0)] += f"\n{line}"
    return [reply.strip() for reply in replies[:count]]
