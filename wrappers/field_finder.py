"""FieldFinder: agents name fields, and a locator finds their places."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import groupby
from typing import TYPE_CHECKING, Any, cast

import gymnasium as gym
from gymnasium.utils import RecordConstructorArgs

from ..envs.core.boxes import Box, centre
from ..envs.core.locators import Detection
from ..envs.core.spaces import Observation
from ..envs.core.texts import UnicodeText, truncate
from ..envs.core.tools import Argument, Call, Tool, ToolError, ToolSpace, coordinate, points_at_page
from ..envs.paper_forms.paged_form import PagedForm
from ..envs.paper_forms.state import PaperFormState
from .locators import make_locator
from .tool_wrapper import (
    ToolWrapper,
    Translated,
    called_tools,
    check_unpadded,
    joined,
    own_tool,
    place_at,
    takes_fractions,
)
from .written_places import deletion_point, writing_point

if TYPE_CHECKING:
    from ..envs.core.env import PaperworkEnv

AT = "_at"
"""The suffix of tools that take a field's name."""
FIND = "find"
"""The tool that answers with places and changes nothing."""
TARGET = Argument(
    UnicodeText(300, min_length=1),
    'The name of the field as it is printed. Headings above it may follow after " | ", as in "Phone | Dealer".',
)
_ABOUT_FIND = "Look where a field is, without changing anything: returns the likeliest boxes, in the units of x and y."
_ABOUT = {
    "place_text": "Write text into the field of this name. Tick a box by writing X or ✓ in it.",
    "delete_text": "Delete what you have written in the field of this name. What is printed stays.",
    "sign_or_initial": "Sign with a name or initials, by hand, in the field of this name.",
}


def found_words(boxes: Sequence[tuple[Box, float]], target: str) -> str:
    """The feedback on ``find``: boxes in the units of x and y, with their scores."""
    lines = (f"{number}. {_box_text(box)}, score {score:.2f}" for number, (box, score) in enumerate(boxes, start=1))
    return f"{truncate(target, 80)!r} may be at: {'; '.join(lines)}."


def named_tools(tools: ToolSpace, *, points: bool, looks: bool) -> ToolSpace:
    """Add to each tool that takes x and y a tool ``NAME_at`` that takes ``target``.

    Args:
        tools: the environment's.
        points: whether those that take x and y stay.
        looks: whether there is ``find`` as well.

    Raises:
        ValueError: if a tool has the name of a new one already.
    """
    named: list[Tool] = []
    for tool in tools.tools:
        is_pointed = points_at_page(tool)
        named += [tool] if points or not is_pointed else []
        named += [_sibling(tool)] if is_pointed else []
    return ToolSpace([*named, *([own_tool(FIND, _ABOUT_FIND, {"target": TARGET})] if looks else [])])


def _sibling(tool: Tool) -> Tool:
    """The tool with a target in place of x and y."""
    rest = {name: argument for name, argument in tool.arguments.items() if name not in ("x", "y")}
    about = _ABOUT.get(tool.name, f"{tool.name} in the middle of the field of this name: {tool.description}")
    return replace(tool, name=f"{tool.name}{AT}", arguments={"target": TARGET, **rest}, about=about)


def _box_text(box: Box) -> str:
    left, top, right, bottom = (str(edge) if isinstance(edge, int) else f"{edge:.4f}" for edge in box)
    return f"x {left} to {right}, y {top} to {bottom}"


class FieldFinder(ToolWrapper, RecordConstructorArgs):
    """Adds to every tool that takes x and y a sibling that takes a field's name.

    This is FormGym's FieldFinder.

    ``place_text_at(target, text)`` writes by ``place_text(x, y, text)`` from the left of the box that the locator ranks
    first (see ``written_places``), ``click_at(target)`` clicks in its middle, and so on. A field that is not found
    makes a call invalid. ``info["actions"]`` lists the actions as they were carried out, with x and y. The locator sees
    the environment's own page at the beginning of the step, without what wrappers such as ``Ruler`` draw on it or
    around it: put FieldFinder inside of ``ActionBatch`` where the actions of a round scroll or change the page, as web
    forms do.

    >>> env = FieldFinder(gym.make("FormGym/Scans-v0"), locator="oracle", show=1)
    >>> [name for name in env.action_space.names if name == "find" or name.endswith("_at")]
    ['place_text_at', 'delete_text_at', 'find']

    Args:
        env: the environment, ``ActionBatch`` or not; some of its tools take x and y, fractions of the page or pixels.
        locator: one of ``LOCATORS`` in ``wrappers.locators``, or the entry point ``"module:name"`` of one of your own,
            called with ``env`` and the options. The default is the shipped model; ``"oracle"`` and ``"noisy_oracle"``
            are given the places of all fields, and tables of results mark what was reached with them.
        options: what the locator takes besides, such as ``{"accuracy": 0.9}`` of ``"noisy_oracle"``.
        points: whether the tools that take x and y stay; without them an agent can only name.
        show: how many boxes, with their scores, the feedback of a named tool lists. From 1 on there is also the tool
            ``find(target)``, which lists them and does nothing else; it costs a step like any other.

    Raises:
        ValueError: if there is no such locator, no tool takes x and y, a wrapper inside has changed the tools, or
            ``show`` is negative.
    """

    def __init__(
        self,
        env: gym.Env[Observation, Any],
        locator: str = "fieldfinder",
        options: Mapping[str, Any] | None = None,
        points: bool = True,
        show: int = 0,
    ) -> None:
        options = dict(options or {})
        RecordConstructorArgs.__init__(self, locator=locator, options=options, points=points, show=show)
        if show < 0:
            raise ValueError(f"show must not be negative; it is {show}")
        inner = _tools_with_points(env)
        self._locator = make_locator(locator, env, options)
        super().__init__(env, inner, named_tools(inner, points=points, looks=show > 0))
        if called_tools(env) != inner:
            raise ValueError("a wrapper inside has changed the tools already: one FieldFinder is enough")
        self._points, self._show = points, show
        self._places: dict[str, list[Detection]] = {}

    def prepare(self, calls: Sequence[tuple[Tool, dict[str, Any]]]) -> None:
        """Locate all targets of a step together, on the page as it is at its beginning."""
        targets = list(dict.fromkeys(arguments["target"] for _, arguments in calls if "target" in arguments))
        if not targets:
            return
        page = self._base.page()
        if len(targets) == 1:
            found = [self._locator.locate(page, targets[0])]
        else:
            found = self._locator.locate_all(page, targets)
        most = max(self._show, 1)
        self._places = {target: list(places[:most]) for target, places in zip(targets, found, strict=True)}

    def translate(self, action: Any, tool: Tool, arguments: dict[str, Any]) -> Translated:
        """The call with x and y of the best place of its target; ``find`` is answered here."""
        if "target" not in arguments:
            return Translated(self._inner.from_call({"tool": tool.name, **arguments}))
        target = arguments.pop("target")
        places = self._places[target]
        if not places:
            missed = f"No field {truncate(target, 80)!r} was found on the page; name it as it is printed there."
            raise ToolError(missed)
        listed = found_words([(self._in_units(box), score) for box, score in places[: self._show]], target)
        if tool.name == FIND:
            return Translated(self.refused(action, listed), is_answered=True)
        x, y = self._point(tool.name, places[0].box, arguments.get("text"))
        call = self._inner.action(tool.name.removesuffix(AT), x=x, y=y, **arguments)
        return Translated(call, suffix=listed if self._show else "")

    def _point(self, tool: str, box: Box, text: str | None) -> tuple[float, float]:
        """Where a tool works in the box of a field: where its text belongs, or in the middle."""
        state, spaces = self._base.state, self._inner.spaces
        if not isinstance(state, PaperFormState | PagedForm):
            middle = centre(box)
            return self._in_units((*middle, *middle))[:2]
        height, width = self._base.paper_sizes["page"]
        factor = state.page.width / width
        left, top, right, bottom = (edge * factor for edge in box)
        whole = left, top, right, bottom
        if text is None:
            x, y = deletion_point(state.page, whole)
        else:
            x, y = writing_point(
                self._base.page()[:height, :width], state.page, whole, text, signed=tool.startswith("sign")
            )
        return coordinate(spaces["x"], x), coordinate(spaces["y"], y)

    def _in_units(self, box: Box) -> Box:
        """A box in pixels of the page in the units of x and y, within bounds."""
        height, width = self._base.paper_sizes["page"]
        x, y = self._inner.spaces["x"], self._inner.spaces["y"]
        return (
            coordinate(x, box[0] / width),
            coordinate(y, box[1] / height),
            coordinate(x, box[2] / width),
            coordinate(y, box[3] / height),
        )

    def solution(self) -> list[Call]:
        """The environment's solution with fields named, each written in a single call.

        It points where a name would not do: where several fields have one name, and where the page moves or is turned
        as it is filled in.

        Raises:
            ValueError: if it has to point and no tool does.
        """
        calls: list[Call] = self.env.get_wrapper_attr("solution")()
        if takes_fractions(self.env) and not any(call["tool"] == "turn_page" for call in calls):
            named = ((self._field_at(call), call) for call in calls)
            calls = [_merged(field, [call for _, call in group]) for (field, _), group in groupby(named, _group_key)]
        pointed = next((call["tool"] for call in calls if "x" in call), None)
        if pointed is not None and not self._points:
            raise ValueError(
                f"the solution cannot be written with names alone: it needs {pointed}(x, y); use points=True"
            )
        return calls

    def _field_at(self, call: Call) -> str | None:
        """The unique name of the field that one of the environment's calls points at."""
        if "x" not in call:
            return None
        state = self._base.state
        nearest = place_at(state, call["x"], call["y"])
        alike = sum(place.label == nearest.label for place in state.places)
        return nearest.label if alike == 1 or not self._points else None


def _tools_with_points(env: gym.Env[Observation, Any]) -> ToolSpace:
    """The tools of an environment of which at least one points at the page.

    Raises:
        ValueError: if none does, or a wrapper has padded the page.
    """
    check_unpadded(env)
    space = cast("PaperworkEnv", env.unwrapped).action_space
    if not any(points_at_page(tool) for tool in space.tools):
        raise ValueError(f"none of the tools {', '.join(space.names)} points at the page by x and y")
    return space


def _group_key(named: tuple[str | None, Call]) -> tuple[Any, ...]:
    """The key by which consecutive calls are merged; calls at points have none."""
    field, call = named
    return (field, call["tool"]) if field is not None else (None, id(call))


def _merged(field: str | None, calls: Sequence[Call]) -> Call:
    """Calls of one tool in one field as a single one."""
    call = calls[0]
    if field is None:
        return dict(call)
    written = {"text": joined([c["text"] for c in calls])} if "text" in call else {}
    return {"tool": f"{call['tool']}{AT}", "target": field, **written}
