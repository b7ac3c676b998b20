"""The pane of a database: the query and its button, and the rows of its result as a sheet."""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from itertools import accumulate, cycle, islice, pairwise

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw

from ...core.boxes import Rect
from ...core.painting import Layer, Patch, SolidRect
from .chrome import ACCENT, BAR_EDGE, BAR_PAPER, PALE_ACCENT, icon
from .layout import CANVAS, MARGIN, QUERY_BOX, QUERY_PANE, RUN_BUTTON, SCROLLBAR
from .text_box import nearest_boundary
from .text_lines import Style, line_width, text_patch, wrapped

_WHITE, _INK = (255, 255, 255), (43, 51, 64)
_HEAD = Style((235, 239, 245), _INK, weight=700)
_ROWS = (Style(_WHITE, _INK), Style((248, 249, 251), _INK))
_MESSAGE, _ERROR = Style(_WHITE, (100, 110, 124)), Style(_WHITE, (190, 38, 38))
_LINE = (222, 227, 234)
_PADDING = 8
_SHEET = CANVAS[2] - SCROLLBAR - 2 * MARGIN, CANVAS[3] - QUERY_PANE[3] - SCROLLBAR - 2 * MARGIN
"""The least width and height of the sheet in pixels: it fills the pane."""
_MIN_COLUMN = 320
"""The narrowest that long values are wrapped to, in pixels."""


class ResultTable:
    """A table of text, wrapped in its columns; it fills the pane at least.

    Args:
        rows: of cells, the first with the names of the columns; a row of one cell may be a remark.
        styles: of the rows: the first has the first, the others have the next ones in turns.

    Attributes:
        rows: as they were given.
        width: in pixels.
        height: in pixels.
    """

    def __init__(self, rows: Sequence[Sequence[str]], styles: Sequence[Style] = (_HEAD, *_ROWS)) -> None:
        self.rows = rows
        n = max(map(len, rows))
        room = max(_SHEET[0] // n, _MIN_COLUMN) - 2 * _PADDING
        self._styles = [styles[0], *islice(cycle(styles[1:]), len(rows) - 1)]
        self._cells = [[wrapped(cell, s, room) for cell in row] for row, s in zip(rows, self._styles, strict=True)]
        styled = list(zip(self._cells, self._styles, strict=True))
        widths = [[max(line_width(line, s) for line in cell) for cell in row] for row, s in styled]
        whole = zip(*(row for row in widths if len(row) == n), strict=True)
        self._lefts = [0, *accumulate(max(column) + 2 * _PADDING for column in whole)]
        heights = [max(map(len, row)) * s.height + _PADDING for row, s in styled]
        self._tops = [0, *accumulate(heights)]
        self.width = max(self._lefts[-1], *(row[0] + 2 * _PADDING for row in widths), _SHEET[0])
        self.height = max(self._tops[-1], _SHEET[1])

    def layers(self, x: int, y: int, clip: Rect) -> list[Layer]:
        """What is inside ``clip`` of the table with its top left corner at a pixel of the window."""
        right, bottom = x + self._lefts[-1], y + self._tops[-1]
        line = _LINE if len(self._cells) > 1 else _WHITE
        layers: list[Layer] = [SolidRect((x, y, x + self.width, y + self.height), _WHITE)]
        rows = list(zip(self._styles, pairwise(self._tops), self._cells, strict=True))
        rows = [row for row in rows if y + row[1][0] < clip[3] and clip[1] < y + row[1][1]]
        for style, (top, end), _ in rows:
            layers += [SolidRect((x, y + top, right, y + end), style.paper)]
            layers += [SolidRect((x, y + end - 1, right, y + end), line)]
        layers += [SolidRect((x + left - 1, y, x + left, bottom), line) for left in self._lefts[1:]]
        for style, (top, _), row in rows:
            for (left, end), cell in zip(pairwise(self._lefts), row, strict=False):
                if x + left < clip[2] and (clip[0] < x + end or len(row) == 1):
                    at = x + left + _PADDING, y + top + _PADDING // 2
                    layers += [text_patch(text, style, at[0], at[1] + i * style.height) for i, text in enumerate(cell)]
        return layers


def message(text: str, is_error: bool = False) -> ResultTable:
    """A sentence in the place of rows."""
    return ResultTable([[text]], [_ERROR if is_error else _MESSAGE])


@lru_cache(maxsize=1)
def no_result() -> ResultTable:
    """What is shown before the first query."""
    return message("Type one SELECT statement above and press Enter, or click Run.")


# -- The query ---------------------------------------------------------------------------------------------------------

_TYPED, _CHOSEN = Style(_WHITE, _INK, size=14), Style(PALE_ACCENT, _INK, size=14)
_RUN = Style(ACCENT, _WHITE, 24, 14)
_TEXT: Rect = (QUERY_BOX[0] + 8, QUERY_BOX[1] + 6, QUERY_BOX[2] - 8, QUERY_BOX[3] - 6)
_VISIBLE = (_TEXT[3] - _TEXT[1]) // _TYPED.height


def _visible_lines(text: str, caret: int) -> tuple[list[str], int, int]:
    """The visible lines of a query, how many characters are above them, and which of them has the caret."""
    lines = wrapped(text, _TYPED, _TEXT[2] - _TEXT[0])
    ends = np.cumsum([len(line) for line in lines])
    row = min(int(np.searchsorted(ends, caret, "right")), len(lines) - 1)
    first = max(row - _VISIBLE + 1, 0)
    return lines[first : first + _VISIBLE], int(ends[first] - len(lines[first])), row - first


def query_index(text: str, caret: int, x: int, y: int) -> int:
    """The position in a query of the character boundary nearest to a pixel of its box."""
    lines, above, _ = _visible_lines(text, caret)
    row = min(max((y - _TEXT[1]) // _TYPED.height, 0), len(lines) - 1)
    before = nearest_boundary(lines[row], x - _TEXT[0], lambda part: line_width(part, _TYPED))
    return above + sum(map(len, lines[:row])) + before


@lru_cache(maxsize=16)
def query_patch(text: str, caret: int, all_selected: bool) -> Patch:
    """The picture of the pane with a query, its caret and the button Run."""
    left, top, right, bottom = QUERY_PANE
    picture = PillowImage.new("RGB", (right - left, bottom - top), BAR_PAPER)
    draw = ImageDraw.Draw(picture)
    draw.line((0, bottom - top - 1, right, bottom - top - 1), fill=BAR_EDGE)
    for rect, paper in ((QUERY_BOX, _WHITE), (RUN_BUTTON, ACCENT)):
        draw.rounded_rectangle((rect[0], rect[1] - top, rect[2] - 1, rect[3] - top - 1), 5, paper, ACCENT)
    picture.paste(_WHITE, (RUN_BUTTON[0] + 24, RUN_BUTTON[1] - top + 9), icon("run", 18))
    pixels = np.array(picture)
    lines, above, row = _visible_lines(text, caret)
    before = lines[row][: caret - above - sum(map(len, lines[:row]))]
    x, tops = _TEXT[0] + line_width(before, _TYPED), [_TEXT[1] + i * _TYPED.height for i in range(len(lines))]
    style = _CHOSEN if all_selected else _TYPED
    layers: list[Layer] = [
        text_patch("Run", _RUN, RUN_BUTTON[0] + 50, RUN_BUTTON[1] + 6),
        *(text_patch(line, style, _TEXT[0], y) for line, y in zip(lines, tops, strict=True)),
        SolidRect((x - 1, tops[row] + 1, x + 1, tops[row] + _TYPED.height - 1), ACCENT),
    ]
    for layer in layers:
        layer.draw(pixels, QUERY_PANE)
    return Patch(pixels, left, top)
