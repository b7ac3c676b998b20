"""The store of submissions: an SQLite database that several servers may share."""

from __future__ import annotations

import json
import os
import secrets
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path
from threading import Lock
from typing import Annotated, Any

import sqlalchemy as sa
from pydantic import ConfigDict, Field, ValidationError
from sqlalchemy.exc import DatabaseError

from ...core.files import Data, atomic_write
from ...core.scoring import FieldResult, Score
from ..forms.form_fields import Value
from .person_calls import UNRECORDED, PersonCalls

STORE, EXPORT = "submissions.sqlite", "submissions.jsonl"
"""The files of the store and of its export."""
_BUSY_SECONDS = 60
_BATCH = 200
_Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,80}$")]


@dataclass(frozen=True)
class FormSession:
    """A form that was opened.

    Attributes:
        session: its name in results.
        form: the form's name.
        task: the task's id.
        theme: the theme's name.
        reveal: whether the right answers may be shown after submission.
    """

    session: str
    form: str
    task: str
    theme: str
    reveal: bool


class FormSubmission(Data):
    """A submission.

    Attributes:
        id: in 32 hexadecimal digits.
        received: when it came in, in ISO 8601, UTC.
        session: the name of the session that it came from.
        attempt: which submission of that session it is, from 1 on.
        form: the form's name.
        task: the task's id.
        theme: the theme's name.
        reveal: whether the right answers may be shown.
        values: the value of each field; empty if the right answers are hidden.
        metrics: the score.
        fields: the result of each field; empty if the right answers are hidden.
        person: what was done, as calls; nothing if the right answers are hidden.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    received: Annotated[str, Field(pattern=r"^[0-9T:.+-]{19,40}$")]
    session: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    attempt: Annotated[int, Field(ge=1)]
    form: _Name
    task: Annotated[str, Field(pattern=r"^(test|train)/[0-9]{1,10}$")]
    theme: _Name
    reveal: bool
    values: dict[str, Value]
    metrics: dict[str, float]
    fields: tuple[FieldResult, ...]
    person: PersonCalls = UNRECORDED

    def hidden(self) -> FormSubmission:
        """The record with only the overall score.

        Values and the results of fields would reveal the right answers.
        """
        return self.model_copy(update={"reveal": False, "values": {}, "fields": (), "person": UNRECORDED})


class StoreClosed(Exception):
    """Nothing is stored any more, for the site is ending."""


_METADATA = sa.MetaData()
# The number is the order in which submissions were stored. The digest is of what was entered.
_SUBMISSIONS = sa.Table(
    "submissions",
    _METADATA,
    sa.Column("number", sa.Integer, primary_key=True),
    sa.Column("id", sa.String, nullable=False, unique=True),
    sa.Column("session", sa.String, nullable=False),
    sa.Column("digest", sa.String, nullable=False),
    sa.Column("record", sa.String, nullable=False),
    sa.UniqueConstraint("session", "digest"),
)
_NUMBERED = sa.select(_SUBMISSIONS.c.number, _SUBMISSIONS.c.record)
_SECRET = sa.Table("secret", _METADATA, sa.Column("value", sa.String, nullable=False))


class Records:
    """The submissions in a folder, which several processes of one machine may use at once.

    What ``add`` has returned outlives a killed process and, as far as the disk keeps what it has synced, a power
    failure.

    Args:
        folder: of the store.

    Attributes:
        secret: what the site signs with; of an open store.
    """

    secret: str

    def __init__(self, folder: Path) -> None:
        self.folder, self._lock, self._is_closed = folder, Lock(), False
        url = sa.URL.create("sqlite", database=str(folder.absolute() / STORE))
        self._engine = sa.create_engine(url, connect_args={"timeout": _BUSY_SECONDS}, pool_size=16, max_overflow=-1)
        sa.event.listen(self._engine, "connect", _configure)
        sa.event.listen(self._engine, "begin", _begin)
        self._writer = self._engine.execution_options(begin="BEGIN IMMEDIATE")

    def open(self) -> Records:
        """The same, after what is missing was made.

        Raises:
            OSError: if the folder cannot be made.
            ValueError: if its store is none.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with self._engine.connect().execution_options(begin="") as connection:
                if connection.exec_driver_sql("PRAGMA journal_mode").scalar() != "wal":
                    with self.alone():  # Two processes that change the mode at once do not wait for each other.
                        connection.exec_driver_sql("PRAGMA journal_mode=WAL")
            with self._writer.begin() as connection:
                _METADATA.create_all(connection)
                known = sa.select(_SECRET.c.value)
                new = sa.select(sa.literal(secrets.token_urlsafe(32))).where(~known.exists())
                connection.execute(sa.insert(_SECRET).from_select(["value"], new))
                self.secret = connection.scalars(known).one()
        except DatabaseError as error:
            raise ValueError(f"{self.folder / STORE} is no store of submissions: {error.orig}") from None
        return self

    @contextmanager
    def alone(self) -> Iterator[None]:
        """Wait until no other process is in this context for the same folder."""
        folder = os.open(self.folder, os.O_RDONLY)
        try:
            flock(folder, LOCK_EX)
            yield
        finally:
            os.close(folder)

    def add(
        self, session: FormSession, values: dict[str, Value], score: Score, person: PersonCalls = UNRECORDED
    ) -> FormSubmission:
        """Store a submission; if the session has sent the same values before, that record again.

        Raises:
            DatabaseError: if it cannot be stored.
            StoreClosed: after ``close``.
        """
        digest = sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
        of_session = _SUBMISSIONS.c.session == session.session
        with self.writing() as connection:
            before = connection.scalar(
                sa.select(_SUBMISSIONS.c.record).where(of_session, _SUBMISSIONS.c.digest == digest)
            )
            if before is not None:
                return FormSubmission.model_validate_json(before)
            record = FormSubmission(
                id=secrets.token_hex(16),
                received=datetime.now(UTC).isoformat(timespec="milliseconds"),
                attempt=1 + (connection.scalar(sa.select(sa.func.count()).where(of_session)) or 0),
                values=values,
                metrics=dict(score.metrics),
                fields=score.fields,
                person=person,
                **asdict(session),
            )
            row = {"id": record.id, "session": record.session, "digest": digest, "record": record.model_dump_json()}
            connection.execute(sa.insert(_SUBMISSIONS).values(row))
        return record

    @contextmanager
    def writing(self) -> Iterator[sa.Connection]:
        """A transaction that stores something, while no other process does.

        Raises:
            DatabaseError: if it cannot be stored.
            StoreClosed: after ``close``.
        """
        with self._lock, self._writer.begin() as connection:
            if self._is_closed:
                raise StoreClosed
            yield connection

    def close(self) -> None:
        """Store nothing from now on, after what is being stored; it can still be read."""
        with self._lock:
            self._is_closed = True

    def find(self, name: str) -> FormSubmission | None:
        """The record of an id; ``None`` if there is none, or it is broken."""
        return next(_valid(self.rows(sa.select(_SUBMISSIONS.c.record).where(_SUBMISSIONS.c.id == name))), None)

    def count(self) -> int:
        """How many there are."""
        return int(self.rows(sa.select(sa.func.count()).select_from(_SUBMISSIONS))[0][0])

    def latest(self, limit: int, before: int | None = None) -> tuple[list[FormSubmission], int | None]:
        """A page of submissions, the latest first, and the number before which the next page begins, if there is one.

        Args:
            limit: the size of the page.
            before: the number that follows the page; ``None``: the end.
        """
        query = _NUMBERED.order_by(_SUBMISSIONS.c.number.desc()).limit(limit + 1)
        rows = self.rows(query if before is None else query.where(_SUBMISSIONS.c.number < before))
        return list(_valid(rows[:limit])), rows[limit - 1].number if len(rows) > limit else None

    def all(self) -> Iterator[FormSubmission]:
        """Every valid record in the order of storing, a few in memory at a time."""
        query, last = _NUMBERED.order_by(_SUBMISSIONS.c.number).limit(_BATCH), 0
        while rows := self.rows(query.where(_SUBMISSIONS.c.number > last)):
            last = rows[-1].number
            yield from _valid(rows)

    def rows(self, query: sa.Select[Any]) -> Sequence[sa.Row[Any]]:
        """What a query finds in the store."""
        with self._engine.begin() as connection:
            return connection.execute(query).all()

    def export(self) -> Path:
        """Write every record as a line of JSON, in a file that is replaced at once; its path.

        Raises:
            OSError: if it cannot be written.
        """
        path = self.folder / EXPORT
        atomic_write(path, (f"{record.model_dump_json()}\n".encode() for record in self.all()))
        return path


def _configure(connection: Any, _: object) -> None:
    """Set up a connection: transactions are begun by hand, and are on disk when they end."""
    connection.isolation_level = None
    for setting in ("trusted_schema=OFF", "synchronous=FULL"):
        connection.execute(f"PRAGMA {setting}")


def _begin(connection: sa.Connection) -> None:
    if statement := connection.get_execution_options().get("begin", "BEGIN"):
        connection.exec_driver_sql(statement)


def _valid(rows: Iterable[sa.Row[Any]]) -> Iterator[FormSubmission]:
    for row in rows:
        with suppress(ValidationError):
            yield FormSubmission.model_validate_json(row.record)
