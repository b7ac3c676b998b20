"""Rows of people and firms: preparers, vendors, clients, customers."""

from __future__ import annotations

from datetime import date, timedelta
from itertools import cycle, islice

from .codes import practice_codes
from .ledger import Client, World
from .lists import Activity, Entity, Trade


def add_codes(world: World) -> None:
    """The tables of codes."""
    for item in practice_codes().item_codes:
        world.add("item_codes", **item.model_dump())
    for fee in practice_codes().fee_types:
        world.add("fee_types", **fee.model_dump())


def add_preparers(world: World) -> None:
    """The practice itself: one office and who prepares returns there."""
    draws = world.draws
    state = draws.one(draws.lists.states)
    firm, tax_id = draws.firm(draws.lists.firm_nouns), draws.ein()
    address = world.address(state.state, unit=1)
    for title in draws.lists.preparer_titles:
        first, last = draws.person()
        world.preparers.append(
            world.add(
                "preparers",
                first_name=first,
                last_name=last,
                title=title,
                ptin=f"P{draws.digits(8)}",
                firm_name=firm,
                firm_tax_id=tax_id,
                address_id=address,
                phone=draws.phone(draws.one(state.area_codes)),
                email=draws.mail(f"{first} {last}"),
            )
        )


def add_vendors(world: World) -> None:
    """Vendors of every trade."""
    for trade in world.draws.lists.trades:
        # Spread evenly, so that both kinds are there wherever they can be.
        people = _spread(trade.people, trade.count)
        reportable = _spread(trade.reportable, trade.count)
        nouns = islice(cycle(trade.nouns), trade.count)
        world.vendors[trade.trade] = [
            _vendor(world, trade, noun, *kind) for noun, *kind in zip(nouns, people, reportable, strict=True)
        ]


def _spread(share: float, count: int) -> list[bool]:
    return [n < round(share * count) for n in range(count)]


def _vendor(world: World, trade: Trade, noun: str, person: bool, reportable: bool) -> int:
    draws = world.draws
    state = draws.one(draws.lists.states)
    contact = " ".join(draws.person())
    name = contact if person else draws.firm([noun])
    key = world.add(
        "vendors",
        name=name,
        vendor_type="individual" if person else draws.one(("corporation", "partnership")),
        trade=trade.trade,
        tax_id=draws.ssn() if person else draws.ein(),
        contact_name=contact,
        phone=draws.phone(draws.one(state.area_codes)),
        email=draws.mail(name),
        address_id=world.address(state.state),
        reportable="yes" if reportable else "no",
    )
    world.vendor_names[key] = name
    return key


def add_client(world: World, activity: Activity, entity: Entity, case_year: int, full: bool, like: str) -> Client:
    """A business.

    Args:
        world: where it is added.
        activity: what it does.
        entity: its legal form.
        case_year: see ``Client``.
        full: see ``Client``.
        like: the first words of its name.
    """
    draws = world.draws
    state = draws.one(draws.lists.states)
    area_code = draws.one(state.area_codes)
    # A namesake has one of these nouns at most, so that one is always free.
    nouns = draws.some(activity.nouns, 2)
    firm = draws.firm(nouns, like)
    name = f"{firm} {draws.one(entity.ends)}"
    formed = draws.day(date(world.years[0] - 28, 1, 1), date(world.years[0] - 9, 12, 31))
    address = world.address(state.state)
    key = world.add(
        "clients",
        client_type="business",
        legal_name=name,
        trade_name=_other(firm, like, nouns) if full or draws.chance(0.5) else None,
        entity_type=entity.entity_type,
        tax_id=draws.ein(),
        state_file_number=f"{state.state}{draws.digits(7)}",
        formed_on=formed,
        formed_in=state.state,
        activity_code=activity.code,
        activity=activity.activity,
        accounting_method=draws.one(("cash", "accrual")),
        phone=draws.phone(area_code),
        email=draws.mail(f"office {like}"),
        address_id=address,
        mailing_address_id=world.address(state.state, unit=1) if full or draws.chance(0.3) else address,
        preparer_id=draws.one(world.preparers),
        client_since=draws.day(formed + timedelta(90), world.first_day),
        status="active" if full else draws.one(("active", "former", "prospect")),
    )
    return Client(key, name, case_year, full, state.state, area_code, activity)


def _other(firm: str, like: str, nouns: list[str]) -> str:
    """What else a firm could be called."""
    return next(name for name in (f"{like} {noun}" for noun in nouns) if name != firm)


def add_person(world: World, activity: Activity, case_year: int) -> Client:
    """A client who is a person."""
    draws = world.draws
    state = draws.one(draws.lists.states)
    area_code = draws.one(state.area_codes)
    name = " ".join(draws.person())
    address = world.address(state.state)
    born = draws.day(date(world.years[0] - 70, 1, 1), date(world.years[0] - 28, 12, 31))
    key = world.add(
        "clients",
        client_type="person",
        legal_name=name,
        entity_type=draws.one(("sole_proprietor", "individual")),
        tax_id=draws.ssn(),
        formed_on=born,
        formed_in=state.state,
        accounting_method="cash",
        phone=draws.phone(area_code),
        email=draws.mail(name),
        address_id=address,
        mailing_address_id=address,
        preparer_id=draws.one(world.preparers),
        client_since=draws.day(date(world.years[0] - 8, 1, 1), world.first_day),
        status=draws.one(("active", "former", "prospect")),
    )
    return Client(key, name, case_year, False, state.state, area_code, activity)


def add_customers(world: World, client: Client) -> list[int]:
    """Whom it sells to; every fifth is free of sales tax."""
    return [_customer(world, client, n % 5 == 0) for n in range(10 if client.full else 3)]


def _customer(world: World, client: Client, exempt: bool) -> int:
    draws = world.draws
    name = draws.firm(draws.lists.tax_exempt_nouns if exempt else draws.lists.customer_nouns)
    return world.add(
        "customers",
        client_id=client.client_id,
        customer_number=f"C{draws.digits(4)}",
        name=name,
        contact_name=" ".join(draws.person()),
        phone=draws.phone(client.area_code),
        email=draws.mail(name),
        address_id=world.address(client.state),
        terms_days=draws.one((15, 30, 45)),
        tax_exempt="yes" if exempt else "no",
        credit_limit=draws.round_money((5000, 60000), 500),
    )
