"""Rows of what clients own and owe: properties, fixed assets, loans."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from .choice_lists import AssetClass, AssetItem, Flow, LoanKind, practice_codes
from .ledger import Client, Ledger, Value, months_after, to_cents

_HOMES = ("single_family", "multi_family", "vacation_rental", "mixed_use", "commercial")


def add_properties(ledger: Ledger, client: Client) -> list[int]:
    """Properties and their items; those that can be mortgaged."""
    draws = ledger.draws
    count = 3 if client.full else 1
    bought = draws.days(date(ledger.years[0] - 9, 1, 10), date(ledger.years[0] - 1, 11, 20), count + 2)
    kinds = draws.sample(_HOMES, count)
    order = draws.sample(range(count + 2), count + 2)
    rented = [_property(ledger, client, kind, bought[n], "rented") for kind, n in zip(kinds, order, strict=False)]
    _property(ledger, client, draws.choice(_HOMES), bought[order[-2]], "sold")
    if client.full:
        _property(ledger, client, "land", bought[order[-1]], "vacant")
    for key in rented:
        for year in ledger.active_years(client):
            _add_year(ledger, client, key, year)
    return rented


def _property(ledger: Ledger, client: Client, kind: str, bought: date, status: str) -> int:
    draws = ledger.draws
    price = draws.round_money((90000, 640000), 500)
    sold = draws.day(date(ledger.years[0] - 1, 11, 25), date(ledger.years[0] - 1, 12, 31)) if status == "sold" else None
    units = {"multi_family": draws.between(3, 8), "mixed_use": draws.between(2, 5), "land": 0}
    return ledger.add(
        "properties",
        client_id=client.client_id,
        address_id=ledger.address(client.state, unit=0),
        property_type=kind,
        units=units.get(kind, 1),
        square_feet=draws.between(90, 620) * 10,
        parcel_number=f"{draws.digits(3)}-{draws.digits(2)}-{draws.digits(4)}",
        acquired_on=bought,
        purchase_price=price,
        land_value=draws.round_money((float(price) * 0.15, float(price) * 0.35), 500),
        sold_on=sold,
        sale_price=draws.round_money((float(price), float(price) * 1.4), 500) if sold else None,
        manager_id=ledger.vendor("property management") if draws.chance(0.6) else None,
        status=status,
    )


def _add_year(ledger: Ledger, client: Client, key: int, year: int) -> None:
    draws = ledger.draws
    holiday = ledger.row("properties", key)["property_type"] == "vacation_rental"
    personal = draws.between(5, 14) if holiday else 0
    ledger.add(
        "property_years",
        property_id=key,
        tax_year=year,
        days_rented=draws.between(180, 300) if holiday else draws.between(320, 365),
        days_personal=personal,
        assessed_value=draws.round_money((80000, 520000), 500),
    )
    rent = draws.round_money((900, 3900), 25)
    for month in range(1, client.times(12, year) + 1):
        paid = rent - (draws.money((0, 90)) if draws.chance(0.2) else 0)
        _item(ledger, key, "R10", date(year, month, draws.between(1, 9)), paid, None)
    for flow in draws.lists.rentals:
        if draws.chance(flow.chance):
            _add_flow(ledger, client, key, flow, year)


def _add_flow(ledger: Ledger, client: Client, key: int, flow: Flow, year: int) -> None:
    draws = ledger.draws
    vendor = ledger.vendor(flow.trade) if flow.trade else None
    for _ in range(client.times(draws.between(*flow.times), year)):
        day, amount = draws.day(date(year, 1, 3), date(year, 12, 28)), draws.money(flow.amount)
        _item(ledger, key, flow.item_code, day, amount, vendor)
        if draws.chance(0.05):
            _item(ledger, key, flow.item_code, day, amount, vendor, draws.choice(("void", "duplicate")))


def _item(
    ledger: Ledger, key: int, code: str, day: date, amount: Decimal, vendor: int | None, status: str = "posted"
) -> None:
    name = practice_codes().items()[code]
    ledger.add(
        "property_items",
        property_id=key,
        item_code=code,
        item_date=day,
        amount=amount,
        description=f"{name}: {ledger.vendor_names[vendor]}" if vendor else name,
        vendor_id=vendor,
        status=status,
    )


@dataclass(frozen=True)
class _Asset:
    """What depreciation is reckoned from; ``bought`` and ``gone`` are days."""

    key: int
    cost: Decimal
    salvage: Decimal
    life: int
    doubled: bool
    bought: date
    gone: date | None

    def amounts(self, last_year: int) -> dict[int, Decimal]:
        """Depreciation by year: by months of use, the first one and the last one in full."""
        amounts: dict[int, Decimal] = {}
        left = self.cost - self.salvage
        for year in range(self.bought.year, min(last_year, self.gone.year if self.gone else last_year) + 1):
            amount = min(to_cents(self._whole_year(left) * self._months(year) / 12), left)
            left -= amount
            if amount:
                amounts[year] = amount
        return amounts

    def _whole_year(self, left: Decimal) -> Decimal:
        return (left + self.salvage) * 2 / self.life if self.doubled else (self.cost - self.salvage) / self.life

    def _months(self, year: int) -> int:
        first = self.bought.month if year == self.bought.year else 1
        last = self.gone.month if self.gone and year == self.gone.year else 12
        return last - first + 1


def add_assets(ledger: Ledger, client: Client) -> None:
    """Fixed assets: some in use all the year, some new in it, one sold in it and one before."""
    draws, year = ledger.draws, client.case_year
    if not client.full:
        _asset(ledger, client, draws.choice(draws.lists.assets), date(year - 1, 3, draws.between(1, 28)), None)
        return
    classes = [*draws.lists.assets, *draws.sample(draws.lists.assets, 3)]
    old = draws.days(date(year - 3, 1, 4), date(year - 1, 12, 20), len(classes))
    for asset_class, day in zip(classes, draws.sample(old, len(old)), strict=True):
        _asset(ledger, client, asset_class, day, None)
    new = draws.days(date(year, 1, 10), date(year, 11, 28), draws.between(2, 3))
    keys = [_asset(ledger, client, draws.choice(draws.lists.assets), day, None) for day in new]
    client.subjects["asset_id"] = draws.choice(keys)
    for bought, gone in ((date(year - 5, 1, 1), year), (date(year - 6, 1, 1), year - 2)):
        sold = draws.day(date(gone, 2, 1), date(gone, 10, 30))
        _asset(ledger, client, draws.choice(draws.lists.assets), draws.day(bought, bought.replace(month=12)), sold)


def _asset(ledger: Ledger, client: Client, group: AssetClass, bought: date, gone: date | None) -> int:
    draws = ledger.draws
    item: AssetItem = draws.choice(group.items)
    cost = draws.money(item.cost)
    salvage = to_cents(cost * draws.between(0, 2) / 20)
    doubled = draws.chance(0.4)
    key = ledger.add(
        "assets",
        client_id=client.client_id,
        asset_tag=f"FA-{draws.digits(4)}",
        description=item.description,
        asset_class=group.asset_class,
        serial_number=f"SN{draws.digits(7)}" if group.asset_class != "improvements" else None,
        vendor_id=ledger.vendor("equipment"),
        placed_in_service_on=bought,
        cost=cost,
        salvage_value=salvage,
        life_years=group.life,
        method="double_declining" if doubled else "straight_line",
        disposed_on=gone,
        disposal_proceeds=draws.money((float(cost) * 0.05, float(cost) * 0.4)) if gone else None,
    )
    _add_depreciation(ledger, _Asset(key, cost, salvage, group.life, doubled, bought, gone))
    return key


def _add_depreciation(ledger: Ledger, asset: _Asset) -> None:
    total = Decimal("0.00")
    for year, amount in asset.amounts(ledger.years[-1]).items():
        total += amount
        if year in ledger.years:
            ledger.add(
                "depreciation",
                asset_id=asset.key,
                tax_year=year,
                amount=amount,
                accumulated=total,
                book_value=asset.cost - total,
            )


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
    """Loans of a client.

    Args:
        ledger: where they are added.
        client: who owes them.
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
    """The mortgage that was closed in the year of the case."""
    opened = ledger.draws.day(date(client.case_year, 2, 3), date(client.case_year, 9, 25))
    refinance = mortgage.model_copy(update={"purpose": "Refinance of rental property"})
    loan = _add_active(ledger, client, refinance, opened, property_id)
    _add_fees(ledger, loan, opened)
    client.subjects |= {"loan_id": loan.key, "property_id": property_id}


def _add_ended(ledger: Ledger, client: Client, kinds: list[LoanKind]) -> None:
    """One that was paid off before the books begin, and one that was never given."""
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
    """The monthly payment that pays a loan back."""
    rate = percent / 1200
    return to_cents(amount * rate / (1 - (1 + rate) ** -months))


def _add_payments(ledger: Ledger, client: Client, loan: _Loan) -> None:
    """Payments from the first of the client's books on, and the next one."""
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
            **_thing(ledger, "receivables" if property_id and n else kind, property_id),
        )


def _thing(ledger: Ledger, kind: str, property_id: int | None) -> dict[str, Value]:
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
    """What was paid at a closing, what had been estimated, and one entry that was struck."""
    draws = ledger.draws
    spared = draws.sample([fee for fee in draws.lists.fees if not fee.always], draws.between(0, 5))
    fees = [fee for fee in draws.lists.fees if fee not in spared]
    struck = draws.choice(fees).fee_type
    providers: dict[str, list[int]] = {}
    for fee in fees:
        left = providers.setdefault(fee.trade, draws.sample(ledger.vendors[fee.trade], 9))
        provider = loan.lender if fee.trade == "lender" else left.pop()
        amount, estimate = draws.money(fee.amount), draws.round_money((fee.amount[0], fee.amount[1] + 5), 5)
        entered = closed - timedelta(draws.between(12, 30))
        if estimate != amount:
            other = loan.lender if fee.trade == "lender" else ledger.vendor(fee.trade)
            _fee(ledger, loan.key, fee.fee_type, other, estimate, entered, "estimate")
        if fee.fee_type == struck:
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
