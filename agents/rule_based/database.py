"""Read facts from a database: the subject's row and the rows related to it."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from .entries import FormEntry

_SCHEMA = "SELECT name, sql FROM sqlite_master WHERE type = 'table'"
_TABLE = re.compile(r"CREATE TABLE (\w+) \((.*)\)", re.DOTALL)
_COLUMN = re.compile(r"(?:^|, )(\w+) [A-Z]+")
_KEY = re.compile(r"FOREIGN KEY ?\((\w+)\) REFERENCES (\w+) \((\w+)\)")
_SUBJECT = re.compile(r"\bfor (?P<name>.+?)(?:,| for | as of |\. )")
_NO_COLUMNS = {"PRIMARY", "FOREIGN", "CHECK", "UNIQUE", "CONSTRAINT"}
_NAMES = ("name", "legal_name", "full_name", "company_name")
_NOTHING = ("", "NULL")
_MAX_ROWS = 12
_CALLED = {"tax_id": "Taxpayer number", "zip": "ZIP code", "phone": "Telephone", "email": "E-mail address"}
"""The labels of columns in forms, where they differ from the column's name."""


@dataclass(frozen=True)
class _Table:
    """A table: its columns, and by column the table and column it refers to."""

    name: str
    columns: tuple[str, ...]
    keys: Mapping[str, tuple[str, str]]


@dataclass(frozen=True)
class _Question:
    """A query for rows and their relation to the subject (``""``: the subject itself)."""

    table: _Table
    column: str
    value: str
    above: str = ""
    several: bool = False

    @property
    def sql(self) -> str:
        """The query in SQL."""
        value = self.value.replace("'", "''")
        return f"SELECT * FROM {self.table.name} WHERE {self.column} = '{value}' LIMIT {_MAX_ROWS}"


def is_of_database(source: str) -> bool:
    """Whether a source says that the answers are in a database."""
    return "sqlite_master" in source


class Interview:
    """Queries about the schema, the subject's row, and the rows related to it.

    Args:
        goal: what names the subject: ``"... for Some Company LLC for the year 2020. ..."``.
    """

    def __init__(self, goal: str) -> None:
        found = _SUBJECT.search(goal)
        self._subject = found["name"] if found else ""
        self._tables: dict[str, _Table] | None = None
        self._pending: list[_Question] = []
        self._entries: dict[tuple[str, ...], FormEntry] = {}

    def questions(self) -> list[str]:
        """The next queries; empty at the end."""
        return [_SCHEMA] if self._tables is None else [question.sql for question in self._pending]

    def record(self, answers: Sequence[str]) -> None:
        """Learn from the answers to the last questions, in their order."""
        if self._tables is None:
            self._tables = {table.name: table for table in _tables("\n".join(answers))}
            tables = self._tables.values()
            self._pending = [
                _Question(one, name, self._subject) for one in tables for name in _NAMES if name in one.columns
            ]
            return
        questions, self._pending = self._pending, []
        for question, answer in zip(questions, answers, strict=True):
            rows = list(_rows(answer))
            for row in rows if question.several else rows[:1]:
                self._learn(question, row)

    def entries(self) -> list[FormEntry]:
        """The texts to write."""
        return list(self._entries.values())

    def _learn(self, question: _Question, row: Mapping[str, str]) -> None:
        role = row.get("role", "") if question.above else ""
        above = _words(role) if role else question.above
        cells = {**row, **_composed(row)}
        keys = {*question.table.keys, f"{question.table.name.removesuffix('s')}_id"}
        known = {name: value for name, value in cells.items() if value not in _NOTHING and name not in keys}
        for column, value in known.items():
            label = _CALLED.get(column, _words(column))
            labels: tuple[str, ...] = (label, f"{label} | {_words(question.table.name)}", _words(column))
            if above:
                labels = (f"{label} | {above}",)
            self._entries.setdefault(labels, FormEntry(value, labels))
        if not question.above:
            self._pending += self._around(question.table, row)

    def _around(self, table: _Table, row: Mapping[str, str]) -> Iterator[_Question]:
        """The rows that the subject's row refers to, and the people that refer to it."""
        tables = self._tables or {}
        for column, (other, key) in table.keys.items():
            if row.get(column, "") not in _NOTHING and other in tables:
                yield _Question(tables[other], key, row[column], _words(column.removesuffix("_id")))
        for people in tables.values():
            for column, (referred, key) in people.keys.items():
                if referred == table.name and "role" in people.columns and key in row:
                    yield _Question(people, column, row[key], "Contact", several=True)


def _tables(answer: str) -> Iterator[_Table]:
    for line in answer.splitlines():
        if found := _TABLE.search(line):
            keys = {column: (other, key) for column, other, key in _KEY.findall(found[2])}
            columns = tuple(name for name in _COLUMN.findall(found[2]) if name not in _NO_COLUMNS)
            yield _Table(found[1], columns, keys)


def _rows(answer: str) -> Iterator[dict[str, str]]:
    """The rows of an answer by the names in its first line."""
    lines = [[cell.strip() for cell in line.split(" | ")] for line in answer.strip().splitlines()]
    for cells in lines[1:]:
        if len(cells) == len(lines[0]) > 1:
            yield dict(zip(lines[0], cells, strict=True))


def _composed(row: Mapping[str, str]) -> dict[str, str]:
    """Names and addresses, which a row has in parts and forms have in one field."""
    whole: dict[str, str] = {}
    if {"first_name", "last_name"} <= row.keys():
        whole["name"] = f"{row['first_name']} {row['last_name']}"
    if {"street", "city", "state", "zip"} <= row.keys():
        unit = f", {row['unit']}" if row.get("unit", "") not in _NOTHING else ""
        whole["address"] = f"{row['street']}{unit}, {row['city']}, {row['state']} {row['zip']}"
    return whole


def _words(name: str) -> str:
    return name.replace("_", " ").capitalize()
