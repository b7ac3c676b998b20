"""Reading PPTC (Guo et al., 2023): sessions in which a person asks for slides to be made or edited, turn by turn.

As published, a session is a file with an object a line: ``Turn``, ``User instruction``, ``Feasible API sequence``, and
the decks before and after as ``Base File`` and ``Label File``, relative to the checkout. The decks are not published:
the checkout's own ``main.py --prepare`` makes them from the API sequences.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pydantic
from pydantic import BaseModel

from ..formats.files import read_document
from ..scene.document import Document
from .rows import Row, inside, json_rows, problem
from .tasks import ExternalTask, Skipped, Unplayable

SETS = ("Create_new_slides", "Edit_PPT_template")
"""The two tasks of the paper: new slides, and long decks that are edited."""
SESSIONS = "PPT_test_input"
LAYOUT = f"a checkout of PPTC: {SESSIONS}/{{{','.join(SETS)}}}/session_N.json, PPT_Base_File/ and PPT_Label_File/"


@dataclass(frozen=True, slots=True)
class EditTurn:
    """A turn.

    Attributes:
        number: as the file counts, from 0.
        instruction: what the person says.
        relation: where things must be afterwards, as PPTC checks it; ``""``: anywhere.
        calls: the API calls of a right answer.
        before, after: the decks; they may be missing.
        origin: file and line.
    """

    number: int
    instruction: str
    relation: str
    calls: tuple[str, ...]
    before: Path
    after: Path
    origin: str


@dataclass(frozen=True, slots=True)
class EditSession:
    """Turns of one conversation, in order; ``id`` is set and session, such as ``"Edit_PPT_template/3"``."""

    id: str
    turns: tuple[EditTurn, ...]


class _Turn(BaseModel):
    turn: int = pydantic.Field(alias="Turn", ge=0)
    instruction: str = pydantic.Field(alias="User instruction", min_length=1)
    calls: str | list[str] = pydantic.Field("", alias="Feasible API sequence")
    before: str = pydantic.Field(alias="Base File", min_length=1)
    after: str = pydantic.Field(alias="Label File", min_length=1)


def read_pptc(root: Path) -> list[EditSession]:
    """The sessions in a checkout; no deck is opened.

    Raises:
        ValueError: if there are none, or a line is broken; the message names file and line.
    """
    files = [file for name in SETS for file in sorted((root / SESSIONS / name).glob("session_*.json"), key=_number)]
    if not files:
        raise ValueError(f"no sessions in {root}: expected is {LAYOUT}")
    sessions = []
    for file in files:
        turns = tuple(_turn(place, row, root) for place, row in json_rows(file))
        if not turns:
            raise ValueError(f"{file}: there are no turns")
        sessions.append(EditSession(f"{file.parent.name}/{file.stem.removeprefix('session_')}", turns))
    return sessions


def pptc_tasks(sessions: Iterable[EditSession], skipped: list[Skipped] | None = None) -> Iterator[ExternalTask]:
    """The turns that can be played, each from the deck that the turns before lead to.

    Args:
        sessions: from ``read_pptc``.
        skipped: takes the turns that cannot be played: a deck is missing or holds what we cannot read, or the two decks
            are alike in all that we read.
    """
    for session in sessions:
        for turn in session.turns:
            try:
                before, after = read_deck(turn.before), read_deck(turn.after)
                if before.pages == after.pages:
                    raise Unplayable("nothing changes that is read from decks")
            except ValueError as error:
                if skipped is not None:
                    reason = str(error) if isinstance(error, Unplayable) else "a deck is missing or cannot be opened"
                    skipped.append(Skipped(reason, str(problem(turn.origin, error))))
                continue
            yield ExternalTask(f"pptc/{session.id}/{turn.number}", before, turn.instruction, after, turn.origin)


def read_deck(path: Path) -> Document:
    """The document in a deck, wherever it comes from.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if it is missing, or holds what cannot be read.
    """
    if not path.is_file():
        raise ValueError(f"there is no deck {path}")
    return read_document(path).document


def _turn(place: str, row: Row, root: Path) -> EditTurn:
    try:
        told = _Turn.model_validate(row)
        before, after = inside(root, told.before), inside(root, told.after)
    except ValueError as error:
        raise problem(place, error) from None
    instruction, _, relation = told.instruction.partition("##")
    # Texts that calls insert may hold semicolons.
    calls = re.split(r"(?<=\))\s*;", told.calls) if isinstance(told.calls, str) else told.calls
    named = tuple(call.strip(" ;\n") for call in calls if call.strip(" ;\n"))
    return EditTurn(told.turn, instruction.strip(), relation.strip(), named, before, after, place)


def _number(file: Path) -> tuple[int, str]:
    found = re.search(r"\d+", file.stem)
    return int(found[0]) if found else 0, file.name
