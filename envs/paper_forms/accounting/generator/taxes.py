"""Generate tax payments, which follow from payrolls and invoices, and filings."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from .ledger import Client, Ledger, Movement, end_of_month, months_after, to_cents
from .payroll import Payroll

_ZERO = Decimal("0.00")
_CODES = {"payroll_deposit": "7020", "unemployment": "7025", "income_estimate": "7030", "sales_tax": "7040"}
"""The item code of each kind of tax in the bank account."""


def add_taxes(ledger: Ledger, client: Client, years: dict[int, list[Payroll]]) -> None:
    """Add the tax payments and filings of some years, from their payrolls."""
    for year, payrolls in years.items():
        _add_payments(ledger, client, year, payrolls)
        _add_filings(ledger, client, year)
    _reject_one(ledger, client, client.case_year)


def _add_payments(ledger: Ledger, client: Client, year: int, payrolls: list[Payroll]) -> None:
    draws = ledger.draws
    for month, payroll in enumerate(payrolls):
        due = months_after(date(year, 1, 15), month + 1)
        _pay(ledger, client, "payroll_deposit", year, month // 3 + 1, due, payroll.deposit)
    estimate = draws.round_money((900, 5200), 50)
    for quarter in range(1, 5):
        due = months_after(date(year, 1, 28), quarter * 3)
        wages = sum((p.gross for p in payrolls[quarter * 3 - 3 : quarter * 3]), _ZERO)
        _pay(ledger, client, "unemployment", year, quarter, due, to_cents(wages * Decimal("0.006")))
        _pay(ledger, client, "sales_tax", year, quarter, due, _sales_tax(ledger, client, year, quarter))
        _pay(ledger, client, "income_estimate", year, quarter, due - timedelta(13), estimate + draws.between(0, 9) * 25)


def _pay(ledger: Ledger, client: Client, kind: str, year: int, quarter: int, due: date, amount: Decimal) -> None:
    paid = due - timedelta(ledger.draws.between(0, 3))
    # Taxes of the last quarter may be due after the books end.
    done = paid <= ledger.today and amount > 0
    ledger.add(
        "tax_payments",
        client_id=client.client_id,
        tax_type=kind,
        tax_year=year,
        quarter=quarter,
        due_on=due,
        paid_on=paid if done else None,
        amount=amount,
        confirmation_number=ledger.draws.digits(12) if done else None,
        status="paid" if done else "scheduled",
    )
    if done:
        words = kind.replace("_", " ").capitalize()
        client.movements.append(Movement(paid, -amount, "ach", _CODES[kind], words))


def _reject_one(ledger: Ledger, client: Client, year: int) -> None:
    """Add a payment of the year that the bank rejected before it went through."""
    rows = ledger.tables["tax_payments"]
    own = [r for r in rows if r["client_id"] == client.client_id and r["tax_year"] == year and r["status"] == "paid"]
    row = ledger.draws.choice(own)
    paid = row["paid_on"]
    assert isinstance(paid, date)
    values = {name: value for name, value in row.items() if name != "tax_payment_id"}
    refused = {"paid_on": paid - timedelta(4), "confirmation_number": None, "status": "rejected"}
    ledger.add("tax_payments", **values | refused)


def _sales_tax(ledger: Ledger, client: Client, year: int, quarter: int) -> Decimal:
    start = date(year, quarter * 3 - 2, 1)
    end = end_of_month(months_after(start, 2))
    total = _ZERO
    for row in ledger.tables["invoices"]:
        issued, tax = row["issued_on"], row["sales_tax"]
        assert isinstance(issued, date)
        assert isinstance(tax, Decimal)
        if row["client_id"] == client.client_id and row["status"] in ("paid", "open") and start <= issued <= end:
            total += tax
    return total


def _add_filings(ledger: Ledger, client: Client, year: int) -> None:
    quarters = [(kind, q) for kind in ("payroll_return", "sales_tax_return") for q in range(1, 5)]
    again = ledger.draws.between(0, len(quarters) - 1)
    for n, (kind, quarter) in enumerate(quarters):
        due = end_of_month(months_after(date(year, 1, 1), quarter * 3))
        _file(ledger, client, kind, year, quarter, due, rejected_before=n == again)
    _file(ledger, client, "income_return", year, None, date(year + 1, 3, 15))
    _file(ledger, client, "annual_report", year, None, date(year + 1, 3, 1))


def _file(
    ledger: Ledger, client: Client, kind: str, year: int, quarter: int | None, due: date, rejected_before: bool = False
) -> None:
    draws = ledger.draws
    filed = due - timedelta(draws.between(1, 12))
    tries = [(filed - timedelta(3), None, "rejected")] if rejected_before else []
    for day, number, status in [*tries, (filed, draws.digits(10), "accepted")]:
        ledger.add(
            "filings",
            client_id=client.client_id,
            filing_type=kind,
            tax_year=year,
            quarter=quarter,
            due_on=due,
            filed_on=day,
            confirmation_number=number,
            preparer_id=draws.choice(ledger.preparers),
            status=status,
        )
