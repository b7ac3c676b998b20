"""Load the codes, the choice lists and the row templates that accounting databases are drawn from."""

from __future__ import annotations

from functools import lru_cache
from pathlib import Path
from typing import Annotated

from pydantic import Field, RootModel, model_validator

from .....assets import ROOT
from ....core.files import Data, load_once
from .database_schema import METADATA

DATABASES = ROOT / "databases"
"""The folder with the codes, the choice lists and the shipped database."""

Range = tuple[float, float]
Counts = tuple[int, int]
Chance = Annotated[float, Field(ge=0, le=1)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class ListItem(Data):
    """An entry of a choice list; each list uses only some of these fields.

    Amounts, costs, prices and wages are in dollars, rates in percent a year, lives in years. ``people`` and
    ``reportable`` are shares of the ``count`` vendors of a trade; an ``always`` fee belongs to every closing.
    """

    item_code: str = ""
    fee_type: str = ""
    amount: Range = (0, 0)
    times: Counts = (1, 1)
    method: str = "ach"
    chance: Chance = 1
    always: bool = False
    trade: str | None = None
    nouns: tuple[str, ...] = ()
    people: Chance = 0
    reportable: Chance = 0
    count: int = 0
    entity_type: str = ""
    ends: tuple[str, ...] = ()
    state: str = ""
    area_codes: tuple[str, ...] = ()
    activity: str = ""
    code: str = ""
    services: tuple[str, ...] = ()
    goods: tuple[ListItem, ...] = ()
    items: tuple[ListItem, ...] = ()
    description: str = ""
    category: str = ""
    unit: str = ""
    cost: Range = (0, 0)
    price: Range = (0, 0)
    quantity: Counts = (0, 0)
    tariff_code: str = ""
    duty_rate: float = 0
    kg: float = 0
    loan_type: str = ""
    purpose: str = ""
    rate: Range = (0, 0)
    months: tuple[int, ...] = ()
    collateral: str = ""
    job_title: str = ""
    department: str = ""
    pay_basis: str = ""
    pay: Range = (0, 0)
    asset_class: str = ""
    life: int = 1
    role: str = ""
    title: str = ""
    country: str = ""
    port: str = ""
    currency: str = ""
    city: str = ""


Items = Annotated[tuple[ListItem, ...], Field(min_length=1)]


class Lists(Data):
    """All choice lists; ``currencies`` are initial values in US dollars."""

    surname_starts: Names
    surname_ends: Names
    words: Names
    counties: Names
    ein_prefixes: Names
    warehouses: Names
    tax_exempt_nouns: Names
    customer_nouns: Names
    bank_nouns: Names
    firm_nouns: Names
    preparer_titles: Names
    owner_companies: Names
    carrier_nouns: Names
    vessels: Names
    ports_of_entry: Names
    incoterms: Names
    entities: Items
    states: Items
    activities: Items
    trades: Items
    incomes: Items
    expenses: Items
    contract_labor: ListItem
    rentals: Items
    fees: Items
    loans: Items
    jobs: Items
    assets: Items
    roles: Items
    origins: Items
    cargo: Items
    currencies: dict[str, float]
    collateral: dict[str, Names]

    @model_validator(mode="after")
    def _known(self) -> Lists:
        flows = (*self.incomes, *self.expenses, self.contract_labor, *self.rentals, *self.fees)
        codes = code_names()
        trades = {trade.trade for trade in self.trades} | {None}
        for flow in flows:
            if flow.trade not in trades:
                raise ValueError(f"{flow.item_code or flow.fee_type}: unknown trade {flow.trade!r}")
            if (flow.item_code or flow.fee_type) not in codes:
                raise ValueError(f"unknown code {flow.item_code or flow.fee_type!r}; see practice_codes.json")
        return self


class Codes(Data):
    """The rows of the tables ``item_codes`` and ``fee_types``."""

    item_codes: tuple[dict[str, str], ...]
    fee_types: tuple[dict[str, str], ...]


class RowTemplates(RootModel[dict[str, dict[str, str]]]):
    """By table and column, an expression over random draws and the values of the row before it; see ``core.templates``.

    Names that end in an underscore are no columns: later expressions, and other books, use them.
    """

    @model_validator(mode="after")
    def _known(self) -> RowTemplates:
        for table, row in self.root.items():
            if table not in METADATA.tables:
                raise ValueError(f"there is no table {table!r}")
            known = {column.name for column in METADATA.tables[table].columns}
            if unknown := sorted(name for name in row if name not in known and not name.endswith("_")):
                raise ValueError(f"{table} has no column {unknown[0]!r}")
        return self


load_choices = load_once(Lists, DATABASES / "practice_lists.json")
"""The shipped choice lists."""
load_codes = load_once(Codes, DATABASES / "practice_codes.json")
"""The shipped codes."""


@lru_cache(maxsize=1)
def code_names() -> dict[str, str]:
    """The names of items and fees by their codes."""
    codes = load_codes()
    return {next(iter(row.values())): row["name"] for row in (*codes.item_codes, *codes.fee_types)}


load_row_templates = load_once(RowTemplates, Path(__file__).with_name("rows.json"))
"""The shipped row templates."""
