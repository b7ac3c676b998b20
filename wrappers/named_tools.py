"""Tools that name a field instead of pointing at it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ..envs.core.coordinates import points_at_page
from ..envs.core.spaces import UnicodeText
from ..envs.core.texts import truncate
from ..envs.core.tools import Argument, Tool, ToolSpace

Scored = tuple[tuple[float, float, float, float], float]
"""Left, top, right and bottom in the units of the tools, and a score."""

AT = "_at"
"""The suffix of tools that take a field's name."""
FIND = "find"
"""The tool that answers with places and changes nothing."""
TARGET = Argument(
    UnicodeText(300, min_length=1),
    'What the field is called on the page. Names above it may follow, parted by " | ", as in "Phone | Dealer".',
)
_ABOUT = {
    "place_text": "Write text into the field of this name. Tick a box by writing x or ✓ in it.",
    "delete_text": "Delete whatever you have written in the middle of the field of this name. What is printed stays.",
    "sign_or_initial": "Sign with a name, or write initials, by hand, in the field of this name.",
}


def find(boxes: Sequence[Scored], target: str) -> str:
    """Look where a field is, and do nothing: the likeliest boxes come back, in the units of x and y."""
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
    return ToolSpace([*named, *([Tool(FIND, find, {"target": TARGET})] if looks else [])])


def _sibling(tool: Tool) -> Tool:
    """The tool with a target in place of x and y."""
    rest = {name: argument for name, argument in tool.arguments.items() if name not in ("x", "y")}
    about = _ABOUT.get(tool.name, f"{tool.name} in the middle of the field of this name: {tool.description}")
    return replace(tool, name=f"{tool.name}{AT}", arguments={"target": TARGET, **rest}, about=about)


def _box_text(box: tuple[float, float, float, float]) -> str:
    left, top, right, bottom = (str(edge) if isinstance(edge, int) else f"{edge:.4f}" for edge in box)
    return f"x {left} to {right}, y {top} to {bottom}"
