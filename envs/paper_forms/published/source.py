"""The users, facts and fields in a checkout of the published FormGym, read from its source."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path
from typing import Any

from ...core.files import read_foreign
from .interpreter import Interpreter, Record, SourceError, readable

FACTS_FILE, FIELDS_FILE = "user_features.py", "fields.py"
KINDS = {
    "BaseStringField": "string",
    "BaseNumericField": "numeric",
    "BaseCheckboxField": "checkbox",
    "BaseDateField": "date",
    "BaseNameField": "name",
    "BaseDurationField": "duration",
    "SignOrInitial": "signature",
}
"""The kinds of fields, by which they are graded, and their base classes."""
_MAX_BYTES = 1_000_000
# The published code searches the text of a class, comments included.
_FACT = re.compile(r"(?:\bfeat|\buser_profile\.features)\.(\w+)")
_OTHER_FIELD = re.compile(r"\b(\w+)\.get_profile_info")


@dataclass(frozen=True, eq=False)
class Fact:
    """A fact about the users: one option for each, and the sentence or the place in a database that states it."""

    name: str
    options: tuple[Any, ...]
    sentence: ast.FunctionDef | None
    database: str | None
    row: str | None
    column: str | None

    def of(self, user: int) -> Any:
        """Its value for a user; after the last option they begin again."""
        return self.options[user % len(self.options)]


class PublishedSource:
    """What ``user_features.py`` and ``fields.py`` say; nothing of them is imported, compiled or executed.

    Methods raise ``SourceError`` where something cannot be read, or the published code would fail.

    Args:
        folder: the checkout.

    Attributes:
        facts: in the order of the file; the error of those that cannot be read.

    Raises:
        ValueError: if a file is missing, a link, too large or no Python.
    """

    def __init__(self, folder: Path) -> None:
        (facts, _), (fields, self._lines) = _parsed(folder / FACTS_FILE), _parsed(folder / FIELDS_FILE)
        classes = [node for node in facts.values() if isinstance(node, ast.ClassDef)]
        enums = {node.name: _enum(node) for node in classes if _bases(node) == ["Enum"]}
        names = enums | {Path(FACTS_FILE).stem: Record(enums)}
        self._reader, self._evaluator = Interpreter(FACTS_FILE, names), Interpreter(FIELDS_FILE, names | fields)
        users = [node for node in classes if any(base.startswith("BaseUser") for base in _bases(node))]
        self.facts = {node.name: self._fact(node) for node in users if "options" in _assigned(node)}
        self._fields = {name: node for name, node in fields.items() if isinstance(node, ast.ClassDef)}
        self._names_of = lru_cache(maxsize=4096)(self._names_in)

    @cached_property
    def version(self) -> str:
        """``"B"`` of the public checkout, which knows durations, or ``"A"`` of the paper's."""
        return "B" if any("BaseDurationField" in _bases(node) for node in self._fields.values()) else "A"

    def kind(self, field: str) -> str:
        """The kind of a field, by the name of its class."""
        node = self._field(field)
        for base in _bases(node):
            if base in KINDS:
                return KINDS[base]
        raise SourceError(f"{FIELDS_FILE}:{node.lineno}: cannot read the base class of {field}")

    def value(self, field: str, user: int) -> Any:
        """What a field holds for a user: a text, a whole number, or whether it is ticked."""
        facts = {name: fact.of(user) if isinstance(fact, Fact) else fact for name, fact in self.facts.items()}
        profile = Record({"features": Record(facts)})
        value = self._evaluator.call_method(self._field(field), "get_profile_info", [profile])
        if not isinstance(value, str | int | None):
            raise SourceError(f"{FIELDS_FILE}:{self._field(field).lineno}: the value of {field} is {value!r:.40}")
        return value

    def facts_of(self, fields: Iterable[str]) -> tuple[Fact, ...]:
        """The facts of which the values of fields are made, in the order of the file."""
        names = {name for field in fields for name in self._names_of(field)}
        return tuple(readable(fact) for name, fact in self.facts.items() if name in names)

    def sentence(self, fact: Fact, user: int) -> str | None:
        """A fact of a user in words; ``None`` if only a database holds it."""
        text = None if fact.sentence is None else self._reader.call(fact.sentence, [fact.of(user)])
        return None if text is None else str(text)

    def _fact(self, node: ast.ClassDef) -> Fact | SourceError:
        given = _assigned(node)
        sentences = [s for s in node.body if isinstance(s, ast.FunctionDef) and s.name == "nl_desc"]
        try:
            names = ("options", "db", "row", "col")
            options, *place = (self._reader.value(given[name], {}) if name in given else None for name in names)
            if not (isinstance(options, list | tuple) and options):
                raise SourceError(f"{FACTS_FILE}:{node.lineno}: {node.name} has no options")
            return Fact(node.name, tuple(options), sentences[-1] if sentences else None, *place)
        except SourceError as error:
            return error

    def _field(self, name: str) -> ast.ClassDef:
        if name not in self._fields:
            raise SourceError(f"{FIELDS_FILE}: there is no class {name}")
        return self._fields[name]

    def _names_in(self, field: str) -> frozenset[str]:
        """The names of the facts in the text of a class, and in those of the fields that it names."""
        found, pending, seen = set[str](), [field], set[str]()
        while pending:
            name = pending.pop()
            if name not in seen and name in self._fields:
                seen.add(name)
                text = self._text(self._fields[name])
                found.update(_FACT.findall(text))
                pending += _OTHER_FIELD.findall(text)
        return frozenset(found)

    def _text(self, node: ast.ClassDef) -> str:
        """The text of a class, with the comments that end it."""
        end, column = node.end_lineno or node.lineno, node.body[0].col_offset
        while end < len(self._lines) and re.match(rf"\s*$|\s{{{column},}}#", self._lines[end]):
            end += 1
        return "\n".join(self._lines[node.lineno - 1 : end])


def _parsed(path: Path) -> tuple[dict[str, ast.ClassDef | ast.FunctionDef], list[str]]:
    """The classes and functions of a file by name, and its lines."""
    try:
        text = read_foreign(path, _MAX_BYTES, is_json=False).decode()
        body = ast.parse(text).body
    except OSError as error:
        raise ValueError(f"{path} cannot be read: {error.strerror}; root= names a whole checkout") from None
    except (SyntaxError, UnicodeDecodeError, RecursionError, MemoryError) as error:
        raise ValueError(f"{path} is no Python that can be read: {error}") from None
    return {s.name: s for s in body if isinstance(s, ast.ClassDef | ast.FunctionDef)}, text.splitlines()


def _bases(node: ast.ClassDef) -> list[str]:
    return [base.id if isinstance(base, ast.Name) else getattr(base, "attr", "") for base in node.bases]


def _assigned(node: ast.ClassDef) -> dict[str, ast.expr]:
    """What a class assigns to single names."""
    single = [s for s in node.body if isinstance(s, ast.Assign) and len(s.targets) == 1]
    return {s.targets[0].id: s.value for s in single if isinstance(s.targets[0], ast.Name)}


def _enum(node: ast.ClassDef) -> Record:
    constants = {name: value.value for name, value in _assigned(node).items() if isinstance(value, ast.Constant)}
    return Record({name: Record({"name": name, "value": value}) for name, value in constants.items()}, is_enum=True)
