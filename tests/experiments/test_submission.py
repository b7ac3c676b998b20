"""Submissions are confirmed by replaying them, and whatever was changed in one is found."""

import copy
import gzip
import json
import sys

import pytest
from command_line import formgym_command
from typer.testing import CliRunner

from formgym.experiments.cli import app
from formgym.experiments.publishing.redaction import REMOVED, redacted
from formgym.experiments.publishing.submission import digest, read_submission, submission_of, write_submission
from formgym.experiments.publishing.verify import differences
from formgym.experiments.running.episodes import EpisodeFiles
from formgym.experiments.running.run_folder import find_runs

KEY = "abcdef0123456789"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of drawn tasks, in which a provider fails once, and one of every task, in which an agent crashes once."""
    folder = tmp_path_factory.mktemp("submission")
    command = ["sweep", "env=docedit", "document=invoice", "++env.action_mode=program", "agent=oracle"]
    command += [f"+agent.api_key={KEY}", "agent._target_=lenient.Lenient", "episodes=3,null", "run_dir=runs"]
    (folder / "lenient.py").write_text(
        "from formgym.agents.baselines import Oracle\n"
        "class Lenient(Oracle):\n    def __init__(self, api_key): super().__init__(); self.usage = {'cost': 0.5}\n"
    )
    assert formgym_command(*command, cwd=folder).returncode == 0
    drawn, every = find_runs(folder)
    failure = {"metrics": None, "fields": [], "ended": "error", "error": f"{KEY} was refused"}
    crash = failure | {"ended": "crash", "error": "oh", "page_sha256": "", "traceback": "Traceback: /home/me/agent.py"}
    for run, index, changes in ((drawn, 1, failure), (every, 4, crash)):
        path = run.folder / "episodes.jsonl"
        episodes = list(EpisodeFiles(path))
        episodes[index] = episodes[index].model_copy(update=changes)
        path.write_text("".join(episode.model_dump_json() + "\n" for episode in episodes))
    return folder


@pytest.fixture(scope="module")
def content(folder):
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("SOME_API_KEY", KEY)
        return submission_of(find_runs(folder)[:1]).model_dump(mode="json")


def found_in(content, path, signed=True):
    """What verification finds in a submission with this content."""
    rest = {name: value for name, value in content.items() if name != "sha256"}
    path.write_text(json.dumps(rest | {"sha256": digest(rest) if signed else content["sha256"]}))
    return list(differences(*read_submission(path)))


def test_all_runs_are_confirmed_with_episodes_that_failed(folder, tmp_path):
    submission = submission_of(find_runs(folder))
    write_submission(submission, tmp_path / "all.json.gz")
    read, its_digest = read_submission(tmp_path / "all.json.gz")
    assert read == submission
    steps = []
    assert list(differences(read, its_digest, lambda: steps.append(1))) == []
    assert len(steps) == 3 + 24
    assert [(run.summary["unscored"], run.summary["crashes"]) for run in read.runs] == [(1, 0), (0, 1)]
    assert read.runs[0].usage == {"cost": 1.5}


def test_no_secret_and_no_path_goes_out(content):
    text = json.dumps(content)
    assert KEY not in text
    assert "/home/me" not in text
    assert content["runs"][0]["spec"]["agent"]["api_key"] == REMOVED
    assert content["runs"][0]["episodes"][1]["error"] == f"{REMOVED} was refused"


def test_an_episode_that_holds_a_secret_is_not_published(folder, monkeypatch):
    (run, _) = find_runs(folder)
    code = run.episodes[0].rounds[0].calls[0]["code"]
    monkeypatch.setenv("MY_TOKEN", code)
    with pytest.raises(ValueError, match="MY_TOKEN"):
        submission_of([run])


def set_in(*keys, value):
    """A change of one value in the first run."""

    def change(content):
        at = content["runs"][0]
        for key in keys[:-1]:
            at = at[key]
        assert at[keys[-1]] != value
        at[keys[-1]] = value

    return change


def doubled(content):
    content["runs"][0]["episodes"].append(copy.deepcopy(content["runs"][0]["episodes"][0]))


def swapped(content):
    first, _, last = content["runs"][0]["episodes"]
    first["index"], last["index"] = last["index"], first["index"]


def given_a_score(content):
    first, failed, _ = content["runs"][0]["episodes"]
    failed["metrics"] = first["metrics"]


TAMPERED = {
    "score": (set_in("episodes", 0, "metrics", "success", value=0.5), "episode 0: score: success is 0.5, found 1.0"),
    "count of a field": (set_in("episodes", 0, "fields", 0, "entered", value="x"), "episode 0: fields: 1 differ"),
    "action": (set_in("episodes", 0, "rounds", 0, "calls", 0, "code", value="def main(document): pass"), "score: "),
    "calls of a failed episode": (
        set_in("episodes", 1, "rounds", 0, "carried_out", value=0),
        "episode 1: pixels",
    ),
    "carried out": (set_in("episodes", 2, "rounds", 0, "carried_out", value=0), "episode 2: pixels"),
    "feedback": (set_in("episodes", 0, "rounds", 0, "feedback", 0, value="Fine."), "episode 0: feedback: "),
    "pixels": (set_in("episodes", 0, "page_sha256", value="0" * 64), "episode 0: pixels"),
    "seed of an episode": (set_in("episodes", 0, "seed", value=7), "episode 0: seed: 7; seed 0 of the run gives"),
    "seed of the run": (set_in("spec", "seed", value=5), "episode 2: seed: "),
    "task": (set_in("episodes", 0, "task", value="invoice/test_1"), "episode 0: task: invoice/test_1; the seed"),
    "order": (swapped, "episode 2: seed: "),
    "mean": (set_in("summary", "scores", "success", "mean", value=0.9), "aggregates: scores.success.mean is 0.9"),
    "interval": (set_in("summary", "scores", "success", "ci95", 0, value=0.9), "aggregates: scores.success.ci95[0]"),
    "unscored": (set_in("summary", "unscored", value=0), "aggregates: unscored is 0, found 1"),
    "cost": (set_in("usage", "cost", value=0.1), "usage: "),
    "version of the run": (set_in("version", value="0.1.0"), "version: made with formgym 0.1.0"),
    "argument": (set_in("spec", "env", "split", value="train"), "aggregates: settings."),
    "title": (set_in("summary", "settings", value={}), "aggregates: settings."),
    "environment": (set_in("spec", "env", "id", value="DocEdit/ConcertPoster-v0"), "aggregates: env"),
    "code": (set_in("spec", "env", "id", value="this:module"), "this:module is no environment of formgym"),
    "tasks": (set_in("tasks_sha256", value="0" * 64), "tasks: "),
    "missing episode": (lambda content: content["runs"][0]["episodes"].pop(), "1 of 3 episodes missing: 2"),
    "all episodes": (lambda content: content["runs"][0]["episodes"].clear(), "3 of 3 episodes missing: 0, 1, 2"),
    "episode twice": (doubled, "1 of 3 episodes there more than once: 0"),
    "fewer requested": (set_in("spec", "episodes", value=2), "1 of 2 episodes not of the run: 2"),
    "one of every task": (set_in("spec", "episodes", value=None), "21 of 24 episodes missing"),
    "score of a failure": (given_a_score, "episode 1: score: the episode ended by error"),
    "crash instead of a score": (set_in("episodes", 0, "ended", value="crash"), "episode 0: score: "),
    "version": (lambda content: content["versions"].update(formgym="9.9"), "version: of formgym, 9.9; here"),
    "assets": (lambda content: content.update(assets_sha256="0"), "assets: "),
    "no run": (lambda content: content["runs"].clear(), "runs: there are none"),
    "run twice": (lambda content: content["runs"].append(content["runs"][0]), "run 2: the same run as run 1"),
    "private split": (set_in("spec", "env", "secret", value="scrypt:00"), "cannot be opened"),
}


@pytest.mark.parametrize("name", TAMPERED)
def test_whatever_was_changed_is_found(content, tmp_path, name):
    change, expected = TAMPERED[name]
    tampered = copy.deepcopy(content)
    change(tampered)
    found = found_in(tampered, tmp_path / "s.json")
    assert "this" not in sys.modules, "the file named a module, and it was imported"
    assert any(expected in difference for difference in found), found


def test_digest_finds_changes_that_no_replay_can(content, tmp_path):
    assert found_in(content, tmp_path / "s.json") == []
    tampered = copy.deepcopy(content)
    set_in("episodes", 0, "seconds", value=1e-9)(tampered)
    found = found_in(tampered, tmp_path / "s.json", signed=False)
    assert len(found) == 1
    assert found[0].startswith("digest: ")


@pytest.mark.parametrize("data", [b"", b"{}", b"[1]", b"\x1f\x8bno", gzip.compress(b"{", mtime=0), b"\xff\xfe"])
def test_another_file_is_no_submission(tmp_path, data):
    (tmp_path / "s.json").write_bytes(data)
    with pytest.raises(ValueError, match=r"s\.json is no"):
        read_submission(tmp_path / "s.json")


def test_runs_that_are_not_complete_are_refused(folder, tmp_path):
    (run, _) = find_runs(folder)
    copied = tmp_path / "run"
    copied.mkdir()
    for path in run.folder.iterdir():
        (copied / path.name).write_bytes(path.read_bytes())
    lines = (copied / "episodes.jsonl").read_text().splitlines(keepends=True)
    (copied / "episodes.jsonl").write_text("".join(lines[:2]))
    with pytest.raises(ValueError, match="lacks 1 of 3 episodes"):
        submission_of(find_runs(copied))
    with pytest.raises(ValueError, match="no run to submit"):
        submission_of([])


def test_commands(folder, tmp_path):
    out = tmp_path / "s.json"
    folder = find_runs(folder)[0].folder
    runner = CliRunner()
    arguments = ["submit", str(folder), "--out", str(out)]
    written = runner.invoke(app, arguments)
    assert written.exit_code == 0, written.output
    confirmed = runner.invoke(app, ["verify", str(out)])
    assert confirmed.exit_code == 0, confirmed.output
    assert "Confirmed: 3 episodes of 1 run, 1 unscored or crashed." in confirmed.output
    content = json.loads(out.read_text())
    content["runs"][0]["episodes"][0]["metrics"]["success"] = 0.0
    out.write_text(json.dumps(content))
    refused = runner.invoke(app, ["verify", str(out)])
    assert refused.exit_code == 1
    assert "digest: " in refused.output
    assert "episode 0: score: success is 0.0, found 1.0" in refused.output


def test_redaction(monkeypatch):
    monkeypatch.setenv("WHATEVER_KEY", "0123456789")
    settings = {
        "api_key": "x",
        "api_key_env": "OPENAI_API_KEY",
        "max_tokens": 5,
        "secret": "scrypt:ab",
        "settings": {"secret": "private"},
        "headers": [{"Authorization": "Bearer y"}],
        "base_url": "https://me:pw@host/v1",
        "note": "has 0123456789 in it",
    }
    assert redacted(settings) == settings | {
        "api_key": REMOVED,
        "headers": [{"Authorization": REMOVED}],
        "base_url": "https://host/v1",
        "note": f"has {REMOVED} in it",
    }
