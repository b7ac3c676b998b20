"""The pages of the site: forms, their texts and files, submissions and results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response as AnyResponse

from ....assets import ROOT
from ...core.metrics import METRICS
from ..forms.form import web_form, web_forms
from ..html.form_document import form_html
from ..html.themes import BOXES, theme, themes
from ..replay.capture import load_pictures
from ..replay.captured_page import CapturedPage
from ..scoring import score_values
from .http_responses import nonce, wants_json
from .person_calls import CALLS, person_calls
from .records import FormSubmission
from .site_state import (
    FIRST,
    Task,
    find_task,
    open_session,
    records,
    requested_reveal,
    requested_task,
    requested_theme,
    sample_file,
    source_html,
    submitted_session,
    tasks_of,
)
from .submitted_values import FIELD, read_entries

pages = Blueprint("pages", __name__, static_folder="static", static_url_path="/static", template_folder="templates")

_YEAR = 365 * 24 * 3600
_PAGE = 100


@pages.get("/")
def index() -> str:
    """Every form, by domain."""
    return render_template(
        "index.html.jinja",
        forms=[web_form(name) for name in web_forms()],
        themes=[theme(name) for name in themes()],
        chosen=requested_theme(),
        task=request.args.get("task", FIRST),
        reveal=request.args.get("reveal"),
    )


@pages.get("/forms/<name>")
def task_page(name: str) -> str:
    """A task: its text beside its form."""
    task = requested_task(name)
    split, number = task.instance.split, task.instance.number
    steps = {"Previous": number - 1, "Next": number + 1}
    return render_template(
        "task.html.jinja",
        task=task,
        theme=requested_theme(task),
        chosen=request.args.get("theme") or None,
        themes=[theme(one) for one in themes()],
        steps={label: f"{split}/{to}" for label, to in steps.items() if 0 <= to < tasks_of(split)},
        reveal=request.args.get("reveal"),
        source=source_html(task.instance.source),
    )


@pages.get("/forms/<name>/form")
def bare_form(name: str) -> str:
    """The form alone, in its own session, to be filled in and submitted."""
    task = requested_task(name)
    look, action = requested_theme(task), url_for("pages.submit", name=name)
    hidden = {FIELD: open_session(task, look)}
    return _document(task, look, task.instance.files, mode="site", action=action, target="_top", hidden=hidden)


@pages.get("/forms/<name>/env")
def env_form(name: str) -> str:
    """The form alone, as environments see it: without session and submission.

    Its pickers offer a task's files, or those that ``file`` names, as often as it is given.
    """
    task = requested_task(name)
    return _document(task, requested_theme(task), request.args.getlist("file") or task.instance.files)


def _document(task: Task, look: str, files: Sequence[str], **options: Any) -> str:
    def font_url(path: Path) -> str:
        return url_for("pages.font", name=path.name)

    return form_html(task.form, look, files=files, font_url=font_url, nonce=nonce(), **options)


@pages.get("/forms/<name>/source")
def source(name: str) -> Response:
    """The text of a task."""
    return Response(requested_task(name).instance.source, mimetype="text/plain")


@pages.get("/forms/<name>/files/<split>/<number>/<file>")
def task_file(name: str, split: str, number: str, file: str) -> Response:
    """A file that a task has."""
    task = find_task(name, f"{split}/{number}")
    if file not in task.instance.files:
        abort(404, f"This task has no file {file[:80]!r}.")
    content, kind = sample_file(file, task.form.organisation)
    return Response(content, content_type=kind)


@pages.get("/fonts/<name>")
def font(name: str) -> Response:
    """A font file of a theme."""
    path = _font_files().get(name)
    if path is None:
        abort(404, f"No theme has the font file {name[:80]!r}.")
    return send_file(path, mimetype="font/ttf", max_age=_YEAR)


@lru_cache(maxsize=1)
def _font_files() -> dict[str, Path]:
    """The font files of all themes, by name."""
    return {path.name: path for path in (BOXES, *(path for name in themes() for path in theme(name).font_files()))}


@pages.post("/forms/<name>/form")
def submit(name: str) -> AnyResponse | tuple[Response, int]:
    """Score and store a form that was filled in."""
    if request.mimetype != "multipart/form-data":
        abort(415, f"A form is sent as multipart/form-data, not as {request.mimetype or 'nothing'}.")
    session = submitted_session(name)
    task = find_task(session.form, session.task)
    values = read_entries(task.form, task.instance.files, request.form, request.files)
    score = score_values(task.form, task.instance.values, values)
    page = CapturedPage(load_pictures(ROOT / "web_captures" / name / session.theme), task.instance.files)
    record = records().add(session, values, score, person_calls(page, request.form.get(CALLS), values))
    if wants_json():
        return jsonify(_visible(record).model_dump(mode="json")), 201
    return redirect(url_for("pages.result", name=record.id), 303)


@pages.get("/results")
@pages.get("/results.json", endpoint="results_json")
def results() -> str | Response:
    """A page of submissions, the latest first; of JSON, the header ``Link`` has the URL of the next page."""
    before = request.args.get("before", type=int)
    listed, following = records().latest(_PAGE, None if before is None else min(before, sys.maxsize))
    if wants_json():
        answer = jsonify([_visible(record).model_dump(mode="json") for record in listed])
        if following is not None:
            answer.headers["Link"] = f'<{url_for("pages.results_json", before=following)}>; rel="next"'
        return answer
    return render_template(
        "results.html.jinja",
        records=listed,
        following=following,
        metrics=[name for name in METRICS if any(name in record.metrics for record in listed)],
        count=records().count(),
        titles={form: web_form(form).title for form in {record.form for record in listed} & {*web_forms()}},
    )


@pages.get("/results/<name>")
@pages.get("/results/<name>.json", endpoint="result_json")
def result(name: str) -> str | Response:
    """A submission, field by field."""
    record = records().find(name)
    if record is None:
        abort(404, "There is no such submission.")
    record = _visible(record)
    if wants_json():
        return jsonify(record.model_dump(mode="json"))
    form = web_form(record.form) if record.form in web_forms() else None
    return render_template("result.html.jinja", record=record, form=form)


def _visible(record: FormSubmission) -> FormSubmission:
    """A record without anything that must not be shown here."""
    return record if requested_reveal() and record.reveal else record.hidden()
