"""The state of a running site, its tasks with their files, and the format of names and metrics."""

from __future__ import annotations

import io
import mimetypes
import re
import secrets
import time
from dataclasses import dataclass
from hashlib import sha256
from pathlib import PurePosixPath
from struct import iter_unpack
from typing import cast

from flask import abort, current_app, request
from itsdangerous import BadData, URLSafeSerializer
from markdown_it import MarkdownIt
from markupsafe import Markup
from PIL import Image, ImageDraw

from ...core.tasks import SEEDS
from ...core.text_sprites import TYPED_FACE, font
from ..forms.form import WebForm, web_form, web_forms
from ..html.themes import theme_of, themes
from ..instances.instance_generator import NUMBER, Instance, frozen_instances, make_instance
from .records import FormSession, Records
from .submitted_values import FIELD

FIRST = "test/0"
"""The default task."""

_TASK = re.compile(r"(test|train)/(0|[1-9][0-9]{0,9})")


@dataclass(frozen=True)
class Task:
    """A form and the values to enter.

    Attributes:
        id: such as ``test/7``.
        form: the form.
        instance: its values, its text and its files.
    """

    id: str
    form: WebForm
    instance: Instance


def find_task(form: str, task: str) -> Task:
    """The task of a form.

    Raises:
        NotFound: if there is no such form or task; the message lists those that exist.
    """
    if form not in web_forms():
        abort(404, f"There is no form {form!r}.")
    found = _TASK.fullmatch(task)
    if found is None:
        abort(404, f"There is no task {task!r}: tasks are named test/0, test/1, … or train/0, train/1, …")
    split, number = found[1], int(found[2])
    if number >= tasks_of(split):
        abort(404, f"There is no task {task}: the last one is {split}/{tasks_of(split) - 1}.")
    instance = frozen_instances(form)[number] if split == "test" else make_instance(form, "train", number)
    return Task(task, web_form(form), instance)


def tasks_of(split: str) -> int:
    """The number of tasks of a split, by form."""
    return NUMBER if split == "test" else SEEDS


# A source text is displayed as it is written: no HTML, no links, no pictures.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
_MARKDOWN.disable(["html_block", "html_inline", "link", "image", "autolink", "reference"])


def records() -> Records:
    """The submissions of the site that serves this request."""
    return cast(Records, current_app.extensions["formgym"])


def _signer() -> URLSafeSerializer:
    return URLSafeSerializer(records().secret)


def open_session(task: Task, theme: str) -> str:
    """A token, which cannot be guessed, of a form that is opened; every server on the same store knows it."""
    opened = [task.form.name, task.id, theme, requested_reveal(), secrets.token_urlsafe(16)]
    return str(_signer().dumps(opened))


def submitted_session(form: str) -> FormSession:
    """The session of the token that is submitted with a form; its name in results hides the token.

    Raises:
        HTTPException: if there is none, this site has not given it, or it is of another form.
    """
    tokens = request.form.getlist(FIELD)
    if len(tokens) != 1:
        abort(400, f"The form must be sent with its hidden field {FIELD}, once.")
    try:
        opened, task, theme, reveal, _ = _signer().loads(tokens[0])
    except BadData:
        abort(403, "This session is unknown. Open the form again.")
    if opened != form:
        abort(400, "This session belongs to another form.")
    name = sha256(tokens[0].encode()).hexdigest()[:16]
    return FormSession(session=name, form=form, task=task, theme=theme, reveal=reveal)


def requested_task(form: str) -> Task:
    """The task of a form that the URL names, or the first; see ``find_task``."""
    return find_task(form, request.args.get("task", FIRST))


def requested_theme(task: Task | None = None) -> str:
    """The theme that the URL names, or that of the task.

    Raises:
        NotFound: if there is none.
    """
    name = request.args.get("theme") or (theme_of(task.instance.number) if task else "")
    if name not in themes() and (name or task):
        abort(404, f"There is no theme {name!r}; there are {', '.join(themes())}.")
    return name


def requested_reveal() -> bool:
    """Whether the right answers may be shown after submission of the form opened now."""
    return bool(current_app.config["REVEAL"]) and request.args.get("reveal", "1") != "0"


def source_html(source: str) -> Markup:
    """A source text in Markdown as harmless HTML."""
    return Markup(_MARKDOWN.render(source))


def show_metric(name: str, value: float) -> str:
    """A metric of a form for people: a share in per cent, what is so or not in words."""
    if name in ("success", "submitted"):
        return "yes" if value else "no"
    return f"{100 * value:.1f} %"


# Files of tasks: small, and made from their names alone, to look at and to send.

_SENTENCES = (
    "This file stands in for a document that an applicant would have at hand.",
    "It has a name, and enough on its page to be told from an empty one.",
    "Nothing that has to be entered anywhere else is written here.",
    "Where a form asks for a file, its name shows which one is meant.",
)
_FORMATS = {"application/pdf": "PDF", "image/png": "PNG", "image/jpeg": "JPEG"}


def sample_file(name: str, organisation: str) -> tuple[bytes, str]:
    """The content of a file and its media type; a picture is different for each name.

    Args:
        name: the file's name; its ending decides what is made.
        organisation: for whom it is.
    """
    title = PurePosixPath(name).stem.replace("_", " ").replace("-", " ").capitalize()
    text = "\n".join([title, f"For {organisation}", "", *_SENTENCES, ""])
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind not in _FORMATS:
        return text.encode(), kind
    image = Image.new("RGB", (640, 480), "#f4f1ea")
    draw = ImageDraw.Draw(image)
    for i, (height, *colour) in enumerate(iter_unpack("4B", sha256(name.encode()).digest())):
        draw.rectangle((40 + 70 * i, 40 + height // 2, 100 + 70 * i, 280), fill=tuple(80 + c // 2 for c in colour))
    draw.multiline_text((40, 300), text, fill="#222222", font=font(TYPED_FACE, 15), spacing=8)
    file = io.BytesIO()
    # A PDF without a date: the same name gives the same bytes.
    dates = {date: time.gmtime(0) for date in ("creationDate", "modDate") if kind == "application/pdf"}
    image.save(file, _FORMATS[kind], **dates)
    return file.getvalue(), kind
