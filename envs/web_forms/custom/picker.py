"""Picker: the open list of a select, drawn over the page, as Chromium draws its own in another window."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from html import escape
from typing import Any

from ...core.boxes import Rect
from ...core.painting import Image
from ..chromium import Tab

_MAX_ROWS = 20
_PADDING = 4
_INDENT = 16


@dataclass
class Picker:
    """A list of rows that can be chosen from.

    Attributes:
        rows: each with its ``text`` and whether it is a ``heading``, ``indented`` or ``disabled``.
        rect: in pixels of the window.
        row: the height of a row.
        font: as in CSS.
        chosen: the highlighted rows.
        top: the first row that is seen.
    """

    rows: list[dict[str, Any]]
    rect: Rect
    row: int
    font: str
    chosen: set[int]
    top: int = 0

    @classmethod
    def at(cls, box: tuple[float, ...], window: tuple[int, int], font: str, **options: Any) -> Picker:
        """The list of a control below it, or above where there is more room; ``window`` is its width and height."""
        size = float((re.search(r"([\d.]+)px", font) or ["", "16"])[1])
        row = max(18, round(size * 1.25) + 4)
        left, top, right, bottom = map(round, box)
        rows = len(options["rows"])
        room = max(window[1] - bottom, top) - 2
        height = max(1, min(rows, _MAX_ROWS, room // row)) * row + 2
        y = bottom if window[1] - bottom >= height or window[1] - bottom >= top else top - height
        width = min(max(right - left, 80), window[0])
        x = max(0, min(left, window[0] - width))
        made = cls(rect=(x, y, x + width, y + height), row=row, font=font, **options)
        made.scroll_to(min(made.chosen, default=0) - made.visible // 2)
        return made

    @property
    def visible(self) -> int:
        """How many rows are seen at once."""
        return (self.rect[3] - self.rect[1]) // self.row

    def scroll_to(self, top: int) -> int:
        """Make a row the first that is seen; by how many rows the list has moved."""
        before, self.top = self.top, max(0, min(top, len(self.rows) - self.visible))
        return self.top - before

    def holds(self, x: int, y: int) -> bool:
        """Whether a place in the window is in the list."""
        left, top, right, bottom = self.rect
        return left <= x < right and top <= y < bottom

    def row_at(self, y: int) -> int | None:
        """The row at a height in the window, if it can be chosen."""
        index = self.top + (y - self.rect[1] - 1) // self.row
        usable = 0 <= index < len(self.rows) and not (self.rows[index]["heading"] or self.rows[index]["disabled"])
        return index if usable else None

    def centre(self, index: int) -> tuple[int, int]:
        """Where to click for a row that is seen."""
        left, top, right, _ = self.rect
        return (left + right) // 2, top + 1 + (index - self.top) * self.row + self.row // 2

    def draw(self, tab: Tab, page: Image) -> Image:
        """A copy of a page with the list on it, which ``tab`` draws."""
        left, top, right, bottom = self.rect
        tab.evaluate(f"(document.body.innerHTML = {json.dumps(self._html())}, 0)")
        page = page.copy()
        bottom, right = min(bottom, page.shape[0]), min(right, page.shape[1])
        page[top:bottom, left:right] = tab.screenshot()[: bottom - top, : right - left]
        return page

    def _html(self) -> str:
        left, top, right, bottom = self.rect
        rows = "".join(self._row_html(index) for index in range(self.top, min(self.top + self.visible, len(self.rows))))
        style = f"position:fixed;inset:0 auto auto 0;width:{right - left}px;height:{bottom - top}px;overflow:hidden;"
        style += "box-sizing:border-box;border:1px solid #767676;background:#fff;color:#000;"
        return f'<div style="{escape(style + f"font:{self.font}")}">{rows}</div>'

    def _row_html(self, index: int) -> str:
        row = self.rows[index]
        colours = "background:#1967d2;color:#fff;" if index in self.chosen else ""
        colours += "font-weight:bold;" if row["heading"] else "color:#6d6d6d;" if row["disabled"] else ""
        indent = _PADDING + _INDENT * row["indented"]
        style = f"height:{self.row}px;line-height:{self.row}px;padding:0 {_PADDING}px 0 {indent}px;white-space:pre;"
        return f'<div style="{style}overflow:hidden;text-overflow:ellipsis;{colours}">{escape(row["text"])}</div>'
