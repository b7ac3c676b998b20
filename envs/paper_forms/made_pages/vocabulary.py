"""The texts of training pages: loads and checks ``assets/fieldfinder/vocabulary``.

To add a language, add its file and its name to ``Language``; a broken file is refused with its name and the field.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import Field, PlainValidator, field_validator

from ....assets import ROOT
from ...core.files import Data, load

FOLDER = ROOT / "fieldfinder" / "vocabulary"

Language = Literal["en", "de", "fr", "es", "it", "pt"]
LANGUAGES: tuple[Language, ...] = get_args(Language)

Kind = Literal[
    "name", "first_name", "last_name", "initials", "signature", "company", "date", "phone", "fax", "email", "street",
    "city", "state", "zip", "address", "country", "money", "number", "small_number", "percent", "code", "tax_id",
    "duration", "yes_no", "position", "department", "relation", "subject", "product", "words", "long", "time",
    "measure", "colour", "brand", "vehicle", "vin",
]  # fmt: skip
"""The kind of value of a field; ``fake_answers.answer_text`` makes up one of each."""

KINDS: tuple[Kind, ...] = get_args(Kind)

Genre = Literal[
    "memo", "fax", "laboratory", "marketing", "shipping", "medical", "school", "tax", "insurance", "loan", "employment",
    "survey", "report", "notice", "legal", "purchase",
]  # fmt: skip

Text = Annotated[str, Field(min_length=1, max_length=400, pattern=r"^\S(.*\S)?$")]


class FieldLabel(NamedTuple):
    """The label of a field, and its kind of value."""

    text: Text
    kind: Kind


class Choice(Data):
    """Options with ticks; ``ask`` is empty where the form asks no question."""

    ask: str
    options: Annotated[tuple[Text, ...], Field(min_length=2)]


class Column(NamedTuple):
    """A column of a table; ``group``: the heading it shares with neighbours, or empty."""

    text: Text
    kind: Kind
    group: str = ""


class TableWords(Data):
    """A table: columns, row headings if it has any, and the text in the corner."""

    columns: Annotated[tuple[Column, ...], Field(min_length=1)]
    rows: tuple[Text, ...] = ()
    corner: str = ""


class Blank(NamedTuple):
    """A blank in a sentence: the words that name it, and its kind of value."""

    ask: str
    kind: Kind


_BLANK = re.compile(r"\{(\w+):([^{}]+)\}")


def _parse_prose(text: Any) -> tuple[str | Blank, ...]:
    """The parts of a sentence with blanks of the form ``{kind:words that name it}``."""
    # Splitting by two groups yields text, kind, words, text, kind, words, ... text.
    pieces = _BLANK.split(str(text))
    if len(pieces) == 1 or any("{" in piece for piece in pieces[::3]):
        raise ValueError(f"no blank of the form {{kind:words}}: {text}")
    parts: list[str | Blank] = [pieces[0].strip()]
    for name, ask, after in zip(pieces[1::3], pieces[2::3], pieces[3::3], strict=True):
        kind = next((kind for kind in KINDS if kind == name), None)
        if kind is None:
            raise ValueError(f"unknown kind {name}: {text}")
        parts += [Blank(ask, kind), after.strip()]
    return tuple(part for part in parts if part)


Prose = Annotated[tuple[str | Blank, ...], PlainValidator(_parse_prose)]
"""A sentence with blanks, in the order of reading."""


class LanguageFile(Data):
    """``en.json`` and so on: the texts of forms in one language.

    Attributes:
        labels: of fields, by the kind of value they take.
        heads: headings of sections.
        titles: of forms.
        sentences: without blanks: clauses, notices, instructions.
        choices: groups of options.
        who: headings of blocks with the same fields for several: ``("Applicant", "Co-Applicant")``.
    """

    labels: dict[Kind, tuple[Text, ...]]
    heads: Annotated[tuple[Text, ...], Field(min_length=1)]
    titles: Annotated[tuple[Text, ...], Field(min_length=1)]
    sentences: Annotated[tuple[Text, ...], Field(min_length=1)]
    choices: Annotated[tuple[Choice, ...], Field(min_length=1)]
    who: Annotated[tuple[Annotated[tuple[Text, ...], Field(min_length=2)], ...], Field(min_length=1)]

    @field_validator("labels")
    @classmethod
    def _unique(cls, labels: dict[Kind, tuple[str, ...]]) -> dict[Kind, tuple[str, ...]]:
        for kind, texts in labels.items():
            if repeated := sorted({text for text in texts if texts.count(text) > 1}):
                raise ValueError(f"{kind}: listed twice: {', '.join(repeated)}")
        return labels


class TablesFile(Data):
    """``tables.json``, in English."""

    tables: tuple[TableWords, ...]


class SetsFile(Data):
    """``sets.json``: sets of labels of one form, in order, by genre, in English."""

    sets: dict[Genre, Annotated[tuple[dict[Text, Kind], ...], Field(min_length=1)]]


class QuestionsFile(Data):
    """``questions.json``: questions of surveys, by kind of answer, in English."""

    questions: dict[Kind, tuple[Text, ...]]


class ProseFile(Data):
    """``prose.json``: sentences with blanks, in English."""

    prose: tuple[Prose, ...]


class PhrasesFile(Data):
    """``phrases.json``: further texts of forms, in English.

    Attributes:
        letterheads: names of invented companies and offices.
        footers: texts at the foot of a page.
        options_alone: single options, without a group.
        hints: small print after a label: ``"(mm/dd/yyyy)"``, ``"(if any)"``.
        units: texts after a blank: ``"per month"``, ``"lbs."``.
        signers: persons who sign side by side: ``("Buyer", "Co-Buyer")``.
    """

    letterheads: tuple[Text, ...]
    footers: tuple[Text, ...]
    options_alone: tuple[Text, ...]
    hints: tuple[Text, ...]
    units: tuple[Text, ...]
    signers: tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...]


@lru_cache(maxsize=len(LANGUAGES))
def words(language: Language = "en") -> LanguageFile:
    """The texts of forms in a language."""
    return load(LanguageFile, FOLDER / f"{language}.json")


@lru_cache(maxsize=1)
def phrases() -> PhrasesFile:
    """Further texts of forms, in English."""
    return load(PhrasesFile, FOLDER / "phrases.json")


@lru_cache(maxsize=1)
def tables() -> tuple[TableWords, ...]:
    """The texts of tables, in English."""
    return load(TablesFile, FOLDER / "tables.json").tables


@lru_cache(maxsize=1)
def sets() -> dict[str, tuple[tuple[FieldLabel, ...], ...]]:
    """Sets of labels of one form, in order, by genre, in English."""
    found = load(SetsFile, FOLDER / "sets.json").sets
    return {
        genre: tuple(tuple(FieldLabel(*item) for item in one.items()) for one in group)
        for genre, group in found.items()
    }


@lru_cache(maxsize=1)
def questions() -> tuple[FieldLabel, ...]:
    """Questions of surveys and applications, with their kinds of answers."""
    found = load(QuestionsFile, FOLDER / "questions.json").questions
    return tuple(FieldLabel(text, kind) for kind, texts in found.items() for text in texts)


@lru_cache(maxsize=1)
def prose() -> tuple[Prose, ...]:
    """Sentences with blanks, in English."""
    return load(ProseFile, FOLDER / "prose.json").prose
