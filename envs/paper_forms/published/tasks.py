"""The tasks of the published FormGym: a page, a user, what its fields must hold, and the facts to do it from."""

from __future__ import annotations

import warnings
from collections import Counter, defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from typing import Any

from ...core.asset_cache import cached
from ...core.boxes import Box, contains
from ...core.env import MAX_SOURCE_LENGTH
from ..accounting.sql_sandbox import Database
from ..datasets.scanned import labels
from ..datasets.scanned_page import Key, unwritable
from ..state import PaperTask, Target
from .grading import gold_of
from .interpreter import SourceError
from .pages import FUNSD_DOMAIN, PublishedPage, page_files, published_page
from .source import Fact, PublishedSource

DOMAINS = {"text": ("al", "xx"), "doc_transfer": ("al", "xx"), "database": ("cr", "db"), "funsd": (FUNSD_DOMAIN,)}
"""The domains of each task, the paper's first."""
_PAPER_LOANS = (["0"], ["1"], ["2"], ["3"])
"""The numbers of the auto loans that the paper plays."""
_EDGE = 1e-9
"""A place in pixels that is made a fraction of the page has a rounding error."""
_FORMATS = (
    " Tick a box with a single x. Write dates as MM/DD/YYYY and names as First Middle Last, and sign or initial with "
    "the tool for it. Leave empty what is stated nowhere."
)
_GOALS = {
    "text": f"Fill in this form for the person that the source text is about.{_FORMATS}",
    "doc_transfer": "Fill in this form for the person whose other form is the source page; the source text tells what "
    f"is not there.{_FORMATS}",
    "database": f"Fill in this form from the database, which query_sql queries, and from the source text.{_FORMATS}",
    "funsd": "Write the value that the source text gives into the empty field that it belongs to.",
}


@dataclass(frozen=True, kw_only=True)
class PublishedTarget(Target):
    """A field, which the published code grades by its kind.

    Attributes:
        kind: one of ``source.KINDS``.
        value: what it must hold.
        place: its box as fractions of the page.
    """

    kind: str
    value: Any
    place: Box

    def holds(self, x: float, y: float) -> bool:
        """Whether a mark at a point, as fractions of the page, is graded with this field."""
        left, top, right, bottom = self.place
        return contains((left - _EDGE, top - _EDGE, right + _EDGE, bottom + _EDGE), x, y)


@dataclass(frozen=True, kw_only=True)
class PublishedTask(PaperTask):
    """A page to be filled in for a user.

    Attributes:
        page: the annotated page.
        version: whose published grading, ``"A"`` or ``"B"``.
        other: the form that is filled in as the source page, if there is one.
        database: what is queried, if there is one.
    """

    targets: tuple[PublishedTarget, ...]
    page: PublishedPage
    version: str
    other: PublishedTask | None = None
    database: Database | None = None


@cached
def official_tasks(
    folder: Path, kind: str, domain: str, is_paper_only: bool, users: Sequence[int], version: str | None
) -> tuple[Mapping[str, PublishedTask], Mapping[str, int]]:
    """The tasks of a kind on the pages of a domain by id, and counts of what is left out, by the reason.

    For the arguments see ``OfficialEnv``.

    Raises:
        ValueError: if the source or an annotation is broken, or there is no such page.
    """
    is_limited = is_paper_only and domain == "al"
    files = [f for f in page_files(folder, domain) if not is_limited or f.stem.split("_")[1:2] in _PAPER_LOANS]
    found = [published_page(folder, file) for file in files]
    pages = [page for page in found if page is not None]
    maker = _TaskMaker(kind, None if kind == "funsd" else _source(folder), version)
    # The page before the first one is the last.
    pairs = zip(pages, [*pages[-1:], *pages], strict=False)
    made = [maker.task(page, before, user) for page, before in pairs for user in users]
    left_out = Counter({reason: len(places) for reason, places in maker.left_out.items()})
    if left_out:
        reasons = "; ".join(list(left_out)[:3])
        warnings.warn(f"{folder}: {left_out.total()} fields are left out ({reasons}, …); see skipped", stacklevel=2)
    for page in found:
        left_out.update({**page.skipped, "same place": len(page.marks) - len(labels(page))} if page else ["no picture"])
    return {task.task_id: task for task in made if task}, +left_out


@lru_cache(maxsize=2)
def _source(folder: Path) -> PublishedSource:
    return PublishedSource(folder)


class _TaskMaker:
    """Makes the tasks of one kind; ``left_out``: the fields without a value, by the reason."""

    def __init__(self, kind: str, source: PublishedSource | None, version: str | None) -> None:
        self._kind, self._source = kind, source
        self._version = version or (source.version if source else "A")
        self.left_out: defaultdict[str, set[tuple[str, Key]]] = defaultdict(set)

    def task(self, page: PublishedPage, before: PublishedPage, user: int) -> PublishedTask | None:
        """The task on a page; ``None`` if it has no fields, or nothing to fill them in from."""
        form = self._form(page, user)
        if not form.targets:
            return None
        if self._source is None:
            texts = [[text.value for text in page.marks[target.name].properties] for target in form.targets]
            return _with_source(form, [f"The value of “{question}” is: {answer}" for question, answer in texts])
        other = self._form(before, user) if self._kind == "doc_transfer" else None
        shown = _facts(self._source, other) if other else ()
        facts = [fact for fact in _facts(self._source, form) if fact not in shown]
        sentences = [text for fact in facts if (text := self._source.sentence(fact, user)) is not None]
        if self._kind != "database":
            return _with_source(replace(form, other=other), sentences)
        stored = [fact for fact in facts if fact.database]
        if not stored:
            return None
        database = _database(stored, user)
        return _with_source(replace(form, database=database), [database.hint, *sentences])

    def _form(self, page: PublishedPage, user: int) -> PublishedTask:
        """A page with what its fields hold for a user, and nothing to fill them in from."""
        targets = []
        for key, label in labels(page).items():
            try:
                targets.append(self._target(page, key, label, user))
            except SourceError as error:
                self.left_out[str(error)].add((page.name, key))
        return PublishedTask(
            task_id=f"{page.name}/{user}",
            goal=_GOALS[self._kind],
            source="",
            text_size=page.text_size,
            targets=tuple(targets),
            erased=self._kind == "funsd",
            page=page,
            version=self._version,
        )

    def _target(self, page: PublishedPage, key: Key, label: str, user: int) -> PublishedTarget:
        name, texts = page.marks[key].name, page.marks[key].properties
        if self._source is None:
            if len(texts) != 2:
                raise SourceError("no question and answer")
            kind, value = "string", texts[1].value
        else:
            kind, value = self._source.kind(name), self._source.value(name, user)
            # A field is left out where one of its facts cannot be stated.
            for fact in self._source.facts_of([name]):
                self._source.sentence(fact, user)
        gold = gold_of(kind, value)
        if reason := unwritable(gold.value or ""):
            raise SourceError(reason)
        return PublishedTarget(str(key), label, page.fields[key], gold, kind=kind, value=value, place=page.boxes[key])


def _facts(source: PublishedSource, form: PublishedTask) -> tuple[Fact, ...]:
    """The facts that the fields of a form need, in the order of the source."""
    return source.facts_of(form.page.marks[target.name].name for target in form.targets)


def _with_source(task: PublishedTask, sentences: Sequence[str]) -> PublishedTask:
    """A task with its source text.

    Raises:
        ValueError: if it is longer than a source text may be.
    """
    text = "\n".join(sentences)
    if len(text) > MAX_SOURCE_LENGTH:
        raise ValueError(f"{task.page.name}: its source text has more than {MAX_SOURCE_LENGTH:,} characters")
    return replace(task, source=text)


def _database(facts: Sequence[Fact], user: int) -> Database:
    """The table ``features`` with the stored facts of a user.

    Facts with a row and a column make a row each, whose ``service`` is the row's name. (The published code may look a
    row up before it has its name, and loses its fees then; here they are kept.)
    """
    columns = ("name", "fees", "service") if any(fact.row for fact in facts) else ("key", "value")
    rows = defaultdict[str, dict[str, str]](dict)
    for fact in facts:
        named = {"service": fact.row} if fact.row else {"key": fact.name}
        rows[fact.row or fact.name] |= {**named, fact.column or "value": str(fact.of(user))}
    return Database.of_tables(
        {"features": (columns, [[row.get(column) for column in columns] for row in rows.values()])}
    )
