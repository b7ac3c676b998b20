"""FormPage: clicks on a captured page, and the way through pages to submission."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from ...core.boxes import Rect
from ...core.painting import Image
from ..forms.form_fields import Value
from .capture import Pictures
from .form_values import FormValues, submitted
from .numbers import stepped
from .overlays import Bubble, Calendar, Overlays, Popup
from .page_canvas import Focus, PageCanvas, Pointer
from .text_fields import TextArea, TextField
from .widgets import Button, ListBox, Tick, Widget


class FormPage:
    """A captured page that can be clicked; see ``CapturedPage``.

    Attributes:
        values: the controls and what they hold.
        canvas: what is visible of the page.
        pointer: the mouse.
        focus: where keys go.
        overlays: what is open over the page.
        layers: over the background, the lowest first; one list that changes.
        submitted: the submitted values by name; ``None`` before submission.
        clicks: the names of controls that were clicked; the reader clears them.
        choices: names, and the option, tick or day that was chosen; likewise.
    """

    def __init__(self, pictures: Pictures, files: Sequence[str] = ()) -> None:
        self.values = FormValues(pictures, files)
        self.canvas = PageCanvas(pictures)
        self.pointer = Pointer(self.values, self.canvas)
        self.focus = Focus(self.values, self.canvas)
        self.overlays = Overlays()
        self.layers = self.canvas.layers
        self.submitted: dict[str, Value] | None = None
        self.clicks: list[str] = []
        self.choices: list[tuple[str, str]] = []
        self.relayout()
        self.take_dirty()

    # Looks and values.

    @property
    def background(self) -> Image:
        """The page's picture; another array for another layout."""
        return self.canvas.picture

    @property
    def scroll_y(self) -> int:
        """How many pixels of the page are above the window."""
        return self.canvas.window.scroll

    @property
    def has_focus(self) -> bool:
        """Whether keys go to some control."""
        return self.focus.widget is not None

    @property
    def edits(self) -> int:
        """How often the values may have changed."""
        return self.values.edits

    def draft(self) -> dict[str, Value]:
        """The current value of every field; ``None``: hidden."""
        return self.values.draft()

    def take_changes(self) -> dict[str, Value]:
        """The values of the fields whose value may have changed since the last call."""
        return self.values.take_changes()

    def take_dirty(self) -> list[Rect]:
        """Update ``layers``; return the rectangles of the page that changed since the last call."""
        return self.canvas.take_dirty(self.overlays)

    def relayout(self) -> None:
        """Change to the layout that follows from the values."""
        number = self.values.layout_number()
        if number == self.canvas.number:
            return
        self.canvas.show(number, self.values.widgets)
        if self.focus.widget is not None and self.focus.widget.place is None:
            self.focus.set(None)

    def point(self) -> None:
        """Update what is highlighted under the pointer."""
        self.pointer.update(self.overlays)

    def edited(self, widget: Widget) -> None:
        """Update the page after a control's value may have changed."""
        self.values.edited(widget.control.name)
        self.canvas.touch(widget)

    def changed(self, widget: Widget) -> None:
        """Update the page after a choice changed: dependent options and layout."""
        self.edited(widget)
        if self.values.is_decisive(widget.control.name):
            for box in self.values.offer_dependents(widget.control.name):
                self.canvas.touch(box)
            self.relayout()

    # Mouse.

    def click(self, x: int, y: int, times: int = 1) -> bool:
        """Click at a pixel of the window, once or twice; return whether something that reacts is there."""
        self.pointer.at = (x, y)
        self.point()
        reacts = False
        for count in range(1, times + 1):
            self._press(count)
            reacts |= self._click()
            if count < times:
                self.point()
        self.point()
        return reacts

    def scroll(self, by: int) -> int:
        """Turn the wheel where the pointer is; return how far what is there scrolls, in pixels."""
        at = self.pointer.on_page()
        opened, moved = self.overlays.at(*at), 0
        over = self.pointer.hit_at(*at)[0] if opened is None else None
        if isinstance(opened, Popup):
            moved = opened.scroll(by)
        elif isinstance(over, TextArea) and (moved := over.scroll_by(by)):
            self.canvas.touch(over)
        elif opened is None:
            moved = self.canvas.scroll_to(self.canvas.window.scroll + by)
        self.point()
        return moved

    def _press(self, count: int) -> None:
        at = self.pointer.on_page()
        self.focus.typed = ""
        self.overlays.bubble = None
        if self.overlays.at(*at) is not None:
            return
        widget, _, on_date = self.pointer.hit_at(*at)
        target = widget if on_date is None else None
        if self.overlays.popup is not None and target is not self.overlays.popup.owner:
            self.overlays.popup = None
        if on_date is None:
            self.overlays.calendar = None
            self.focus.set(target)
            if isinstance(target, TextField):
                self._place_caret(target, *at, count)

    def _place_caret(self, target: TextField, x: float, y: float, count: int) -> None:
        place = target.place_at(x, y)
        self.canvas.touch(target)
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

    def _click(self) -> bool:
        """Click where the pointer is; return whether something that reacts is there."""
        at = self.pointer.on_page()
        opened, (target, labelled, date) = self.overlays.at(*at), self.pointer.hit_at(*at)
        if isinstance(opened, Popup):
            self.choose_row(opened, opened.row_at(*at))
        elif opened is not None:
            self._click_calendar(opened, opened.part_at(*at))
        elif date is not None:
            self._click_calendar_button(date)
        elif target is not None:
            self.clicks.append(target.control.name)
            self._activate(target)
        elif labelled is not None:
            self.clicks.append(labelled.control.name)
            self._click_label(labelled)
        else:
            return False
        return True

    def _click_label(self, widget: Widget) -> None:
        if isinstance(widget, Tick):
            self.focus.set(widget)
            self.canvas.reveal_edge(widget)
            self.toggle(widget)
        else:
            self.focus.select_all(widget)

    def _activate(self, widget: Widget) -> None:
        popup = self.overlays.popup
        if isinstance(widget, ListBox) and popup is not None and popup.owner is widget:
            self.overlays.popup = None
        elif isinstance(widget, ListBox):
            self.open_box(widget)
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
        for other in self.values.group(radio.control.name):
            if isinstance(other, Tick) and other.checked:
                other.checked = False
                self.canvas.touch(other)
        radio.checked = True
        self.choices.append((radio.control.name, radio.control.value))
        self.changed(radio)

    def open_box(self, box: ListBox) -> None:
        """Open the list of a box."""
        self.overlays.popup = Popup.opened(box, self.canvas.window)

    def choose(self, box: ListBox, row: int) -> None:
        """Choose a row of a list; choose or drop it in a list of several."""
        if box.control.several:
            box.chosen[row] = not box.chosen[row]
        else:
            box.chosen = [i == row for i in range(len(box.options))]
        if box.chosen[row]:
            self.choices.append((box.control.name, box.options[row].value))
        self.changed(box)

    def choose_row(self, popup: Popup, row: int) -> None:
        """Choose a row of the open list, if there is one of this number."""
        if not 0 <= row < len(popup.owner.options):
            return
        self.clicks.append(popup.owner.control.name)
        self.choose(popup.owner, row)
        if not popup.owner.control.several:
            self.overlays.popup = None

    def _click_calendar_button(self, date: TextField) -> None:
        self.clicks.append(date.control.name)
        was_open = self.overlays.calendar is not None and self.overlays.calendar.owner is date
        self.overlays.close()
        self.focus.select_all(date)
        if not was_open:
            self.overlays.calendar = Calendar.opened(date, self.canvas.window)

    def _click_calendar(self, calendar: Calendar, part: int) -> None:
        if part < 0:
            calendar.turn(part)
        elif part > 0:
            self.overlays.calendar = None
            text = calendar.iso(part)
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

    # The flow of the form.

    def press_button(self, button: Button) -> None:
        """Carry out a button's action."""
        actions: Mapping[str, Callable[[], None]] = {
            "next": lambda: self.turn_page(1),
            "back": lambda: self.turn_page(-1),
            "submit": self.submit,
            "add": lambda: self._change_rows(button.control.block, 1),
            "remove": lambda: self._change_rows(button.control.block, -1),
        }
        actions[button.control.action]()

    def turn_page(self, by: int) -> None:
        """Go to another page; forwards only if this one is valid."""
        if by < 0 or self._in_order():
            self.show_page(self.values.page + by)

    def press_main_button(self) -> None:
        """Carry out the action of the page's main button."""
        buttons = {one.control.action: one for one in self.values.widgets if one.control.page == self.values.page}
        if (main := buttons.get("next") or buttons.get("submit")) and isinstance(main, Button):
            self.press_button(main)

    def submit(self) -> None:
        """Submit the form, if the page is valid."""
        if not self._in_order():
            return
        self.submitted = self.values.draft()
        self.show_page(self.values.pictures.capture.pages - 1)

    def show_page(self, page: int) -> None:
        """Show the top of a page, whatever the one before holds."""
        self.focus.set(None)
        self.values.page = page
        self.relayout()
        self.canvas.scroll_to(0)

    def _in_order(self) -> bool:
        """Whether the page is valid; if not, display the first problem."""
        problem = self.values.first_problem()
        if problem is None:
            return True
        self.focus.move_to(problem[0])
        self.overlays.bubble = Bubble.opened(*problem, self.canvas.window)
        return False

    def _change_rows(self, block: int, by: int) -> None:
        self.values.change_rows(block, by)
        self.relayout()
