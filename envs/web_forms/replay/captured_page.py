"""CapturedPage: a form as a person sees and uses it in a browser, without one.

It follows the runtime's script (``markup/runtime``) and, where that relies on the browser, Chromium. Its frames and
values are compared with Chromium's by ``formgym conformance``.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from .capture import Box, Control
from .form_page import FormPage
from .key_presses import press, type_characters
from .text_fields import TextField
from .widgets import Button


class CapturedPage(FormPage):
    """One form that is being filled in.

    Args:
        pictures: of its capture.
        files: the names of the files that its pickers offer.

    Attributes:
        background: the visible part of the page's picture; another array when that changes.
        layers: the layers over it, the lowest first; one list that changes.
        submitted: the submitted values by name; ``None`` before submission.
        edits: how often the values may have changed.
        clicks: the names of controls that were clicked; the reader clears them.
        choices: names, and the option, tick or day that was chosen; likewise.
    """

    # For those who look at it from outside.

    @property
    def has_open_parts(self) -> bool:
        """Whether something is open over the page."""
        return self.had_open_parts or any(part is not None for part in (self.popup, self.calendar, self.bubble))

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
        field = self.focus
        if not isinstance(field, TextField) or field.control.type == "password":
            return ""
        return "".join(c for c in field.face.missing(text) if c in field.editor.text)

    def clone(self) -> CapturedPage:
        """An independent copy of the page; open parts count as still to be closed."""
        clone = CapturedPage(self.pictures, self.files)
        for mine, other in zip(self.widgets, clone.widgets, strict=True):
            other.copy_from(mine)
            clone.touch(other)
        clone.page, clone.rows = self.page, list(self.rows)
        clone.pointer = self.pointer
        clone._relayout()
        clone.scroll_to(self.window.scroll)
        if self.focus is not None:
            clone.set_focus(clone.widgets[self.focus.control.id], self.focus.by_key)
        clone.had_open_parts = self.has_open_parts
        return clone

    def dump(self) -> dict[str, Any]:
        """The page as a JSON object; equal pages have equal dumps."""
        opened = {"popup": self.popup, "calendar": self.calendar, "bubble": self.bubble}
        return {
            "page": self.page,
            "rows": list(self.rows),
            "scroll": self.window.scroll,
            "pointer": self.pointer,
            "focus": None if self.focus is None else self.focus.control.id,
            "widgets": [widget.dump() for widget in self.widgets],
            "open": {name: part.dump() for name, part in opened.items() if part is not None},
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
