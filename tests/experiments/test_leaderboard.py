"""Leaderboards: ranks, differences in pairs, costs, and what has no rank."""

import pytest
from made_runs import made_episode, made_run

from formgym.experiments.reporting.leaderboard import leaderboards
from formgym.experiments.reporting.plots import svg
from formgym.experiments.running.run_folder import Run, summarise
from formgym.experiments.running.run_spec import RunSpec

ENVS = ("FormGym/AutoLoans-Text-v0", "FormGym/Scans-v0")


@pytest.fixture
def run_of(tmp_path):
    def make(agent, env, values, target="mine.Agent"):
        episodes = [made_episode(i, f"form_{i}/user", env, {"strict_accuracy": v}) for i, v in enumerate(values)]
        return made_run(tmp_path, agent, episodes, spec=RunSpec(env=env, agent=target))

    return make


def test_agents_are_ranked_by_the_mean_of_environments_and_compared_in_pairs(run_of):
    runs = [run_of("worse", ENVS[0], [0.19, 0.61]), run_of("worse", ENVS[1], [0.0])]
    runs += [run_of("better", ENVS[0], [0.4, 0.8]), run_of("better", ENVS[1], [1.0])]
    (board,) = leaderboards(runs, [{}] * 4)
    first, second = ([cell.text for cell in row.cells] for row in board.table.rows)
    assert first[:3] == ["1", "better", "0.800"]
    assert second[:4] == ["2", "worse", "0.200", "-0.600"]
    assert first[4:6] == ["2 of 2", "3"]
    assert board.plot is None
    # Nothing is missing, whatever rounding makes of it.
    assert not any("missing" in note for row in board.table.rows for cell in row.cells for note in cell.notes)


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
        ("iterative",),
        ("iterative", "no rank: 50.0 % are missing"),
        ("iterative; ground truth", "no rank: ground truth (agent)"),
    ]
    # On the tasks that both have played; the interval is over all.
    cell = board.table.rows[1].cells[3]
    assert cell.text == "+0.300"
    assert float(cell.notes[0].split()[0]) < -0.1


def _board(*runs):
    (board,) = leaderboards(runs, [{}] * len(runs))
    return [(row.cells[0].text, row.cells[1].text) for row in board.table.rows], board


def test_few_episodes_with_a_score_never_rank_above_all_of_them(tmp_path):
    def run(agent, n_scored, value, n=40, requested=40, **changes):
        tasks = [f"form_{i % 10}/user_{i // 10}" for i in range(n)]
        scores = [{"strict_accuracy": value} if i < n_scored else None for i in range(n)]
        episodes = [
            made_episode(i, task, ENVS[0], score) for i, (task, score) in enumerate(zip(tasks, scores, strict=True))
        ]
        return made_run(tmp_path, agent, episodes, requested=requested, unscored=n - n_scored, **changes)

    whole = run("whole", 40, 0.95)
    # The same 35 episodes are unscored, cut off, or were not even asked for.
    for few in (run("few", 5, 1.0), run("few", 5, 1.0, n=5), run("few", 5, 1.0, n=5, requested=5)):
        ranks, board = _board(few, whole)
        assert ranks == [("1", "whole"), ("–", "few")]
        cells = board.table.rows[1].cells
        assert cells[1].notes[-1] == "no rank: 87.5 % are missing"
        assert cells[2].text == "1.000"
        assert cells[2].notes[-1] == "0.125 – 1.000 with the missing"
    # One of 50 has a rank, by its lower bound.
    nearly, all_50 = run("nearly", 49, 0.95, n=50, requested=50), run("all", 50, 0.94, n=50, requested=50)
    assert _board(nearly, all_50)[0] == [("1", "all"), ("2", "nearly")]


def test_an_environments_crash_bars_a_rank_and_an_agents_does_not(tmp_path):
    def run(agent, fault):
        metrics = [{"strict_accuracy": 1.0}] * 18 + [None] * 2
        episodes = [made_episode(i, f"form_{i}/user", ENVS[0], m) for i, m in enumerate(metrics)]
        episodes[18:] = [e.model_copy(update={"ended": "crash", "fault": fault}) for e in episodes[18:]]
        spec = RunSpec(env=ENVS[0], agent="mine.Agent", name=agent)
        return Run(tmp_path, summarise(spec, "0", episodes), episodes, spec, 20)

    ranks, board = _board(run("unlucky", "environment"), run("broken", "agent"), run("old", None))
    assert sorted(ranks) == [("1", "broken"), ("–", "old"), ("–", "unlucky")]
    assert {row.cells[2].text for row in board.table.rows} == {"0.900"}
    notes = {row.cells[1].text: row.cells[1].notes[-1] for row in board.table.rows}
    assert notes["unlucky"].startswith("no rank: the environment crashed in 2 episodes; go on with")


def test_agents_under_other_conditions_are_rows_of_their_own(tmp_path):
    def run(**settings):
        episodes = [made_episode(i, f"form_{i}/user", ENVS[0], {"strict_accuracy": 1.0}) for i in range(4)]
        spec = RunSpec(**{"env": ENVS[0], "agent": "formgym.agents.VLM", "name": "vlm"} | settings)
        return Run(tmp_path, summarise(spec, "0", episodes), episodes, spec, 4)

    finder = {"_target_": "formgym.wrappers.FieldFinder", "locator": "oracle", "show": 1, "points": True}
    flow = {"_target_": "formgym.wrappers.ActionBatch", "max_rounds": 50}
    own = {"_target_": "mine.Help", "strength": 3}
    _, board = _board(
        run(),
        run(wrappers={"field_finder": finder}),
        run(wrappers={"help": own}),
        run(flow=flow),
        run(agent={"_target_": "formgym.agents.VLM", "history": 9, "model": None}),
        run(env={"id": ENVS[0], "render_size": [1008, 612]}),
    )
    assert {row.cells[1].notes[0] for row in board.table.rows} == {
        "iterative",
        "iterative, field_finder (oracle, show=1); ground truth",
        "iterative, help (mine.Help, strength=3)",
        "iterative, max_rounds=50",
        "iterative, history=9",
        "iterative, render_size=[1008, 612]",
    }


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
    assert [name for _, name in board.legend] == ["a (iterative)", "b (iterative)"]
    assert [series.points[0].x for series in board.plot.series] == ([1.0, price / 2] if price else [500, 5])
    assert ("$1<" if price else "100<") in svg(board.plot)
    assert [cell.text for cell in board.table.rows[2].cells[-2:]] == ["–", "–"]


def test_one_agent_alone_has_no_leaderboard(run_of):
    assert leaderboards([run_of("a", ENVS[0], [0.1])], [{}]) == []
