"""Generate clients' loans with their payments, collateral and fees."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .choice_lists import LoanKind
from .ledger import Client, Ledger, Value, months_after, to_cents

_ZERO = Decimal("0.00")


@dataclass(frozen=True)
class _Loan:
    key: int
    lender: int
    kind: LoanKind
    amount: Decimal
    percent: Decimal
    months: int
    payment: Decimal
    first_due: date


def add_loans(ledger: Ledger, client: Client, properties: list[int]) -> None:
    """Add the loans of a client.

    Args:
        ledger: the ledger to add rows to.
        client: the borrower.
        properties: those that can be mortgaged; the first two are.
    """
    draws, year = ledger.draws, client.case_year
    mortgage, *others = draws.lists.loans
    kinds = [mortgage, *others[:3], *(others[3:] if draws.chance(0.5) else [])] if client.full else others[:1]
    opened = draws.sample(draws.days(date(year - 3, 1, 5), date(year - 1, 10, 12), len(kinds)), len(kinds))
    for kind, day in zip(kinds, opened, strict=True):
        loan = _add_active(ledger, client, kind, day, properties[0] if kind is mortgage else None)
        if kind is mortgage:
            _add_fees(ledger, loan, day)
    if client.full:
        _add_subject(ledger, client, mortgage, properties[1])
        _add_ended(ledger, client, others)


def _add_subject(ledger: Ledger, client: Client, mortgage: LoanKind, property_id: int) -> None:
    """Add the mortgage that is closed in the year of the case."""
    opened = ledger.draws.day(date(client.case_year, 2, 3), date(client.case_year, 9, 25))
    refinance = mortgage.model_copy(update={"purpose": "Refinance of rental property"})
    loan = _add_active(ledger, client, refinance, opened, property_id)
    _add_fees(ledger, loan, opened)
    client.subjects |= {"loan_id": loan.key, "property_id": property_id}


def _add_ended(ledger: Ledger, client: Client, kinds: list[LoanKind]) -> None:
    """Add a loan that is paid off before the books begin, and a declined one."""
    draws = ledger.draws
    kind = draws.choice(kinds[:3])
    long_ago = draws.day(date(ledger.years[0] - 13, 1, 5), date(ledger.years[0] - 11, 12, 20))
    _add_loan(ledger, client, kind, long_ago, None, "paid_off")
    applied = draws.day(date(client.case_year, 1, 5), date(client.case_year, 11, 20))
    declined = _add_loan(ledger, client, draws.choice(kinds), applied, None, "declined")
    for fee in draws.lists.fees[:2]:
        amount = draws.money(fee.amount)
        _fee(ledger, declined.key, fee.fee_type, declined.lender, amount, applied - timedelta(9), "estimate")


def _add_active(ledger: Ledger, client: Client, kind: LoanKind, opened: date, property_id: int | None) -> _Loan:
    loan = _add_loan(ledger, client, kind, opened, property_id, "active")
    _add_payments(ledger, client, loan)
    _add_collateral(ledger, loan, opened, property_id)
    return loan


def _add_loan(
    ledger: Ledger, client: Client, kind: LoanKind, opened: date, property_id: int | None, status: str
) -> _Loan:
    draws = ledger.draws
    lender = ledger.vendor("lender")
    amount = draws.round_money(kind.amount, 500)
    percent = Decimal(draws.between(round(kind.rate[0] * 8), round(kind.rate[1] * 8))) / 8
    months = draws.choice(kind.months)
    first_due = months_after(opened.replace(day=draws.between(1, 12)), 1 if status == "paid_off" else 2)
    payment = _payment(amount, percent, months)
    key = ledger.add(
        "loans",
        client_id=client.client_id,
        loan_number=f"{draws.digits(4)}-{draws.digits(6)}",
        lender_id=lender,
        loan_type=kind.loan_type,
        purpose=kind.purpose,
        property_id=property_id,
        original_amount=amount,
        interest_rate=percent,
        rate_type=draws.choice(("fixed", "fixed", "variable")),
        term_months=months,
        opened_on=opened,
        first_payment_on=first_due,
        matures_on=months_after(first_due, months - 1),
        monthly_payment=payment,
        officer_name=" ".join(draws.person()),
        status=status,
    )
    return _Loan(key, lender, kind, amount, percent, months, payment, first_due)


def _payment(amount: Decimal, percent: Decimal, months: int) -> Decimal:
    """The monthly payment that pays back a loan."""
    rate = percent / 1200
    return to_cents(amount * rate / (1 - (1 + rate) ** -months))


def _add_payments(ledger: Ledger, client: Client, loan: _Loan) -> None:
    """Add the payments since the client's books begin, and the next one."""
    draws, balance = ledger.draws, loan.amount
    first = date(ledger.book_years(client)[0], 1, 1)
    reversed_month = draws.between(3, 11)
    for month in range(loan.months):
        due = months_after(loan.first_due, month)
        interest = to_cents(balance * loan.percent / 1200)
        principal = min(loan.payment - interest, balance)
        balance -= principal
        if due > ledger.last_day:
            _loan_payment(ledger, loan, due, None, principal, interest, balance, "scheduled")
            return
        if due < first:
            continue
        if client.full and due.year == client.case_year and due.month == reversed_month:
            _loan_payment(ledger, loan, due, due, principal, interest, balance, "reversed")
        late = draws.chance(0.06)
        paid = due + timedelta(draws.between(11, 15) if late else draws.between(0, 4))
        fee = to_cents(loan.payment / 20) if late else _ZERO
        _loan_payment(ledger, loan, due, paid, principal, interest, balance, "paid", fee)


def _loan_payment(
    ledger: Ledger,
    loan: _Loan,
    due: date,
    paid: date | None,
    principal: Decimal,
    interest: Decimal,
    balance: Decimal,
    status: str,
    late_fee: Decimal = _ZERO,
) -> None:
    ledger.add(
        "loan_payments",
        loan_id=loan.key,
        due_on=due,
        paid_on=paid,
        principal=principal,
        interest=interest,
        late_fee=late_fee,
        balance_after=balance,
        status=status,
    )


def _add_collateral(ledger: Ledger, loan: _Loan, opened: date, property_id: int | None) -> None:
    draws, kind = ledger.draws, loan.kind.collateral
    held = 2 if draws.chance(0.3) else 1
    for n in range(held + draws.chance(0.3)):
        released = draws.day(opened + timedelta(60), opened + timedelta(400)) if n == held else None
        ledger.add(
            "collateral",
            loan_id=loan.key,
            value=draws.round_money((float(loan.amount) * 0.4, float(loan.amount) * 1.5), 500),
            valued_on=opened - timedelta(draws.between(8, 60)),
            lien_position=n + 1,
            released_on=released,
            **_collateral_item(ledger, "receivables" if property_id and n else kind, property_id),
        )


def _collateral_item(ledger: Ledger, kind: str, property_id: int | None) -> dict[str, Value]:
    draws = ledger.draws
    if kind == "real_estate" and property_id:
        row = ledger.row("properties", property_id)
        address = ledger.row("addresses", int(str(row["address_id"])))
        words = f"Land and buildings at {address['street']}, {address['city']}"
        return {"collateral_type": kind, "description": words, "serial_number": row["parcel_number"]}
    number = f"{draws.choice('ABCDEFGHKLMNPRSTVWXYZ')}{draws.digits(9)}" if kind in ("equipment", "vehicle") else None
    words = draws.choice(draws.lists.collateral[kind])
    return {"collateral_type": kind, "description": words, "serial_number": number}


def _add_fees(ledger: Ledger, loan: _Loan, closed: date) -> None:
    """Add the fees of a closing, their estimates, and one void entry."""
    draws = ledger.draws
    omitted = draws.sample([fee for fee in draws.lists.fees if not fee.always], draws.between(0, 5))
    fees = [fee for fee in draws.lists.fees if fee not in omitted]
    voided = draws.choice(fees).fee_type
    providers: dict[str, list[int]] = {}
    for fee in fees:
        left = providers.setdefault(fee.trade, draws.sample(ledger.vendors[fee.trade], 9))
        provider = loan.lender if fee.trade == "lender" else left.pop()
        amount, estimate = draws.money(fee.amount), draws.round_money((fee.amount[0], fee.amount[1] + 5), 5)
        entered = closed - timedelta(draws.between(12, 30))
        if estimate != amount:
            other = loan.lender if fee.trade == "lender" else ledger.vendor(fee.trade)
            _fee(ledger, loan.key, fee.fee_type, other, estimate, entered, "estimate")
        if fee.fee_type == voided:
            _fee(ledger, loan.key, fee.fee_type, provider, amount + 10, closed - timedelta(2), "void")
        _fee(ledger, loan.key, fee.fee_type, provider, amount, closed, "final")


def _fee(ledger: Ledger, loan: int, fee_type: str, provider: int, amount: Decimal, entered: date, status: str) -> None:
    draws = ledger.draws
    ledger.add(
        "loan_fees",
        loan_id=loan,
        fee_type=fee_type,
        provider_id=provider,
        amount=amount,
        paid_by=draws.choice(("borrower", "borrower", "borrower", "seller", "lender")),
        at_closing="yes" if draws.chance(0.8) else "no",
        entered_on=entered,
        status=status,
    )
