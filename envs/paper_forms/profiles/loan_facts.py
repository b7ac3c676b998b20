"""Draw a persona's loan facts: vehicle, price, trade-in, dealer, insurance, debts."""

from __future__ import annotations

from datetime import date, timedelta

from ...core.facts import Place, places
from .persona_choices import CarModel, Creditor, cars, choices
from .persona_draws import Draws, Facts, dollars, rounded

# A vehicle costs about this many months of income at most; a modest price is always possible.
_MONTHS_OF_INCOME, _MODEST_PRICE = 9, 27000


def loan_facts(draws: Draws, today: date, home: Place, income: int) -> Facts:
    """The facts of the application that belong to no person.

    Args:
        draws: of the persona.
        today: the date of the application, whose day of the month is at most 28.
        home: where the applicant lives.
        income: of both applicants, in dollars a month.
    """
    terms = _terms(draws, today)
    vehicle = _vehicle(draws, today, terms["transaction_type"], income)
    price = int(vehicle["purchase_price"])
    trades_in = terms["transaction_type"] != "refinance" and draws.happens("trade_in")
    trade_in = _trade_in(draws, today, price) if trades_in else {}
    return {
        **terms,
        **vehicle,
        **trade_in,
        **_amounts(draws, terms["transaction_type"], price, trade_in, places().root[home.state].sales_tax),
        **_dealer(draws, draws.place(home.state), vehicle["vehicle_make"]),
        **_insurance(draws, today, home),
        **_reference(draws, "reference_1", home),
        **_reference(draws, "reference_2", home),
        **_creditors(draws),
    }


def _terms(draws: Draws, today: date) -> Facts:
    facts = draws.facts("application_type", "transaction_type", "intended_use", "referral_source", "gap_insurance")
    facts |= draws.facts("credit_insurance", "payment_method", "payment_frequency")
    if facts["application_type"] == "individual" and facts["credit_insurance"] == "joint":
        facts["credit_insurance"] = "single"
    first_payment = today + timedelta(days=draws.in_range("days_to_first_payment"))
    return facts | {"application_date": today.isoformat(), "first_payment_date": first_payment.isoformat()}


def _vehicle(draws: Draws, today: date, transaction: str, income: int) -> Facts:
    condition = _condition(draws, transaction)
    age = draws.in_range("used_years") if condition == "used" else draws.between(-1, 0)
    model = _model(draws, today.year - age, max(income * _MONTHS_OF_INCOME, _MODEST_PRICE) * 100 // _worth(age))
    miles = draws.in_range("yearly_mileage") * age if condition == "used" else draws.in_range(f"{condition}_mileage")
    facts = {
        "vehicle_condition": condition,
        **_car(draws, "vehicle", model, today.year - age, miles),
        "vehicle_trim": draws.choice(model.trims),
        "vehicle_color": draws.common_text("vehicle_color"),
        "vehicle_body_style": model.body,
        "vehicle_doors": str(model.doors),
        "vehicle_transmission": draws.choice(model.transmissions),
        "vehicle_fuel": model.fuel,
        "vehicle_stock_number": draws.text_for("vehicle_stock_number"),
        "purchase_price": str(rounded(draws.between(*model.price) * _worth(age) // 100, 50)),
    }
    return facts | {"vehicle_cylinders": str(model.cylinders)} if model.cylinders else facts


def _condition(draws: Draws, transaction: str) -> str:
    """The vehicle's condition: used if refinanced, and never used if leased."""
    condition = draws.fact("vehicle_condition")
    if transaction == "refinance":
        return "used"
    return "new" if transaction == "lease" and condition == "used" else condition


def _worth(age: int) -> int:
    """The value of a car of an age, in percent of a new one."""
    return max(10, 100 - 8 * max(0, age))


def _model(draws: Draws, year: int, max_price: int | None = None) -> CarModel:
    """A random car model of a year whose lowest new price is at most ``max_price``."""
    offered = [model for model in cars().models if model.years[0] <= year <= model.years[1]]
    return draws.choice([model for model in offered if max_price is None or model.price[0] <= max_price])


def _car(draws: Draws, prefix: str, model: CarModel, year: int, miles: int) -> Facts:
    """The facts that vehicle and trade-in have in common."""
    return {
        f"{prefix}_year": str(year),
        f"{prefix}_make": model.make,
        f"{prefix}_model": model.name,
        f"{prefix}_vin": model.vin + draws.text_for("vin_tail", year_code=cars().year_codes[str(year)]),
        f"{prefix}_mileage": str(miles),
    }


def _trade_in(draws: Draws, today: date, price: int) -> Facts:
    """A trade-in worth at most 60 % of the price; its loan may exceed its value."""
    age = draws.in_range("trade_in_years")
    model = _model(draws, today.year - age)
    worth = min(draws.between(*model.price) * _worth(age), price * 60) // 100
    facts = _car(draws, "trade_in", model, today.year - age, draws.in_range("yearly_mileage") * age)
    facts["trade_in_allowance"] = str(rounded(worth, 50))
    if not draws.happens("trade_in_loan"):
        return facts | {"trade_in_balance": "0"}
    owed = draws.share(worth, "share_of_trade_in_owed")
    return facts | {"trade_in_balance": str(owed), "trade_in_lienholder": draws.text_for("trade_in_lienholder")}


def _amounts(draws: Draws, transaction: str, price: int, trade_in: Facts, tax_rate: float) -> Facts:
    allowance, owed = (int(trade_in.get(f"trade_in_{part}", 0)) for part in ("allowance", "balance"))
    costs = {key: draws.in_range(key) for key in ("title_fees", "documentation_fee", "service_contract_price")}
    costs["sales_tax"] = int((price - allowance) * tax_rate)
    down = draws.share(price, "share_of_price_down", 100)
    amount = price + sum(costs.values()) - down - allowance + owed
    if transaction == "refinance":
        amount = draws.share(price, "share_of_price_owed", 50)
    leased = transaction == "lease"
    months = int(draws.common_text("lease_term_months" if leased else "loan_term_months"))
    paid_off = draws.share(amount, "share_of_lease_paid_off") if leased else amount
    return {key: str(cost) for key, cost in costs.items()} | {
        "down_payment": str(down),
        "amount_requested": str(amount),
        "loan_term_months": str(months),
        "desired_payment": str(_payment(paid_off, months, draws.in_range("yearly_interest"))),
    }


def _payment(amount: int, months: int, interest: int) -> int:
    """The approximate monthly payment at a yearly ``interest`` in percent."""
    # On average half of the amount is still owed. Integers are the same on every machine.
    return amount * (2400 + interest * (months + 1)) // (2400 * months)


def _dealer(draws: Draws, place: Place, make: str) -> Facts:
    return {
        "dealer_name": draws.text_for("dealer_name", make=make, city=place.city.name),
        **draws.address("dealer", place),
        "dealer_phone": draws.phone_at(place),
        "salesperson_name": draws.full_name(),
    }


def _insurance(draws: Draws, today: date, home: Place) -> Facts:
    expiration = today + timedelta(days=draws.in_range("days_to_insurance_expiration"))
    return {
        "insurance_company": draws.text_for("insurance_company"),
        "insurance_agent_name": draws.full_name(),
        "insurance_agent_phone": draws.phone_at(draws.place_near(home.state)),
        "insurance_policy_number": draws.text_for("insurance_policy_number"),
        "insurance_expiration_date": expiration.isoformat(),
        "insurance_deductible": draws.common_text("insurance_deductible"),
    }


def _reference(draws: Draws, prefix: str, home: Place) -> Facts:
    place = draws.place_near(home.state)
    return {
        f"{prefix}_name": draws.full_name(),
        f"{prefix}_relationship": draws.common_text("reference_relationship"),
        f"{prefix}_phone": draws.phone_at(place),
        f"{prefix}_years_known": str(draws.in_range("years_known")),
        **draws.address(prefix, place),
    }


def _creditors(draws: Draws) -> Facts:
    debts = draws.sample(choices().creditors, 3)
    return {
        f"creditor_{i}_{part}": value
        for i, debt in enumerate(debts, start=1)
        for part, value in _debt(draws, debt).items()
    }


def _debt(draws: Draws, kind: Creditor) -> Facts:
    cents = draws.between(kind.balance[0] * 100, kind.balance[1] * 100)
    # With interest, about a tenth more than the balance is paid back.
    payment = cents * 11 // (10 * kind.months)
    return {
        "name": draws.text_of([kind.name]),
        "account_number": draws.text_of([kind.account]),
        "balance": dollars(cents),
        "payment": dollars(rounded(payment, 5)),
    }
