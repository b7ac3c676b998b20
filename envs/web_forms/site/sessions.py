"""Sessions: each opened form has a token of its own, so that no two people or windows mix."""

from __future__ import annotations

import secrets
from collections import OrderedDict
from dataclasses import dataclass, replace
from hashlib import sha256
from threading import Lock

FIELD = "_session"
"""The name of the hidden field that holds the token; no field of a form begins with an underscore."""
_KEPT = 100_000


@dataclass(frozen=True)
class Session:
    """What was opened.

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
    """The sessions of a running site by their tokens; the oldest are forgotten where there are too many."""

    def __init__(self, kept: int = _KEPT) -> None:
        self._kept = kept
        self._sessions: OrderedDict[str, Session] = OrderedDict()
        self._lock = Lock()

    def open(self, session: Session) -> str:
        """A new token, which cannot be guessed."""
        token = secrets.token_urlsafe(24)
        with self._lock:
            self._sessions[token] = session
            while len(self._sessions) > self._kept:
                self._sessions.popitem(last=False)
        return token

    def find(self, token: str) -> Session | None:
        """The session of a token; ``None`` if there is none."""
        with self._lock:
            return self._sessions.get(token)

    def submitted(self, token: str) -> int:
        """Count a submission; which one of its session it is, from 1 on."""
        with self._lock:
            session = self._sessions[token]
            self._sessions[token] = replace(session, attempts=session.attempts + 1)
            return session.attempts + 1


def public_name(token: str) -> str:
    """What a session is called in results: the same for the same token, which cannot be told from it."""
    return sha256(token.encode()).hexdigest()[:16]
