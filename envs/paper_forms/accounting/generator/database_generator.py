"""Generate the database of an accounting firm and its cases; load the shipped one."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from functools import lru_cache
from pathlib import Path

from pydantic import RootModel
from sqlalchemy import Column, Date, Integer, Numeric, Table

from ....core.files import atomic_write, load
from .bank_accounts import add_bank
from .choice_lists import DATABASES, Activity, Split
from .database_schema import TABLES
from .holdings import add_assets, add_properties
from .ledger import Client, Draws, Ledger, Row, Tables, Value, end_of_month
from .loans import add_loans
from .parties import (
    add_client,
    add_codes,
    add_contacts,
    add_customers,
    add_owners,
    add_person,
    add_preparers,
    add_vendors,
)
from .payroll import add_payroll
from .sales import add_sales
from .shipments import add_rates, add_shipments
from .taxes import add_taxes

CASES = 4
"""The number of cases in each database."""
_OTHERS, _PERSONS = 2, 2

Parameter = int | str


@dataclass(frozen=True)
class Case:
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
    cases: tuple[Case, ...]


def make_database(seed: int, split: Split = "train") -> AccountingDatabase:
    """The database of a seed, the same with equal versions of faker.

    The splits share no names.

    Raises:
        ValueError: if ``seed`` is negative.
    """
    if seed < 0:
        raise ValueError(f"a seed is no negative number: {seed}")
    draws = Draws(seed, split)
    last = draws.between(2015, 2024)
    ledger = Ledger(draws, (last - 2, last - 1, last))
    add_codes(ledger)
    add_preparers(ledger)
    add_vendors(ledger)
    add_rates(ledger)
    clients = _add_clients(ledger)
    for client in clients:
        _add_books(ledger, client)
    return AccountingDatabase(ledger.tables, tuple(_case(ledger, client) for client in clients if client.full))


def _add_clients(ledger: Ledger) -> list[Client]:
    """Add clients with a case, a namesake of each, and others, in random order."""
    draws = ledger.draws
    words = draws.sample(draws.lists.words.of(draws.split), CASES + _OTHERS)
    entities = draws.sample(draws.lists.entities, CASES)
    plans = [(words[n], entities[n], True) for n in range(CASES)]
    plans += [(word, draws.choice(draws.lists.entities), False) for word in words]
    activities = {word: draws.choice(draws.lists.activities) for word in words}
    clients = []
    for word, entity, full in draws.sample(plans, len(plans)):
        clients.append(add_client(ledger, activities[word], entity, _year(ledger), full, word))
    return clients + [add_person(ledger, _any_activity(ledger), _year(ledger)) for _ in range(_PERSONS)]


def _year(ledger: Ledger) -> int:
    return ledger.draws.choice(ledger.years[1:])


def _any_activity(ledger: Ledger) -> Activity:
    return ledger.draws.choice(ledger.draws.lists.activities)


def _add_books(ledger: Ledger, client: Client) -> None:
    if ledger.row("clients", client.client_id)["client_type"] == "person":
        add_loans(ledger, client, add_properties(ledger, client))
        return
    add_contacts(ledger, client)
    add_owners(ledger, client)
    customers = add_customers(ledger, client)
    add_sales(ledger, client, customers)
    if client.full or ledger.draws.chance(0.4):
        add_taxes(ledger, client, add_payroll(ledger, client))
    add_loans(ledger, client, add_properties(ledger, client))
    add_assets(ledger, client)
    add_shipments(ledger, client, customers)
    add_bank(ledger, client)


def _case(ledger: Ledger, client: Client) -> Case:
    year, quarter = client.case_year, ledger.draws.between(1, 4)
    month_start = date(year, quarter * 3, 1)
    year_end = date(year, 12, 31)
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
        "preparer_id": int(str(ledger.row("clients", client.client_id)["preparer_id"])),
        **client.subjects,
    }
    words = "".join(c if c.isalnum() else " " for c in client.name.lower()).split()
    return Case(f"{'_'.join(words)}_{year}", numbers | {name: day.isoformat() for name, day in days.items()})


def _best_customer(ledger: Ledger, client: Client) -> int:
    """The customer with the most sales in the year who is not exempt from sales tax."""
    sales: dict[int, int] = {}
    for row in ledger.tables["invoices"]:
        if row["client_id"] == client.client_id and row["status"] in ("paid", "open") and _in_year(row, client):
            key = int(str(row["customer_id"]))
            if ledger.row("customers", key)["tax_exempt"] == "no":
                sales[key] = sales.get(key, 0) + 1
    return max(sales, key=lambda key: sales[key])


def _in_year(row: Row, client: Client) -> bool:
    return str(row["issued_on"])[:4] == str(client.case_year)


SHIPPED = DATABASES / "practice"
_TEST_SEED = 0


class _Cases(RootModel[dict[str, dict[str, Parameter]]]):
    """The parameters of the cases by name."""


def write_shipped_database(folder: Path = SHIPPED) -> list[Path]:
    """Write the database of the test split; return the files.

    Raises:
        OSError: if one cannot be written.
    """
    database = make_database(_TEST_SEED, "test")
    folder.mkdir(parents=True, exist_ok=True)
    cases = {case.name: dict(case.parameters) for case in database.cases}
    contents = {f"{table.name}.csv": to_csv(table, database.tables[table.name]) for table in TABLES}
    contents["cases.json"] = json.dumps(cases, indent=2) + "\n"
    for name, content in contents.items():
        atomic_write(folder / name, content.encode("utf-8"))
    return [folder / name for name in contents]


@lru_cache(maxsize=1)
def shipped_database() -> AccountingDatabase:
    """The database of the test split, which must not be changed.

    Raises:
        ValueError: if a file is missing or broken, naming it.
    """
    tables = {table.name: _read(table, SHIPPED / f"{table.name}.csv") for table in TABLES}
    cases = load(_Cases, SHIPPED / "cases.json").root
    return AccountingDatabase(tables, tuple(Case(name, parameters) for name, parameters in cases.items()))


def to_csv(table: Table, rows: list[Row]) -> str:
    """The rows of a table as CSV with a header; NULL is an empty cell."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([column.name for column in table.columns])
    writer.writerows(row.values() for row in rows)
    return text.getvalue()


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


def _row(readers: dict[str, Callable[[str], Value]], cells: list[str]) -> Row:
    pairs = zip(readers.items(), cells, strict=True)
    return {name: reader(cell) if cell else None for (name, reader), cell in pairs}


def _reader(column: Column[object]) -> Callable[[str], Value]:
    """The function that parses a column's values from text."""
    if isinstance(column.type, Integer):
        return int
    if isinstance(column.type, Numeric):
        return Decimal
    return date.fromisoformat if isinstance(column.type, Date) else str
