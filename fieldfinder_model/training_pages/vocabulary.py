"""The vocabulary of the training pages: what forms print, read from ``assets/fieldfinder/vocabulary`` and checked.

Each file has one model here; a broken file is refused with a ``ValueError`` that names the file and the field.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Literal, NamedTuple, get_args

from pydantic import Field, field_validator

from ...assets import ROOT
from ...envs.core.files import Data, load

FOLDER = ROOT / "fieldfinder" / "vocabulary"

Language = Literal["en", "de", "fr", "es", "it", "pt"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

Kind = Literal[
    "name", "first_name", "last_name", "initials", "signature", "company", "date", "phone", "fax", "email", "street",
    "city", "state", "zip", "address", "country", "money", "number", "small_number", "percent", "code", "tax_id",
    "duration", "yes_no", "position", "department", "relation", "subject", "product", "words", "long", "time",
    "measure", "colour", "brand", "vehicle", "vin",
]  # fmt: skip
"""What kind of value a field takes; ``answers.answer`` makes one up for each."""

KINDS: tuple[Kind, ...] = get_args(Kind)

Genre = Literal[
    "memo", "fax", "laboratory", "marketing", "shipping", "medical", "school", "tax", "insurance", "loan", "employment",
    "survey", "report", "notice", "legal", "purchase",
]  # fmt: skip
GENRES: tuple[Genre, ...] = get_args(Genre)

Text = Annotated[str, Field(min_length=1, max_length=400, pattern=r"^\S(.*\S)?$")]


class Label(NamedTuple):
    """What a form prints beside a field, and the kind of value the field takes."""

    text: str
    kind: Kind


class Choice(NamedTuple):
    """Options with ticks; ``question`` is empty where the form asks none."""

    question: str
    options: tuple[str, ...]


class Column(NamedTuple):
    """A column of a table; ``group`` is the head that it shares with its neighbours, or empty."""

    text: str
    kind: Kind
    group: str


class TableWords(NamedTuple):
    """A table: its columns, the heads of its rows (or none), and what stands above the rows' heads (or nothing)."""

    columns: tuple[Column, ...]
    rows: tuple[str, ...]
    corner: str


class Blank(NamedTuple):
    """A blank in a sentence: the words it is asked by, and the kind of value it takes."""

    ask: str
    kind: Kind


Prose = tuple["str | Blank", ...]
"""A sentence with blanks, in the order of reading."""


class _Options(Data):
    ask: str
    options: Annotated[tuple[Text, ...], Field(min_length=2)]


class LanguageFile(Data):
    """``en.json`` and so on: what is said in one language."""

    labels: dict[Kind, tuple[Text, ...]]
    heads: Annotated[tuple[Text, ...], Field(min_length=1)]
    titles: Annotated[tuple[Text, ...], Field(min_length=1)]
    sentences: Annotated[tuple[Text, ...], Field(min_length=1)]
    choices: Annotated[tuple[_Options, ...], Field(min_length=1)]
    who: Annotated[tuple[Annotated[tuple[Text, ...], Field(min_length=2)], ...], Field(min_length=1)]

    @field_validator("labels")
    @classmethod
    def _once(cls, labels: dict[Kind, tuple[str, ...]]) -> dict[Kind, tuple[str, ...]]:
        for kind, texts in labels.items():
            twice = {text for text in texts if texts.count(text) > 1}
            if twice:
                raise ValueError(f"{kind}: listed twice: {', '.join(sorted(twice))}")
        return labels


class _Table(Data):
    columns: Annotated[tuple[tuple[Text, Kind] | tuple[Text, Kind, Text], ...], Field(min_length=1)]
    rows: tuple[Text, ...] = ()
    corner: str = ""


class TablesFile(Data):
    """``tables.json``."""

    tables: tuple[_Table, ...]


class SetsFile(Data):
    """``sets.json``: labels and their kinds, in their order."""

    sets: dict[Genre, Annotated[tuple[dict[Text, Kind], ...], Field(min_length=1)]]


class QuestionsFile(Data):
    """``questions.json``, by the kind of their answers."""

    questions: dict[Kind, tuple[Text, ...]]


_BLANK = re.compile(r"\{(\w+):([^{}]+)\}")


class ProseFile(Data):
    """``prose.json``: sentences with blanks of the form ``{kind:words it is asked by}``."""

    prose: tuple[Text, ...]

    @field_validator("prose")
    @classmethod
    def _with_blanks(cls, prose: tuple[str, ...]) -> tuple[str, ...]:
        for text in prose:
            kinds = [kind for kind, _ in _BLANK.findall(text)]
            if not kinds or "{" in _BLANK.sub("", text):
                raise ValueError(f"no blank of the form {{kind:words}}: {text}")
            strange = set(kinds) - set(KINDS)
            if strange:
                raise ValueError(f"unknown kind {', '.join(sorted(strange))}: {text}")
        return prose


class PhrasesFile(Data):
    """``phrases.json``: what else forms print, in English.

    Attributes:
        letterheads: names of invented companies and offices.
        footers: what stands at the foot of a page.
        options_alone: options that stand by themselves, without a group.
        hints: what follows a label in small print: ``"(mm/dd/yyyy)"``, ``"(if any)"``.
        units: what follows a blank: ``"per month"``, ``"lbs."``.
        signers: who signs side by side: ``("Buyer", "Co-Buyer")``.
    """

    letterheads: tuple[Text, ...]
    footers: tuple[Text, ...]
    options_alone: tuple[Text, ...]
    hints: tuple[Text, ...]
    units: tuple[Text, ...]
    signers: tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...]


@lru_cache(maxsize=len(LANGUAGES))
def _language(language: Language) -> LanguageFile:
    return load(LanguageFile, FOLDER / f"{language}.json")


@lru_cache(maxsize=1)
def phrases() -> PhrasesFile:
    """What else forms print, in English."""
    return load(PhrasesFile, FOLDER / "phrases.json")


@lru_cache(maxsize=len(LANGUAGES))
def labels(language: Language = "en") -> tuple[Label, ...]:
    """All labels of a language."""
    return tuple(Label(text, kind) for kind, texts in _language(language).labels.items() for text in texts)


def labels_of(kind: Kind, language: Language = "en") -> tuple[str, ...]:
    """The labels of the fields that take values of ``kind``; empty if the language has none."""
    return _language(language).labels.get(kind, ())


def heads(language: Language = "en") -> tuple[str, ...]:
    """Heads of sections."""
    return _language(language).heads


def who(language: Language = "en") -> tuple[tuple[str, ...], ...]:
    """Heads of blocks that ask the same of several: ``("Applicant", "Co-Applicant")``."""
    return _language(language).who


def titles(language: Language = "en") -> tuple[str, ...]:
    """Titles of forms."""
    return _language(language).titles


def sentences(language: Language = "en") -> tuple[str, ...]:
    """Sentences that ask nothing: clauses, notices, instructions."""
    return _language(language).sentences


@lru_cache(maxsize=len(LANGUAGES))
def choices(language: Language = "en") -> tuple[Choice, ...]:
    """Groups of options with ticks."""
    return tuple(Choice(group.ask, group.options) for group in _language(language).choices)


@lru_cache(maxsize=1)
def tables() -> tuple[TableWords, ...]:
    """What tables say, in English."""
    return tuple(
        TableWords(
            tuple(Column(*column, *("",) * (3 - len(column))) for column in table.columns), table.rows, table.corner
        )
        for table in load(TablesFile, FOLDER / "tables.json").tables
    )


@lru_cache(maxsize=1)
def _sets() -> dict[Genre, tuple[tuple[Label, ...], ...]]:
    found = load(SetsFile, FOLDER / "sets.json").sets
    return {
        genre: tuple(tuple(Label(text, kind) for text, kind in one.items()) for one in found[genre]) for genre in found
    }


def sets(genre: Genre) -> tuple[tuple[Label, ...], ...]:
    """Labels that stand together on one form of a genre, in their order, in English."""
    return _sets()[genre]


@lru_cache(maxsize=1)
def questions() -> tuple[Label, ...]:
    """Questions of surveys and applications, in English, with the kind of their answers."""
    found = load(QuestionsFile, FOLDER / "questions.json").questions
    return tuple(Label(text, kind) for kind, texts in found.items() for text in texts)


@lru_cache(maxsize=1)
def prose() -> tuple[Prose, ...]:
    """Sentences with blanks, in English."""
    return tuple(_parted(text) for text in load(ProseFile, FOLDER / "prose.json").prose)


def _parted(text: str) -> Prose:
    parts: list[str | Blank] = []
    end = 0
    for match in _BLANK.finditer(text):
        parts.append(text[end : match.start()].strip())
        kind = next(kind for kind in KINDS if kind == match[1])
        parts.append(Blank(match[2], kind))
        end = match.end()
    parts.append(text[end:].strip())
    return tuple(part for part in parts if part)
