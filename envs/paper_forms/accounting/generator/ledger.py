"""The data during generation: random draws, tables, and clients."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import ROUND_HALF_UP, Decimal

import numpy as np

from ....core.facts import FactMaker
from .choice_lists import Activity, Range, Split, load_choices
from .database_schema import TABLES

_CENT = Decimal("0.01")
_STREAMS = {"test": 1, "train": 2}


class Draws(FactMaker):
    """The random draws of a database.

    Args:
        seed: of all draws.
        split: sets the names and the draws; the splits share no names.
    """

    def __init__(self, seed: int, split: Split) -> None:
        self.lists = load_choices()
        self.split = split
        entropy = np.random.SeedSequence([_STREAMS[split], seed])
        super().__init__(np.random.default_rng(entropy), int(entropy.generate_state(1)[0]), weighted=True)

    def money(self, dollars: Range) -> Decimal:
        """A random amount with cents."""
        low, high = round(dollars[0] * 100), round(dollars[1] * 100)
        return Decimal(self.between(low, high)).scaleb(-2)

    def round_money(self, dollars: Range, step: int) -> Decimal:
        """A random multiple of ``step`` dollars."""
        return Decimal(self.between(-(-int(dollars[0]) // step), int(dollars[1]) // step) * step).quantize(_CENT)

    def days(self, first: date, last: date, count: int) -> list[date]:
        """``count`` different random days, sorted."""
        chosen = self.rng.choice((last - first).days + 1, count, replace=False)
        return [first + timedelta(int(n)) for n in sorted(chosen)]

    def ein(self) -> str:
        """An employer identification number with a prefix that is never issued."""
        return f"{self.choice(self.lists.ein_prefixes)}-{self.digits(7)}"

    def person(self) -> tuple[str, str]:  # type: ignore[override]
        """The unique given name and family name of a new person."""
        while True:
            family = self.choice(self.lists.surname_starts.of(self.split)) + self.choice(self.lists.surname_ends)
            given = self.given_name()
            if self.claim(f"{given} {family}"):
                return given, family

    def firm(self, nouns: Sequence[str], word: str | None = None) -> str:
        """A unique company name."""
        words = self.lists.words.of(self.split)
        return self.unique(lambda: f"{word or self.choice(words)} {self.choice(nouns)}")

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


Value = int | str | Decimal | date | None
Row = dict[str, Value]
Tables = dict[str, list[Row]]

_COLUMNS = {table.name: tuple(column.name for column in table.columns) for table in TABLES}
_CODE_TABLES = ("item_codes", "fee_types")


@dataclass(frozen=True)
class Movement:
    """A transaction from other books, which the bank account must show too."""

    posted_on: date
    amount: Decimal
    method: str
    item_code: str
    description: str
    customer_id: int | None = None


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
        subjects: primary keys for the case, by name of parameter.
        movements: transactions of its operating account from other books.
    """

    client_id: int
    name: str
    case_year: int
    full: bool
    state: str
    area_code: str
    activity: Activity
    subjects: dict[str, int] = field(default_factory=dict)
    movements: list[Movement] = field(default_factory=list)

    def times(self, max_count: int, year: int) -> int:
        """The number of rows in ``year`` of a kind with ``max_count`` in a case's year."""
        return max_count if self.full and year == self.case_year else min(max_count, 1)


class Ledger:
    """All tables so far.

    Args:
        draws: the random draws.
        years: the consecutive years that the books cover.
    """

    def __init__(self, draws: Draws, years: tuple[int, ...]) -> None:
        self.draws = draws
        self.years = years
        self.tables: Tables = {table.name: [] for table in TABLES}
        self._first = {name: draws.between(101, 899) for name in self.tables}
        self.vendors: dict[str, list[int]] = {}
        self.vendor_names: dict[int, str] = {}
        self.preparers: list[int] = []
        self.banks = [draws.firm(draws.lists.bank_nouns) for _ in range(4)]
        self.carriers = [draws.firm(draws.lists.carrier_nouns) for _ in range(4)]

    @property
    def first_day(self) -> date:
        """The first day of the books."""
        return date(self.years[0], 1, 1)

    @property
    def last_day(self) -> date:
        """The last day of the books."""
        return date(self.years[-1], 12, 31)

    @property
    def today(self) -> date:
        """The day of the last entries: the end of March after the last year."""
        return date(self.years[-1] + 1, 3, 31)

    def active_years(self, client: Client) -> tuple[int, ...]:
        """The years with rows of a client."""
        return self.years if client.full else (client.case_year,)

    def book_years(self, client: Client) -> tuple[int, ...]:
        """The years with monthly rows of a client: wages, taxes, loans, statements."""
        return (client.case_year - 1, client.case_year) if client.full else (client.case_year,)

    def add(self, table: str, **values: Value) -> int:
        """Add a row; return its primary key.

        Missing columns are NULL.

        Raises:
            ValueError: if there is no such column.
        """
        columns, rows = _COLUMNS[table], self.tables[table]
        if not values.keys() <= set(columns):
            raise ValueError(f"{table} has no column {sorted(values.keys() - set(columns))[0]!r}")
        key = self._first[table] + len(rows)
        row = dict.fromkeys(columns) | values
        if table not in _CODE_TABLES:
            row[columns[0]] = key
        rows.append(row)
        return key

    def row(self, table: str, key: int) -> Row:
        """The row with a primary key."""
        return self.tables[table][key - self._first[table]]

    def vendor(self, trade: str) -> int:
        """A random vendor of a trade."""
        return self.draws.choice(self.vendors[trade])

    def address(self, state: str, unit: float = 0.2) -> int:
        """Add a random address; return its primary key.

        Args:
            state: two letters.
            unit: the probability of an apartment or suite number.
        """
        draws = self.draws
        return self.add(
            "addresses",
            street=draws.street(),
            unit=f"{draws.choice(('Apt', 'Suite', 'Unit'))} {draws.between(1, 40)}" if draws.chance(unit) else None,
            city=draws.faker.city(),
            county=draws.choice(draws.lists.counties),
            state=state,
            zip=draws.faker.zipcode_in_state(state),
            country="US",
        )
