"""CapturedPage: a form as a person sees and uses it in a browser, without one.

It follows the runtime's script (``html/runtime``) and, where that relies on the browser, Chromium. Its frames and
values are compared with Chromium's by ``benchmarks/conformance.py``.
"""

from __future__ import annotations

import re
from typing import Any

from ...core.texts import utf16_length
from .form_page import FormPage
from .numbers import number_characters
from .shaping import can_shape, may_differ
from .text_fields import TextArea, TextField
from .widgets import Button, ListBox, Tick, Widget

KEYS = (
    *("Enter", "Tab", "Shift+Tab", "Escape", "Space", "Backspace", "Delete"),
    *("ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown", "Home", "End", "PageUp", "PageDown"),
    *("Shift+ArrowLeft", "Shift+ArrowRight", "Shift+ArrowUp", "Shift+ArrowDown", "Shift+Home", "Shift+End"),
    *("Control+a", "Control+ArrowLeft", "Control+ArrowRight", "Control+Shift+ArrowLeft", "Control+Shift+ArrowRight"),
    *("Control+Home", "Control+End", "Control+Backspace", "Control+Delete"),
)
"""The keys that can be pressed; nothing reaches the clipboard."""

_TYPED_KEYS = {"\n": "Enter", "\t": "Tab"}
_SCROLLS = {"PageDown": 0.85, "PageUp": -0.85}
"""The keys that scroll the page, and by what share of the window."""


class CapturedPage(FormPage):
    """One form that is being filled in.

    Args:
        pictures: of its capture.
        files: the names of the files that its pickers offer.
    """

    _had_open_parts = False

    @property
    def has_open_parts(self) -> bool:
        """Whether something is open over the page."""
        return self._had_open_parts or bool(self.overlays.dump())

    def missing(self, text: str) -> str:
        """The characters of ``text`` that the focused field holds and cannot draw."""
        field = self.focus.widget
        if not isinstance(field, TextField) or field.control.type == "password":
            return ""
        return "".join(c for c in field.face.missing(text) if c in field.editor.text)

    def may_differ(self) -> bool:
        """Whether the text of the focused field may look otherwise in Chromium."""
        field = self.focus.widget
        if not isinstance(field, TextField) or field.control.type == "password" or not can_shape():
            return False
        text = field.editor.text
        return may_differ(text, field.face.shaped(text), isinstance(field, TextArea) and len(field.lines) > 1)

    def clone(self) -> CapturedPage:
        """An independent copy of the page; open parts count as still to be closed."""
        clone = CapturedPage(self.values.pictures, self.values.files)
        for mine, other in zip(self.values.widgets, clone.values.widgets, strict=True):
            other.copy_from(mine)
            clone.canvas.touch(other)
        clone.values.page, clone.values.rows = self.values.page, list(self.values.rows)
        clone.pointer.at = self.pointer.at
        clone.relayout()
        clone.canvas.scroll_to(self.canvas.window.scroll)
        if self.focus.widget is not None:
            clone.focus.set(clone.values.widgets[self.focus.widget.control.id], self.focus.widget.by_key)
        clone._had_open_parts = self.has_open_parts
        return clone

    def dump(self) -> dict[str, Any]:
        """The page as a JSON object; equal pages have equal dumps."""
        focus = self.focus.widget
        return {
            "page": self.values.page,
            "rows": list(self.values.rows),
            "scroll": self.canvas.window.scroll,
            "pointer": self.pointer.at,
            "focus": None if focus is None else focus.control.id,
            "widgets": [widget.dump() for widget in self.values.widgets],
            "open": self.overlays.dump(),
            "submitted": self.submitted,
        }

    # Keys.

    def type_text(self, text: str) -> int:
        """Type characters; return how many of them no control takes.

        Line feeds and tabs are the keys Enter and Tab.
        """
        lost = 0
        for part in re.findall(r"[\n\t]|[^\n\t]+", re.sub(r"\r\n?", "\n", text)):
            if part in _TYPED_KEYS:
                self._press_key(_TYPED_KEYS[part])
            else:
                lost += self._type_characters(part)
        self.point()
        return lost

    def press_key(self, key: str) -> bool:
        """Press a key of ``KEYS`` on the focused control; return whether anything changes."""
        before = self._reaction()
        self._press_key(key)
        self.point()
        return self._reaction() != before

    def _reaction(self) -> tuple[Any, ...]:
        """What keys change."""
        focus = self.focus.widget
        focused = (focus.control.id, focus.by_key, focus.dump()) if focus is not None else None
        place = self.values.page, self.values.edits, self.canvas.window.scroll
        return focused, place, list(self.values.rows), self.overlays.dump(), self.submitted is None

    def _press_key(self, key: str) -> None:
        *held, name = key.split("+")
        control, shift = "Control" in held, "Shift" in held
        self._key_down(shows_focus=not control)
        focus = self.focus.widget
        if control and not isinstance(focus, TextField):
            return
        if name in ("Tab", "Escape"):
            self.overlays.close()
            self.focus.typed = ""
            if name == "Tab":
                self.focus.advance(-1 if shift else 1)
        elif isinstance(focus, ListBox):
            self._box_key(focus, " " if name == "Space" else name)
        elif name in _SCROLLS:
            self.canvas.scroll_by(_SCROLLS[name])
        elif isinstance(focus, TextField):
            self._text_key(focus, name, control, shift)
        elif focus is not None:
            self._plain_key(focus, name)

    def _type_characters(self, text: str) -> int:
        """Type characters other than Enter and Tab; return how many of them no control takes."""
        lost = 0
        for i, c in enumerate(text):
            self._key_down()
            focus = self.focus.widget
            if isinstance(focus, TextField):
                return lost + self._insert(focus, text[i:])
            if isinstance(focus, ListBox):
                lost += not self._box_key(focus, c)
            elif c == " " and focus is not None:
                self._plain_key(focus, "Space")
            else:
                lost += 1
        return lost

    def _key_down(self, shows_focus: bool = True) -> None:
        """The effect of every key: it closes the bubble and makes the focus visible."""
        self.overlays.bubble = None
        if shows_focus:
            self.focus.show_ring()

    def _box_key(self, box: ListBox, key: str) -> bool:
        """Press a key, or type a character, on a box; return whether it takes the character."""
        popup = self.overlays.popup
        if popup is not None and popup.owner is not box:
            popup = None
        if len(key) == 1 and not (key == " " and not self.focus.typed):
            return self._find_row(box, key)
        if popup is not None:
            rows = len(box.options)
            moves = {"ArrowDown": 1, "ArrowUp": -1, "Home": -rows, "End": rows}
            if key in moves:
                popup.activate(popup.active + moves[key])
            elif key in ("Enter", " "):
                self.choose_row(popup, popup.active)
        elif key in ("Enter", " ", "ArrowDown", "ArrowUp"):
            self.open_box(box)
        self.focus.typed = ""
        return True

    def _find_row(self, box: ListBox, character: str) -> bool:
        """Choose the first row that begins with the typed characters, if there is one."""
        self.focus.typed += character.lower()
        if box.control.file or box.control.several:
            return False
        matches = (i for i, option in enumerate(box.options) if option.text.lower().startswith(self.focus.typed))
        if (row := next(matches, None)) is not None:
            self.choose(box, row)
            if self.overlays.popup is not None:
                self.overlays.popup.activate(row)
        return row is not None

    def _plain_key(self, focus: Widget, name: str) -> None:
        """A key on a tick or a button."""
        if isinstance(focus, Button) and name in ("Enter", "Space"):
            self.press_button(focus)
        elif isinstance(focus, Tick):
            if name == "Enter":
                self._submit_by_enter()
            elif name == "Space":
                self.toggle(focus)
            elif focus.control.radio and name.startswith("Arrow"):
                self._move_radio(focus, 1 if name in ("ArrowDown", "ArrowRight") else -1)

    def _submit_by_enter(self) -> None:
        self.overlays.close()
        self.press_main_button()

    def _move_radio(self, radio: Tick, by: int) -> None:
        group = self.values.radios(radio)
        to = group[(group.index(radio) + by) % len(group)]
        self.focus.move_to(to)
        if not to.checked:
            self.check_radio(to)

    def _text_key(self, field: TextField, name: str, control: bool, shift: bool) -> None:
        is_area = isinstance(field, TextArea)
        if name == "Enter" and not is_area:
            self._submit_by_enter()
        elif name in ("Enter", "Space"):
            self._insert(field, "\n" if name == "Enter" else " ")
        elif name in ("ArrowUp", "ArrowDown") and not is_area:
            if field.control.type == "number":
                self.step(field, name == "ArrowUp")
        else:
            self._edit(field, name, control, shift)

    def _edit(self, field: TextField, name: str, control: bool, shift: bool) -> None:
        """Erase, select all or move the caret."""
        self.canvas.reveal(field)
        if name in ("Backspace", "Delete"):
            self._erase(field, name, control)
        elif name == "a":
            field.editor.select(0, len(field.editor.text))
        else:
            before = field.editor.caret, field.editor.anchor
            _move(field, name, control, shift)
            if (field.editor.caret, field.editor.anchor) != before:
                field.reveal_caret()
        self.canvas.touch(field)

    def _insert(self, field: TextField, text: str) -> int:
        """Insert typed text, as much of it as the field accepts; return how many characters it does not."""
        self.canvas.reveal(field)
        editor, control, typed = field.editor, field.control, len(text)
        if editor.anchor != editor.caret:
            # What is selected goes even if nothing of what is typed is taken.
            editor.insert("")
        start, end = editor.selection
        if control.type == "number":
            text = number_characters(text, editor.text[:start], editor.text[end:])
        if control.max_length >= 0:
            text = _cut(text, control.max_length - utf16_length(editor.text))
        lost = typed - len(text)
        if text and field.hides_caret():
            # It comes into view with the first character; the others only push it on.
            editor.insert(text[0])
            _edited(field)
            text = text[1:]
        if text:
            editor.insert(text)
        _edited(field)
        self.edited(field)
        return lost

    def _erase(self, field: TextField, name: str, control: bool) -> None:
        editor = field.editor
        to = {
            ("Backspace", False): editor.erased_before,
            ("Backspace", True): editor.word_erased_before,
            ("Delete", False): editor.after,
            ("Delete", True): editor.word_after,
        }[name, control]()
        if editor.erase(to):
            self.edited(field)
        _edited(field)


def _edited(field: TextField) -> None:
    if isinstance(field, TextArea):
        field.column, field.upstream = None, False
    field.reveal_caret()


def _move(field: TextField, name: str, control: bool, shift: bool) -> None:
    editor = field.editor
    if isinstance(field, TextArea) and name in ("ArrowUp", "ArrowDown"):
        _move_line(field, -1 if name == "ArrowUp" else 1, shift)
        return
    if isinstance(field, TextArea):
        field.column = None
    start, end = editor.selection
    if start < end and not shift and not control and name in ("ArrowLeft", "ArrowRight"):
        editor.move(start if name == "ArrowLeft" else end, extend=False)
        return
    to = _target(field, name, control, shift)
    if isinstance(field, TextArea):
        field.upstream = name == "End" and not shift and field.line_of(to) > 0 and not control
    editor.move(to, extend=shift)


def _target(field: TextField, name: str, control: bool, shift: bool) -> int:
    """The new place of the caret after a key."""
    editor = field.editor
    if name in ("Home", "End"):
        if isinstance(field, TextArea) and not control:
            return _line_edge(field, name, shift)
        return 0 if name == "Home" else len(editor.text)
    if control:
        return editor.word_before() if name == "ArrowLeft" else editor.word_after()
    return editor.before() if name == "ArrowLeft" else editor.after()


def _line_edge(area: TextArea, name: str, shift: bool) -> int:
    """The target of Home or End.

    A selection ends in the line of its last character.
    """
    start, end = area.editor.selection
    line = area.caret_line
    if start < end and not shift:
        line = area.line_of(start)
        if name == "End":
            line = area.line_of(end)
            line -= line > 0 and area.is_soft_end(line - 1, end)
    return area.lines[line][name == "End"]


def _move_line(area: TextArea, by: int, extend: bool) -> None:
    """Move up or down a line, at the same horizontal place if possible."""
    editor = area.editor
    if area.column is None:
        area.column, area.row = area.caret_x(), area.caret_line
    to = area.row + by
    if 0 <= to < len(area.lines):
        place = area.place_in_line(to, area.column)
        area.upstream, area.row = not extend and area.is_soft_end(to, place), to
        editor.move(place, extend)
    else:
        area.upstream = False
        editor.move(0 if by < 0 else len(editor.text), extend)
        area.column = None


def _cut(text: str, room: int) -> str:
    while text and utf16_length(text) > room:
        text = text[:-1]
    return text
