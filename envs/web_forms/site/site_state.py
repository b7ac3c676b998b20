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

from flask import abort, current_app, request
from itsdangerous import BadData, URLSafeSerializer
from markdown_it import MarkdownIt
from markupsafe import Markup
from PIL import Image, ImageDraw

from ...core.metrics import METRICS
from ...core.tasks import SEEDS
from ...core.text_sprites import TYPED_FACE, font
from ..forms.form import WebForm, web_form, web_forms
from ..html.themes import theme_of, themes
from ..instances.instance_generator import NUMBER, Instance, frozen_instances, make_instance
from .records import FormSession, Records

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
    is_frozen = split == "test"
    return Task(
        task, web_form(form), frozen_instances(form)[number] if is_frozen else make_instance(form, "train", number)
    )


def tasks_of(split: str) -> int:
    """The number of tasks of a split, by form."""
    return NUMBER if split == "test" else SEEDS


# A source text is displayed as it is written: no HTML, no links, no pictures.
_MARKDOWN = MarkdownIt("commonmark", {"html": False, "breaks": True}).enable("table")
_MARKDOWN.disable(["html_block", "html_inline", "link", "image", "autolink", "reference"])


_BOOLEAN_METRICS = ("success", "submitted")


@dataclass(frozen=True)
class SiteState:
    """The state of a running site.

    Attributes:
        records: the submissions.
        reveal: whether the right answers may ever be shown.
    """

    records: Records
    reveal: bool

    def open_session(self, form: str, task: str, theme: str) -> str:
        """A token, which cannot be guessed, of a form that is opened; every server on the same store knows it."""
        return str(self._signer().dumps([form, task, theme, requested_reveal(), secrets.token_urlsafe(16)]))

    def session(self, token: str) -> FormSession | None:
        """The session of a token; ``None`` if this site has not given it.

        Its name in results follows from the token but hides it.
        """
        try:
            *opened, _ = self._signer().loads(token)
        except BadData:
            return None
        return FormSession(sha256(token.encode()).hexdigest()[:16], *opened)

    def _signer(self) -> URLSafeSerializer:
        return URLSafeSerializer(self.records.secret)


def state() -> SiteState:
    """The state of the site that serves this request."""
    held = current_app.extensions["formgym"]
    assert isinstance(held, SiteState)
    return held


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
    return state().reveal and request.args.get("reveal", "1") != "0"


def source_html(source: str) -> Markup:
    """A source text in Markdown as harmless HTML."""
    return Markup(_MARKDOWN.render(source))


def show_metric(name: str, value: float) -> str:
    """A metric for people: whole counts, shares in per cent, booleans in words."""
    if name in _BOOLEAN_METRICS:
        return "yes" if value else "no"
    if name in METRICS and METRICS[name].is_count:
        return f"{value:g}"
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
    """The content of a file and its media type.

    Args:
        name: the file's name; its ending decides what is made.
        organisation: for whom it is.
    """
    title = PurePosixPath(name).stem.replace("_", " ").replace("-", " ").capitalize()
    lines = [title, f"For {organisation}", "", *_SENTENCES]
    kind = mimetypes.guess_type(name)[0] or "application/octet-stream"
    if kind in _FORMATS:
        return _picture(name, lines, _FORMATS[kind]), kind
    return ("\n".join(lines) + "\n").encode(), kind


def _picture(name: str, lines: list[str], kind: str) -> bytes:
    """A picture of blocks of colour, different for each name, with the lines under it."""
    digest = sha256(name.encode()).digest()
    image = Image.new("RGB", (640, 480), "#f4f1ea")
    draw = ImageDraw.Draw(image)
    for i in range(6):
        left, top, right, bottom = (40 + 95 * i, 40 + digest[i] // 2, 125 + 95 * i, 280)
        draw.rectangle((left, top, right, bottom), fill=tuple(80 + digest[8 + 3 * i + k] // 2 for k in range(3)))
    for i, line in enumerate(lines):
        draw.text((40, 300 + 22 * i), line, fill="#222222", font=font(TYPED_FACE, 15))
    file = io.BytesIO()
    if kind != "PDF":
        image.save(file, kind)
        return file.getvalue()
    # Without a date: the same name gives the same bytes.
    image.save(file, kind, creationDate=time.gmtime(0), modDate=time.gmtime(0))
    return file.getvalue() + b"\n"
