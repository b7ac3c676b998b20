"""``gold.json``: the tasks of a form of one's own, each with its source and the expected answers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import Field, field_validator, model_validator

from ...core.env import MAX_GOAL_LENGTH, MAX_SOURCE_LENGTH
from ...core.files import Data, load
from ...core.matchers import MATCHERS
from ...core.scoring import Gold
from ..form_tasks import TICK
from ..paper_form import FormField, PaperForm
from ..writing import in_cells

GOLD = "gold.json"
"""Its name in the folder of a form."""
MAX_TEXT = MAX_SOURCE_LENGTH - 1_000
"""The maximum length of a source text: the rest is for the number of the page and the columns of tables."""
MAX_PICTURES = 4

FileName = Annotated[str, Field(pattern=r"^[\w-][\w .-]*$", max_length=200)]
"""A file in the form's folder, not in one below or above."""


class Source(Data):
    """A text with the facts, or the file that holds it; a text alone will do."""

    text: Annotated[str, Field(max_length=MAX_TEXT)] = ""
    file: FileName | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        return {"text": data} if isinstance(data, str) else data


class Answer(Data):
    """An expected value, with a matcher of its own if it is not the field's; a value alone will do.

    Attributes:
        value: a text or number; of a box, whether it is ticked, and of a group of boxes which one is, by the words
            beside it or its state in the PDF; ``None`` or empty: nothing must be entered.
        matcher: how what is entered is compared.
    """

    value: str | bool | None
    matcher: str | None = None

    @model_validator(mode="before")
    @classmethod
    def _short(cls, data: Any) -> Any:
        return data if isinstance(data, Mapping) else {"value": data}

    @field_validator("value", mode="before")
    @classmethod
    def _as_text(cls, value: Any) -> Any:
        if value is None or isinstance(value, str | bool):
            return value
        if not isinstance(value, int | float):
            raise ValueError("an answer is a text, a number, true or false")
        return str(value)

    @field_validator("matcher")
    @classmethod
    def _known(cls, matcher: str | None) -> str | None:
        if matcher is not None and matcher not in MATCHERS:
            raise ValueError(f"unknown matcher {matcher!r}; there are {', '.join(MATCHERS)}")
        return matcher


class CustomTask(Data):
    """A task.

    Attributes:
        source: the facts, in words.
        pictures: files of pages to take facts from.
        tables: CSV files to query by SQL, by the names of their tables.
        goal: what to do; by default to fill in the form from what there is.
        answers: by names of fields, of a PDF's fields or of groups; fields that none names must stay empty.
    """

    source: Source = Source()
    pictures: Annotated[tuple[FileName, ...], Field(max_length=MAX_PICTURES)] = ()
    tables: dict[Annotated[str, Field(pattern=r"^[A-Za-z_]\w{0,60}$")], FileName] = Field(default_factory=dict)
    goal: Annotated[str, Field(max_length=MAX_GOAL_LENGTH)] = ""
    answers: dict[str, Answer] = Field(default_factory=dict)


class GoldFile(Data):
    """The tasks of a form by their names."""

    tasks: Annotated[dict[Annotated[str, Field(pattern=r"^\w[\w .-]{0,80}$")], CustomTask], Field(min_length=1)]


def load_gold(folder: Path, form: PaperForm) -> dict[str, tuple[CustomTask, dict[str, Gold]]]:
    """The tasks in a form's folder, each with the right answers by the names of all fields.

    Raises:
        ValueError: if the file is missing or broken, or names what is not there; it names every task and field.
    """
    path = folder / GOLD
    tasks = {name: (task, *_golds(form, task)) for name, task in load(GoldFile, path).tasks.items()}
    if problems := [f"  task {name}: {text}" for name, (_, _, texts) in tasks.items() for text in texts]:
        raise ValueError(f"{path} does not go with the form:\n" + "\n".join(problems[:20]))
    return {name: (task, golds) for name, (task, golds, _) in tasks.items()}


def _golds(form: PaperForm, task: CustomTask) -> tuple[dict[str, Gold], list[str]]:
    """The right answer of every field by its name, and what is wrong with the task."""
    golds: dict[str, Gold] = {}
    problems: list[str] = []
    for key, answer in task.answers.items():
        try:
            found = dict(_answers(key, _fields(form, key), answer))
            if twice := [name for name in found if golds.get(name, found[name]) != found[name]]:
                raise ValueError(f"{twice[0]} is answered otherwise under another name")
            golds |= found
        except ValueError as error:
            problems.append(f"field {key}: {error}")
    empty = {field.name: Gold.of_field(field.matcher, None, field.label) for field in form.fields}
    golds = empty | golds
    if not problems and all(gold.value is None for gold in golds.values()):
        problems.append("it asks for nothing: give it answers")
    return golds, [*problems, *_ticked_twice(form.fields, golds)]


def _fields(form: PaperForm, key: str) -> list[FormField]:
    """The fields that a key of answers names.

    Raises:
        ValueError: if there are none.
    """
    for attribute in ("name", "source_name", "group"):
        if known := [field for field in form.fields if key and getattr(field, attribute) == key]:
            first = known[0]
            # Fields of one name in the PDF show one value, whichever of them is named.
            is_shared = attribute == "name" and first.source_name and not first.group
            return [f for f in form.fields if f.source_name == first.source_name] if is_shared else known
    if reason := next((reason for reason, names in form.left_out.items() if key in names), None):
        raise ValueError(f"it is left out of the form: {reason}")
    names = {name for f in form.fields for name in (f.name, f.source_name, f.group) if name}
    alike = [name for name in sorted(names) if key.casefold() in name.casefold()] or get_close_matches(key, names, 1)
    raise ValueError(f"no such field; did you mean {alike[0]}?" if alike else "no such field; form.json has all names")


def _answers(key: str, fields: Sequence[FormField], answer: Answer) -> Iterator[tuple[str, Gold]]:
    """The right answer of each of the fields that a key names.

    Raises:
        ValueError: if a field does not take it.
    """
    chosen = set(_ticked(fields, answer.value)) if fields[0].matcher == "checkbox" else None
    for field in fields:
        if (answer.matcher or field.matcher) != field.matcher and "checkbox" in (answer.matcher, field.matcher):
            raise ValueError("only a box that is ticked has the matcher checkbox")
        text = _text(field, answer.value) if chosen is None else TICK if field.name in chosen else None
        gold = Gold.of_field(answer.matcher or field.matcher, text, field.label)
        if text is not None and not gold.accepts(text):
            raise ValueError(f"{text!r} is no {gold.matcher}")
        yield field.name, gold


def _ticked(fields: Sequence[FormField], value: str | bool | None) -> Iterable[str]:
    """The names of the boxes that an answer ticks."""
    options = list(dict.fromkeys(option_of(field) for field in fields))
    if value is True and len(options) > 1:
        raise ValueError(f"say which is ticked: {', '.join(options)}")
    if isinstance(value, bool) or not value or value == "Off":
        return [field.name for field in fields] if value is True else []
    ways = (lambda field: field.on_value, lambda field: field.name, option_of)
    found = ([field for field in fields if (way(field) or "").casefold() == value.casefold()] for way in ways)
    named = next(filter(None, found), [])
    if len({field.on_value for field in named}) > 1:
        raise ValueError(f"{value!r} stands beside several; say which: {', '.join(field.name for field in named)}")
    if not named:
        expected = f"one of {', '.join(options)}" if len(options) > 1 else "true or false"
        raise ValueError(f"a box is ticked or not; its answer is {expected}, not {value!r}")
    return [field.name for field in named]


def option_of(field: FormField) -> str:
    """The words beside a button of a group; of another box its label."""
    return field.label.rpartition(": ")[2] if field.group else field.label


def _text(field: FormField, value: str | bool | None) -> str | None:
    """What must be written in a field; ``None`` if it must stay empty."""
    if isinstance(value, bool):
        raise ValueError(f"true and false are for boxes to be ticked; this is a field for {field.matcher}")
    text = (value or "").strip()
    if field.comb and text and not in_cells(text, field.comb):
        raise ValueError(f"{text!r} does not go into {field.comb} cells")
    if field.max_length and not field.comb and len(text) > field.max_length:
        raise ValueError(f"{text!r} has {len(text)} characters; {field.max_length} are the most")
    if text and field.matcher == "choice" and field.choices and text not in field.choices:
        raise ValueError(f"{text!r} cannot be chosen; there are {', '.join(field.choices)}")
    return text or None


def _ticked_twice(fields: Iterable[FormField], golds: Mapping[str, Gold]) -> list[str]:
    """The groups of which two options are ticked."""
    ticked: dict[str, set[str]] = {}
    for field in fields:
        if field.group and golds[field.name].value is not None:
            ticked.setdefault(field.group, set()).add(option_of(field))
    return [f"group {group}: both {' and '.join(sorted(o))} are ticked" for group, o in ticked.items() if len(o) > 1]
