"""Rows of what crosses the border: shipments and their lines, exchange rates."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from .draws import months_after, to_cents
from .ledger import Client, Value, World
from .lists import Cargo, Origin

_RATE = Decimal("0.000001")


def add_rates(world: World) -> None:
    """A rate for each currency and month of the books."""
    draws = world.draws
    for currency in draws.lists.currencies:
        rate = Decimal(str(currency.rate))
        for month in range(12 * len(world.years)):
            rate = (rate * draws.whole(980, 1020) / 1000).quantize(_RATE)
            day = months_after(world.first_day, month)
            world.add("exchange_rates", currency=currency.currency, rate_on=day, usd_per_unit=rate)


def add_shipments(world: World, client: Client, customers: list[int]) -> None:
    """Imports and exports; in the year of the case, one import of several lines that a form can be filed for."""
    draws, year = world.draws, client.case_year
    for other in world.active_years(client):
        if other != year:
            _import(world, client, draws.day(date(other, 2, 20), date(other, 11, 20)), draws.whole(1, 3))
    if not client.full:
        _import(world, client, draws.day(date(year, 2, 20), date(year, 11, 20)), 2)
        return
    days = draws.days(date(year, 2, 15), date(year, 12, 10), draws.whole(6, 7))
    subject = draws.whole(0, len(days) - 3)
    for n, day in enumerate(days[:-1]):
        key = _import(world, client, day, draws.whole(4, 6) if n == subject else draws.whole(1, 3))
        if n == subject:
            client.subjects["shipment_id"] = key
    _export(world, client, days[-1], draws.one(customers))
    _import(world, client, draws.day(date(year, 3, 1), date(year, 11, 30)), 2, "cancelled")
    _import(world, client, world.last_day + timedelta(20), 2, "in_transit")


def _import(world: World, client: Client, arrived: date, lines: int, status: str = "cleared") -> int:
    draws = world.draws
    origin = draws.one(draws.lists.origins)
    vendor = _supplier(world, origin)
    key = _shipment(
        world,
        client,
        arrived,
        status,
        direction="import",
        vendor_id=vendor,
        port_of_loading=origin.port,
        port_of_entry=draws.one(draws.lists.ports_of_entry),
        currency=origin.currency,
    )
    rate = _rate(world, origin.currency, arrived)
    for number, cargo in enumerate(draws.some(draws.lists.cargo, lines), 1):
        _line(world, key, number, cargo, origin.country, rate, cargo.duty_rate)
    return key


def _export(world: World, client: Client, arrived: date, customer: int) -> None:
    draws = world.draws
    key = _shipment(
        world,
        client,
        arrived,
        "cleared",
        direction="export",
        customer_id=customer,
        port_of_loading=draws.one(draws.lists.ports_of_entry),
        port_of_entry=draws.one(draws.lists.origins).port,
        currency="USD",
    )
    for number, cargo in enumerate(draws.some(draws.lists.cargo, 2), 1):
        _line(world, key, number, cargo, "US", Decimal(1), 0)


def _supplier(world: World, origin: Origin) -> int:
    """An exporter, who from now on is at home where its goods come from."""
    draws = world.draws
    country = {vendor: _country(world, vendor) for vendor in world.vendors["exporter"]}
    at_home = [vendor for vendor, home in country.items() if home == origin.country]
    if at_home:
        return draws.one(at_home)
    vendor = draws.one([v for v, home in country.items() if home == "US"] or list(country))
    address = world.row("addresses", _key(world.row("vendors", vendor)["address_id"]))
    address |= {
        "unit": None,
        "city": origin.city,
        "county": None,
        "state": None,
        "zip": None,
        "country": origin.country,
    }
    return vendor


def _country(world: World, vendor: int) -> str:
    return str(world.row("addresses", _key(world.row("vendors", vendor)["address_id"]))["country"])


def _key(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _shipment(world: World, client: Client, arrived: date, status: str, **values: Value) -> int:
    draws = world.draws
    weight = draws.whole(300, 9800)
    return world.add(
        "shipments",
        client_id=client.client_id,
        broker_id=world.vendor("customs broker"),
        entry_number=f"{draws.digits(3)}-{draws.digits(7)}-{draws.whole(0, 9)}",
        carrier=draws.one(world.carriers),
        vessel=draws.one(draws.lists.vessels),
        bill_of_lading=f"BL{draws.digits(8)}",
        shipped_on=arrived - timedelta(draws.whole(14, 42)),
        arrived_on=None if status == "in_transit" else arrived,
        incoterm=draws.one(draws.lists.incoterms),
        packages=draws.whole(4, 160),
        gross_weight_kg=weight,
        freight=draws.money((480, 5200)),
        insurance=draws.money((40, 460)),
        status=status,
        **values,
    )


def _rate(world: World, currency: str, day: date) -> Decimal:
    """Of the month of a day; after the end of the books, of their last month."""
    month = min(day, world.last_day).replace(day=1)
    for row in world.tables["exchange_rates"]:
        rate = row["usd_per_unit"]
        if row["currency"] == currency and row["rate_on"] == month and isinstance(rate, Decimal):
            return rate
    raise ValueError(f"there is no rate of {currency} on {month}")


def _line(
    world: World, shipment: int, number: int, cargo: Cargo, country: str, rate: Decimal, duty_rate: float
) -> None:
    draws = world.draws
    quantity = draws.whole(*cargo.quantity)
    value = to_cents(draws.money(cargo.price) * quantity / rate)
    usd, percent = to_cents(value * rate), Decimal(str(duty_rate))
    world.add(
        "shipment_lines",
        shipment_id=shipment,
        line_number=number,
        tariff_code=cargo.tariff_code,
        description=cargo.description,
        origin_country=country,
        quantity=quantity,
        unit=cargo.unit,
        value=value,
        value_usd=usd,
        net_weight_kg=max(round(quantity * cargo.kg), 1),
        duty_rate=percent,
        duty=to_cents(usd * percent / 100),
    )
