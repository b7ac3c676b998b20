"""Generate properties, fixed assets with their depreciation, and loans with payments, collateral and fees."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from typing import Any, NamedTuple

from .choice_lists import ListItem
from .ledger import ZERO, Books, Row, months_after, to_cents

_HOMES = ("single_family", "multi_family", "vacation_rental", "mixed_use", "commercial")


class Properties(Books):
    """The properties of a client."""

    def write(self) -> list[int]:
        """Add properties and their items; return those that can be mortgaged."""
        draws, start = self.draws, self.ledger.years[0]
        count = 3 if self.client.full else 1
        days = draws.days(date(start - 9, 1, 10), date(start - 1, 11, 20), count + 2)
        bought = draws.shuffled(days)
        rented = [self._property(kind, bought.pop(), "rented") for kind in draws.sample(_HOMES, count)]
        sold = draws.day(date(start - 1, 11, 25), date(start - 1, 12, 31))
        self._property(draws.choice(_HOMES), bought.pop(), "sold", sold)
        if self.client.full:
            self._property("land", bought.pop(), "vacant")
        for key in rented:
            for year in self.active_years:
                self._year(key, year)
        return rented

    def _property(self, kind: str, bought: date, status: str, sold: date | None = None) -> int:
        price = self.draws.round_money((90000, 640000), 500)
        days = {"acquired_on": bought, "sold_on": sold}
        return self.add("properties", property_type=kind, purchase_price=price, status=status, **days)

    def _year(self, key: int, year: int) -> None:
        draws = self.draws
        holiday = self.ledger.row("properties", key)["property_type"] == "vacation_rental"
        self.add("property_years", property_id=key, tax_year=year, holiday=holiday)
        rent = draws.round_money((900, 3900), 25)
        for month in range(1, self.client.times(12, year) + 1):
            paid = rent - (draws.money((0, 90)) if draws.chance(0.2) else 0)
            self._item(key, "R10", date(year, month, draws.between(1, 9)), paid, None)
        for flow in self.lists.rentals:
            vendor = self.ledger.vendor(flow.trade) if flow.trade else None
            times = self.client.times(draws.between(*flow.times), year) if draws.chance(flow.chance) else 0
            for _ in range(times):
                day, amount = draws.day_in(year), draws.money(flow.amount)
                self._item(key, flow.item_code, day, amount, vendor)
                if draws.chance(0.05):
                    self._item(key, flow.item_code, day, amount, vendor, draws.choice(("void", "duplicate")))

    def _item(
        self, key: int, code: str, day: date, amount: Decimal, vendor: int | None, status: str = "posted"
    ) -> None:
        what = {"item_code": code, "description": self.ledger.item(code, vendor), "vendor_id": vendor}
        self.add("property_items", property_id=key, item_date=day, amount=amount, status=status, **what)


@dataclass(frozen=True)
class _Asset:
    """An asset for its depreciation; ``gone`` is the day of disposal."""

    cost: Decimal
    salvage: Decimal
    life: int
    doubled: bool
    bought: date
    gone: date | None

    def amounts(self, last_year: int) -> dict[int, Decimal]:
        """Depreciation by year, by months of use; partial months count in full."""
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


class Assets(Books):
    """The fixed assets of a client."""

    def write(self) -> None:
        """Add fixed assets; a case has old and new ones and two that were sold."""
        draws, year, classes = self.draws, self.year, self.lists.assets
        if not self.client.full:
            self._asset(draws.choice(classes), date(year - 1, 3, draws.between(1, 28)))
            return
        old = [*classes, *draws.sample(classes, 3)]
        days = draws.days(date(year - 3, 1, 4), date(year - 1, 12, 20), len(old))
        for group, day in zip(old, draws.shuffled(days), strict=True):
            self._asset(group, day)
        new = draws.days(date(year, 1, 10), date(year, 11, 28), draws.between(2, 3))
        self.client.subjects["asset_id"] = draws.choice([self._asset(draws.choice(classes), day) for day in new])
        for bought, gone in ((year - 5, year), (year - 6, year - 2)):
            sold = draws.day(date(gone, 2, 1), date(gone, 10, 30))
            self._asset(draws.choice(classes), draws.day(date(bought, 1, 1), date(bought, 12, 1)), sold)

    def _asset(self, group: ListItem, bought: date, gone: date | None = None) -> int:
        item = self.draws.choice(group.items)
        cost = self.draws.money(item.cost)
        salvage = to_cents(cost * self.draws.between(0, 2) / 20)
        asset = _Asset(cost, salvage, group.life, self.draws.chance(0.4), bought, gone)
        key = self.add(
            "assets",
            description=item.description,
            asset_class=group.asset_class,
            placed_in_service_on=bought,
            cost=cost,
            salvage_value=salvage,
            life_years=group.life,
            method="double_declining" if asset.doubled else "straight_line",
            disposed_on=gone,
        )
        total = ZERO
        for year, amount in asset.amounts(self.ledger.years[-1]).items():
            total += amount
            if year in self.ledger.years:
                sums = {"amount": amount, "accumulated": total, "book_value": cost - total}
                self.ledger.add("depreciation", asset_id=key, tax_year=year, **sums)
        return key


class _Loan(NamedTuple):
    key: int
    lender: int
    kind: ListItem
    amount: Decimal
    percent: Decimal
    months: int
    payment: Decimal
    first_due: date


class LoanBooks(Books):
    """The loans of a client."""

    def write(self, properties: list[int]) -> None:
        """Add the loans.

        Args:
            properties: those that can be mortgaged; the first two are.
        """
        draws, year, full = self.draws, self.year, self.client.full
        mortgage, *others = self.lists.loans
        kinds = [mortgage, *others[:3], *(others[3:] if draws.chance(0.5) else [])] if full else others[:1]
        opened = draws.shuffled(draws.days(date(year - 3, 1, 5), date(year - 1, 10, 12), len(kinds)))
        for kind, day in zip(kinds, opened, strict=True):
            loan = self._active(kind, day, properties[0] if kind is mortgage else None)
            if kind is mortgage:
                self._fees(loan, day)
        if full:
            self._subject(mortgage, properties[1])
            self._ended(others)

    def _subject(self, mortgage: ListItem, property_id: int) -> None:
        """Add the mortgage that is closed in the year of the case."""
        opened = self.draws.day(date(self.year, 2, 3), date(self.year, 9, 25))
        refinance = mortgage.model_copy(update={"purpose": "Refinance of rental property"})
        loan = self._active(refinance, opened, property_id)
        self._fees(loan, opened)
        self.client.subjects |= {"loan_id": loan.key, "property_id": property_id}

    def _ended(self, kinds: list[ListItem]) -> None:
        """Add a loan that is paid off before the books begin, and a declined one."""
        draws, start = self.draws, self.ledger.years[0]
        self._loan(
            draws.choice(kinds[:3]), draws.day(date(start - 13, 1, 5), date(start - 11, 12, 20)), None, "paid_off"
        )
        applied = draws.day_in(self.year)
        declined = self._loan(draws.choice(kinds), applied, None, "declined")
        for fee in self.lists.fees[:2]:
            self._fee(declined, fee, declined.lender, draws.money(fee.amount), applied - timedelta(9), "estimate")

    def _active(self, kind: ListItem, opened: date, property_id: int | None) -> _Loan:
        loan = self._loan(kind, opened, property_id, "active")
        self._payments(loan)
        self._collateral(loan, opened, property_id)
        return loan

    def _loan(self, kind: ListItem, opened: date, property_id: int | None, status: str) -> _Loan:
        draws = self.draws
        amount = draws.round_money(kind.amount, 500)
        percent = Decimal(draws.between(round(kind.rate[0] * 8), round(kind.rate[1] * 8))) / 8
        months, rate = draws.choice(kind.months), percent / 1200
        first_due = months_after(opened.replace(day=draws.between(1, 12)), 1 if status == "paid_off" else 2)
        payment = to_cents(amount * rate / (1 - (1 + rate) ** -months))
        lender = self.ledger.vendor("lender")
        key = self.add(
            "loans",
            lender_id=lender,
            loan_type=kind.loan_type,
            purpose=kind.purpose,
            property_id=property_id,
            original_amount=amount,
            interest_rate=percent,
            term_months=months,
            opened_on=opened,
            first_payment_on=first_due,
            matures_on=months_after(first_due, months - 1),
            monthly_payment=payment,
            status=status,
        )
        return _Loan(key, lender, kind, amount, percent, months, payment, first_due)

    def _payments(self, loan: _Loan) -> None:
        """Add the payments since the client's books begin, and the next one."""
        draws, balance = self.draws, loan.amount
        reversed_month = (self.year, draws.between(3, 11)) if self.client.full else None
        for month in range(loan.months):
            due = months_after(loan.first_due, month)
            interest = to_cents(balance * loan.percent / 1200)
            principal = min(loan.payment - interest, balance)
            balance -= principal
            row: dict[str, Any] = {"loan_id": loan.key, "due_on": due, "principal": principal, "interest": interest}
            row |= {"balance_after": balance, "late_fee": ZERO}
            if due > self.ledger.last_day:
                self.add("loan_payments", **row, status="scheduled")
                return
            if due.year < self.book_years[0]:
                continue
            if (due.year, due.month) == reversed_month:
                self.add("loan_payments", **row, paid_on=due, status="reversed")
            paid = due + timedelta(draws.between(0, 4))
            if draws.chance(0.06):
                paid = due + timedelta(draws.between(11, 15))
                row["late_fee"] = to_cents(loan.payment / 20)
            self.add("loan_payments", **row, paid_on=paid, status="paid")

    def _collateral(self, loan: _Loan, opened: date, property_id: int | None) -> None:
        draws = self.draws
        held = 2 if draws.chance(0.3) else 1
        for n in range(held + draws.chance(0.3)):
            self.add(
                "collateral",
                loan_id=loan.key,
                original_amount=loan.amount,
                valued_on=opened - timedelta(draws.between(8, 60)),
                lien_position=n + 1,
                released_on=draws.day(opened + timedelta(60), opened + timedelta(400)) if n == held else None,
                **self._collateral_item("receivables" if property_id and n else loan.kind.collateral, property_id),
            )

    def _collateral_item(self, kind: str, property_id: int | None) -> Row:
        draws = self.draws
        if kind == "real_estate" and property_id:
            row = self.ledger.row("properties", property_id)
            address = self.ledger.row("addresses", row["address_id"])
            words = f"Land and buildings at {address['street']}, {address['city']}"
            return {"collateral_type": kind, "description": words, "serial_number": row["parcel_number"]}
        number = draws.code("?%########") if kind in ("equipment", "vehicle") else None
        words = draws.choice(self.lists.collateral[kind])
        return {"collateral_type": kind, "description": words, "serial_number": number}

    def _fees(self, loan: _Loan, closed: date) -> None:
        """Add the fees of a closing, their estimates, and one void entry."""
        draws, lists = self.draws, self.lists
        omitted = draws.sample([fee for fee in lists.fees if not fee.always], draws.between(0, 5))
        fees = [fee for fee in lists.fees if fee not in omitted]
        voided = draws.choice(fees)
        providers = {fee.trade: draws.shuffled(self.ledger.vendors[fee.trade or ""]) for fee in fees}
        for fee in fees:
            own = fee.trade == "lender"
            provider = loan.lender if own else providers[fee.trade].pop()
            amount, estimate = draws.money(fee.amount), draws.round_money((fee.amount[0], fee.amount[1] + 5), 5)
            if estimate != amount:
                other = loan.lender if own else self.ledger.vendor(fee.trade or "")
                self._fee(loan, fee, other, estimate, closed - timedelta(draws.between(12, 30)), "estimate")
            if fee is voided:
                self._fee(loan, fee, provider, amount + 10, closed - timedelta(2), "void")
            self._fee(loan, fee, provider, amount, closed, "final")

    def _fee(self, loan: _Loan, fee: ListItem, provider: int, amount: Decimal, entered: date, status: str) -> None:
        kind = {"loan_id": loan.key, "fee_type": fee.fee_type, "provider_id": provider}
        self.add("loan_fees", **kind, amount=amount, entered_on=entered, status=status)
