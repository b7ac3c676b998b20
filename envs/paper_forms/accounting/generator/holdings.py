"""Generate properties, fixed assets with their depreciation, and loans with payments, collateral and fees."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date, timedelta
from decimal import Decimal

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
        for home in rented:
            for year in self.active_years:
                self._year(home, year)
        return [home["property_id"] for home in rented]

    def _property(self, kind: str, bought: date, status: str, sold: date | None = None) -> Row:
        return self.add("properties", property_type=kind, acquired_on=bought, status=status, sold_on=sold)

    def _year(self, home: Row, year: int) -> None:
        draws, key = self.draws, home["property_id"]
        holiday = home["property_type"] == "vacation_rental"
        self.add("property_years", property_id=key, tax_year=year, holiday=holiday)
        rent = draws.round_money((900, 3900), 25)
        for month in range(1, self.client.times(12, year) + 1):
            paid = rent - (draws.money((0, 90)) if draws.chance(0.2) else 0)
            day = date(year, month, draws.between(1, 9))
            self.add("property_items", property_id=key, item_code="R10", item_date=day, amount=paid, vendor_id=None)
        for flow in self.lists.rentals:
            what = {"property_id": key, "item_code": flow.item_code, "vendor_id": self.ledger.vendor(flow.trade)}
            times = self.client.times(draws.between(*flow.times), year) if draws.chance(flow.chance) else 0
            for _ in range(times):
                item = what | {"item_date": draws.day_in(year), "amount": draws.money(flow.amount)}
                self.add("property_items", **item)
                if draws.chance(0.05):
                    self.add("property_items", **item, status=draws.choice(("void", "duplicate")))


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
        asset = self.add("assets", group=group, placed_in_service_on=bought, disposed_on=gone)
        key, total = int(asset["asset_id"]), ZERO
        for year, amount in _depreciation(asset, self.ledger.years[-1]):
            total += amount
            if year in self.ledger.years:
                sums = {"amount": amount, "accumulated": total, "book_value": asset["cost"] - total}
                self.ledger.add("depreciation", asset_id=key, tax_year=year, **sums)
        return key


def _depreciation(asset: Row, last_year: int) -> Iterator[tuple[int, Decimal]]:
    """The depreciation of each year, by months of use; partial months count in full."""
    cost, salvage, life = asset["cost"], asset["salvage_value"], asset["life_years"]
    bought, gone = asset["placed_in_service_on"], asset["disposed_on"] or date(last_year, 12, 31)
    left = cost - salvage
    for year in range(bought.year, min(last_year, gone.year) + 1):
        whole = (left + salvage) * 2 / life if asset["method"] == "double_declining" else (cost - salvage) / life
        first = bought.month if year == bought.year else 1
        last = gone.month if year == gone.year else 12
        amount = min(to_cents(whole * (last - first + 1) / 12), left)
        left -= amount
        if amount:
            yield year, amount


class LoanBooks(Books):
    """The loans of a client."""

    def write(self, properties: list[int]) -> None:
        """Add the loans.

        Args:
            properties: those that can be mortgaged; the first one is.
        """
        draws, year, full = self.draws, self.year, self.client.full
        purchase, *others = self.lists.loans
        mortgage = purchase.model_copy(update={"purpose": "Refinance of rental property"})
        kinds = [mortgage, *others[:3], *(others[3:] if draws.chance(0.5) else [])] if full else others[:1]
        opened = draws.shuffled(draws.days(date(year - 3, 1, 5), date(year - 1, 10, 12), len(kinds)))
        for kind, day in zip(kinds, opened, strict=True):
            loan = self._active(kind, day, properties[0] if kind is mortgage else None)
            if kind is mortgage:
                self._fees(loan)
        if full:
            self._subject(purchase)
            self._ended(others)

    def _subject(self, mortgage: ListItem) -> None:
        """Add the mortgage that is closed, and the property that it buys, in the year of the case."""
        opened = self.draws.day(date(self.year, 2, 3), date(self.year, 9, 25))
        kind = self.draws.choice(_HOMES)
        bought = self.add("properties", property_type=kind, acquired_on=opened, status="vacant", sold_on=None)
        loan = self._active(mortgage, opened, bought["property_id"])
        self._fees(loan)
        self.client.subjects |= {"loan_id": loan["loan_id"], "property_id": bought["property_id"]}

    def _ended(self, kinds: list[ListItem]) -> None:
        """Add a loan that is paid off before the books begin, and a declined one."""
        draws, start = self.draws, self.ledger.years[0]
        long_ago = draws.day(date(start - 13, 1, 5), date(start - 11, 12, 20))
        self.add("loans", kind=draws.choice(kinds[:3]), opened_on=long_ago, status="paid_off")
        applied = draws.day_in(self.year)
        declined = self.add("loans", kind=draws.choice(kinds), opened_on=applied, status="declined")
        for fee in self.lists.fees[:2]:
            amount = draws.money(fee.amount)
            self._fee(declined, fee, declined["lender_id"], amount, applied - timedelta(9), "estimate")

    def _active(self, kind: ListItem, opened: date, property_id: int | None) -> Row:
        terms: Row = {"opened_on": opened, "property_id": property_id, "status": "active"}
        if property_id is not None:
            price = self.ledger.row("properties", property_id)["purchase_price"]
            terms["original_amount"] = self.draws.round_money((price / 2, price * 4 / 5), 500)
        loan = self.add("loans", kind=kind, **terms)
        self._payments(loan)
        self._collateral(loan, kind.collateral)
        return loan

    def _payments(self, loan: Row) -> None:
        """Add the payments since the client's books begin, and the next one."""
        draws, balance, regular = self.draws, loan["original_amount"], loan["monthly_payment"]
        reversed_month = (self.year, draws.between(3, 11)) if self.client.full else None
        for month in range(loan["term_months"]):
            due = months_after(loan["first_payment_on"], month)
            interest = to_cents(balance * loan["interest_rate"] / 1200)
            principal = min(regular - interest, balance)
            balance -= principal
            row = {"loan_id": loan["loan_id"], "due_on": due, "principal": principal, "interest": interest}
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
                row["late_fee"] = to_cents(regular / 20)
            self.add("loan_payments", **row, paid_on=paid, status="paid")

    def _collateral(self, loan: Row, kind: str) -> None:
        draws, opened, pledged = self.draws, loan["opened_on"], loan["property_id"]
        held = 2 if draws.chance(0.3) else 1
        for n in range(held + draws.chance(0.3)):
            released = draws.day(opened + timedelta(60), opened + timedelta(400)) if n == held else None
            home = self.ledger.row("properties", pledged) if pledged and not n else None
            what = "receivables" if pledged and n else kind
            place = self.ledger.row("addresses", home["address_id"]) if home else None
            terms = {"lien_position": n + 1, "released_on": released, "collateral_type": what}
            self.add("collateral", loan=loan, loan_id=loan["loan_id"], home=home, place=place, **terms)

    def _fees(self, loan: Row) -> None:
        """Add the fees of a closing, their estimates, and one void entry."""
        draws, lists, lender, closed = self.draws, self.lists, loan["lender_id"], loan["opened_on"]
        omitted = draws.sample([fee for fee in lists.fees if not fee.always], draws.between(0, 5))
        if loan["purpose"].startswith("Refinance"):
            omitted += [fee for fee in lists.fees if fee.trade == "real estate broker"]
        fees = [fee for fee in lists.fees if fee not in omitted]
        voided = draws.choice(fees)
        providers = {fee.trade: draws.shuffled(self.ledger.vendors[fee.trade or ""]) for fee in fees}
        for fee in fees:
            own = fee.trade == "lender"
            provider = lender if own else providers[fee.trade].pop()
            amount, estimate = draws.money(fee.amount), draws.round_money((fee.amount[0], fee.amount[1] + 5), 5)
            if estimate != amount:
                other = lender if own else self.ledger.vendor(fee.trade)
                self._fee(loan, fee, other, estimate, closed - timedelta(draws.between(12, 30)), "estimate")
            if fee is voided:
                self._fee(loan, fee, provider, amount + 10, closed - timedelta(2), "void")
            self._fee(loan, fee, provider, amount, closed, "final")

    def _fee(self, loan: Row, fee: ListItem, provider: int | None, amount: Decimal, entered: date, status: str) -> None:
        kind = {"loan": loan, "loan_id": loan["loan_id"], "fee_type": fee.fee_type, "provider_id": provider}
        self.add("loan_fees", **kind, amount=amount, entered_on=entered, status=status)
