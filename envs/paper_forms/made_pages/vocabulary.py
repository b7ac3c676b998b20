"""The texts of training pages: loads and checks ``assets/fieldfinder/vocabulary``.

To add a language, add its file and its name to ``Language``; a broken file is refused with its name and the field.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Annotated, Any, Literal, NamedTuple, get_args

from pydantic import BeforeValidator, Field, field_validator

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


_BLANK = r"\{(\w+):([^{}]+)\}"


def _split_prose(text: Any) -> Any:
    """The parts of a sentence with blanks of the form ``{kind:words that name it}``."""
    found = re.findall(rf"{_BLANK}|([^{{]+)", str(text))
    if not any(kind for kind, _, _ in found) or "{" in re.sub(_BLANK, "", str(text)):
        raise ValueError(f"no blank of the form {{kind:words}}: {text}")
    return [(ask, kind) if kind else words.strip() for kind, ask, words in found if kind or words.strip()]


Prose = Annotated[tuple[Blank | str, ...], BeforeValidator(_split_prose)]
"""A sentence with blanks, in the order of reading."""


class LanguageFile(Data):
    """``en.json`` and so on: the texts of forms in one language.

    Attributes:
        heads: headings of sections.
        sentences: without blanks: clauses, notices, instructions.
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
        sets: sets of labels of one form, in order, by genre.
        questions: of surveys and applications, with their kinds of answers.
        letterheads: names of invented companies and offices.
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
