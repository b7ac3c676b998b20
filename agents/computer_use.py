"""ComputerUse: a model works with mouse and keyboard by the one tool ``computer``."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from .base import Action, TaskInfo
from .blocks import Block, ImageBlock, TextBlock
from .computer_tool import ACTIONS, GUI, SCHEMA, Point, steps_of
from .coordinate_space import View
from .model import Model, Reply, Schema, ToolCall
from .model_agent import ModelAgent
from .model_view import ModelView
from .replies import ParsedReply, parse_reply

DISPLAY = (1366, 768)
"""Width and height that providers declare for their native computer tools."""


class ComputerUse(ModelAgent):
    """Lets a model use the photo editor or a web form as it would use a computer.

    The model has the tool ``computer`` with the parameters of Inspect's, so that providers put their native tool in its
    place, and the environment's tools that are no mouse or keyboard, such as ``terminate``. Screenshots come back
    after every reply. Looking (screenshot, wait, zoom, the pointer's place) is answered without a step of the
    environment; so is an action that it has no tool for.

    Args:
        model: is asked.
        prompts: a folder of templates of your own, which replace ours of the same name; ``None``: ours.
        display: width and height of the screenshots: the window is shrunk to fit and lies in their left top corner;
            ``None``: screenshots are the window.
        history: how many screenshots are sent with a question.
        max_repairs: how often in a row the model may answer without a step; then the task ends.

    Raises:
        ValueError: if there is no model or a number is out of range; from ``reset``, if the environment has no mouse.
    """

    def __init__(
        self,
        model: Model | None,
        prompts: str | Path | None = None,
        display: tuple[int, int] | None = DISPLAY,
        history: int = 3,
        max_repairs: int = 5,
    ) -> None:
        super().__init__(model, prompts, history, max_repairs)
        if display is not None and (len(display) != 2 or min(display) < 1):
            raise ValueError(f"display is a width and a height in pixels, or null; it is {display}")
        self._display = None if display is None else (int(display[1]), int(display[0]))

    def reset(self, task: TaskInfo, seed: int) -> None:
        """Begin an episode.

        Args:
            task: what there is to know.
            seed: of the model's sampling.

        Raises:
            ValueError: if the environment has no tool that clicks.
        """
        if "click" not in task.tools.names:
            raise ValueError(f"{task.env_id} has no mouse and keyboard; use agent=vlm there")
        super().reset(task, seed)
        self._view: ModelView | None = None
        self._pointer: Point = (0.0, 0.0)
        self._answers: list[tuple[int, list[Block]]] = []

    def next_actions(self, observation: Mapping[str, Any]) -> list[Action]:
        """The actions of the next reply that needs a step."""
        if self._view is None:
            self._open(observation)
        else:
            self._report(self._screenshot(observation))
        for _ in range(self._max_repairs + 1):
            parsed, _ = self._conversation.ask(self._parsed, self._tools)
            actions = self._actions(parsed, observation)
            if actions:
                return actions
            if not parsed.calls:
                self._conversation.say("user", TextBlock("Go on, or call terminate if everything is done."))
            else:
                self._report(self._screenshot(observation))
        return [self._task.tools.from_call({"tool": "terminate"})]

    def _open(self, observation: Mapping[str, Any]) -> None:
        task, size = self._task, observation["page"].shape[:2]
        view = View.whole(size) if self._display is None else View.inside(size, self._display)
        self._view = ModelView(task.tools, {"page": view}, task.page_size, task.page_corner, unit="pixel")
        others = [schema for schema in self._view.tools.schemas if schema["name"] not in GUI]
        self._tools: list[Schema] = [SCHEMA, *others]
        height, width = view.sent_size
        names = [schema["name"] for schema in others]
        rules = self._prompts.render("computer", width=width, height=height, names=names, max_rounds=task.max_rounds)
        texts, shown = self._view.changes(observation)
        self._conversation.say("system", TextBlock(rules))
        self._conversation.say("user", TextBlock(self._prompts.render("opening", texts=texts)), *shown)

    def _screenshot(self, observation: Mapping[str, Any]) -> list[Block]:
        """The texts that are new, and the window."""
        assert self._view is not None
        texts, _ = self._view.changes(observation)
        return [*map(TextBlock, texts.values()), ImageBlock(self._view.views["page"].image(observation["page"]))]

    def _report(self, screenshot: list[Block]) -> None:
        """Answer the calls of the last reply, the last of them with a screenshot."""
        results, answers = list(self._results), []
        for count, blocks in self._answers:
            feedback = [TextBlock(result) for result in results[:count]]
            answers.append([*feedback, *blocks])
            del results[:count]
        answers[-1] += screenshot
        self._conversation.answer(*answers)

    def _parsed(self, reply: Reply) -> ParsedReply:
        """The calls in a reply; an action without the tool's name is one of ``computer``."""
        parsed = parse_reply(reply, self._tools)
        calls = [
            ToolCall(call.id, "computer", {**call.arguments, "action": call.name})
            if call.name in ACTIONS and isinstance(call.arguments, Mapping)
            else call
            for call in parsed.calls
        ]
        return ParsedReply(calls, parsed.problems)

    def _actions(self, parsed: ParsedReply, observation: Mapping[str, Any]) -> list[Action]:
        """The environment's actions for calls, and what is to be answered to each."""
        assert self._view is not None
        actions: list[Action] = []
        self._answers = []
        for call in parsed.calls:
            made, blocks = self._carried_out(call, observation)
            actions += made
            self._answers.append((len(made), blocks))
        return actions

    def _carried_out(self, call: ToolCall, observation: Mapping[str, Any]) -> tuple[list[Action], list[Block]]:
        """The environment's actions for one call, and what is answered without it."""
        assert self._view is not None
        if call.name != "computer":
            return [self._view.action(call.name, call.arguments)], []
        steps = steps_of(call.arguments, self._task.tools.names, self._pointer)
        self._pointer = steps.pointer
        blocks: list[Block] = [TextBlock(words) for words in steps.words]
        if steps.region is not None:
            blocks.append(self._enlarged(steps.region, observation))
        return [self._action(dict(one)) for one in steps.calls], blocks

    def _action(self, call: dict[str, Any]) -> Action:
        assert self._view is not None
        name = call.pop("tool")
        known = next(tool for tool in self._task.tools.tools if tool.name == name).arguments
        # Some windows scroll in one direction only.
        lost = [argument for argument in call if argument not in known and call[argument]]
        if lost:
            return self._view.refused({"tool": name, **call}, "The window does not scroll sideways.")
        return self._view.action(name, {argument: value for argument, value in call.items() if argument in known})

    def _enlarged(self, region: tuple[float, float, float, float], observation: Mapping[str, Any]) -> Block:
        """A part of the window as large as a screenshot."""
        assert self._view is not None
        page, whole = observation["page"], self._view.views["page"]
        height, width = page.shape[:2]
        across, down = whole.size[1] / width, whole.size[0] / height
        left, top = min(max(region[0] / across, 0), width - 8), min(max(region[1] / down, 0), height - 8)
        right, bottom = min(max(region[2] / across, left + 8), width), min(max(region[3] / down, top + 8), height)
        view = View.inside((bottom - top, right - left), whole.sent_size, (left, top), enlarge=True)
        return ImageBlock(view.image(page), "zoom")
