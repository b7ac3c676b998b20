"""The index of shipped files: what they are, their hash and their licence."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

from ...assets import INDEX, ROOT

_LICENCE = "MIT"
_LICENCES = {".wasm": "public domain"}
_SUFFIXES = {".css", ".csv", ".html", ".json", ".md", ".onnx", ".png", ".sql", ".ttf", ".wasm", ".webp"}


def shipped_files() -> list[Path]:
    """All data files below ``assets`` except the index, sorted."""
    return sorted(path for path in ROOT.rglob("*.*") if path.suffix in _SUFFIXES and path != INDEX)


def digest(path: Path) -> str:
    """The sha256 of a file."""
    return hashlib.sha256(path.read_bytes()).hexdigest()


def write_index() -> None:
    """Update the index: the facts of shipped environments, and all hashes."""
    from ..reporting.environment_facts import facts_of

    index: dict[str, Any] = json.loads(INDEX.read_text(encoding="utf-8"))
    for env_id, entry in index["environments"].items():
        if "data_set" not in entry:
            entry["facts"] = facts_of(env_id)
    index["files"] = {
        path.relative_to(ROOT).as_posix(): {
            "sha256": digest(path),
            "licence": _LICENCES.get(path.suffix, _LICENCE),
        }
        for path in shipped_files()
    }
    INDEX.write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def broken_files() -> list[str]:
    """Files that differ from the index, are missing, or are not in it."""
    listed: dict[str, Any] = json.loads(INDEX.read_text(encoding="utf-8"))["files"]
    found = {path.relative_to(ROOT).as_posix(): digest(path) for path in shipped_files()}
    return sorted(
        name for name in listed.keys() | found.keys() if listed.get(name, {}).get("sha256") != found.get(name)
    )


def capture_paper_forms(folders: Iterable[Path], report: Callable[[str], None]) -> None:
    """Photograph the paper forms in some folders, with a line for each in ``report``."""
    from .paper_capture import write_form
    from .web.browser import chromium

    with chromium() as browser:
        for folder in folders:
            form = write_form(folder, browser)
            report(f"{folder}: {len(form.fields)} fields, {form.width} x {form.height}, {form.browser}")


def capture_all(report: Callable[[str], None]) -> None:
    """Write and photograph all that is shipped, and bring the index up to date.

    Args:
        report: called with a line for each form that is done.
    """
    from ...envs.paper_forms.accounting.generator.database_generator import write_shipped_database
    from ...envs.paper_forms.paper_form import GROUPS, shipped_forms
    from ...envs.web_forms.forms.form import form_folder, web_forms
    from ...envs.web_forms.html.themes import BOXES
    from ...envs.web_forms.instances.instance_generator import write_instances
    from .web.capture_fonts import write_box_font
    from .web.capture_form import capture_shipped

    write_shipped_database()
    capture_paper_forms([folder for group in GROUPS for folder in shipped_forms(group)], report)
    for name in web_forms():
        # The shipped ones are frozen: only those of a new form are made.
        if not (form_folder(name) / "instances.json").exists():
            report(f"{write_instances(name)}")
    write_box_font(BOXES)
    for name, theme in capture_shipped():
        report(f"{name} in {theme}")
    write_index()
