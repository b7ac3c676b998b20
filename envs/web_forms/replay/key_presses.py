"""Keys: the effect of a key on a captured page."""

from __future__ import annotations

from .editing import number_characters, utf16_length
from .fonts import snapped
from .form_page import FormPage
from .text_fields import TextArea, TextField
from .widgets import Button, ListBox, Tick

KEYS = (
    "Enter",
    "Tab",
    "Shift+Tab",
    "Escape",
    "Space",
    "Backspace",
    "Delete",
    "ArrowLeft",
    "ArrowRight",
    "ArrowUp",
    "ArrowDown",
    "Home",
    "End",
    "PageUp",
    "PageDown",
    "Shift+ArrowLeft",
    "Shift+ArrowRight",
    "Shift+ArrowUp",
    "Shift+ArrowDown",
    "Shift+Home",
    "Shift+End",
    "Control+a",
    "Control+ArrowLeft",
    "Control+ArrowRight",
    "Control+Shift+ArrowLeft",
    "Control+Shift+ArrowRight",
    "Control+Home",
    "Control+End",
    "Control+Backspace",
    "Control+Delete",
)
"""The keys that can be pressed; nothing reaches the clipboard."""

_PAGE = 0.85


def press(page: FormPage, key: str) -> None:
    """Press a key of ``KEYS`` on the focused control."""
    *held, name = key.split("+")
    control, shift = "Control" in held, "Shift" in held
    _key_down(page, shows_focus=not control)
    focus = page.focus.widget
    if control and not isinstance(focus, TextField):
        return
    if name == "Tab":
        page.overlays.close()
        page.focus.typed = ""
        page.focus.advance(-1 if shift else 1)
    elif name == "Escape":
        page.overlays.close()
        page.focus.typed = ""
    elif isinstance(focus, ListBox):
        box_key(page, focus, " " if name == "Space" else name)
    elif name in ("PageUp", "PageDown"):
        step = snapped(page.canvas.window.height * _PAGE)
        page.canvas.scroll_to(page.canvas.window.scroll + (step if name == "PageDown" else -step))
    elif isinstance(focus, TextField):
        _text_key(page, focus, name, control, shift)
    elif focus is not None:
        _plain_key(page, focus, name)


def type_characters(page: FormPage, text: str) -> None:
    """Type characters into the focused control."""
    for i, c in enumerate(text):
        _key_down(page)
        focus = page.focus.widget
        if isinstance(focus, TextField):
            _insert(page, focus, text[i:])
            return
        if isinstance(focus, ListBox):
            box_key(page, focus, c)
        elif c == " " and focus is not None:
            _plain_key(page, focus, "Space")


def _key_down(page: FormPage, shows_focus: bool = True) -> None:
    """The effect of every key: it closes the bubble and makes the focus visible."""
    page.overlays.bubble = None
    if shows_focus:
        page.focus.show_ring()


def box_key(page: FormPage, box: ListBox, key: str) -> None:
    """Press a key, or type a character, on a box."""
    popup = page.overlays.popup
    if popup is not None and popup.owner is not box:
        popup = None
    if len(key) == 1 and not (key == " " and not page.focus.typed):
        _find_row(page, box, key)
        return
    if popup is not None:
        rows = len(box.options)
        moves = {"ArrowDown": 1, "ArrowUp": -1, "Home": -rows, "End": rows}
        if key in moves:
            popup.move_active(moves[key])
        elif key in ("Enter", " "):
            page.choose_active()
    elif key in ("Enter", " ", "ArrowDown", "ArrowUp"):
        page.open_box(box)
    page.focus.typed = ""


def _find_row(page: FormPage, box: ListBox, character: str) -> None:
    """Choose the first row that begins with the typed characters."""
    page.focus.typed += character.lower()
    if box.control.file or box.control.several:
        return
    found = next((i for i, option in enumerate(box.options) if option.text.lower().startswith(page.focus.typed)), -1)
    if found < 0:
        return
    page.choose(box, found)
    if page.overlays.popup is not None:
        page.overlays.popup.active = found
        page.overlays.popup.show_active()


def _plain_key(page: FormPage, focus: Tick | Button | object, name: str) -> None:
    """A key on a tick or a button."""
    if isinstance(focus, Button):
        if name in ("Enter", "Space"):
            page.press_button(focus)
    elif isinstance(focus, Tick):
        if name == "Enter":
            page.overlays.close()
            page.press_main_button()
        elif name == "Space":
            page.toggle(focus)
        elif focus.control.radio and name.startswith("Arrow"):
            _move_radio(page, focus, 1 if name in ("ArrowDown", "ArrowRight") else -1)


def _move_radio(page: FormPage, radio: Tick, by: int) -> None:
    group = page.values.radios(radio)
    to = group[(group.index(radio) + by) % len(group)]
    page.focus.move_to(to)
    if not to.checked:
        page.check_radio(to)


def _text_key(page: FormPage, field: TextField, name: str, control: bool, shift: bool) -> None:
    area = field if isinstance(field, TextArea) else None
    if name == "Enter":
        if area is None:
            page.overlays.close()
            page.press_main_button()
        else:
            _insert(page, field, "\n")
        return
    if name == "Space":
        _insert(page, field, " ")
        return
    if name in ("ArrowUp", "ArrowDown") and area is None:
        if field.control.type == "number":
            page.step(field, name == "ArrowUp")
        return
    page.canvas.reveal(field)
    if name in ("Backspace", "Delete"):
        _erase(page, field, name, control)
    elif name == "a":
        field.editor.select(0, len(field.editor.text))
    else:
        before = field.editor.caret, field.editor.anchor
        _move(field, name, control, shift)
        if (field.editor.caret, field.editor.anchor) != before:
            field.reveal_caret()
    page.canvas.touch(field)


def _insert(page: FormPage, field: TextField, text: str) -> None:
    """Insert typed text, as much of it as the field accepts."""
    page.canvas.reveal(field)
    editor, control = field.editor, field.control
    if control.read_only:
        return
    if editor.anchor != editor.caret:
        # What is selected goes even if nothing of what is typed is taken.
        editor.insert("")
    start, end = editor.selection
    if control.type == "number":
        text = number_characters(text, editor.text[:start], editor.text[end:])
    if control.max_length >= 0:
        text = _cut(text, control.max_length - utf16_length(editor.text))
    if text and field.hides_caret():
        # It comes into view with the first character; the others only push it on.
        editor.insert(text[0])
        _edited(field)
        text = text[1:]
    if text:
        editor.insert(text)
    _edited(field)
    page.edited(field)


def _erase(page: FormPage, field: TextField, name: str, control: bool) -> None:
    editor = field.editor
    if field.control.read_only:
        return
    to = {
        ("Backspace", False): editor.erased_before,
        ("Backspace", True): editor.word_erased_before,
        ("Delete", False): editor.after,
        ("Delete", True): editor.word_after,
    }[name, control]()
    if editor.erase(to):
        page.edited(field)
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
