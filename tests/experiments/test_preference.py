"""Human preference: the page is blind and needs nothing but a browser, keys vote, and ranks are what the votes say."""

import json
import re
import subprocess
import sys
from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import LONG

from formgym.experiments.preference.study import KEY, Key, Pair, Result, pairs_of, write_preference_page
from formgym.experiments.preference.votes import cohens_kappa, mean_ranks
from formgym.experiments.running.intervals import wilson
from formgym.experiments.running.runs import Run, find_runs

AGENTS = ("noop", "random", "oracle")
CLI = "from formgym.experiments.cli import main; main()"


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    folder = tmp_path_factory.mktemp("preference")
    command = ["evaluate", "-m", f"agent={','.join(AGENTS)}", "episodes=2", "run_dir=runs/sweep"]
    subprocess.run([sys.executable, "-c", CLI, *command], cwd=folder, check=True, capture_output=True, timeout=300)
    return list(find_runs(folder))


@pytest.fixture(scope="module")
def pairs(runs):
    return list(pairs_of(runs))


@pytest.fixture(scope="module")
def page(pairs, tmp_path_factory):
    return write_preference_page(pairs, tmp_path_factory.mktemp("page") / "preference.html", 7)


def key_of(page):
    return Key.model_validate_json(page.with_name(KEY).read_text(encoding="utf-8"))


def shown(page):
    text = re.search(r'<script type="application/json" id="pairs">(.*?)</script>', page.read_text(encoding="utf-8"))
    return json.loads(text[1])


def _pairs(task, colours):
    """The pairs of one task, by the colours that agents leave behind."""
    before = np.zeros((6, 5, 3), np.uint8)
    results = [
        Result(agent, f"runs/{agent}", 0, np.full_like(before, colour), f"what {agent} did in {task}")
        for agent, colour in colours.items()
    ]
    return [Pair("Env-v0", task, 1, "do it", "", before, both) for both in combinations(results, 2)]


def _votes(page, rater, prefer, saved="2030-01-01"):
    """The file of a rater who prefers as a function says: of two agents one, or None."""
    key, votes = key_of(page), []
    for name, pair in key.pairs.items():
        if not pair.is_same:
            agent = prefer(*pair.agents)
            choice = None if agent is None else next(h for h, side in pair.sides.items() if side.agent == agent)
            votes.append({"pair": name, "choice": choice, "seconds": 1.5})
    path = page.with_name(f"{rater} {saved}.json")
    path.write_text(json.dumps({"page": key.page, "rater": rater, "saved": saved, "votes": votes}), encoding="utf-8")
    return path


def _likes(*order):
    return lambda one, other: min(one, other, key=order.index)


@LONG
def test_pairs_are_results_of_the_same_task(runs, pairs):
    assert len(pairs) == 2 * 3
    for pair in pairs:
        one, other = pair.results
        for result in pair.results:
            (run,) = (run for run in runs if str(run.folder) == result.folder)
            assert run.summary["agent"] == result.agent
            episode = run.episodes[result.episode]
            assert (episode.task, episode.seed) == (pair.task, pair.seed)
        assert one.agent != other.agent
        assert pair.goal
        assert np.array_equal(pair.before, one.page) == (one.agent == "noop")


def test_the_page_is_blind(runs, page):
    html = re.sub('<script type="text/plain".*?</script>', "", page.read_text(encoding="utf-8"))
    for run in runs:
        for word in (run.summary["agent"], run.summary["env"], str(run.folder), run.folder.parent.name):
            assert word not in html
        for episode in run.episodes:
            assert episode.task not in html
    key, told = key_of(page), shown(page)
    assert [pair["key"] for pair in told["pairs"]] == list(key.pairs)
    hashes = [side["key"] for pair in told["pairs"] for side in pair["sides"]]
    assert hashes == [h for pair in key.pairs.values() for h in pair.sides]
    assert len(set(hashes)) == len(hashes)


def test_order_and_sides_are_shuffled(tmp_path):
    pairs = [pair for i in range(200) for pair in _pairs(f"{i:03}", {"x": 1, "y": 2})]
    told = key_of(write_preference_page(pairs, tmp_path / "p.html", 5)).pairs.values()
    assert 60 < sum(pair.agents == ("x", "y") for pair in told) < 140
    tasks = [pair.request[1] for pair in told]
    assert sorted(tasks) == [pair.task for pair in pairs] != tasks


def test_the_page_needs_no_network(page):
    html = page.read_text(encoding="utf-8")
    assert set(re.findall(r"https?://[^\"'\s<]+", html)) <= {"http://www.w3.org/2000/svg"}
    assert not re.findall(r"<(?:link|script|img)[^>]+(?:src|href)=\"(?!data:)", html)


def test_seed_and_records_make_the_page(pairs, tmp_path):
    (tmp_path / "again").mkdir()
    first, again = (write_preference_page(pairs[:1], tmp_path / name, 7) for name in ("p.html", "again/p.html"))
    assert again.read_bytes() == first.read_bytes()
    assert again.with_name(KEY).read_bytes() == first.with_name(KEY).read_bytes()
    kept = key_of(first)
    with pytest.raises(ValueError, match="key of another page"):
        write_preference_page(pairs[:1], first, 8)
    assert key_of(first) == kept
    first.with_name(KEY).unlink()
    assert not set(key_of(write_preference_page(pairs[:1], first, 8)).pairs) & set(kept.pairs)


def test_words_that_try_to_break_out_do_not(pairs, tmp_path):
    nasty = "</script><script>alert(1)</script><img src=x onerror=alert(2)>"
    html = write_preference_page([replace(pairs[0], goal=nasty, source=nasty)], tmp_path / "p.html", 1).read_text()
    assert "<script>alert" not in html
    assert "<img src=x" not in html
    assert shown(tmp_path / "p.html")["pairs"][0]["goal"] == nasty


def test_what_cannot_be_judged_is_said(runs, pairs, tmp_path):
    with pytest.raises(ValueError, match="no pairs"):
        write_preference_page(pairs_of(runs[:1]), tmp_path / "p.html", 1)
    with pytest.raises(ValueError, match="all of the 1 pairs"):
        write_preference_page(_pairs("a", {"x": 1, "y": 1}), tmp_path / "p.html", 1)
    with pytest.raises(ValueError, match="twice"):
        list(pairs_of([runs[0], runs[0]]))
    with pytest.raises(ValueError, match="cannot be replayed"):
        list(pairs_of([runs[0], Run(tmp_path / "moved", runs[1].summary, runs[1].episodes)]))


def test_episodes_that_failed_or_differ_are_left_out(runs):
    noop, other, oracle = runs
    failed = other.episodes[0].model_copy(update={"error": "no provider"})
    changed = oracle.episodes[0].model_copy(update={"page_sha256": "0" * 64})
    cut = [noop, Run(other.folder, other.summary, (failed,)), Run(oracle.folder, oracle.summary, (changed,))]
    with pytest.warns(UserWarning, match=r"episode 0 of .* replay differs"):
        assert not list(pairs_of(cut))


def test_agents_of_one_name_are_told_apart_by_as_little_as_it_takes(runs):
    named = [Run(run.folder, run.summary | {"agent": "model"}, run.episodes) for run in runs[:2]]
    assert {result.agent for pair in pairs_of(named) for result in pair.results} == {
        f"model ({runs[0].summary['flow']}) [{run.folder}]" for run in runs[:2]
    }
    named[1] = Run(named[1].folder, named[1].summary | {"wrappers": ["ruler"]}, named[1].episodes)
    names = [result.agent for result in next(pairs_of(named)).results]
    assert names == [f"model ({named[0].summary['flow']})", f"model ({named[1].summary['flow']}, ruler)"]


def test_ranks_are_what_the_votes_say(page):
    said = mean_ranks(page.with_name(KEY), [_votes(page, "a", _likes("oracle", "noop", "random"))])
    assert [(row.agent, row.mean_rank, row.win_rate) for row in said.agents] == [
        ("oracle", 1, 1),
        ("noop", 2, 0.5),
        ("random", 3, 0),
    ]
    assert [(row.wins, row.losses, row.ties, row.n_votes, row.n_requests) for row in said.agents] == [
        (4, 0, 0, 4, 2),
        (2, 2, 0, 4, 2),
        (0, 4, 0, 4, 2),
    ]
    assert said.agents[0].ci95 == pytest.approx(wilson(1, 4))
    assert said.agreements == ()


def test_ties_share_ranks_and_raters_are_compared(page):
    files = [
        _votes(page, "a", _likes("oracle", "noop", "random")),
        _votes(page, "b", _likes("oracle", "random", "noop")),
        _votes(page, "c", lambda one, other: None),
    ]
    said = mean_ranks(page.with_name(KEY), files)
    assert [(row.agent, row.mean_rank) for row in said.agents] == [("oracle", 1), ("noop", 2.5), ("random", 2.5)]
    assert said.agents[0].win_rate == pytest.approx((8 + 4 / 2) / 12)
    assert [(a.raters, a.n_pairs) for a in said.agreements] == [(("a", "b"), 6), (("a", "c"), 6), (("b", "c"), 6)]
    assert said.agreements[0].kappa < 1
    (other,) = mean_ranks(page.with_name(KEY), [files[0], _votes(page, "d", _likes(*AGENTS[::-1]))]).agreements
    assert other.kappa is not None
    everyone_ties = mean_ranks(page.with_name(KEY), [files[2], _votes(page, "e", lambda one, other: None)])
    assert everyone_ties.agreements[0].kappa is None
    assert {row.mean_rank for row in everyone_ties.agents} == {2}


def test_equal_pages_are_ties_that_nobody_is_asked_about(tmp_path):
    pairs = _pairs("a", {"x": 1, "y": 1, "z": 2}) + _pairs("b", {"x": 1, "y": 2, "z": 3})
    page = write_preference_page(pairs, tmp_path / "p.html", 1)
    assert len(shown(page)["pairs"]) == 5
    said = mean_ranks(page.with_name(KEY), [_votes(page, "a", _likes("x", "y", "z"))])
    assert said.n_same == 1
    assert {row.agent: row.mean_rank for row in said.agents} == {"x": (1.5 + 1) / 2, "y": (1.5 + 2) / 2, "z": 3}
    assert {row.agent: row.n_votes for row in said.agents} == {"x": 3, "y": 3, "z": 4}


def test_requests_that_are_not_judged_whole_are_not_ranked(page):
    path = _votes(page, "a", _likes(*AGENTS))
    votes = json.loads(path.read_text())
    votes["votes"].pop()
    path.write_text(json.dumps(votes))
    assert {row.n_requests for row in mean_ranks(page.with_name(KEY), [path]).agents} == {1}
    nothing = mean_ranks(page.with_name(KEY), [])
    assert {(row.mean_rank, row.win_rate, row.ci95) for row in nothing.agents} == {(None, None, None)}


def test_of_one_raters_files_the_last_counts(page):
    early = _votes(page, "a", _likes("noop", "random", "oracle"), "2030-01-01T10:00:00.000Z")
    late = _votes(page, "a", _likes("oracle", "random", "noop"), "2030-01-01T11:00:00.000Z")
    for files in ([early, late], [late, early]):
        said = mean_ranks(page.with_name(KEY), files)
        assert (said.agents[0].agent, said.agents[0].n_votes) == ("oracle", 4)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda votes: votes | {"page": "another"}, "another page"),
        (lambda votes: votes | {"votes": votes["votes"] * 2}, "two votes on one pair"),
        (lambda votes: votes | {"votes": [votes["votes"][0] | {"choice": "x"}]}, "key does not know"),
        (lambda votes: votes | {"votes": [votes["votes"][0] | {"pair": "x"}]}, "key does not know"),
        (lambda votes: {"votes": 1}, "not valid"),
    ],
)
def test_votes_that_cannot_be_are_said(page, change, words):
    path = _votes(page, "broken", _likes(*AGENTS))
    path.write_text(json.dumps(change(json.loads(path.read_text()))))
    with pytest.raises(ValueError, match=words) as raised:
        mean_ranks(page.with_name(KEY), [path])
    assert path.name in str(raised.value)


@given(st.integers(1, 1000), st.data())
def test_wilsons_interval_holds_the_share(n, data):
    wins = data.draw(st.integers(0, n))
    low, high = wilson(wins / n, n)
    assert 0 <= low <= wins / n + 1e-12
    assert wins / n - 1e-12 <= high <= 1
    assert wilson(1 - wins / n, n) == pytest.approx((1 - high, 1 - low), abs=1e-12)
    # The score interval by its definition: at its ends the share lies 1.96 standard errors away.
    for end in (low, high):
        if 0 < end < 1:
            assert abs(wins / n - end) == pytest.approx(1.959964 * (end * (1 - end) / n) ** 0.5, abs=1e-6)


def test_kappa_is_cohens():
    # 20 yes-yes, 5 yes-no, 10 no-yes, 15 no-no: agreement .7, by chance .5.
    answers = [("y", "y")] * 20 + [("y", "n")] * 5 + [("n", "y")] * 10 + [("n", "n")] * 15
    assert cohens_kappa(answers) == pytest.approx(0.4)
    assert cohens_kappa([("a", "a"), ("b", "b")]) == 1
    assert cohens_kappa([("a", "b"), ("b", "a")]) == -1
    assert cohens_kappa([("a", "a")]) is None


# -- In a real browser ------------------------------------------------------------------------------------------------


def _download(view, path):
    with view.expect_download() as download:
        view.locator("[data-download]:visible").first.click()
    download.value.save_as(path)
    return json.loads(path.read_text(encoding="utf-8"))


def test_keys_vote_and_the_download_holds_the_votes(page, opened, tmp_path):
    view, key = opened(page), key_of(page)
    pairs = list(key.pairs.items())
    chosen = []
    for i, (_, pair) in enumerate(pairs):
        assert view.locator("header output").text_content() == f"{i + 1} of {len(pairs)}"
        side = None if "oracle" not in pair.agents else pair.agents.index("oracle")
        view.keyboard.press({0: "1", 1: "2", None: "0"}[side])
        chosen.append(None if side is None else list(pair.sides)[side])
    view.keyboard.press("1")
    assert view.locator("#done").is_visible()
    votes = _download(view, tmp_path / "votes.json")
    assert [(vote["pair"], vote["choice"]) for vote in votes["votes"]] == [
        (name, choice) for (name, _), choice in zip(pairs, chosen, strict=True)
    ]
    said = mean_ranks(page.with_name(KEY), [tmp_path / "votes.json"])
    assert [(row.agent, row.mean_rank) for row in said.agents] == [("oracle", 1), ("noop", 2.5), ("random", 2.5)]


@LONG
def test_undo_and_votes_outlast_a_visit(page, opened, tmp_path):
    view = opened(page)
    assert view.locator("[data-undo]").is_disabled()
    view.keyboard.press("1")
    view.locator("[data-vote='1']").click()
    view.keyboard.press("0")
    view.keyboard.press("u")
    view.close()
    view = opened(page)
    assert view.locator("header output").text_content().startswith("3 of")
    votes = _download(view, tmp_path / "votes.json")
    sides = [list(pair.sides) for pair in key_of(page).pairs.values()]
    assert [vote["choice"] for vote in votes["votes"]] == [sides[0][0], sides[1][1]]
    view.locator("[data-undo]").click()
    view.keyboard.press("u")
    assert _download(view, tmp_path / "none.json")["votes"] == []


def test_the_pages_shown_are_those_of_the_pair(page, pairs, opened):
    view, told = opened(page), shown(page)["pairs"][0]
    (pair,) = (
        pair
        for pair in pairs
        if key_of(page).pairs[told["key"]].request == (pair.env, pair.task, pair.seed)
        and {r.agent for r in pair.results} == set(key_of(page).pairs[told["key"]].agents)
    )
    by_agent = {result.agent: result.page for result in pair.results}
    left, right = (by_agent[agent] for agent in key_of(page).pairs[told["key"]].agents)
    for name, wanted in {"before": pair.before, "left": left, "right": right}.items():
        pixels = view.locator(f"[data-page={name}] img").evaluate(
            """async image => {
                await image.decode();
                const canvas = Object.assign(document.createElement("canvas"),
                                             {width: image.naturalWidth, height: image.naturalHeight});
                const pen = canvas.getContext("2d");
                pen.drawImage(image, 0, 0);
                const data = pen.getImageData(0, 0, canvas.width, canvas.height).data;
                let total = 0;
                for (let i = 0; i < data.length; i += 4) total += data[i] + 3 * data[i + 1] + 7 * data[i + 2];
                return [canvas.height, canvas.width, total];
            }"""
        )
        assert pixels == [*wanted.shape[:2], int((wanted.astype(np.int64) @ np.array([1, 3, 7])).sum())]
    view.keyboard.press("m")
    assert view.locator("[data-page=before] rect").count() == 0
    assert view.locator("[data-page=left] rect, [data-page=right] rect").count() > 0


def test_enlarged_pages_are_turned_by_arrows_and_nothing_is_voted(page, opened):
    view = opened(page)
    view.locator("[data-page=left] button").click()
    for key, name in (("ArrowRight", "right"), ("ArrowRight", "before"), ("ArrowLeft", "right"), ("1", "right")):
        view.keyboard.press(key)
        assert view.locator("dialog img").get_attribute("alt") == name
    view.keyboard.press("Escape")
    assert not view.locator("dialog").is_visible()
    assert view.locator("header output").text_content().startswith("1 of")


@LONG
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_overflows(page, opened, width):
    view = opened(page)
    view.set_viewport_size({"width": width, "height": 844})
    assert view.evaluate("document.documentElement.scrollWidth") <= width
    for button in view.locator(".votes button").all():
        box = button.bounding_box()
        assert 0 <= box["x"] <= box["x"] + box["width"] <= width
        assert box["height"] >= 40
