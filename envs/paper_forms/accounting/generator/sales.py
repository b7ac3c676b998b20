"""Generate inventory with its counts, invoices with their lines, and imports and exports."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from .choice_lists import ListItem
from .ledger import ZERO, Books, Ledger, Row, months_after, to_cents

_SALES = 40
_SALES_TAX = ("5.50", "6.00", "6.25", "7.00", "7.75")
# Days overdue at the end of the year: not yet due, then one or more of each bucket of an aging report.
_OVERDUE = (-12, 9, 21, 44, 72, 118)
_RATE = Decimal("0.000001")


class _Sale(NamedTuple):
    """An invoice: its day, customer and final status; ``overdue``: days overdue at the end of the year, if unpaid."""

    issued: date
    customer: Row
    status: str = "paid"
    overdue: int | None = None


class Sales(Books):
    """The inventory and invoices of a client."""

    def write(self, customers: list[Row]) -> None:
        """Add inventory and invoices."""
        articles = self._inventory()
        percent = Decimal(self.draws.choice(_SALES_TAX))
        number = self.draws.between(1200, 8800)
        for year in self.active_years:
            for sale in self._schedule(customers, year):
                number += 1
                self._invoice(sale, f"INV-{number}", articles, percent)

    def _inventory(self) -> list[Row]:
        draws, goods, case_year = self.draws, self.client.activity.goods, self.year
        chosen = draws.sample(goods, draws.between(9, 10) if self.client.full else 4)
        articles = [self.add("inventory_items", goods=item, discontinued_on=None) for item in chosen]
        # A discontinued article, which is in no count in the year of the case.
        self.add("inventory_items", goods=draws.choice(goods), discontinued_on=date(case_year - 1, 6, 30))
        keeper = draws.person_name()
        ends = [date(year, 12, 31) for year in (self.ledger.years[0] - 1, *self.ledger.years)]
        counts = [(item, day, "final") for item in articles for day in (*ends, date(case_year, 6, 30))]
        for item, day, status in [*counts, (articles[0], date(case_year, 12, 31), "superseded")]:
            cost = draws.money(item["goods_"].cost)
            count = {"inventory_item_id": item["inventory_item_id"], "counted_on": day, "counted_by": keeper}
            self.add("inventory_counts", **count, unit_cost=cost, status=status)
        return articles

    def _schedule(self, customers: list[Row], year: int) -> list[_Sale]:
        """The invoices of a year, sorted by day."""
        draws, busy = self.draws, self.client.full and year == self.year
        count = _SALES if busy else 8 if self.client.full else 4
        # Spread evenly: some in each part of the year.
        starts = [date(year, 1, 1) + timedelta(345 * n // count) for n in range(count)]
        days = [draws.day(start, start + timedelta(345 // count)) for start in starts]
        # Customers take turns, so that each quarter has taxed and exempt sales; no exempt one is void.
        turns = [customers[n % len(customers)] for n in range(count)]
        taxed = [n for n, customer in enumerate(turns) if customer["tax_exempt"] == "no"]
        voided = dict(zip(draws.sample(taxed, 4), ("void", "void", "void", "draft"), strict=False)) if busy else {}
        sales = [_Sale(day, turn, voided.get(n, "paid")) for n, (day, turn) in enumerate(zip(days, turns, strict=True))]
        for overdue in _OVERDUE if busy else ():
            customer = draws.choice(customers)
            issued = date(year, 12, 31) - timedelta(overdue + customer["terms_days"])
            sales.append(_Sale(issued, customer, "paid", overdue))
        return sorted(sales, key=lambda sale: sale.issued)

    def _invoice(self, sale: _Sale, number: str, articles: list[Row], percent: Decimal) -> None:
        customer, due = sale.customer, sale.issued + timedelta(sale.customer["terms_days"])
        paid = self._paid_on(sale, due) if sale.status == "paid" else None
        invoice = self.add(
            "invoices",
            customer_id=customer["customer_id"],
            invoice_number=number,
            issued_on=sale.issued,
            due_on=due,
            paid_on=paid,
            status="open" if sale.status == "paid" and paid is None else sale.status,
        )
        lines = self._lines(invoice["invoice_id"], articles)
        taxable = sum((line["amount"] for line in lines if line["taxable"] == "yes"), ZERO)
        invoice["subtotal"] = sum((line["amount"] for line in lines), ZERO)
        invoice["sales_tax"] = ZERO if customer["tax_exempt"] == "yes" else to_cents(taxable * percent / 100)
        invoice["total"] = invoice["subtotal"] + invoice["sales_tax"]
        if paid:
            method = self.draws.choice(("deposit", "deposit", "ach"))
            self.move(paid, invoice["total"], method, "1010", number, customer_id=customer["customer_id"])

    def _lines(self, invoice: int, articles: list[Row]) -> list[Row]:
        draws = self.draws
        whats = [
            {name: article[name] for name in ("inventory_item_id", "description", "unit_price")}
            | {"quantity": draws.between(2, 30)}
            for article in draws.sample(articles, draws.between(1, 3))
        ]
        if draws.chance(0.3):
            service = {"description": draws.choice(self.client.activity.services), "quantity": draws.between(1, 4)}
            whats.append(service | {"inventory_item_id": None, "unit_price": draws.money((60, 260))})
        return [
            self.ledger.add("invoice_lines", invoice_id=invoice, line_number=n, **what)
            for n, what in enumerate(whats, 1)
        ]

    def _paid_on(self, sale: _Sale, due: date) -> date | None:
        """The day when an invoice was paid; None if it is unpaid."""
        draws = self.draws
        if sale.overdue is None:
            paid = draws.day(sale.issued + timedelta(5), due + timedelta(10))
            return paid if paid <= self.ledger.today else None
        year_end = due + timedelta(sale.overdue)
        return None if draws.chance(0.3) else draws.day(year_end + timedelta(3), year_end + timedelta(80))


def add_rates(ledger: Ledger) -> None:
    """Add an exchange rate for each currency and month of the books."""
    for currency, initial in ledger.draws.lists.currencies.items():
        rate = Decimal(str(initial))
        for month in range(12 * len(ledger.years)):
            rate = (rate * ledger.draws.between(980, 1020) / 1000).quantize(_RATE)
            day = months_after(ledger.first_day, month)
            ledger.add("exchange_rates", currency=currency, rate_on=day, usd_per_unit=rate)


class Shipments(Books):
    """The imports and exports of a client."""

    def write(self, customers: list[Row]) -> None:
        """Add imports and exports, one of them the subject of the client's case."""
        draws, year = self.draws, self.year
        for other in self.active_years:
            if other != year or not self.client.full:
                self._import(draws.day(date(other, 2, 20), date(other, 11, 20)), draws.between(1, 3))
        if not self.client.full:
            return
        *days, last = draws.days(date(year, 2, 15), date(year, 12, 10), draws.between(6, 7))
        subject = draws.choice(days[:-1])
        for day in days:
            key = self._import(day, draws.between(4, 6) if day == subject else draws.between(1, 3))
            if day == subject:
                self.client.subjects["shipment_id"] = key
        self._export(last, draws.choice(customers))
        self._import(draws.day(date(year, 3, 1), date(year, 11, 30)), 2, "cancelled")
        self._import(self.ledger.last_day + timedelta(20), 2, "in_transit")

    def _import(self, arrived: date, lines: int, status: str = "cleared") -> int:
        origin = self.draws.choice(self.lists.origins)
        parties = {"vendor_id": self._supplier(origin), "currency": origin.currency, "status": status}
        shipment = self.add("shipments", direction="import", origin=origin, arrived=arrived, **parties)
        month = min(arrived, self.ledger.last_day).replace(day=1)
        (rate,) = self.ledger.rows_of("exchange_rates", currency=origin.currency, rate_on=month)
        return self._lines(shipment, lines, origin.country, rate["usd_per_unit"])

    def _export(self, arrived: date, customer: Row) -> None:
        origin = self.draws.choice(self.lists.origins)
        parties = {"customer_id": customer["customer_id"], "currency": "USD", "status": "cleared"}
        shipment = self.add("shipments", direction="export", origin=origin, arrived=arrived, **parties)
        self._lines(shipment, 2, "US", Decimal(1))

    def _lines(self, shipment: Row, count: int, country: str, rate: Decimal) -> int:
        key, taxed, net_weight = int(shipment["shipment_id"]), shipment["direction"] == "import", 0
        for number, cargo in enumerate(self.draws.sample(self.lists.cargo, count), 1):
            duty_rate = Decimal(str(cargo.duty_rate)) if taxed else ZERO
            line = {"cargo": cargo, "rate": rate, "duty_rate": duty_rate, "origin_country": country}
            net_weight += self.add("shipment_lines", shipment_id=key, line_number=number, **line)["net_weight_kg"]
        # The drawn weight is of the packaging, in thousandths of the goods'.
        shipment["gross_weight_kg"] = net_weight + max(net_weight * shipment["gross_weight_kg"] // 1000, 1)
        return key

    def _supplier(self, origin: ListItem) -> int:
        """An exporter from the goods' country; if there is none, a US one moves there."""
        keys = self.ledger.vendors["exporter"]
        homes = {key: self.ledger.row("addresses", self.ledger.row("vendors", key)["address_id"]) for key in keys}
        if at_home := [vendor for vendor, home in homes.items() if home["country"] == origin.country]:
            return self.draws.choice(at_home)
        vendor = self.draws.choice([v for v, home in homes.items() if home["country"] == "US"] or list(homes))
        abroad = {"city": origin.city, "country": origin.country}
        homes[vendor].update(dict.fromkeys(("unit", "county", "state", "zip")) | abroad)
        return vendor
