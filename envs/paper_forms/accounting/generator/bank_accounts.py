"""Generate bank accounts, their transactions and monthly statements."""

from __future__ import annotations

from collections import defaultdict
from datetime import date, timedelta
from decimal import Decimal

from .choice_lists import ListItem
from .ledger import ZERO, Books, Row, end_of_month, months_after

# The days that the bank takes to clear a transaction, by method.
_LAGS = {"check": (2, 18), "deposit": (0, 2), "cash": (0, 0), "ach": (0, 1), "wire": (0, 0), "card": (1, 2)}


class Bank(Books):
    """The bank accounts of a client."""

    def write(self) -> None:
        """Add an operating account with its movements, and for a case two more."""
        draws, ledger = self.draws, self.ledger
        opened = draws.day(date(ledger.years[0] - 6, 1, 1), date(ledger.years[0] - 2, 12, 31))
        self.client.subjects["account_id"] = key = self._account("operating", opened_on=opened)
        rows = [self._posted(movement) for movement in self.client.movements]
        for year in self.active_years:
            rows += self._year(year)
        if self.client.full:
            rows += self._year_of_case(rows)
            self._write(self._account("savings", opened_on=opened + timedelta(30)), self._interest())
            closed = draws.day(opened, date(ledger.years[0] - 1, 12, 31))
            self._account("money_market", opened_on=opened - timedelta(700), closed_on=closed, status="closed")
        self._write(key, rows)
        self._statements(key, rows)

    def _account(self, kind: str, **columns: date | str) -> int:
        signer, *_ = self.ledger.rows_of("contacts", client_id=self.client.client_id, to_date=None)
        row = self.add("bank_accounts", account_type=kind, signer_contact_id=signer["contact_id"], **columns)
        return int(row["account_id"])

    def _posted(self, movement: Row, lag: int | None = None) -> Row:
        """A posted transaction that clears after ``lag`` days, by default random."""
        days = self.draws.between(*_LAGS[movement["method"]]) if lag is None else lag
        cleared = movement["posted_on"] + timedelta(days)
        return movement | {"cleared_on": cleared if cleared <= self.ledger.today else None, "status": "posted"}

    def _flow(self, flow: ListItem, day: date, sign: int, vendor: int | None = None, lag: int | None = None) -> Row:
        """A payment or, with a positive sign, a receipt."""
        words, amount = self.ledger.payment_text(flow.item_code, vendor), sign * self.draws.money(flow.amount)
        what = {"method": flow.method, "item_code": flow.item_code, "description": words, "vendor_id": vendor}
        return self._posted({"posted_on": day, "amount": amount, **what}, lag)

    def _year(self, year: int) -> list[Row]:
        draws, rows = self.draws, []
        for flows, sign in ((self.lists.incomes, 1), (self.lists.expenses, -1)):
            for flow in flows:
                vendor = self.ledger.vendor(flow.trade)
                for _ in range(self.client.times(draws.between(*flow.times), year)):
                    rows.append(self._flow(flow, draws.day_in(year), sign, vendor))
                    if draws.chance(0.03):
                        rows.append(rows[-1] | {"status": draws.choice(("void", "duplicate"))})
        return rows

    def _interest(self) -> list[Row]:
        """The interest of each quarter."""
        ends = [end_of_month(date(year, month, 1)) for year in self.ledger.years for month in range(3, 13, 3)]
        return [self._flow(self.lists.incomes[1], day, 1, lag=0) for day in ends]

    def _year_of_case(self, others: list[Row]) -> list[Row]:
        """What every case needs: contract labor, cash, and movements that are unsettled or do not count."""
        draws, year = self.draws, self.year
        rows = [*self._contract_labor(year), *self._cash(year)]
        for month in range(3, 13, 3):
            rows += self._unsettled(end_of_month(date(year, month, 1)))
        in_year = [row for row in [*others, *rows] if row["posted_on"].year == year]
        copied = draws.sample([row for row in in_year if row["item_code"] < "7"], 3)
        rows += [row | {"status": name} for row, name in zip(copied, ("void", "duplicate", "void"), strict=True)]
        flow, last = self.lists.expenses[0], self.ledger.today - timedelta(1)
        pending = self._flow(flow, last, -1, self.ledger.vendor(flow.trade))
        return [*rows, pending | {"cleared_on": None, "status": "pending"}]

    def _contract_labor(self, year: int) -> list[Row]:
        draws, flow = self.draws, self.lists.contract_labor
        by_report = defaultdict(list)
        for vendor in self.ledger.vendors[str(flow.trade)]:
            by_report[self.ledger.row("vendors", vendor)["reportable"]].append(vendor)
        chosen = [*draws.sample(by_report["yes"], 3), *draws.sample(by_report["no"], 1)]
        self.client.subjects["vendor_id"] = chosen[0]
        times = [vendor for vendor in chosen for _ in range(draws.between(*flow.times))]
        return [self._flow(flow, draws.day_in(year), -1, vendor) for vendor in times]

    def _cash(self, year: int) -> list[Row]:
        """Cash deposits; those of one day exceed the amount that must be reported."""
        draws = self.draws
        days = draws.days(date(year, 1, 8), date(year, 12, 18), 7)
        big = draws.choice(days)
        cash = {"method": "cash", "item_code": "1010", "description": "Cash deposit"}
        return [
            self._posted({**cash, "posted_on": day, "amount": draws.money(dollars)})
            for day in days
            for dollars in ([(5100, 8900)] * 2 if day == big else [(700, 4800)])
        ]

    def _unsettled(self, day: date) -> list[Row]:
        """Two checks and a deposit that are posted by a day and clear after it."""
        draws = self.draws
        checks = [flow for flow in self.lists.expenses if flow.method == "check" and flow.trade]
        rows = [
            self._flow(flow, day - timedelta(draws.between(0, 3)), -1, self.ledger.vendor(flow.trade), lag=9)
            for flow in draws.sample(checks, 2)
        ]
        return [*rows, self._flow(self.lists.incomes[0], day - timedelta(draws.between(0, 1)), 1, lag=3)]

    def _write(self, account: int, rows: list[Row]) -> None:
        """Write transactions in the order of posting, with numbers for checks; a copy has its original's."""
        number = self.draws.between(1001, 7900)
        numbers: dict[tuple[date, Decimal], str] = {}
        for row in sorted(rows, key=lambda row: row["posted_on"]):
            check = None
            if row["method"] == "check":
                number += 1
                check = numbers.setdefault((row["posted_on"], row["amount"]), str(number))
            self.add("account_transactions", account_id=account, check_number=check, **row)

    def _statements(self, account: int, rows: list[Row]) -> None:
        """Add a statement for each month and the one before, all above 1,000 dollars."""
        changes: dict[date, Decimal] = defaultdict(lambda: ZERO)
        for row in rows:
            if row["cleared_on"] and row["status"] == "posted":
                changes[row["cleared_on"].replace(day=1)] += row["amount"]
        first = date(self.book_years[0], 1, 1)
        months = [months_after(first, n - 1) for n in range(12 * len(self.book_years) + 1)]
        sums = [sum((changes[month] for month in months[:n]), ZERO) for n in range(len(months) + 1)]
        start = self.draws.money((1000, 9000)) - min(sums)
        for n, month in enumerate(months):
            period = {"period_start": month, "period_end": end_of_month(month)}
            balances = {"opening_balance": start + sums[n], "closing_balance": start + sums[n + 1]}
            self.add("account_statements", account_id=account, **period, **balances)
