"""answers.sql: what it gives, and what is said of one that is wrong."""

import sqlite3

import pytest

from formgym.envs.paper_forms.accounting.answer_queries import facts_of_answers, read_answers
from formgym.envs.paper_forms.accounting.generator.database_generator import shipped_database
from formgym.envs.paper_forms.accounting.generator.database_schema import sqlite_image

CASE = {"client_id": 1, "year": 2023, "year_start": "2023-01-01"}


@pytest.fixture(scope="module")
def connection():
    connection = sqlite3.connect(":memory:")
    connection.executescript("""
        CREATE TABLE items (client_id INTEGER, name TEXT, amount REAL, day DATE);
        INSERT INTO items VALUES (1, 'Pear; ''soft''', 0.1, '2023-04-12'), (1, 'Fig', 0.2, '2023-05-01'),
          (1, 'Nut', 5200.5, NULL), (2, 'Oat', 7, '2022-01-01');
    """)
    return connection


@pytest.fixture
def facts(tmp_path, connection):
    def of(sql):
        path = tmp_path / "answers.sql"
        path.write_text(sql, encoding="utf-8")
        return facts_of_answers(path, connection, CASE)

    return of


def test_columns_of_one_row_are_facts(facts):
    assert facts("SELECT count(*) AS items, max(amount) AS most FROM items WHERE client_id = :client_id") == {
        "items": "3",
        "most": "5200.50",
    }


def test_rows_of_each_are_numbered_in_their_order(facts):
    sql = "-- the names\n-- each\nSELECT name AS item, day AS day FROM items WHERE client_id = :client_id ORDER BY name"
    assert facts(sql) == {
        "item_1": "Fig",
        "day_1": "2023-05-01",
        "item_2": "Nut",
        "item_3": "Pear; 'soft'",
        "day_3": "2023-04-12",
    }
    assert facts("-- each\nSELECT 1 AS a FROM items WHERE client_id = 9") == {}


def test_null_is_no_fact(facts):
    assert facts("SELECT sum(amount) AS total, 0 AS none FROM items WHERE client_id = 9") == {"none": "0"}


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("0.1 + 0.2", "0.30"),
        ("sum(amount)", "5207.80"),
        ("5200.0", "5200"),
        ("-12.5", "-12.50"),
        ("-0.0", "0"),
        ("6.125", "6.125"),
        ("0.000125", "0.000125"),
        ("round(2.0 / 3, 2)", "0.67"),
        ("1234567890.12", "1234567890.12"),
        ("10 / 4", "2"),
        ("'2023-01-01'", "2023-01-01"),
        (":year", "2023"),
    ],
)
def test_values_are_written_plainly(facts, value, written):
    assert facts(f"SELECT {value} AS v FROM (SELECT sum(amount) AS amount FROM items)") == {"v": written}


def test_rounded_sums_of_many_cents_are_exact(facts):
    many = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 10000) "
    assert facts(many + "SELECT round(sum(0.07), 2) AS v FROM n") == {"v": "700"}


def test_semicolons_and_quotes_in_texts_and_comments_end_nothing(facts, tmp_path):
    sql = (
        "-- it's one; really\nSELECT 'a;b' AS a, 'it''s -- no comment' AS b; -- don't\n\nSELECT 3 - 1 AS c;\n-- the end"
    )
    assert facts(sql) == {"a": "a;b", "b": "it's -- no comment", "c": "2"}
    assert [s.line for s in read_answers(tmp_path / "answers.sql")] == [1, 2]


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT 1 AS a;\nSELECT oops AS b", r"answers.sql, statement of line 2: no such column: oops"),
        ("SELECT 1 AS a;\n\n\nSELECT 2 AS a", r"statement of line 4: there is a a before"),
        ("SELECT 1 AS a, 2 AS a", "two columns a"),
        ("SELECT name AS n FROM items", "4 rows, not one"),
        ("SELECT name AS n FROM items WHERE client_id = 9", "0 rows, not one"),
        ("SELECT 1", "cannot name a fact"),
        ("SELECT 1 AS Total", "cannot name a fact"),
        ("SELECT 2.0 / 3 AS share", "share is 0.666666666666667; write round"),
        ("SELECT 1e400 AS v", "v is inf"),
        ("SELECT x'00' AS v", "v is a bytes"),
        ("SELECT :month AS m", "month"),
        ("SELECT 'open AS a", "unrecognized token"),
        ("DELETE FROM items", "0 rows"),
        ("", "holds no statement"),
        (";;\n-- nothing\n;", "holds no statement"),
    ],
)
def test_mistakes_are_named_with_file_and_line(facts, sql, message):
    with pytest.raises(ValueError, match=message):
        facts(sql)


def test_there_is_no_such_file(connection, tmp_path):
    with pytest.raises(ValueError, match=r"answers\.sql cannot be read"):
        facts_of_answers(tmp_path / "answers.sql", connection, CASE)


def test_the_practice_is_asked(tmp_path):
    path = tmp_path / "answers.sql"
    path.write_text(
        "SELECT legal_name AS client FROM clients WHERE client_id = :client_id;\n"
        "SELECT round(sum(gross_pay), 2) AS wages FROM pay_slips JOIN payroll_runs USING (payroll_run_id)\n"
        "WHERE client_id = :client_id AND status = 'posted' AND pay_date BETWEEN :quarter_start AND :quarter_end;"
    )
    database = shipped_database()
    connection = sqlite3.connect(":memory:")
    connection.deserialize(sqlite_image(database.tables))
    for case in database.cases:
        facts = facts_of_answers(path, connection, case.parameters)
        runs = {
            run["payroll_run_id"]
            for run in database.tables["payroll_runs"]
            if run["client_id"] == case.parameters["client_id"]
            and run["status"] == "posted"
            and case.parameters["quarter_start"] <= str(run["pay_date"]) <= case.parameters["quarter_end"]
        }
        wages = sum(slip["gross_pay"] for slip in database.tables["pay_slips"] if slip["payroll_run_id"] in runs)
        assert float(facts["wages"]) == float(wages) > 0
