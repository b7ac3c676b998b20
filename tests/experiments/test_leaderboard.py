"""Leaderboards: ranks, differences in pairs, costs, and what has no rank."""

import pytest
from made_runs import made_episode, made_run

from formgym.experiments.reporting.leaderboard import leaderboards
from formgym.experiments.reporting.plots import svg
from formgym.experiments.running.run_spec import RunSpec

ENVS = ("FormGym/AutoLoans-Text-v0", "FormGym/Scans-v0")


@pytest.fixture
def run_of(tmp_path):
    def make(agent, env, values, target="mine.Agent"):
        episodes = [made_episode(i, f"form_{i}/user", env, {"strict_accuracy": v}) for i, v in enumerate(values)]
        return made_run(tmp_path, agent, episodes, spec=RunSpec(env=env, agent=target))

    return make


def test_agents_are_ranked_by_the_mean_of_environments_and_compared_in_pairs(run_of):
    runs = [run_of("worse", ENVS[0], [0.2, 0.6]), run_of("worse", ENVS[1], [0.0])]
    runs += [run_of("better", ENVS[0], [0.4, 0.8]), run_of("better", ENVS[1], [1.0])]
    (board,) = leaderboards(runs, [{}] * 4)
    first, second = ([cell.text for cell in row.cells] for row in board.table.rows)
    assert first[:3] == ["1", "better", "0.800"]
    assert second[:4] == ["2", "worse", "0.200", "-0.600"]
    assert first[4:6] == ["2 of 2", "3"]
    assert board.plot is None


def test_who_knows_the_answers_or_lacks_an_environment_has_no_rank(run_of):
    oracle = "formgym.agents.baselines.Oracle"
    runs = [run_of("oracle", env, [1.0, 1.0], oracle) for env in ENVS]
    runs += [run_of("half", ENVS[0], [0.9, 0.7]), *(run_of("whole", env, [0.5, 0.5]) for env in ENVS)]
    (board,) = leaderboards(runs, [{}] * len(runs))
    assert [(row.cells[0].text, row.cells[1].text) for row in board.table.rows] == [
        ("1", "whole"),
        ("–", "half"),
        ("–", "oracle"),
    ]
    assert [row.cells[1].notes for row in board.table.rows] == [
        (),
        ("no rank: 1 of 2 environments are missing",),
        ("is given the answers",),
    ]
    # On the tasks that both have played.
    assert board.table.rows[1].cells[3].text == "+0.300"


def test_code_of_other_packages_is_not_imported_to_look_for_answers(run_of, tmp_path, monkeypatch):
    (tmp_path / "intruder.py").write_text("raise SystemExit('imported')")
    monkeypatch.syspath_prepend(tmp_path)
    runs = [run_of("a", ENVS[0], [0.1, 0.2], "intruder.Agent"), run_of("b", ENVS[0], [0.1, 0.2])]
    assert [row.cells[0].text for row in leaderboards(runs, [{}] * 2)[0].table.rows] == ["1", "1"]


@pytest.mark.parametrize(("price", "title"), [(0.02, "FormGym: mean by cost"), (0.0, "FormGym: mean by tokens")])
def test_plot_shows_tokens_where_a_price_is_not_known(run_of, price, title):
    runs = [run_of(name, ENVS[0], [0.1, 0.4]) for name in ("a", "b", "free")]
    usages = [{"cost": 2.0, "input_tokens": 900.0, "output_tokens": 100.0}, {"cost": price, "input_tokens": 10.0}, {}]
    (board,) = leaderboards(runs, usages)
    assert board.plot.title == title
    assert [name for _, name in board.legend] == ["a", "b"]
    assert [series.points[0].x for series in board.plot.series] == ([1.0, price / 2] if price else [500, 5])
    assert ("$1<" if price else "100<") in svg(board.plot)
    assert [cell.text for cell in board.table.rows[2].cells[-2:]] == ["–", "–"]


def test_one_agent_alone_has_no_leaderboard(run_of):
    assert leaderboards([run_of("a", ENVS[0], [0.1])], [{}]) == []
