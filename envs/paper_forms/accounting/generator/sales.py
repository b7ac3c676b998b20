"""Generate inventory with its counts, and invoices with their lines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .choice_lists import Goods
from .ledger import Client, Ledger, Movement, to_cents

_SALES = 40
_ZERO = Decimal("0.00")
_SALES_TAX = ("5.50", "6.00", "6.25", "7.00", "7.75")
# Days overdue at the end of the year: not yet due, then one or more of each bucket of an aging report.
_OVERDUE = (-12, 9, 21, 44, 72, 118)


@dataclass(frozen=True)
class _Article:
    key: int
    goods: Goods
    price: Decimal


@dataclass(frozen=True)
class _Seller:
    """The data that all invoices of one client share."""

    client: Client
    customers: list[int]
    articles: list[_Article]
    tax_percent: Decimal


def add_sales(ledger: Ledger, client: Client, customers: list[int]) -> None:
    """Add inventory and invoices of a client."""
    articles = _add_inventory(ledger, client)
    seller = _Seller(client, customers, articles, Decimal(ledger.draws.choice(_SALES_TAX)))
    number = ledger.draws.between(1200, 8800)
    for year in ledger.active_years(client):
        for sale in _schedule(ledger, seller, year):
            number += 1
            _add_invoice(ledger, seller, sale, f"INV-{number}")


def _add_inventory(ledger: Ledger, client: Client) -> list[_Article]:
    draws = ledger.draws
    goods = draws.sample(client.activity.goods, draws.between(9, 10) if client.full else 4)
    articles = [_article(ledger, client, item) for item in goods]
    # A discontinued article, which is in no count in the year of the case.
    _article(ledger, client, draws.choice(client.activity.goods), gone=date(client.case_year - 1, 6, 30))
    keeper = " ".join(draws.person())
    for article in articles:
        for year in (ledger.years[0] - 1, *ledger.years):
            _count(ledger, article, date(year, 12, 31), keeper)
        _count(ledger, article, date(client.case_year, 6, 30), keeper)
    _count(ledger, articles[0], date(client.case_year, 12, 31), keeper, "superseded")
    return articles


def _article(ledger: Ledger, client: Client, goods: Goods, gone: date | None = None) -> _Article:
    draws = ledger.draws
    cost = draws.money(goods.cost)
    price = to_cents(cost * draws.between(135, 190) / 100)
    key = ledger.add(
        "inventory_items",
        client_id=client.client_id,
        sku=f"{goods.category[:2].upper()}-{draws.digits(5)}",
        description=f"{goods.description} (old)" if gone else goods.description,
        category=goods.category,
        unit=goods.unit,
        unit_cost=cost,
        unit_price=price,
        reorder_level=draws.between(2, 12) * 5,
        discontinued_on=gone,
    )
    return _Article(key, goods, price)


def _count(ledger: Ledger, article: _Article, day: date, keeper: str, status: str = "final") -> None:
    draws = ledger.draws
    ledger.add(
        "inventory_counts",
        inventory_item_id=article.key,
        counted_on=day,
        quantity=draws.between(8, 240),
        unit_cost=draws.money(article.goods.cost),
        location=draws.choice(draws.lists.warehouses),
        counted_by=keeper,
        status=status,
    )


@dataclass(frozen=True)
class _Sale:
    """An invoice to be added.

    Attributes:
        issued: its day.
        customer: the buyer's primary key.
        status: its final status.
        overdue: for an invoice unpaid at the end of the year, the days overdue then; negative if not due yet.
    """

    issued: date
    customer: int
    status: str = "paid"
    overdue: int | None = None


def _schedule(ledger: Ledger, seller: _Seller, year: int) -> list[_Sale]:
    """The invoices of a year, sorted by day."""
    draws, client = ledger.draws, seller.client
    busy = client.full and year == client.case_year
    count = _SALES if busy else 8 if client.full else 4
    # Spread evenly: some in each part of the year.
    starts = [date(year, 1, 1) + timedelta(345 * n // count) for n in range(count)]
    days = [draws.day(start, start + timedelta(345 // count)) for start in starts]
    # Customers take turns, so that each quarter has taxed and exempt sales; no exempt one is void.
    turns = [seller.customers[n % len(seller.customers)] for n in range(count)]
    taxed = [n for n, key in enumerate(turns) if ledger.row("customers", key)["tax_exempt"] == "no"]
    voided = dict(zip(draws.sample(taxed, 4), ("void", "void", "void", "draft"), strict=False)) if busy else {}
    sales = [_Sale(day, turn, voided.get(n, "paid")) for n, (day, turn) in enumerate(zip(days, turns, strict=True))]
    if busy:
        sales += [_unpaid(ledger, seller, date(year, 12, 31), overdue) for overdue in _OVERDUE]
    return sorted(sales, key=lambda sale: sale.issued)


def _unpaid(ledger: Ledger, seller: _Seller, year_end: date, overdue: int) -> _Sale:
    customer = ledger.draws.choice(seller.customers)
    return _Sale(year_end - timedelta(overdue + _terms(ledger, customer)), customer, "paid", overdue)


def _terms(ledger: Ledger, customer: int) -> int:
    return int(str(ledger.row("customers", customer)["terms_days"]))


def _add_invoice(ledger: Ledger, seller: _Seller, sale: _Sale, number: str) -> None:
    draws = ledger.draws
    lines = _lines(ledger, seller)
    exempt = ledger.row("customers", sale.customer)["tax_exempt"] == "yes"
    subtotal = sum((line.amount for line in lines), _ZERO)
    taxable = sum((line.amount for line in lines if line.article and not exempt), _ZERO)
    total = subtotal + to_cents(taxable * seller.tax_percent / 100)
    due = sale.issued + timedelta(_terms(ledger, sale.customer))
    paid = _paid_on(ledger, sale, due) if sale.status == "paid" else None
    key = ledger.add(
        "invoices",
        client_id=seller.client.client_id,
        customer_id=sale.customer,
        invoice_number=number,
        issued_on=sale.issued,
        due_on=due,
        purchase_order=f"PO {draws.digits(5)}" if draws.chance(0.7) else None,
        subtotal=subtotal,
        sales_tax=total - subtotal,
        total=total,
        paid_on=paid,
        status="open" if sale.status == "paid" and paid is None else sale.status,
    )
    for n, line in enumerate(lines, 1):
        line.add(ledger, key, n)
    if paid:
        method = draws.choice(("deposit", "deposit", "ach"))
        seller.client.movements.append(Movement(paid, total, method, "1010", number, sale.customer))


def _paid_on(ledger: Ledger, sale: _Sale, due: date) -> date | None:
    """The day when an invoice was paid; None if it is unpaid."""
    draws = ledger.draws
    if sale.overdue is None:
        paid = draws.day(sale.issued + timedelta(5), due + timedelta(10))
        return paid if paid <= ledger.today else None
    year_end = due + timedelta(sale.overdue)
    paid = draws.day(year_end + timedelta(3), year_end + timedelta(80))
    return None if draws.chance(0.3) else paid


@dataclass(frozen=True)
class _Line:
    article: _Article | None
    description: str
    quantity: int
    price: Decimal

    @property
    def amount(self) -> Decimal:
        return self.quantity * self.price

    def add(self, ledger: Ledger, invoice: int, number: int) -> None:
        ledger.add(
            "invoice_lines",
            invoice_id=invoice,
            line_number=number,
            inventory_item_id=self.article.key if self.article else None,
            description=self.description,
            quantity=self.quantity,
            unit_price=self.price,
            amount=self.amount,
            taxable="yes" if self.article else "no",
        )


def _lines(ledger: Ledger, seller: _Seller) -> list[_Line]:
    draws = ledger.draws
    goods = draws.sample(seller.articles, draws.between(1, 3))
    lines = [_Line(a, a.goods.description, draws.between(2, 30), a.price) for a in goods]
    if draws.chance(0.3):
        service = draws.choice(seller.client.activity.services)
        lines.append(_Line(None, service, draws.between(1, 4), draws.money((60, 260))))
    return lines
