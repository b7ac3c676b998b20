"""FormPage: clicks on a captured page, and the way through pages to submission."""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping
from functools import partial

from .form_screen import Screen
from .numbers import stepped
from .overlays import MAX_ROWS, MIN_WIDTH, ROW, Bubble, Calendar, Popup, iso, parsed, placed
from .text_fields import TextArea, TextField
from .text_layout import snapped
from .validity import problem_of, submitted
from .widgets import Button, ListBox, Tick, Widget, inside


class FormPage(Screen):
    """A captured page that can be clicked; see ``CapturedPage``."""

    # Mouse.

    def click(self, x: int, y: int, times: int = 1) -> None:
        """Click at a pixel of the window, once or twice."""
        self.pointer = (x, y)
        self.point()
        for count in range(1, times + 1):
            self._press(count)
            self._click()
            if count < times:
                self.point()
        self.point()

    def right_click(self, x: int, y: int) -> None:
        """Click with the right button: the page has no menu."""
        self.pointer = (x, y)
        self.point()
        self.hide_bubble()
        self.typed = ""
        self.point()

    def scroll(self, by: int) -> None:
        """Turn the wheel where the pointer is."""
        at = self.pointer_on_page()
        if at is not None and self.popup is not None and inside(self.popup.rect, *at):
            self.popup.scroll(by)
        elif not (at and self.calendar is not None and inside(self.calendar.rect, *at)):
            over = self.widget_at(*at) if at else None
            if isinstance(over, TextArea) and over.scroll_by(by):
                self.touch(over)
            else:
                self.scroll_to(self.window.scroll + by)
        self.point()

    def _press(self, count: int) -> None:
        at = self.pointer_on_page()
        assert at is not None
        self.typed = ""
        self.hide_bubble()
        if self._over_opened(at):
            return
        on_date = self.date_at(*at)
        target = self.widget_at(*at) if on_date is None else None
        if self.popup is not None and target is not self.popup.owner:
            self.popup = None
        if self.calendar is not None and on_date is None:
            self.calendar = None
        if on_date is None:
            self.set_focus(target)
            if isinstance(target, TextField):
                self._place_caret(target, *at, count)

    def _place_caret(self, target: TextField, x: float, y: float, count: int) -> None:
        place = target.place_at(x, y)
        self.touch(target)
        if count == 1:
            target.editor.move(place, extend=False)
        else:
            self._select_word(target, place)
        if isinstance(target, TextArea):
            target.column = None
            target.upstream = count == 1 and target.is_soft_end(target.line_at(y), place)

    def _select_word(self, target: TextField, place: int) -> None:
        text = target.editor.text
        if target.control.type == "password":
            target.editor.select(0, len(text))
        elif target.control.type != "number" or place < len(text):
            target.editor.select(*target.editor.word_at(place))

    def _over_opened(self, at: tuple[float, float]) -> bool:
        return any(part is not None and inside(part.rect, *at) for part in (self.popup, self.calendar))

    def _click(self) -> None:
        at = self.pointer_on_page()
        assert at is not None
        if self.popup is not None and inside(self.popup.rect, *at):
            self._choose_row(self.popup.row_at(*at))
        elif self.calendar is not None and inside(self.calendar.rect, *at):
            self._click_calendar(self.calendar.part_at(*at))
        elif (date := self.date_at(*at)) is not None:
            self._click_calendar_button(date)
        elif (target := self.widget_at(*at)) is not None:
            self.clicks.append(target.control.name)
            self._activate(target)
        elif (labelled := self.labelled_at(*at)) is not None:
            self.clicks.append(labelled.control.name)
            self._click_label(labelled)

    def _click_label(self, widget: Widget) -> None:
        if isinstance(widget, Tick):
            self.set_focus(widget)
            self.reveal_edge(widget)
            self.toggle(widget)
        else:
            self.focus_whole(widget)

    def _activate(self, widget: Widget) -> None:
        if isinstance(widget, ListBox):
            self.toggle_box(widget)
        elif isinstance(widget, Tick):
            self.toggle(widget)
        elif isinstance(widget, Button):
            self.press_button(widget)

    # Ticks, lists and dates.

    def toggle(self, tick: Tick) -> None:
        """Tick or untick."""
        if tick.control.radio:
            if not tick.checked:
                self.check_radio(tick)
            return
        tick.checked = not tick.checked
        if tick.checked:
            self.choices.append((tick.control.name, tick.control.value))
        self.changed(tick)

    def check_radio(self, radio: Tick) -> None:
        """Tick a radio button, and no other of its group."""
        for other in self.group(radio.control.name):
            if isinstance(other, Tick) and other.checked:
                other.checked = False
                self.touch(other)
        radio.checked = True
        self.choices.append((radio.control.name, radio.control.value))
        self.changed(radio)

    def toggle_box(self, box: ListBox) -> None:
        """Open the list of a box, or close it."""
        if self.popup is not None and self.popup.owner is box:
            self.popup = None
        else:
            self.open_box(box)

    def open_box(self, box: ListBox) -> None:
        """Open the list of a box."""
        height = min(max(len(box.options), 1), MAX_ROWS) * ROW + 2
        left_edge, _, right_edge, _ = box.spot.box
        width = max(snapped(right_edge - left_edge), MIN_WIDTH)
        left, top = placed(box.spot.box, width, height, self.window)
        active = next((i for i, chosen in enumerate(box.chosen) if chosen), -1)
        rect = (left, top, left + width, top + height)
        self.popup = Popup(box, self.pictures, rect, partial(self.choose, box), active)
        self.popup.show_active()

    def choose(self, box: ListBox, row: int) -> None:
        """Choose a row of a list; choose or drop it in a list of several."""
        if box.control.several:
            box.chosen[row] = not box.chosen[row]
        else:
            box.chosen = [i == row for i in range(len(box.options))]
        if box.chosen[row]:
            self.choices.append((box.control.name, box.options[row].value))
        self.changed(box)

    def _choose_row(self, row: int) -> None:
        popup = self.popup
        assert popup is not None
        if not 0 <= row < len(popup.owner.options):
            return
        self.clicks.append(popup.owner.control.name)
        popup.choose(row)
        if not popup.owner.control.several:
            self.popup = None

    def choose_active(self) -> None:
        """Choose the row that is highlighted."""
        if self.popup is not None:
            self._choose_row(self.popup.active)

    def _click_calendar_button(self, date: TextField) -> None:
        self.clicks.append(date.control.name)
        had_open_parts = self.calendar is not None and self.calendar.owner is date
        self.close_all()
        self.focus_whole(date)
        if not had_open_parts:
            corner = placed(date.spot.box, 270, 258, self.window)
            year, month, _ = parsed(date.editor.text) or parsed(self.pictures.capture.today) or (2025, 1, 1)
            self.calendar = Calendar(date, self.pictures, corner, year, month, date.editor.text)

    def _click_calendar(self, part: int) -> None:
        calendar = self.calendar
        assert calendar is not None
        if part < 0:
            calendar.turn(part)
        elif part > 0:
            self.calendar = None
            text = iso(calendar.year, calendar.month, part)
            self.choices.append((calendar.owner.control.name, text))
            self.set_text(calendar.owner, text)

    def set_text(self, field: TextField, text: str) -> None:
        """Replace the text of a field, as the script does."""
        if text != field.editor.text:
            field.editor.text = text
            field.editor.move(len(text), extend=False)
        self.changed(field)

    def step(self, field: TextField, up: bool) -> None:
        """Step a number up or down."""
        value = submitted(field)
        after = stepped(field.control, value, up)
        if after != value:
            self.set_text(field, after)

    def close_all(self) -> None:
        """Close the list and the calendar."""
        self.popup = self.calendar = None

    def hide_bubble(self) -> None:
        """Close the bubble that explains an invalid value."""
        self.bubble = None

    # The flow of the form.

    def press_button(self, button: Button) -> None:
        """Carry out a button's action."""
        actions: Mapping[str, Callable[[], None]] = {
            "next": lambda: self.turn_page(1),
            "back": lambda: self.turn_page(-1),
            "submit": self.submit,
            "add": lambda: self._change_rows(button.control.block, 1),
            "remove": lambda: self._change_rows(button.control.block, -1),
            "reset": self._reset,
        }
        actions.get(button.control.action, lambda: None)()

    def _reset(self) -> None:
        """Reset every control to its first value."""
        for widget in self.widgets:
            widget.reset()
            if isinstance(widget, ListBox):
                self._offer(widget)
            self.touch(widget)
        self.edits += 1
        self._draft = None
        self._relayout()

    def turn_page(self, by: int) -> None:
        """Go to another page; forwards only if this one is valid."""
        if by < 0 or self._in_order():
            self.show_page(self.page + by)

    def press_main_button(self) -> None:
        """Carry out the action of the page's main button."""
        actions = {w.control.action for w in self.widgets if isinstance(w, Button) and w.control.page == self.page}
        if "next" in actions:
            self.turn_page(1)
        elif "submit" in actions:
            self.submit()

    def submit(self) -> None:
        """Submit the form, if the page is valid."""
        if not self._in_order():
            return
        self.submitted = dict(self.draft())
        if self.pictures.capture.done:
            self.show_page(self.pictures.capture.pages - 1)
        else:
            self.set_focus(None)

    def show_page(self, page: int) -> None:
        """Show the top of a page, whatever the one before holds."""
        self.set_focus(None)
        self.page = page
        self._relayout()
        self.scroll_to(0)

    def _in_order(self) -> bool:
        """Whether the page is valid; if not, display the first problem."""
        for widget in self.widgets:
            if widget.place is None or isinstance(widget, Button) or not widget.control.name:
                continue
            group = [one for one in self.group(widget.control.name) if isinstance(one, Tick)]
            if message := problem_of(widget, group):
                self.focus_on(widget)
                self.bubble = Bubble(widget, message, self.pictures, copy.copy(self.window))
                return False
        return True

    def _change_rows(self, block: int, by: int) -> None:
        if by < 0:
            for widget in self.widgets:
                if widget.control.row == (block, self.rows[block]):
                    widget.reset()
        self.rows[block] += by
        self.edits += 1
        self._draft = None
        self._relayout()
