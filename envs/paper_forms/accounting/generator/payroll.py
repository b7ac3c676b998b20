"""Generate employees, payroll runs and pay slips."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .choice_lists import Job
from .ledger import Client, Ledger, Movement, end_of_month, to_cents

_ZERO = Decimal("0.00")


@dataclass(frozen=True)
class _Worker:
    key: int
    hired: date
    left: date | None
    job: Job
    rate: Decimal
    tax: Decimal
    state_tax: Decimal
    retirement: Decimal
    health: Decimal

    def days(self, start: date, end: date) -> int:
        """The days of employment between two days, both included."""
        return max((min(end, self.left or end) - max(start, self.hired)).days + 1, 0)


@dataclass(frozen=True)
class Payroll:
    """The totals of one month's payroll.

    Attributes:
        pay_date: the day of payment.
        gross: wages.
        net: the sum paid to the employees.
        deposit: taxes withheld, and the employer's share.
    """

    pay_date: date
    gross: Decimal
    net: Decimal
    deposit: Decimal


def add_payroll(ledger: Ledger, client: Client) -> dict[int, list[Payroll]]:
    """Add employees and a payroll each month; return the payrolls by year."""
    workers = _add_employees(ledger, client)
    years = {
        year: [_add_run(ledger, client, workers, date(year, month, 1)) for month in range(1, 13)]
        for year in ledger.book_years(client)
    }
    _add_run(ledger, client, workers, date(client.case_year, ledger.draws.between(2, 11), 1), "void")
    for payroll in (payroll for payrolls in years.values() for payroll in payrolls):
        client.movements.append(Movement(payroll.pay_date, -payroll.net, "ach", "7010", "Payroll"))
    return years


def _add_employees(ledger: Ledger, client: Client) -> list[_Worker]:
    """Add employees; the first ones stay throughout the year of the case."""
    draws, year = ledger.draws, client.case_year
    before = draws.days(date(ledger.years[0] - 8, 1, 1), date(year - 1, 6, 30), 9)
    jobs = draws.sample(draws.lists.jobs, 9)
    if not client.full:
        return [_employee(ledger, client, jobs[n], before[n], None) for n in range(2)]
    stays = [_employee(ledger, client, jobs[n], before[n + 2], None) for n in range(draws.between(5, 6))]
    client.subjects["employee_id"] = draws.choice(stays).key
    left = draws.day(date(year, 3, 10), date(year, 10, 20))
    gone = draws.day(before[1] + timedelta(30), date(year - 1, 12, 15))
    hired = draws.day(date(year, 2, 5), date(year, 9, 25))
    return [
        *stays,
        _employee(ledger, client, jobs[6], before[0], left),
        _employee(ledger, client, jobs[7], before[1], gone),
        _employee(ledger, client, jobs[8], hired, None),
    ]


def _employee(ledger: Ledger, client: Client, job: Job, hired: date, left: date | None) -> _Worker:
    draws = ledger.draws
    first, last = draws.person()
    dependents = draws.between(0, 3)
    rate = draws.round_money(job.pay, 500) if job.pay_basis == "salary" else draws.money(job.pay)
    key = ledger.add(
        "employees",
        client_id=client.client_id,
        employee_number=f"E{draws.digits(4)}",
        first_name=first,
        middle_initial=draws.choice("ABCDEFGHJKLMNPRSTW") if draws.chance(0.7) else None,
        last_name=last,
        ssn=draws.ssn(),
        birth_date=draws.day(date(ledger.years[0] - 60, 1, 1), date(ledger.years[0] - 27, 12, 31)),
        address_id=ledger.address(client.state),
        job_title=job.job_title,
        department=job.department,
        hired_on=hired,
        terminated_on=left,
        pay_basis=job.pay_basis,
        pay_rate=rate,
        withholding_status=draws.choice(("single", "married", "head_of_household")),
        dependents=dependents,
    )
    return _Worker(
        key,
        hired,
        left,
        job,
        rate,
        tax=Decimal(draws.between(90 - 10 * dependents, 150)) / 1000,
        state_tax=Decimal(draws.between(0, 50)) / 1000,
        retirement=Decimal(draws.between(0, 60)) / 1000,
        health=draws.money((20, 180)),
    )


def _add_run(ledger: Ledger, client: Client, workers: list[_Worker], start: date, status: str = "posted") -> Payroll:
    end = end_of_month(start)
    pay_date = end - timedelta(ledger.draws.between(0, 3))
    run = ledger.add(
        "payroll_runs",
        client_id=client.client_id,
        period_start=start,
        period_end=end,
        pay_date=pay_date,
        status=status,
    )
    slips = [_slip(ledger, run, worker, start, end) for worker in workers if worker.days(start, end)]
    gross, net, deposit = (sum(amounts, _ZERO) for amounts in zip(*slips, strict=True))
    return Payroll(pay_date, gross, net, deposit)


def _slip(ledger: Ledger, run: int, worker: _Worker, start: date, end: date) -> tuple[Decimal, Decimal, Decimal]:
    """Add a slip; return gross pay, net pay, and the employer's deposit for it."""
    draws = ledger.draws
    part = Decimal(worker.days(start, end)) / ((end - start).days + 1)
    hours = max(int(draws.between(150, 176) * part), 1)
    hourly = worker.job.pay_basis == "hourly"
    gross = to_cents(hours * worker.rate if hourly else worker.rate / 12 * part)
    security, medicare = to_cents(gross * Decimal("0.062")), to_cents(gross * Decimal("0.0145"))
    tax, state_tax = to_cents(gross * worker.tax), to_cents(gross * worker.state_tax)
    retirement = to_cents(gross * worker.retirement)
    health = min(worker.health, to_cents(gross / 10))
    net = gross - security - medicare - tax - state_tax - retirement - health
    ledger.add(
        "pay_slips",
        payroll_run_id=run,
        employee_id=worker.key,
        hours=hours,
        gross_pay=gross,
        federal_tax=tax,
        social_security=security,
        medicare=medicare,
        state_tax=state_tax,
        retirement=retirement,
        health_premium=health,
        net_pay=net,
    )
    return gross, net, tax + 2 * (security + medicare)
