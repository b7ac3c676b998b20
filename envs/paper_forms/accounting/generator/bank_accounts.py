"""Generate bank accounts, their transactions and monthly statements."""

from __future__ import annotations

from datetime import date, timedelta
from decimal import Decimal

from .choice_lists import Flow, load_codes
from .ledger import Client, Ledger, Movement, Row, Value, end_of_month, months_after, to_cents

# The days that the bank takes to clear a transaction, by method.
_LAGS = {"check": (2, 18), "deposit": (0, 2), "cash": (0, 0), "ach": (0, 1), "wire": (0, 0), "card": (1, 2)}


class _Account:
    """An operating account with the transactions so far.

    Args:
        ledger: the ledger to add rows to.
        client: the owner of the account.
        key: its primary key.
    """

    def __init__(self, ledger: Ledger, client: Client, key: int) -> None:
        self.ledger, self.client, self.key = ledger, client, key
        self.rows: list[Row] = []

    def post(self, movement: Movement, vendor: int | None = None, lag: int | None = None) -> Row:
        """Add a posted transaction that clears after ``lag`` days, by default random."""
        days = self.ledger.draws.between(*_LAGS[movement.method]) if lag is None else lag
        cleared = movement.posted_on + timedelta(days)
        row: Row = {
            "account_id": self.key,
            "posted_on": movement.posted_on,
            "cleared_on": cleared if cleared <= self.ledger.today else None,
            "amount": movement.amount,
            "method": movement.method,
            "check_number": None,
            "item_code": movement.item_code,
            "description": movement.description,
            "vendor_id": vendor,
            "customer_id": movement.customer_id,
            "status": "posted",
        }
        self.rows.append(row)
        return row

    def pay(self, flow: Flow, day: date, vendor: int | None, sign: int, lag: int | None = None) -> Row:
        """Add a payment or, with a positive sign, a receipt."""
        name = load_codes().items()[flow.item_code]
        words = f"{name}: {self.ledger.vendor_names[vendor]}" if vendor else name
        amount = sign * self.ledger.draws.money(flow.amount)
        return self.post(Movement(day, amount, flow.method, flow.item_code, words), vendor, lag)

    def copy(self, row: Row, status: str) -> None:
        """Add a copy of a transaction with a status that does not count."""
        self.rows.append(row | {"status": status})

    def write(self) -> None:
        """Write the transactions in the order of posting, with numbers for checks."""
        number = self.ledger.draws.between(1001, 7900)
        given: dict[tuple[Value, Value], str] = {}
        for row in sorted(self.rows, key=lambda row: str(row["posted_on"])):
            if row["method"] == "check":
                # A copy shares the number of its original.
                number += 1
                row["check_number"] = given.setdefault((row["posted_on"], row["amount"]), str(number))
            self.ledger.add("account_transactions", **row)


def add_bank(ledger: Ledger, client: Client) -> None:
    """Add an operating account with its movements, and for a case two more."""
    draws = ledger.draws
    signer = next(r for r in ledger.tables["contacts"] if r["client_id"] == client.client_id and r["to_date"] is None)
    opened = draws.day(date(ledger.years[0] - 6, 1, 1), date(ledger.years[0] - 2, 12, 31))
    key = _account(ledger, client, signer, "operating", opened)
    client.subjects["account_id"] = key
    account = _Account(ledger, client, key)
    for movement in client.movements:
        account.post(movement)
    for year in ledger.active_years(client):
        _add_year(account, year)
    if client.full:
        _add_year_of_case(account)
        _add_savings(ledger, client, signer, opened)
        closed = _account(ledger, client, signer, "money_market", opened - timedelta(700))
        end = draws.day(opened, date(ledger.years[0] - 1, 12, 31))
        ledger.row("bank_accounts", closed).update(closed_on=end, status="closed")
    account.write()
    _add_statements(account)


def _account(ledger: Ledger, client: Client, signer: Row, kind: str, opened: date) -> int:
    draws = ledger.draws
    return ledger.add(
        "bank_accounts",
        client_id=client.client_id,
        bank_name=draws.choice(ledger.banks),
        account_type=kind,
        account_number=draws.digits(10),
        routing_number=f"9{draws.digits(8)}",
        signer_contact_id=signer["contact_id"],
        opened_on=opened,
        status="open",
    )


def _add_year(account: _Account, year: int) -> None:
    draws, client = account.ledger.draws, account.client
    for flows, sign in ((draws.lists.incomes, 1), (draws.lists.expenses, -1)):
        for flow in flows:
            vendor = account.ledger.vendor(flow.trade) if flow.trade else None
            for _ in range(client.times(draws.between(*flow.times), year)):
                row = account.pay(flow, draws.day(date(year, 1, 3), date(year, 12, 24)), vendor, sign)
                if draws.chance(0.03):
                    account.copy(row, draws.choice(("void", "duplicate")))


def _add_year_of_case(account: _Account) -> None:
    """Add what every case needs: contract labor, cash, and unsettled movements."""
    draws, year = account.ledger.draws, account.client.case_year
    _add_contract_labor(account, year)
    _add_cash(account, year)
    for month in range(3, 13, 3):
        _add_unsettled(account, end_of_month(date(year, month, 1)))
    in_year = [r for r in account.rows if str(r["posted_on"])[:4] == str(year) and str(r["item_code"]) < "7"]
    for row, status in zip(draws.sample(in_year, 3), ("void", "duplicate", "void"), strict=True):
        account.copy(row, status)
    last = account.ledger.today - timedelta(1)
    pending = account.pay(draws.lists.expenses[0], last, account.ledger.vendor("advertising"), -1)
    pending.update(cleared_on=None, status="pending")


def _add_contract_labor(account: _Account, year: int) -> None:
    ledger, flow = account.ledger, account.ledger.draws.lists.contract_labor
    everyone = ledger.vendors[flow.trade or ""]
    reported = [v for v in everyone if ledger.row("vendors", v)["reportable"] == "yes"]
    others = [v for v in everyone if v not in reported]
    chosen = [*ledger.draws.sample(reported, 3), *ledger.draws.sample(others, 1)]
    account.client.subjects["vendor_id"] = chosen[0]
    for vendor in chosen:
        for _ in range(ledger.draws.between(*flow.times)):
            account.pay(flow, ledger.draws.day(date(year, 1, 5), date(year, 12, 20)), vendor, -1)


def _add_cash(account: _Account, year: int) -> None:
    """Add cash deposits; those of one day exceed the amount that must be reported."""
    draws = account.ledger.draws
    days = draws.days(date(year, 1, 8), date(year, 12, 18), 7)
    big = draws.choice(days)
    for day in days:
        for _ in range(2 if day == big else 1):
            amount = draws.money((5100, 8900) if day == big else (700, 4800))
            account.post(Movement(day, amount, "cash", "1010", "Cash deposit"))


def _add_unsettled(account: _Account, day: date) -> None:
    """Add two checks and a deposit that are posted by a day and clear after it."""
    draws = account.ledger.draws
    checks = [flow for flow in draws.lists.expenses if flow.method == "check" and flow.trade]
    for flow in draws.sample(checks, 2):
        account.pay(flow, day - timedelta(draws.between(0, 3)), account.ledger.vendor(str(flow.trade)), -1, lag=9)
    account.pay(draws.lists.incomes[0], day - timedelta(draws.between(0, 1)), None, 1, lag=3)


def _add_savings(ledger: Ledger, client: Client, signer: Row, opened: date) -> None:
    """Add a second account, with interest each quarter."""
    key = _account(ledger, client, signer, "savings", opened + timedelta(30))
    second = _Account(ledger, client, key)
    for year in ledger.years:
        for month in range(3, 13, 3):
            second.pay(ledger.draws.lists.incomes[1], end_of_month(date(year, month, 1)), None, 1, lag=0)
    second.write()


def _add_statements(account: _Account) -> None:
    """Add a statement for each month and the one before, all above 1,000 dollars."""
    ledger, client = account.ledger, account.client
    first = date(ledger.book_years(client)[0], 1, 1)
    months = [months_after(first, n - 1) for n in range(12 * len(ledger.book_years(client)) + 1)]
    changes = [_cleared(account, month, end_of_month(month)) for month in months]
    lowest, balance = Decimal(0), Decimal(0)
    for change in changes:
        balance += change
        lowest = min(lowest, balance)
    balance = to_cents(ledger.draws.money((1000, 9000)) - lowest)
    for month, change in zip(months, changes, strict=True):
        ledger.add(
            "account_statements",
            account_id=account.key,
            period_start=month,
            period_end=end_of_month(month),
            opening_balance=balance,
            closing_balance=balance + change,
        )
        balance += change


def _cleared(account: _Account, start: date, end: date) -> Decimal:
    total = Decimal("0.00")
    for row in account.rows:
        cleared, amount = row["cleared_on"], row["amount"]
        if isinstance(cleared, date) and isinstance(amount, Decimal) and row["status"] == "posted":
            total += amount if start <= cleared <= end else 0
    return total
