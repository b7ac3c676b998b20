"""What reports break down: tables of the paper, forms and users, kinds of fields."""

import re

import pytest
from command_line import formgym_command
from sizes import LONG

from formgym.experiments.reporting.field_tables import field_findings
from formgym.experiments.reporting.paper_tables import paper_tables, published
from formgym.experiments.reporting.report import write_report
from formgym.experiments.reporting.run_tables import group_scores
from formgym.experiments.running.run_folder import RunFolder, find_runs
from formgym.experiments.terminal.console import EMPTY

RUNS = {
    "plain": ["agent=oracle", "flow=one_shot", "episodes=4"],
    "found": ["agent=oracle", "flow=one_shot", "wrappers=[field_finder]", "episodes=4"],
    "ticked": ["agent=tick_everything", "flow=iterative", "wrappers=[ground_truth_coordinates]"],
    "shown": ["agent=noop", "flow=iterative", "env=formgym/auto_loans_doc_transfer", "episodes=4"],
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    folder = tmp_path_factory.mktemp("tables")
    for name, overrides in RUNS.items():
        assert formgym_command("sweep", *overrides, f"run_dir={name}", cwd=folder).returncode == 0
    return folder


@LONG
def test_our_rows_stand_in_the_tables_of_the_paper(folder):
    text, transfer = paper_tables(list(find_runs(folder)))
    assert [table.title.split(":")[0] for table in (text, transfer)] == ["Table 3", "Table 4"]
    assert [group.partition(", ")[2] for group, _ in text.column_groups] == ["", "one-shot", "iterative"]
    rows = {row.cells[0].text: row.cells[1:] for row in text.rows if not row.style}
    ticking = "tick_everything (ground_truth_coordinates)"
    assert list(rows) == ["oracle", ticking]
    alone, found, *iterative = rows["oracle"]
    assert alone.text == found.text == "100.0"
    assert alone.notes[-1].endswith(" + 0.0")
    assert iterative == [EMPTY, EMPTY]
    correct, incorrect = map(float, rows[ticking][2].notes[-1].split(" + "))
    assert incorrect > correct
    assert [row.cells[0].text for row in transfer.rows if not row.style] == ["noop"]


@LONG
def test_published_rows_are_marked_and_whole(folder):
    metrics = published().form_gym
    for part in (metrics.base, metrics.field_finder):
        assert all(len(values) == len(metrics.models) for values in part.values())
        assert all(0 <= value <= 100 for values in part.values() for value in values)
    assert metrics.base.keys() == metrics.field_finder.keys()
    (table, *_) = paper_tables(list(find_runs(folder)))
    assert tuple(row.cells[0].text for row in table.rows if row.style == "published") == metrics.models
    html = write_report(list(find_runs(folder)), folder / "report.html", 0).read_text(encoding="utf-8")
    assert html.count('class="published"') == 2 * len(metrics.models)
    assert html.count("<small>published</small>") == 2 * len(metrics.models)
    assert "2506.14079" in html


@LONG
def test_ticking_everything_is_far_worth_less_than_the_paper_says_and_the_report_says_so(folder):
    run = RunFolder(folder / "ticked").read()
    rows = {row.kind: row for row in field_findings(run.episodes).kinds}
    assert rows["checkbox"].accuracy["mean"] == 1.0
    assert rows["checkbox"].strict["mean"] < 0.4
    assert [kind for kind, row in rows.items() if row.is_flattered] == ["checkbox"]
    scores = run.summary["scores"]
    assert scores["strict_accuracy"]["mean"] < 0.9 * scores["field_accuracy"]["mean"]
    html = write_report([run], folder / "ticked.html", 0).read_text(encoding="utf-8")
    text = re.sub(r"\s+", " ", html)
    assert "Checkbox fields: the paper's accuracy says 1.000, the strict one 0." in text.replace("&#39;", "'")


@LONG
def test_forms_users_and_sources_have_their_own_metrics(folder):
    run = RunFolder(folder / "ticked").read()
    tables = group_scores(run.episodes)
    assert list(tables) == ["form", "user"]
    assert [len(rows) for rows in tables.values()] == [10, 4]
    for rows in tables.values():
        assert sum(count for count, _ in rows.values()) == len(run.episodes)
        means = [scores["field_accuracy"]["mean"] * count for count, scores in rows.values()]
        assert sum(means) / len(run.episodes) == pytest.approx(run.summary["scores"]["field_accuracy"]["mean"])
    assert list(group_scores(RunFolder(folder / "shown").read().episodes)) == ["form", "source", "user"]
    assert group_scores(run.episodes[:1]) == {}
    assert group_scores([]) == {}
