"""The data during generation: random draws, tables, and clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal
from functools import lru_cache
from typing import Any

import numpy as np

from ....core.facts import FactMaker
from ....core.templates import evaluate_all
from .choice_lists import ListItem, Lists, Range, code_names, load_choices, load_row_templates
from .database_schema import TABLES

ZERO = Decimal("0.00")
_CENT = Decimal("0.01")
_TRAIN = 2

Row = dict[str, Any]
"""The values of a row by column: numbers, texts, dates, NULLs, and what its other columns were drawn from."""
Tables = dict[str, list[Row]]

_COLUMNS = {table.name: tuple(column.name for column in table.columns) for table in TABLES}


class Draws(FactMaker):
    """The random draws of a database."""

    def __init__(self, seed: int) -> None:
        self.lists: Lists = load_choices()
        entropy = np.random.SeedSequence([_TRAIN, seed])
        super().__init__(np.random.default_rng(entropy), int(entropy.generate_state(1)[0]), weighted=True)

    def money(self, dollars: Range) -> Decimal:
        """A random amount with cents."""
        return Decimal(self.between(round(dollars[0] * 100), round(dollars[1] * 100))).scaleb(-2)

    def round_money(self, dollars: Range, step: int) -> Decimal:
        """A random multiple of ``step`` dollars."""
        return Decimal(self.between(-(-int(dollars[0]) // step), int(dollars[1]) // step) * step).quantize(_CENT)

    def days(self, first: date, last: date, count: int) -> list[date]:
        """``count`` different random days, sorted."""
        chosen = self.rng.choice((last - first).days + 1, count, replace=False)
        return [first + timedelta(int(n)) for n in sorted(chosen)]

    def day_in(self, year: int) -> date:
        """A random day of a year, but for its first and last ones."""
        return self.day(date(year, 1, 5), date(year, 12, 20))

    def ein(self) -> str:
        """An employer identification number with a prefix that is never issued."""
        return f"{self.choice(self.lists.ein_prefixes)}-{self.digits(7)}"

    def named(self) -> Row:
        """The unique given name and family name of a new person, as columns."""
        while True:
            family = self.choice(self.lists.surname_starts) + self.choice(self.lists.surname_ends)
            given = self.given_name()
            if self.claim(f"{given} {family}"):
                return {"first_name": given, "last_name": family}

    def person_name(self) -> str:
        """The unique name of a new person."""
        return " ".join(self.named().values())

    def firm(self, nouns: Sequence[str], word: str | None = None) -> str:
        """A unique company name."""
        return self.unique(lambda: f"{word or self.choice(self.lists.words)} {self.choice(nouns)}")

    def email(self, name: str) -> str:
        """An e-mail address for a name."""
        return ".".join("".join(c for c in word if c.isalnum()) for word in name.lower().split()) + "@example.com"


def to_cents(amount: Decimal) -> Decimal:
    """``amount`` rounded to cents, half a cent up."""
    return amount.quantize(_CENT, ROUND_HALF_UP)


def end_of_month(day: date) -> date:
    """The last day of the month of ``day``."""
    return months_after(day.replace(day=1), 1) - timedelta(1)


def months_after(day: date, months: int) -> date:
    """The same day some months later, for days up to the 28th."""
    years, month = divmod(day.month - 1 + months, 12)
    return day.replace(year=day.year + years, month=month + 1)


@dataclass
class Client:
    """A client during generation.

    Attributes:
        client_id: its primary key.
        name: its legal name.
        case_year: the year of its case or, without a case, of its few movements.
        full: whether it has a case.
        state: its US state.
        area_code: of its telephones.
        activity: its line of business.
        is_business: whether it is no person.
        subjects: primary keys for the case, by name of parameter.
        movements: transactions of its operating account from other books.
    """

    client_id: int
    name: str
    case_year: int
    full: bool
    state: str
    area_code: str
    activity: ListItem
    is_business: bool
    subjects: dict[str, int] = field(default_factory=dict)
    movements: list[Row] = field(default_factory=list)

    def times(self, max_count: int, year: int) -> int:
        """The number of rows in ``year`` of a kind with ``max_count`` in a case's year."""
        return max_count if self.full and year == self.case_year else min(max_count, 1)


class Ledger:
    """All tables so far.

    Args:
        seed: of all random draws.

    Attributes:
        years: the consecutive years that the books cover.
        today: the day of the last entries: the end of March after the last year.
    """

    def __init__(self, seed: int) -> None:
        self.draws = draws = Draws(seed)
        last = draws.between(2015, 2024)
        self.years = (last - 2, last - 1, last)
        self.first_day, self.last_day, self.today = date(last - 2, 1, 1), date(last, 12, 31), date(last + 1, 3, 31)
        self.tables: Tables = {table.name: [] for table in TABLES}
        self._first = {name: draws.between(101, 899) for name in self.tables}
        self.vendors: dict[str, list[int]] = {}
        self.preparers: list[int] = []
        names = (
            "between chance choice code day digits ein email firm money named person_name phone round_money ssn street"
        ).split()
        self._names: Row = {name: getattr(draws, name) for name in names} | {
            "address": self.address,
            "banks": [draws.firm(draws.lists.bank_nouns) for _ in range(4)],
            "carriers": [draws.firm(draws.lists.carrier_nouns) for _ in range(4)],
            "cents": to_cents,
            "city": draws.faker.city,
            "date": date,
            "days": timedelta,
            "decimal": Decimal,
            "first_day": self.first_day,
            "lists": draws.lists,
            "months_after": months_after,
            "payment_text": self.payment_text,
            "preparers": self.preparers,
            "vendor": self.vendor,
            "years": self.years,
            "zip_code": draws.faker.zipcode_in_state,
        }

    def add(self, table: str, **values: Any) -> Row:
        """Add a row and return it.

        Columns that are not given come from ``rows.json``, whose expressions may use all ``values``; others are NULL.
        """
        columns, rows = _COLUMNS[table], self.tables[table]
        drawn = evaluate_all(_recipe(table, frozenset(values)), self._names | values, table)
        row = dict.fromkeys(columns) | drawn | {name: values[name] for name in columns if name in values}
        if table not in ("item_codes", "fee_types"):
            row[columns[0]] = self._first[table] + len(rows)
        rows.append(row)
        return row

    def row(self, table: str, key: int) -> Row:
        """The row with a primary key."""
        return self.tables[table][key - self._first[table]]

    def vendor(self, trade: str | None) -> int | None:
        """A random vendor of a trade; ``None`` without one."""
        return self.draws.choice(self.vendors[trade]) if trade else None

    def payment_text(self, code: str, vendor: int | None) -> str:
        """What a payment says: the name of an item, and of who is paid."""
        name = code_names()[code]
        return f"{name}: {self.row('vendors', vendor)['name']}" if vendor else name

    def address(self, state: str, unit_chance: float = 0.2) -> int:
        """Add a random address; return its primary key."""
        return int(self.add("addresses", state=state, unit_chance=unit_chance)["address_id"])

    def rows_of(self, table: str, **values: Any) -> list[Row]:
        """The rows of a table that have certain values."""
        return [row for row in self.tables[table] if values.items() <= row.items()]


@lru_cache(maxsize=256)
def _recipe(table: str, given: frozenset[str]) -> tuple[tuple[str, str], ...]:
    """The expressions of the columns of a row that are not given."""
    return tuple((name, text) for name, text in load_row_templates().root.get(table, {}).items() if name not in given)


class Books:
    """One kind of books of a client: what its rows are drawn with.

    Args:
        ledger: the ledger to add rows to.
        client: whose books they are.
    """

    def __init__(self, ledger: Ledger, client: Client) -> None:
        self.ledger, self.client = ledger, client
        self.draws, self.lists, self.year = ledger.draws, ledger.draws.lists, client.case_year
        # The years with rows, and those with monthly rows: wages, taxes, loans, statements.
        self.active_years = ledger.years if client.full else (self.year,)
        self.book_years = (self.year - 1, self.year) if client.full else (self.year,)

    def add(self, table: str, **values: Any) -> Row:
        """Add a row of the client and return it."""
        client = self.client
        own = {"client_id": client.client_id, "state": client.state, "area_code": client.area_code}
        return self.ledger.add(table, **own | values)

    def move(self, day: date, amount: Decimal, method: str, item_code: str, description: str, **columns: Any) -> None:
        """Note a transaction that the client's bank account must show too."""
        row = {"posted_on": day, "amount": amount, "method": method, "item_code": item_code, "description": description}
        self.client.movements.append(row | columns)
