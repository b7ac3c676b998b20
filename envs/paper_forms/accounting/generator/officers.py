"""Rows of who runs and who owns a client: contacts and owners."""

from __future__ import annotations

from datetime import date, timedelta

from .ledger import Client, Row, World


def add_contacts(world: World, client: Client) -> None:
    """Officers in office, and some who have left."""
    draws = world.draws
    roles = draws.lists.roles if client.full else draws.lists.roles[:2]
    left = {role.role for role in draws.some(roles[:5], 2)}
    for role in roles:
        since = draws.day(date(world.years[0] - 7, 1, 1), date(world.years[0] - 1, 12, 31))
        if role.role == "vice_president" and draws.chance(0.5):
            continue
        if role.role in left:
            _contact(world, client, role.role, role.title, since - timedelta(draws.whole(400, 1500)), since)
        _contact(world, client, role.role, role.title, since + timedelta(1), None)


def _contact(world: World, client: Client, role: str, title: str, start: date, end: date | None) -> None:
    draws = world.draws
    first, last = draws.person()
    world.add(
        "contacts",
        client_id=client.client_id,
        role=role,
        title=title,
        first_name=first,
        last_name=last,
        tax_id=draws.ssn(),
        phone=draws.phone(client.area_code),
        email=draws.mail(f"{first} {last}"),
        address_id=world.address(client.state),
        from_date=start,
        to_date=end,
    )


def add_owners(world: World, client: Client) -> None:
    """Who holds how many shares, and who held some before."""
    draws = world.draws
    holders = draws.whole(3, 5) if client.full else 2
    # Tens that differ by more than the second purchase: no two totals are alike.
    sizes = draws.some(range(2, 20), holders)
    first = _owner(world, client, "individual", sizes[0] * 50)
    client.subjects["owner_id"] = first
    row = world.row("owners", first)
    _purchase(world, client, 10, {c: row[c] for c in ("holder_name", "holder_type", "tax_id", "address_id")})
    for size in sizes[1:]:
        _owner(world, client, draws.one(("individual", "individual", "company", "trust")), size * 50)
    if client.full:
        _owner(world, client, "individual", 500, "preferred")
    _owner(world, client, "individual", draws.whole(2, 9) * 20, sold=True)


def _owner(
    world: World, client: Client, kind: str, shares: int, share_class: str = "common", sold: bool = False
) -> int:
    draws = world.draws
    person = " ".join(draws.person())
    names = {"company": draws.firm(draws.lists.owner_companies), "trust": f"{person} Family Trust"}
    holder: Row = {
        "holder_name": names.get(kind, person),
        "holder_type": kind,
        "tax_id": draws.ssn() if kind == "individual" else draws.ein(),
        "address_id": world.address(client.state),
    }
    return _purchase(world, client, shares, holder, share_class, sold)


def _purchase(
    world: World,
    client: Client,
    shares: int,
    holder: Row,
    share_class: str = "common",
    sold: bool = False,
) -> int:
    draws = world.draws
    bought = draws.day(date(world.years[0] - 8, 1, 1), date(world.years[0] - 2, 12, 31))
    return world.add(
        "owners",
        client_id=client.client_id,
        share_class=share_class,
        shares=shares,
        acquired_on=bought,
        disposed_on=draws.day(bought + timedelta(30), date(world.years[0] - 1, 12, 31)) if sold else None,
        **holder,
    )
