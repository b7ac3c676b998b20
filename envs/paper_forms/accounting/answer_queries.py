"""Compute a form's answers from a database with the ``answers.sql`` beside it.

The file has statements that end with a semicolon, with the parameters of a case (``:client_id``). A statement gives one
row, whose columns become facts. After a line ``-- each`` it may give any number of rows, and the facts are numbered:
``name_1``, ``name_2``. One statement must give ``subject``, the person or firm that the goal names.
"""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Any

_TOKEN = re.compile(r"'(?:[^']|'')*'|--[^\n]*|;|[^';-]+|.", re.DOTALL)
_NAME = re.compile(r"[a-z][a-z0-9_]*")
_MAX_DECIMALS = 6


@dataclass(frozen=True)
class Statement:
    """One statement of ``answers.sql``.

    Attributes:
        sql: without the semicolon.
        line: its first line, from 1.
        each: whether it may give any number of rows.
    """

    sql: str
    line: int
    each: bool = False


def read_answers(path: Path) -> tuple[Statement, ...]:
    """The statements of an ``answers.sql``.

    Raises:
        ValueError: if the file is missing, or has no statement.
    """
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ValueError(f"{path} cannot be read: {error}") from None
    statements = []
    part, line = "", 1
    for token in [*_TOKEN.findall(text), ";"]:
        if token != ";":
            part += token
            continue
        if re.sub(r"--[^\n]*", "", part).strip():
            statements.append(_statement(part, line))
        line += part.count("\n")
        part = ""
    if not statements:
        raise ValueError(f"{path} holds no statement")
    return tuple(statements)


def facts_of_answers(path: Path, connection: sqlite3.Connection, parameters: Mapping[str, int | str]) -> dict[str, str]:
    """The facts that an ``answers.sql`` gives for a case, without NULLs.

    Whole numbers have no decimals, others at least two; dates are as in the database.

    Args:
        path: of the file.
        connection: to a SQLite database.
        parameters: of the case.

    Raises:
        ValueError: if a statement fails, gives the wrong number of rows, a bad or repeated name, or a number that is
            not rounded; the message names file, line and column.
    """
    facts: dict[str, str] = {}
    names: set[str] = set()
    for statement in read_answers(path):
        try:
            values = _facts(statement, connection, parameters)
            if twice := sorted(names & values.keys()):
                raise ValueError(f"there is a {twice[0]} before")
            names |= values.keys()
            facts |= {name: _as_text(name, value) for name, value in values.items() if value is not None}
        except (ValueError, sqlite3.Error) as error:
            raise ValueError(f"{path}, statement of line {statement.line}: {error}") from error
    return facts


def _statement(part: str, line: int) -> Statement:
    remarks = {remark.strip() for remark in re.findall(r"^[ \t]*--(.*)$", part, re.MULTILINE)}
    blank = len(part) - len(part.lstrip())
    return Statement(part.strip(), line + part[:blank].count("\n"), "each" in remarks)


def _facts(statement: Statement, connection: sqlite3.Connection, parameters: Mapping[str, int | str]) -> dict[str, Any]:
    """The values of a statement by the name of the fact, NULLs included."""
    cursor = connection.execute(statement.sql, parameters)
    columns = [column[0] for column in cursor.description or ()]
    rows = cursor.fetchall()
    if unfit := [name for name in columns if not _NAME.fullmatch(name)]:
        raise ValueError(f"{unfit[0]!r} cannot name a fact; write AS and a name of a-z, 0-9 and _")
    if twice := [name for name in columns if columns.count(name) > 1]:
        raise ValueError(f"there are two columns {twice[0]}")
    if statement.each:
        numbered = ((n, pair) for n, row in enumerate(rows, 1) for pair in zip(columns, row, strict=True))
        return {f"{name}_{n}": value for n, (name, value) in numbered}
    if len(rows) != 1:
        raise ValueError(f"it gives {len(rows)} rows, not one; write the line '-- each' before it if that is right")
    return dict(zip(columns, rows[0], strict=True))


def _as_text(name: str, value: object) -> str:
    if isinstance(value, float):
        return _digits(name, value)
    if isinstance(value, int | str):
        return str(value)
    raise ValueError(f"{name} is a {type(value).__name__}, not a text or a number")


def _digits(name: str, value: float) -> str:
    """A number in plain digits.

    SQLite adds floats, so a sum of cents may have wrong digits at its end: more than six decimals are an error.
    """
    number = Decimal(f"{value:.15g}")
    if not number.is_finite():
        raise ValueError(f"{name} is {value}")
    if number == number.to_integral_value():
        return f"{number + 0:.0f}"
    digits = f"{number.normalize():f}"
    decimals = len(digits.partition(".")[2])
    if decimals > _MAX_DECIMALS:
        raise ValueError(f"{name} is {digits}; write round({name}, 2) or the like")
    return digits + "0" * (2 - decimals)
