"""The practice: a database of a small accounting practice, made from a seed, and the cases that forms are filed for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, timedelta

from .bank import add_bank
from .draws import Draws, end_of_month
from .holdings import add_assets, add_properties
from .ledger import Client, Row, Tables, World
from .lists import Activity, Split
from .loans import add_loans
from .officers import add_contacts, add_owners
from .parties import add_client, add_codes, add_customers, add_person, add_preparers, add_vendors
from .payroll import add_payroll
from .sales import add_sales
from .shipments import add_rates, add_shipments
from .taxes import add_taxes

CASES = 4
"""In each practice."""
_OTHERS, _PERSONS = 2, 2

Parameter = int | str


@dataclass(frozen=True)
class Case:
    """A client and a year for which forms are to be filled in.

    Attributes:
        name: unique in its practice.
        parameters: what queries for the answers are given: numbers, and dates as YYYY-MM-DD.
    """

    name: str
    parameters: Mapping[str, Parameter]


@dataclass(frozen=True)
class Practice:
    """All rows of a practice, and its cases."""

    tables: Tables
    cases: tuple[Case, ...]


def make_practice(seed: int, split: Split = "train") -> Practice:
    """The practice of a seed: the same one on every machine with the same version of faker; the splits share no names.

    Raises:
        ValueError: if ``seed`` is negative.
    """
    if seed < 0:
        raise ValueError(f"a seed is no negative number: {seed}")
    draws = Draws(seed, split)
    last = draws.whole(2015, 2024)
    world = World(draws, (last - 2, last - 1, last))
    add_codes(world)
    add_preparers(world)
    add_vendors(world)
    add_rates(world)
    clients = _add_clients(world)
    for client in clients:
        _add_books(world, client)
    return Practice(world.tables, tuple(_case(world, client) for client in clients if client.full))


def _add_clients(world: World) -> list[Client]:
    """Clients with a case, a namesake of each, and others, in random order."""
    draws = world.draws
    words = draws.some(draws.lists.words.of(draws.split), CASES + _OTHERS)
    entities = draws.some(draws.lists.entities, CASES)
    plans = [(words[n], entities[n], True) for n in range(CASES)]
    plans += [(word, draws.one(draws.lists.entities), False) for word in words]
    activities = {word: draws.one(draws.lists.activities) for word in words}
    clients = []
    for word, entity, full in draws.some(plans, len(plans)):
        clients.append(add_client(world, activities[word], entity, _year(world), full, word))
    return clients + [add_person(world, _any_activity(world), _year(world)) for _ in range(_PERSONS)]


def _year(world: World) -> int:
    return world.draws.one(world.years[1:])


def _any_activity(world: World) -> Activity:
    return world.draws.one(world.draws.lists.activities)


def _add_books(world: World, client: Client) -> None:
    if world.row("clients", client.client_id)["client_type"] == "person":
        add_loans(world, client, add_properties(world, client))
        return
    add_contacts(world, client)
    add_owners(world, client)
    customers = add_customers(world, client)
    add_sales(world, client, customers)
    if client.full or world.draws.chance(0.4):
        add_taxes(world, client, add_payroll(world, client))
    add_loans(world, client, add_properties(world, client))
    add_assets(world, client)
    add_shipments(world, client, customers)
    add_bank(world, client)


def _case(world: World, client: Client) -> Case:
    year, quarter = client.case_year, world.draws.whole(1, 4)
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
        "customer_id": _best_customer(world, client),
        "preparer_id": int(str(world.row("clients", client.client_id)["preparer_id"])),
        **client.subjects,
    }
    words = "".join(c if c.isalnum() else " " for c in client.name.lower()).split()
    return Case(f"{'_'.join(words)}_{year}", numbers | {name: day.isoformat() for name, day in days.items()})


def _best_customer(world: World, client: Client) -> int:
    """The customer with most sales in the year, of those who pay sales tax."""
    sales: dict[int, int] = {}
    for row in world.tables["invoices"]:
        if row["client_id"] == client.client_id and row["status"] in ("paid", "open") and _in_year(row, client):
            key = int(str(row["customer_id"]))
            if world.row("customers", key)["tax_exempt"] == "no":
                sales[key] = sales.get(key, 0) + 1
    return max(sales, key=lambda key: sales[key])


def _in_year(row: Row, client: Client) -> bool:
    return str(row["issued_on"])[:4] == str(client.case_year)
