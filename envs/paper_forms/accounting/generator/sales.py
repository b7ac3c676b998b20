"""Generate inventory with its counts, invoices with their lines, and imports and exports."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from .choice_lists import ListItem
from .ledger import ZERO, Books, Ledger, Movement, Row, months_after, to_cents

_SALES = 40
_SALES_TAX = ("5.50", "6.00", "6.25", "7.00", "7.75")
# Days overdue at the end of the year: not yet due, then one or more of each bucket of an aging report.
_OVERDUE = (-12, 9, 21, 44, 72, 118)
_RATE = Decimal("0.000001")


class _Article(NamedTuple):
    key: int
    goods: ListItem
    price: Decimal


class _Sale(NamedTuple):
    """An invoice: its day, customer and final status; ``overdue``: days overdue at the end of the year, if unpaid."""

    issued: date
    customer: int
    status: str = "paid"
    overdue: int | None = None


class Sales(Books):
    """The inventory and invoices of a client."""

    def write(self, customers: list[int]) -> None:
        """Add inventory and invoices."""
        articles = self._inventory()
        percent = Decimal(self.draws.choice(_SALES_TAX))
        number = self.draws.between(1200, 8800)
        for year in self.active_years:
            for sale in self._schedule(customers, year):
                number += 1
                self._invoice(sale, f"INV-{number}", articles, percent)

    def _inventory(self) -> list[_Article]:
        draws, goods, case_year = self.draws, self.client.activity.goods, self.year
        chosen = draws.sample(goods, draws.between(9, 10) if self.client.full else 4)
        articles = [self._article(item) for item in chosen]
        # A discontinued article, which is in no count in the year of the case.
        self._article(draws.choice(goods), gone=date(case_year - 1, 6, 30))
        keeper = draws.person_name()
        days = [date(year, 12, 31) for year in (self.ledger.years[0] - 1, *self.ledger.years)]
        for article in articles:
            for day in (*days, date(case_year, 6, 30)):
                self._count(article, day, keeper)
        self._count(articles[0], date(case_year, 12, 31), keeper, status="superseded")
        return articles

    def _article(self, goods: ListItem, gone: date | None = None) -> _Article:
        cost = self.draws.money(goods.cost)
        price = to_cents(cost * self.draws.between(135, 190) / 100)
        words = f"{goods.description} (old)" if gone else goods.description
        kind = {"description": words, "category": goods.category, "unit": goods.unit}
        key = self.add("inventory_items", **kind, unit_cost=cost, unit_price=price, discontinued_on=gone)
        return _Article(key, goods, price)

    def _count(self, article: _Article, day: date, keeper: str, **status: str) -> None:
        count = {"inventory_item_id": article.key, "counted_on": day, "counted_by": keeper}
        self.add("inventory_counts", **count, unit_cost=self.draws.money(article.goods.cost), **status)

    def _schedule(self, customers: list[int], year: int) -> list[_Sale]:
        """The invoices of a year, sorted by day."""
        draws, busy = self.draws, self.client.full and year == self.year
        count = _SALES if busy else 8 if self.client.full else 4
        # Spread evenly: some in each part of the year.
        starts = [date(year, 1, 1) + timedelta(345 * n // count) for n in range(count)]
        days = [draws.day(start, start + timedelta(345 // count)) for start in starts]
        # Customers take turns, so that each quarter has taxed and exempt sales; no exempt one is void.
        turns = [customers[n % len(customers)] for n in range(count)]
        taxed = [n for n, key in enumerate(turns) if not self._exempt(key)]
        voided = dict(zip(draws.sample(taxed, 4), ("void", "void", "void", "draft"), strict=False)) if busy else {}
        sales = [_Sale(day, turn, voided.get(n, "paid")) for n, (day, turn) in enumerate(zip(days, turns, strict=True))]
        for overdue in _OVERDUE if busy else ():
            customer = draws.choice(customers)
            sales.append(
                _Sale(date(year, 12, 31) - timedelta(overdue + self._terms(customer)), customer, "paid", overdue)
            )
        return sorted(sales, key=lambda sale: sale.issued)

    def _exempt(self, customer: int) -> bool:
        return self.ledger.row("customers", customer)["tax_exempt"] == "yes"

    def _terms(self, customer: int) -> int:
        return int(str(self.ledger.row("customers", customer)["terms_days"]))

    def _invoice(self, sale: _Sale, number: str, articles: list[_Article], percent: Decimal) -> None:
        lines = self._lines(articles)
        due = sale.issued + timedelta(self._terms(sale.customer))
        taxable = sum((line["amount"] for line in lines if line["taxable"] == "yes"), ZERO)
        subtotal = sum((line["amount"] for line in lines), ZERO)
        tax = ZERO if self._exempt(sale.customer) else to_cents(taxable * percent / 100)
        paid = self._paid_on(sale, due) if sale.status == "paid" else None
        key = self.add(
            "invoices",
            customer_id=sale.customer,
            invoice_number=number,
            issued_on=sale.issued,
            due_on=due,
            subtotal=subtotal,
            sales_tax=tax,
            total=subtotal + tax,
            paid_on=paid,
            status="open" if sale.status == "paid" and paid is None else sale.status,
        )
        for n, line in enumerate(lines, 1):
            self.ledger.add("invoice_lines", invoice_id=key, line_number=n, **line)
        if paid:
            method = self.draws.choice(("deposit", "deposit", "ach"))
            self.client.movements.append(Movement(paid, subtotal + tax, method, "1010", number, sale.customer))

    def _lines(self, articles: list[_Article]) -> list[dict[str, Any]]:
        draws = self.draws
        goods = draws.sample(articles, draws.between(1, 3))
        lines: list[tuple[int | None, str, int, Decimal]] = [
            (article.key, article.goods.description, draws.between(2, 30), article.price) for article in goods
        ]
        if draws.chance(0.3):
            service = draws.choice(self.client.activity.services)
            lines.append((None, service, draws.between(1, 4), draws.money((60, 260))))
        names = ("inventory_item_id", "description", "quantity", "unit_price", "amount", "taxable")
        return [dict(zip(names, (*line, line[2] * line[3], "yes" if line[0] else "no"), strict=True)) for line in lines]

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

    def write(self, customers: list[int]) -> None:
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
        draws, origin = self.draws, self.draws.choice(self.lists.origins)
        route = {"port_of_loading": origin.port, "port_of_entry": draws.choice(self.lists.ports_of_entry)}
        parties: dict[str, int | str] = {
            "direction": "import",
            "vendor_id": self._supplier(origin),
            "currency": origin.currency,
        }
        key = self._shipment(arrived, status, **route, **parties)
        month = min(arrived, self.ledger.last_day).replace(day=1)
        (rate,) = self.ledger.rows_of("exchange_rates", currency=origin.currency, rate_on=month)
        for number, cargo in enumerate(draws.sample(self.lists.cargo, lines), 1):
            self._line(key, number, cargo, origin.country, Decimal(str(rate["usd_per_unit"])), cargo.duty_rate)
        return key

    def _export(self, arrived: date, customer: int) -> None:
        draws, lists = self.draws, self.lists
        route = {
            "port_of_loading": draws.choice(lists.ports_of_entry),
            "port_of_entry": draws.choice(lists.origins).port,
        }
        key = self._shipment(arrived, "cleared", direction="export", customer_id=customer, currency="USD", **route)
        for number, cargo in enumerate(draws.sample(lists.cargo, 2), 1):
            self._line(key, number, cargo, "US", Decimal(1), 0)

    def _shipment(self, arrived: date, status: str, **columns: int | str) -> int:
        shipped = arrived - timedelta(self.draws.between(14, 42))
        days = {"shipped_on": shipped, "arrived_on": None if status == "in_transit" else arrived}
        return self.add("shipments", **days, status=status, **columns)

    def _supplier(self, origin: ListItem) -> int:
        """An exporter from the goods' country; if there is none, a US one moves there."""
        homes = {vendor: self._home(vendor) for vendor in self.ledger.vendors["exporter"]}
        if at_home := [vendor for vendor, home in homes.items() if home["country"] == origin.country]:
            return self.draws.choice(at_home)
        vendor = self.draws.choice([v for v, home in homes.items() if home["country"] == "US"] or list(homes))
        abroad = {"city": origin.city, "country": origin.country}
        homes[vendor].update(dict.fromkeys(("unit", "county", "state", "zip")) | abroad)
        return vendor

    def _home(self, vendor: int) -> Row:
        return self.ledger.row("addresses", self.ledger.row("vendors", vendor)["address_id"])

    def _line(self, shipment: int, number: int, cargo: ListItem, country: str, rate: Decimal, duty_rate: float) -> None:
        quantity = self.draws.between(*cargo.quantity)
        value = to_cents(self.draws.money(cargo.price) * quantity / rate)
        usd, percent = to_cents(value * rate), Decimal(str(duty_rate))
        self.add(
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
