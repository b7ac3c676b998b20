"""Generate people and firms: preparers, vendors, clients, officers, owners, customers."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import cycle, islice

from .choice_lists import ListItem, load_codes
from .ledger import Books, Client, Ledger, Row


def add_codes(ledger: Ledger) -> None:
    """Add the tables of codes."""
    for table, rows in load_codes():
        for row in rows:
            ledger.add(table, **row)


def add_preparers(ledger: Ledger) -> None:
    """Add the preparers of the accounting firm, all in one office."""
    draws, lists = ledger.draws, ledger.draws.lists
    home = draws.choice(lists.states)
    office = {"firm_name": draws.firm(lists.firm_nouns), "firm_tax_id": draws.ein(), "home": home}
    address = ledger.address(home.state, unit_chance=1)
    for title in lists.preparer_titles:
        ledger.preparers.append(ledger.add("preparers", title=title, address_id=address, **office)["preparer_id"])


def add_vendors(ledger: Ledger) -> None:
    """Add vendors of every trade, with people and reportable ones in fixed proportions."""
    for trade in ledger.draws.lists.trades:
        ledger.vendors[trade.trade or ""] = keys = []
        for n, noun in enumerate(islice(cycle(trade.nouns), trade.count)):
            person = n < round(trade.people * trade.count)
            reportable = "yes" if n < round(trade.reportable * trade.count) else "no"
            row = ledger.add("vendors", noun=noun, person=person, trade=trade.trade, reportable=reportable)
            keys.append(row["vendor_id"])


def add_client(
    ledger: Ledger,
    activity: ListItem,
    case_year: int,
    full: bool = False,
    entity: ListItem | None = None,
    word: str = "",
) -> Client:
    """Add a business as a client, or a person if it has no legal form.

    Args:
        ledger: the ledger to add rows to.
        activity: its line of business.
        case_year: see ``Client``.
        full: see ``Client``.
        entity: its legal form.
        word: the beginning of its name.
    """
    draws, columns = ledger.draws, dict[str, str]()
    if entity is not None:
        # A namesake uses at most one of these nouns, so that one is always free.
        nouns = draws.sample(activity.nouns, 2)
        firm = draws.firm(nouns, word)
        columns = {
            "legal_name": f"{firm} {draws.choice(entity.ends)}",
            "trade_name": next(f"{word} {noun}" for noun in nouns if f"{word} {noun}" != firm),
            "entity_type": entity.entity_type,
            "activity_code": activity.code,
            "activity": activity.activity,
            "email": draws.email(firm),
            **({"status": "active"} if full else {}),
        }
    kind = "business" if entity else "person"
    separate = entity is not None and (full or draws.chance(0.3))
    row = ledger.add("clients", client_type=kind, separate=separate, **columns)
    home, area = row["formed_in"], row["area_"]
    return Client(row["client_id"], row["legal_name"], case_year, full, home, area, activity, entity is not None)


class Parties(Books):
    """The customers, officers and owners of a client."""

    def customers(self) -> list[Row]:
        """Add customers; every fifth is exempt from sales tax."""
        count = 10 if self.client.full else 3
        return [self.add("customers", tax_exempt="no" if n % 5 else "yes") for n in range(count)]

    def officers(self) -> None:
        """Add officers, and some former ones."""
        draws, start = self.draws, self.ledger.years[0]
        roles = self.lists.roles if self.client.full else self.lists.roles[:2]
        left = {role.role for role in draws.sample(roles[:5], 2)}
        for role in roles:
            since = draws.day(date(start - 7, 1, 1), date(start - 1, 12, 31))
            terms: list[tuple[date, date | None]] = [(since + timedelta(1), None)]
            if role.role == "vice_president" and draws.chance(0.5):
                continue
            if role.role in left:
                terms.insert(0, (since - timedelta(draws.between(400, 1500)), since))
            for first, last in terms:
                self.add("contacts", role=role.role, title=role.title, from_date=first, to_date=last)

    def owners(self) -> None:
        """Add shareholders, one who bought twice, and a former one."""
        draws = self.draws
        # Sizes differ by more than the second purchase, so that no two totals are equal.
        first, *others = draws.sample(range(2, 20), draws.between(3, 5) if self.client.full else 2)
        twice = self.add("owners", holder_type="individual", shares=first * 50)
        self.client.subjects["owner_id"] = twice["owner_id"]
        same = {name: twice[name] for name in ("holder_type", "holder_name", "tax_id", "address_id")}
        self.add("owners", **same, shares=10)
        for size in others:
            self.add(
                "owners", holder_type=draws.choice(("individual", "individual", "company", "trust")), shares=size * 50
            )
        if self.client.full:
            self.add("owners", holder_type="individual", shares=500, share_class="preferred")
        former = self.add("owners", holder_type="individual", shares=draws.between(2, 9) * 20)
        last = date(self.ledger.years[0] - 1, 12, 31)
        former["disposed_on"] = draws.day(former["acquired_on"] + timedelta(30), last)
