"""query_sql on real databases: what reading gives. What else is tried is in ``test_database_attacks``."""

import os
import pickle
import re
import sqlite3
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import databases_fixture
import pytest
from sizes import LONG

from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.accounting import postgresql
from formgym.envs.paper_forms.accounting.database_loader import load_rows, sqlite_image
from formgym.envs.paper_forms.accounting.generator.database_generator import make_database, shipped_database
from formgym.envs.paper_forms.accounting.generator.database_schema import TABLES
from formgym.envs.paper_forms.accounting.query_result import MAX_CELL, MAX_ROWS
from formgym.envs.paper_forms.accounting.read_only_database import MAX_TEXT, Database

postgresql_only = pytest.mark.skipif(databases_fixture.POSTGRESQL is None, reason="FORMGYM_TEST_DATABASE_URL is unset")


@pytest.fixture(scope="module", params=databases_fixture.KINDS)
def opened(request, tmp_path_factory):
    try:
        return databases_fixture.opened(request.param, tmp_path_factory.mktemp("database"))
    except LookupError as error:
        pytest.skip(str(error))


@pytest.fixture(scope="module")
def database(opened):
    return opened.database


def test_rows_come_back_as_text(database):
    sql = "SELECT fee_type, name FROM fee_types WHERE section = 'B' ORDER BY fee_type"
    assert database.query(sql).splitlines()[:3] == ["fee_type | name", "B01 | Appraisal", "B02 | Credit report"]


def test_values_of_every_type(opened):
    text = opened.database.query("SELECT loan_id, opened_on, interest_rate, property_id FROM loans ORDER BY loan_id")
    key, day, rate, _ = text.splitlines()[1].split(" | ")
    assert key.isdigit()
    assert re.fullmatch(r"\d{4}-\d\d-\d\d", day)
    assert re.fullmatch(r"\d+\.\d+", rate)
    assert " | NULL" in text


def test_floats_are_written_as_the_shell_of_sqlite_does():
    database = Database(sqlite_image(shipped_database().tables))
    assert database.query("SELECT 0.1 + 0.2 AS a, 5200.0 AS b, 1e20 AS c, 1e999 AS d, x'00ff' AS e") == (
        "a | b | c | d | e\n0.3 | 5200.0 | 1.0e+20 | Inf | X'00FF'"
    )


@pytest.mark.parametrize("before", ["", "ab", "é" * (MAX_CELL + 5)])
def test_a_zero_character_ends_no_text(before):
    image = sqlite_image(shipped_database().tables)
    value = Database(image).query(f"SELECT '{before}' || char(0) || 'cd' AS s").splitlines()[1]
    assert value == (f"{before}\N{SYMBOL FOR NULL}cd" if len(before) < MAX_CELL else f"{before[: MAX_CELL - 1]}…")


def test_colons_percents_and_backslashes_are_no_parameters(database):
    assert database.query("SELECT count(*) AS n FROM fee_types WHERE name LIKE '%10:30' OR name = '%s'") == "n\n0"
    assert database.query(r"SELECT '\:x %(a)s' AS s") == "s\n\\:x %(a)s"


def test_letters_of_all_scripts(database):
    assert database.query("SELECT 'é漢🙂' AS s") == "s\né漢🙂"


def test_the_hint_says_how_to_look_around(opened):
    hint = opened.database.hint
    queries = re.findall(r"SELECT .*?(?= lists| tells)", hint)
    assert len(queries) == 2
    tables, columns = (opened.database.query(query) for query in queries)
    assert {table.name for table in TABLES} <= set(tables.splitlines())
    assert "legal_name" in columns
    assert ("name on returns" in columns) == (opened.dialect == "postgresql")


@pytest.mark.parametrize(
    "sql",
    [
        "PRAGMA table_info(clients)",
        "PRAGMA foreign_key_list(loans)",
        "SELECT t.name FROM sqlite_master m, pragma_table_info(m.name) t WHERE m.name = 'clients'",
        "EXPLAIN QUERY PLAN SELECT * FROM clients",
    ],
)
def test_ways_to_look_around_in_sqlite(sql):
    assert Database(sqlite_image(shipped_database().tables)).query(sql).count("\n") >= 1


@pytest.mark.parametrize("ending", ["", ";", " ; ", ";;;;;;", "; -- done", " -- done", "/* a */;/* b\n*/ -- c", ";\n"])
def test_a_statement_may_end_as_people_write(database, ending):
    assert database.query(f"SELECT 1 AS one, ';--' AS s{ending}") == "one | s\n1 | ;--"


NESTED = ["; /* a /* b */ c */", "; /* /* ; */ */ -- ;", ";/* -- */ -- /*\n;/*;*/", "; -- */ /*\n/*/**/*/;"]


@postgresql_only
@pytest.mark.parametrize("ending", NESTED)
def test_comments_of_postgresql_may_be_nested(ending):
    opened = Database(load_rows(str(databases_fixture.POSTGRESQL), shipped_database().tables, databases_fixture.READER))
    test_a_statement_may_end_as_people_write(opened, ending)


@pytest.mark.parametrize("ending", [*NESTED, "; /* a */", ";;\t;", ""])
def test_the_end_of_a_statement_is_found_before_nested_comments(ending):
    sql = "SELECT ';--', '/*' || ';'"
    assert sql in postgresql._parts(sql + ending)


@pytest.mark.parametrize("part", [";", ";/*", ";/**/", ";--", ";--\n", "/*;*/"])
def test_the_end_of_a_statement_is_sought_in_linear_time(part):
    """A search from each semicolon to the end would take many minutes."""
    sql = f"SELECT '{part * (1_000_000 // len(part))}'"
    *ends, whole = postgresql._parts(sql)
    assert whole == sql
    assert bool(ends) == (part == ";--")


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


def test_it_can_be_pickled(database):
    assert pickle.loads(pickle.dumps(database)).query("SELECT 1 AS one") == "one\n1"


def test_another_process_asks_the_same(opened):
    code = "import sys, pickle; print(pickle.load(sys.stdin.buffer).query('SELECT count(*) AS n FROM clients'))"
    other = subprocess.run([sys.executable, "-c", code], input=pickle.dumps(opened.database), capture_output=True)
    assert other.stdout.decode().strip() == opened.database.query("SELECT count(*) AS n FROM clients") == "n\n12"


def test_threads_ask_at_once(database):
    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(database.query, ["SELECT sum(gross_pay) AS s FROM pay_slips"] * 32))
    assert len(answers) == 1


@LONG
def test_rows_of_both_kinds_of_databases_are_the_same(opened):
    """But for how numbers are written."""
    reference = sqlite3.connect(":memory:")
    reference.deserialize(sqlite_image(shipped_database().tables))
    for table in TABLES:
        sql = f"SELECT * FROM {table.name} ORDER BY 1 LIMIT 40"
        lines = opened.database.query(sql).splitlines()[1:41]
        wanted = [
            " | ".join("NULL" if v is None else " ".join(str(v).split()) for v in row) for row in reference.execute(sql)
        ]
        assert [_plain(line) for line in lines] == [_plain(line) for line in wanted][: len(lines)]


def _plain(line):
    return [re.sub(r"^(-?\d+)\.(\d*?)0*$", r"\1.\2", cell).removesuffix(".") for cell in line.split(" | ")]


@LONG
def test_two_processes_load_the_same_rows_at_once(opened, tmp_path):
    if opened.kind == "image":
        pytest.skip("an image is loaded nowhere")
    url = databases_fixture.POSTGRESQL if opened.dialect == "postgresql" else f"sqlite:///{tmp_path / 'made.db'}"
    code = (
        "import sys; from formgym.envs.paper_forms.accounting.database_loader import load_rows;"
        "from formgym.envs.paper_forms.accounting.generator.database_generator import make_database;"
        "print(load_rows(sys.argv[1], make_database(3).tables))"
    )
    started = [subprocess.Popen([sys.executable, "-c", code, url], stdout=subprocess.PIPE, text=True) for _ in range(3)]
    urls = {process.communicate()[0].strip() for process in started}
    assert [process.returncode for process in started] == [0, 0, 0]
    assert len(urls) == 1
    assert Database(urls.pop()).query("SELECT count(*) AS n FROM clients") == "n\n12"
    assert opened.dialect != "sqlite" or [p.name for p in tmp_path.iterdir()] == ["made.db"]


def test_a_file_of_other_rows_is_not_written_over(tmp_path):
    url = f"sqlite:///{tmp_path / 'a #%.db'}"
    load_rows(url, make_database(1).tables)
    before = (tmp_path / "a #%.db").read_bytes()
    with pytest.raises(ValueError, match="something else"):
        load_rows(url, make_database(2).tables)
    assert (tmp_path / "a #%.db").read_bytes() == before
    assert Database(load_rows(url, make_database(1).tables)).query("SELECT count(*) AS n FROM clients") == "n\n12"


@pytest.mark.parametrize("url", ["mysql://a@b/c", "mssql+pyodbc://a@b/c", "oracle://a@b/c"])
def test_other_databases_are_refused(url):
    with pytest.raises(ValueError, match="sqlite, postgresql"):
        Database(url)
    with pytest.raises(ValueError, match="sqlite, postgresql"):
        load_rows(url, make_database(0).tables)


def test_what_is_no_database_is_refused(tmp_path):
    (tmp_path / "text.db").write_text("no database, and long enough to be read as one" * 100)
    for source in (
        f"sqlite:///{tmp_path / 'none.db'}",
        f"sqlite:///{tmp_path / 'text.db'}",
        b"no database" * 100,
        "sqlite://",
    ):
        with pytest.raises(ValueError, match=r"no existing SQLite file|no database"):
            Database(source)
    assert sorted(p.name for p in tmp_path.iterdir()) == ["text.db"]


def test_a_server_that_is_not_there_is_the_callers_mistake():
    with pytest.raises(ValueError, match=r"postgresql://me:\*\*\*@127.0.0.1:1/none cannot be read"):
        Database("postgresql://me:secret@127.0.0.1:1/none")


@postgresql_only
def test_a_superuser_is_refused():
    url = os.environ.get("FORMGYM_TEST_DATABASE_SUPERUSER_URL")
    if url is None:
        pytest.skip("FORMGYM_TEST_DATABASE_SUPERUSER_URL is unset")
    with pytest.raises(ValueError, match="superuser"):
        Database(url)


@postgresql_only
@pytest.mark.skipif(databases_fixture.READER is None, reason="FORMGYM_TEST_DATABASE_READER_URL is unset")
def test_a_reader_sees_only_what_it_was_admitted_to():
    alone = load_rows(databases_fixture.POSTGRESQL, make_database(4).tables)
    schema = alone.rpartition("%3D")[2]
    admitted = load_rows(databases_fixture.POSTGRESQL, shipped_database().tables, databases_fixture.READER)
    with pytest.raises(ToolError, match="permission denied"):
        Database(admitted).query(f"SELECT * FROM {schema}.clients")


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("nonsense", "is no database URL"),
        ("sqlite://", "names no file"),
        ("sqlite:///:memory:", "names no file"),
        ("sqlite:////no/such/folder/x.db", "names no file"),
        ("mysql://host/name", "is no database to load rows into"),
    ],
)
def test_urls_that_name_no_place_for_rows(url, words, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ValueError, match=words):
        load_rows(url, make_database(0).tables)
    assert list(tmp_path.iterdir()) == []
