"""The fields of a page, drafted from its controls: those that are there when it opens, and those of later steps."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

from ....envs.web_forms.custom.live_page import LivePage
from ....envs.web_forms.custom.oracle import CannotEnter, PageSolver, leads_on
from ....envs.web_forms.forms.form_fields import Value, default_matcher
from ..field_names import set_apart

Fields = dict[str, dict[str, Any]]
"""Fields by name, as ``gold.json`` holds them."""
_MAX_STEPS = 12
_SAMPLES: Mapping[str, str] = {
    "date": "2026-05-04",
    "datetime-local": "2026-05-04T10:30",
    "email": "sample@example.org",
    "month": "2026-05",
    "number": "1",
    "tel": "5550100",
    "time": "10:30",
    "url": "https://example.org",
    "week": "2026-W19",
}
"""What is entered to reach the next step, by control; ``Sample`` into others that hold a text."""
_UNTOUCHED = ("range", "color", "file")


def drafted_fields(controls: Sequence[Mapping[str, Any]], known: Fields | None = None) -> Fields:
    """The fields of controls: one for each, or for several of a group.

    Args:
        controls: as ``controls`` of ``reader.js`` lists them.
        known: fields that are there already; they come first.
    """
    fields = dict(known or {})
    drafted = {_key(field) for field in fields.values()}
    for control in controls:
        group, kind = control["group"], control["control"]
        is_named_group = bool(group and control["name"])
        kind = "checkbox_group" if group and kind == "checkbox" else kind
        name = control["name"] or control["id"] or _slug(group or control["label"])
        field = {"label": group or control["label"] or name, "control": kind, "matcher": default_matcher(kind)}
        field |= {} if is_named_group else {"selector": control["selector"]}
        is_known = _key(field) in drafted or (is_named_group and fields.get(name, {}).get("control") == kind)
        if control["readonly"] or is_known:
            continue
        drafted.add(_key(field))
        fields[set_apart(name, set(fields))] = field
    return fields


def explored_fields(page: LivePage) -> Fields:
    """The fields of a page and of its further steps, which are reached by entering samples and going on.

    Args:
        page: when it has been opened; it is changed.
    """
    fields = drafted_fields(page.live.call("controls")) | _set_by_buttons(page)
    solver = PageSolver(page)
    entered: set[str] = set()
    for _ in range(_MAX_STEPS):
        _enter_samples(solver, fields, entered)
        button = next((one for one in page.live.call("buttons") if leads_on(one)), None)
        if button is None or page.submitted is not None:
            break
        with suppress(CannotEnter):
            solver.click(partial(page.live.call, "place", button["selector"]))
        more = drafted_fields(page.live.call("controls"), fields)
        if len(more) == len(fields) and not any(map(solver.is_visible, _specs(fields, entered))):
            break
        fields = more
    return fields


def _set_by_buttons(page: LivePage) -> Fields:
    """The fields of hidden controls that two buttons or more set to values of their own, pressed on a copy."""
    copy = page.clone()
    try:
        groups: dict[str, list[Mapping[str, str]]] = {}
        for one in copy.live.call("setters"):
            groups.setdefault(one["name"], []).append(one)
    finally:
        copy.close()
    return {
        name: {
            "label": buttons[0]["label"] or name,
            "control": "radio",
            "matcher": default_matcher("radio"),
            "selector": f'[name="{name}"]',
            "texts": {one["value"]: one["text"] for one in buttons},
        }
        for name, buttons in groups.items()
        if len({one["value"] for one in buttons}) > 1
    }


def _enter_samples(solver: PageSolver, fields: Fields, entered: set[str]) -> None:
    """Enter a sample into each visible field that has none yet."""
    options = {one["selector"]: one for one in solver.page.live.call("controls")}
    for spec in _specs(fields, entered):
        if solver.is_visible(spec):
            entered.add(spec["name"])
            with suppress(CannotEnter):
                solver.enter(spec, _sample(spec, options))


def _specs(fields: Fields, entered: set[str]) -> Iterator[dict[str, Any]]:
    """The fields without a sample that can have one, as ``PageSolver`` takes them."""
    for name, field in fields.items():
        if name not in entered and field["control"] not in _UNTOUCHED:
            yield {"name": name, **{key: field.get(key, "") for key in ("selector", "control", "texts")}}


def _sample(spec: Mapping[str, Any], controls: Mapping[str, Mapping[str, Any]]) -> Value:
    kind = spec["control"]
    if kind == "checkbox":
        return True
    if spec["texts"]:
        return str(next(iter(spec["texts"].values())))
    same = [one for one in controls.values() if one["selector"] == spec["selector"] or one["name"] == spec["name"]]
    offered = [option[0] or option[1] for one in same for option in one["options"]]
    offered = offered or [one["option"] for one in same if one["option"]]
    if kind in ("multi_select", "checkbox_group"):
        return offered[:1]
    if kind in ("select", "radio"):
        return offered[0] if offered else ""
    return _SAMPLES.get(kind, "Sample")


def _key(field: Mapping[str, Any]) -> str:
    return json.dumps([field["control"], field.get("selector") or field["label"]])


def _slug(label: str) -> str:
    return "_".join(re.findall(r"\w+", label.lower())[:5]) or "field"
