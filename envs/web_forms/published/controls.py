"""The controls of a page in a browser, those of one name together."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from ..forms.form_fields import LISTS, Value
from ..scoring import ATOMIC_KINDS

Found = Mapping[str, Any]
"""A control, or what sets one, as ``reader.js`` describes it."""


@dataclass(frozen=True)
class PublishedControl:
    """A control, or the boxes or buttons of one name.

    Attributes:
        name: the control's name, or else its id; further controls of one name are called ``name_2`` and so on.
        control: its kind.
        selector: of the control, or of the first of them; empty: its name finds them.
        labels: texts that may be its label, the most reliable first; some are empty.
        options: value and text of what can be chosen.
        initial: its first value.
        required: whether the browser submits nothing without it.
        several: whether it takes several files.
        accept: the endings and types of files that it takes.
        visible: whether it is to be seen at first.
        lines: its name and those of further controls of that name, which may be the lines of a list.
        texts: what is on the button of each of its values, where buttons set it.
    """

    name: str
    control: str
    selector: str
    labels: tuple[str, ...]
    options: tuple[tuple[str, str], ...]
    initial: Value = None
    required: bool = False
    several: bool = False
    accept: str = ""
    visible: bool = True
    lines: tuple[str, ...] = ()
    texts: Mapping[str, str] = field(default_factory=dict)

    @property
    def label(self) -> str:
        """What a person sees of it."""
        return next(filter(None, self.labels), self.name)


def grouped(found: Iterable[Found], setters: Iterable[Found] = ()) -> dict[str, PublishedControl]:
    """The controls of a page that fields can be, by name.

    Args:
        found: all controls.
        setters: the buttons that set hidden ones.
    """
    groups: dict[str, list[Found]] = defaultdict(list)
    lines: dict[str, list[str]] = defaultdict(list)
    for one in found:
        base = name = one["name"] or one["id"]
        if one["control"] not in ("radio", "checkbox"):
            name = f"{base}_{len(lines[base]) + 1}" if base in groups else base
            lines[base].append(name)
            lines[name] = lines[base]
        groups[name].append(one)
    controls = {name: _control(name, members, lines[name]) for name, members in groups.items() if name}
    buttons: dict[str, list[Found]] = defaultdict(list)
    for one in setters:
        buttons[one["name"]].append(one)
    controls |= {name: _set_by_buttons(name, members) for name, members in buttons.items()}
    return {name: control for name, control in controls.items() if control.control in ATOMIC_KINDS}


def _control(name: str, members: Sequence[Found], lines: Sequence[str]) -> PublishedControl:
    first, kind = members[0], str(members[0]["control"])
    if kind == "checkbox" and (len(members) > 1 or name.endswith("[]")):
        kind = "checkbox_group"
    is_group = kind in ("radio", "checkbox_group")
    return PublishedControl(
        name=name,
        control=kind,
        selector="" if is_group else first["selector"],
        labels=tuple(first["labels"]),
        options=tuple(map(tuple, [(one["option"], one["label"]) for one in members] if is_group else first["options"])),
        initial=_initial(kind, members),
        required=any(one["required"] for one in members),
        several=first["several"],
        accept=first["accept"],
        visible=any(one["visible"] for one in members),
        lines=tuple(lines) or (name,),
    )


def _initial(kind: str, members: Sequence[Found]) -> Value:
    first = members[0]["value"]
    if kind == "checkbox":
        return bool(first)
    chosen = [one["label"] for one in members if one["value"] is True]
    chosen += [text for one in members if isinstance(one["value"], dict) for _, text in one["value"]["chosen"]]
    if kind in LISTS or chosen:
        return chosen if kind in LISTS else chosen[0]
    return first if isinstance(first, str) and first else None


def _set_by_buttons(name: str, buttons: Sequence[Found]) -> PublishedControl:
    options = tuple((one["value"], one["text"]) for one in buttons)
    labels = (buttons[0]["label"], name)
    selector = f'[name="{name}"]'
    return PublishedControl(name, "radio", selector, labels, options, required=True, lines=(name,), texts=dict(options))
