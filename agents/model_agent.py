"""The base class of agents that ask a model, and their prompts."""

from __future__ import annotations

import hashlib
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from .base import Action, Exchange, TaskInfo
from .conversation import Conversation
from .model import Model

FOLDER = Path(__file__).parent / "prompts"


class Prompts:
    """The templates of prompts, ours and those of a folder that replace them.

    >>> len(Prompts().sha256)
    64

    Args:
        folder: of your own templates, ``NAME.jinja``, which may extend ours; ``None``: there are none.

    Attributes:
        sha256: of the names and texts of all templates.

    Raises:
        ValueError: if the folder holds no templates.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        folders = [FOLDER] if folder is None else [Path(folder), FOLDER]
        if folder is not None and not list(Path(folder).glob("*.jinja")):
            raise ValueError(f"the prompts {str(folder)!r} are no folder with templates, NAME.jinja")
        self._environment = Environment(
            loader=FileSystemLoader(folders), undefined=StrictUndefined, trim_blocks=True, lstrip_blocks=True
        )
        digest = hashlib.sha256()
        for name in sorted({file.name for one in folders for file in one.glob("*.jinja")}):
            source = next(one / name for one in folders if (one / name).exists())
            digest.update(name.encode() + b"\0" + source.read_bytes() + b"\0")
        self.sha256 = digest.hexdigest()

    def render(self, name: str, **variables: Any) -> str:
        """The text of a template.

        Raises:
            ValueError: if it uses a variable that there is not, or is malformed.
        """
        from jinja2 import TemplateError

        try:
            return self._environment.get_template(f"{name}.jinja").render(variables).strip()
        except TemplateError as error:
            raise ValueError(f"the prompt {name}.jinja cannot be written: {error}") from error


class ModelAgent(ABC):
    """Turns what a model replies into rounds of actions.

    Args:
        model: is asked.
        prompts: a folder of templates of your own, which replace ours of the same name; ``None``: ours.
        history: how many pictures of the page are sent with a question.
        max_repairs: how often a reply that cannot be carried out is asked for again in a round.

    Attributes:
        prompt_hash: the SHA-256 of the prompts.

    Raises:
        ValueError: if there is no model, the prompts are no folder of templates, or a number is out of range.
    """

    def __init__(self, model: Model | None, prompts: str | Path | None, history: int, max_repairs: int) -> None:
        if model is None:
            raise ValueError("this agent needs a model: add model=openai_compatible, model=inspect or model=scripted")
        if history < 1 or max_repairs < 0:
            raise ValueError(
                f"history must be at least 1 and max_repairs at least 0; they are {history} and {max_repairs}"
            )
        self._model, self._history, self._max_repairs = model, history, max_repairs
        self._prompts = Prompts(prompts)
        self.prompt_hash = self._prompts.sha256

    @property
    def usage(self) -> dict[str, float]:
        """What the replies of the episode took; see ``Conversation``."""
        return self._conversation.usage

    @property
    def exchanges(self) -> list[Exchange]:
        """What the model was asked since ``act`` was called last."""
        return self._conversation.exchanges

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode.

        Args:
            task: what there is to know.
            seed: of the model's sampling.

        Raises:
            ValueError: if the agent cannot work with the environment's tools.
        """
        self._task = task
        self._conversation = Conversation(self._model, seed, self._history)
        self._round = 0
        self._sent: Sequence[Action] = ()
        self._waiting: list[Action] = []
        self._results: list[str] = []

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the model's next reply, or those of the last one that are left.

        Raises:
            ModelError: if the provider fails.
        """
        self._conversation.exchanges = []
        self._round += 1
        if "feedback" in observation:
            self._results += split_feedback(observation["feedback"], len(self._sent))
        if not self._waiting:
            self._waiting = self.next_actions(observation)
            self._results = []
        count = self.at_once or len(self._waiting)
        self._sent, self._waiting = self._waiting[:count], self._waiting[count:]
        return list(self._sent)

    @property
    def at_once(self) -> int | None:
        """How many actions are sent in a round, while the others wait; ``None``: all."""
        return self._task.max_actions

    @abstractmethod
    def next_actions(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the model's next reply.

        ``self._results`` is the feedback on those of the last one, if it is observed.
        """


def split_feedback(feedback: str, count: int) -> list[str]:
    """The numbered lines of feedback on a round, one for each of ``count`` calls."""
    starts, at = [], 0
    for number in range(1, count + 1):
        mark = f"{number}. " if number == 1 else f"\n{number}. "
        at = feedback.find(mark, at)
        if at < 0:
            return [feedback] + [""] * (count - 1)
        starts.append((at, at + len(mark)))
        at += len(mark)
    ends = [start for start, _ in starts[1:]] + [len(feedback)]
    return [feedback[begin:end].strip() for (_, begin), end in zip(starts, ends, strict=False)]
