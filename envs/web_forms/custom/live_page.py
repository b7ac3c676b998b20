"""LivePage: a page of others in a tab of Chromium, as it is, with the methods that the tools use."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import parse_qs, quote_plus

import numpy as np

from ...core.boxes import Rect
from ...core.painting import Image, Layer
from ..chromium import BrowserHold, Tab
from ..forms.form_fields import LISTS, Value
from .contained_tab import ContainedTab
from .gold import GoldFile, GoldTask
from .picker import Picker
from .servers import CommandServer, FolderServer, PageServer

_DONE = ("sent", "gone", "valid")
_CHOICES = ("select", "radio", "multi_select", "checkbox_group", "file")
_PICKERS = {
    "date": "Its calendar is not in the picture: type month, day and year, such as 05032026.",
    "time": "Its clock is not in the picture: type hour, minute and AM or PM, such as 0930AM.",
    "datetime-local": "Its calendar is not in the picture: type month, day, year, Tab, and the time, such as 0930AM.",
    "month": "Its calendar is not in the picture: type the month, Tab, and the year.",
    "week": "Its calendar is not in the picture: type the week, Tab, and the year.",
    "color": "Its palette is not in the picture: type the colour as #rrggbb.",
}
_CONTROL_KEYS = str.maketrans("", "", "\r\n\t")
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


class LivePages:
    """The pages of a folder, opened in this process's browser, each in a context of its own.

    Args:
        folder: of the page.
        gold: its tasks.
        allow_commands: whether the command of its server may be run.
        server: one that runs already, and is not closed.

    Raises:
        ValueError: if it has a server of its own, and its command may not be run.
    """

    def __init__(
        self, folder: Path, gold: GoldFile, allow_commands: bool = False, server: PageServer | None = None
    ) -> None:
        if gold.server is not None and server is None and not allow_commands:
            command = " ".join(gold.server.command)
            raise ValueError(
                f"{folder} has a server of its own, which needs the command {command!r} to be run: look at what it "
                "does, then allow it with allow_commands=True"
            )
        self.folder, self.gold, self._shared = folder, gold, server
        self._hold = BrowserHold()
        self._server: PageServer | None = None
        self._helper: Tab | None = None
        self._made: TemporaryDirectory[str] | None = None

    def open_tab(self) -> ContainedTab:
        """A blank tab that reaches the page's server only, which is started first."""
        if self._server is None and self._shared is None:
            started = self.gold.server
            self._server = CommandServer(started, self.folder) if started else FolderServer(self.folder)
        server = self._shared or self._server
        assert server is not None
        can_navigate = self._shared is not None or self.gold.server is not None
        return ContainedTab(self._hold, self.gold, server.port, can_navigate)

    def helper(self) -> Tab:
        """A tab that draws open lists."""
        if self._helper is None:
            self._helper = self._hold.open_tab(self.gold.width, self.gold.height)
            self._helper.evaluate("(document.body.style.margin = 0)")
        return self._helper

    def files(self, names: Iterable[str]) -> list[str]:
        """Paths of files of some names: those in the page's folder, or made up."""
        if self._made is None:
            self._made = TemporaryDirectory(prefix="formgym_files_")
        paths = []
        for name in names:
            own, made = self.folder / name, Path(self._made.name) / name
            if not own.is_file():
                made.write_text(f"{name}\n", encoding="utf-8")
            paths.append(str(own if own.is_file() else made))
        return paths

    def close(self) -> None:
        """Close the server and the claim on the browser."""
        if self._helper is not None:
            self._helper.close()
        self._hold.close()
        if self._server is not None:
            self._server.close()
        if self._made is not None:
            self._made.cleanup()
        self._server = self._helper = self._made = None

    def __reduce__(self) -> tuple[Any, ...]:
        return LivePages, (self.folder, self.gold, True, self._shared)


class LivePage:
    """A page that is being filled in.

    The values of fields are read from the document after every action, so that a field that a script has removed keeps
    the last value it was seen to hold. The page counts as submitted when

    - what ``gold.submitted`` selects is visible; without it,
    - a ``submit`` event was not prevented, which the browser follows by a request, or
    - it was prevented, or the control that ``gold.submit`` selects was clicked, and the page then sent a request other
      than GET, reset or removed the form, or left it with valid values, no further mark of an error and no further
      controls (which would be the next step of several); with ``gold.submit`` only if it was that control, or
    - without any such event, and without ``gold.submit``, the page sent a request that carries a value of a field.

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
        self.submitted: dict[str, Value] | None = None
        self.clicks: list[str] = []
        self.choices: list[tuple[str, str]] = []
        self.background: Image = np.empty((0, 0, 3), np.uint8)
        self.has_focus = False
        self.picker: Picker | None = None
        self._is_choosing = False
        self._last_submit: dict[str, Any] | None = None
        self._notes: list[str] = []
        self._actions: list[list[Any]] = []
        self._draft: dict[str, Value] = {}
        self._focus: dict[str, Any] = {}
        self._live: ContainedTab | None = self._opened()
        for name, *arguments in actions:
            getattr(self, name)(*arguments)

    @property
    def live(self) -> ContainedTab:
        """The tab; one that was closed, or is another process's, is opened anew and its actions repeated."""
        if self._live is None:
            # What they report, and what of it was taken, is known already.
            kept = {name: value for name, value in self.__dict__.items() if name != "_live"}
            self.clicks, self.choices, self._notes = [], [], []
            self._live = self._opened()
            for name, *arguments in kept["_actions"]:
                getattr(self, name)(*arguments)
            self.__dict__.update(kept)
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

    def missing(self, text: str) -> str:
        """Nothing: Chromium draws what its fonts have."""
        return ""

    # Actions.

    def click(self, x: int, y: int, times: int = 1) -> bool:
        """Click at a pixel of the window; return whether something there reacts."""
        live, picker = self.live, self.picker
        self._record("click", x, y, times)
        live.pointer = x, y
        if picker is not None and picker.holds(x, y):
            self._choose(picker, picker.row_at(y))
            self._refresh()
            return True
        self._close_picker()
        live.chooser = 0
        at = live.call("at", x, y)
        if at["field"] is not None:
            self.clicks.append(at["field"])
        if at["several"]:
            self._notes.append("Clicks in this list add and remove: the key Control is held.")
        live.click(x, y, times, control=at["several"])
        was_open = picker is not None and at["control"]
        self._refresh(closes=picker.rect if was_open and picker is not None else None)
        return bool(at["control"])

    def type_text(self, text: str) -> int:
        """Type characters; return how many of them nothing took: none or all."""
        before, frame, live = self._seen(), self.background, self.live
        self._record("type_text", text)
        if live.chooser:
            if not self._name_files(text):
                return len(text)
        elif self._focus.get("kind") == "color":
            if not _COLOUR.fullmatch(text.strip()):
                self._notes.append(_PICKERS["color"])
                return len(text)
            live.call("setColor", text.strip().lower())
        else:
            live.tab.type_text(text)
        self._refresh()
        length = len(text.translate(_CONTROL_KEYS))
        is_taken = self.has_focus and (before != self._seen() or not np.array_equal(frame, self.background))
        return 0 if is_taken else length

    def press_key(self, key: str) -> bool:
        """Press a key; return whether anything changes."""
        before, frame, live = self._seen(), self.background, self.live
        self._record("press_key", key)
        if self.picker is not None and key in ("Escape", "Enter", "Space"):
            self._close_picker()
        else:
            if key == "Tab":
                self._close_picker()
            live.tab.press_key(key)
        self._refresh()
        return before != self._seen() or not np.array_equal(frame, self.background)

    def scroll(self, dy: int) -> int:
        """Turn the wheel where the mouse is; by how many pixels something has scrolled."""
        live, picker = self.live, self.picker
        self._record("scroll", dy)
        if picker is not None and picker.holds(*live.pointer):
            rows = round(dy / picker.row) or (1 if dy > 0 else -1 if dy < 0 else 0)
            moved = picker.scroll_to(picker.top + rows) * picker.row
            self._refresh()
            return moved
        self._close_picker()
        live.call("at", *live.pointer)
        before = live.call("scrolled")
        live.tab.wheel(dy)
        self._refresh()
        return round(float(live.call("scrolled")) - float(before))

    # What has come of them.

    def _opened(self) -> ContainedTab:
        gold, live = self.pages.gold, self.pages.open_tab()
        fields = [
            {"name": name, "selector": field.selector, "control": field.control} for name, field in gold.fields.items()
        ]
        state = {"fields": fields, "submit": gold.submit, "submitted": gold.submitted}
        live.prepare = f"Object.assign(formgym.state, {json.dumps(state)})"
        self._live = live
        self._actions, self._draft, self.picker = [], {}, None
        try:
            live.open(gold.page)
            self._refresh(settle=False)
        except BaseException:
            live.close()
            raise
        self.choices.clear()
        return live

    def _record(self, name: str, *arguments: Any) -> None:
        self._actions.append([name, *arguments])
        self.live.sent.clear()

    def _seen(self) -> Any:
        return (
            dict(self._draft),
            self._focus,
            self.submitted is None,
            self.picker and (self.picker.rect, self.picker.top),
        )

    def _refresh(self, settle: bool = True, closes: Rect | None = None) -> None:
        """Update the picture, the values and the events from the page."""
        live = self.live
        if settle:
            live.settle()
        report = live.call("report")
        self._focus = report["focus"] or {}
        self.has_focus = report["focus"] is not None
        self._update_values(report["values"])
        self._update_submission(report)
        for kind, detail in report["events"]:
            self._notes.append(_PICKERS[detail] if kind == "picker" else "The page tried to print, which is not done.")
        self._update_picker(report["picker"], closes)
        if live.chooser and not self._is_choosing:
            self._notes.append(
                "Its file dialog is not in the picture: type the name of the file, or several with commas between."
            )
        self._is_choosing = bool(live.chooser)
        self._notes += live.notes
        live.notes.clear()
        picture = live.tab.screenshot()
        self.background = self.picker.draw(self.pages.helper(), picture) if self.picker else picture

    def _update_values(self, values: Mapping[str, Any]) -> None:
        for name, field in self.pages.gold.fields.items():
            read = values.get(name)
            if read is None:
                self._draft.setdefault(name, None)
                continue
            value, before = self._value(name, read), self._draft.get(name)
            if value == before and name in self._draft:
                continue
            if field.control in (*_CHOICES, "checkbox"):
                items, old = (one if isinstance(one, list) else [one] for one in (value, before))
                self.choices += [(name, str(item)) for item in items if item and item not in old]
            self._draft[name] = value
            self.edits += 1

    def _value(self, name: str, read: Any) -> Value:
        """What was read, as a value; choices are spelt as in the task if it names them by value or text."""
        control, gold = self.pages.gold.fields[name].control, self.task.values.get(name)
        if not isinstance(read, dict):
            return read if isinstance(read, bool) == (control == "checkbox") else str(read)
        spelt = gold if isinstance(gold, list) else [gold]
        names = [value if value in spelt and text not in spelt else text or value for value, text in read["chosen"]]
        if control == "checkbox":
            return bool(names)
        if control in LISTS or isinstance(gold, list):
            return names
        return ", ".join(names) or (None if control in _CHOICES else "")

    def _update_submission(self, report: Mapping[str, Any]) -> None:
        if self.submitted is not None:
            return
        gold, sent = self.pages.gold, self.live.sent
        submits = [one for one in report["submits"] if one["declared"] or not gold.submit]
        done = [one for one in submits if one["outcome"] in _DONE or (sent and one["outcome"] == "refused")]
        self._last_submit = (report["submits"] or [self._last_submit])[-1]
        is_done = bool(done) or (not gold.submit and not submits and self._carried())
        if gold.submitted:
            is_done = report["shows"]
        if not is_done:
            return
        submit = (done or [self._last_submit])[-1]
        sent_values = {**_sent_values(sent), **(dict(submit["data"]) if submit else {})}
        values = submit["values"] if submit else {}
        self.submitted = {
            name: self._value(name, values[name]) if values.get(name) is not None
            else self._draft.get(name) if self._draft.get(name) is not None
            else sent_values.get(name)
            for name in gold.fields
        }  # fmt: skip
        self.edits += 1

    def _carried(self) -> bool:
        """Whether a request of the page carries a text that was entered."""
        texts = [one for one in self._draft.values() if isinstance(one, str) and len(one) > 2]
        bodies = [body for _, _, body in self.live.sent]
        spelt = {spelling for text in texts for spelling in (json.dumps(text)[1:-1], quote_plus(text), text)}
        return any(text in body for text in spelt for body in bodies)

    # Open lists.

    def _update_picker(self, found: Mapping[str, Any] | None, closes: Rect | None) -> None:
        window = self.pages.gold.width, self.pages.gold.height
        if found is None:
            self.picker = None
            return
        top = self.picker.top if self.picker is not None else None
        chosen = {found["chosen"]} if found["chosen"] >= 0 else set()
        picker = Picker.at(found["box"], window, found["font"], rows=found["rows"], chosen=chosen)
        if closes is not None and closes[:1] == picker.rect[:1] and closes == picker.rect:
            # A click on the control of an open list closes it.
            self._close_picker()
            return
        if top is not None and all(top <= one < top + picker.visible for one in chosen):
            picker.scroll_to(top)
        self.picker = picker

    def _choose(self, picker: Picker, row: int | None) -> None:
        if row is not None:
            self.live.call("choose", row)

    def _name_files(self, text: str) -> bool:
        """Choose the files that a text names, as in a file dialog; return whether they are all at hand."""
        names = [name.strip() for name in re.split(r"[;,\n]", text) if name.strip()]
        if unknown := [name for name in names if name not in self.task.files]:
            at_hand = ", ".join(self.task.files) or "none"
            self._notes.append(f"There is no file {unknown[0]!r}; the files at hand: {at_hand}.")
            return False
        node = {"backendNodeId": self.live.chooser}
        self.live.tab.call("DOM.setFileInputFiles", node | {"files": self.pages.files(names)})
        self.live.chooser = 0
        return True

    def _close_picker(self) -> None:
        self.picker = None
        self.live.evaluate("(formgym.state.picker = null)")


def _sent_values(sent: Sequence[tuple[str, str, str]]) -> dict[str, str]:
    """The values in the bodies of requests, by name: JSON, URL-encoded or in parts."""
    values: dict[str, str] = {}
    for _, _, body in sent:
        try:
            data = json.loads(body)
            values |= {name: str(value) for name, value in data.items()} if isinstance(data, dict) else {}
        except ValueError:
            parts = re.findall(r'name="([^"]*)"(?:; filename="([^"]*)")?.*?\r\n\r\n(.*?)\r\n--', body, re.DOTALL)
            values |= {name: file or value for name, file, value in parts}
            values |= {} if parts else {name: ", ".join(texts) for name, texts in parse_qs(body).items()}
    return values
