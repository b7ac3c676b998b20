"""The published tasks that a page can take, and what of them it cannot."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import zip_longest
from typing import Any, NamedTuple

from ..custom.contained_tab import ContainedTab
from ..custom.gold import GoldField, GoldFile, GoldTask
from ..forms.form_fields import LISTS, ONE_LINE, Value, default_matcher
from ..scoring import ScoredField
from .checkout import PublishedForm, PublishedInstance
from .controls import PublishedControl, grouped
from .labels import match_labels
from .values import NotEnterable, entered_value

_NOTHING: tuple[Value, ...] = (None, "", [], False)
_TYPED = (*ONE_LINE, "textarea", "number", "date")
_FILLERS: Mapping[str, Value] = {
    "checkbox": True,
    "date": "2024-01-15",
    "email": "person@example.org",
    "url": "https://example.org",
    "tel": "202-555-0100",
    "number": "1",
}
"""What a control holds that must be filled in and has no published value; a text: ``n/a``."""


class PublishedTask(NamedTuple):
    """An instance as a page can take it.

    Attributes:
        page_task: its text, what is entered, and the files to choose from.
        fields: what counts: the controls whose key the instance has, unless its value cannot be entered.
        unscored: values of controls that must be filled in but do not count.
    """

    page_task: GoldTask
    fields: tuple[ScoredField, ...]
    unscored: Mapping[str, Value]


class Survey:
    """What of a form's instances a page can take.

    Args:
        form: the form.
        route: where the app serves it.
        instances: its values.
        page: showing the form, untouched; its buttons are pressed.

    Attributes:
        controls: of the page, by name.
        gold: what the page is opened with.
        matches: the control of each key that has one.
        tasks: the instances of which something can be entered, by number.
        skipped: counts of keys and values that are left out, by the reason.
    """

    def __init__(
        self, form: PublishedForm, route: str, instances: Sequence[PublishedInstance], page: ContainedTab
    ) -> None:
        self.form, self._instances = form, instances
        self.skipped = Counter[str]()
        self.controls = grouped(page.call("controls"), page.call("setters"))
        keys = tuple(dict.fromkeys(key for instance in instances for key in instance.values))
        labels = {name: control.labels for name, control in self.controls.items() if not self._goes_on(control)}
        self.matches = match_labels(keys, labels, self._fits)
        self._rejected = self._rejections(page)
        tasks = {str(instance.number): self._task(instance) for instance in instances}
        self.tasks = {number: task for number, task in tasks.items() if task is not None}
        fields = {name: _gold_field(control) for name, control in self.controls.items()}
        self.gold = GoldFile(title=form.title, page=route, fields=fields, tasks=(GoldTask(name="any"),))

    def _goes_on(self, control: PublishedControl) -> bool:
        """Whether a control is a further line of a list: its label is that of the first, but for a number."""
        first = self.controls[control.lines[0]]
        return control is not first and re.sub(r"\d", "", first.label) == re.sub(r"\d", "", control.label)

    def _fits(self, key: str, name: str) -> bool:
        """Whether a control can hold most of the values of a key."""
        given = [instance.values[key] for instance in self._instances if key in instance.values]
        held = [entered for value in given for _, entered in self._entered(value, name)]
        return 2 * sum(isinstance(value, NotEnterable) for value in held) <= len(held)

    def _entered(self, given: Any, name: str) -> Iterator[tuple[str, Value | NotEnterable]]:
        """The values of a control, and those of the next ones of its name if it is given a list."""
        control = self.controls[name]
        if isinstance(given, list) and len(control.lines) > 1 and control.control not in (*LISTS, "file"):
            for line, item in zip_longest(control.lines, given):
                yield from self._entered(item, line) if line else [("", NotEnterable("more values than controls"))]
            return
        try:
            yield name, entered_value(given, control.control, control.options, control.label, control.several)
        except NotEnterable as error:
            yield name, error

    def _rejections(self, page: ContainedTab) -> dict[tuple[str, str], str]:
        """The texts that the browser rejects, with the reason, by control and text."""
        texts = {
            (name, value)
            for instance in self._instances
            for key, first in self.matches.items()
            for name, value in self._entered(instance.values.get(key), first)
            if isinstance(value, str) and self.controls[name].control in _TYPED
        }
        pairs = sorted(texts)
        reasons = page.call("rejections", [(self.controls[name].selector, text) for name, text in pairs])
        return {pair: reason for pair, reason in zip(pairs, reasons, strict=True) if reason}

    def _values(self, instance: PublishedInstance) -> tuple[dict[str, Value], dict[str, Value]]:
        """The values of an instance by control, and parts of lists that cannot be entered whole; these are counted."""
        values: dict[str, Value] = {}
        parts: dict[str, Value] = {}
        for key, given in instance.values.items():
            entered: dict[str, Value] = {}
            refusals = [] if key in self.matches else ["no control has this label"]
            for name, value in self._entered(given, self.matches[key]) if key in self.matches else ():
                if isinstance(value, NotEnterable):
                    refusals.append(str(value))
                elif isinstance(value, str) and (name, value) in self._rejected:
                    refusals.append(f"rejected by the browser ({self._rejected[name, value]})")
                else:
                    entered[name] = value
            for reason in refusals[:1]:
                self._skip(f"{key}: {reason}")
            (parts if refusals else values).update(entered)
        return values, parts

    def _task(self, instance: PublishedInstance) -> PublishedTask | None:
        values, parts = self._values(instance)
        fields = tuple(_scored(self.controls[name], value) for name, value in values.items())
        if not any(field.needs_entry for field in fields):
            self._skip("an instance of which nothing can be entered")
            return None
        given = {name for name, value in (values | parts).items() if value not in _NOTHING}
        needed = [control for control in self.controls.values() if control.required and control.name not in given]
        unscored = parts | {control.name: _filler(control) for control in needed if control.initial in _NOTHING}
        entered = values | unscored
        files = [entered[name] for name in entered if self.controls[name].control == "file"]
        names = [str(name) for value in files for name in (value if isinstance(value, list) else [value]) if name]
        task = GoldTask(
            name=str(instance.number), source=instance.source, values=entered, files=tuple(dict.fromkeys(names))
        )
        return PublishedTask(task, fields, unscored)

    def _skip(self, reason: str) -> None:
        self.skipped[f"{self.form.name}: {reason}"] += 1


def _gold_field(control: PublishedControl) -> GoldField:
    parts = {"label": control.label, "control": control.control, "selector": control.selector, "texts": control.texts}
    return GoldField.model_validate(parts)


def _scored(control: PublishedControl, value: Value) -> ScoredField:
    kind = control.control
    return ScoredField(control.name, control.label, kind, default_matcher(kind), value, control.initial)


def _filler(control: PublishedControl) -> Value:
    if control.control == "file":
        endings = [part.strip() for part in control.accept.split(",") if part.strip().startswith(".")]
        return f"{control.name}{endings[0] if endings else '.pdf'}"
    if control.options:
        text = control.options[0][1]
        return [text] if control.control in LISTS else text
    return _FILLERS.get(control.control, "n/a")
