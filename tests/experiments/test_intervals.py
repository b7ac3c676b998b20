"""Intervals go by what episodes share; agents are compared on the same tasks."""

import json

import numpy as np
import pytest
from command_line import formgym_command
from hypothesis import given
from hypothesis import strategies as st
from made_runs import LOANS, made_episode, made_run
from sizes import LONG

from formgym.experiments.reporting.comparisons import compare_runs, exact_mcnemar
from formgym.experiments.running.intervals import (
    clusters_of,
    mean_with_interval,
    rate_with_interval,
    scores_of,
    share_with_interval,
    wilson,
)
from formgym.experiments.terminal.console import mean_cell


def episode_of(index, task, env=LOANS, **metrics):
    return made_episode(index, task, env, metrics or None)


def loan_tasks():
    return [f"form_{form}/user_{user}" for form in range(10) for user in range(4)]


def width(score):
    return score["ci95"][1] - score["ci95"][0]


@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted), max_size=12))
def test_a_share_lies_in_its_interval(pairs):
    parts, wholes = [p for p, _ in pairs], [w for _, w in pairs]
    share = share_with_interval(parts, wholes)
    if not sum(wholes):
        assert share == {"mean": None, "ci95": None}
        return
    assert share["mean"] == pytest.approx(sum(parts) / sum(wholes))
    if share["ci95"] is not None:
        low, high = share["ci95"]
        assert 0 <= low <= high <= 1


def test_a_share_is_sure_where_there_is_much():
    rng = np.random.default_rng(0)
    wholes = rng.integers(50, 100, 300)
    low, high = share_with_interval(rng.binomial(wholes, 0.3), wholes)["ci95"]
    assert 0.28 < low < 0.3 < high < 0.32


def test_without_values_there_is_no_interval():
    assert mean_with_interval([]) == {"mean": None, "ci95": None}
    assert mean_with_interval([0.5]) == {"mean": 0.5, "ci95": None}


def _coverage(draw, interval, expected, n=400):
    rng, covered = np.random.default_rng(5), 0
    for _ in range(n):
        low, high = interval(*draw(rng))["ci95"]
        covered += low <= expected <= high
    return covered / n


@pytest.mark.parametrize("sizes", ["equal", "unequal"])
@pytest.mark.parametrize("n_clusters", [3, 4, 5, 8, 12, 20, 40])
def test_intervals_of_means_cover_what_they_say_from_3_clusters_on(n_clusters, sizes):
    def draw(rng):
        form = np.repeat(np.arange(n_clusters), 5 if sizes == "equal" else rng.integers(1, 12, n_clusters))
        return rng.normal(size=n_clusters)[form] + rng.normal(size=len(form)), {"form": form}

    # The percentile bootstrap covers 78 % at 3 clusters and 84 % at 5.
    assert _coverage(draw, mean_with_interval, 0) >= 0.92


@pytest.mark.parametrize(("form_sd", "user_sd", "noise_sd"), [(0.2, 0.02, 0.1), (0.1, 0.1, 0.1), (0.0, 0.0, 0.2)])
@pytest.mark.parametrize(("n_forms", "n_users"), [(3, 3), (10, 4), (20, 10)])
def test_intervals_by_form_and_user_cover_what_they_say(n_forms, n_users, form_sd, user_sd, noise_sd):
    form, user = np.repeat(np.arange(n_forms), n_users), np.tile(np.arange(n_users), n_forms)

    def draw(rng):
        values = form_sd * rng.normal(size=n_forms)[form] + user_sd * rng.normal(size=n_users)[user]
        return values + noise_sd * rng.normal(size=len(form)), {"form": form, "user": user}

    assert _coverage(draw, mean_with_interval, 0) >= 0.92


@pytest.mark.parametrize("rate", [0.03, 0.2, 0.5, 0.9, 0.97])
@pytest.mark.parametrize("n_clusters", [3, 5, 8, 20, 40])
def test_intervals_of_rates_cover_what_they_say_near_0_and_1_too(n_clusters, rate):
    def draw(rng):
        # Within a form outcomes correlate by .3.
        form = np.repeat(np.arange(n_clusters), rng.integers(1, 12, n_clusters))
        chances = rng.beta(rate * 7 / 3, (1 - rate) * 7 / 3, n_clusters)
        return (rng.random(len(form)) < chances[form]).astype(float), {"form": form}

    assert _coverage(draw, rate_with_interval, rate) >= 0.92


def test_an_interval_lies_within_the_bounds_of_its_values_where_all_of_them_do():
    # A difference that is 0 or above on every task may be below 0 on others.
    assert mean_with_interval([0.0, 0.0, 0.1], bounds=(-1, 1))["ci95"][0] < 0
    assert mean_with_interval([0.0, 0.0, 0.1])["ci95"][0] == 0
    assert mean_with_interval([0.9, 1.0, 1.0], bounds=(-1, 1))["ci95"][1] == 1
    count = scores_of([episode_of(i, t, incorrect_placements=2.0 * (i < 2)) for i, t in enumerate(loan_tasks()[::9])])
    assert count["incorrect_placements"]["ci95"][0] == 0
    assert count["incorrect_placements"]["ci95"][1] > 1


def test_an_interval_by_few_clusters_is_marked():
    few, many = (mean_with_interval(np.linspace(0, 1, 24), {"form": np.arange(24) % n}) for n in (7, 8))
    assert (few["clusters"], "clusters" in many) == (7, False)
    assert mean_cell(few).notes[0].endswith(" †7")
    assert "†" not in mean_cell(many).notes[0]


def test_an_interval_on_the_loan_forms_is_wider_than_by_episode():
    rng = np.random.default_rng(0)
    skill = dict(zip((f"form_{i}" for i in range(10)), rng.uniform(0, 1, 10), strict=True))
    values = [skill[task.split("/")[0]] for task in loan_tasks()]
    score = scores_of(
        [episode_of(i, t, strict_accuracy=v) for i, (t, v) in enumerate(zip(loan_tasks(), values, strict=True))]
    )
    assert width(score["strict_accuracy"]) > 1.5 * width(mean_with_interval(values))


@pytest.mark.parametrize(
    ("env", "tasks", "factors"),
    [
        (LOANS, ["a/u", "a/v", "b/u", "b/v"], {"form": 2, "user": 2}),
        (LOANS, ["a/1", "a/2", "b/3", "b/4"], {"form": 2}),
        (LOANS, ["a/u", "a/v"], {"user": 2}),
        ("FormGym/AutoLoans-DocTransfer-v0", ["a/b/u", "a/b/v", "b/a/u", "b/a/v"], {"form": 2, "user": 2}),
        ("FormGym/Database-v0", ["a/c", "a/d", "b/c", "b/d"], {"form": 2, "case": 2}),
        ("FormGym/FUNSD-v0", ["p#1", "p#2", "q#1"], {"page": 2}),
        ("FormGym/Scans-v0", ["p", "q", "q"], {"page": 2}),
        ("FormFactory/Atomic-v0", ["a/f/test_0", "a/g/test_0", "b/h/test_0"], {"form": 2}),
        ("FormFactory/Nda-v0", ["nda/test_0", "nda/test_1", "nda/test_1"], {"task": 2}),
        ("DocEdit/Grounding-v0", ["menu/test_0", "menu/test_1", "poster/test_0"], {"document": 2}),
        ("DocEdit/Invoice-v0", ["invoice/test_0", "invoice/test_1"], {"task": 2}),
        ("DocEdit/External-v0", ["pptc/deck/1", "pptc/deck/2", "pptc/other/1"], {"name": 2}),
        ("Mine/Own-v0", ["x", "y"], {"task": 2}),
        (LOANS, ["a/u", "a/u"], {}),
        (LOANS, [], {}),
    ],
)
def test_episodes_go_together_by_what_they_share(env, tasks, factors):
    found = clusters_of([episode_of(i, task, env) for i, task in enumerate(tasks)])
    assert {name: int(levels.max()) + 1 for name, levels in found.items()} == factors


def test_a_task_that_is_played_again_tells_nothing_new():
    values = np.random.default_rng(0).uniform(size=20)
    once = [episode_of(i, f"nda/test_{i}", "FormFactory/Nda-v0", success=v) for i, v in enumerate(values)]
    often = [episode_of(i + 20 * k, e.task, e.env, **e.metrics) for k in range(5) for i, e in enumerate(once)]
    widths = [width(scores_of(episodes)["success"]) for episodes in (once, often)]
    assert widths[1] == pytest.approx(widths[0], rel=0.05)


def test_rates_have_wilsons_interval():
    episodes = [episode_of(i, f"nda/test_{i}", "FormFactory/Nda-v0", success=float(i < 8)) for i in range(20)]
    score = scores_of(episodes)["success"]
    assert score["ci95"] == pytest.approx(wilson(0.4, 20), abs=0.02)
    never = scores_of([episode_of(i, e.task, e.env, success=0.0) for i, e in enumerate(episodes)])["success"]
    assert never == {"mean": 0.0, "ci95": [0.0, pytest.approx(0.161, abs=0.001)]}


def test_a_rate_that_goes_by_form_has_fewer_effective_trials():
    by_form = [episode_of(i, t, success=float(int(t[5]) < 4)) for i, t in enumerate(loan_tasks())]
    score = scores_of(by_form)["success"]
    assert width(score) > 1.5 * (wilson(0.4, 40)[1] - wilson(0.4, 40)[0])


def test_counts_are_no_rates():
    score = scores_of([episode_of(i, t, incorrect_placements=0.0) for i, t in enumerate(loan_tasks())])
    assert score["incorrect_placements"]["ci95"] == [0.0, 0.0]


@pytest.mark.parametrize(("wins", "p"), [((1, 9), 0.021484), ((0, 3), 0.25), ((5, 5), 1.0), ((0, 0), 1.0)])
def test_mcnemar_is_the_exact_test(wins, p):
    assert exact_mcnemar(*wins)["p"] == pytest.approx(p, abs=1e-6)


def test_agents_are_compared_task_by_task_and_what_one_lacks_is_at_its_bounds(tmp_path):
    tasks = loan_tasks()
    rng = np.random.default_rng(0)
    hard = rng.uniform(0, 0.8, 40)
    weak = [episode_of(i, tasks[i], strict_accuracy=hard[i], success=0.0) for i in range(40)]
    strong = [episode_of(i, tasks[i], strict_accuracy=hard[i] + 0.1, success=1.0) for i in range(40)]
    weak_run, strong_run = made_run(tmp_path, "weak", weak), made_run(tmp_path, "strong", strong[::-1])
    (comparison,) = compare_runs([strong_run, weak_run])
    assert (comparison.episodes, comparison.first, comparison.second) == (40, "strong (iterative)", "weak (iterative)")
    difference = comparison.metrics["strict_accuracy"]
    assert difference["mean"] == pytest.approx(0.1)
    # The tasks are unlike each other, but the difference is the same on all of them.
    assert difference["ci95"] == pytest.approx([0.1, 0.1])
    assert difference["mcnemar"] is None
    assert comparison.metrics["success"]["mcnemar"] == exact_mcnemar(40, 0)
    # Whether episodes are unscored or were not played makes no difference.
    for some in ([*strong[:5], *(episode_of(i, tasks[i]) for i in range(5, 40))], strong[:5]):
        (comparison,) = compare_runs([made_run(tmp_path, "few", some), weak_run])
        assert (comparison.episodes, comparison.missing) == (5, 35)
        difference = comparison.metrics["strict_accuracy"]
        assert difference["mean"] == pytest.approx(0.1)
        low, high = difference["ci95"]
        assert low < (0.5 - hard[5:].sum()) / 40 < (0.5 + (1 - hard[5:]).sum()) / 40 < high
        assert comparison.metrics["success"]["mcnemar"] is None


def test_other_tasks_and_other_environments_are_not_compared(tmp_path):
    here = made_run(tmp_path, "one", [episode_of(0, "a/u", strict_accuracy=1.0)])
    elsewhere = made_run(tmp_path, "two", [episode_of(0, "b/u", strict_accuracy=1.0)])
    other = made_run(tmp_path, "two", [episode_of(0, "a/u", "FormGym/AutoLoans-GUI-v0", strict_accuracy=1.0)])
    assert compare_runs([here, elsewhere]) == compare_runs([here, other]) == compare_runs([]) == []


def test_of_many_runs_each_is_compared_with_the_best(tmp_path):
    runs = [made_run(tmp_path, f"agent_{i}", [episode_of(0, "a/u", strict_accuracy=i / 9)]) for i in range(9)]
    found = compare_runs(runs)
    assert len(found) == 8
    assert {comparison.first for comparison in found} == {"agent_8 (iterative)"}


def test_runs_of_one_agent_are_told_apart_by_their_seeds(tmp_path):
    runs = [made_run(tmp_path, "mine", [episode_of(0, "a/u", strict_accuracy=1.0)], seed=seed) for seed in (3, 4)]
    (comparison,) = compare_runs(runs)
    assert (comparison.first, comparison.second) == ("mine (iterative), seed 3", "mine (iterative), seed 4")


@LONG
def test_a_sweep_is_compared_in_terminal_summary_and_report(tmp_path):
    sweep = ["env=docedit", "document=invoice", "agent=noop,oracle", "env.action_mode=program", "run_dir=sweep"]
    assert formgym_command("sweep", *sweep, cwd=tmp_path).returncode == 0
    report = formgym_command("report", "sweep", cwd=tmp_path)
    assert "differences on the same tasks" in report.stdout
    summary = json.loads((tmp_path / "sweep" / "summary.json").read_text())
    assert [run["agent"] for run in summary["runs"]] == ["noop", "oracle"]
    assert all(run["clusters"] == {"task": 24} for run in summary["runs"])
    (comparison,) = summary["comparisons"]
    assert comparison["metrics"]["success"]["mcnemar"] == {"only_first": 0, "only_second": 24, "p": 2.0**-23}
    html = (tmp_path / "sweep" / "report.html").read_text(encoding="utf-8")
    assert "Differences between agents" in html
    assert "0 : 24, p &lt; 0.001" in html
