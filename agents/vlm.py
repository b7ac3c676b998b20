"""VLM: a vision-language model as an agent of every suite."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..envs.documents.programs.budget import ProgramError
from ..envs.documents.scene.document import Document
from .base import Action, Exchange, TaskInfo
from .blocks import PAGES, TextBlock
from .conversation import Conversation
from .coordinate_space import UNITS
from .edit_programs import document_text, dry_run, is_complaint, template_variables
from .model_view import ModelView
from .models.base import Model, Reply, ToolCall
from .prompting import Prompts
from .replies import ParsedReply, code_in, parse_calls, parse_reply

RESULT_HIDDEN = "Received."
"""The result of a native call where no feedback is observed."""


class VLM:
    """Shows a model the task and the page, and carries out the calls in its replies.

    Whatever tools and observations there are, it uses: two pages, feedback, field names, zoom, controls as text. Where
    documents are edited by programs, each is tried on a copy first, and the model repairs what cannot be run; it
    writes another one where feedback says that the edit is not right. A reply without a call is asked for again.

    Args:
        model: is asked.
        prompts: a folder of templates of your own, which replace ours of the same name; ``None``: ours.
        unit: of the model's coordinates on the pictures that it is sent, one of ``coordinate_space.UNITS``; ``None``:
            what the tools take.
        max_side: pictures with a longer side are shrunk to it; ``None``: none are.
        history: how many pictures of the page are sent with a question.
        max_repairs: how often a reply that cannot be carried out is asked for again in a round.
        native_tools: whether tools go to the provider as such; without, the prompt has their schemas.
        strict: whether programs must name every argument of the published signatures.

    Attributes:
        prompt_hash: the SHA-256 of the prompts.
        usage: see ``Conversation``.
        exchanges: what the model was asked since ``act`` was called last.

    Raises:
        ValueError: if there is no model or no such unit, or a number is out of range.
    """

    def __init__(
        self,
        model: Model | None,
        prompts: str | Path | None = None,
        unit: str | None = None,
        max_side: int | None = None,
        history: int = 3,
        max_repairs: int = 5,
        native_tools: bool = True,
        strict: bool = False,
    ) -> None:
        self._model = required_model(model)
        if unit is not None and unit not in UNITS:
            raise ValueError(f"unit must be one of {', '.join(UNITS)} or null, not {unit!r}")
        if history < 1 or max_repairs < 0:
            raise ValueError(
                f"history must be at least 1 and max_repairs at least 0; they are {history}, {max_repairs}"
            )
        self._prompts = Prompts(prompts)
        self.prompt_hash = self._prompts.sha256
        self._unit, self._max_side, self._history, self._max_repairs = unit, max_side, history, max_repairs
        self._native, self._strict = native_tools, strict

    @property
    def usage(self) -> dict[str, float]:
        """What the replies of the episode took."""
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
        """
        self._task = task
        self._conversation = Conversation(self._model, seed, self._history)
        self._writes_programs = "run_program" in task.tools.names
        self._view: ModelView | None = None
        self._page = 0
        self._round = 0
        self._sent: Sequence[Action] = ()
        self._waiting: list[Action] = []
        self._problems: Sequence[str] = ()

    def act(self, observation: Mapping[str, Any]) -> list[Action]:
        """The calls of the model's next reply.

        Raises:
            ModelError: if the provider fails.
        """
        self._conversation.exchanges = []
        self._round += 1
        if not self._waiting:
            self._waiting = self._next(observation)
        # A program is sent with what belongs to it; other calls beyond the limit are the environment's to refuse.
        count = (self._task.max_actions or len(self._waiting)) if self._writes_programs else len(self._waiting)
        self._sent, self._waiting = self._waiting[:count], self._waiting[count:]
        return list(self._sent)

    def _next(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the model's next reply, or the end of a right edit."""
        feedback = observation.get("feedback")
        if self._view is None:
            self._open(observation)
        elif self._writes_programs and not is_complaint((feedback or "").strip().rpartition("\n")[2]):
            return [self._task.tools.from_call({"tool": "terminate"})]
        else:
            self._report(observation, feedback)
        return self._asked()

    def _open(self, observation: Mapping[str, Any]) -> None:
        """Begin the conversation: the rules, the task and the page."""
        task = self._task
        pictures = {name: observation[name].shape[:2] for name in PAGES if name in observation}
        self._view = ModelView(
            task.tools, pictures, task.page_size, task.page_corner, unit=self._unit, max_side=self._max_side
        )
        texts, shown = self._view.changes(observation)
        rules = self._prompts.render(template_of(task), **self._variables(observation))
        opening = self._prompts.render("opening", texts=self._readable(texts))
        self._conversation.say("system", TextBlock(rules))
        self._conversation.say("user", TextBlock(opening), *shown)

    def _report(self, observation: Mapping[str, Any], feedback: str | None) -> None:
        """Tell the model what came of its last calls."""
        assert self._view is not None
        texts, shown = self._view.changes(observation)
        results = [] if feedback is None else split_feedback(feedback, len(self._sent))
        native = self._conversation.messages[-1].tool_calls
        if native:
            self._conversation.answer(*map(TextBlock, results or [RESULT_HIDDEN] * len(native)))
            results = []
        news = self._prompts.render(
            "round",
            results=results,
            problems=self._problems,
            texts={} if self._writes_programs else self._readable(texts),
            round=self._round,
            max_rounds=self._task.max_rounds,
            pictures=len(shown),
            is_program=self._writes_programs,
        )
        self._conversation.say("user", TextBlock(news), *shown)

    def _asked(self) -> list[Action]:
        """The actions of a reply; of the last of all repairs, whatever it is."""
        assert self._view is not None
        tools = self._view.tools.schemas
        for repair in range(self._max_repairs + 1):
            parsed, reply = self._conversation.ask(
                self._parsed_program if self._writes_programs else lambda reply: parse_reply(reply, tools),
                tools if self._native and not self._writes_programs else (),
            )
            self._problems = parsed.problems
            if repair == self._max_repairs or (parsed.calls and not (self._writes_programs and parsed.problems)):
                break
            problem = self._prompts.render("repair", problems=parsed.problems, is_program=self._writes_programs)
            self._conversation.answer(*[TextBlock(problem)] * max(1, len(reply.tool_calls)))
        actions = [self._view.action(call.name, call.arguments) for call in parsed.calls]
        return actions or [self._view.refused({"reply": reply.text}, " ".join(parsed.problems))]

    def _parsed_program(self, reply: Reply) -> ParsedReply:
        """The calls for the program in a reply, and why it cannot be run."""
        text = next((_code_of(call) for call in reply.tool_calls if call.name == "run_program"), reply.text)
        ends = [call for call in parse_calls(text, []).calls if call.name == "terminate"]
        if ends and "def main" not in text:
            return ParsedReply(ends)
        code, page, problems = code_in(text), 0, []
        try:
            page = dry_run(self._document, code, self._strict)
        except ProgramError as error:
            problems = [error.feedback]
        calls = [ToolCall("page", "show_page", {"number": page + 1})] if page != self._page else []
        self._page = page
        calls.append(ToolCall("program", "run_program", {"code": code}))
        return ParsedReply([*calls, *([] if self._sees_feedback else [ToolCall("end", "terminate", {})])], problems)

    def _variables(self, observation: Mapping[str, Any]) -> dict[str, Any]:
        """What the templates of the system's message may use."""
        assert self._view is not None
        task, (height, width) = self._task, self._view.sent_size
        self._sees_feedback = "feedback" in observation
        variables: dict[str, Any] = {
            "tools": self._view.tools.schemas,
            "names": task.tools.names,
            "native": self._native,
            "unit": self._unit and UNITS[self._unit].partition(", ")[0],
            "width": width,
            "height": height,
            "max_rounds": task.max_rounds,
            "max_actions": task.max_actions,
            "feedback": self._sees_feedback,
            "has_source_page": "source_page" in observation,
            "has_database": "Database" in task.env_id,
            "has_controls": "controls" in observation,
        }
        if not self._writes_programs:
            return variables
        self._document = Document.model_validate(json.loads(str(observation["source"])))
        page = self._document.pages[0]
        return variables | template_variables((page.height, page.width), self._strict)

    def _readable(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Texts with documents as lists of their elements."""
        source = texts.get("source", "")
        if not (self._task.env_id.startswith("DocEdit/") and source.startswith("{")):
            return dict(texts)
        return {**texts, "source": document_text(Document.model_validate(json.loads(source)))}


def required_model(model: Model | None) -> Model:
    """The model of an agent.

    Raises:
        ValueError: if there is none.
    """
    if model is None:
        raise ValueError("this agent needs a model: add model=openai_compatible, model=inspect or model=scripted")
    return model


def template_of(task: TaskInfo) -> str:
    """The name of the template for a task."""
    if "run_program" in task.tools.names:
        return "programs"
    if {"point", "box"} & set(task.tools.names):
        return "grounding"
    return {"FormFactory": "web_forms", "DocEdit": "documents"}.get(task.env_id.partition("/")[0], "paper_forms")


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
    return [feedback[begin:end].strip() for (_, begin), end in zip(starts, ends, strict=True)]


def _code_of(call: ToolCall) -> str:
    return str(call.arguments.get("code", "")) if isinstance(call.arguments, Mapping) else str(call.arguments)
