"""Generate exchange rates, and imports and exports with their lines."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from .choice_lists import Cargo, Origin
from .ledger import Client, Ledger, Value, months_after, to_cents

_RATE = Decimal("0.000001")


def add_rates(ledger: Ledger) -> None:
    """Add an exchange rate for each currency and month of the books."""
    draws = ledger.draws
    for currency in draws.lists.currencies:
        rate = Decimal(str(currency.rate))
        for month in range(12 * len(ledger.years)):
            rate = (rate * draws.between(980, 1020) / 1000).quantize(_RATE)
            day = months_after(ledger.first_day, month)
            ledger.add("exchange_rates", currency=currency.currency, rate_on=day, usd_per_unit=rate)


def add_shipments(ledger: Ledger, client: Client, customers: list[int]) -> None:
    """Add imports and exports, one of them the subject of the client's case."""
    draws, year = ledger.draws, client.case_year
    for other in ledger.active_years(client):
        if other != year:
            _import(ledger, client, draws.day(date(other, 2, 20), date(other, 11, 20)), draws.between(1, 3))
    if not client.full:
        _import(ledger, client, draws.day(date(year, 2, 20), date(year, 11, 20)), 2)
        return
    days = draws.days(date(year, 2, 15), date(year, 12, 10), draws.between(6, 7))
    subject = draws.between(0, len(days) - 3)
    for n, day in enumerate(days[:-1]):
        key = _import(ledger, client, day, draws.between(4, 6) if n == subject else draws.between(1, 3))
        if n == subject:
            client.subjects["shipment_id"] = key
    _export(ledger, client, days[-1], draws.choice(customers))
    _import(ledger, client, draws.day(date(year, 3, 1), date(year, 11, 30)), 2, "cancelled")
    _import(ledger, client, ledger.last_day + timedelta(20), 2, "in_transit")


def _import(ledger: Ledger, client: Client, arrived: date, lines: int, status: str = "cleared") -> int:
    draws = ledger.draws
    origin = draws.choice(draws.lists.origins)
    vendor = _supplier(ledger, origin)
    key = _shipment(
        ledger,
        client,
        arrived,
        status,
        direction="import",
        vendor_id=vendor,
        port_of_loading=origin.port,
        port_of_entry=draws.choice(draws.lists.ports_of_entry),
        currency=origin.currency,
    )
    rate = _rate(ledger, origin.currency, arrived)
    for number, cargo in enumerate(draws.sample(draws.lists.cargo, lines), 1):
        _line(ledger, key, number, cargo, origin.country, rate, cargo.duty_rate)
    return key


def _export(ledger: Ledger, client: Client, arrived: date, customer: int) -> None:
    draws = ledger.draws
    key = _shipment(
        ledger,
        client,
        arrived,
        "cleared",
        direction="export",
        customer_id=customer,
        port_of_loading=draws.choice(draws.lists.ports_of_entry),
        port_of_entry=draws.choice(draws.lists.origins).port,
        currency="USD",
    )
    for number, cargo in enumerate(draws.sample(draws.lists.cargo, 2), 1):
        _line(ledger, key, number, cargo, "US", Decimal(1), 0)


def _supplier(ledger: Ledger, origin: Origin) -> int:
    """An exporter from the goods' country; if there is none, a US one moves there."""
    draws = ledger.draws
    country = {vendor: _country(ledger, vendor) for vendor in ledger.vendors["exporter"]}
    at_home = [vendor for vendor, home in country.items() if home == origin.country]
    if at_home:
        return draws.choice(at_home)
    vendor = draws.choice([v for v, home in country.items() if home == "US"] or list(country))
    address = ledger.row("addresses", _key(ledger.row("vendors", vendor)["address_id"]))
    address |= {
        "unit": None,
        "city": origin.city,
        "county": None,
        "state": None,
        "zip": None,
        "country": origin.country,
    }
    return vendor


def _country(ledger: Ledger, vendor: int) -> str:
    return str(ledger.row("addresses", _key(ledger.row("vendors", vendor)["address_id"]))["country"])


def _key(value: Value) -> int:
    assert isinstance(value, int)
    return value


def _shipment(ledger: Ledger, client: Client, arrived: date, status: str, **values: Value) -> int:
    draws = ledger.draws
    weight = draws.between(300, 9800)
    return ledger.add(
        "shipments",
        client_id=client.client_id,
        broker_id=ledger.vendor("customs broker"),
        entry_number=f"{draws.digits(3)}-{draws.digits(7)}-{draws.between(0, 9)}",
        carrier=draws.choice(ledger.carriers),
        vessel=draws.choice(draws.lists.vessels),
        bill_of_lading=f"BL{draws.digits(8)}",
        shipped_on=arrived - timedelta(draws.between(14, 42)),
        arrived_on=None if status == "in_transit" else arrived,
        incoterm=draws.choice(draws.lists.incoterms),
        packages=draws.between(4, 160),
        gross_weight_kg=weight,
        freight=draws.money((480, 5200)),
        insurance=draws.money((40, 460)),
        status=status,
        **values,
    )


def _rate(ledger: Ledger, currency: str, day: date) -> Decimal:
    """The exchange rate in the month of a day, at the latest in the last one."""
    month = min(day, ledger.last_day).replace(day=1)
    for row in ledger.tables["exchange_rates"]:
        rate = row["usd_per_unit"]
        if row["currency"] == currency and row["rate_on"] == month and isinstance(rate, Decimal):
            return rate
    raise ValueError(f"there is no rate of {currency} on {month}")


def _line(
    ledger: Ledger, shipment: int, number: int, cargo: Cargo, country: str, rate: Decimal, duty_rate: float
) -> None:
    draws = ledger.draws
    quantity = draws.between(*cargo.quantity)
    value = to_cents(draws.money(cargo.price) * quantity / rate)
    usd, percent = to_cents(value * rate), Decimal(str(duty_rate))
    ledger.add(
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
