"""Ranking by people: the pages over HTTP, what is stored of them, and how people and judges agree."""

import base64
import io
import json
import re
import threading
from contextlib import closing, contextmanager
from http.client import HTTPConnection
from urllib.parse import quote, urlencode

import numpy as np
import pytest
from PIL import Image

pytest.importorskip("flask")

from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.shipped import shipped_document
from formgym.envs.web_forms.site.app import listening_server
from formgym.envs.web_forms.site.records import Records
from formgym.experiments.play.ranking import PEOPLE, Ranking, Result, agreement, mean_ranks, shared_tasks, tau_b
from formgym.experiments.running.run_spec import RunSpec
from formgym.experiments.running.runner import Runner

ENV = "DocEdit/ConcertPoster-v0"
AGENTS = ("Noop", "Oracle")
FEEDBACK = {"_target_": "formgym.wrappers.EditFeedback", "_partial_": True, "provider": "exact"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Runs of two agents on the same two tasks, one of them with feedback."""
    folder = tmp_path_factory.mktemp("runs")
    for agent in AGENTS:
        wrappers = {"edit_feedback": FEEDBACK} if agent == "Oracle" else {}
        spec = {"env": ENV, "agent": f"formgym.agents.{agent}", "name": agent, "wrappers": wrappers, "episodes": 2}
        Runner(RunSpec(**spec, run_dir=folder / agent)).run()
    return folder


@contextmanager
def served(tasks, folder):
    """A connection's port to the site with pages for ranking."""
    records = Records(folder).open()
    server, _ = listening_server("127.0.0.1", 0, records, more=[Ranking(tasks, records).blueprint()])
    thread = threading.Thread(target=server.serve_forever)
    thread.start()
    try:
        yield server.port
    finally:
        server.shutdown()
        thread.join()


def asked(port, path, form=None, **headers):
    """The status, headers and text of an answer."""
    with closing(HTTPConnection("127.0.0.1", port, timeout=30)) as connection:
        body = None if form is None else urlencode(form)
        kind = {} if form is None else {"Content-Type": "application/x-www-form-urlencoded"}
        connection.request("GET" if form is None else "POST", path, body, kind | headers)
        answer = connection.getresponse()
        return answer.status, answer.headers, answer.read().decode()


def begun(port):
    """A new person: the cookie and the URL of the first task."""
    status, headers, _ = asked(port, "/rank")
    assert status == 303
    cookie = headers["Set-Cookie"]
    assert {"HttpOnly", "SameSite=Strict"} <= set(cookie.split("; "))
    return cookie.partition(";")[0], headers["Location"]


def pictures(page):
    """The pictures of a page by their descriptions."""
    found = re.findall(r'src="data:image/png;base64,([^"]+)" alt="([^"]+)"', page)
    return {alt: np.asarray(Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB")) for data, alt in found}


def test_a_person_ranks_all_tasks_and_sees_pixels_not_names(folder, tmp_path):
    tasks, before = shared_tasks([folder]), painted(shipped_document("concert_poster"), 0)
    names = ["Noop (iterative)", "Oracle (iterative, edit_feedback; ground truth)"]
    assert [list(results) for results in tasks.values()] == [names] * 2
    with served(tasks, tmp_path) as port:
        cookie, url = begun(port)
        for done in range(2):
            status, _, page = asked(port, url, Cookie=cookie)
            assert (status, f"{done} of 2 tasks ranked" in page) == (200, True)
            assert not any(agent in page for agent in AGENTS)
            shown = pictures(page)
            assert np.array_equal(shown["Before"], before)
            right = [letter for letter in "AB" if not np.array_equal(shown[f"Result {letter}"], before)]
            assert len(right) == 1
            ranks = {letter: 1 if letter in right else 2 for letter in "AB"}
            task = re.search(r'name=task value="([^"]+)"', page)[1]
            status, headers, _ = asked(port, "/rank", {"task": task, **ranks}, Cookie=cookie)
            assert status == 303
            assert f"value={ranks['A']} required checked" in asked(port, url, Cookie=cookie)[2]
            url = asked(port, headers["Location"], Cookie=cookie)[1]["Location"]
        assert "You have ranked 2 of 2" in asked(port, "/rank", Cookie=cookie)[2]
        results = asked(port, "/rank/results")[2]
        means = re.findall(r"<tr><td>(\w+) [^<]*</td><td class=number>([\d.]+)</td><td class=number>2<", results)
        assert means == [("Oracle", "1.00"), ("Noop", "2.00"), ("success", "1.00")]


def test_posts_of_other_sites_and_ranks_that_are_none_are_refused(folder, tmp_path):
    tasks = shared_tasks([folder])
    with served(tasks, tmp_path) as port:
        cookie, _ = begun(port)
        whole = {"task": next(iter(tasks)), "A": 1, "B": 1}
        assert asked(port, "/rank", whole, Cookie=cookie, Origin="http://elsewhere.test")[0] == 403
        assert asked(port, "/rank", whole, Cookie=cookie, Host="elsewhere.test")[0] == 403
        assert asked(port, "/rank", whole)[0] == asked(port, "/rank", whole, Cookie="person=me")[0] == 400
        assert asked(port, "/rank", whole | {"task": "x"}, Cookie=cookie)[0] == 400
        for wrong in ({"B": 3}, {"B": ""}, {"B": "1.0"}, {"A": "x"}):
            assert asked(port, "/rank", whole | wrong, Cookie=cookie)[0] == 422
        assert "0 rankings" in asked(port, "/rank/results")[2]
        assert asked(port, "/rank", whole, Cookie=cookie, Origin=f"http://127.0.0.1:{port}")[0] == 303


def test_people_at_two_servers_rank_at_once_and_the_last_word_of_each_counts(folder, tmp_path):
    tasks = shared_tasks([folder])
    with served(tasks, tmp_path) as one, served(tasks, tmp_path) as other:
        people = [begun(one)[0] for _ in range(4)]

        def rank(cookie):
            for turn in range(2):
                for task in tasks:
                    form = {"task": task, "A": 1 + turn % 2, "B": 2}
                    assert asked((one, other)[turn % 2], "/rank", form, Cookie=cookie)[0] == 303

        threads = [threading.Thread(target=rank, args=[cookie]) for cookie in people]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        given = Ranking(tasks, Records(tmp_path).open()).given()
    assert len(given) == len(people) * len(tasks)
    assert {tuple(ranks.values()) for ranks in given.values()} == {(2, 2)}


def test_a_record_that_leads_elsewhere_is_left_out_and_names_make_nothing(folder, tmp_path, capsys):
    for agent in AGENTS:
        (tmp_path / agent).mkdir()
        for name in ("run.json", "episodes.jsonl"):
            (tmp_path / agent / name).write_bytes((folder / agent / name).read_bytes())
    path = tmp_path / "Oracle" / "episodes.jsonl"
    first, *others = path.read_text().splitlines()
    changed = json.loads(first)
    changed["page_sha256"] = "0" * 64
    path.write_text("\n".join([json.dumps(changed), *others]) + "\n")
    tasks = shared_tasks([tmp_path])
    with served(tasks, tmp_path / "site") as port:
        begun(port)
        assert asked(port, f"/rank?task={quote(f'{ENV} ' + changed['task'])}")[0] == 303
        assert len(tasks) == 1
    assert "other pixels" in capsys.readouterr().out
    path = tmp_path / "Oracle" / "run.json"
    path.write_text(path.read_text().replace(f'"{ENV}"', '"DocEdit/x:os.system"'))
    with served(shared_tasks([tmp_path]), tmp_path / "site") as port:
        assert "Nothing is left" in asked(port, "/rank")[2]


def test_runs_that_cannot_be_compared_are_named(folder, tmp_path):
    with pytest.raises(ValueError, match="found: Noop"):
        shared_tasks([folder / "Noop"])
    with pytest.raises(ValueError, match="found: none"):
        shared_tasks([tmp_path])
    assert len(next(iter(shared_tasks([folder / "Noop", folder]).values()))) == 3


def test_records_hold_what_was_judged(folder):
    scores = [result.scores for results in shared_tasks([folder]).values() for result in results.values()]
    assert scores == [{"success": 0.0}, {"success": 1.0, "edit_feedback": 1.0}] * 2


def test_agreement_is_kendalls():
    # Kendall 1945: of the pairs 5 are concordant, 1 is tied in the one.
    assert tau_b([1, 2, 3, 4], [1, 2, 3, 3]) == pytest.approx(5 / np.sqrt(30))
    assert tau_b([1, 2, 3], [3, 2, 1]) == -1
    assert tau_b([1, 1], [1, 2]) is None
    tasks = {"t": {"a": Result(None, 0, {"success": 1, "judge": 0}), "b": Result(None, 0, {"success": 0, "judge": 1})}}
    tasks["t"]["c"] = Result(None, 0, {"success": 0})
    given = {("ann", "t"): {"a": 1, "b": 2, "c": 2}, ("bob", "t"): {"a": 2, "b": 1, "c": 3}}
    assert mean_ranks(given) == [("a", 1.5, 2), ("b", 1.75, 2), ("c", 2.75, 2)]
    found = {name: (tau, n) for name, tau, n in agreement(tasks, given)}
    assert found[PEOPLE] == (0, 1)
    assert found["judge"] == (0, 2)
    assert found["success"] == (pytest.approx((1 + 0) / 2), 2)
