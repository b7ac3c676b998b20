"""Edits of JSON files by the paths of their values, for files that must be refused."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

REMOVED = object()
"""The value that removes an item."""


def edit_json(path: Path, edits: dict[str, Any]) -> None:
    """Set values in a file by their paths, such as ``form.1.box``; ``*`` is every item of a list."""
    data = json.loads(path.read_text(encoding="utf-8"))
    for place, value in edits.items():
        _set(data, place.split("."), value)
    path.write_text(json.dumps(data), encoding="utf-8")


def _set(data: Any, steps: list[str], value: Any) -> None:
    step, *later = steps
    for key in range(len(data)) if step == "*" else [int(step) if isinstance(data, list) else step]:
        if later:
            _set(data[key], later, value)
        elif value is REMOVED:
            del data[key]
        else:
            data[key] = value(data[key]) if callable(value) else value
