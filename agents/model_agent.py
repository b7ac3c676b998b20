"""The base class of agents that ask a model, their prompts and their conversations."""

from __future__ import annotations

import hashlib
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import chain, repeat
from pathlib import Path
from typing import Any

from ..envs.core.texts import truncate_middle
from ..envs.core.tools import jsonable
from .base import Action, Exchange, ModelError, ModelStopped, TaskInfo, split_feedback
from .model_view import ModelView
from .models.model import (
    Block,
    ImageBlock,
    Message,
    Model,
    PackedImage,
    Reply,
    Schema,
    TextBlock,
    ToolCall,
    newest_pictures,
)
from .replies import CUT_AT_LIMIT, CUT_OFF, ParsedReply, is_silent

MAX_REPLY = 400_000
"""Of the words of a reply, so many characters are read, kept and sent again."""
_MAX_SILENT = 3
"""After so many replies in a row that are empty or refused an episode ends."""
_REFUSED = ("content_filter", "refusal")
FOLDER = Path(__file__).parent / "prompts"
VARIANTS = ("published",)
"""Folders of other templates beside ours: with the content of the published FormGym's prompt."""


class Prompts:
    """The templates of prompts, ours and those of a folder that replace them.

    >>> len(Prompts().sha256)
    64

    Args:
        folder: of your own templates, ``NAME.jinja``, which may extend ours, or the name of one of ``VARIANTS``;
            ``None``: there are none.

    Attributes:
        sha256: of the names and texts of all templates.

    Raises:
        ValueError: if the folder holds no templates.
    """

    def __init__(self, folder: str | Path | None = None) -> None:
        from jinja2 import Environment, FileSystemLoader, StrictUndefined

        own = [] if folder is None else [FOLDER / folder if str(folder) in VARIANTS else Path(folder)]
        if own and not list(own[0].glob("*.jinja")):
            raise ValueError(f"the prompts {str(folder)!r} are no folder with templates, NAME.jinja")
        folders = [*own, FOLDER]
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


class Conversation:
    """One episode's messages to and from a model.

    >>> from formgym.agents.models.scripted import Scripted
    >>> conversation = Conversation(Scripted(["Done."]), seed=0, history=None)
    >>> conversation.say("user", TextBlock("Fill in the form."))
    >>> _, reply = conversation.ask(lambda reply: ParsedReply([]))
    >>> reply.text
    'Done.'

    Args:
        model: is asked.
        seed: of its sampling.
        history: the most pictures that are sent with a question, see ``newest_pictures``; ``None``: all, so that each
            prompt continues the one before and providers' caches hold.

    Attributes:
        usage: what all replies took: ``model_calls``, ``cached_calls``, ``input_tokens``, ``output_tokens``,
            ``cached_input_tokens`` (those of the input that the provider had in its cache), ``cost`` in US dollars and
            ``model_seconds``; without tokens and cost where they are unknown.
        exchanges: questions and replies; whoever reads them may clear them.
    """

    def __init__(self, model: Model, seed: int, history: int | None = None) -> None:
        self._model, self._seed, self._history = model, seed, history
        self.messages: list[Message] = []
        self.usage = dict.fromkeys(_amounts(Reply("")), 0.0)
        self.exchanges: list[Exchange] = []
        self._n_recorded = 0
        self._silent: list[str] = []

    def say(self, role: Any, *blocks: Block) -> None:
        """Add a message of the system or the user."""
        self.messages.append(Message(role, blocks))

    def answer(self, *results: Sequence[Block]) -> None:
        """Add the results of native calls one by one, or of others as the user's words.

        Servers want a result of every native call: those at the end that have none were cut off.
        """
        calls = self.messages[-1].tool_calls
        for call, result in zip(calls, chain(results, repeat([TextBlock(CUT_OFF)])), strict=False):
            self.messages.append(Message("tool", result, tool_call_id=call.id))
        if not calls:
            self.say("user", *(block for result in results for block in result))

    def ask(self, parse: Callable[[Reply], ParsedReply], tools: Sequence[Schema] = ()) -> tuple[ParsedReply, Reply]:
        """What is read in the model's reply, and the reply.

        Args:
            parse: reads the calls in a reply.
            tools: which the model may call.

        Raises:
            ModelError: if the provider fails; the question is among the exchanges.
            ModelStopped: if three replies in a row were empty or refused; they are among the exchanges.
        """
        self.messages = [_packed(message) for message in self.messages]
        prompt = [_recorded(message) for message in self.messages[self._n_recorded :]]
        try:
            reply = self._model.generate(newest_pictures(self.messages, self._history), tools, seed=self._seed)
        except ModelError:
            self.exchanges.append(Exchange(prompt, "", [], {}, stop="error"))
            raise
        reply = _jsonable(reply)
        amounts = _amounts(reply)
        self.usage = {name: self.usage.get(name, 0.0) + amount for name, amount in amounts.items()}
        self.messages.append(Message("assistant", [TextBlock(reply.text)] if reply.text else [], reply.tool_calls))
        self._n_recorded = len(self.messages)
        parsed = parse(reply)
        calls = jsonable([{"tool": call.name, "arguments": call.arguments} for call in parsed.calls])
        native = [asdict(call) for call in reply.tool_calls]
        self.exchanges.append(
            Exchange(prompt, reply.text, calls, amounts, reply.key, reply.stop, native, [*reply.left_out])
        )
        self._end_if_silent(reply)
        if reply.stop == "length":
            warnings.warn(f"a reply of {self._model.name} was cut off: raise model.max_tokens", stacklevel=2)
            parsed = replace(parsed, problems=[CUT_AT_LIMIT, *parsed.problems])
        return parsed, reply

    def _end_if_silent(self, reply: Reply) -> None:
        """Count replies in a row that are empty or refused.

        Raises:
            ModelStopped: if it is the third.
        """
        is_refused = reply.stop in _REFUSED
        self._silent = [*self._silent, reply.stop] if is_refused or is_silent(reply) else []
        if len(self._silent) == _MAX_SILENT:
            stops, hint = ", ".join(self._silent), "; raise model.max_tokens" if "length" in self._silent else ""
            raise ModelStopped(
                f"{_MAX_SILENT} replies in a row were empty or refused (they ended by: {stops}){hint}",
                "policy" if set(self._silent) <= set(_REFUSED) else "silent",
            )


def _jsonable(reply: Reply) -> Reply:
    """A reply as records can keep it: what is read in it is read in its record too."""
    text, written = truncate_middle(_encodable(reply.text), MAX_REPLY), reply.tool_calls
    calls = [ToolCall(_encodable(one.id), _encodable(one.name), jsonable(one.arguments)) for one in written]
    return replace(reply, text=text, tool_calls=calls)


def _encodable(text: str) -> str:
    return text.encode(errors="replace").decode()


def _amounts(reply: Reply) -> dict[str, float]:
    """What a reply took, by the names of usage."""
    used = reply.usage
    counted = () if used.is_unknown else ("input_tokens", "output_tokens", "cached_input_tokens", "cost")
    return {
        **{"model_calls": 1, "cached_calls": int(reply.is_cached)},
        **{name: getattr(used, name) for name in counted},
        "model_seconds": used.seconds,
    }


def _packed(message: Message) -> Message:
    """A message whose pictures take little memory: a conversation keeps them all."""
    if not any(type(block) is ImageBlock for block in message.content):
        return message
    return replace(message, content=[PackedImage(b) if type(b) is ImageBlock else b for b in message.content])


def _recorded(message: Message) -> dict[str, Any]:
    """A message as records keep it: pictures by their digests."""
    content: list[Any] = [
        block.text
        if isinstance(block, TextBlock)
        else {"image": block.name, "width": block.shape[1], "height": block.shape[0], "sha256": block.sha256}
        for block in message.content
    ]
    return {"role": message.role, "content": content}


class ModelAgent(ABC):
    """Turns what a model replies into rounds of actions.

    Args:
        model: is asked.
        prompts: a folder of templates of your own, which replace ours of the same name; ``None``: ours.
        history: the most pictures that are sent with a question, see ``models.model.newest_pictures``; ``None``: all.
        max_repairs: how often a reply that cannot be carried out is asked for again in a round.

    Attributes:
        prompt_hash: the SHA-256 of the prompts.

    Raises:
        ValueError: if there is no model, the prompts are no folder of templates, or a number is out of range.
    """

    _view: ModelView

    def __init__(self, model: Model | None, prompts: str | Path | None, history: int | None, max_repairs: int) -> None:
        if model is None:
            raise ValueError("this agent needs a model: add model=openai_compatible, inspect, files or scripted")
        if (history is not None and history < 1) or max_repairs < 0:
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
        self._is_open = False
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

    @property
    def max_rounds(self) -> int | None:
        """How many rounds there are: a round takes at least one step."""
        rounds, steps = self._task.max_rounds, self._task.max_steps
        return rounds and min(rounds, steps or rounds)

    def begin(self, rules: str, texts: Mapping[str, str], shown: Sequence[Block]) -> None:
        """Begin the conversation: the rules, and the texts and pictures of the task."""
        self._is_open = True
        self._conversation.say("system", TextBlock(rules))
        self._conversation.say("user", TextBlock(self._prompts.render("opening", texts=texts)), *shown)

    @abstractmethod
    def next_actions(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the model's next reply.

        ``self._results`` is the feedback on those of the last one, if it is observed.
        """
