"""``make assets``: write and photograph all that is shipped, with Chromium, and write the index of files.

``python benchmarks/build_assets.py index`` writes the index alone; names such as ``scans/test/rental`` or
``web_forms/nda`` photograph these forms alone.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Iterable, Sequence
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any

from formgym.assets import INDEX, ROOT, file_digests
from formgym.envs.core.files import atomic_write
from formgym.envs.paper_forms.paper_form import GROUPS, shipped_forms
from formgym.envs.web_forms.chromium import Browser
from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.forms.form import form_folder, web_form, web_forms
from formgym.envs.web_forms.html.form_document import form_html
from formgym.envs.web_forms.html.themes import BOXES, themes
from formgym.envs.web_forms.instances.instance_generator import NUMBER, frozen_instances, make_instance
from formgym.experiments.authoring.paper_capture import capture_paper_forms
from formgym.experiments.authoring.web.capture_fonts import write_box_font
from formgym.experiments.authoring.web.capture_form import FACES, capture_web_form
from formgym.experiments.overview.environment_facts import facts_of


def write_index() -> None:
    """Update the index: the facts of shipped environments, and the hash and licence of every file."""
    index: dict[str, Any] = json.loads(INDEX.read_text(encoding="utf-8"))
    for env_id, entry in index["environments"].items():
        if "data_set" not in entry:
            entry["facts"] = facts_of(env_id)
    index["files"] = {name: {"sha256": sha256, "licence": "MIT"} for name, sha256 in file_digests().items()}
    INDEX.write_text(json.dumps(index, indent=2, ensure_ascii=False) + "\n", encoding="utf-8")


def page_source(form: str, theme: str) -> bytes:
    """The HTML whose hash a capture records, without paths of this machine."""
    return form_html(web_form(form), theme, runtime=False, font_url=lambda path: path.name).encode()


def capture_theme(theme: str, forms: Iterable[str]) -> str:
    """Photograph web forms in a theme; its name."""
    with tempfile.TemporaryDirectory() as folder, Browser() as browser:
        for form in forms:
            page = Path(folder) / f"{form}.html"
            page.write_text(form_html(web_form(form), theme, runtime=False), encoding="utf-8")
            capture_web_form(page.as_uri(), page_source(form, theme), CAPTURES / form / theme, FACES, browser)
    return theme


def write_instances(form: str, number: int = NUMBER) -> Path:
    """Write the test instances of a form, by its name or folder; return the path."""
    instances = [make_instance(form, "test", seed).model_dump(mode="json") for seed in range(number)]
    path = form_folder(form) / "instances.json"
    atomic_write(path, (json.dumps(instances, ensure_ascii=False, indent=1) + "\n").encode())
    frozen_instances.cache_clear()
    return path


def capture_web_forms(forms: Sequence[str]) -> None:
    """Photograph web forms in every theme; forms of a theme share faces, which only one process may write."""
    for form in forms:
        # Shipped instances are frozen: only those of a new form are written.
        if not (form_folder(form) / "instances.json").exists():
            print(write_instances(form))
    with ProcessPoolExecutor(2) as pool:
        for theme in pool.map(partial(capture_theme, forms=forms), themes()):
            print(f"{len(forms)} web forms in {theme}")


def build(names: Sequence[str]) -> None:
    """Photograph the forms of some names; without any, write everything anew."""
    web = [name.removeprefix("web_forms/") for name in names if name.startswith("web_forms/")]
    paper = [ROOT / name for name in names if not name.startswith("web_forms/")]
    if not names:
        write_box_font(BOXES)
        # A face's name says nothing of the versions of the browser and the font that it was taken with.
        for old in FACES.glob("*"):
            old.unlink()
        web, paper = list(web_forms()), [form for group in GROUPS for form in shipped_forms(group)]
    if paper:
        capture_paper_forms(paper, print)
    if web:
        capture_web_forms(web)


if __name__ == "__main__":
    if sys.argv[1:] != ["index"]:
        build(sys.argv[1:])
    write_index()
