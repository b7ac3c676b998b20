"""The pages of the site: forms, their texts and files, submissions and results."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from functools import lru_cache
from pathlib import Path

import fontpkg
from flask import Blueprint, Response, abort, jsonify, redirect, render_template, request, send_file, url_for
from werkzeug.wrappers import Response as AnyResponse

from ....assets import ROOT
from ...core.metrics import METRICS
from ..forms.form import web_form, web_forms
from ..html.form_document import Mode, form_html
from ..html.themes import BOXES, theme, themes
from ..replay.capture import load_pictures
from ..replay.captured_page import CapturedPage
from ..scoring import score_values
from .http_responses import nonce, wants_json
from .person_calls import CALLS, person_calls
from .records import FormSession, FormSubmission
from .site_state import (
    FIRST,
    Task,
    find_task,
    requested_reveal,
    requested_task,
    requested_theme,
    sample_file,
    source_html,
    state,
    tasks_of,
)
from .submitted_values import FIELD, read_entries

pages = Blueprint("pages", __name__, static_folder="static", static_url_path="/static", template_folder="templates")

_YEAR = 365 * 24 * 3600


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
    split, _, number = task.id.partition("/")
    steps = {
        label: f"{split}/{int(number) + by}"
        for label, by in (("Previous", -1), ("Next", 1))
        if 0 <= int(number) + by < tasks_of(split)
    }
    return render_template(
        "task.html.jinja",
        task=task,
        theme=requested_theme(task),
        chosen=request.args.get("theme") or None,
        themes=[theme(one) for one in themes()],
        steps=steps,
        reveal=request.args.get("reveal"),
        source=source_html(task.instance.source),
    )


@pages.get("/forms/<name>/form")
def bare_form(name: str) -> str:
    """The form alone, in its own session, to be filled in and submitted."""
    task = requested_task(name)
    look = requested_theme(task)
    return _document(task, look, "site", {FIELD: state().open_session(name, task.id, look)})


@pages.get("/forms/<name>/env")
def env_form(name: str) -> str:
    """The form alone, as environments see it: without session and submission.

    Its pickers offer a task's files, or those that ``file`` names, as often as it is given.
    """
    task = requested_task(name)
    return _document(task, requested_theme(task), "env", {}, request.args.getlist("file") or task.instance.files)


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


submitting = Blueprint("submitting", __name__, template_folder="templates")

_PAGE = 100


@submitting.post("/forms/<name>/form")
def submit(name: str) -> AnyResponse | tuple[Response, int]:
    """Score and store a form that was filled in."""
    if request.mimetype != "multipart/form-data":
        abort(415, f"A form is sent as multipart/form-data, not as {request.mimetype or 'nothing'}.")
    session = _session(name)
    task = find_task(session.form, session.task)
    values = read_entries(task.form, task.instance.files, request.form, request.files)
    score = score_values(task.form, task.instance.values, values)
    page = CapturedPage(load_pictures(ROOT / "web_captures" / name / session.theme), task.instance.files)
    record = state().records.add(session, values, score, person_calls(page, request.form.get(CALLS), values))
    if wants_json():
        return jsonify(_visible(record).model_dump(mode="json")), 201
    return redirect(url_for("submitting.result", name=record.id), 303)


def _session(form: str) -> FormSession:
    """The session of the submitted token."""
    tokens = request.form.getlist(FIELD)
    if len(tokens) != 1:
        abort(400, f"The form must be sent with its hidden field {FIELD}, once.")
    session = state().session(tokens[0])
    if session is None:
        abort(403, "This session is unknown. Open the form again.")
    if session.form != form:
        abort(400, "This session belongs to another form.")
    return session


@submitting.get("/results")
@submitting.get("/results.json", endpoint="results_json")
def results() -> str | Response:
    """A page of submissions, the latest first; of JSON, the header ``Link`` has the URL of the next page."""
    before = request.args.get("before", type=int)
    records, following = state().records.latest(_PAGE, None if before is None else min(before, sys.maxsize))
    if wants_json():
        answer = jsonify([_visible(record).model_dump(mode="json") for record in records])
        if following is not None:
            answer.headers["Link"] = f'<{url_for("submitting.results_json", before=following)}>; rel="next"'
        return answer
    return render_template(
        "results.html.jinja",
        records=records,
        following=following,
        metrics=[name for name in METRICS if any(name in record.metrics for record in records)],
        count=state().records.count(),
        titles={form: web_form(form).title for form in {record.form for record in records} & {*web_forms()}},
    )


@submitting.get("/results/<name>")
@submitting.get("/results/<name>.json", endpoint="result_json")
def result(name: str) -> str | Response:
    """A submission, field by field."""
    record = state().records.find(name)
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
