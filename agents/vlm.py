"""VLM: a vision-language model as an agent of every suite."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ..envs.core.texts import truncate
from ..envs.core.tools import is_fraction
from ..envs.documents.programs.sandbox import ProgramError
from ..envs.documents.scene.document_text import read_text
from .base import Action, TaskInfo
from .coordinate_space import UNITS, PictureView
from .edit_programs import code_in, document_text, dry_run, is_complaint, template_variables
from .model_agent import ModelAgent
from .model_view import PAGES, ModelView
from .models.model import Model, Reply, TextBlock, ToolCall
from .replies import CUT_AT_LIMIT, ParsedReply, parse_calls, parse_reply, without_reasoning

RESULT_HIDDEN = "Received."
"""The result of a native call where no feedback is observed."""


class VLM(ModelAgent):
    """Shows a model the task and the page, and carries out the calls in its replies.

    Whatever tools and observations there are, it uses: two pages, feedback, field names, zoom, controls as text. Where
    documents are edited by programs, each is tried on a copy first, and the model repairs what cannot be run; it
    writes another one where feedback says that the edit is not right. A reply without a call is asked for again.

    >>> from formgym.agents.models.scripted import Scripted
    >>> from formgym.experiments.evaluation import evaluate_agent
    >>> agent = VLM(Scripted(['{"tool": "terminate"}']))
    >>> evaluate_agent(agent, "FormGym/Scans-v0", episodes=1).scores["strict_accuracy"]["mean"]
    0.0

    Args:
        model, prompts, history, max_repairs: see ``ModelAgent``.
        unit: of the model's coordinates on the pictures that it is sent, one of ``coordinate_space.UNITS``; ``None``:
            what the tools take.
        max_side: pictures with a longer side are shrunk to it; ``None``: none are.
        native_tools: whether tools go to the provider as such; without, the prompt has their schemas.
        strict: whether programs must name every argument of the published signatures.
        search: whether programs find elements by words (FIND_AND_GET and INFER), as in the paper, instead of by ids,
            which the model is then not shown; the environment needs a ``grounder``.

    Raises:
        ValueError: if there is no model or no such unit, or a number is out of range.
    """

    def __init__(
        self,
        model: Model | None,
        prompts: str | Path | None = None,
        unit: str | None = None,
        max_side: int | None = None,
        history: int | None = None,
        max_repairs: int = 5,
        native_tools: bool = True,
        strict: bool = False,
        search: bool = False,
    ) -> None:
        super().__init__(model, prompts, history, max_repairs)
        if unit is not None and unit not in UNITS:
            raise ValueError(f"unit must be one of {', '.join(UNITS)} or null, not {unit!r}")
        self._unit, self._max_side, self._native = unit, max_side, native_tools
        self._strict, self._search = strict, search

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode; see ``ModelAgent.reset``.

        Raises:
            ValueError: if programs are to find elements by words, and the environment has no grounder.
        """
        super().reset(task, seed)
        self._has_search = "next_proposal" in task.tools.names
        if self._search and not self._has_search:
            raise ValueError(
                "programs that find elements by words (search=True, agent=docedit_pipeline) need an environment with "
                "env.action_mode=program and a grounder: add env.grounder=document"
            )
        self._writes_programs = "run_program" in task.tools.names
        self._page = 0
        self._problems: Sequence[str] = ()

    @property
    def at_once(self) -> int | None:
        """How many actions are sent in a round; ``None``: all."""
        # What belongs to a program may wait; other calls beyond the limit are the environment's to refuse.
        return self._task.max_actions if self._writes_programs else None

    def next_actions(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the model's next reply, or the end of a right edit."""
        if not self._is_open:
            self._open(observation)
        elif self._writes_programs and not is_complaint(str(observation.get("feedback", "")).strip().split("\n")[-1]):
            return [self._task.tools.from_call({"tool": "terminate"})]
        else:
            self._report(observation)
        return self._asked()

    def _open(self, observation: Mapping[str, Any]) -> None:
        """Begin the conversation: the rules, the task and the page."""
        task = self._task
        if "query_sql" in task.tools.names and self.max_rounds != 1 and "feedback" not in observation:
            raise ValueError("the rows that query_sql returns reach a model as feedback: add wrappers=[feedback]")
        shapes = {name: observation[name].shape[:2] for name in PAGES if name in observation}
        papers = {name: task.paper_sizes.get(name, shape) for name, shape in shapes.items()}
        views = {name: PictureView.whole(paper, self._max_side) for name, paper in papers.items()}
        self._view = ModelView(task.tools, views, task.page_size, task.page_corner, unit=self._unit)
        texts, shown = self._view.changes(observation)
        rules = self._prompts.render(template_of(task), **self._variables(observation))
        self.begin(rules, self._readable(texts), shown)

    def _report(self, observation: Mapping[str, Any]) -> None:
        """Tell the model what came of its last calls."""
        texts, shown = self._view.changes(observation)
        shown += self._view.changed_pages(self._task.changed_pages())
        results = self._results
        native = self._conversation.messages[-1].tool_calls
        if native:
            self._conversation.answer(*([TextBlock(result)] for result in results or [RESULT_HIDDEN] * len(native)))
            results = []
        news = self._prompts.render(
            "round",
            results=results,
            problems=self._problems,
            texts={} if self._writes_programs else self._readable(texts),
            round=self._round,
            max_rounds=self.max_rounds,
            pictures=len(shown),
            is_program=self._writes_programs,
        )
        self._conversation.say("user", TextBlock(news), *shown)

    def _asked(self) -> list[Action]:
        """The actions of a reply; of the last of all repairs, whatever it is."""
        tools = self._view.tools.schemas
        for repair in range(self._max_repairs + 1):
            parsed, reply = self._conversation.ask(
                self._parsed_program if self._writes_programs else lambda reply: parse_reply(reply, tools),
                tools if self._native and not self._writes_programs else (),
            )
            self._problems = parsed.problems
            is_wrong = self._writes_programs and set(parsed.problems) - {CUT_AT_LIMIT}
            if repair == self._max_repairs or (parsed.calls and not is_wrong):
                break
            problem = self._prompts.render("repair", problems=parsed.problems, is_program=self._writes_programs)
            self._conversation.answer(*[[TextBlock(problem)]] * max(1, len(reply.tool_calls)))
        actions = [self._view.action(call.name, call.arguments) for call in parsed.calls]
        return actions or [self._view.refused({"reply": truncate(reply.text, 200)}, " ".join(parsed.problems))]

    def _parsed_program(self, reply: Reply) -> ParsedReply:
        """The calls for the program in a reply, and why it cannot be run."""
        text = next(
            (_code_of(call) for call in reply.tool_calls if call.name == "run_program"), without_reasoning(reply.text)
        )
        ends = [call for call in parse_calls(text, []).calls if call.name == "terminate"]
        if ends and "def main" not in text:
            return ParsedReply(ends)
        code, page, problems = code_in(text), 0, []
        try:
            page = dry_run(self._document, code, self._strict, self._has_search)
        except ProgramError as error:
            problems = [error.feedback]
        calls = [ToolCall("page", "show_page", {"number": page + 1})] if page != self._page else []
        self._page = page
        calls.append(ToolCall("program", "run_program", {"code": code}))
        return ParsedReply([*calls, *([] if self._sees_feedback else [ToolCall("end", "terminate", {})])], problems)

    def _variables(self, observation: Mapping[str, Any]) -> dict[str, Any]:
        """What the templates of the system's message may use."""
        task, (height, width) = self._task, self._view.views["page"].sent_size
        self._sees_feedback = "feedback" in observation
        variables: dict[str, Any] = {
            "tools": self._view.tools.schemas,
            "names": task.tools.names,
            "native": self._native,
            "unit": self._unit and UNITS[self._unit].partition(", ")[0],
            "width": width,
            "height": height,
            "result_unit": "fractions" if is_fraction(task.tools.spaces.get("x")) else "pixels",
            "max_rounds": self.max_rounds,
            "max_actions": task.max_actions,
            "max_steps": task.max_steps,
            "view": "window" if "click" in task.tools.names else "page",
            "extents": self._extents(),
            "feedback": self._sees_feedback,
            "has_source_page": "source_page" in observation and observation["source_page"].any(),
            "has_controls": "controls" in observation,
        }
        if not self._writes_programs:
            return variables
        self._document, _ = read_text(str(observation["source"]))
        page = self._document.pages[0]
        return variables | template_variables((page.height, page.width), self._strict, self._search)

    def _extents(self) -> dict[str, Any]:
        """How large written text is, in pixels of the picture that is sent and as shares of the page."""
        extents, view = self._task.text_extents, self._view.views["page"]
        if extents is None:
            return {}
        corner = self._task.page_corner
        height, width = (view.sent(axis, view.crop[3 - axis]) - view.sent(axis, corner[1 - axis]) for axis in (0, 1))
        letters = sum(map(len, extents.widths))
        return {
            "height": round(extents.height * height),
            "share_of_height": f"{extents.height:.4f}",
            "character": round(sum(extents.widths.values()) / letters * width, 1),
            "samples": [
                {"text": text, "width": round(share * width), "share": f"{share:.3f}"}
                for text, share in extents.widths.items()
            ],
        }

    def _readable(self, texts: Mapping[str, str]) -> dict[str, str]:
        """Texts with documents as lists of their elements."""
        source = texts.get("source", "")
        if not (self._task.env_id.startswith("DocEdit/") and source.startswith("{")):
            return dict(texts)
        others = {name: text for name, text in texts.items() if name != "source"}
        document, shown = read_text(source)
        return others | {"document": document_text(document, not self._search, shown=shown)}


def template_of(task: TaskInfo) -> str:
    """The name of the template for a task."""
    if "run_program" in task.tools.names:
        return "programs"
    if {"point", "box"} & set(task.tools.names):
        return "grounding"
    return {"FormFactory": "web_forms", "DocEdit": "documents"}.get(task.env_id.partition("/")[0], "paper_forms")


def _code_of(call: ToolCall) -> str:
    return str(call.arguments.get("code", "")) if isinstance(call.arguments, Mapping) else str(call.arguments)
