"""Generate payrolls, and the tax payments and filings that follow from them and from invoices."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from .ledger import ZERO, Books, Row, end_of_month, months_after, to_cents

_ITEM_CODES = {"payroll_deposit": "7020", "unemployment": "7025", "income_estimate": "7030", "sales_tax": "7040"}
"""The item code of each kind of tax in the bank account."""


class _Payroll(NamedTuple):
    """The totals of one month: wages, and taxes withheld with the employer's share."""

    gross: Decimal
    deposit: Decimal


class Wages(Books):
    """The employees, payrolls, taxes and filings of a client."""

    def write(self) -> None:
        """Add all of them."""
        workers = self._workers()
        for year in self.book_years:
            self._taxes(year, [self._run(workers, date(year, month, 1)) for month in range(1, 13)])
            self._filings(year)
        self._run(workers, date(self.year, self.draws.between(2, 11), 1), "void")
        self._reject_one()

    def _workers(self) -> list[Row]:
        """Add employees; the first ones stay throughout the year of the case."""
        draws, year = self.draws, self.year
        before = draws.days(date(self.ledger.years[0] - 8, 1, 1), date(year - 1, 6, 30), 9)
        left: list[date | None] = [None] * 9
        count = 2
        if self.client.full:
            count = draws.between(5, 6)
            left[0] = draws.day(date(year, 3, 10), date(year, 10, 20))
            left[1] = draws.day(before[1] + timedelta(30), date(year - 1, 12, 15))
            before[8] = draws.day(date(year, 2, 5), date(year, 9, 25))
        jobs = draws.sample(self.lists.jobs, 9)
        chosen = [*range(2, 2 + count), *((0, 1, 8) if self.client.full else ())]
        workers = [self.add("employees", job=jobs[n], hired_on=before[n], terminated_on=left[n]) for n in chosen]
        self.client.subjects["employee_id"] = draws.choice(workers[:count])["employee_id"]
        return workers

    def _run(self, workers: list[Row], start: date, status: str = "posted") -> _Payroll:
        end = end_of_month(start)
        pay_date = end - timedelta(self.draws.between(0, 3))
        run = self.add("payroll_runs", period_start=start, period_end=end, pay_date=pay_date, status=status)
        slips = []
        for worker in workers:
            last = min(end, worker["terminated_on"] or end)
            days = (last - max(start, worker["hired_on"])).days + 1
            if days > 0:
                part, key = Decimal(days) / ((end - start).days + 1), worker["employee_id"]
                slip = {"payroll_run_id": run["payroll_run_id"], "employee_id": key, "worker": worker, "part": part}
                slips.append(self.add("pay_slips", **slip))
        gross, net, deposit = (
            sum((slip[name] for slip in slips), ZERO) for name in ("gross_pay", "net_pay", "deposit_")
        )
        if status == "posted":
            self.move(pay_date, -net, "ach", "7010", "Payroll")
        return _Payroll(gross, deposit)

    # -- Taxes ---------------------------------------------------------------------------------------------------------

    def _taxes(self, year: int, payrolls: list[_Payroll]) -> None:
        draws = self.draws
        for month, payroll in enumerate(payrolls):
            due = months_after(date(year, 1, 15), month + 1)
            self._pay("payroll_deposit", year, month // 3 + 1, due, payroll.deposit)
        estimate = draws.round_money((900, 5200), 50)
        for quarter in range(1, 5):
            due = months_after(date(year, 1, 28), quarter * 3)
            wages = sum((payroll.gross for payroll in payrolls[quarter * 3 - 3 : quarter * 3]), ZERO)
            self._pay("unemployment", year, quarter, due, to_cents(wages * Decimal("0.006")))
            self._pay("sales_tax", year, quarter, due, self._sales_tax(year, quarter))
            self._pay("income_estimate", year, quarter, due - timedelta(13), estimate + draws.between(0, 9) * 25)

    def _pay(self, kind: str, year: int, quarter: int, due: date, amount: Decimal) -> None:
        paid = due - timedelta(self.draws.between(0, 3))
        tax = {"tax_type": kind, "tax_year": year, "quarter": quarter, "due_on": due, "amount": amount}
        # Taxes of the last quarter may be due after the books end.
        if paid > self.ledger.today or amount <= 0:
            self.add("tax_payments", **tax, status="scheduled")
            return
        self.add("tax_payments", **tax, paid_on=paid, confirmation_number=self.draws.digits(12), status="paid")
        self.move(paid, -amount, "ach", _ITEM_CODES[kind], kind.replace("_", " ").capitalize())

    def _reject_one(self) -> None:
        """Add a payment of the year that the bank rejected before it went through."""
        paid = {"client_id": self.client.client_id, "tax_year": self.year, "status": "paid"}
        row = self.draws.choice(self.ledger.rows_of("tax_payments", **paid))
        day = row["paid_on"] - timedelta(4)
        self.ledger.add("tax_payments", **row | {"paid_on": day, "confirmation_number": None, "status": "rejected"})

    def _sales_tax(self, year: int, quarter: int) -> Decimal:
        start = date(year, quarter * 3 - 2, 1)
        end = end_of_month(months_after(start, 2))
        invoices = self.ledger.rows_of("invoices", client_id=self.client.client_id)
        due = (row for row in invoices if row["status"] in ("paid", "open") and start <= row["issued_on"] <= end)
        return sum((row["sales_tax"] for row in due), ZERO)

    def _filings(self, year: int) -> None:
        returns: list[tuple[str, int | None, date]] = [
            (kind, quarter, end_of_month(months_after(date(year, 1, 1), quarter * 3)))
            for kind in ("payroll_return", "sales_tax_return")
            for quarter in range(1, 5)
        ]
        again = self.draws.choice(returns)
        returns += [("income_return", None, date(year + 1, 3, 15)), ("annual_report", None, date(year + 1, 3, 1))]
        for filing in returns:
            kind, quarter, due = filing
            filed = due - timedelta(self.draws.between(1, 12))
            columns = {"filing_type": kind, "tax_year": year, "quarter": quarter, "due_on": due}
            if filing is again:
                self.add("filings", **columns, filed_on=filed - timedelta(3), status="rejected")
            number = self.draws.digits(10)
            self.add("filings", **columns, filed_on=filed, confirmation_number=number, status="accepted")
