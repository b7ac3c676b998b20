"""Generate clients' properties with their items, and assets with depreciation."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date
from decimal import Decimal

from .choice_lists import AssetClass, AssetItem, Flow, load_codes
from .ledger import Client, Ledger, to_cents

_HOMES = ("single_family", "multi_family", "vacation_rental", "mixed_use", "commercial")


def add_properties(ledger: Ledger, client: Client) -> list[int]:
    """Add properties and their items; return those that can be mortgaged."""
    draws = ledger.draws
    count = 3 if client.full else 1
    bought = draws.days(date(ledger.years[0] - 9, 1, 10), date(ledger.years[0] - 1, 11, 20), count + 2)
    kinds = draws.sample(_HOMES, count)
    order = draws.sample(range(count + 2), count + 2)
    rented = [_property(ledger, client, kind, bought[n], "rented") for kind, n in zip(kinds, order, strict=False)]
    _property(ledger, client, draws.choice(_HOMES), bought[order[-2]], "sold")
    if client.full:
        _property(ledger, client, "land", bought[order[-1]], "vacant")
    for key in rented:
        for year in ledger.active_years(client):
            _add_year(ledger, client, key, year)
    return rented


def _property(ledger: Ledger, client: Client, kind: str, bought: date, status: str) -> int:
    draws = ledger.draws
    price = draws.round_money((90000, 640000), 500)
    sold = draws.day(date(ledger.years[0] - 1, 11, 25), date(ledger.years[0] - 1, 12, 31)) if status == "sold" else None
    units = {"multi_family": draws.between(3, 8), "mixed_use": draws.between(2, 5), "land": 0}
    return ledger.add(
        "properties",
        client_id=client.client_id,
        address_id=ledger.address(client.state, unit=0),
        property_type=kind,
        units=units.get(kind, 1),
        square_feet=draws.between(90, 620) * 10,
        parcel_number=f"{draws.digits(3)}-{draws.digits(2)}-{draws.digits(4)}",
        acquired_on=bought,
        purchase_price=price,
        land_value=draws.round_money((float(price) * 0.15, float(price) * 0.35), 500),
        sold_on=sold,
        sale_price=draws.round_money((float(price), float(price) * 1.4), 500) if sold else None,
        manager_id=ledger.vendor("property management") if draws.chance(0.6) else None,
        status=status,
    )


def _add_year(ledger: Ledger, client: Client, key: int, year: int) -> None:
    draws = ledger.draws
    holiday = ledger.row("properties", key)["property_type"] == "vacation_rental"
    personal = draws.between(5, 14) if holiday else 0
    ledger.add(
        "property_years",
        property_id=key,
        tax_year=year,
        days_rented=draws.between(180, 300) if holiday else draws.between(320, 365),
        days_personal=personal,
        assessed_value=draws.round_money((80000, 520000), 500),
    )
    rent = draws.round_money((900, 3900), 25)
    for month in range(1, client.times(12, year) + 1):
        paid = rent - (draws.money((0, 90)) if draws.chance(0.2) else 0)
        _item(ledger, key, "R10", date(year, month, draws.between(1, 9)), paid, None)
    for flow in draws.lists.rentals:
        if draws.chance(flow.chance):
            _add_flow(ledger, client, key, flow, year)


def _add_flow(ledger: Ledger, client: Client, key: int, flow: Flow, year: int) -> None:
    draws = ledger.draws
    vendor = ledger.vendor(flow.trade) if flow.trade else None
    for _ in range(client.times(draws.between(*flow.times), year)):
        day, amount = draws.day(date(year, 1, 3), date(year, 12, 28)), draws.money(flow.amount)
        _item(ledger, key, flow.item_code, day, amount, vendor)
        if draws.chance(0.05):
            _item(ledger, key, flow.item_code, day, amount, vendor, draws.choice(("void", "duplicate")))


def _item(
    ledger: Ledger, key: int, code: str, day: date, amount: Decimal, vendor: int | None, status: str = "posted"
) -> None:
    name = load_codes().items()[code]
    ledger.add(
        "property_items",
        property_id=key,
        item_code=code,
        item_date=day,
        amount=amount,
        description=f"{name}: {ledger.vendor_names[vendor]}" if vendor else name,
        vendor_id=vendor,
        status=status,
    )


@dataclass(frozen=True)
class _Asset:
    """The data of an asset for its depreciation; ``gone`` is the day of disposal."""

    key: int
    cost: Decimal
    salvage: Decimal
    life: int
    doubled: bool
    bought: date
    gone: date | None

    def amounts(self, last_year: int) -> dict[int, Decimal]:
        """Depreciation by year, by months of use; partial months count in full."""
        amounts: dict[int, Decimal] = {}
        left = self.cost - self.salvage
        for year in range(self.bought.year, min(last_year, self.gone.year if self.gone else last_year) + 1):
            amount = min(to_cents(self._whole_year(left) * self._months(year) / 12), left)
            left -= amount
            if amount:
                amounts[year] = amount
        return amounts

    def _whole_year(self, left: Decimal) -> Decimal:
        return (left + self.salvage) * 2 / self.life if self.doubled else (self.cost - self.salvage) / self.life

    def _months(self, year: int) -> int:
        first = self.bought.month if year == self.bought.year else 1
        last = self.gone.month if self.gone and year == self.gone.year else 12
        return last - first + 1


def add_assets(ledger: Ledger, client: Client) -> None:
    """Add fixed assets; a case has old and new ones and two that were sold."""
    draws, year = ledger.draws, client.case_year
    if not client.full:
        _asset(ledger, client, draws.choice(draws.lists.assets), date(year - 1, 3, draws.between(1, 28)), None)
        return
    classes = [*draws.lists.assets, *draws.sample(draws.lists.assets, 3)]
    old = draws.days(date(year - 3, 1, 4), date(year - 1, 12, 20), len(classes))
    for asset_class, day in zip(classes, draws.sample(old, len(old)), strict=True):
        _asset(ledger, client, asset_class, day, None)
    new = draws.days(date(year, 1, 10), date(year, 11, 28), draws.between(2, 3))
    keys = [_asset(ledger, client, draws.choice(draws.lists.assets), day, None) for day in new]
    client.subjects["asset_id"] = draws.choice(keys)
    for bought, gone in ((date(year - 5, 1, 1), year), (date(year - 6, 1, 1), year - 2)):
        sold = draws.day(date(gone, 2, 1), date(gone, 10, 30))
        _asset(ledger, client, draws.choice(draws.lists.assets), draws.day(bought, bought.replace(month=12)), sold)


def _asset(ledger: Ledger, client: Client, group: AssetClass, bought: date, gone: date | None) -> int:
    draws = ledger.draws
    item: AssetItem = draws.choice(group.items)
    cost = draws.money(item.cost)
    salvage = to_cents(cost * draws.between(0, 2) / 20)
    doubled = draws.chance(0.4)
    key = ledger.add(
        "assets",
        client_id=client.client_id,
        asset_tag=f"FA-{draws.digits(4)}",
        description=item.description,
        asset_class=group.asset_class,
        serial_number=f"SN{draws.digits(7)}" if group.asset_class != "improvements" else None,
        vendor_id=ledger.vendor("equipment"),
        placed_in_service_on=bought,
        cost=cost,
        salvage_value=salvage,
        life_years=group.life,
        method="double_declining" if doubled else "straight_line",
        disposed_on=gone,
        disposal_proceeds=draws.money((float(cost) * 0.05, float(cost) * 0.4)) if gone else None,
    )
    _add_depreciation(ledger, _Asset(key, cost, salvage, group.life, doubled, bought, gone))
    return key


def _add_depreciation(ledger: Ledger, asset: _Asset) -> None:
    total = Decimal("0.00")
    for year, amount in asset.amounts(ledger.years[-1]).items():
        total += amount
        if year in ledger.years:
            ledger.add(
                "depreciation",
                asset_id=asset.key,
                tax_year=year,
                amount=amount,
                accumulated=total,
                book_value=asset.cost - total,
            )
