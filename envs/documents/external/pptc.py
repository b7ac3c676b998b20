"""Read PPTC (Guo et al., 2023): sessions of requests to make and edit slides.

As published, a session is a file with an object a line: ``Turn``, ``User instruction``, ``Feasible API sequence``, and
the decks before and after as ``Base File`` and ``Label File``, relative to the checkout. The decks are not published:
the checkout's own ``main.py --prepare`` makes them from the API sequences.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pydantic
from pydantic import BaseModel, ValidationError

from ...core.files import parse_json
from ..formats.files import read_document
from ..scene.document import Document

SETS = ("Create_new_slides", "Edit_PPT_template")
"""The two tasks of the paper: new slides, and long decks that are edited."""
SESSIONS = "PPT_test_input"
LAYOUT = f"a checkout of PPTC: {SESSIONS}/{{{','.join(SETS)}}}/session_N.json, PPT_Base_File/ and PPT_Label_File/"
_BLANK = b"\xef\xbb\xbf \t\r\n"


@dataclass(frozen=True, slots=True)
class EditTurn:
    """One turn of a session: a request, and the decks before and after it.

    Attributes:
        number: in the file, counted from 0.
        instruction: the request in words.
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
    """The turns of one conversation, with an id such as ``"Edit_PPT_template/3"``."""

    id: str
    turns: tuple[EditTurn, ...]


class _Turn(BaseModel):
    turn: int = pydantic.Field(alias="Turn", ge=0)
    instruction: str = pydantic.Field(alias="User instruction", min_length=1)
    calls: str | list[str] = pydantic.Field("", alias="Feasible API sequence")
    before: str = pydantic.Field(alias="Base File", min_length=1)
    after: str = pydantic.Field(alias="Label File", min_length=1)


def read_pptc(root: Path) -> list[EditSession]:
    """The sessions in a checkout; it opens no deck.

    Raises:
        ValueError: if there are none, or a line is broken; the message names file and line.
    """
    files = [file for name in SETS for file in sorted((root / SESSIONS / name).glob("session_*.json"), key=_number)]
    if not files:
        raise ValueError(f"no sessions in {root}: expected is {LAYOUT}")
    return [_session(file, root) for file in files]


def read_deck(path: Path) -> Document:
    """The document in a deck.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if it is missing, or holds what cannot be read.
    """
    if not path.is_file():
        raise ValueError(f"there is no deck {path}")
    return read_document(path).document


def _session(file: Path, root: Path) -> EditSession:
    turns = tuple(_turn(place, line, root) for place, line in _lines(file))
    if not turns:
        raise ValueError(f"{file}: there are no turns")
    return EditSession(f"{file.parent.name}/{file.stem.removeprefix('session_')}", turns)


def _lines(file: Path) -> Iterator[tuple[str, bytes]]:
    """The lines of a file that are not blank, each with its place for messages."""
    try:
        with file.open("rb") as lines:
            yield from ((f"{file}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip(_BLANK))
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None


def _turn(place: str, line: bytes, root: Path) -> EditTurn:
    row = parse_json(line, place)
    if not isinstance(row, dict):
        raise ValueError(f"{place}: a JSON object is expected, not {type(row).__name__}")
    try:
        turn = _Turn.model_validate(row)
        before, after = _inside(root, turn.before), _inside(root, turn.after)
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    instruction, _, relation = turn.instruction.partition("##")
    # Texts that calls insert may hold semicolons.
    calls = re.split(r"(?<=\))\s*;", turn.calls) if isinstance(turn.calls, str) else turn.calls
    named = tuple(call.strip(" ;\n") for call in calls if call.strip(" ;\n"))
    return EditTurn(turn.turn, instruction.strip(), relation.strip(), named, before, after, place)


def _inside(root: Path, name: str) -> Path:
    """The path of a file that a row names, which must be inside the checkout."""
    path = root / name
    if "\0" in name or not path.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"the file {name!r} lies outside of {root}")
    return path


def _number(file: Path) -> tuple[int, str]:
    found = re.search(r"\d+", file.stem)
    return int(found[0]) if found else 0, file.name
