"""The store of submissions: an SQLite database that several servers may share."""

from __future__ import annotations

import json
import os
import secrets
import sqlite3
from collections.abc import Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from datetime import UTC, datetime
from fcntl import LOCK_EX, flock
from hashlib import sha256
from pathlib import Path
from typing import Annotated, Any

from pydantic import ConfigDict, Field, ValidationError

from ...core.files import Data, atomic_write
from ...core.scoring import FieldResult, Score
from ..forms.form_fields import Value
from .person_calls import UNRECORDED, PersonCalls

STORE, EXPORT = "submissions.sqlite", "submissions.jsonl"
"""The files of the store and of its export."""
_BUSY_SECONDS = 60
# The number is the order in which submissions were stored. The digest is of what was entered.
_TABLES = (
    "submissions (number INTEGER PRIMARY KEY, id VARCHAR NOT NULL UNIQUE, session VARCHAR NOT NULL,"
    " digest VARCHAR NOT NULL, record VARCHAR NOT NULL, UNIQUE (session, digest))",
    "secret (value VARCHAR NOT NULL)",
)
_Name = Annotated[str, Field(pattern=r"^[a-z0-9_]{1,80}$")]


class FormSession(Data):
    """A form that was opened.

    Attributes:
        session: its name in results.
        form: the form's name.
        task: the task's id.
        theme: the theme's name.
        reveal: whether the right answers may be shown after submission.
    """

    session: Annotated[str, Field(pattern=r"^[0-9a-f]{16}$")]
    form: _Name
    task: Annotated[str, Field(pattern=r"^(test|train)/[0-9]{1,10}$")]
    theme: _Name
    reveal: bool


class FormSubmission(FormSession):
    """A submission, and the session that it came from.

    Attributes:
        id: in 32 hexadecimal digits.
        received: when it came in, in ISO 8601, UTC.
        attempt: which submission of that session it is, from 1 on.
        values: the value of each field; empty if the right answers are hidden.
        metrics: the score.
        fields: the result of each field; empty if the right answers are hidden.
        person: what was done, as calls; nothing if the right answers are hidden.
    """

    model_config = ConfigDict(allow_inf_nan=False)

    id: Annotated[str, Field(pattern=r"^[0-9a-f]{32}$")]
    received: Annotated[str, Field(pattern=r"^[0-9T:.+-]{19,40}$")]
    attempt: Annotated[int, Field(ge=1)]
    values: dict[str, Value]
    metrics: dict[str, float]
    fields: tuple[FieldResult, ...]
    person: PersonCalls = UNRECORDED

    def hidden(self) -> FormSubmission:
        """The record with only the overall score.

        Values and the results of fields would reveal the right answers.
        """
        return self.model_copy(update={"reveal": False, "values": {}, "fields": (), "person": UNRECORDED})


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
        self.folder = folder

    def open(self) -> Records:
        """The same, after what is missing was made.

        Raises:
            OSError: if the folder cannot be made.
            ValueError: if its store is none.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        try:
            with self.connected() as connection:
                if connection.execute("PRAGMA journal_mode").fetchone() != ("wal",):
                    with self.alone():  # Two processes that change the mode at once do not wait for each other.
                        connection.execute("PRAGMA journal_mode=WAL")
            with self.writing() as connection:
                for table in _TABLES:
                    connection.execute(f"CREATE TABLE IF NOT EXISTS {table}")
                new = (secrets.token_urlsafe(32),)
                connection.execute("INSERT INTO secret SELECT ? WHERE NOT EXISTS (SELECT * FROM secret)", new)
                (self.secret,) = connection.execute("SELECT value FROM secret").fetchone()
        except sqlite3.Error as error:
            raise ValueError(f"{self.folder / STORE} is no store of submissions: {error}") from None
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

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """A connection to the store, outside of a transaction; what is committed on it is on disk."""
        with closing(sqlite3.connect(self.folder / STORE, _BUSY_SECONDS, isolation_level=None)) as connection:
            for setting in ("trusted_schema=OFF", "synchronous=FULL"):
                connection.execute(f"PRAGMA {setting}")
            yield connection

    @contextmanager
    def writing(self) -> Iterator[sqlite3.Connection]:
        """A transaction that stores something, while no other process does.

        Raises:
            sqlite3.Error: if it cannot be stored.
        """
        with self.connected() as connection:
            connection.execute("BEGIN IMMEDIATE")
            yield connection
            connection.execute("COMMIT")

    def add(
        self, session: FormSession, values: dict[str, Value], score: Score, person: PersonCalls = UNRECORDED
    ) -> FormSubmission:
        """Store a submission; if the session has sent the same values before, that record again.

        Raises:
            sqlite3.Error: if it cannot be stored.
        """
        digest = sha256(json.dumps(values, sort_keys=True).encode()).hexdigest()
        with self.writing() as connection:
            of_session = "FROM submissions WHERE session = ?"
            same = (session.session, digest)
            before = connection.execute(f"SELECT record {of_session} AND digest = ?", same).fetchone()
            if before is not None:
                return FormSubmission.model_validate_json(before[0])
            (attempts,) = connection.execute(f"SELECT count(*) {of_session}", (session.session,)).fetchone()
            record = FormSubmission(
                id=secrets.token_hex(16),
                received=datetime.now(UTC).isoformat(timespec="milliseconds"),
                attempt=1 + attempts,
                values=values,
                metrics=dict(score.metrics),
                fields=score.fields,
                person=person,
                **session.model_dump(),
            )
            row = (record.id, record.session, digest, record.model_dump_json())
            connection.execute("INSERT INTO submissions (id, session, digest, record) VALUES (?, ?, ?, ?)", row)
        return record

    def find(self, name: str) -> FormSubmission | None:
        """The record of an id; ``None`` if there is none, or it is broken."""
        return next(_valid(self.rows("SELECT record FROM submissions WHERE id = ?", name)), None)

    def count(self) -> int:
        """How many there are."""
        return int(self.rows("SELECT count(*) FROM submissions")[0][0])

    def latest(self, limit: int, before: int | None = None) -> tuple[list[FormSubmission], int | None]:
        """A page of submissions, the latest first, and the number before which the next page begins, if there is one.

        Args:
            limit: the size of the page.
            before: the number that follows the page; ``None``: the end.
        """
        query = "SELECT record, number FROM submissions WHERE ? IS NULL OR number < ? ORDER BY number DESC LIMIT ?"
        rows = self.rows(query, before, before, limit + 1)
        return list(_valid(rows[:limit])), rows[limit - 1][1] if len(rows) > limit else None

    def all(self) -> Iterator[FormSubmission]:
        """Every valid record in the order of storing, one in memory at a time."""
        with self.connected() as connection:
            yield from _valid(connection.execute("SELECT record FROM submissions ORDER BY number"))

    def rows(self, query: str, *parameters: str | int | None) -> list[tuple[Any, ...]]:
        """What a query finds in the store."""
        with self.connected() as connection:
            return connection.execute(query, parameters).fetchall()

    def export(self) -> Path:
        """Write every record as a line of JSON, in a file that is replaced at once; its path.

        Raises:
            OSError: if it cannot be written.
        """
        path = self.folder / EXPORT
        atomic_write(path, (f"{record.model_dump_json()}\n".encode() for record in self.all()))
        return path


def _valid(rows: Iterable[tuple[Any, ...]]) -> Iterator[FormSubmission]:
    for row in rows:
        with suppress(ValidationError):
            yield FormSubmission.model_validate_json(row[0])
