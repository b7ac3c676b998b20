"""The solution of a task on a page of others: real clicks, keys and turns of the wheel, tried on a page beside it."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ...core.tools import Call
from ..forms.form_fields import Value
from ..scoring import ScoredField
from ..tools import MAX_SCROLL
from .live_page import LivePage

Box = Sequence[float]
_TOOLS = {"click": "x y", "type_text": "text", "press_key": "key", "scroll": "dy"}
_NEXT = re.compile(r"\b(next|continue|proceed|forward|weiter|suivant|siguiente|avanti)\b|[→›»]", re.IGNORECASE)
_MAX_TRIES = 3
_MAX_ROUNDS = 400
_MAX_PAGES = 20
_MAX_TURNS = 60
_MAX_TABS = 200
_THUMB = 8
_MONTHS = "January February March April May June July August September October November December".split()
_DATES: Mapping[str, Callable[[list[str]], list[str]]] = {
    "date": lambda v: [f"{v[1]}{v[2]}{v[0]}"],
    "time": lambda v: [_clock(v)],
    "datetime-local": lambda v: [f"{v[1]}{v[2]}{v[0]}", "\t", _clock(v[3:])],
    "month": lambda v: [_MONTHS[int(v[1]) - 1], "\t", v[0]],
    "week": lambda v: [v[1], v[0]],
}
"""The keys of a date, from its numbers."""


class CannotEnter(ValueError):
    """A value cannot be entered into a page; the message names field, value and reason."""


class PageSolver:
    """Plans calls, and carries out each on the page at once.

    Args:
        page: is changed.

    Attributes:
        calls: that were made.
    """

    def __init__(self, page: LivePage) -> None:
        self.page = page
        self.calls: list[Call] = []
        gold = page.pages.gold
        self._window = gold.width, gold.height

    def do(self, tool: str, *arguments: Any) -> Any:
        """Carry out a call."""
        self.calls.append({"tool": tool, **dict(zip(_TOOLS[tool].split(), arguments, strict=True))})
        return getattr(self.page, tool)(*arguments)

    def click(self, box: Callable[[], Box | None], at: Callable[[Box], float] = lambda b: (b[0] + b[2]) / 2) -> None:
        """Click at a height in the middle of a box, scrolled into view first."""
        left, top, right, bottom = self._reach(box)
        x, y = int(at((left, top, right, bottom))), int((top + bottom) / 2)
        self.do("click", min(max(x, 0), self._window[0] - 1), min(max(y, 0), self._window[1] - 1))

    def enter(self, field: Mapping[str, Any], value: Value) -> None:
        """Enter a value into a field: its ``name``, ``selector`` and ``control``.

        Raises:
            CannotEnter: if it has no control that is visible, or does not offer the value.
        """
        info = self._info(field)
        kind, first = info["kind"], info["members"][0]
        names = [one for one in (value if isinstance(value, list) else [value]) if one]
        if kind in ("checkbox", "radio"):
            self._tick(field, value)
        elif kind == "multi_select" and first["itself"]:
            self._toggle(field, names)
        elif kind == "file":
            self.click(self._box(field))
            self.do("type_text", ", ".join(map(str, names)))
        elif kind in ("select", "multi_select") or not first["itself"]:
            for name in self._to_toggle(field, names) if isinstance(value, list) else names:
                self._choose(field, str(name))
        elif kind == "range":
            self._slide(field, float(str(value)))
        else:
            self._write(field, kind, "" if value is None else str(value))

    def _info(self, field: Mapping[str, Any]) -> dict[str, Any]:
        info: dict[str, Any] | None = self.page.live.call("info", field)
        if info is None:
            raise CannotEnter("the page has no such control: name it by a selector")
        return info

    def is_visible(self, field: Mapping[str, Any]) -> bool:
        """Whether something of a field can be clicked."""
        info = self.page.live.call("info", field)
        return info is not None and any(one["box"] for one in info["members"])

    def _box(self, field: Mapping[str, Any], index: int = 0) -> Callable[[], Box | None]:
        return lambda: self._info(field)["members"][index]["box"]

    def _reach(self, box: Callable[[], Box | None]) -> Box:
        """Bring a box into view by the wheel, or by the focus where the wheel turns something else."""
        width, height = self._window
        for turn in range(_MAX_TURNS + _MAX_TABS):
            found = box()
            if found is None:
                raise CannotEnter("its control is not visible any more")
            x, y = (found[0] + found[2]) / 2, (found[1] + found[3]) / 2
            left, top, right, bottom = found[4:] or (0, 0, width, height)
            seen = max(left, 0), max(top, 0), min(right, width), min(bottom, height)
            if seen[0] <= x < seen[2] and seen[1] <= y < seen[3]:
                return found[:4]
            if found[4:] and seen[1] < seen[3] and not top <= y < bottom:
                self._point(seen)
            by = int(max(-MAX_SCROLL, min(MAX_SCROLL, y - (seen[1] + seen[3]) / 2)))
            if turn >= _MAX_TURNS or not by or not self.do("scroll", by):
                self.do("press_key", "Tab")
        raise CannotEnter("its control cannot be scrolled into view")

    def _point(self, frame: Box) -> None:
        """Bring the mouse to the edge of a frame, which the wheel only turns under it."""
        (x, y), (left, top, right, bottom) = self.page.live.pointer, frame
        if not (left <= x < right and top <= y < bottom):
            self.do("click", int(left) + 3, int((top + bottom) / 2))

    def _write(self, field: Mapping[str, Any], kind: str, text: str) -> None:
        is_date, box = kind in _DATES, self._box(field)
        self.click(box, (lambda b: min(b[0] + 14, (b[0] + b[2]) / 2)) if is_date else lambda b: (b[0] + b[2]) / 2)
        if is_date and text:
            for keys in _DATES[kind](re.findall(r"\d+", text)):
                self.do("press_key", "Tab") if keys == "\t" else self.do("type_text", keys)
            return
        if self._holds(field) and kind != "color":
            self.do("press_key", "Control+a")
            self.do("press_key", "Delete")
        if text:
            self.do("type_text", text)
            if self._info(field)["suggests"]:
                # Some boxes forget what is typed and not chosen.
                self._click_text(text, "[role=option]")

    def _holds(self, field: Mapping[str, Any]) -> bool:
        return bool(self.page.live.call("holds", field))

    def _tick(self, field: Mapping[str, Any], value: Value) -> None:
        members = self._info(field)["members"]
        for index, member in enumerate(members):
            expected = value if isinstance(value, bool) else bool(set(member["names"]) & set(_texts(value)))
            is_stuck = member["ticked"] and self._info(field)["kind"] == "radio"
            if member["ticked"] != expected and not is_stuck:
                self.click(self._box(field, index))
                return

    def _toggle(self, field: Mapping[str, Any], names: Sequence[Any]) -> None:
        """Click the first option of a list of several that is wrong, scrolled into view within it."""
        for _ in range(_MAX_TURNS):
            info = self._info(field)
            wrong = [one for one in info["options"] if one["chosen"] != bool(set(one["names"]) & set(names))]
            self._reach(lambda: self._info(field)["box"])
            left, top, right, bottom = self._info(field)["box"][:4]
            if not wrong:
                return
            options = self._info(field)["options"]
            boxes = [options[info["options"].index(one)]["box"] for one in wrong]
            inside = [box for box in boxes if top <= (box[1] + box[3]) / 2 <= bottom]
            if inside:
                self.do("click", int((left + right) / 2), int((inside[0][1] + inside[0][3]) / 2))
                return
            if not top <= self.page.live.pointer[1] <= bottom or not left <= self.page.live.pointer[0] <= right:
                for _ in range(2):  # The wheel turns the list only where the mouse is over it.
                    self.do("click", int((left + right) / 2), int(top + 8))
            self.do("scroll", int((boxes[0][1] + boxes[0][3]) / 2 - (top + bottom) / 2))

    def _to_toggle(self, field: Mapping[str, Any], names: Sequence[Any]) -> list[Any]:
        """Those of ``names`` that are not chosen yet, and what else is chosen."""
        held = self.page.live.call("holds", field)
        chosen = held if isinstance(held, list) else []
        missing = [name for name in names if not any(name in pair for pair in chosen)]
        return missing + [text for value, text in chosen if not {value, text} & set(names)]

    def _choose(self, field: Mapping[str, Any], name: str) -> None:
        """Choose from a list: Chromium's own, or whatever a click on the control opens."""
        self.click(self._box(field))
        if self.page.live.tab.popup is not None:
            self._choose_row(self._info(field)["options"], name)
        elif not self._click_text(name) and self.page.has_focus:
            self.do("press_key", "Control+a")
            self.do("type_text", name)
            self._click_text(name)

    def _click_text(self, text: str, *among: str) -> bool:
        if self.page.live.call("text", text, *among) is None:
            return False
        self.click(lambda: self.page.live.call("text", text, *among))
        return True

    def _choose_row(self, options: Sequence[Mapping[str, Any]], name: str) -> None:
        """Choose from Chromium's open list by its keys."""
        free = [one for one in options if not one["disabled"]]
        row = next((i for i, one in enumerate(free) if name in one["names"]), None)
        if row is None:
            raise CannotEnter(f"it offers no {name!r}, but {'; '.join(one['names'][1] for one in free)[:400]}")
        start = next((i for i, one in enumerate(free) if one["chosen"]), None)
        if start is None:
            self.do("press_key", "Home")
            start = 0
        for _ in range(abs(row - start)):
            self.do("press_key", "ArrowDown" if row > start else "ArrowUp")
        self.do("press_key", "Enter")

    def _slide(self, field: Mapping[str, Any], value: float) -> None:
        low, high, step = self._info(field)["bounds"]
        share = (value - low) / ((high - low) or 1)
        self.click(self._box(field), lambda b: b[0] + _THUMB + share * (b[2] - b[0] - 2 * _THUMB))
        for _ in range(_MAX_TABS):
            held = self.page.live.call("holds", field)
            missing = value - float(held or 0)
            if abs(missing) < step / 2:
                return
            self.do("press_key", "ArrowRight" if missing > 0 else "ArrowLeft")


class TaskSolver(PageSolver):
    """Brings all fields of a task to their values, and submits the page.

    Args:
        page: is changed.
        fields: that count.
        unscored: further values to enter, by field.
    """

    def __init__(self, page: LivePage, fields: Sequence[ScoredField], unscored: Mapping[str, Value]) -> None:
        super().__init__(page)
        self._fields = {field.name: field for field in fields}
        self._targets = {field.name: field.initial if field.gold in (None, "", []) else field.gold for field in fields}
        self._targets |= unscored
        self._tries: dict[str, int] = {}

    def solve(self, must_submit: bool) -> list[Call]:
        """The calls, the last of which ends the episode.

        Raises:
            CannotEnter: if a value cannot be entered, or the page cannot be submitted.
        """
        page = self.page
        if page.live.tab.popup is not None:
            self.do("press_key", "Escape")
        for _ in range(_MAX_ROUNDS):
            if page.submitted is not None:
                break
            wrong = [name for name in self._targets if self._is_wrong(name)]
            here = next((name for name in wrong if self.is_visible(self._spec(name))), None)
            if here is not None:
                self._fix(here)
            elif wrong and self._open(wrong[0]):
                continue
            elif wrong or must_submit:
                self._leave(wrong)
            else:
                break
        self._check(must_submit)
        if page.submitted is None or not must_submit:
            self.calls.append({"tool": "terminate"})
        return self.calls

    def _spec(self, name: str) -> dict[str, Any]:
        field = self.page.pages.gold.fields[name]
        return {"name": name, "selector": field.selector, "control": field.control, "texts": field.texts}

    def _is_wrong(self, name: str) -> bool:
        held, field, target = self.page.draft().get(name), self._fields.get(name), self._targets[name]
        if field is None:
            return held != target
        if field.gold in (None, "", []) and field.control == "radio":
            return False
        return not field.accepts(held)

    def _fix(self, name: str) -> None:
        tries = self._tries[name] = self._tries.get(name, 0) + 1
        target = self._targets[name]
        if tries > _MAX_TRIES + len(_texts(target)):
            held = self.page.draft().get(name)
            raise CannotEnter(f"field {name!r} cannot be brought to {target!r}: it holds {held!r} when that is entered")
        try:
            self.enter(self._spec(name), target)
        except CannotEnter as error:
            raise CannotEnter(f"field {name!r} cannot be brought to {target!r}: {error}") from None

    def _open(self, name: str) -> bool:
        """Open the part of the page in which a field is hidden, if something says so."""
        tries = self._tries[f"open {name}"] = self._tries.get(f"open {name}", 0) + 1
        if tries > _MAX_TRIES or self.page.live.call("opener", self._spec(name)) is None:
            return False
        self.click(lambda: self.page.live.call("opener", self._spec(name)))
        return True

    def _leave(self, wrong: Sequence[str]) -> None:
        """Go on to further fields, or submit."""
        tries = self._tries["leave"] = self._tries.get("leave", 0) + 1
        chosen = self._way_on(bool(wrong)) if tries <= _MAX_PAGES else None
        if chosen is None:
            what = f"field {wrong[0]!r} is not visible, and" if wrong else "the page cannot be submitted:"
            problems = "; ".join(self.page.live.call("problems"))
            says = f" (the page says: {problems})" if problems else ""
            raise CannotEnter(f"{what} no button leads on; name it in next or submit{says}")
        self.click(lambda: self.page.live.call("place", chosen))

    def _way_on(self, to_fields: bool) -> str | None:
        """The selector of the button that leads to further fields, or submits."""
        buttons = [one for one in self.page.live.call("buttons") if not one["disabled"]]
        declared = {selector for path in self.page.pages.gold.next for selector in self._found(path)}
        further = [one for one in buttons if one["selector"] in declared] or list(filter(leads_on, buttons))
        submits = [one for one in buttons if one["declared"]] or [
            one for one in sorted(buttons, key=lambda b: -int(b["fields"])) if one["submits"] and one not in further
        ]
        ways = further if to_fields else [*submits, *further]
        return next((str(one["selector"]) for one in ways), None)

    def _found(self, path: str) -> list[str]:
        found: list[str] = self.page.live.evaluate(f"formgym.find({path!r}).map(formgym.selectorOf)")
        return found

    def _check(self, must_submit: bool) -> None:
        held = self.page.draft() if self.page.submitted is None else self.page.submitted
        for name, field in self._fields.items():
            if field.needs_entry and not field.accepts(held.get(name)):
                raise CannotEnter(f"field {name!r} holds {held.get(name)!r} in the end instead of {field.gold!r}")
        if must_submit and self.page.submitted is None:
            raise CannotEnter("the page cannot be submitted")


def leads_on(button: Mapping[str, Any]) -> bool:
    """Whether a button says that it leads to further fields."""
    return not button["disabled"] and not button["declared"] and _NEXT.search(button["text"]) is not None


def _texts(value: Value) -> list[str]:
    return value if isinstance(value, list) else [value] if isinstance(value, str) else []


def _clock(numbers: Sequence[str]) -> str:
    hour, minute = int(numbers[0]), numbers[1]
    return f"{hour % 12 or 12:02}{minute}{'PM' if hour >= 12 else 'AM'}"
