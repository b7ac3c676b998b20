"""Results of training in reports."""

import pytest
from PIL import Image

from formgym.experiments.reporting.report import report_on
from formgym.experiments.training.grounding.training_results import HEADINGS, hits_table, table_rows, training_results

ROWS = [
    "0,cloned,web,all,0.5,0.4,0.6,100",
    "0,cloned,web,tick,0.25,,,8",
    "0,reward,web,all,0.8,0.7,0.9,100",
    "0,reward,web,tick,0.5,,,8",
    "10,cloned,web,all,0.4,0.3,0.5,100",
    "10,cloned,web,tick,0.75,,,8",
]


@pytest.fixture
def folder(tmp_path):
    run = tmp_path / "run"
    run.mkdir()
    (run / "table.csv").write_text("\n".join([",".join(HEADINGS), *ROWS]) + "\n")
    Image.new("RGB", (8, 8)).save(run / "curves.png")
    return tmp_path


def _texts(table):
    return [[cell.text for cell in row.cells] for row in table.rows]


def test_hits_have_a_column_for_each_seed(folder):
    table = hits_table(table_rows(folder / "run/table.csv"), "Hits")
    assert [column.title for column in table.columns] == ["pages", "policy", "seed 0", "seed 10"]
    assert _texts(table) == [["web", "cloned", "0.500", "0.400"], ["web", "reward", "0.800", "–"]]
    assert table.rows[0].cells[2].notes == ("0.40–0.60",)


def test_kinds_have_the_mean_of_the_seeds(folder):
    (result,) = training_results(folder)
    assert _texts(result.kinds) == [["web", "all", "100", "0.45", "0.80"], ["web", "tick", "8", "0.50", "0.50"]]
    assert list(result.pictures) == ["curves.png"]


def test_other_tables_are_no_results(folder):
    (folder / "run/table.csv").write_text("seed,score\n0,1\n")
    assert training_results(folder) == []
    with pytest.raises(ValueError, match="no run in"):
        report_on(folder, None)


def test_a_training_run_has_a_report_of_its_own(folder):
    report_on(folder, None)
    html = (folder / "report.html").read_text()
    assert "Training report" in html
    assert "data:image/png;base64," in html
    assert "0.800" in html
