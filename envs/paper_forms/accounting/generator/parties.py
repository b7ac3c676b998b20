"""Generate people and firms: preparers, vendors, clients, officers, customers."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import cycle, islice

from .choice_lists import Activity, Entity, Trade, load_codes
from .ledger import Client, Ledger, Row


def add_codes(ledger: Ledger) -> None:
    """Add the tables of codes."""
    for item in load_codes().item_codes:
        ledger.add("item_codes", **item.model_dump())
    for fee in load_codes().fee_types:
        ledger.add("fee_types", **fee.model_dump())


def add_preparers(ledger: Ledger) -> None:
    """Add the preparers of the accounting firm, all in one office."""
    draws = ledger.draws
    state = draws.choice(draws.lists.states)
    firm, tax_id = draws.firm(draws.lists.firm_nouns), draws.ein()
    address = ledger.address(state.state, unit=1)
    for title in draws.lists.preparer_titles:
        first, last = draws.person()
        ledger.preparers.append(
            ledger.add(
                "preparers",
                first_name=first,
                last_name=last,
                title=title,
                ptin=f"P{draws.digits(8)}",
                firm_name=firm,
                firm_tax_id=tax_id,
                address_id=address,
                phone=draws.phone(draws.choice(state.area_codes)),
                email=draws.email(f"{first} {last}"),
            )
        )


def add_vendors(ledger: Ledger) -> None:
    """Add vendors of every trade."""
    for trade in ledger.draws.lists.trades:
        # In fixed proportions, so that a trade with enough vendors has both kinds.
        people = _spread(trade.people, trade.count)
        reportable = _spread(trade.reportable, trade.count)
        nouns = islice(cycle(trade.nouns), trade.count)
        ledger.vendors[trade.trade] = [
            _vendor(ledger, trade, noun, *kind) for noun, *kind in zip(nouns, people, reportable, strict=True)
        ]


def _spread(share: float, count: int) -> list[bool]:
    return [n < round(share * count) for n in range(count)]


def _vendor(ledger: Ledger, trade: Trade, noun: str, person: bool, reportable: bool) -> int:
    draws = ledger.draws
    state = draws.choice(draws.lists.states)
    contact = " ".join(draws.person())
    name = contact if person else draws.firm([noun])
    key = ledger.add(
        "vendors",
        name=name,
        vendor_type="individual" if person else draws.choice(("corporation", "partnership")),
        trade=trade.trade,
        tax_id=draws.ssn() if person else draws.ein(),
        contact_name=contact,
        phone=draws.phone(draws.choice(state.area_codes)),
        email=draws.email(name),
        address_id=ledger.address(state.state),
        reportable="yes" if reportable else "no",
    )
    ledger.vendor_names[key] = name
    return key


def add_client(ledger: Ledger, activity: Activity, entity: Entity, case_year: int, full: bool, word: str) -> Client:
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
    state = draws.choice(draws.lists.states)
    area_code = draws.choice(state.area_codes)
    # A namesake uses at most one of these nouns, so that one is always free.
    nouns = draws.sample(activity.nouns, 2)
    firm = draws.firm(nouns, word)
    name = f"{firm} {draws.choice(entity.ends)}"
    formed = draws.day(date(ledger.years[0] - 28, 1, 1), date(ledger.years[0] - 9, 12, 31))
    address = ledger.address(state.state)
    key = ledger.add(
        "clients",
        client_type="business",
        legal_name=name,
        trade_name=_other_name(firm, word, nouns) if full or draws.chance(0.5) else None,
        entity_type=entity.entity_type,
        tax_id=draws.ein(),
        state_file_number=f"{state.state}{draws.digits(7)}",
        formed_on=formed,
        formed_in=state.state,
        activity_code=activity.code,
        activity=activity.activity,
        accounting_method=draws.choice(("cash", "accrual")),
        phone=draws.phone(area_code),
        email=draws.email(f"office {word}"),
        address_id=address,
        mailing_address_id=ledger.address(state.state, unit=1) if full or draws.chance(0.3) else address,
        preparer_id=draws.choice(ledger.preparers),
        client_since=draws.day(formed + timedelta(90), ledger.first_day),
        status="active" if full else draws.choice(("active", "former", "prospect")),
    )
    return Client(key, name, case_year, full, state.state, area_code, activity)


def _other_name(firm: str, word: str, nouns: list[str]) -> str:
    """Another name for a firm."""
    return next(name for name in (f"{word} {noun}" for noun in nouns) if name != firm)


def add_person(ledger: Ledger, activity: Activity, case_year: int) -> Client:
    """Add a person as a client."""
    draws = ledger.draws
    state = draws.choice(draws.lists.states)
    area_code = draws.choice(state.area_codes)
    name = " ".join(draws.person())
    address = ledger.address(state.state)
    born = draws.day(date(ledger.years[0] - 70, 1, 1), date(ledger.years[0] - 28, 12, 31))
    key = ledger.add(
        "clients",
        client_type="person",
        legal_name=name,
        entity_type=draws.choice(("sole_proprietor", "individual")),
        tax_id=draws.ssn(),
        formed_on=born,
        formed_in=state.state,
        accounting_method="cash",
        phone=draws.phone(area_code),
        email=draws.email(name),
        address_id=address,
        mailing_address_id=address,
        preparer_id=draws.choice(ledger.preparers),
        client_since=draws.day(date(ledger.years[0] - 8, 1, 1), ledger.first_day),
        status=draws.choice(("active", "former", "prospect")),
    )
    return Client(key, name, case_year, False, state.state, area_code, activity)


def add_customers(ledger: Ledger, client: Client) -> list[int]:
    """Add a client's customers; every fifth is exempt from sales tax."""
    return [_customer(ledger, client, n % 5 == 0) for n in range(10 if client.full else 3)]


def _customer(ledger: Ledger, client: Client, exempt: bool) -> int:
    draws = ledger.draws
    name = draws.firm(draws.lists.tax_exempt_nouns if exempt else draws.lists.customer_nouns)
    return ledger.add(
        "customers",
        client_id=client.client_id,
        customer_number=f"C{draws.digits(4)}",
        name=name,
        contact_name=" ".join(draws.person()),
        phone=draws.phone(client.area_code),
        email=draws.email(name),
        address_id=ledger.address(client.state),
        terms_days=draws.choice((15, 30, 45)),
        tax_exempt="yes" if exempt else "no",
        credit_limit=draws.round_money((5000, 60000), 500),
    )


def add_contacts(ledger: Ledger, client: Client) -> None:
    """Add a client's officers, and some former ones."""
    draws = ledger.draws
    roles = draws.lists.roles if client.full else draws.lists.roles[:2]
    left = {role.role for role in draws.sample(roles[:5], 2)}
    for role in roles:
        since = draws.day(date(ledger.years[0] - 7, 1, 1), date(ledger.years[0] - 1, 12, 31))
        if role.role == "vice_president" and draws.chance(0.5):
            continue
        if role.role in left:
            _contact(ledger, client, role.role, role.title, since - timedelta(draws.between(400, 1500)), since)
        _contact(ledger, client, role.role, role.title, since + timedelta(1), None)


def _contact(ledger: Ledger, client: Client, role: str, title: str, start: date, end: date | None) -> None:
    draws = ledger.draws
    first, last = draws.person()
    ledger.add(
        "contacts",
        client_id=client.client_id,
        role=role,
        title=title,
        first_name=first,
        last_name=last,
        tax_id=draws.ssn(),
        phone=draws.phone(client.area_code),
        email=draws.email(f"{first} {last}"),
        address_id=ledger.address(client.state),
        from_date=start,
        to_date=end,
    )


def add_owners(ledger: Ledger, client: Client) -> None:
    """Add a client's shareholders, and a former one."""
    draws = ledger.draws
    holders = draws.between(3, 5) if client.full else 2
    # Sizes differ by more than the second purchase, so that no two totals are equal.
    sizes = draws.sample(range(2, 20), holders)
    first = _owner(ledger, client, "individual", sizes[0] * 50)
    client.subjects["owner_id"] = first
    row = ledger.row("owners", first)
    _purchase(ledger, client, 10, {c: row[c] for c in ("holder_name", "holder_type", "tax_id", "address_id")})
    for size in sizes[1:]:
        _owner(ledger, client, draws.choice(("individual", "individual", "company", "trust")), size * 50)
    if client.full:
        _owner(ledger, client, "individual", 500, "preferred")
    _owner(ledger, client, "individual", draws.between(2, 9) * 20, sold=True)


def _owner(
    ledger: Ledger, client: Client, kind: str, shares: int, share_class: str = "common", sold: bool = False
) -> int:
    draws = ledger.draws
    person = " ".join(draws.person())
    names = {"company": draws.firm(draws.lists.owner_companies), "trust": f"{person} Family Trust"}
    holder: Row = {
        "holder_name": names.get(kind, person),
        "holder_type": kind,
        "tax_id": draws.ssn() if kind == "individual" else draws.ein(),
        "address_id": ledger.address(client.state),
    }
    return _purchase(ledger, client, shares, holder, share_class, sold)


def _purchase(
    ledger: Ledger,
    client: Client,
    shares: int,
    holder: Row,
    share_class: str = "common",
    sold: bool = False,
) -> int:
    draws = ledger.draws
    bought = draws.day(date(ledger.years[0] - 8, 1, 1), date(ledger.years[0] - 2, 12, 31))
    return ledger.add(
        "owners",
        client_id=client.client_id,
        share_class=share_class,
        shares=shares,
        acquired_on=bought,
        disposed_on=draws.day(bought + timedelta(30), date(ledger.years[0] - 1, 12, 31)) if sold else None,
        **holder,
    )
