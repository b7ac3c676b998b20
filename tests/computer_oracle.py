"""An oracle that speaks the actions of the tool ``computer`` alone: whole pixels, and clicks of the wheel."""

from collections import deque

from formgym.agents.computer_use import SCROLL_STEP
from formgym.agents.coordinate_space import PictureView
from formgym.agents.model_view import ModelView

_NAMES = {"click": "left_click", "double_click": "double_click", "press_key": "key", "type_text": "type"}


class ComputerOracle:
    """A script for ``Scripted``: the solution up to the next scroll, which is solved again from where the wheel stops.

    Args:
        env: the environment with its flow.
        display: width and height of the screenshots; None: those of the window.
        corner: of the page in the window, x and y.
        at_once: how many actions a reply has at most; 1: as most models do.
        as_list: whether they are one call with a list of actions.
    """

    def __init__(self, env, display, corner=(0, 0), at_once=12, as_list=False):
        self.env, self.at_once, self.as_list = env, at_once, as_list
        shape = env.observation_space["page"].shape[:2]
        view = PictureView.whole(shape) if display is None else PictureView.inside(shape, display[::-1])
        size = env.get_wrapper_attr("page_size")
        self.view = ModelView(env.action_space.feature_space, {"page": view}, size, corner, unit="pixel")
        self.planned = deque()
        self.asked = []

    def __call__(self, messages, tools, seed):
        self.asked.append((messages, tools))
        if not self.planned:
            calls = self.env.get_wrapper_attr("solution")()
            end = next((i for i, call in enumerate(calls) if call["tool"] == "scroll"), len(calls) - 1) + 1
            self.planned.extend(calls[:end])
        calls = [self.planned.popleft() for _ in range(min(self.at_once, len(self.planned)))]
        made = [self._made(self.view.to_model(call)) for call in calls]
        if self.as_list and all(one["name"] == "computer" for one in made):
            return {"tool_calls": [{"name": "computer", "arguments": {"actions": [one["arguments"] for one in made]}}]}
        return {"tool_calls": made}

    def _made(self, call):
        name = call.pop("tool")
        if name == "terminate":
            return {"name": name, "arguments": {}}
        if name == "scroll":
            return {"name": "computer", "arguments": _scroll(**call)}
        if name == "drag":
            ends = {"start_coordinate": ("x0", "y0"), "coordinate": ("x1", "y1")}
            places = {key: [round(call[axis]) for axis in axes] for key, axes in ends.items()}
            return {"name": "computer", "arguments": {"action": "left_click_drag", **places}}
        place = {"coordinate": [round(call["x"]), round(call["y"])]} if "x" in call else {}
        arguments = place or {"text": next(iter(call.values()))}
        return {"name": "computer", "arguments": {"action": _NAMES[name], **arguments}}


def _scroll(dx=0, dy=0):
    direction = ("down" if dy > 0 else "up") if abs(dy) >= abs(dx) else ("right" if dx > 0 else "left")
    amount = max(1, round(max(abs(dx), abs(dy)) / SCROLL_STEP))
    return {"action": "scroll", "scroll_direction": direction, "scroll_amount": amount}
