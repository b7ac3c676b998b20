"""Web forms in the report: tables and plots say what the records say."""

import re
import sys
from dataclasses import replace
from html.parser import HTMLParser
from random import Random

import pytest
from made_runs import made_run
from sizes import LONG
from web_runs_fixture import atomic_run, filled, scored_episode, whole_form_run

from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.instances.instance_generator import make_instance
from formgym.envs.web_forms.scoring import ATOMIC_KINDS, scored_fields
from formgym.experiments.reporting.paper_tables import published
from formgym.experiments.reporting.plots import svg
from formgym.experiments.reporting.report import write_report
from formgym.experiments.reporting.run_tables import group_scores, group_tables
from formgym.experiments.reporting.web_results import conditions, kind_groups, sizes, web_results
from formgym.experiments.terminal.console import EMPTY

FORMS = web_forms()
SKILLS = {("noop", ()): 0, ("model", ()): 0.5, ("model", ("ruler",)): 0.9}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("web")
    whole = [
        whole_form_run(folder, form, agent, skill, wrappers, episodes=2)
        for (agent, wrappers), skill in SKILLS.items()
        for form in FORMS
    ]
    return [*whole, atomic_run(folder, "model", 0.5, episodes=60)]


@pytest.fixture(scope="module")
def html(runs, tmp_path_factory):
    # Of every fifth form, and of single fields.
    return write_report(runs[::5], tmp_path_factory.mktemp("out") / "report.html", 0).read_text(encoding="utf-8")


class Strict(HTMLParser):
    """Complains of elements that are not closed in order."""

    VOID = ("meta", "link", "input", "br")

    def __init__(self, html):
        super().__init__()
        self.open, self.complaints = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        if tag not in self.VOID:
            self.open.append(tag)

    def handle_endtag(self, tag):
        if self.open.pop() != tag:
            self.complaints.append((tag, self.getpos()))


def section(html):
    return re.search(r'<section id="web">.*?</section>', html, re.DOTALL).group()


@LONG
def test_no_section_without_web_forms(runs, tmp_path):
    paper = replace(runs[0], summary=runs[0].summary | {"env": "FormGym/Scans-v0"})
    html = write_report([paper], tmp_path / "report.html", 0).read_text(encoding="utf-8")
    assert 'id="web"' not in html
    assert web_results([paper]) is None


def test_conditions_tell_a_ruler_apart(runs):
    found = {condition.name: condition for condition in conditions(runs)}
    assert list(found) == ["noop", "model", "model (ruler)"]
    assert all(len(condition.forms) == len(FORMS) for condition in found.values())
    assert len(found["model"].single) == 60
    other = replace(runs[0], summary=runs[0].summary | {"flow": "one_shot", "settings": {"backend": "chromium"}})
    assert "noop (one_shot, backend=chromium)" in {c.name for c in conditions([*runs, other])}


def test_groups_of_difficulty_are_fifths_by_number_of_fields(runs):
    forms = sizes(conditions(runs))
    assert len(forms) == len(FORMS)
    assert [form.group for form in forms] == [1 + 5 * i // len(forms) for i in range(len(forms))]
    assert [form.fields for form in forms] == sorted(len(web_form(name).fields) for name in FORMS)
    for form in forms:
        (definition,) = (web_form(name) for name in FORMS if name.replace("_", "") == form.form.casefold())
        assert form.kinds == len({ATOMIC_KINDS[field.control] for field in definition.fields})


def test_kinds_are_counted_from_the_records(runs):
    single, whole = kind_groups(conditions(runs)).values()
    for groups, some in ((single, runs[-1:]), (whole, runs[:-1])):
        fields = [
            (f"model{' (ruler)' * bool(run.summary['wrappers'])}" if run.summary["agent"] != "noop" else "noop", field)
            for run in some
            for episode in run.episodes
            for field in episode.fields
            if field.expected is not None
        ]
        for group in groups:
            for condition, (count, scores) in group.results.items():
                alike = [f for name, f in fields if name == condition and group.labels[0] in (f.kind, "all")]
                assert count == len(alike)
                correct = sum(f.correct for f in alike) / len(alike)
                assert scores["field_accuracy"]["mean"] == pytest.approx(correct)
                clicked = sum(f.metrics["click_accuracy"] for f in alike) / len(alike)
                assert scores["click_accuracy"]["mean"] == pytest.approx(clicked)
                assert ("description_bleu" in scores) == any(f.kind == "Description" for f in alike)


def test_the_papers_table_has_our_rows_and_the_published_ones(runs):
    table = published().form_factory
    rows = web_results(runs).paper.rows
    assert [row.cells[0].text for row in rows if row.style] == list(table.click) == list(table.value)
    assert all(len(row.cells) == 1 + 2 * len(table.columns) for row in rows)
    bleu = [row.cells[2 + 2 * table.columns.index("Description")] for row in rows]
    assert all(0 <= float(cell.text) <= 1 for cell in bleu if cell != EMPTY)
    found = {condition.name: condition for condition in conditions(runs)}
    single = kind_groups(list(found.values()))["Single fields (atomic)"]
    groups = {group.labels[0]: group.results for group in single}
    for name, *cells in (row.cells for row in rows if not row.style):
        for column, cell in zip(table.columns[:-1], cells[::2], strict=False):
            result = groups.get(column, {}).get(name.text)
            assert (cell == EMPTY) == (result is None)
            if result:
                scores = result[1]
                assert float(cell.text) == pytest.approx(100 * scores["click_accuracy"]["mean"], abs=0.051)
        assert (cells[-1] == EMPTY) == (not found[name.text].forms)


def test_points_and_bars_lie_where_the_metrics_say(runs):
    for plot in web_results(runs).plots:
        assert len(plot.panels) == 3
        assert [name for _, name in plot.legend] == ["noop", "model", "model (ruler)"]
        for panel in plot.panels:
            assert [len(series.points) for series in panel.series] == [len(FORMS)] * 3
            assert all(0 <= one.low <= one.mean <= one.high <= 1 for series in panel.series for one in series.points)
    click = [column.title for column in plot.table.columns].index("click accuracy")
    (ruled,) = (row.cells for row in plot.table.rows[:3] if row.cells[2].text == "model (ruler)")
    line = plot.panels[1].series[2].line
    assert len(line) == 5
    assert line[0].mean == pytest.approx(float(ruled[click].text), abs=5e-4)


def test_plots_take_the_colours_of_the_page_and_can_be_missing(runs, monkeypatch):
    panel = web_results(runs).plots[0].panels[0]
    drawing = svg(panel)
    assert drawing == svg(panel)
    assert set(re.findall(r"#[0-9a-f]{6}", drawing)) <= {"#000000", "#ffffff"}
    assert {"var(--series-0)", "var(--series-2)", "var(--quiet)"} <= set(re.findall(r"var\([\w-]+\)", drawing))
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    assert svg(panel) is None


def test_report_shows_it_without_scripts(html):
    web = section(html)
    assert "<script" not in web
    assert web.count('class="panel"') == 9
    assert '<a href="#web">' in html
    assert "fifths of the forms" in web
    assert "nan" not in web.casefold().replace("planning", "").replace("finan", "")
    strict = Strict(web)
    assert strict.open == strict.complaints == []
    for title in ("click accuracy", "value accuracy", "BLEU of descriptions", "success"):
        assert title in web
    assert "<dt>value accuracy</dt>" in html
    assert "<dt>placement accuracy</dt>" not in html


def test_names_from_outside_do_not_come_alive(runs, tmp_path):
    nasty = [replace(run, summary=run.summary | {"agent": "<script>x</script>"}) for run in runs[:2]]
    html = write_report(nasty, tmp_path / "report.html", 0).read_text(encoding="utf-8")
    assert "<script>x" not in html
    assert "&lt;script&gt;x" in section(html)


def test_unscored_and_missing_episodes_make_no_trouble(runs, tmp_path):
    run = runs[0]
    failed = run.episodes[0].model_copy(update={"error": "no provider", "metrics": None, "fields": []})
    empty = replace(run, episodes=(failed,), summary=run.summary | {"scores": {}})
    assert web_results([empty]) is None
    write_report([empty, run], tmp_path / "report.html", 0)
    one = replace(run, episodes=run.episodes[:1])
    (row,) = web_results([one]).tables[-1].rows
    assert not any(cell.notes for cell in row.cells)
    write_report([one], tmp_path / "report.html", 1)


def test_a_form_of_ones_own_finds_its_group(runs):
    own = replace(runs[0], summary=runs[0].summary | {"env": "FormFactory/MyOwn-v0"})
    assert {form.form: form.group for form in sizes(conditions([own, *runs]))}["MyOwn"] in range(1, 6)


def test_pages_of_ones_own_are_forms_of_their_own(runs):
    summary = runs[0].summary | {"env": "FormFactory/Custom-v0"}
    folders = ("a/contact", "/b/order", "/c/order")
    own = [replace(run, summary=summary | {"settings": {"form": f}}) for f, run in zip(folders, runs, strict=False)]
    (condition,) = conditions(own)
    assert condition.name == "noop"
    assert {form: list(run.episodes) for form, run in zip(folders, own, strict=True)} == condition.forms
    names = [rows[0].cells[0].text for _, rows in web_results(own).tables[-1].row_groups]
    assert sorted(names) == ["contact", "order", "order"]


def test_a_run_that_failed_takes_nothing_from_the_one_before(runs):
    failed = [episode.model_copy(update={"error": "no provider"}) for episode in runs[-1].episodes]
    (condition,) = conditions([runs[-1], replace(runs[-1], episodes=tuple(failed))])
    assert len(condition.single) == 60


def test_groups_have_every_column_where_a_metric_is_missing(tmp_path):
    episodes = []
    for form in FORMS[:3]:
        fields = [f for f in scored_fields(web_form(form), make_instance(form, "test", 0).values) if f.needs_entry]
        for field in fields[:4] + [f for f in fields if f.control == "textarea"][:1] * (form == FORMS[0]):
            score = filled([field], 1, Random(0))
            task = f"{form}/{field.name}/test_0"
            episodes.append(scored_episode(len(episodes), "FormFactory/Atomic-v0", task, score))
    assert len(group_scores(episodes)["form"]) == 3
    assert all(len(row.cells) == len(table.columns) for table in group_tables(episodes) for row in table.rows)
    write_report([made_run(tmp_path, "model", episodes)], tmp_path / "report.html", 0)


def test_published_forms_are_a_row_of_the_papers_table(tmp_path):
    score = filled(scored_fields(web_form("nda"), make_instance("nda", "test", 0).values), 1.0, Random(0))
    env = "FormFactory/Published-v0"
    whole = made_run(tmp_path, "model", [scored_episode(0, env, "nda_submission/1", score)])
    single = made_run(tmp_path, "model", [scored_episode(0, env, "nda_submission/partyName/1", score)])
    single = replace(
        single, summary=single.summary | {"settings": {"mode": "atomic", "root": "x", "allow_commands": True}}
    )
    (condition,) = conditions([whole, single])
    assert condition.name == "model (published forms)"
    assert list(condition.forms) == ["nda submission"]
    assert len(condition.single) == 1
    row = web_results([whole, single]).paper.rows[0]
    assert EMPTY not in (row.cells[1], row.cells[-1])
