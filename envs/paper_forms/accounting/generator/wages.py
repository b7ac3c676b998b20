"""Generate payrolls, and the tax payments and filings that follow from them and from invoices."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal
from typing import NamedTuple

from .choice_lists import ListItem
from .ledger import ZERO, Books, Movement, Row, end_of_month, months_after, to_cents

_ITEM_CODES = {"payroll_deposit": "7020", "unemployment": "7025", "income_estimate": "7030", "sales_tax": "7040"}
"""The item code of each kind of tax in the bank account."""


class _Worker(NamedTuple):
    """An employee; ``tax``, ``state_tax`` and ``retirement`` are shares of gross pay."""

    key: int
    hired: date
    left: date | None
    job: ListItem
    rate: Decimal
    tax: Decimal
    state_tax: Decimal
    retirement: Decimal
    health: Decimal

    def days(self, start: date, end: date) -> int:
        """The days of employment between two days, both included."""
        return max((min(end, self.left or end) - max(start, self.hired)).days + 1, 0)


class _Payroll(NamedTuple):
    """The totals of one month: wages, what employees get, and taxes withheld with the employer's share."""

    pay_date: date
    gross: Decimal
    net: Decimal
    deposit: Decimal


class Wages(Books):
    """The employees, payrolls, taxes and filings of a client."""

    def write(self) -> None:
        """Add all of them."""
        workers = self._workers()
        for year in self.book_years:
            payrolls = [self._run(workers, date(year, month, 1)) for month in range(1, 13)]
            for payroll in payrolls:
                self.client.movements.append(Movement(payroll.pay_date, -payroll.net, "ach", "7010", "Payroll"))
            self._taxes(year, payrolls)
            self._filings(year)
        self._run(workers, date(self.year, self.draws.between(2, 11), 1), "void")
        self._reject_one()

    def _workers(self) -> list[_Worker]:
        """Add employees; the first ones stay throughout the year of the case."""
        draws, year = self.draws, self.year
        before = draws.days(date(self.ledger.years[0] - 8, 1, 1), date(year - 1, 6, 30), 9)
        jobs = draws.sample(self.lists.jobs, 9)
        if not self.client.full:
            return [self._worker(jobs[n], before[n]) for n in range(2)]
        stays = [self._worker(jobs[n], before[n + 2]) for n in range(draws.between(5, 6))]
        self.client.subjects["employee_id"] = draws.choice(stays).key
        left = draws.day(date(year, 3, 10), date(year, 10, 20))
        gone = draws.day(before[1] + timedelta(30), date(year - 1, 12, 15))
        hired = draws.day(date(year, 2, 5), date(year, 9, 25))
        changes = ((jobs[6], before[0], left), (jobs[7], before[1], gone), (jobs[8], hired, None))
        return [*stays, *(self._worker(*change) for change in changes)]

    def _worker(self, job: ListItem, hired: date, left: date | None = None) -> _Worker:
        draws = self.draws
        dependents = draws.between(0, 3)
        rate = draws.round_money(job.pay, 500) if job.pay_basis == "salary" else draws.money(job.pay)
        post = {"job_title": job.job_title, "department": job.department, "pay_basis": job.pay_basis}
        terms = {"hired_on": hired, "terminated_on": left, "pay_rate": rate, "dependents": dependents}
        key = self.add("employees", **draws.named(), **post, **terms)
        tax, state_tax, retirement = (
            Decimal(draws.between(*per_mille)) / 1000 for per_mille in ((90 - 10 * dependents, 150), (0, 50), (0, 60))
        )
        return _Worker(key, hired, left, job, rate, tax, state_tax, retirement, health=draws.money((20, 180)))

    def _run(self, workers: list[_Worker], start: date, status: str = "posted") -> _Payroll:
        end = end_of_month(start)
        pay_date = end - timedelta(self.draws.between(0, 3))
        run = self.add("payroll_runs", period_start=start, period_end=end, pay_date=pay_date, status=status)
        slips = [self._slip(run, worker, start, end) for worker in workers if worker.days(start, end)]
        gross, net, deposit = (sum(amounts, ZERO) for amounts in zip(*slips, strict=True))
        return _Payroll(pay_date, gross, net, deposit)

    def _slip(self, run: int, worker: _Worker, start: date, end: date) -> tuple[Decimal, Decimal, Decimal]:
        """Add a slip; return gross pay, net pay, and the employer's deposit for it."""
        part = Decimal(worker.days(start, end)) / ((end - start).days + 1)
        hours = max(int(self.draws.between(150, 176) * part), 1)
        gross = to_cents(hours * worker.rate if worker.job.pay_basis == "hourly" else worker.rate / 12 * part)
        withheld = {
            "federal_tax": to_cents(gross * worker.tax),
            "social_security": to_cents(gross * Decimal("0.062")),
            "medicare": to_cents(gross * Decimal("0.0145")),
            "state_tax": to_cents(gross * worker.state_tax),
            "retirement": to_cents(gross * worker.retirement),
            "health_premium": min(worker.health, to_cents(gross / 10)),
        }
        net = gross - sum(withheld.values())
        slip = {"payroll_run_id": run, "employee_id": worker.key, "hours": hours, "gross_pay": gross, "net_pay": net}
        self.add("pay_slips", **slip, **withheld)
        return gross, net, withheld["federal_tax"] + 2 * (withheld["social_security"] + withheld["medicare"])

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
        words = kind.replace("_", " ").capitalize()
        self.client.movements.append(Movement(paid, -amount, "ach", _ITEM_CODES[kind], words))

    def _reject_one(self) -> None:
        """Add a payment of the year that the bank rejected before it went through."""
        own: Row = {"client_id": self.client.client_id, "tax_year": self.year, "status": "paid"}
        row = self.draws.choice(self.ledger.rows_of("tax_payments", **own))
        assert isinstance(row["paid_on"], date)
        refused = {"paid_on": row["paid_on"] - timedelta(4), "confirmation_number": None, "status": "rejected"}
        self.ledger.add("tax_payments", **row | refused)

    def _sales_tax(self, year: int, quarter: int) -> Decimal:
        start = date(year, quarter * 3 - 2, 1)
        end, total = end_of_month(months_after(start, 2)), ZERO
        for row in self.ledger.rows_of("invoices", client_id=self.client.client_id):
            issued, tax = row["issued_on"], row["sales_tax"]
            assert isinstance(issued, date)
            assert isinstance(tax, Decimal)
            total += tax if row["status"] in ("paid", "open") and start <= issued <= end else 0
        return total

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
