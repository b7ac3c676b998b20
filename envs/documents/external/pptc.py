"""Read PPTC (Guo et al., 2023): sessions of requests to make and edit slides.

As published, a session is a file with an object a line: ``Turn``, ``User instruction``, ``Feasible API sequence``, and
the decks before and after as ``Base File`` and ``Label File``, relative to the checkout. The decks are not published:
the checkout's own ``main.py --prepare`` makes them from the API sequences.
"""

from __future__ import annotations

import re
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
        id: of set, session and turn, such as ``"Edit_PPT_template/3/0"``.
        instruction: the request in words.
        before, after: the decks; they may be missing.
        origin: file and line.
    """

    id: str
    instruction: str
    before: Path
    after: Path
    origin: str


class _Turn(BaseModel):
    turn: int = pydantic.Field(alias="Turn", ge=0)
    instruction: str = pydantic.Field(alias="User instruction", min_length=1)
    before: str = pydantic.Field(alias="Base File", min_length=1)
    after: str = pydantic.Field(alias="Label File", min_length=1)


def read_pptc(root: Path) -> list[EditTurn]:
    """The turns of all sessions in a checkout; it opens no deck.

    Raises:
        ValueError: if there are none, or a line is broken; the message names file and line.
    """
    files = [file for name in SETS for file in sorted((root / SESSIONS / name).glob("session_*.json"), key=_number)]
    if not files:
        raise ValueError(f"no sessions in {root}: expected is {LAYOUT}")
    return [turn for file in files for turn in _turns(file, root)]


def read_deck(path: Path) -> Document:
    """The document in a deck.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if it is missing, or holds what cannot be read.
    """
    if not path.is_file():
        raise ValueError(f"there is no deck {path}")
    return read_document(path).original


def _turns(file: Path, root: Path) -> list[EditTurn]:
    """The turns in the lines of a file that are not blank."""
    try:
        lines = file.read_bytes().split(b"\n")
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    session = f"{file.parent.name}/{file.stem.removeprefix('session_')}"
    places = ((f"{file}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip(_BLANK))
    turns = [_turn(session, place, line, root) for place, line in places]
    if not turns:
        raise ValueError(f"{file}: there are no turns")
    return turns


def _turn(session: str, place: str, line: bytes, root: Path) -> EditTurn:
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
    # What comes after is where things must be afterwards, for PPTC's own checker.
    instruction = turn.instruction.partition("##")[0].strip()
    return EditTurn(f"{session}/{turn.turn}", instruction, before, after, place)


def _inside(root: Path, name: str) -> Path:
    """The path of a file that a row names, which must be inside the checkout."""
    path = root / name
    if "\0" in name or not path.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"the file {name!r} lies outside of {root}")
    return path


def _number(file: Path) -> tuple[int, str]:
    found = re.search(r"\d+", file.stem)
    return int(found[0]) if found else 0, file.name
