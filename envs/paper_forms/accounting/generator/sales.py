"""Rows of goods and sales: inventory, counts, invoices and their lines."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .draws import to_cents
from .ledger import Client, Movement, World
from .lists import Goods

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
    """What the invoices of one client have in common."""

    client: Client
    customers: list[int]
    articles: list[_Article]
    tax_percent: Decimal


def add_sales(world: World, client: Client, customers: list[int]) -> None:
    """Inventory and invoices of a client."""
    articles = _add_inventory(world, client)
    seller = _Seller(client, customers, articles, Decimal(world.draws.one(_SALES_TAX)))
    number = world.draws.whole(1200, 8800)
    for year in world.active_years(client):
        for sale in _schedule(world, seller, year):
            number += 1
            _add_invoice(world, seller, sale, f"INV-{number}")


def _add_inventory(world: World, client: Client) -> list[_Article]:
    draws = world.draws
    goods = draws.some(client.activity.goods, draws.whole(9, 10) if client.full else 4)
    articles = [_article(world, client, item) for item in goods]
    # One more that was given up; it is in no count of the year of the case.
    _article(world, client, draws.one(client.activity.goods), gone=date(client.case_year - 1, 6, 30))
    keeper = " ".join(draws.person())
    for article in articles:
        for year in (world.years[0] - 1, *world.years):
            _count(world, article, date(year, 12, 31), keeper)
        _count(world, article, date(client.case_year, 6, 30), keeper)
    _count(world, articles[0], date(client.case_year, 12, 31), keeper, "superseded")
    return articles


def _article(world: World, client: Client, goods: Goods, gone: date | None = None) -> _Article:
    draws = world.draws
    cost = draws.money(goods.cost)
    price = to_cents(cost * draws.whole(135, 190) / 100)
    key = world.add(
        "inventory_items",
        client_id=client.client_id,
        sku=f"{goods.category[:2].upper()}-{draws.digits(5)}",
        description=f"{goods.description} (old)" if gone else goods.description,
        category=goods.category,
        unit=goods.unit,
        unit_cost=cost,
        unit_price=price,
        reorder_level=draws.whole(2, 12) * 5,
        discontinued_on=gone,
    )
    return _Article(key, goods, price)


def _count(world: World, article: _Article, day: date, keeper: str, status: str = "final") -> None:
    draws = world.draws
    world.add(
        "inventory_counts",
        inventory_item_id=article.key,
        counted_on=day,
        quantity=draws.whole(8, 240),
        unit_cost=draws.money(article.goods.cost),
        location=draws.one(draws.lists.warehouses),
        counted_by=keeper,
        status=status,
    )


@dataclass(frozen=True)
class _Sale:
    """An invoice to be written.

    Attributes:
        issued: its day.
        customer: whom it goes to.
        status: what becomes of it.
        overdue: if it is unpaid at the end of the year, how many days it is due then; below 0 if it is not yet.
    """

    issued: date
    customer: int
    status: str = "paid"
    overdue: int | None = None


def _schedule(world: World, seller: _Seller, year: int) -> list[_Sale]:
    """The invoices of a year, by day."""
    draws, client = world.draws, seller.client
    busy = client.full and year == client.case_year
    count = _SALES if busy else 8 if client.full else 4
    # Spread evenly: some in each part of the year.
    starts = [date(year, 1, 1) + timedelta(345 * n // count) for n in range(count)]
    days = [draws.day(start, start + timedelta(345 // count)) for start in starts]
    # Customers take turns, so that each quarter has both taxed and exempt sales, of which none is struck.
    turns = [seller.customers[n % len(seller.customers)] for n in range(count)]
    taxed = [n for n, key in enumerate(turns) if world.row("customers", key)["tax_exempt"] == "no"]
    struck = dict(zip(draws.some(taxed, 4), ("void", "void", "void", "draft"), strict=False)) if busy else {}
    sales = [_Sale(day, turn, struck.get(n, "paid")) for n, (day, turn) in enumerate(zip(days, turns, strict=True))]
    if busy:
        sales += [_unpaid(world, seller, date(year, 12, 31), overdue) for overdue in _OVERDUE]
    return sorted(sales, key=lambda sale: sale.issued)


def _unpaid(world: World, seller: _Seller, year_end: date, overdue: int) -> _Sale:
    customer = world.draws.one(seller.customers)
    return _Sale(year_end - timedelta(overdue + _terms(world, customer)), customer, "paid", overdue)


def _terms(world: World, customer: int) -> int:
    return int(str(world.row("customers", customer)["terms_days"]))


def _add_invoice(world: World, seller: _Seller, sale: _Sale, number: str) -> None:
    draws = world.draws
    lines = _lines(world, seller)
    exempt = world.row("customers", sale.customer)["tax_exempt"] == "yes"
    subtotal = sum((line.amount for line in lines), _ZERO)
    taxable = sum((line.amount for line in lines if line.article and not exempt), _ZERO)
    total = subtotal + to_cents(taxable * seller.tax_percent / 100)
    due = sale.issued + timedelta(_terms(world, sale.customer))
    paid = _paid_on(world, sale, due) if sale.status == "paid" else None
    key = world.add(
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
        line.add(world, key, n)
    if paid:
        method = draws.one(("deposit", "deposit", "ach"))
        seller.client.movements.append(Movement(paid, total, method, "1010", number, sale.customer))


def _paid_on(world: World, sale: _Sale, due: date) -> date | None:
    """When an invoice was paid; None if it is not yet."""
    draws = world.draws
    if sale.overdue is None:
        paid = draws.day(sale.issued + timedelta(5), due + timedelta(10))
        return paid if paid <= world.today else None
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

    def add(self, world: World, invoice: int, number: int) -> None:
        world.add(
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


def _lines(world: World, seller: _Seller) -> list[_Line]:
    draws = world.draws
    goods = draws.some(seller.articles, draws.whole(1, 3))
    lines = [_Line(a, a.goods.description, draws.whole(2, 30), a.price) for a in goods]
    if draws.chance(0.3):
        service = draws.one(seller.client.activity.services)
        lines.append(_Line(None, service, draws.whole(1, 4), draws.money((60, 260))))
    return lines
