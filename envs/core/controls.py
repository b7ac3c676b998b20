"""Controls of a page, as an accessibility tree describes them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from .texts import truncate

_MAX_NAMED = 60
"""The most options of a control that are listed."""


@dataclass(frozen=True)
class PageControl:
    """A control of a page.

    Attributes:
        id: by which tools name it; it stays the same for as long as the episode lasts.
        role: as in ARIA: textbox, combobox, checkbox, button …
        name: its label.
        value: what it holds, as it is shown.
        options: what can be chosen.
        box: left, top, right and bottom in pixels of the window; it may be outside of it.
        is_required: whether it must be filled in.
        is_read_only: whether it cannot be changed.
    """

    id: int
    role: str
    name: str
    value: str = ""
    options: tuple[str, ...] = ()
    box: tuple[float, float, float, float] = (0, 0, 0, 0)
    is_required: bool = False
    is_read_only: bool = False

    def __str__(self) -> str:
        """The control in a line."""
        more = f"; and {len(self.options) - _MAX_NAMED} more" if len(self.options) > _MAX_NAMED else ""
        parts = [
            f'[{self.id}] {self.role} "{self.name}"',
            f"= {truncate(self.value, 400)!r}" if self.value else "",
            "(required)" if self.is_required else "",
            "(read-only)" if self.is_read_only else "",
            f"options: {'; '.join(self.options[:_MAX_NAMED])}{more}" if self.options else "",
        ]
        return " ".join(part for part in parts if part)


def listing(controls: Iterable[PageControl], height: int) -> str:
    """Controls, one a line, by whether they are in a window of so many pixels."""
    parts: dict[str, list[str]] = {"Above the window:": [], "In the window:": [], "Below the window:": []}
    for control in controls:
        _, top, _, bottom = control.box
        place = "Above the window:" if bottom <= 0 else "Below the window:" if top >= height else "In the window:"
        parts[place].append(str(control))
    return "\n".join(line for heading, lines in parts.items() if lines for line in (heading, *lines))
