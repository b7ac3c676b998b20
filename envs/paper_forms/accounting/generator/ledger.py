"""A practice in the making: its tables so far, and what the makers of rows share."""

from __future__ import annotations

from dataclasses import dataclass, field
from datetime import date
from decimal import Decimal

from ..schema import TABLES
from .choices import Activity
from .draws import Draws

Value = int | str | Decimal | date | None
Row = dict[str, Value]
Tables = dict[str, list[Row]]

_COLUMNS = {table.name: tuple(column.name for column in table.columns) for table in TABLES}
_CODE_TABLES = ("item_codes", "fee_types")


@dataclass(frozen=True)
class Movement:
    """What a bank account is to show: a posting that other books already know of."""

    posted_on: date
    amount: Decimal
    method: str
    item_code: str
    description: str
    customer_id: int | None = None


@dataclass
class Client:
    """A client while its rows are made.

    Attributes:
        client_id: its row.
        name: its legal name.
        case_year: the year of its case; of its few movements, if it has no case.
        full: whether it has a case.
        state: where it is.
        area_code: of its telephones.
        activity: what it does.
        subjects: rows that the case speaks of, by name of parameter.
        movements: what other books already know of its operating account.
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

    def times(self, most: int, year: int) -> int:
        """How many rows of a kind that has ``most`` in the year of the case there are in ``year``."""
        return most if self.full and year == self.case_year else min(most, 1)


class Ledger:
    """All tables so far.

    Args:
        draws: what chance decides.
        years: the years that the books cover, one after another.
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
        """Of the books."""
        return date(self.years[0], 1, 1)

    @property
    def last_day(self) -> date:
        """Of the books."""
        return date(self.years[-1], 12, 31)

    @property
    def today(self) -> date:
        """When the books were last written in: the spring after."""
        return date(self.years[-1] + 1, 3, 31)

    def active_years(self, client: Client) -> tuple[int, ...]:
        """The years in which there is anything of a client."""
        return self.years if client.full else (client.case_year,)

    def book_years(self, client: Client) -> tuple[int, ...]:
        """The years in which there are monthly books of a client: wages, taxes, loans, statements."""
        return (client.case_year - 1, client.case_year) if client.full else (client.case_year,)

    def add(self, table: str, **values: Value) -> int:
        """Add a row; its primary key.

        Columns that are not given are NULL.

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
        """Any vendor of a trade."""
        return self.draws.choice(self.vendors[trade])

    def address(self, state: str, unit: float = 0.2) -> int:
        """A new address.

        Args:
            state: two letters.
            unit: how often there is an apartment or a suite.
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
