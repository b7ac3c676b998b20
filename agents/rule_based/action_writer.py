"""ActionWriter: calls that write entries on a page with the given tools."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from ...envs.core.locators import Detection
from ...envs.core.tools import Call, ToolSpace
from .entries import FormEntry
from .field_assignment import FieldAssignment

_ZOOMS = 4
"""The most times that the editor is zoomed out until the whole page is visible."""
_WINDOW = 1280, 800
_CANVAS = 84, 774
"""The top and bottom of the page in the editor's window; other words are above and below."""
_STEPS = 300
"""The number of steps of an episode in the editor."""
_OTHER_STEPS = 10
"""The steps to change tools, to scroll and to submit while writing."""


class WriterView(NamedTuple):
    """How a page is displayed.

    Attributes:
        max_finds: how many calls of ``find`` leave enough steps to write.
        tick_box: the largest width of a box that takes only ticks, in the units of the tools.
        opening: the calls that set it up.
        half_letter: about half the width of a typed letter, in the units of the tools.
    """

    max_finds: int
    tick_box: float
    opening: tuple[Call, ...] = ()
    half_letter: float = 0.0


@dataclass(frozen=True)
class ActionWriter:
    """Writes entries with one set of tools.

    Attributes:
        by_mouse: whether text is written by clicks and keys, in the editor.
        names: whether fields can be named.
        points: whether they can be pointed at.
        whole: the view of the whole page.
        closer: the view for print that is too small to be read in the whole page: the page is enlarged, and its parts
            are visited from the top down, ending at the topmost again.
    """

    by_mouse: bool
    names: bool
    points: bool
    whole: WriterView
    closer: WriterView | None = None

    def fill(self, assignments: Iterable[FieldAssignment], view: WriterView) -> list[Call]:
        """Calls that write entries into their assigned fields, all of which are in view."""
        if self.by_mouse:
            # From the right to the left: an open text box takes the clicks to the right of where its text begins.
            clicks = [(self._click(assignment, view), assignment.entry) for assignment in assignments]
            return list(_typed(reversed(clicks)))
        return [{"tool": f"{_tool(c.entry)}_at", "target": c.target, "text": c.entry.text} for c in assignments]

    def max_assignments(self, taken: int) -> int | None:
        """How many entries the remaining steps are enough for; ``None``: all."""
        return max(_STEPS - _OTHER_STEPS - taken, 0) // 2 if self.by_mouse else None

    def on_page(self, place: Detection) -> bool:
        """True if a detection is on the page rather than in the window around it."""
        return not self.by_mouse or _CANVAS[0] <= (place.box[1] + place.box[3]) / 2 < _CANVAS[1]

    def fill_evenly(self, entries: Sequence[FormEntry]) -> list[Call]:
        """Calls that write entries one below the other in the middle of the page."""
        heights = [(number + 0.5) / len(entries) for number in range(len(entries))]
        if self.by_mouse:
            width, height = _WINDOW
            clicks = [{"tool": "click", "x": width // 2, "y": int(y * height)} for y in heights]
            return list(_typed(zip(clicks, entries, strict=True)))
        places = zip(heights, entries, strict=True)
        return [{"tool": _tool(entry), "x": 0.5, "y": y, "text": entry.text} for y, entry in places]

    def scroll(self, by: int, *, is_open: bool = False) -> list[Call]:
        """Calls that scroll down, or up if negative; an open text box is confirmed first."""
        confirm: list[Call] = [{"tool": "press_key", "key": "Enter"}] if is_open else []
        return [*confirm, {"tool": "scroll", "dx": 0, "dy": by}]

    def _click(self, assignment: FieldAssignment, view: WriterView) -> Call:
        """The click where a text begins, so that it is centred in the field if it fits."""
        if assignment.detection is None or not self.points:
            return {"tool": "click_at", "target": assignment.target}
        left, top, right, bottom = assignment.detection.box
        begin = max(left + 1, (left + right) / 2 - view.half_letter * len(assignment.entry.text))
        return {"tool": "click", "x": int(begin), "y": int((top + bottom) / 2) - assignment.top}


def action_writer_for(tools: ToolSpace) -> ActionWriter | None:
    """The writer for these tools; ``None`` if they are not for paper forms."""
    names = set(tools.names)
    if names & {"place_text", "place_text_at"}:
        return ActionWriter(
            False, "place_text_at" in names, "place_text" in names, WriterView(max_finds=300, tick_box=0.02)
        )
    if "drag" in names and names & {"click", "click_at"}:
        whole = WriterView(140, tick_box=12, opening=_keys("-" * _ZOOMS), half_letter=2)
        parts = _keys(("+", "+", "Home", "PageDown", "PageDown", "Home"))
        closer = WriterView(160, tick_box=20, opening=parts, half_letter=3.6)
        return ActionWriter(True, "click_at" in names, "click" in names, whole, closer)
    return None


def _keys(keys: Iterable[str]) -> tuple[Call, ...]:
    return tuple({"tool": "press_key", "key": key} for key in keys)


def _typed(clicks: Iterable[tuple[Call, FormEntry]]) -> Iterator[Call]:
    """The calls that open a text box at each click and type its text.

    The next click or a change of the tool confirms a text box.
    """
    is_open, chosen = False, ""
    for click, entry in clicks:
        tool = "s" if entry.signed else "t"
        if tool != chosen:
            yield from [{"tool": "press_key", "key": "Enter"}] if is_open else []
            yield {"tool": "press_key", "key": tool}
        yield click
        yield {"tool": "type_text", "text": entry.text}
        is_open, chosen = True, tool


def _tool(entry: FormEntry) -> str:
    return "sign_or_initial" if entry.signed else "place_text"
