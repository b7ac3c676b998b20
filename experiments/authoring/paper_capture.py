"""Photograph paper forms: from HTML to a page image and the boxes of its fields."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import fontpkg
import numpy as np
from PIL import Image

from ...envs.core.files import validated
from ...envs.core.painting import Image as Pixels
from ...envs.paper_forms.form_tasks import targets_of
from ...envs.paper_forms.paper_form import PaperForm
from ...envs.paper_forms.profile import profile, users
from ...envs.paper_forms.scans.scan_pages import FILLING, check_blanks, check_scan, filling, scanned
from ...envs.web_forms.chromium import Browser
from ...envs.web_forms.html.fallback_fonts import EAST_ASIAN, fallback_fonts
from ..reporting.page_images import png
from .web.camera import Camera

_FIELDS_SCRIPT = """[...document.querySelectorAll("[data-field]")].map(element => {
  const box = element.getBoundingClientRect(), round = n => Math.round(n * 100) / 100;
  const {field, label, matcher, value, when, comb, option} = element.dataset;
  return {name: field, label, matcher, box: [box.left, box.top, box.right, box.bottom].map(round),
          ...(value !== undefined && {value}), ...(when !== undefined && {when}), ...(comb && {comb: Number(comb)}),
          ...(option !== undefined && {option: true})};
})"""
_PAGE_SCRIPT = """({
  ...document.documentElement.dataset,
  ...(document.documentElement.lang && {language: document.documentElement.lang}),
  title: document.title,
  description: document.querySelector("meta[name=description]")?.content ?? "",
  width: Math.round(document.body.getBoundingClientRect().width),
  height: Math.round(document.body.getBoundingClientRect().height)})"""


def capture_form(folder: Path, browser: Browser) -> tuple[PaperForm, bytes]:
    """Photograph ``folder/form.html``.

    Args:
        folder: holds ``form.html``, whose ``body`` has the page's size in pixels.
        browser: a running browser.

    Returns:
        The form, validated, and its page as PNG.

    Raises:
        ValueError: if there is no such file, or a field or a user's answer to it is invalid (naming file and field).
    """
    source = folder / "form.html"
    if not source.is_file():
        raise ValueError(f"there is no {source} to photograph")
    with browser.open_tab(1224, 1584) as tab:
        tab.goto(source.resolve().as_uri())
        style = json.dumps(_font_faces())
        tab.evaluate(
            f"document.head.append(Object.assign(document.createElement('style'), {{ textContent: {style} }}))"
        )
        tab.evaluate("document.fonts.ready.then(() => 0)")
        about = tab.evaluate(_PAGE_SCRIPT)
        camera = Camera(tab)
        camera.resize(about["width"], about["height"])
        fields = tab.evaluate(_FIELDS_SCRIPT)
        pixels = camera.picture((0, 0, about["width"], about["height"]))
    form = _validated(source, about, fields, browser.version)
    _check_answers(source, form)
    return form, png(_as_scanned(folder, form, pixels) if form.vocabulary == "scan" else pixels)


def write_form(folder: Path, browser: Browser) -> PaperForm:
    """Photograph ``folder/form.html``; write ``page.png`` and ``form.json`` beside it."""
    form, picture = capture_form(folder, browser)
    (folder / "page.png").write_bytes(picture)
    (folder / "form.json").write_text(form_json(form), encoding="utf-8")
    return form


def capture_paper_forms(folders: Iterable[Path], report: Callable[[str], None]) -> None:
    """Photograph the paper forms in some folders, with a line for each in ``report``."""
    with Browser() as browser:
        for folder in folders:
            form = write_form(folder, browser)
            report(f"{folder}: {len(form.fields)} fields, {form.width} x {form.height}, {form.browser}")


def _as_scanned(folder: Path, form: PaperForm, pixels: Pixels) -> Pixels:
    """A scan in gray: filled in and worn, or clean where each task does that itself."""
    check_scan(form)
    clean = np.asarray(Image.fromarray(pixels).convert("L"))
    if not (folder / FILLING).exists():
        return np.repeat(clean[:, :, None], 3, axis=2)
    typed = filling(folder)
    check_blanks(form, typed.blanks)
    return scanned(clean, form, typed.facts, typed.blanks, typed.seed)


def _check_answers(source: Path, form: PaperForm) -> None:
    """Check that each user's answers are of the kinds that their fields take."""
    try:
        for user in users() if form.vocabulary == "profile" else ():
            targets_of(form, profile(user).facts)
    except ValueError as error:
        raise ValueError(f"{source}: {error}") from None


def _validated(source: Path, about: dict[str, Any], fields: list[dict[str, Any]], version: str) -> PaperForm:
    if not fields:
        raise ValueError(f"{source} has no field: give every place to write in a data-field, data-label, data-matcher")
    for field in fields:
        if missing := [f"data-{key}" for key in ("label", "matcher") if not field.get(key)]:
            raise ValueError(f"{source}: field {field['name']!r} has no {missing[0]}")
    digest = hashlib.sha256(source.read_bytes()).hexdigest()
    data = about | {"fields": fields, "source_sha256": digest, "browser": version}
    return validated(PaperForm, data, source)


def _font_faces() -> str:
    """CSS that makes every installed ``fontpkg`` family known under its name."""
    return (
        "\n".join(
            f'@font-face{{font-family:"{family.name}";font-style:{file.style};src:url("{file.path.as_uri()}");'
            f"font-weight:{'100 900' if file.variable else file.weight}}}"
            for family in fontpkg.families().values()
            for file in family.files
        )
        + _east_asian_face()
    )


def _east_asian_face() -> str:
    """CSS of Noto Sans CJK, if its package is installed; some scans need it."""
    path = fallback_fonts().get(EAST_ASIAN)
    return f'\n@font-face{{font-family:"Noto Sans CJK";src:url("{path.as_uri()}")}}' if path else ""


def form_json(form: PaperForm) -> str:
    """A form as JSON, one field a line."""
    data = form.model_dump(mode="json", exclude_defaults=True)
    fields = ",\n".join("    " + json.dumps(field, ensure_ascii=False) for field in data["fields"])
    rest = json.dumps({k: v for k, v in data.items() if k != "fields"}, ensure_ascii=False, indent=2)
    return rest.removesuffix("\n}") + ',\n  "fields": [\n' + fields + "\n  ]\n}\n"
