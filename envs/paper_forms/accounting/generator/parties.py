"""Generate people and firms: preparers, vendors, clients, officers, owners, customers."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import cycle, islice

from .choice_lists import ListItem, load_codes
from .ledger import Books, Client, Ledger, Row, Value


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
        key = ledger.add("preparers", **draws.named(), title=title, address_id=address, **office)
        ledger.preparers.append(key)


def add_vendors(ledger: Ledger) -> None:
    """Add vendors of every trade, with people and reportable ones in fixed proportions."""
    draws = ledger.draws
    for trade in draws.lists.trades:
        ledger.vendors[trade.trade or ""] = keys = []
        for n, noun in enumerate(islice(cycle(trade.nouns), trade.count)):
            contact, person = draws.person_name(), n < round(trade.people * trade.count)
            key = ledger.add(
                "vendors",
                name=contact if person else draws.firm([noun]),
                person=person,
                trade=trade.trade,
                contact_name=contact,
                home=draws.choice(draws.lists.states),
                reportable="yes" if n < round(trade.reportable * trade.count) else "no",
            )
            keys.append(key)


def add_client(ledger: Ledger, activity: ListItem, entity: ListItem, case_year: int, full: bool, word: str) -> Client:
    """Add a business as a client.

    Args:
        ledger: the ledger to add rows to.
        activity: its line of business.
        entity: its legal form.
        case_year: see ``Client``.
        full: see ``Client``.
        word: the beginning of its name.
    """
    draws = ledger.draws
    # A namesake uses at most one of these nouns, so that one is always free.
    nouns = draws.sample(activity.nouns, 2)
    firm = draws.firm(nouns, word)
    home = draws.choice(draws.lists.states)
    formed = draws.day(date(ledger.years[0] - 28, 1, 1), date(ledger.years[0] - 9, 12, 31))
    client = Client(
        0, f"{firm} {draws.choice(entity.ends)}", case_year, full, home.state, _area(ledger, home), activity
    )
    mailing = {"mailing_address_id": ledger.address(home.state, unit_chance=1)} if full or draws.chance(0.3) else {}
    client.client_id = _add_row(
        ledger,
        client,
        client_type="business",
        trade_name=next(f"{word} {noun}" for noun in nouns if f"{word} {noun}" != firm),
        entity_type=entity.entity_type,
        state_file_number=f"{home.state}{draws.digits(7)}",
        formed_on=formed,
        activity_code=activity.code,
        activity=activity.activity,
        email=draws.email(f"office {word}"),
        client_since=draws.day(formed + timedelta(90), ledger.first_day),
        **mailing,
        **({"status": "active"} if full else {}),
    )
    return client


def add_person(ledger: Ledger, activity: ListItem, case_year: int) -> Client:
    """Add a person as a client."""
    draws, start = ledger.draws, ledger.years[0]
    home = draws.choice(draws.lists.states)
    client = Client(0, draws.person_name(), case_year, False, home.state, _area(ledger, home), activity)
    client.client_id = _add_row(
        ledger,
        client,
        client_type="person",
        formed_on=draws.day(date(start - 70, 1, 1), date(start - 28, 12, 31)),
        email=draws.email(client.name),
        client_since=draws.day(date(start - 8, 1, 1), ledger.first_day),
    )
    return client


def _area(ledger: Ledger, home: ListItem) -> str:
    return ledger.draws.choice(home.area_codes)


def _add_row(ledger: Ledger, client: Client, **columns: Value) -> int:
    address = ledger.address(client.state)
    own = {"legal_name": client.name, "formed_in": client.state, "area_code": client.area_code}
    return ledger.add("clients", **{"mailing_address_id": address, "address_id": address, **own, **columns})


class Parties(Books):
    """The customers, officers and owners of a client."""

    def customers(self) -> list[int]:
        """Add customers; every fifth is exempt from sales tax."""
        return [self._customer(exempt=n % 5 == 0) for n in range(10 if self.client.full else 3)]

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
                office = {"role": role.role, "title": role.title, "from_date": first, "to_date": last}
                self.add("contacts", **draws.named(), **office)

    def owners(self) -> None:
        """Add shareholders, one who bought twice, and a former one."""
        draws = self.draws
        # Sizes differ by more than the second purchase, so that no two totals are equal.
        first, *others = draws.sample(range(2, 20), draws.between(3, 5) if self.client.full else 2)
        twice = self._holder("individual")
        self.client.subjects["owner_id"] = self._purchase(twice, first * 50)
        self._purchase(twice, 10)
        for size in others:
            self._purchase(self._holder(draws.choice(("individual", "individual", "company", "trust"))), size * 50)
        if self.client.full:
            self._purchase(self._holder("individual"), 500, share_class="preferred")
        bought = self._bought()
        sold = draws.day(bought + timedelta(30), date(self.ledger.years[0] - 1, 12, 31))
        self._purchase(self._holder("individual"), draws.between(2, 9) * 20, acquired_on=bought, disposed_on=sold)

    def _customer(self, exempt: bool) -> int:
        name = self.draws.firm(self.lists.tax_exempt_nouns if exempt else self.lists.customer_nouns)
        return self.add("customers", name=name, tax_exempt="yes" if exempt else "no")

    def _holder(self, kind: str) -> Row:
        draws = self.draws
        names = {"company": lambda: draws.firm(self.lists.owner_companies)}
        name = names.get(kind, draws.person_name)() + (" Family Trust" if kind == "trust" else "")
        return {
            "holder_name": name,
            "holder_type": kind,
            "tax_id": draws.ssn() if kind == "individual" else draws.ein(),
            "address_id": self.ledger.address(self.client.state),
        }

    def _bought(self) -> date:
        return self.draws.day(date(self.ledger.years[0] - 8, 1, 1), date(self.ledger.years[0] - 2, 12, 31))

    def _purchase(self, holder: Row, shares: int, **columns: date | str) -> int:
        return self.add("owners", **{"acquired_on": self._bought(), **holder, "shares": shares, **columns})
