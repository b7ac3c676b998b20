"""Rows of loans: their payments, what secures them, and the fees at their closing."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .draws import months_after, to_cents
from .ledger import Client, Value, World
from .lists import LoanKind

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


def add_loans(world: World, client: Client, properties: list[int]) -> None:
    """Loans of a client.

    Args:
        world: where they are added.
        client: who owes them.
        properties: those that can be mortgaged; the first two are.
    """
    draws, year = world.draws, client.case_year
    mortgage, *others = draws.lists.loans
    wanted = [mortgage, *others[:3], *(others[3:] if draws.chance(0.5) else [])] if client.full else others[:1]
    opened = draws.some(draws.days(date(year - 3, 1, 5), date(year - 1, 10, 12), len(wanted)), len(wanted))
    for kind, day in zip(wanted, opened, strict=True):
        loan = _add_active(world, client, kind, day, properties[0] if kind is mortgage else None)
        if kind is mortgage:
            _add_fees(world, loan, day)
    if client.full:
        _add_subject(world, client, mortgage, properties[1])
        _add_ended(world, client, others)


def _add_subject(world: World, client: Client, mortgage: LoanKind, property_id: int) -> None:
    """The mortgage that was closed in the year of the case."""
    opened = world.draws.day(date(client.case_year, 2, 3), date(client.case_year, 9, 25))
    refinance = mortgage.model_copy(update={"purpose": "Refinance of rental property"})
    loan = _add_active(world, client, refinance, opened, property_id)
    _add_fees(world, loan, opened)
    client.subjects |= {"loan_id": loan.key, "property_id": property_id}


def _add_ended(world: World, client: Client, kinds: list[LoanKind]) -> None:
    """One that was paid off before the books begin, and one that was never given."""
    draws = world.draws
    kind = draws.one(kinds[:3])
    long_ago = draws.day(date(world.years[0] - 13, 1, 5), date(world.years[0] - 11, 12, 20))
    _add_loan(world, client, kind, long_ago, None, "paid_off")
    asked = draws.day(date(client.case_year, 1, 5), date(client.case_year, 11, 20))
    declined = _add_loan(world, client, draws.one(kinds), asked, None, "declined")
    for fee in draws.lists.fees[:2]:
        amount = draws.money(fee.amount)
        _fee(world, declined.key, fee.fee_type, declined.lender, amount, asked - timedelta(9), "estimate")


def _add_active(world: World, client: Client, kind: LoanKind, opened: date, property_id: int | None) -> _Loan:
    loan = _add_loan(world, client, kind, opened, property_id, "active")
    _add_payments(world, client, loan)
    _add_collateral(world, loan, opened, property_id)
    return loan


def _add_loan(
    world: World, client: Client, kind: LoanKind, opened: date, property_id: int | None, status: str
) -> _Loan:
    draws = world.draws
    lender = world.vendor("lender")
    amount = draws.round_money(kind.amount, 500)
    percent = Decimal(draws.whole(round(kind.rate[0] * 8), round(kind.rate[1] * 8))) / 8
    months = draws.one(kind.months)
    first_due = months_after(opened.replace(day=draws.whole(1, 12)), 1 if status == "paid_off" else 2)
    payment = _payment(amount, percent, months)
    key = world.add(
        "loans",
        client_id=client.client_id,
        loan_number=f"{draws.digits(4)}-{draws.digits(6)}",
        lender_id=lender,
        loan_type=kind.loan_type,
        purpose=kind.purpose,
        property_id=property_id,
        original_amount=amount,
        interest_rate=percent,
        rate_type=draws.one(("fixed", "fixed", "variable")),
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
    """The monthly payment that pays a loan back."""
    rate = percent / 1200
    return to_cents(amount * rate / (1 - (1 + rate) ** -months))


def _add_payments(world: World, client: Client, loan: _Loan) -> None:
    """Payments from the first of the client's books on, and the next one."""
    draws, balance = world.draws, loan.amount
    first = date(world.book_years(client)[0], 1, 1)
    reversed_month = draws.whole(3, 11)
    for month in range(loan.months):
        due = months_after(loan.first_due, month)
        interest = to_cents(balance * loan.percent / 1200)
        principal = min(loan.payment - interest, balance)
        balance -= principal
        if due > world.last_day:
            _loan_payment(world, loan, due, None, principal, interest, balance, "scheduled")
            return
        if due < first:
            continue
        if client.full and due.year == client.case_year and due.month == reversed_month:
            _loan_payment(world, loan, due, due, principal, interest, balance, "reversed")
        late = draws.chance(0.06)
        paid = due + timedelta(draws.whole(11, 15) if late else draws.whole(0, 4))
        fee = to_cents(loan.payment / 20) if late else _ZERO
        _loan_payment(world, loan, due, paid, principal, interest, balance, "paid", fee)


def _loan_payment(
    world: World,
    loan: _Loan,
    due: date,
    paid: date | None,
    principal: Decimal,
    interest: Decimal,
    balance: Decimal,
    status: str,
    late_fee: Decimal = _ZERO,
) -> None:
    world.add(
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


def _add_collateral(world: World, loan: _Loan, opened: date, property_id: int | None) -> None:
    draws, kind = world.draws, loan.kind.collateral
    held = 2 if draws.chance(0.3) else 1
    for n in range(held + draws.chance(0.3)):
        released = draws.day(opened + timedelta(60), opened + timedelta(400)) if n == held else None
        world.add(
            "collateral",
            loan_id=loan.key,
            value=draws.round_money((float(loan.amount) * 0.4, float(loan.amount) * 1.5), 500),
            valued_on=opened - timedelta(draws.whole(8, 60)),
            lien_position=n + 1,
            released_on=released,
            **_thing(world, "receivables" if property_id and n else kind, property_id),
        )


def _thing(world: World, kind: str, property_id: int | None) -> dict[str, Value]:
    draws = world.draws
    if kind == "real_estate" and property_id:
        row = world.row("properties", property_id)
        address = world.row("addresses", int(str(row["address_id"])))
        words = f"Land and buildings at {address['street']}, {address['city']}"
        return {"collateral_type": kind, "description": words, "serial_number": row["parcel_number"]}
    number = f"{draws.one('ABCDEFGHKLMNPRSTVWXYZ')}{draws.digits(9)}" if kind in ("equipment", "vehicle") else None
    words = draws.one(draws.lists.collateral[kind])
    return {"collateral_type": kind, "description": words, "serial_number": number}


def _add_fees(world: World, loan: _Loan, closed: date) -> None:
    """What was paid at a closing, what had been estimated, and one entry that was struck."""
    draws = world.draws
    spared = draws.some([fee for fee in draws.lists.fees if not fee.always], draws.whole(0, 5))
    fees = [fee for fee in draws.lists.fees if fee not in spared]
    struck = draws.one(fees).fee_type
    providers: dict[str, list[int]] = {}
    for fee in fees:
        left = providers.setdefault(fee.trade, draws.some(world.vendors[fee.trade], 9))
        provider = loan.lender if fee.trade == "lender" else left.pop()
        amount, estimate = draws.money(fee.amount), draws.round_money((fee.amount[0], fee.amount[1] + 5), 5)
        entered = closed - timedelta(draws.whole(12, 30))
        if estimate != amount:
            other = loan.lender if fee.trade == "lender" else world.vendor(fee.trade)
            _fee(world, loan.key, fee.fee_type, other, estimate, entered, "estimate")
        if fee.fee_type == struck:
            _fee(world, loan.key, fee.fee_type, provider, amount + 10, closed - timedelta(2), "void")
        _fee(world, loan.key, fee.fee_type, provider, amount, closed, "final")


def _fee(world: World, loan: int, fee_type: str, provider: int, amount: Decimal, entered: date, status: str) -> None:
    draws = world.draws
    world.add(
        "loan_fees",
        loan_id=loan,
        fee_type=fee_type,
        provider_id=provider,
        amount=amount,
        paid_by=draws.one(("borrower", "borrower", "borrower", "seller", "lender")),
        at_closing="yes" if draws.chance(0.8) else "no",
        entered_on=entered,
        status=status,
    )
