"""The texts of training pages: loads and checks ``assets/fieldfinder/vocabulary``.

To add a language, add its file and its name to ``Language``; a broken file is refused with its name and the field.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, Field, PlainValidator, field_validator

from ....assets import ROOT
from ...core.files import Data, load, load_once

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
    """A table: columns, and row headings if it has any."""

    columns: Annotated[tuple[Column, ...], Field(min_length=1)]
    rows: tuple[Text, ...] = ()


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


def _labels(texts: Any) -> Any:
    """The labels of texts with their kinds, or of kinds with their texts."""
    if not isinstance(texts, dict):
        return texts
    labels: list[tuple[Any, Any]] = []
    for one, other in texts.items():
        labels += [(text, one) for text in other] if isinstance(other, list) else [(one, other)]
    return labels


Labels = Annotated[tuple[FieldLabel, ...], BeforeValidator(_labels)]


class EnglishTexts(Data):
    """``english_texts.json``: texts of forms that are in English alone.

    Attributes:
        tables: the words of tables.
        sets: sets of labels of one form, in order, by genre.
        questions: of surveys and applications, with their kinds of answers.
        prose: sentences with blanks.
        letterheads: names of invented companies and offices.
        footers: texts at the foot of a page.
        options_alone: single options, without a group.
        signers: persons who sign side by side: ``("Buyer", "Co-Buyer")``.
    """

    tables: tuple[TableWords, ...]
    sets: dict[str, Annotated[tuple[Labels, ...], Field(min_length=1)]]
    questions: Labels
    prose: tuple[Prose, ...]
    letterheads: tuple[Text, ...]
    footers: tuple[Text, ...]
    options_alone: tuple[Text, ...]
    signers: tuple[Annotated[tuple[Text, ...], Field(min_length=1)], ...]


@lru_cache(maxsize=len(LANGUAGES))
def words(language: Language = "en") -> LanguageFile:
    """The texts of forms in a language."""
    return load(LanguageFile, FOLDER / f"{language}.json")


english = load_once(EnglishTexts, FOLDER / "english_texts.json")
"""The texts of forms that are in English alone."""
