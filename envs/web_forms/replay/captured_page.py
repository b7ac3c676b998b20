"""CapturedPage: a form as a person sees and uses it in a browser, without one.

It follows the runtime's script (``html/runtime``) and, where that relies on the browser, Chromium. Its frames and
values are compared with Chromium's by ``benchmarks/conformance.py``.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from ...core.painting import Image, Patch
from ..forms.form_fields import Value
from .capture import Box, Control, Pictures
from .form_page import FormPage
from .key_presses import press, type_characters
from .overlays import Window
from .text_fields import TextField
from .widgets import Button, TextLayer, Widget


class CapturedPage(FormPage):
    """One form that is being filled in.

    Args:
        pictures: of its capture.
        files: the names of the files that its pickers offer.

    Attributes:
        submitted: the submitted values by name; ``None`` before submission.
        clicks: the names of controls that were clicked; the reader clears them.
        choices: names, and the option, tick or day that was chosen; likewise.
    """

    def __init__(self, pictures: Pictures, files: Sequence[str] = ()) -> None:
        super().__init__(pictures, files)
        self._had_open_parts = False

    # For those who look at it from outside.

    @property
    def background(self) -> Image:
        """The visible part of the page's picture; another array when that changes."""
        return self.canvas.background

    @property
    def layers(self) -> list[Patch | TextLayer]:
        """The layers over the background, the lowest first; one list that changes."""
        return self.canvas.layers

    @property
    def edits(self) -> int:
        """How often the values may have changed."""
        return self.values.edits

    @property
    def pictures(self) -> Pictures:
        """The pictures of its capture."""
        return self.values.pictures

    @property
    def widgets(self) -> list[Widget]:
        """The controls of all its pages."""
        return self.values.widgets

    @property
    def window(self) -> Window:
        """The visible part of the page."""
        return self.canvas.window

    @property
    def has_open_parts(self) -> bool:
        """Whether something is open over the page."""
        return self._had_open_parts or bool(self.overlays.dump())

    def draft(self) -> dict[str, Value]:
        """The current value of every field; ``None``: hidden."""
        return self.values.draft()

    def visible_controls(self) -> Iterator[tuple[Control, Box]]:
        """The controls in the window, each with its box in pixels of the window."""
        scroll = self.window.scroll
        for widget in self.widgets:
            if widget.place is None or isinstance(widget, Button):
                continue
            left, top, right, bottom = widget.place.box
            if bottom > scroll and top < scroll + self.window.height:
                yield widget.control, (left, top - scroll, right, bottom - scroll)

    def missing(self, text: str) -> str:
        """The characters of ``text`` that the focused field holds and cannot draw."""
        field = self.focus.widget
        if not isinstance(field, TextField) or field.control.type == "password":
            return ""
        return "".join(c for c in field.face.missing(text) if c in field.editor.text)

    def clone(self) -> CapturedPage:
        """An independent copy of the page; open parts count as still to be closed."""
        clone = CapturedPage(self.pictures, self.values.files)
        for mine, other in zip(self.widgets, clone.widgets, strict=True):
            other.copy_from(mine)
            clone.canvas.touch(other)
        clone.values.page, clone.values.rows = self.values.page, list(self.values.rows)
        clone.pointer.at = self.pointer.at
        clone.relayout()
        clone.canvas.scroll_to(self.window.scroll)
        if self.focus.widget is not None:
            clone.focus.set(clone.widgets[self.focus.widget.control.id], self.focus.widget.by_key)
        clone._had_open_parts = self.has_open_parts
        return clone

    def dump(self) -> dict[str, Any]:
        """The page as a JSON object; equal pages have equal dumps."""
        focus = self.focus.widget
        return {
            "page": self.values.page,
            "rows": list(self.values.rows),
            "scroll": self.window.scroll,
            "pointer": self.pointer.at,
            "focus": None if focus is None else focus.control.id,
            "widgets": [widget.dump() for widget in self.widgets],
            "open": self.overlays.dump(),
            "submitted": self.submitted,
        }

    # Keys.

    def type_text(self, text: str) -> None:
        """Type characters; line feeds and tabs are the keys Enter and Tab."""
        for part in _keys_of(text):
            if part in ("\n", "\t"):
                press(self, "Enter" if part == "\n" else "Tab")
            else:
                type_characters(self, part)
        self.point()

    def press_key(self, key: str) -> None:
        """Press a key of ``KEYS``."""
        press(self, key)
        self.point()


def _keys_of(text: str) -> Iterator[str]:
    """Runs of characters, and line feeds and tabs each alone."""
    run = ""
    for c in text.replace("\r\n", "\n").replace("\r", "\n"):
        if c in "\n\t":
            if run:
                yield run
            yield c
            run = ""
        else:
            run += c
    if run:
        yield run
