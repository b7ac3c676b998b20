"""query_sql on real databases: nothing but reading works, nothing stays, and nothing takes long."""

import time

import databases_fixture
import pytest
from sizes import sample

from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.accounting import postgresql as database_postgresql
from formgym.envs.paper_forms.accounting import sqlite as database_sqlite
from formgym.envs.paper_forms.accounting.query_result import MAX_CELL, MAX_COLUMNS


@pytest.fixture(scope="module", params=sample(databases_fixture.KINDS, 2))
def opened(request, tmp_path_factory):
    try:
        return databases_fixture.opened(request.param, tmp_path_factory.mktemp("database"))
    except LookupError as error:
        pytest.skip(str(error))


@pytest.fixture
def impatient(monkeypatch):
    """Little patience, so that the tests of it take little time."""
    monkeypatch.setattr(database_postgresql, "MAX_SECONDS", 1)
    monkeypatch.setattr(database_sqlite, "MAX_WORK", 300_000_000)


WRITING = """
DROP TABLE clients
DELETE FROM clients
UPDATE clients SET status = 'former'
INSERT INTO fee_types VALUES ('Z', 'A', 'x', 'y')
INSERT INTO fee_types VALUES ('Z', 'A', 'x', 'y') RETURNING fee_type
REPLACE INTO fee_types VALUES ('A01', 'A', 'x', 'y')
TRUNCATE clients
CREATE TABLE other (id INTEGER)
CREATE TEMP TABLE other (id INTEGER)
CREATE TEMP TABLE other AS SELECT 1
CREATE VIEW v AS SELECT 1
CREATE INDEX i ON clients (legal_name)
CREATE TRIGGER t AFTER INSERT ON clients BEGIN SELECT 1; END
CREATE VIRTUAL TABLE v USING fts5(a)
CREATE SCHEMA other
CREATE ROLE other SUPERUSER
CREATE EXTENSION dblink
CREATE FUNCTION f() RETURNS int LANGUAGE sql AS 'SELECT 1'
SELECT 1 AS a INTO other
ALTER TABLE clients ADD z INTEGER
ALTER TABLE clients RENAME TO others
ALTER ROLE CURRENT_USER SET work_mem = '1GB'
GRANT ALL ON clients TO PUBLIC
WITH d AS (DELETE FROM clients RETURNING *) SELECT * FROM d
WITH d AS (SELECT 1) DELETE FROM clients
SELECT * FROM (DELETE FROM clients RETURNING 1) AS x
SELECT query_to_xml('DELETE FROM clients', true, false, '')
SELECT lo_import('/etc/passwd')
COPY clients TO PROGRAM 'touch /tmp/formgym_was_here'
COPY clients TO STDOUT
COPY clients FROM STDIN
DO $$ BEGIN DELETE FROM clients; END $$
CALL f()
ATTACH DATABASE 'other.db' AS other
ATTACH ':memory:' AS other
DETACH main
VACUUM
VACUUM INTO 'copy.db'
ANALYZE
REINDEX
CLUSTER
CHECKPOINT
PRAGMA writable_schema = 1
PRAGMA query_only = 0
PRAGMA user_version = 7
PRAGMA journal_mode = DELETE
PRAGMA database_list
SELECT load_extension('x')
SELECT writefile('/tmp/formgym_was_here', 'x')
SELECT readfile('/etc/passwd')
SELECT edit('x')
SELECT fts3_tokenizer('simple')
SELECT pg_read_file('/etc/passwd')
SELECT pg_ls_dir('/')
SELECT set_config('transaction_read_only', 'off', false)
SELECT nextval('s')
SELECT * FROM clients FOR UPDATE
SET TRANSACTION READ WRITE
SET SESSION CHARACTERISTICS AS TRANSACTION READ WRITE
SET statement_timeout = 0
RESET ALL
DISCARD ALL
BEGIN
BEGIN; DROP TABLE clients; COMMIT
COMMIT
ROLLBACK
END
SAVEPOINT s
RELEASE before
ROLLBACK TO before
PREPARE p AS SELECT 1
EXECUTE p
DEALLOCATE ALL
DECLARE c CURSOR FOR SELECT 1
FETCH c
LISTEN x
NOTIFY x
LOCK TABLE clients
SELECT 1; DROP TABLE clients
SELECT 1; SELECT 2
SELECT 1;; DROP TABLE clients
; DROP TABLE clients
/* a */ DROP TABLE clients -- b
-- a
/* a */
;
;;
SELECT 1) AS t (c0); DROP TABLE clients; --
SELECT 1) AS t (c0) UNION SELECT (SELECT 'x'
SELECT 'open
SELECT $tag$ open
SELECT $1
SELECT ?
SELECT :a
SELEC nonsense
SELECT * FROM nowhere
SELECT nothing FROM clients
SELECT no_such_function(1)
""".strip().splitlines()

CHARACTERS = [
    "",
    "  \n\t",
    "\0",
    "SELECT 1\0; DROP TABLE clients",
    "SELECT '\ud800'",
    "\ufeff\0",
    "\x1b[2J",
    "é",
    "SELECT " + "(" * 9000,
]


def test_anything_but_reading_is_an_explained_error_and_changes_nothing(opened):
    before = opened.fingerprint()
    for sql in [*WRITING, *CHARACTERS]:
        with pytest.raises(ToolError, match=r"^SQL error: .+"):
            print(repr(sql[:80]), opened.database.query(sql))
    assert opened.fingerprint() == before
    assert opened.database.query("SELECT 1 AS one") == "one\n1"


# These give rows, of which nothing stays.
HARMLESS = {
    "postgresql": [
        "SELECT lo_create(4242)",
        "SELECT pg_advisory_lock(42)",
        "SELECT pg_notify('x', 'y')",
        "SELECT set_config('statement_timeout', '0', false)",
        "SELECT set_config('search_path', 'pg_catalog', false)",
        "SELECT set_config('role', 'none', false)",
        "SELECT $x$ DROP TABLE clients; $x$ AS s",
        "SELECT pg_sleep(0)",
        "TABLE fee_types",
    ],
    "sqlite": [
        "EXPLAIN SELECT 1",
        "EXPLAIN DELETE FROM clients",
        "SELECT last_insert_rowid(), changes(), total_changes()",
    ],
}


def test_what_statements_do_beside_giving_rows_does_not_stay(opened):
    before = opened.fingerprint()
    for sql in HARMLESS[opened.dialect]:
        try:
            opened.database.query(sql)
        except ToolError as error:
            assert "not available" in str(error) or "change nothing" in str(error)  # noqa: PT017
    assert opened.fingerprint() == before
    assert opened.database.query("SELECT count(*) AS n FROM fee_types") == "n\n20"


_COUNTING = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_MANY = "replace(hex(zeroblob(%d)), '0', 'a')"
BOMBS = {
    "both": [
        f"{_COUNTING} SELECT count(*) FROM n",
        f"{_COUNTING} SELECT * FROM n ORDER BY i DESC",
        "SELECT count(*) FROM account_transactions a, account_transactions b, account_transactions c",
        "SELECT * FROM account_transactions, pay_slips, loan_payments ORDER BY amount * gross_pay * interest",
        "WITH RECURSIVE x(s) AS (SELECT 'ab' UNION ALL SELECT s || s FROM x) SELECT max(length(s)) FROM x",
        "SELECT 1;" + "/**/" * 900 + "x",
        "SELECT 1;" + " -- a" * 700 + "\nx",
    ],
    "sqlite": [
        "SELECT randomblob(1000000000)",
        "SELECT hex(zeroblob(1000000000))",
        "SELECT replace(hex(zeroblob(20000)), '0', hex(zeroblob(20000)))",
        f"{_COUNTING} SELECT group_concat(hex(randomblob(9000))) FROM n",
        f"{_COUNTING} SELECT count(DISTINCT hex(randomblob(40000))) FROM n",
        f"{_COUNTING} SELECT hex(randomblob(40000)) AS h FROM n ORDER BY h",
        f"{_COUNTING} SELECT sum(instr({_MANY % 20000}, {_MANY % 9000} || i)) FROM n",
        "SELECT " + ", ".join(["1"] * (MAX_COLUMNS + 1)),
        "SELECT " + "+".join(["1"] * 5000),
    ],
    "postgresql": [
        "SELECT pg_sleep(60)",
        "SELECT set_config('statement_timeout', '0', false), pg_sleep(60)",
        "SELECT count(*) FROM generate_series(1, 100000000000)",
        "SELECT * FROM generate_series(1, 100000000000)",
        "SELECT repeat('x', 2000000000)",
        "SELECT string_agg(repeat('x', 1000000), '') FROM generate_series(1, 100000)",
        "SELECT " + ", ".join(["1"] * (MAX_COLUMNS + 1)),
        "SELECT " + ", ".join(["1"] * 2000),
        "SELECT 1 /* open",
    ],
}


@pytest.mark.usefixtures("impatient")
def test_bombs_are_defused(opened):
    for sql in [*BOMBS["both"], *BOMBS[opened.dialect]]:
        start = time.monotonic()
        with pytest.raises(ToolError, match="SQL error"):
            print(repr(sql[:80]), opened.database.query(sql)[:200])
        assert time.monotonic() - start < 15, sql
        assert opened.database.query("SELECT 1 AS one") == "one\n1"


def test_huge_values_are_cut_where_they_are_made(opened):
    value = {"sqlite": "hex(zeroblob(45000))", "postgresql": "repeat('x', 100000000)"}[opened.dialect]
    assert len(opened.database.query(f"SELECT {value} AS v")) < MAX_CELL + 10
