"""query_sql on a real SQLite file: reading works, nothing else does."""

import pickle
import sqlite3

import pytest

from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.database import MAX_ROWS, Database


@pytest.fixture
def path(tmp_path):
    path = tmp_path / "bank.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE account (id INTEGER, owner TEXT, opened TEXT, balance REAL)")
        rows = [(i, f"Owner {i}", "2024-01-01 10:30", i * 1.5) for i in range(500)]
        connection.executemany("INSERT INTO account VALUES (?, ?, ?, ?)", rows)
    return path


@pytest.fixture
def database(path):
    return Database(f"sqlite:///{path}")


def test_rows_come_back_as_text(database):
    assert database.query("SELECT owner, balance FROM account WHERE id = 2") == "owner | balance\nOwner 2 | 3.0"


def test_colons_and_backslashes_are_no_parameters(database):
    assert database.query("SELECT count(*) AS n FROM account WHERE opened LIKE '%10:30'") == "n\n500"
    assert database.query(r"SELECT '\:x' AS s") == "s\n\\:x"


def test_schema_can_be_discovered(database):
    assert "account" in database.query("SELECT name, sql FROM sqlite_master")


def test_no_rows_and_too_many(database):
    assert database.query("SELECT id FROM account WHERE id < 0").endswith("(no rows)")
    lines = database.query("SELECT id FROM account").splitlines()
    assert len(lines) == MAX_ROWS + 2
    assert "left out" in lines[-1]


@pytest.mark.parametrize(
    "sql",
    [
        "DROP TABLE account",
        "DELETE FROM account",
        "UPDATE account SET balance = 0",
        "INSERT INTO account VALUES (1, 'x', 'y', 2)",
        "CREATE TABLE other (id INTEGER)",
        "ATTACH DATABASE 'other.db' AS other",
        "PRAGMA writable_schema = 1",
        "VACUUM INTO 'copy.db'",
        "SELECT load_extension('x')",
        "SELECT 1; DROP TABLE account",
        "SELEC nonsense",
        "SELECT * FROM nowhere",
        "",
        "BEGIN",
    ],
)
def test_anything_but_reading_is_an_explained_error(database, path, sql):
    before = path.read_bytes()
    with pytest.raises(ToolError, match="SQL error"):
        database.query(sql)
    assert path.read_bytes() == before
    assert sorted(p.name for p in path.parent.iterdir()) == ["bank.db"]


def test_endless_queries_are_interrupted(database):
    bomb = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n) SELECT count(*) FROM n"
    with pytest.raises(ToolError, match="interrupted"):
        database.query(bomb)
    assert database.query("SELECT 1 AS one") == "one\n1"


def test_it_can_be_pickled(database):
    assert pickle.loads(pickle.dumps(database)).query("SELECT 1 AS one") == "one\n1"
