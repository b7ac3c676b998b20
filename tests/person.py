"""A person at a form in a browser: uneven, with mistakes that are mended, and every way to enter a value."""

import io
import re

import numpy as np
from werkzeug.datastructures import FileStorage, MultiDict

from formgym.envs.web_forms.forms.form_fields import LISTS


def posted(task):
    """What a browser sends of a form that is filled in as its task says."""
    data, values = MultiDict(), task.instance.values
    for field in task.form.visible_fields(values):
        value = values[field.name]
        items = value if isinstance(value, list) else ["yes" if value is True else value] if value else []
        for item in items or ([""] if field.control not in ("radio", "checkbox", *LISTS) else []):
            data.add(field.name, FileStorage(io.BytesIO(b""), item) if field.control == "file" else item)
    return data


class Person:
    """Fills in a form.

    Args:
        page: Playwright's, for mouse and keyboard.
        frame: the form's frame.
        seed: of what is drawn: ways, mistakes and places.
    """

    def __init__(self, page, frame, seed):
        self.page, self.frame, self.rng = page, frame, np.random.default_rng(seed)
        self.mouse, self.keyboard = page.mouse, page.keyboard

    def fill_in(self, task):
        """Enter the answers of a task, page by page, and submit them."""
        form, values = task.form, task.instance.values
        for number, part in enumerate(form.pages):
            for index in range(len(part.blocks)):
                for _ in range(form.rows(number, index, values) - 1):
                    self.click(
                        self.frame.locator(f'section[data-page="{number}"] fieldset').nth(index).locator("[data-add]")
                    )
            fields = [f for f in form.visible_fields(values) if f.page == number]
            left = [f for f in fields if values[f.name] not in (None, "", [], False) and values[f.name] != f.initial]
            for field in left:
                self.enter(field, values[field.name])
            section = f'section[data-page="{number}"] nav '
            if number and self.chance(0.5):
                self.click(self.frame.locator(section + '[data-turn="back"]'))
                self.click(self.frame.locator(f'section[data-page="{number - 1}"] nav [data-turn="next"]'))
            self.click(self.frame.locator(section + 'button:not([data-turn="back"])'))

    def chance(self, share):
        return self.rng.random() < share

    def click(self, locator, count=1, **at):
        """Turn the wheel to a control, move there unevenly, and click somewhere on it."""
        self.bring(locator)
        x, y = self.place(locator, **at)
        self.mouse.move(x, y, steps=int(self.rng.integers(1, 5)))
        self.mouse.click(x, y, click_count=count)

    def place(self, locator, x=None, y=None):
        box = locator.bounding_box()
        across = self.rng.uniform(0.2, 0.8) if x is None else x
        return box["x"] + box["width"] * across, box["y"] + box["height"] * (
            self.rng.uniform(0.3, 0.7) if y is None else y
        )

    def bring(self, locator):
        """Turn the wheel over the page until a control is well within the window."""
        outer = {"x": 0, "y": 0, "height": 768}
        for _ in range(60):
            if self.page.locator("iframe").count():
                self.page.locator("iframe").scroll_into_view_if_needed()
                outer = self.page.locator("iframe").bounding_box()
            box = locator.bounding_box()
            middle = box["y"] + box["height"] / 2 - outer["y"]
            if 40 < middle < outer["height"] - 40:
                return
            self.mouse.move(outer["x"] + 6, outer["y"] + 8)
            self.mouse.wheel(0, 240 if middle > 0 else -240)
            self.page.wait_for_timeout(40)

    def enter(self, field, value):
        cell = self.frame.locator(f'[data-field="{field.name}"]')
        if field.control in ("select", "multi_select", "file"):
            self.choose(cell.locator(".fg-box"), value if isinstance(value, list) else [value], field.control)
        elif field.control in ("checkbox", "radio", "checkbox_group"):
            for text in value if isinstance(value, list) else [value]:
                self.tick(cell, text)
        elif field.control == "date" and self.chance(0.3):
            self.pick(cell, value)
        else:
            self.write(cell.locator("input, textarea"), value)

    def tick(self, cell, text):
        options = cell.locator("label.option")
        one = options if text is True else options.filter(has_text=re.compile(rf"^{re.escape(text)}$"))
        self.click(one if self.chance(0.5) else one.locator("input"))
        if self.chance(0.2) and one.locator("input[type=checkbox]").count():
            self.keyboard.press("Space")
            self.click(one)

    def choose(self, box, texts, control):
        """Choose rows of a list: by the mouse and its wheel, by arrows, or by typing."""
        self.click(box)
        rows = self.frame.locator(".fg-popup .fg-row")
        names = rows.all_inner_texts()
        for text in texts:
            at = names.index(text)
            way = self.rng.choice(["mouse", "arrows", "typing"])
            if way == "typing" and control == "select" and self.can_be_typed(text, names):
                self.keyboard.type(text[:3])
                self.keyboard.press("Escape")
            elif way == "arrows":
                self.keyboard.press("Home")
                for _ in range(at):
                    self.keyboard.press("ArrowDown")
                self.keyboard.press("Enter")
            else:
                self.choose_by_mouse(rows.nth(at))
        if self.frame.locator(".fg-popup").count():
            self.keyboard.press("Escape")

    def can_be_typed(self, text, names):
        return next(name for name in names if name.lower().startswith(text[:3].lower())) == text

    def choose_by_mouse(self, row):
        popup = self.frame.locator(".fg-popup")
        for _ in range(60):
            inner, outer = row.bounding_box(), popup.bounding_box()
            if outer["y"] <= inner["y"] and inner["y"] + inner["height"] <= outer["y"] + outer["height"] + 1:
                break
            self.mouse.move(*self.place(popup))
            self.mouse.wheel(0, 50 if inner["y"] > outer["y"] else -50)
            self.page.wait_for_timeout(20)
        self.mouse.move(*self.place(row))
        if self.chance(0.3):
            self.keyboard.press("Enter")
        else:
            self.mouse.click(*self.place(row))

    def pick(self, cell, value):
        """Pick a day in the calendar, after turning years and months."""
        self.click(cell.locator(".fg-calendar-button"))
        calendar = self.frame.locator(".fg-calendar")
        year, month, day = map(int, value.split("-"))
        months = ["January", "February", "March", "April", "May", "June", "July", "August", "September", "October"]
        name, shown = calendar.locator(".fg-month").inner_text().split()
        by = year * 12 + month - 1 - (int(shown) * 12 + [*months, "November", "December"].index(name))
        for turn, times in ((12, by // 12 if by > 0 else -(-by // 12)), (1, by % 12 if by > 0 else -(-by % 12))):
            for _ in range(abs(times)):
                self.click(calendar.locator(f'[data-by="{turn if times > 0 else -turn}"]'))
        self.click(calendar.locator(f'[data-day="{day}"]'))

    def write(self, control, text):
        way = self.rng.choice(["click", "paste", "drag", "double", "undo", "insert", "tab", "middle"])
        self.click(control)
        self.keyboard.press("Control+a")
        if way == "paste":
            self.page.evaluate("text => navigator.clipboard.writeText(text)", text)
            self.keyboard.press("Control+v")
        elif way == "insert":
            self.keyboard.insert_text(text)  # as input methods do
        elif way in ("drag", "double", "undo") and len(text) > 6:
            self.type(text[:-3] + "zqx")
            self.mend_end(control, way)
            self.keyboard.type(text[-3:])
        elif way == "middle" and len(text) > 6:
            self.type(text[:2] + text[4:])
            self.keyboard.press("Home" if "\n" not in text else "Control+Home")
            for key in ("ArrowRight", "Shift+ArrowRight", "ArrowRight"):
                self.keyboard.press(key)
            self.keyboard.type(text[2:4])
        else:
            self.type(text)
        if way == "tab":
            self.keyboard.press("Tab")
        if control.input_value() != text:
            control.focus()
            self.keyboard.press("Control+a")
            self.keyboard.type(text)

    def mend_end(self, control, way):
        """Take away the last three characters."""
        if way == "undo":
            self.keyboard.press("Control+z")
            self.keyboard.press("Control+Shift+z")
        if way == "drag":
            box = control.bounding_box()
            self.mouse.move(box["x"] + 20, box["y"] + 18)
            self.mouse.down()
            self.mouse.move(box["x"] + 60, box["y"] + 19, steps=4)
            self.mouse.up()
            self.keyboard.press("End")
        if way == "double":
            self.click(control, 2, x=0.1)
            self.keyboard.press("Control+End")
        for _ in range(3):
            self.keyboard.press("Backspace")

    def type(self, text):
        """Type a text, with slips that are noticed after some characters."""
        while text:
            part, text = text[: (cut := int(self.rng.integers(4, 30)))], text[cut:]
            self.keyboard.type(part)
            if self.chance(0.15):
                slip = "".join(self.rng.choice(list("aeiou0"), int(self.rng.integers(1, 4))))
                self.keyboard.type(slip)
                for _ in slip:
                    self.keyboard.press("Backspace")
