"""ControlList: web forms as text, and tools that name a control."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import gymnasium as gym
import numpy as np
from gymnasium import spaces
from gymnasium.utils import RecordConstructorArgs
from PIL import Image as PillowImage
from PIL import ImageDraw

from ..envs.core.env import PageControl, listing
from ..envs.core.painting import Image
from ..envs.core.spaces import Observation, Step, extended
from ..envs.core.text_sprites import TYPED_FACE, font
from ..envs.core.texts import UnicodeText, truncate
from ..envs.core.tools import Argument, Call, Tool, ToolError, ToolSpace
from .tool_wrapper import ToolWrapper, carry_out, check_page, check_unpadded, own_tool, shrink_factor, single_tools

MAX_LISTING = 40_000
_MAX_CONTROLS = 2_000
_MAX_TEXT = 4_000
_MARK, _MARK_TEXT = (200, 30, 60), (255, 255, 255)


class ControlList(ToolWrapper, RecordConstructorArgs):
    """Shows the controls of a web form as text, and adds tools that take their ids.

    ``observation["controls"]`` lists every control of the current page with its id, role, name, value and options, from
    the state of the page alone; the right answers are not in it. ``click_control(id)``, ``fill(id, text)`` and
    ``select_option(id, text)`` scroll to a control and use it by real clicks and keys, so that frames are those of the
    same clicks and keys made one by one, which ``info["actions"]`` lists. Each of these is a step of the environment,
    and counts for its limit of steps; an invalid call counts as one.

    >>> env = ControlList(gym.make("FormFactory/SurgeryConsent-v0"))
    >>> observation, _ = env.reset(seed=0)
    >>> observation["controls"].splitlines()[0]
    'In the window:'

    Args:
        env: an environment of FormFactory; it takes one call a step.
        marks: whether the controls in the window have their ids drawn at their left top corners.

    Raises:
        ValueError: if the environment has no controls or takes lists of calls, or a wrapper inside has padded the page.
    """

    def __init__(self, env: gym.Env[Observation, Any], marks: bool = False) -> None:
        RecordConstructorArgs.__init__(self, marks=marks)
        if not getattr(env.unwrapped, "has_controls", False):
            raise ValueError("only web forms have controls; leave control_list out")
        check_unpadded(env)
        check_page(env)
        inner = single_tools(env)
        super().__init__(env, inner, ToolSpace([*inner.tools, *_TOOLS]))
        self.observation_space = extended(env, controls=UnicodeText(MAX_LISTING))
        self._factor = shrink_factor(env)
        self._marks = marks

    def step(self, action: Any) -> Step:
        """Take the steps that an action needs; ``info["actions"]`` lists them."""
        named = None
        try:
            tool, arguments = self._outer.parse(action)
            inner = [self._inner.from_call(call) for call in self._calls(tool, arguments)]
            named = arguments.get("id")
        except ToolError as error:
            inner = [self.refused(action, str(error))]
        observation, reward, terminated, truncated, info = carry_out(self.env, inner)
        if named is not None and info["valid"] and not terminated:
            info = info | {"feedback": f"{info['feedback']} Now: {self._line(named)}"}
        return self.observation(observation), reward, terminated, truncated, info

    def observation(self, observation: Observation) -> Observation:
        """The observation with the list of controls, and their marks."""
        controls = self._controls()
        height = self._base.page_size[0]
        new: Observation = {"controls": truncate(listing(controls, height), MAX_LISTING)}
        if self._marks:
            new["page"] = marked(observation["page"], controls, self._factor)
        return observation | new

    def _calls(self, tool: Tool, arguments: dict[str, Any]) -> list[Call]:
        """The environment's calls for a valid call.

        Raises:
            ToolError: if the control that it names cannot be used so.
        """
        if "id" not in arguments:
            return [{"tool": tool.name, **arguments}]
        return self._base.state.control_calls(tool.name, **arguments)  # type: ignore[attr-defined, no-any-return]

    def _controls(self) -> list[PageControl]:
        return self._base.state.controls()  # type: ignore[attr-defined, no-any-return]

    def _line(self, id: int) -> str:
        """A control in a line, as it is now."""
        return next((str(control) for control in self._controls() if control.id == id), "it is not on the page.")


def marked(page: Image, controls: Iterable[PageControl], factor: int = 1) -> Image:
    """A page, shrunk by a factor, with the ids of controls at their left top corners."""
    picture = PillowImage.fromarray(page)
    draw = ImageDraw.Draw(picture)
    face = font(TYPED_FACE, 12)
    for control in controls:
        left, top, right, bottom = (round(edge / factor) for edge in control.box)
        if 0 <= top < page.shape[0]:
            draw.rectangle((left, top, right - 1, bottom - 1), outline=_MARK)
            text = str(control.id)
            draw.rectangle((left, top, left + round(face.getlength(text)) + 4, top + 13), fill=_MARK)
            draw.text((left + 2, top), text, fill=_MARK_TEXT, font=face)
    return np.asarray(picture)


_ID = Argument(spaces.Discrete(_MAX_CONTROLS), "The number of the control in the list of controls.")
_TEXT = Argument(UnicodeText(_MAX_TEXT), "What to type, or the option as it is listed.")
_TOOLS = (
    own_tool(
        "click_control",
        "Click a control, scrolled into view: tick a box, press a button, open a list.",
        {"id": _ID},
    ),
    own_tool("fill", "Replace the text of a control; an empty text clears it.", {"id": _ID, "text": _TEXT}),
    own_tool(
        "select_option",
        "Select an option of a list; in a listbox, drop one that was selected.",
        {"id": _ID, "text": _TEXT},
    ),
)
