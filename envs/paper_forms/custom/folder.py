"""A form of one's own as its folder holds it: pages, tasks, and what the tasks take facts from."""

from __future__ import annotations

import csv
import hashlib
import io
import math
import re
import sqlite3
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from ...core.asset_cache import cached
from ...core.env import State
from ...core.files import MAX_FILE_BYTES, load, read_foreign
from ...core.pages import page_image, picture_size
from ...core.painting import DESK, Image, LayeredPage
from ...core.scoring import Gold
from ..accounting.sql_sandbox import Database
from ..form_tasks import instructions
from ..paged_form import PagedForm, blank_page
from ..paper_form import PaperForm
from ..state import PaperFormState, PaperTask, Target
from .gold import GOLD, MAX_TEXT, CustomTask, Source, load_gold

_WHOLE, _DECIMAL = re.compile(r"-?(0|[1-9]\d{0,17})"), re.compile(r"-?(0|[1-9]\d*)\.\d+")
_PAPER = (255, 255, 255)
FORM = "form.json"


@dataclass(frozen=True)
class CustomForm:
    """A form of one's own with its tasks.

    Attributes:
        folder: that holds ``form.json``, the pictures of the pages and ``gold.json``.
        form: the form.
        tasks: by name, each with the right answers by the names of the fields.
    """

    folder: Path
    form: PaperForm
    tasks: Mapping[str, tuple[CustomTask, Mapping[str, Gold]]]

    @staticmethod
    def form_in(folder: Path) -> PaperForm:
        """The form in a folder, without its tasks.

        Raises:
            ValueError: if there is none, or it is broken.
        """
        if not (folder / FORM).is_file():
            raise ValueError(
                f"there is no {folder / FORM}; formgym import FILE.pdf --out {folder} makes a form of a PDF"
            )
        form = load(PaperForm, folder / FORM)
        for page in form.sheets:
            if (found := picture_size(folder / page.image)) != (page.height, page.width):
                raise ValueError(f"{folder / page.image} has {found[1]} x {found[0]} px, but not so in {FORM}")
        return form

    @classmethod
    def load(cls, folder: str) -> CustomForm:
        """The form in a folder, checked.

        Raises:
            ValueError: if a file is missing or broken, or the files do not go with each other.
        """
        path = Path(folder)
        form = cls.form_in(path)
        loaded = cls(path, form, load_gold(path, form))
        for name, (task, _) in loaded.tasks.items():
            try:
                loaded.source_text(task)
                loaded.database(task)
                loaded.source_page(task)
            except (OSError, ValueError, csv.Error, sqlite3.Error) as error:
                raise ValueError(f"{path / GOLD}: task {name}: {error}") from None
        return loaded

    @cached_property
    def digest(self) -> str:
        """The SHA-256 of all files that make its tasks what they are."""
        named = {page.image for page in self.form.sheets}
        for task, _ in self.tasks.values():
            named |= {*task.pictures, *task.tables.values(), *([task.source.file] if task.source.file else [])}
        digest = hashlib.sha256()
        for name in (FORM, GOLD, *sorted(named)):
            content = read_foreign(self.folder / name, MAX_FILE_BYTES, is_json=False)
            digest.update(f"{name}\0{len(content)}\0".encode() + content)
        return digest.hexdigest()

    def source_text(self, task: CustomTask) -> str:
        """The facts of a task, in words, and the columns of its tables."""
        text = task.source.text if task.source.file is None else _text(self.folder / task.source.file, MAX_TEXT * 4)
        if len(text) > MAX_TEXT:
            raise ValueError(f"the source has {len(text):,} characters; {MAX_TEXT:,} are the most")
        database = self.database(task)
        return "\n\n".join(part for part in (text.strip(), database and database.hint) if part)

    def database(self, task: CustomTask) -> Database | None:
        """The database of a task's tables; ``None`` if it has none."""
        if not task.tables:
            return None
        return _database(tuple((name, self.folder / file) for name, file in task.tables.items()))

    def source_page(self, task: CustomTask) -> Image | None:
        """The pictures of a task side by side, each at most as large as the form; ``None`` if it has none."""
        pictures = [page_image(self.folder / file, self.form.size, _PAPER) for file in task.pictures]
        return _side_by_side(pictures) if pictures else None

    def open(self, name: str, task_id: str, is_paged: bool) -> State:
        """The empty form of a task.

        Args:
            name: of the task.
            task_id: its id in the environment.
            is_paged: whether there are forms of several pages.
        """
        task, golds = self.tasks[name]
        database, page = self.database(task), self.source_page(task)
        source, goal = self.source_text(task), task.goal or _goal(self.form, task)
        query = None if database is None else database.query
        shown = None if page is None else LayeredPage(page)
        if is_paged:
            tasks = page_tasks(self.form, golds, task_id, goal, source)
            pages = [blank_page(one, self.form.size, query=query) for one in tasks]
            return PagedForm(pages, self.picture, source, shown)
        (one,) = page_tasks(self.form, golds, task_id, goal, source)
        return PaperFormState(one, self.picture(0), (), query, shown)

    def picture(self, index: int) -> Image:
        """The picture of a page."""
        return page_image(self.folder / self.form.sheets[index].image, self.form.size)


def page_tasks(form: PaperForm, golds: Mapping[str, Gold], task_id: str, goal: str, source: str) -> list[PaperTask]:
    """The task of each page of a form, with the right answers by the names of all fields."""
    targets: list[list[Target]] = [[] for _ in form.sheets]
    for f in form.fields:
        target = Target(
            f.name, f.label, f.box, golds[f.name], f.comb, f.max_length, f.choices, f.group or "", f.source_name
        )
        targets[f.page - 1].append(target)
    return [PaperTask(task_id, goal, source, form.text_size, tuple(own)) for own in targets]


def _goal(form: PaperForm, task: CustomTask) -> str:
    """The usual request."""
    places = {"source text": task.source != Source(), "source page": task.pictures, "database": task.tables}
    found = " and the ".join(name for name, is_there in places.items() if is_there) or "source text"
    pages = f" It has {len(form.sheets)} pages." if len(form.sheets) > 1 else ""
    signing = " Sign where it has to be signed." if any(f.matcher == "signature" for f in form.fields) else ""
    return (
        f"Fill in this form, “{form.title}”, from the {found}.{pages} Leave blank anything that is not answered there, "
        f"and anything for the office.{instructions(form)}{signing}"
    )


def _text(path: Path, max_bytes: int) -> str:
    """The text in a file.

    Raises:
        ValueError: if it is too large or no UTF-8.
    """
    try:
        return read_foreign(path, max_bytes, is_json=False).decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise ValueError(f"{path} is no UTF-8: byte {error.start} cannot be read") from None


def _rows(path: Path) -> list[list[str]]:
    """The rows of a CSV file; the first one names the columns.

    Raises:
        ValueError: if it has none, or a row of another length.
    """
    rows = [row for row in csv.reader(io.StringIO(_text(path, MAX_FILE_BYTES), newline="")) if row]
    if not rows or len(set(rows[0])) < len(rows[0]) or not all(map(re.compile(r"[A-Za-z_]\w*").fullmatch, rows[0])):
        raise ValueError(f"{path}: its first line must name the columns, each by letters, digits and _")
    if odd := next((n for n, row in enumerate(rows, start=1) if len(row) != len(rows[0])), None):
        raise ValueError(f"{path}: row {odd} has {len(rows[odd - 1])} cells and not {len(rows[0])}")
    return rows


@cached
def _database(files: tuple[tuple[str, Path], ...]) -> Database:
    """CSV files as tables by name; columns of numbers alone hold numbers."""
    tables = {name: _rows(path) for name, path in files}
    return Database.of_tables(
        {
            name: (header, zip(*map(_typed, zip(*rows, strict=True)), strict=True))
            for name, (header, *rows) in tables.items()
        }
    )


def _typed(column: Sequence[str]) -> list[str | int | float | None]:
    """The values of a column: numbers if all are written as such, and NULL where nothing is."""
    for kind, pattern in ((int, _WHOLE), (float, _DECIMAL)):
        if all(pattern.fullmatch(value) for value in column if value):
            return [kind(value) if value else None for value in column]
    return [value or None for value in column]


def _side_by_side(pictures: Sequence[Image]) -> Image:
    """Pictures of one size in as many columns as rows, or one more."""
    height, width = pictures[0].shape[:2]
    columns = math.ceil(math.sqrt(len(pictures)))
    sheet = np.full((-(-len(pictures) // columns) * height, columns * width, 3), DESK, np.uint8)
    for i, picture in enumerate(pictures):
        row, column = divmod(i, columns)
        sheet[row * height :, column * width :][:height, :width] = picture
    return sheet
