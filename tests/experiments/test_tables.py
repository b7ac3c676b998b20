"""What reports break down: tables of the paper, forms and users, kinds of fields."""

import re

import pytest
from command_line import formgym_command
from made_runs import made_episode, made_run
from sizes import LONG

from formgym.envs.core.scoring import FieldResult
from formgym.experiments.reporting.field_tables import field_findings
from formgym.experiments.reporting.paper_tables import PAPER_ACCURACY, paper_tables, published
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
    assert [table.title for table in (text, transfer)] == ["Auto loans, facts as text", "Auto loans, document transfer"]
    assert [group.partition(", ")[2] for group, _ in text.column_groups] == ["", "one-shot", "iterative"]
    rows = {row.cells[0].text: row.cells[1:] for row in text.rows if not row.style}
    oracle, ticking = "oracle (ground truth)", "tick_everything (ground_truth_coordinates, ground truth)"
    assert list(rows) == [oracle, ticking]
    alone, found, *iterative = rows[oracle]
    assert alone.text == "100.0"
    assert 0 < float(found.text) < 100
    assert alone.notes[-1].endswith(" + 0.0")
    assert iterative == [EMPTY, EMPTY]
    correct, incorrect = map(float, rows[ticking][2].notes[-1].split(" + "))
    assert incorrect > correct
    assert [row.cells[0].text for row in transfer.rows if not row.style] == ["noop"]


@LONG
def test_published_rows_are_marked_and_whole(folder):
    for metrics in published().form_gym:
        for part in (metrics.base, metrics.field_finder):
            assert all(len(values) == len(metrics.models) for values in part.values())
            assert all(0 <= value <= 100 for values in part.values() for value in values if value is not None)
        assert metrics.base.keys() == metrics.field_finder.keys()
        assert all(any(key.startswith(task) for key in metrics.base) for task in metrics.denominators)
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
    assert [len(rows) for rows in tables.values()] == [10, 8]
    for rows in tables.values():
        assert sum(count for count, _ in rows.values()) == len(run.episodes)
        means = [scores["field_accuracy"]["mean"] * count for count, scores in rows.values()]
        assert sum(means) / len(run.episodes) == pytest.approx(run.summary["scores"]["field_accuracy"]["mean"])
    assert list(group_scores(RunFolder(folder / "shown").read().episodes)) == ["form", "source", "user"]
    assert group_scores(run.episodes[:1]) == {}
    assert group_scores([]) == {}


def official_episode(index, form, user, right, n_fields, **changes):
    """An episode of the published forms with so many right fields."""
    metrics = {PAPER_ACCURACY: right / n_fields, "field_accuracy": 0.5, "strict_accuracy": 0.5}
    metrics |= {"correct_placements": 2.0, "incorrect_placements": 1.0}
    fields = [FieldResult(str(i), "", "text", "x", "x", i < right) for i in range(n_fields)]
    changes = {"metrics": metrics, "fields": fields} | changes
    return made_episode(index, f"{form}/{user}", "FormGym/Official-v0", **changes)


def test_runs_of_the_published_forms_stand_beside_table_3_with_its_denominators(tmp_path):
    pages = {"al_0_0": 78, "al_1_0": 113, "al_2_0": 64, "al_3_0": 102}
    right = {0: 60, 1: 30}
    episodes = [
        official_episode(i, form, user, right[user] if form == "al_1_0" else 2, size)
        for i, (form, size, user) in enumerate((f, s, u) for f, s in pages.items() for u in right)
    ]
    crash = episodes[0].model_copy(update={"ended": "crash", "fields": [], "metrics": None, "error": "broken"})
    text = made_run(tmp_path, "plain", episodes, flow="one_shot")
    found = made_run(tmp_path, "plain", [crash, *episodes[1:]], flow="one_shot", wrappers=["field_finder"])
    query = {"settings": {"task": "database"}, "flow": "iterative"}
    stored = [official_episode(0, "cr_0_0", 0, 9, 25), official_episode(1, "cr_1_0", 0, 0, 26)]
    database = made_run(tmp_path, "plain", stored, **query)
    one = made_run(tmp_path, "plain", episodes, flow="one_shot", settings={"scorer": "published", "user": 0})
    table, second = paper_tables([text, found, database, one])
    assert table.title == "Table 3, the published forms: auto loans"
    assert [group for group, _ in table.column_groups + second.column_groups[1:]] == [
        "",
        "text, one-shot, of 357 fields",
        "text, iterative, of 357 fields",
        "doc transfer, one-shot, of 357 fields",
        "doc transfer, iterative, of 357 fields",
        "database, of 25 fields",
        "funsd, of 50 fields",
    ]
    rows = {row.cells[0].text: row.cells[1:] for row in table.rows if not row.style}
    assert list(rows) == ["plain", "plain (user=0)"]
    # Pooled over the pages, not the mean of pages: (66 + 36) / 2 of 357.
    assert rows["plain"][0].text == "14.3"
    assert rows["plain"][0].notes == ("51.0 of 357", "2 users", "2.0 + 1.0")
    # A crash has its page's fields, all wrong.
    assert rows["plain"][1].notes[:2] == ("50.0 of 357", "2 users")
    assert [cell.text for cell in rows["plain"][2:]] == [EMPTY.text] * 6
    (asked, *published_rows) = second.rows
    assert asked.cells[0].text == "plain (iterative)"
    assert (asked.cells[1].text, asked.cells[1].notes[:2]) == ("36.0", ("9.0 of 25", "1 user"))
    theirs = {
        row.cells[0].text: [cell.text for cell in row.cells[1:]] for row in table.rows if row.style == "published"
    }
    assert theirs["GPT-4o"] == ["0.6", "12.2", "0.6", "17.2", "0.0", "7.1", "0.6", "6.4"]
    assert [cell.text for cell in published_rows[2].cells] == ["GPT-4o", "0.0", "0.0", "2.0", "56.0"]
    assert theirs["Operator"][2] == "18.3"
    assert theirs["Operator"][1] == EMPTY.text
