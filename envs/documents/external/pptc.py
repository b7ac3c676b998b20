"""Read PPTC (Guo et al., 2023): sessions of requests to make and edit slides.

As published, a session is a file with an object a line: ``Turn``, ``User instruction`` (which may end in restrictions,
each after ``##``), ``Feasible API sequence``, ``Base File`` and ``Label File``. These decks before and after a turn are
not published; where they are missing, they are what the calls of the turns make of nothing, or of the session's deck in
``long_slides``.
"""

from __future__ import annotations

import re
import zipfile
import zlib
from collections.abc import Callable
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import Any, NamedTuple

import pydantic
from pydantic import BaseModel, ValidationError

from ...core.asset_cache import cached
from ...core.files import parse_json, read_foreign
from ..pptx.deck import Slide, deck_of, load_deck
from ..pptx.deck_reader import document_of, page_of
from ..pptx.package import MAX_FILE, reading
from ..scene.document import Document, Page
from .executor import Cursor, run_calls

NEW, EDITED = SETS = ("Create_new_slides", "Edit_PPT_template")
"""The two tasks of the paper: new slides, and long decks that are edited."""
SESSIONS, DECKS, PICTURES = "PPT_test_input", "long_slides", "test/pics"
LAYOUT = f"a checkout of PPTC: {SESSIONS}/{{{','.join(SETS)}}}/session_N.json and {DECKS}/N.pptx"
_BLANK = b"\xef\xbb\xbf \t\r\n"
_MAX_SESSION = 4 << 20
_SIZE, _SIDE = re.compile(rb"<p:sldSz[^>]*>"), re.compile(rb"\b(cx|cy)=\"(\d{1,9})\"")
_READ = tuple(
    f"http://schemas.openxmlformats.org/officeDocument/2006/relationships/{name}" for name in ("chart", "notesSlide")
)
"""The kinds of parts of a slide that calls change and that are read."""


@dataclass(frozen=True, slots=True)
class EditTurn:
    """One turn of a session.

    Attributes:
        instruction: the request in words.
        restrictions: where things must be afterwards, as published: ``1, picture, slide, left``.
        calls: of a right answer.
        decks: before and after it, where they are there.
        origin: file and line.
    """

    instruction: str
    restrictions: tuple[str, ...]
    calls: str
    decks: tuple[Path, Path] | None
    origin: str


@dataclass(frozen=True, slots=True)
class Session:
    """A session, whose turns come one after the other.

    Attributes:
        id: of set and session, such as ``"Edit_PPT_template/3"``.
        turns: in order.
        root: the checkout.
        deck: the deck that it begins with; ``None``: a new one.
    """

    id: str
    turns: tuple[EditTurn, ...]
    root: Path
    deck: Path | None


class _Turn(BaseModel):
    turn: int = pydantic.Field(alias="Turn", ge=0)
    instruction: str = pydantic.Field(alias="User instruction", min_length=1)
    calls: str = pydantic.Field("", alias="Feasible API sequence")
    before: str | None = pydantic.Field(None, alias="Base File")
    after: str | None = pydantic.Field(None, alias="Label File")


def read_pptc(root: Path) -> list[Session]:
    """The sessions in a checkout; it opens no deck.

    Raises:
        ValueError: if there are none, or a line is broken; the message names file and line.
    """
    files = [file for name in SETS for file in sorted((root / SESSIONS / name).glob("session_*.json"), key=_number)]
    if not files:
        raise ValueError(f"no sessions in {root}: expected is {LAYOUT}")
    return [_session(file, root) for file in files]


class Turned(NamedTuple):
    """The documents before and after a turn, and the English metric units in a pixel of theirs."""

    before: Document
    after: Document
    emu: float


def turned(session: Session, number: int) -> Turned:
    """The documents of a turn, counted from 0.

    Raises:
        RuntimeError: if python-pptx is not installed.
        ValueError: if a deck is missing, or holds what cannot be read.
    """
    if (decks := session.turns[number].decks) is not None:
        (before, emu), (after, _) = map(_opened, decks)
        return Turned(before, after, emu)
    documents, emu = _made(session)
    return Turned(documents[number], documents[number + 1], emu)


@cached
def _opened(path: Path) -> tuple[Document, float]:
    deck = load_deck(read_foreign(path, MAX_FILE, is_json=False), path.name)
    with reading(path.name):
        return document_of(deck, path.stem), deck.slides[0].emu


@cached
def _made(session: Session) -> tuple[tuple[Document, ...], float]:
    """The document that a session begins with, and that after each turn; and the units in a pixel."""
    presentation, read, documents = _presentation(session), _page_reader(), []
    with reading(session.id):
        cursor = Cursor(presentation, session.root / PICTURES)
        for calls in ("", *(turn.calls for turn in session.turns)):
            run_calls(cursor, calls)
            deck = deck_of(presentation, session.id)
            documents.append(document_of(deck, session.id, read))
    return tuple(documents), deck.slides[0].emu


def slide_size(session: Session) -> tuple[int, int]:
    """Width and height of the slides of a session, as its deck says, without opening it; 4:3 if it does not."""
    path = next((turn.decks[0] for turn in session.turns if turn.decks), session.deck)
    try:
        with zipfile.ZipFile(path) if path else nullcontext() as package:
            found = _SIZE.search(package.read("ppt/presentation.xml")) if package else None
    except (OSError, KeyError, ValueError, zipfile.BadZipFile, NotImplementedError, RuntimeError, zlib.error):
        found = None
    sides = {name: int(value) for name, value in _SIDE.findall(found[0])} if found else {}
    return sides.get(b"cx", 0) or 4, sides.get(b"cy", 0) or 3


def _presentation(session: Session) -> Any:
    """What a session begins with: a new deck of one slide, or its own."""
    if session.deck is not None:
        if not session.deck.is_file():
            raise ValueError(f"there is no deck {session.deck}")
        content = read_foreign(session.deck, MAX_FILE, is_json=False)
        return load_deck(content, session.deck.name).package.presentation
    try:
        from pptx import Presentation
    except ImportError:
        raise RuntimeError("PowerPoint files need python-pptx: pip install 'formgym[office]'") from None
    presentation = Presentation()
    presentation.slides.add_slide(presentation.slide_layouts[1])
    return presentation


def _page_reader() -> Callable[..., Page]:
    """A reader of slides that takes those again that are as they were."""
    pages: dict[object, Page] = {}

    def read(slide: Slide, *rest: Any) -> Page:
        parts = [slide.part, *(one.target_part for one in slide.part.rels.values() if one.reltype in _READ)]
        key = slide.number, *(part.blob for part in parts)
        if key not in pages:
            pages[key] = page_of(slide, *rest)
        return pages[key]

    return read


def _session(file: Path, root: Path) -> Session:
    try:
        lines = read_foreign(file, _MAX_SESSION).split(b"\n")
    except OSError as error:
        raise ValueError(f"{file} cannot be read: {error.strerror}") from None
    places = ((f"{file}, line {number}", line) for number, line in enumerate(lines, 1) if line.strip(_BLANK))
    turns = tuple(_turn(place, line, root) for place, line in places)
    if not turns:
        raise ValueError(f"{file}: there are no turns")
    number = file.stem.removeprefix("session_")
    is_new = file.parent.name == NEW
    return Session(f"{file.parent.name}/{number}", turns, root, None if is_new else root / DECKS / f"{number}.pptx")


def _turn(place: str, line: bytes, root: Path) -> EditTurn:
    row = parse_json(line, place)
    if not isinstance(row, dict):
        raise ValueError(f"{place}: a JSON object is expected, not {type(row).__name__}")
    try:
        turn = _Turn.model_validate(row)
        named = [_inside(root, name) for name in (turn.before, turn.after) if name]
    except ValidationError as error:
        first = error.errors()[0]
        raise ValueError(f"{place}: {'.'.join(map(str, first['loc']))}: {first['msg']}") from None
    except ValueError as error:
        raise ValueError(f"{place}: {error}") from None
    instruction, *restrictions = turn.instruction.split("##")
    decks = (named[0], named[1]) if len(named) == 2 and all(deck.is_file() for deck in named) else None
    return EditTurn(instruction.strip(), tuple(one.strip() for one in restrictions), turn.calls, decks, place)


def _inside(root: Path, name: str) -> Path:
    """The path of a file that a row names, which must be inside the checkout."""
    path = root / name
    if "\0" in name or not path.resolve().is_relative_to(root.resolve()):
        raise ValueError(f"the file {name!r} lies outside of {root}")
    return path


def _number(file: Path) -> tuple[int, str]:
    found = re.search(r"\d+", file.stem)
    return int(found[0]) if found else 0, file.name
