"""What can be sent in, and what became of it."""

from __future__ import annotations

from flask import Blueprint, Response, jsonify, redirect, render_template, request, url_for
from werkzeug.wrappers import Response as AnyResponse

from ..form import web_form, web_forms
from ..metrics import METRICS
from ..scoring import score_values
from .answers import wants_json
from .entries import read_entries
from .records import Record, new_record
from .refusals import Refused
from .sessions import FIELD, Session, public_name
from .state import state
from .tasks import find_task

submitting = Blueprint("submitting", __name__, template_folder="templates")

_LISTED = 500


@submitting.post("/forms/<name>/form")
def submit(name: str) -> AnyResponse | tuple[Response, int]:
    """Score and store a form that was filled in."""
    if request.mimetype != "multipart/form-data":
        raise Refused(415, f"A form is sent as multipart/form-data, not as {request.mimetype or 'nothing'}.")
    token, session = _session(name)
    task = find_task(session.form, session.task)
    values = read_entries(task.form, task.instance.files, request.form, request.files)
    score = score_values(task.form, task.instance, values)
    attempt = state().sessions.submitted(token)
    record = new_record(session, public_name(token), attempt, values, score)
    state().records.store(record)
    if wants_json():
        return jsonify(_json(record)), 201
    return redirect(url_for("submitting.result", name=record.id), 303)


@submitting.get("/results")
def results() -> str:
    """The latest submissions."""
    records = state().records.all()
    titles = {form: web_form(form).title for form in web_forms()}
    listed = records[:_LISTED]
    known = [name for name in METRICS if any(name in record.metrics for record in listed)]
    return render_template("results.html.jinja", records=listed, metrics=known, count=len(records), titles=titles)


@submitting.get("/results.json")
def results_json() -> Response:
    """Every submission."""
    return jsonify([_json(record) for record in state().records.all()])


@submitting.get("/results/<name>")
def result(name: str) -> str:
    """A submission, field by field."""
    record = state().shown(_record(name))
    form = web_form(record.form) if record.form in web_forms() else None
    return render_template("result.html.jinja", record=record, form=form)


@submitting.get("/results/<name>.json")
def result_json(name: str) -> Response:
    """The same as JSON."""
    return jsonify(_json(_record(name)))


def _session(form: str) -> tuple[str, Session]:
    """The token that came in, and its session."""
    tokens = request.form.getlist(FIELD)
    if len(tokens) != 1:
        raise Refused(400, f"The form must be sent with its hidden field {FIELD}, once.")
    session = state().sessions.find(tokens[0])
    if session is None:
        raise Refused(403, "This session is unknown, or too old. Open the form again.")
    if session.form != form:
        raise Refused(400, "This session belongs to another form.")
    return tokens[0], session


def _record(name: str) -> Record:
    try:
        record = state().records.find(name)
    except ValueError:
        raise Refused(404, "This submission cannot be read.") from None
    if record is None:
        raise Refused(404, "There is no such submission.")
    return record


def _json(record: Record) -> dict[str, object]:
    return state().shown(record).model_dump(mode="json")
