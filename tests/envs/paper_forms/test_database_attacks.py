"""query_sql under attack: only reading works, nothing stays, nothing costs much, and answers are always the same."""

import json
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from paths import DATA, TESTS
from sizes import sample, some

from formgym.envs.core.tools import ToolError
from formgym.envs.paper_forms.accounting.generator.database_generator import shipped_database
from formgym.envs.paper_forms.accounting.generator.database_schema import TABLES, sqlite_image
from formgym.envs.paper_forms.accounting.sql_sandbox import FUNCTIONS, MAX_CELL, MAX_COLUMNS, MAX_TEXT, Database

WHOLE = json.loads((DATA / "hostile_queries.json").read_text(encoding="utf-8"))
HOSTILE = {name: sample(family, 1) for name, family in WHOLE.items()}
MAX_SECONDS = 1.0
"""Four times what the slowest query needs on an idle machine."""
MAX_BYTES = 64 * 1024**2


@pytest.fixture(scope="module")
def database():
    return Database(sqlite_image(shipped_database().tables))


WRITING = (DATA / "refused_queries.txt").read_text(encoding="utf-8").splitlines()


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


def test_anything_but_reading_is_an_explained_error_and_changes_nothing(database, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before = [database.query(f"SELECT * FROM {table}") for table in TABLES]
    for sql in [*WRITING, *CHARACTERS]:
        with pytest.raises(ToolError, match=r"^SQL error: .+"):
            print(repr(sql[:80]), database.query(sql))
    assert [database.query(f"SELECT * FROM {table}") for table in TABLES] == before
    assert list(tmp_path.iterdir()) == []


_COUNTING = "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n)"
_LONG = "WITH RECURSIVE n(i, s) AS (SELECT 1, printf('%%.%dc', '1') UNION ALL SELECT i + 1, s FROM n)"
BOMBS = [
    "SELECT 1;" + "/**/" * 900 + "x",
    "SELECT 1;" + " -- a" * 700 + "\nx",
    "SELECT randomblob(1000000000)",
    "SELECT " + ", ".join(["1"] * (MAX_COLUMNS + 1)),
    "SELECT " + "+".join(["1"] * 5000),
    "SELECT '" + "x" * 10**8 + "'",
    "SELECT 1;" + ";" * 50_000 + "SELECT 2",
    "SELECT printf('%*d', 1000000000, 1)",
    "SELECT printf('" + "%.9999c" * 400 + "')",
    f"{_COUNTING} SELECT max(strftime('{'%J' * 400}', i)) FROM n",
    f"{_COUNTING} SELECT max(round(i / 3.0, 30) || round(i / 7.0, 20) || CAST(i / 9.0 AS TEXT)) FROM n",
    f"{_COUNTING} SELECT sum({'upper(' * 300}i{')' * 300}) FROM n",
    # Numbers, texts and rows of every length that a tier of limits allows.
    *(f"{_LONG % size} SELECT sum({'+'.join('s' * 20)}) FROM n" for size in (240, 950, 9_900)),
    *(f"{_LONG % size} SELECT count(DISTINCT s || i) FROM n" for size in (240, 950, 9_900)),
    *(f"{_LONG % size} SELECT i FROM n ORDER BY (s || i * 7919 % 10007) COLLATE NOCASE" for size in (240, 950, 9_900)),
    *(f"{_LONG % size} SELECT sum(instr(s, '1111' || i)) FROM n" for size in (240, 950, 9_900)),
]


@pytest.fixture(scope="module")
def costs(tmp_path_factory):
    """By hostile query, feedback, seconds of the processor, and bytes of memory, in one or two processes."""
    folder = tmp_path_factory.mktemp("costs")
    (folder / "bank.db").write_bytes(sqlite_image(shipped_database().tables))
    queries = [*(sql for family in HOSTILE.values() for sql in family), *BOMBS]
    # Some are asked on another day, so to speak: nothing that a process has of its own may show.
    others = {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo", "LC_ALL": "C"}
    costs = {sql: [] for sql in queries}
    for own, asked in (({}, queries), (others, sample(queries, 8))):
        (folder / "queries.json").write_text(json.dumps(asked), encoding="utf-8")
        command = [sys.executable, TESTS / "query_costs.py", folder / "bank.db", folder / "queries.json"]
        output = subprocess.run(command, stdout=subprocess.PIPE, env=os.environ | own, cwd=folder, check=True).stdout
        for sql, cost in zip(asked, json.loads(output), strict=True):
            costs[sql].append(cost)
    assert sorted(path.name for path in folder.iterdir()) == ["bank.db", "queries.json"]
    return costs


def test_there_are_a_hundred_hostile_queries_of_several_families():
    assert sum(map(len, WHOLE.values())) >= 100
    assert len(WHOLE) >= 8


@pytest.mark.parametrize("family", [*HOSTILE, "bombs"])
def test_no_hostile_query_costs_much_and_each_has_one_answer(family, costs):
    for sql in HOSTILE.get(family, BOMBS):
        for feedback, seconds, size in costs[sql]:
            assert seconds <= MAX_SECONDS, (seconds, sql[:200])
            assert size <= MAX_BYTES, (size, sql[:200])
            assert len(feedback) < MAX_TEXT + 1_000, sql[:200]
        assert len({feedback for feedback, _, _ in costs[sql]}) == 1, sql[:200]


@pytest.mark.parametrize("sql", BOMBS, ids=range(len(BOMBS)))
def test_bombs_are_explained_errors(sql, costs):
    assert costs[sql][0][0].startswith("SQL error: ")


@pytest.mark.parametrize("sql", HOSTILE["what changes by itself"])
def test_what_would_change_by_itself_is_refused_with_advice(sql, database):
    refused = r"(?:not available|no such function).*(These are: .*abs|Write a date)|no local time zone"
    with pytest.raises(ToolError, match=refused):
        database.query(sql)


@given(st.lists(st.sampled_from([sql for name in sorted(HOSTILE) for sql in HOSTILE[name][:2]]), max_size=3))
@settings(max_examples=some(8, 5), deadline=None)
def test_an_answer_does_not_depend_on_earlier_queries(database, earlier):
    sql = "SELECT client_id, legal_name FROM clients"
    fresh = Database(sqlite_image(shipped_database().tables)).query(sql)
    for other in earlier:
        try:
            database.query(other)
        except ToolError as error:
            assert str(error).startswith("SQL error: ")  # noqa: PT017
    assert database.query(sql) == fresh


def test_every_function_on_the_list_exists(database):
    """It is refused for its arguments, if at all."""
    for name in FUNCTIONS:
        try:
            database.query(f"SELECT {name}()")
        except ToolError as error:
            assert "no such function" not in str(error), name  # noqa: PT017


@pytest.mark.parametrize(
    ("sql", "words"),
    [
        ("SELECT hex(zeroblob(5001))", "A value has at most 10,000 bytes"),
        ("SELECT ?, :a", "has parameters"),
        ("SELECT no_such_function(1)", "no such function: no_such_function. These are: abs, .*zeroblob"),
        ("SELECT json_array(1)", r"the function json_array\(\) is not available. These are: abs"),
        ("PRAGMA database_list", "PRAGMA database_list is not available. These are: foreign_key_list"),
        ("EXPLAIN SELECT 1", "EXPLAIN QUERY PLAN is"),
        (f"{_COUNTING} SELECT count(*) FROM n", "needs too much work"),
        (f"{_COUNTING} SELECT group_concat(i) FROM n", "needs too much work"),
        ("SELECT upper('a', 'b')", "wrong number of arguments to function upper"),
        ("SELECT date('2020-01-01', 'localtime')", "no local time zone"),
        ("SELECT strftime('%Y')", "current date and time are not available"),
    ],
)
def test_feedback_says_what_to_do(sql, words, database):
    with pytest.raises(ToolError, match=words):
        database.query(sql)


def test_huge_values_are_cut_where_they_are_made(database):
    assert len(database.query("SELECT hex(zeroblob(4500)) AS v")) < MAX_CELL + 10
