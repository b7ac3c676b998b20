"""The labels of a PDF's fields: tooltips, or print beside them, and what tells fields of one label apart."""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence

from ....envs.core.boxes import Box
from ....envs.core.texts import one_line, truncate
from ..field_names import set_apart
from .labels import Printed, Side, column_of, context_of, is_alone, label_of, nearest, paragraphs_of
from .widgets import Widget

_MAX_LABEL, _MAX_OPTION, _MAX_CONTEXT = 100, 39, 50
_WORD = r"[^\W\d_]{3}"
"""Letters without which a text says little."""
_NAME = r"[^\W\d_]{5}"
"""Letters without which the name of a field says little."""
_ROW = rf"(?=.*{_WORD})(?![a-zà-ÿ]{{2}}).*[^,;]"
"""A text that may begin a row: not the middle of a sentence."""
_HEADING = rf"(?=.*{_WORD})(?!.*[a-z]\. ).{{1,70}}(?<![.,;])"
"""A text that may be a heading: no sentence."""


def is_group(widgets: Sequence[Widget]) -> bool:
    """Whether the boxes of a field are several options, not one that is shown several times."""
    return len({widget.state for widget in widgets}) > 1


class Labels:
    """The labels of all fields of a form.

    Args:
        by_name: the boxes of each field, by its full name.
        lines: what is printed on each page, by lines.
        words: the name of each field in words, for those without any label.
    """

    def __init__(
        self, by_name: Mapping[str, Sequence[Widget]], lines: Sequence[Sequence[Printed]], words: Mapping[str, str]
    ) -> None:
        self._by_name, self._lines, self._words = by_name, lines, words
        self._boxes: dict[int, list[Box]] = defaultdict(list)
        for widget in (widget for widgets in by_name.values() for widget in widgets):
            self._boxes[widget.page].append(widget.box)
        self._printed = [paragraphs_of(of_page, self._boxes[page]) for page, of_page in enumerate(lines)]
        self._headings = [
            [one for one in texts if re.fullmatch(_HEADING, one.text) and is_alone(one, texts, self._boxes[page])]
            for page, texts in enumerate(self._printed)
        ]
        self._tooltips = Counter(widgets[0].tooltip for widgets in by_name.values())
        self._near = self._heads({widget: self._beside(widget) for widgets in by_name.values() for widget in widgets})
        self._own = {name: self._label(widgets) for name, widgets in by_name.items()}
        self._shared = Counter(self._own.values())
        taken = set[str]()
        self._full = {
            name: set_apart(self._in_context(name, widgets[0]), taken, "{} ({})") for name, widgets in by_name.items()
        }

    def of(self, widget: Widget) -> str:
        """The label of a box of a field."""
        label = self._full[widget.name]
        if not is_group(self._by_name[widget.name]):
            return label
        option = widget.option_tooltip or self._near[widget] or widget.option
        return f"{label}: {truncate(one_line(option).replace(': ', ' '), _MAX_OPTION)}"

    def _label(self, widgets: Sequence[Widget]) -> str:
        """The tooltip of a field, if it is its own; or what is printed beside it; or its name in words."""
        first = widgets[0]
        if (tip := first.tooltip) and self._tooltips[tip] == 1 and re.search(r"\w", tip) and tip != "undefined":
            found = tip
        elif is_group(widgets):
            options = {self._near[widget] for widget in widgets}
            others = [one for one in self._printed[first.page] if one.text not in options]
            found = label_of(first.box, others, self._boxes[first.page])
        else:
            found = self._near[first]
            if not found and not re.search(_NAME, self._words[first.name]):
                found = self._around(first, self._options)[0]
        return truncate(one_line(found).rstrip(" :*."), _MAX_LABEL) or truncate(self._words[first.name], _MAX_LABEL)

    def _heads(self, found: Mapping[Widget, Printed | None]) -> dict[Widget, str]:
        """The texts beside the boxes, but the heads of the columns for those that the heads of rows are beside."""
        near: dict[Widget, str] = {}
        at_right = [one for widget, one in found.items() if widget.ticked and one and one.box[0] >= widget.box[2]]
        self._options = {one.text for one in at_right}
        for widget, one in found.items():
            level = {other.box: label.box for other, label in found.items() if label and other.page == widget.page}
            head = one and column_of(widget.box, one.box, self._printed[widget.page], level)
            near[widget] = (head or one or Printed("", widget.box)).text
        return near

    def _beside(self, widget: Widget) -> Printed | None:
        """What is printed beside a box; at the left of the boxes of a group if the last has nothing at its right."""
        page, siblings = widget.page, [one for one in self._by_name[widget.name] if one.page == widget.page]
        side: Side = "right" if widget.ticked else "before"
        if widget.ticked and is_group(siblings):
            at_left = [label_of(one.box, self._printed[page], self._boxes[page], "left") for one in siblings]
            at_right = [label_of(one.box, self._printed[page], self._boxes[page], "right") for one in siblings]
            side = "left" if all(at_left) and len(set(at_right)) < len(siblings) <= len(set(at_left)) else "right"
        return nearest(widget.box, self._printed[page], self._boxes[page], side)

    def _in_context(self, name: str, widget: Widget) -> str:
        """A label with the beginning of its row or the heading above, if others have it too or it has no word."""
        label = self._own[name]
        if self._shared[label] == 1 and re.search(_WORD, label):
            return label
        row, heading = self._around(widget, {label, *self._options})
        if row and not re.search(_WORD, label):
            number, _, rest = one_line(row).rstrip(" :").partition(" ")
            return truncate(f"{label} {rest if label.endswith(number) else f'{number} {rest}'}", _MAX_LABEL)
        context = truncate(one_line(row or heading).rstrip(" :"), _MAX_CONTEXT)
        return f"{context}: {label}" if context not in ("", label) else label

    def _around(self, widget: Widget, options: Collection[str]) -> tuple[str, str]:
        """The beginning of a box's row, but for some texts, and the heading above it."""
        labels = {*self._near.values(), *self._tooltips}
        return context_of(
            widget.box,
            [one for one in self._printed[widget.page] if one.text not in options and re.fullmatch(_ROW, one.text)],
            [one for one in self._headings[widget.page] if one.text not in labels],
        )
