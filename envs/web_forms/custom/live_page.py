"""LivePage: a page of others in a tab of Chromium, as it is, with the methods that the tools use."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import parse_qs, quote_plus

import numpy as np

from ...core.boxes import Rect
from ...core.painting import Image, Layer
from ..forms.form_fields import LISTS, Value
from .contained_tab import ContainedTab
from .gold import GoldTask
from .live_pages import LivePages

_DONE = ("sent", "gone", "valid")
_CHOICES = ("select", "radio", "multi_select", "checkbox_group", "file")
_POPUP = "A calendar or palette is open, which takes keys only; Escape closes it. Digits can be typed without it."
_COLOUR = "A colour can be typed as #rrggbb."
_DIALOG = "Its file dialog is not in the picture: type the name of the file, or several with commas between."
_PRINT = "The page tried to print, which is not done."
_CONTROL_KEYS = str.maketrans("", "", "\r\n\t")


class LivePage:
    """A page that is being filled in.

    The values of fields are read from the document after every action, so that a field that a script has removed keeps
    the last value it was seen to hold. The page counts as submitted when

    - what ``gold.submitted`` selects is visible; without it,
    - a ``submit`` event was not prevented, which the browser follows by a request, or
    - it was prevented, or the control that ``gold.submit`` selects was clicked, and the page then sent a request other
      than GET, reset or removed the form, or left it with valid values, no further mark of an error and no further
      controls (which would be the next step of several); with ``gold.submit`` only if it was that control, or
    - without any such event, and without ``gold.submit``, the page posted itself, or a value of a field.

    The values are then those at the event; fields that the document has not got have those that the form or the request
    has sent.

    Args:
        pages: what opens it.
        task: whose files can be chosen, and whose spelling choices are reported in.
        actions: to begin with: names of methods and their arguments.
    """

    def __init__(self, pages: LivePages, task: GoldTask, actions: Sequence[Sequence[Any]] = ()) -> None:
        self.pages, self.task = pages, task
        self.layers: Sequence[Layer] = ()
        self.edits = 0
        self.background: Image = np.empty((0, 0, 3), np.uint8)
        self.submitted: dict[str, Value] | None = None
        self._notes: list[str] = []
        self._live: ContainedTab | None = None
        self._play(actions)

    @property
    def live(self) -> ContainedTab:
        """The tab; one that was closed, or is another process's, is opened anew and its actions repeated."""
        if self._live is None:
            # What they report, and what of it was taken, is known already.
            kept = {name: value for name, value in self.__dict__.items() if name != "_live"}
            self._play(kept["_actions"])
            self.__dict__.update(kept)
        assert self._live is not None
        return self._live

    def close(self) -> None:
        """Close the tab."""
        if self._live is not None:
            self._live.close()
            self._live = None

    def __getstate__(self) -> dict[str, Any]:
        return self.__dict__ | {"_live": None}

    def clone(self) -> LivePage:
        """An independent page in the same state."""
        return LivePage(self.pages, self.task, self._actions)

    def dump(self) -> dict[str, Any]:
        """The page as a JSON object: its actions and their results."""
        return {"done": self._actions, "draft": self._draft, "submitted": self.submitted}

    def draft(self) -> Mapping[str, Value]:
        """The value of every field, as it is now or was last seen; ``None``: empty, or never seen."""
        return self._draft

    def take_dirty(self) -> list[Rect]:
        """Nothing: another frame is another ``background``."""
        return []

    def take_notes(self) -> str:
        """What else there is to say of the last actions."""
        notes, self._notes = list(dict.fromkeys(self._notes)), []
        return "".join(f" {note}" for note in notes)

    def may_differ(self) -> bool:
        """False: what is seen is Chromium's own."""
        return False

    def missing(self, text: str) -> str:
        """Nothing: Chromium draws what its fonts have."""
        return ""

    # Actions.

    def click(self, x: int, y: int, times: int = 1) -> bool:
        """Click at a pixel of the window; return whether something there reacts."""
        live = self._begin("click", x, y, times)
        is_open, at = live.tab.popup is not None, live.call("at", x, y)
        if at["field"] is not None and not is_open:
            self.clicks.append(at["field"])
        if at["several"]:
            self._notes.append("Clicks in this list add and remove: the key Control is held.")
        live.chooser = 0
        live.click(x, y, times, control=at["several"])
        self._refresh()
        return bool(at["control"]) or is_open

    def type_text(self, text: str) -> int:
        """Type characters, or the names of files into an open dialog; return how many nothing took: none or all."""
        live, before, frame = self._begin("type_text", text), self._seen(), self.background
        if live.chooser:
            self._name_files(text)
        elif self._focus and self._focus["kind"] == "color":
            live.tab.press_key("Escape")
            live.call("setColor", text.strip().lower())
        else:
            live.tab.type_text(text)
        self._refresh()
        is_taken = self.has_focus and (before != self._seen() or not np.array_equal(frame, self.background))
        return 0 if is_taken else len(text.translate(_CONTROL_KEYS))

    def press_key(self, key: str) -> bool:
        """Press a key; return whether anything changes."""
        live, before, frame = self._begin("press_key", key), self._seen(), self.background
        live.chooser = 0
        live.tab.press_key(key)
        self._refresh()
        return before != self._seen() or not np.array_equal(frame, self.background)

    def scroll(self, dy: int) -> int:
        """Turn the wheel where the mouse is; by how many pixels something has scrolled."""
        live = self._begin("scroll", dy)
        live.call("at", *live.pointer)
        before = live.call("scrolled")
        live.tab.wheel(dy)
        self._refresh()
        return round(float(live.call("scrolled")) - float(before))

    def _begin(self, name: str, *arguments: Any) -> ContainedTab:
        live = self.live
        self._actions.append([name, *arguments])
        live.begin()
        return live

    def _name_files(self, text: str) -> None:
        """Choose the files that a text names, as in a file dialog."""
        names = [name.strip() for name in re.split(r"[;,\n]", text) if name.strip()]
        if unknown := [name for name in names if name not in self.task.files]:
            at_hand = ", ".join(self.task.files) or "none"
            self._notes.append(f"There is no file {unknown[0]!r}; the files at hand: {at_hand}.")
            return
        node = {"backendNodeId": self.live.chooser}
        self.live.tab.call("DOM.setFileInputFiles", node | {"files": self.pages.files(names)})
        self.live.chooser = 0

    # What has come of them.

    def _play(self, actions: Sequence[Sequence[Any]]) -> None:
        """Open the page, and repeat actions on it."""
        gold = self.pages.gold
        self.submitted = None
        self.has_focus = False
        self.clicks: list[str] = []
        self.choices: list[tuple[str, str]] = []
        self._notes = []
        self._actions: list[list[Any]] = []
        self._draft: dict[str, Value] = {}
        self._focus: Any = None
        self._last_record: dict[str, Any] = {"values": {}, "data": []}
        self._live = live = self.pages.open_tab()
        fields = [{"name": name, **field.model_dump()} for name, field in gold.fields.items()]
        live.state = {"fields": fields, "submit": gold.submit, "submitted": gold.submitted}
        try:
            live.open(gold.page)
            self._refresh(settle=False)
        except BaseException:
            self.close()
            raise
        self.choices.clear()
        for name, *arguments in actions:
            getattr(self, name)(*arguments)

    def _seen(self) -> Any:
        return dict(self._draft), self._focus, self.submitted is None

    def _refresh(self, settle: bool = True) -> None:
        """Update the picture, the values and the events from the page."""
        live = self.live
        if settle:
            live.settle()
        report = live.call("report")
        self._focus, self.has_focus = report["focus"], report["focus"] is not None
        if self.submitted is None:
            self._update_submission(report["outcomes"], report["shows"])
        self._update_values(report["values"])
        popup = live.tab.popup
        for url in report["windows"][:1]:
            where = live.named(url) or "something"
            self._notes.append(f"The page tried to open {where} in another window, which is not shown.")
        self._notes += [_PRINT] * report["prints"] + [_DIALOG] * bool(live.chooser)
        self._notes += [_POPUP] * bool(popup and not popup["is_list"]) + live.notes
        self._notes += [_COLOUR] * bool(self._focus and self._focus["kind"] == "color")
        live.notes.clear()
        self.background = live.tab.screenshot()

    def _update_values(self, values: Mapping[str, Any]) -> None:
        for name, field in self.pages.gold.fields.items():
            read, before = values.get(name), self._draft.get(name)
            value = before if read is None else self._value(name, read)
            if value != before or name not in self._draft:
                if field.control in (*_CHOICES, "checkbox"):
                    items, old = (one if isinstance(one, list) else [one] for one in (value, before))
                    self.choices += [(name, str(item)) for item in items if item and item not in old]
                self._draft[name] = value
                self.edits += 1

    def _value(self, name: str, read: Any) -> Value:
        """What was read, as a value; choices are spelt as in the task if it names them by value or text."""
        control, gold = self.pages.gold.fields[name].control, self.task.values.get(name)
        if not isinstance(read, dict):
            if isinstance(read, bool) and control == "checkbox":
                return read
            return self.pages.gold.fields[name].texts.get(str(read), str(read))
        spelt = gold if isinstance(gold, list) else [gold]
        names = [value if value in spelt and text not in spelt else text or value for value, text in read["chosen"]]
        if control == "checkbox":
            return bool(names)
        if control in LISTS or isinstance(gold, list):
            return names
        return ", ".join(names) or (None if control in _CHOICES else "")

    def _update_submission(self, outcomes: Sequence[str], shows: bool) -> None:
        gold, live = self.pages.gold, self.live
        # Of a document that is gone nothing more is known: its form was sent.
        outcomes = ["sent"] * (len(live.records) - len(outcomes)) + list(outcomes)
        records = [
            (one, outcome)
            for one, outcome in zip(live.records, outcomes, strict=False)
            if one["isDeclared"] or not gold.submit
        ]
        done = [one for one, outcome in records if outcome in _DONE or (live.sent and outcome == "refused")]
        self._last_record = (live.records or [self._last_record])[-1]
        is_done = bool(done) or (not gold.submit and not records and (live.is_posted or self._carried()))
        if not (shows if gold.submitted else is_done):
            return
        record = (done or [self._last_record])[-1]
        sent = {**_sent_values(live.sent), **dict(record["data"])}
        self.submitted = {}
        for name in gold.fields:
            read, held = record["values"].get(name), self._draft.get(name)
            self.submitted[name] = (
                self._value(name, read) if read is not None else sent.get(name) if held is None else held
            )
        self.edits += 1

    def _carried(self) -> bool:
        """Whether a request of the page carries a text that was entered."""
        texts = [one for one in self._draft.values() if isinstance(one, str) and len(one) > 2]
        spelt = {spelling for text in texts for spelling in (json.dumps(text)[1:-1], quote_plus(text), text)}
        return any(text in body for text in spelt for body in self.live.sent)


def _sent_values(bodies: Sequence[str]) -> dict[str, str]:
    """The values in the bodies of requests, by name: JSON, URL-encoded or in parts."""
    values: dict[str, str] = {}
    for body in bodies:
        try:
            data = json.loads(body)
            values |= {name: str(value) for name, value in data.items()} if isinstance(data, dict) else {}
        except ValueError:
            parts = re.findall(r'name="([^"]*)"(?:; filename="([^"]*)")?.*?\r\n\r\n(.*?)\r\n--', body, re.DOTALL)
            values |= {name: file or value for name, file, value in parts}
            values |= {} if parts else {name: ", ".join(texts) for name, texts in parse_qs(body).items()}
    return values
