"""Hands: how entries are written on a page, by the tools there are."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...envs.core.tools import Call, ToolSpace
from .claims import Claim
from .entries import Entry

_ZOOMS = 4
"""How many times the editor is zoomed out at most until the whole page is seen."""
_WINDOW = 1280, 800
_PER_LETTER = 3
"""About half the width of a letter in the editor's window, in pixels."""


@dataclass(frozen=True)
class Hands:
    """Writing with one set of tools.

    Attributes:
        by_mouse: whether text is written by clicks and keys, in the editor.
        names: whether fields can be named.
        points: whether they can be pointed at.
        most_looks: how many looks leave enough steps to write.
        tick_box: how wide a box is at most that takes ticks alone, in the units of the tools.
        opening: what comes before everything else.
    """

    by_mouse: bool
    names: bool
    points: bool
    most_looks: int
    tick_box: float
    opening: tuple[Call, ...] = ()

    def into(self, claims: Iterable[Claim]) -> list[Call]:
        """Calls that write entries into the fields that they claim."""
        if self.by_mouse:
            # From the right to the left: an open text box takes the clicks to the right of where its text begins.
            return list(_typed((self._click(claim), claim.entry) for claim in reversed(list(claims))))
        return [{"tool": f"{_tool(c.entry)}_at", "target": c.target, "text": c.entry.text} for c in claims]

    def blindly(self, entries: Sequence[Entry]) -> list[Call]:
        """Calls that write entries one below the other in the middle of the page."""
        heights = [(number + 0.5) / len(entries) for number in range(len(entries))]
        if self.by_mouse:
            width, height = _WINDOW
            clicks = [{"tool": "click", "x": width // 2, "y": int(y * height)} for y in heights]
            return list(_typed(zip(clicks, entries, strict=True)))
        return [
            {"tool": _tool(entry), "x": 0.5, "y": y, "text": entry.text}
            for y, entry in zip(heights, entries, strict=True)
        ]

    def _click(self, claim: Claim) -> Call:
        """Where the text begins, so that its middle is that of the field if it fits."""
        if claim.seen is None or not self.points:
            return {"tool": "click_at", "target": claim.target}
        left, top, right, bottom = claim.seen.box
        begin = max(left + 1, (left + right) / 2 - _PER_LETTER * len(claim.entry.text))
        return {"tool": "click", "x": int(begin), "y": int((top + bottom) / 2)}


def hands_for(tools: ToolSpace) -> Hands | None:
    """How to write with these tools; ``None`` if they are none for paper forms."""
    names = set(tools.names)
    if names & {"place_text", "place_text_at"}:
        return Hands(False, "place_text_at" in names, "place_text" in names, most_looks=300, tick_box=0.02)
    if "drag" in names and names & {"click", "click_at"}:
        zoomed_out: tuple[Call, ...] = ({"tool": "press_key", "key": "-"},) * _ZOOMS
        return Hands(True, "click_at" in names, "click" in names, most_looks=140, tick_box=12, opening=zoomed_out)
    return None


def _typed(clicks: Iterable[tuple[Call, Entry]]) -> Iterator[Call]:
    """A text box at each click and the text in it; the next click confirms it, and so does a change of the tool."""
    is_open, chosen = False, ""
    for click, entry in clicks:
        wanted = "s" if entry.signed else "t"
        if wanted != chosen:
            yield from [{"tool": "press_key", "key": "Enter"}] if is_open else []
            yield {"tool": "press_key", "key": wanted}
        yield click
        yield {"tool": "type_text", "text": entry.text}
        is_open, chosen = True, wanted


def _tool(entry: Entry) -> str:
    return "sign_or_initial" if entry.signed else "place_text"
