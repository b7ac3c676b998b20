"""What can be looked at: forms, their texts and files, fonts."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import fontpkg
from flask import Blueprint, Response, render_template, request, send_file, url_for

from ..form import WebForm, web_form, web_forms
from ..html.html import Mode, form_html
from ..html.missing import BOXES
from ..html.themes import theme, themes
from .answers import nonce
from .refusals import Refused
from .sample_files import sample_file
from .sessions import FIELD, Session
from .state import asked_reveal, asked_task, asked_theme, source_html, state
from .tasks import FIRST, Task, find_task, tasks_of

pages = Blueprint("pages", __name__, template_folder="templates")

_HERE = Path(__file__).parent
_YEAR = 365 * 24 * 3600


@pages.get("/")
def index() -> str:
    """Every form, by domain."""
    asked_theme()
    domains: dict[str, list[WebForm]] = defaultdict(list)
    for name in web_forms():
        form = web_form(name)
        domains[form.domain].append(form)
    return render_template(
        "index.html.jinja",
        domains=sorted(domains.items()),
        themes=[theme(name) for name in themes()],
        chosen=asked_theme(),
        task=request.args.get("task", FIRST),
        reveal=request.args.get("reveal"),
        count=len(web_forms()),
    )


@pages.get("/forms/<name>")
def task_page(name: str) -> str:
    """A task: its text beside its form."""
    task, look = asked_task(name), asked_theme()
    split, _, number = task.id.partition("/")
    steps = {
        label: f"{split}/{int(number) + by}"
        for label, by in (("Previous", -1), ("Next", 1))
        if 0 <= int(number) + by < tasks_of("test" if split == "test" else "train")
    }
    return render_template(
        "task.html.jinja",
        task=task,
        theme=look,
        themes=[theme(one) for one in themes()],
        steps=steps,
        reveal=request.args.get("reveal"),
        source=source_html(task.instance.source),
    )


@pages.get("/forms/<name>/form")
def bare_form(name: str) -> str:
    """The form alone, in a session of its own, to be filled in and submitted."""
    task, look = asked_task(name), asked_theme()
    token = state().sessions.open(Session(name, task.id, look, asked_reveal()))
    return _document(task, look, "site", {FIELD: token})


@pages.get("/forms/<name>/env")
def env_form(name: str) -> str:
    """The form alone, as environments see it: without session, and submitted nowhere.

    Its pickers offer a task's files, or those that ``file`` names, as often as it is given.
    """
    task = asked_task(name)
    return _document(task, asked_theme(), "env", {}, request.args.getlist("file") or task.instance.files)


@pages.get("/forms/<name>/source")
def source(name: str) -> Response:
    """The text of a task."""
    return Response(asked_task(name).instance.source, mimetype="text/plain")


@pages.get("/forms/<name>/files/<split>/<number>/<file>")
def task_file(name: str, split: str, number: str, file: str) -> Response:
    """A file that a task has."""
    try:
        task = find_task(name, f"{split}/{number}")
    except LookupError as error:
        raise Refused(404, str(error.args[0])) from None
    if file not in task.instance.files:
        raise Refused(404, f"This task has no file {file[:80]!r}.")
    content, kind = sample_file(file, task.form.organisation)
    return Response(content, content_type=kind)


@pages.get("/fonts/<name>")
def font(name: str) -> Response:
    """A font file of a theme."""
    path = _font_files().get(name)
    if path is None:
        raise Refused(404, f"No theme has the font file {name[:80]!r}.")
    return send_file(path, mimetype="font/ttf", max_age=_YEAR)


@pages.get("/style.css")
def style() -> Response:
    """The looks of the site's own pages."""
    return send_file(_HERE / "site.css", mimetype="text/css", max_age=0)


def _document(task: Task, look: str, mode: Mode, hidden: dict[str, str], files: Sequence[str] | None = None) -> str:
    return form_html(
        task.form,
        look,
        files=task.instance.files if files is None else files,
        mode=mode,
        action=url_for("submitting.submit", name=task.form.name) if mode == "site" else "",
        target="_top" if mode == "site" else None,
        hidden=hidden,
        font_url=lambda path: url_for("pages.font", name=path.name),
        nonce=nonce(),
    )


@lru_cache(maxsize=1)
def _font_files() -> dict[str, Path]:
    """The font files of the themes whose fonts are installed, by name."""
    found = {BOXES.name: BOXES}
    for name in themes():
        try:
            found |= {path.name: path for path in theme(name).font_files()}
        except fontpkg.FamilyNotInstalled:
            continue
    return found
