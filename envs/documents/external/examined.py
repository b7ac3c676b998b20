"""Which turns can be played, and by which gold edit: examined once, and kept in a folder of the user's cache."""

from __future__ import annotations

import hashlib
from functools import lru_cache
from pathlib import Path

from pydantic import ValidationError

from ...core.asset_cache import cached
from ...core.files import Data, atomic_write, cache_folder
from ..requests.request import Request
from .pptc import Session, turned
from .tasks import Unplayable, document_task, external_task

_MISSING = "a deck is missing or cannot be opened"


class _Examined(Data):
    """Why a turn cannot be played, or its request with the gold edit."""

    reason: str | None = None
    request: Request | None = None


@cached
def examined(session: Session, number: int) -> Request | str:
    """The request of a turn with its gold edit, or the reason why it cannot be played."""
    file = cache_folder() / "pptc" / _digest(session) / f"{number}.json"
    try:
        found = _Examined.model_validate_json(file.read_bytes())
    except (OSError, ValidationError):
        found = _examine(session, number)
        try:
            file.parent.mkdir(parents=True, exist_ok=True)
            atomic_write(file, found.model_dump_json(exclude_defaults=True).encode())
        except OSError:
            # A cache that cannot be written costs time, no more.
            pass
    return found.request or found.reason or _MISSING


def reason_of(session: Session, number: int) -> str | None:
    """The reason why a turn cannot be played; ``None``: it can."""
    found = examined(session, number)
    return found if isinstance(found, str) else None


def _examine(session: Session, number: int) -> _Examined:
    try:
        one = external_task("examined", session.turns[number], turned(session, number))
        return _Examined(request=document_task(one).request)
    except Unplayable as error:
        return _Examined(reason=str(error))
    except ValueError:
        return _Examined(reason=_MISSING)


@cached
def _digest(session: Session) -> str:
    """What the examination of a session depends on: its turns, its decks as they are on disk, and our code."""
    decks = [session.deck, *(deck for turn in session.turns for deck in turn.decks or ())]
    stats = [(str(deck), deck.stat().st_size, deck.stat().st_mtime_ns) for deck in decks if deck and deck.is_file()]
    return hashlib.sha256(repr((session.turns, stats, _code_digest())).encode()).hexdigest()[:24]


@lru_cache(maxsize=1)
def _code_digest() -> str:
    files = sorted(Path(__file__).parents[1].rglob("*.py"))
    return hashlib.sha256(b"\0".join(file.read_bytes() for file in files)).hexdigest()
