"""The generated database: the same rows from a seed, books that agree with each other, and complete cases."""

import re
import sqlite3

import pytest
from paths import DATA
from sizes import some

from formgym.envs.paper_forms.accounting.generator.choice_lists import RowTemplates
from formgym.envs.paper_forms.accounting.generator.database_generator import (
    CASES,
    make_database,
    shipped_database,
)
from formgym.envs.paper_forms.accounting.generator.database_schema import TABLES, sqlite_image

SEEDS = range(some(3, 30))


def _opened(database):
    connection = sqlite3.connect(":memory:")
    connection.deserialize(sqlite_image(database.tables))
    return connection


@pytest.fixture(scope="module", params=SEEDS)
def made(request):
    database = make_database(request.param)
    return database, _opened(database)


@pytest.fixture(scope="module")
def shipped():
    return shipped_database(), _opened(shipped_database())


def test_negative_seeds_are_refused():
    with pytest.raises(ValueError, match="seed"):
        make_database(-1)


def test_row_templates_name_columns():
    with pytest.raises(ValueError, match="clients has no column 'nme'"):
        RowTemplates({"clients": {"nme": "digits(3)"}})


def test_rows_against_the_schema_are_refused():
    tables = make_database(0).tables
    tables["loans"][0]["lender_id"] = -1
    with pytest.raises(ValueError, match="loans"):
        sqlite_image(tables)
    tables = make_database(0).tables
    tables["clients"][0]["status"] = "odd"
    with pytest.raises(ValueError, match="clients"):
        sqlite_image(tables)


NAMES = {
    "clients": "legal_name",
    "vendors": "name",
    "customers": "name",
    "owners": "holder_name",
    "bank_accounts": "bank_name",
    "shipments": "carrier",
    "loans": "officer_name",
    "preparers": "firm_name",
}
PERSONS = ("contacts", "employees", "preparers")


def _names(tables):
    whole = {row[column] for table, column in NAMES.items() for row in tables[table]}
    people = {f"{row['first_name']} {row['last_name']}" for table in PERSONS for row in tables[table]}
    families = {row["last_name"] for table in PERSONS for row in tables[table]}
    return whole, people, families


def test_the_splits_share_no_names(made):
    for kept, new in zip(_names(shipped_database().tables), _names(made[0].tables), strict=True):
        assert not kept & new


def test_there_are_rows_enough_and_not_too_many(made):
    tables = made[0].tables
    assert 5_000 < sum(map(len, tables.values())) < 10_000
    assert all(tables[table.name] for table in TABLES)
    assert len(made[0].cases) == CASES
    assert len({case.name for case in made[0].cases}) == CASES
    entities = {r["entity_type"] for r in tables["clients"] if r["client_id"] in _case_clients(made[0])}
    assert entities == {"corporation", "s_corporation", "llc", "partnership"}


def _case_clients(database):
    return {case.parameters["client_id"] for case in database.cases}


def test_telephones_and_numbers_are_fictitious(made):
    for rows_of_table in made[0].tables.values():
        for row in rows_of_table:
            assert row.get("phone") is None or "-555-01" in row["phone"]
            assert row.get("email") is None or row["email"].endswith("@example.com")
            assert "" not in row.values()


def _counts(file):
    """Queries of a file by name, each with the least and the most that it may count."""
    text = (DATA / file).read_text(encoding="utf-8")
    for name, least, most, sql in re.findall(r"^-- (.+): (\d+)(?: to (\d+))?\n([^;]+);", text, re.MULTILINE):
        yield name, int(least), int(most or least), sql


PROMISES = list(_counts("practice_promises.sql"))
AGREEMENTS = list(_counts("practice_agreements.sql"))


def _broken(connection, promises, parameters=()):
    for name, least, most, sql in promises:
        (count,) = connection.execute(sql, parameters).fetchone()
        if not least <= count <= most:
            yield f"{name}: {count}, not {least} to {most}"


def test_books_agree(made):
    assert len(AGREEMENTS) > 15
    assert list(_broken(made[1], AGREEMENTS)) == []


def test_every_case_has_what_was_promised(made):
    database, connection = made
    assert len(PROMISES) > 90
    assert [
        (case.name, b) for case in database.cases for b in _broken(connection, PROMISES, dict(case.parameters))
    ] == []


def test_every_shipped_case_has_what_was_promised(shipped):
    test_every_case_has_what_was_promised(shipped)
    test_books_agree(shipped)


def test_payroll_deposits_follow_from_the_slips(made):
    database, connection = made
    sql = """
        SELECT sum(federal_tax + 2 * (social_security + medicare)) - (SELECT sum(amount) FROM tax_payments t
          WHERE t.client_id = :client_id AND tax_type = 'payroll_deposit' AND tax_year = :year AND status = 'paid')
        FROM pay_slips JOIN payroll_runs USING (payroll_run_id)
        WHERE client_id = :client_id AND status = 'posted' AND pay_date BETWEEN :year_start AND :year_end"""
    for case in database.cases:
        assert abs(connection.execute(sql, dict(case.parameters)).fetchone()[0]) < 0.001
