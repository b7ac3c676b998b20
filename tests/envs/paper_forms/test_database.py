"""query_sql: what reading gives. What else is tried is in ``test_database_attacks``."""

import pickle
import re
import sqlite3
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context

import pytest

from formgym.envs.core.texts import truncate
from formgym.envs.paper_forms.accounting.generator.database_generator import shipped_database
from formgym.envs.paper_forms.accounting.generator.database_schema import TABLES, sqlite_image
from formgym.envs.paper_forms.accounting.sql_sandbox import MAX_CELL, MAX_ROWS, MAX_TEXT, Database

COUNT = "SELECT count(*) AS n FROM clients"


@pytest.fixture(scope="module")
def database():
    return Database(sqlite_image(shipped_database().tables))


def test_rows_come_back_as_text(database):
    sql = "SELECT fee_type, name FROM fee_types WHERE section = 'B' ORDER BY fee_type"
    assert database.query(sql).splitlines()[:3] == ["fee_type | name", "B01 | Appraisal", "B02 | Credit report"]


def test_values_of_every_type(database):
    text = database.query("SELECT loan_id, opened_on, interest_rate, property_id FROM loans ORDER BY loan_id")
    key, day, rate, _ = text.splitlines()[1].split(" | ")
    assert key.isdigit()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)
    assert re.fullmatch(r"\d+\.\d+", rate)
    assert " | NULL" in text


def test_all_values_are_written_as_sqlite_converts_them_to_text(database):
    reference = sqlite3.connect(":memory:")
    reference.deserialize(sqlite_image(shipped_database().tables))
    for table in TABLES:
        texts = ", ".join(f"CAST({column.name} AS TEXT)" for column in table.columns)
        rows = reference.execute(f"SELECT {texts} FROM {table.name} ORDER BY 1 LIMIT 40")
        expected = [" | ".join("NULL" if v is None else " ".join(v.split()) for v in row) for row in rows]
        assert database.query(f"SELECT * FROM {table.name} ORDER BY CAST(1 AS TEXT) LIMIT 0").endswith("(no rows)")
        sql = f"SELECT * FROM {table.name} ORDER BY CAST({next(iter(table.columns)).name} AS TEXT) LIMIT 40"
        assert database.query(sql).splitlines()[1:] == expected


@pytest.mark.parametrize(
    "value",
    ["0.1 + 0.2", "5200.0", "1e20", "1e999", "-1e999", "1e-5", "1.5e-7", "123456789012345678.0", "-0.0", "1e15"],
)
def test_floats_are_written_as_sqlite_converts_them_to_text(value, database):
    (expected,) = sqlite3.connect(":memory:").execute(f"SELECT CAST({value} AS TEXT)").fetchone()
    assert database.query(f"SELECT {value} AS v") == f"v\n{expected}"


def test_blobs_nulls_and_scripts(database):
    assert database.query("SELECT x'00ff' AS b, NULL AS n, 'é漢🙂' AS s") == "b | n | s\nX'00FF' | NULL | é漢🙂"
    assert database.query("SELECT CAST(x'61ff' AS TEXT) AS s") == "s\na\N{REPLACEMENT CHARACTER}"


@pytest.mark.parametrize("before", ["", "ab", "é" * (MAX_CELL + 5)])
def test_a_zero_character_ends_no_text(before, database):
    value = database.query(f"SELECT '{before}' || char(0) || 'cd' AS s").splitlines()[1]
    assert value == (f"{before}\N{SYMBOL FOR NULL}cd" if len(before) < MAX_CELL else f"{before[: MAX_CELL - 1]}…")


def test_colons_percents_and_backslashes_are_no_parameters(database):
    assert database.query("SELECT count(*) AS n FROM fee_types WHERE name LIKE '%10:30' OR name = '%s'") == "n\n0"
    assert database.query(r"SELECT '\:x %(a)s' AS s") == "s\n\\:x %(a)s"


def test_the_hint_says_how_to_look_around(database):
    queries = re.findall(r"SELECT .*?(?= lists| shows)", database.hint)
    assert len(queries) == 2
    tables, columns = (database.query(query) for query in queries)
    assert {table.name for table in TABLES} <= set(tables.splitlines())
    assert "legal_name" in columns


@pytest.mark.parametrize(
    "sql",
    [
        "PRAGMA table_info(clients)",
        "PRAGMA foreign_key_list(loans)",
        "SELECT t.name FROM sqlite_master m, pragma_table_info(m.name) t WHERE m.name = 'clients'",
        "EXPLAIN QUERY PLAN SELECT * FROM clients",
    ],
)
def test_ways_to_look_around(sql, database):
    assert database.query(sql).count("\n") >= 1


ENDS = [
    "",
    ";",
    " ; ",
    ";;;;;;",
    "; -- done",
    " -- done",
    "/* a */;/* b\n*/ -- c",
    ";\n",
    "; /* open",
    ";/* -- */ -- /*\n;",
]


@pytest.mark.parametrize("before", ["", " \n", "-- what\n", "/* ; */ ;"])
@pytest.mark.parametrize("ending", ENDS)
def test_a_statement_may_begin_and_end_as_people_write(database, before, ending):
    sql = f"""{before}SELECT 1 AS "o;e", ';--' || '/*''' AS [s;]{ending}"""
    assert database.query(sql) == "o;e | s;\n1 | ;--/*'"


@pytest.mark.parametrize("sql", ["VALUES (1)", "WITH a AS (SELECT 1 AS n) SELECT n FROM a", "SELECT 1 AS a, 2 AS a"])
def test_other_statements_that_give_rows(database, sql):
    assert database.query(sql).splitlines()[1].startswith("1")


def test_no_rows_and_too_many(database):
    assert database.query("SELECT client_id FROM clients WHERE client_id < 0") == "client_id\n(no rows)"
    lines = database.query("SELECT transaction_id FROM account_transactions").splitlines()
    assert len(lines) == MAX_ROWS + 2
    assert "left out" in lines[-1]
    exactly = database.query(f"SELECT transaction_id FROM account_transactions LIMIT {MAX_ROWS}").splitlines()
    assert len(exactly) == MAX_ROWS + 1


def test_long_values_and_long_answers_are_cut(database):
    join = " || ".join(["'0123456789'"] * 250)
    value = database.query(f"SELECT {join} AS v").splitlines()[1]
    assert len(value) == MAX_CELL
    assert value.endswith("…")
    text = database.query(f"SELECT {join} AS v FROM account_transactions")
    assert len(text) < MAX_TEXT + 100
    assert text.endswith("characters; the rest is left out)")


HONEST = [
    "SELECT upper(substr(trim(legal_name), 1, 3)) || '…', length(legal_name), instr(legal_name, 'a') FROM clients",
    "SELECT strftime('%m/%d/%Y', posted_on), julianday('2020-03-01') - julianday(posted_on) FROM account_transactions",
    "SELECT printf('%.2f', sum(amount)), round(avg(amount), 2), group_concat(method) FROM account_transactions",
    "SELECT date('2020-01-31', '+1 month'), coalesce(NULL, 1), nullif(1, 1), iif(1, 'a', 'b'), CAST('12' AS INTEGER)",
    "SELECT account_id, sum(amount) OVER (PARTITION BY account_id ORDER BY posted_on) FROM account_transactions",
    "SELECT c.legal_name, count(*) FROM clients c JOIN contacts USING (client_id) GROUP BY 1 ORDER BY 2 DESC",
    "WITH RECURSIVE m(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM m WHERE n < 12) SELECT n FROM m",
    "SELECT count(*) FROM account_transactions a, account_transactions b WHERE a.amount = -b.amount",
    "SELECT a.transaction_id FROM account_transactions a WHERE NOT EXISTS "
    "(SELECT 1 FROM account_transactions b WHERE b.amount + 0 = a.amount AND b.transaction_id <> a.transaction_id)",
    "SELECT strftime('%Y', posted_on) AS y, upper(description) AS d, sum(amount) FROM account_transactions "
    "WHERE description LIKE '%a%' OR printf('%.2f', amount) GLOB '1*' GROUP BY 1, 2 ORDER BY 3",
    "SELECT legal_name FROM clients WHERE legal_name LIKE '%a%' OR legal_name GLOB '[A-M]*' ORDER BY 1 COLLATE NOCASE",
    "SELECT (SELECT group_concat(name, ', ') FROM fee_types), max(1, 2), min(1, 2), abs(-1), replace('a', 'a', 'b')",
    "WITH a AS (SELECT * FROM loans), b AS (SELECT * FROM a JOIN a AS x USING (loan_id)), "
    "c AS (SELECT * FROM b WHERE b.loan_id IN (SELECT a.loan_id FROM a)) SELECT count(*) FROM a, b, c",
]


@pytest.mark.parametrize("sql", HONEST)
def test_honest_queries_are_answered_as_without_limits(sql, database):
    reference = sqlite3.connect(":memory:")
    reference.deserialize(sqlite_image(shipped_database().tables))
    lines = database.query(sql).splitlines()[1 : MAX_ROWS + 1]
    rows = reference.execute(sql).fetchmany(len(lines))
    assert len(rows) >= 1
    for line, row in zip(lines, rows, strict=True):
        for cell, value in zip(line.split(" | "), row, strict=True):
            assert isinstance(value, float) or cell == ("NULL" if value is None else truncate(str(value), MAX_CELL))


@pytest.mark.parametrize("carry", [lambda d: d, lambda d: pickle.loads(pickle.dumps(d))])
def test_threads_and_processes_ask_at_once(database, carry):
    database = carry(database)
    sql = "SELECT sum(gross_pay) AS s FROM pay_slips"
    with ThreadPoolExecutor(8) as pool, get_context("fork").Pool(2) as processes:
        answers = {*pool.map(database.query, [sql] * 32), *processes.map(database.query, [sql] * 4)}
    assert len(answers) == 1


@pytest.mark.parametrize("image", [b"no database" * 100, b"", b"SQLite format 3\0" + bytes(2000)])
def test_what_is_no_database_is_refused(image):
    with pytest.raises(ValueError, match="no database"):
        Database(image)
