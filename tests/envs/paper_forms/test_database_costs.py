"""query_sql on SQLite: no query costs much, and its answer is the same in every process, whatever ran before."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import DATA, TESTS
from sizes import sample

from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.accounting.database_loader import load_rows, sqlite_image
from formgym.envs.paper_forms.accounting.generator.database_generator import shipped_database
from formgym.envs.paper_forms.accounting.read_only_database import MAX_TEXT, Database
from formgym.envs.paper_forms.accounting.sandbox import Sandbox
from formgym.envs.paper_forms.accounting.sqlite import FUNCTIONS

WHOLE = json.loads((DATA / "hostile_queries.json").read_text(encoding="utf-8"))
HOSTILE = {name: sample(family, 1) for name, family in WHOLE.items()}
MAX_SECONDS = 2.0
MAX_BYTES = 64 * 1024**2


@pytest.fixture(scope="module")
def database():
    return Database(sqlite_image(shipped_database().tables))


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    """By hostile query, what two processes say: feedback, seconds of the processor, bytes of memory."""
    folder = tmp_path_factory.mktemp("costs")
    load_rows(f"sqlite:///{folder / 'bank.db'}", shipped_database().tables)
    queries = [sql for family in HOSTILE.values() for sql in family]
    (folder / "queries.json").write_text(json.dumps(queries), encoding="utf-8")
    command = [sys.executable, TESTS / "query_costs.py", folder / "bank.db", folder / "queries.json"]
    # One of them on another day, so to speak: nothing that a process has of its own may show.
    others = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    started = [
        subprocess.Popen(command, stdout=subprocess.PIPE, env=os.environ | own, cwd=folder) for own in ({}, others)
    ]
    outputs = [json.loads(process.communicate()[0]) for process in started]
    assert sorted(path.name for path in folder.iterdir()) == ["bank.db", "queries.json"]
    return dict(zip(queries, zip(*outputs, strict=True), strict=True))


def test_there_are_a_hundred_hostile_queries_of_several_families():
    assert sum(map(len, WHOLE.values())) >= 100
    assert len(WHOLE) >= 8


@pytest.mark.parametrize("family", HOSTILE)
def test_no_hostile_query_costs_much(family, costs):
    for sql in HOSTILE[family]:
        for feedback, seconds, size in costs[sql]:
            assert seconds <= MAX_SECONDS, (seconds, sql)
            assert size <= MAX_BYTES, (size, sql)
            assert len(feedback) < MAX_TEXT + 1_000, sql


@pytest.mark.parametrize("family", HOSTILE)
def test_feedback_is_the_same_in_every_process(family, costs):
    for sql in HOSTILE[family]:
        (first, *_), (second, *_) = costs[sql]
        assert first == second, sql


@pytest.mark.parametrize("sql", HOSTILE["what changes by itself"])
def test_what_would_change_by_itself_is_refused_with_advice(sql, database):
    with pytest.raises(ToolError, match=r"not available.*(These are: .*abs|Write a date)|no local time zone"):
        database.query(sql)


@given(st.lists(st.sampled_from([sql for name in sorted(HOSTILE) for sql in HOSTILE[name][:2]]), max_size=3))
@settings(max_examples=5, deadline=None)
def test_an_answer_does_not_depend_on_earlier_queries(database, earlier):
    sql = "SELECT client_id, legal_name FROM clients"
    fresh = Database(sqlite_image(shipped_database().tables)).query(sql)
    for other in earlier:
        try:
            database.query(other)
        except ToolError as error:
            assert str(error).startswith("SQL error: ")  # noqa: PT017
    assert database.query(sql) == fresh


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
    "SELECT key, value FROM json_each('{\"a\": 1}')",
    "SELECT legal_name FROM clients WHERE legal_name LIKE '%a%' OR legal_name GLOB '[A-M]*' ORDER BY 1 COLLATE NOCASE",
    "SELECT (SELECT string_agg(name, ', ') FROM fee_types), max(1, 2), min(1, 2), abs(-1), replace('a', 'a', 'b')",
]


@pytest.mark.parametrize("sql", HONEST)
def test_honest_queries_are_answered(sql, database):
    assert database.query(sql).count("\n") >= 1


def test_every_function_on_the_list_exists(database):
    """It is refused for its arguments, if at all."""
    for name in FUNCTIONS - {"->", "->>"}:
        try:
            database.query(f"SELECT {name}()")
        except ToolError as error:
            assert "no such function" not in str(error), name  # noqa: PT017


def test_only_what_nests_too_deeply_is_called_too_deep(database):
    with pytest.raises(ToolError, match="too deeply nested"):
        database.query(f"SELECT {'abs(' * 900}1{')' * 900}")
    with Sandbox(40_000_000) as sandbox, pytest.raises(ToolError, match="cannot be carried out"):
        # Outside the memory of the sandbox.
        sandbox.call("sqlite3_errmsg", 0x7FFFFFF0)


def test_statements_of_any_length_and_parameters_are_feedback(database):
    for sql in ["SELECT '" + "x" * 10**8 + "'", "SELECT 1;" + ";" * 50_000 + "SELECT 2", "SELECT ?", "SELECT :a"]:
        with pytest.raises(ToolError, match=r"SQL error: (the statement|there are several)"):
            database.query(sql)
