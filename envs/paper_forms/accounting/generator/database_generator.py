"""Generate the database of an accounting firm and its cases; load the shipped one."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path
from typing import Any

from pydantic import RootModel
from sqlalchemy import Column, Date, Integer, Numeric, Table

from ....core.files import load
from .bank_accounts import Bank
from .choice_lists import DATABASES, ListItem
from .database_schema import TABLES
from .holdings import Assets, LoanBooks, Properties
from .ledger import Client, Ledger, Row, Tables, end_of_month
from .parties import Parties, add_client, add_codes, add_preparers, add_vendors
from .sales import Sales, Shipments, add_rates
from .wages import Wages

CASES = 4
"""The number of cases in each database."""
_OTHERS, _PERSONS = 2, 2

Parameter = int | str


@dataclass(frozen=True)
class ClientCase:
    """A client and a year for which forms are filled in.

    Attributes:
        name: unique in its database.
        parameters: the parameters of the queries for the answers: numbers, and dates as YYYY-MM-DD.
    """

    name: str
    parameters: Mapping[str, Parameter]


@dataclass(frozen=True)
class AccountingDatabase:
    """The rows and the cases of a database."""

    tables: Tables
    cases: tuple[ClientCase, ...]


def make_database(seed: int) -> AccountingDatabase:
    """The database of a seed, the same with equal versions of faker.

    It shares no names with the shipped one.

    Raises:
        ValueError: if ``seed`` is negative.
    """
    if seed < 0:
        raise ValueError(f"a seed is 0 or more, not {seed}")
    ledger = Ledger(seed)
    add_codes(ledger)
    add_preparers(ledger)
    add_vendors(ledger)
    add_rates(ledger)
    clients = _add_clients(ledger)
    for client in clients:
        _add_books(ledger, client)
    return AccountingDatabase(ledger.tables, tuple(_case(ledger, client) for client in clients if client.full))


def _add_clients(ledger: Ledger) -> list[Client]:
    """Add clients with a case, a namesake of each, others in random order, and persons."""
    draws, lists = ledger.draws, ledger.draws.lists
    words = draws.sample(lists.words, CASES + _OTHERS)
    plans: list[tuple[str, ListItem, bool]] = [
        *((word, entity, True) for word, entity in zip(words, draws.sample(lists.entities, CASES), strict=False)),
        *((word, draws.choice(lists.entities), False) for word in words),
    ]
    activities = {word: draws.choice(lists.activities) for word in words}
    years = ledger.years[1:]
    businesses = [
        add_client(ledger, activities[word], draws.choice(years), full, entity, word)
        for word, entity, full in draws.shuffled(plans)
    ]
    persons = [add_client(ledger, draws.choice(lists.activities), draws.choice(years)) for _ in range(_PERSONS)]
    return businesses + persons


def _add_books(ledger: Ledger, client: Client) -> None:
    if client.is_business:
        parties = Parties(ledger, client)
        parties.officers()
        parties.owners()
        customers = parties.customers()
        Sales(ledger, client).write(customers)
        if client.full or ledger.draws.chance(0.4):
            Wages(ledger, client).write()
        Assets(ledger, client).write()
        Shipments(ledger, client).write(customers)
    LoanBooks(ledger, client).write(Properties(ledger, client).write())
    if client.is_business:
        Bank(ledger, client).write()


def _case(ledger: Ledger, client: Client) -> ClientCase:
    year, quarter = client.case_year, ledger.draws.between(1, 4)
    month_start, year_end = date(year, quarter * 3, 1), date(year, 12, 31)
    days = {
        "year_start": date(year, 1, 1),
        "year_end": year_end,
        "prior_year_end": date(year - 1, 12, 31),
        "quarter_start": date(year, quarter * 3 - 2, 1),
        "quarter_end": end_of_month(month_start),
        "month_start": month_start,
        "month_end": end_of_month(month_start),
    } | {f"days_{n}_before": year_end - timedelta(n) for n in (30, 60, 90)}
    numbers: dict[str, Parameter] = {
        "client_id": client.client_id,
        "year": year,
        "prior_year": year - 1,
        "next_year": year + 1,
        "quarter": quarter,
        "customer_id": _best_customer(ledger, client),
        "preparer_id": ledger.row("clients", client.client_id)["preparer_id"],
        **client.subjects,
    }
    words = "".join(c if c.isalnum() else " " for c in client.name.lower()).split()
    return ClientCase(f"{'_'.join(words)}_{year}", numbers | {name: day.isoformat() for name, day in days.items()})


def _best_customer(ledger: Ledger, client: Client) -> int:
    """The customer with the most sales in the year who is not exempt from sales tax."""
    invoices = ledger.rows_of("invoices", client_id=client.client_id)
    sold = (row for row in invoices if row["status"] in ("paid", "open") and row["issued_on"].year == client.case_year)
    keys = (row["customer_id"] for row in sold)
    return int(Counter(key for key in keys if ledger.row("customers", key)["tax_exempt"] == "no").most_common(1)[0][0])


SHIPPED = DATABASES / "practice"


class _Cases(RootModel[dict[str, dict[str, Parameter]]]):
    """The parameters of the cases by name."""


@lru_cache(maxsize=1)
def shipped_database() -> AccountingDatabase:
    """The database of the test split, which must not be changed.

    Raises:
        ValueError: if a file is missing or broken, naming it.
    """
    tables = {table.name: _read(table, SHIPPED / f"{table.name}.csv") for table in TABLES}
    cases = load(_Cases, SHIPPED / "cases.json").root
    return AccountingDatabase(tables, tuple(ClientCase(name, parameters) for name, parameters in cases.items()))


def _read(table: Table, path: Path) -> list[Row]:
    readers = {column.name: _reader(column) for column in table.columns}
    try:
        with path.open(encoding="utf-8", newline="") as file:
            header, *rows = csv.reader(file)
        if header != list(readers):
            raise ValueError(f"its columns are not those of {table.name}")
        return [_row(readers, row) for row in rows]
    except (OSError, ValueError, ArithmeticError) as error:
        raise ValueError(f"{path} is no table of the database: {error}") from error


def _row(readers: dict[str, Callable[[str], Any]], cells: list[str]) -> Row:
    pairs = zip(readers.items(), cells, strict=True)
    return {name: reader(cell) if cell else None for (name, reader), cell in pairs}


def _reader(column: Column[object]) -> Callable[[str], Any]:
    """The function that parses a column's values from text."""
    if isinstance(column.type, Integer):
        return int
    if isinstance(column.type, Numeric):
        return Decimal
    return date.fromisoformat if isinstance(column.type, Date) else str
