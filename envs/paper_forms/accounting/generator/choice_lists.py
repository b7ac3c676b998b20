"""Load the codes and choice lists that the accounting database is drawn from."""

from __future__ import annotations

from functools import lru_cache
from typing import Annotated, Literal

from pydantic import Field, model_validator

from .....assets import ROOT
from ....core.files import Data, load

Split = Literal["test", "train"]
Range = tuple[float, float]
Counts = tuple[int, int]
Chance = Annotated[float, Field(ge=0, le=1)]
Names = Annotated[tuple[str, ...], Field(min_length=1)]


class SplitNames(Data):
    """Names for the test split, and different ones for the train split."""

    test: Names
    train: Names

    @model_validator(mode="after")
    def _apart(self) -> SplitNames:
        if shared := sorted(set(self.test) & set(self.train)):
            raise ValueError(f"{shared[0]!r} is in both splits")
        return self

    def of(self, split: Split) -> Names:
        """The names of a split."""
        return self.test if split == "test" else self.train


class Entity(Data):
    """A legal form, and the endings of company names of this form."""

    entity_type: str
    ends: Names


class State(Data):
    """A state and its telephone area codes."""

    state: str
    area_codes: Names


class Goods(Data):
    """An article; ``cost`` is in dollars per unit."""

    description: str
    category: str
    unit: str
    cost: Range


class Activity(Data):
    """A line of business of clients."""

    activity: str
    code: str
    nouns: Names
    services: Names
    goods: tuple[Goods, ...]


class Trade(Data):
    """A trade of vendors; ``people`` and ``reportable`` are shares of ``count``."""

    trade: str
    nouns: Names
    people: Chance
    count: int
    reportable: Chance


class Flow(Data):
    """A kind of income or expense: amount in dollars, times per year, method, payee."""

    item_code: str
    amount: Range
    times: Counts
    method: str = "ach"
    trade: str | None = None
    chance: Chance = 1


class Fee(Data):
    """A fee at a loan's closing; ``always`` means that every closing has it."""

    fee_type: str
    amount: Range
    trade: str
    always: bool = False


class LoanKind(Data):
    """A kind of loan: amount in dollars, rate in percent a year, and collateral."""

    loan_type: str
    purpose: str
    amount: Range
    rate: Range
    months: tuple[int, ...]
    collateral: str


class Job(Data):
    """A job; ``pay`` is in dollars per year or hour."""

    job_title: str
    department: str
    pay_basis: str
    pay: Range


class AssetItem(Data):
    """A fixed asset."""

    description: str
    cost: Range


class AssetClass(Data):
    """A class of fixed assets; ``life`` is in years."""

    asset_class: str
    life: int
    items: tuple[AssetItem, ...]


class Role(Data):
    """A role of company officers."""

    role: str
    title: str


class Origin(Data):
    """A place that imports come from."""

    country: str
    port: str
    currency: str
    city: str


class Currency(Data):
    """A currency; ``rate`` is its initial value in US dollars."""

    currency: str
    rate: float


class Cargo(Data):
    """Imported goods; ``price`` and ``kg`` are per unit, ``duty_rate`` in percent."""

    description: str
    tariff_code: str
    unit: str
    price: Range
    quantity: Counts
    duty_rate: float
    kg: float


class Lists(Data):
    """All choice lists."""

    surname_starts: SplitNames
    surname_ends: Names
    words: SplitNames
    entities: tuple[Entity, ...]
    states: tuple[State, ...]
    counties: Names
    ein_prefixes: Names
    activities: tuple[Activity, ...]
    trades: tuple[Trade, ...]
    incomes: tuple[Flow, ...]
    expenses: tuple[Flow, ...]
    contract_labor: Flow
    rentals: tuple[Flow, ...]
    fees: tuple[Fee, ...]
    loans: tuple[LoanKind, ...]
    collateral: dict[str, Names]
    jobs: tuple[Job, ...]
    assets: tuple[AssetClass, ...]
    warehouses: Names
    tax_exempt_nouns: Names
    customer_nouns: Names
    bank_nouns: Names
    firm_nouns: Names
    preparer_titles: Names
    roles: tuple[Role, ...]
    owner_companies: Names
    carrier_nouns: Names
    vessels: Names
    ports_of_entry: Names
    origins: tuple[Origin, ...]
    currencies: tuple[Currency, ...]
    incoterms: Names
    cargo: tuple[Cargo, ...]

    @model_validator(mode="after")
    def _known(self) -> Lists:
        trades = {trade.trade for trade in self.trades}
        flows = (*self.incomes, *self.expenses, self.contract_labor, *self.rentals)
        for item, trade in [(f.item_code, f.trade) for f in flows] + [(f.fee_type, f.trade) for f in self.fees]:
            if trade is not None and trade not in trades:
                raise ValueError(f"{item}: unknown trade {trade!r}")
        items, fees = load_codes().items().keys(), load_codes().fees().keys()
        unknown = {f.item_code for f in flows} - items | {f.fee_type for f in self.fees} - fees
        if unknown:
            raise ValueError(f"unknown code {sorted(unknown)[0]!r}; codes are declared in practice_codes.json")
        return self


@lru_cache(maxsize=1)
def load_choices() -> Lists:
    """The shipped choice lists."""
    return load(Lists, DATABASES / "practice_lists.json")


DATABASES = ROOT / "databases"
"""The folder with the codes, the choice lists and the shipped database."""


class ItemCode(Data):
    """A row of ``item_codes``."""

    item_code: str
    book: str
    kind: str
    name: str


class FeeType(Data):
    """A row of ``fee_types``."""

    fee_type: str
    section: str
    section_name: str
    name: str


class Codes(Data):
    """The tables of item codes and fee types."""

    item_codes: tuple[ItemCode, ...]
    fee_types: tuple[FeeType, ...]

    def items(self) -> dict[str, str]:
        """The names of item codes."""
        return {row.item_code: row.name for row in self.item_codes}

    def fees(self) -> dict[str, str]:
        """The names of fee types."""
        return {row.fee_type: row.name for row in self.fee_types}


@lru_cache(maxsize=1)
def load_codes() -> Codes:
    """The shipped codes."""
    return load(Codes, DATABASES / "practice_codes.json")
