"""Sessions of opened forms, and records of submissions: a JSON file each."""

from __future__ import annotations

import re
import secrets
from collections import OrderedDict
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path
from threading import Lock

from ...core.files import Data, atomic_write, load
from ...core.scoring import FieldResult, Score
from ..forms.form_fields import Value

FIELD = "_session"
"""The name of the hidden field that holds the token; no field of a form begins with an underscore."""
_KEPT = 100_000


@dataclass(frozen=True)
class FormSession:
    """A form that was opened.

    Attributes:
        form: the form's name.
        task: the task's id.
        theme: the theme's name.
        reveal: whether the right answers may be shown after submission.
        attempts: how often it has been submitted.
    """

    form: str
    task: str
    theme: str
    reveal: bool
    attempts: int = 0


class Sessions:
    """The sessions of a running site by their tokens; the oldest are dropped."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._sessions: OrderedDict[str, FormSession] = OrderedDict()
        self._lock = Lock()

    def open(self, session: FormSession) -> str:
        """A new token, which cannot be guessed."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._sessions[token] = session
            while len(self._sessions) > self._kept:
                self._sessions.popitem(last=False)
        return token

    def find(self, token: str) -> FormSession | None:
        """The session of a token; ``None`` if there is none."""
        with self._lock:
            return self._sessions.get(token)

    def submitted(self, token: str) -> int:
        """Count a submission and return its number in the session, from 1 on."""
        with self._lock:
            session = self._sessions[token]
            self._sessions[token] = replace(session, attempts=session.attempts + 1)
            return session.attempts + 1


def public_name(token: str) -> str:
    """The name of a session in results, which follows from its token but hides it."""
    return sha256(token.encode()).hexdigest()[:16]


_ID = re.compile(r"[0-9a-f]{32}")


class FormSubmission(Data):
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
        values: the value of each field; empty if the right answers are hidden.
        metrics: the score.
        fields: the result of each field; empty if the right answers are hidden.
    """

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
    fields: tuple[FieldResult, ...]

    def hidden(self) -> FormSubmission:
        """The record with only the overall score.

        Values and the results of fields would reveal the right answers.
        """
        return self.model_copy(update={"reveal": False, "values": {}, "fields": ()})


def new_record(session: FormSession, name: str, attempt: int, values: dict[str, Value], score: Score) -> FormSubmission:
    """A record of a new submission, not yet stored."""
    return FormSubmission(
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
        fields=score.fields,
    )


class Records:
    """The submissions in a folder, which is made when the first is stored.

    Args:
        folder: of their files.
        stored: called with each that is stored.
    """

    def __init__(self, folder: Path, stored: Callable[[FormSubmission], None] = lambda record: None) -> None:
        self.folder, self._stored = folder, stored

    def store(self, record: FormSubmission) -> None:
        """Write a record so that no reader ever finds a part of it.

        Raises:
            OSError: if it cannot be written.
        """
        self.folder.mkdir(parents=True, exist_ok=True)
        atomic_write(self.folder / f"{record.id}.json", (record.model_dump_json(indent=1) + "\n").encode())
        self._stored(record)

    def find(self, name: str) -> FormSubmission | None:
        """The record of an id; ``None`` if there is none.

        Raises:
            ValueError: if its file is broken.
        """
        path = self.folder / f"{name}.json"
        return load(FormSubmission, path) if _ID.fullmatch(name) and path.is_file() else None

    def all(self) -> list[FormSubmission]:
        """Every record, the latest first, without invalid files."""
        return sorted(self._read(), key=lambda record: (record.received, record.id), reverse=True)

    def _read(self) -> Iterator[FormSubmission]:
        for path in self.folder.glob("*.json"):
            with suppress(ValueError):
                if (record := self.find(path.stem)) is not None:
                    yield record
