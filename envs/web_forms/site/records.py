"""Records of submissions: a JSON file each, under a name that nobody chooses."""

from __future__ import annotations

import re
import secrets
from collections.abc import Iterator
from dataclasses import asdict
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from ...core.files import atomic_write, load
from ...core.scoring import FieldResult, Score
from ..fields import Value
from .sessions import Session

_ID = re.compile(r"[0-9a-f]{32}")


class FieldRecord(BaseModel):
    """What became of one field; see ``core.scoring.FieldResult``."""

    model_config = ConfigDict(frozen=True)

    name: str
    label: str
    matcher: str
    expected: str | None
    entered: str
    correct: bool
    kind: str = ""
    metrics: dict[str, float] = {}


class Record(BaseModel):
    """A submission.

    Attributes:
        id: that of its file.
        received: when it came in, in ISO 8601, UTC.
        session: the name of the session that it came from.
        attempt: which submission of that session it is, from 1 on.
        form: the form's name.
        task: the task's id.
        theme: the theme's name.
        reveal: whether the right answers may be shown.
        values: what each field held; nothing where the right answers are kept back.
        metrics: the score.
        fields: what became of each field; nothing where the right answers are kept back.
    """

    model_config = ConfigDict(frozen=True, extra="forbid")

    id: str
    received: str
    session: str
    attempt: int
    form: str
    task: str
    theme: str
    reveal: bool
    values: dict[str, Value]
    metrics: dict[str, float]
    fields: tuple[FieldRecord, ...]

    def hidden(self) -> Record:
        """The overall score alone: what was entered, and which fields were right, would tell the right answers."""
        return self.model_copy(update={"reveal": False, "values": {}, "fields": ()})


def new_record(session: Session, name: str, attempt: int, values: dict[str, Value], score: Score) -> Record:
    """A record of what has just come in, not yet stored."""
    return Record(
        id=secrets.token_hex(16),
        received=datetime.now(UTC).isoformat(timespec="milliseconds"),
        session=name,
        attempt=attempt,
        form=session.form,
        task=session.task,
        theme=session.theme,
        reveal=session.reveal,
        values=values,
        metrics=dict(score.metrics),
        fields=tuple(_field_record(field) for field in score.fields),
    )


def _field_record(field: FieldResult) -> FieldRecord:
    return FieldRecord(**asdict(field))


class Records:
    """The submissions in a folder, which is made when the first is stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder

    def store(self, record: Record) -> None:
        """Write a record so that no reader ever finds a part of it.

        Raises:
            OSError: if it cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic_write(self.folder / f"{record.id}.json", (record.model_dump_json(indent=1) + "\n").encode())

    def find(self, name: str) -> Record | None:
        """The record of an id; ``None`` if there is none.

        Raises:
            ValueError: if its file is broken.
        """
        path = self.folder / f"{name}.json"
        return load(Record, path) if _ID.fullmatch(name) and path.is_file() else None

    def all(self) -> list[Record]:
        """Every record, the latest first; files that are none are passed over."""
        return sorted(self._read(), key=lambda record: (record.received, record.id), reverse=True)

    def _read(self) -> Iterator[Record]:
        for path in self.folder.glob("*.json"):
            if not _ID.fullmatch(path.stem):
                continue
            try:
                yield load(Record, path)
            except ValueError:
                continue
