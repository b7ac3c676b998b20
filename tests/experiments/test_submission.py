"""Submissions are confirmed by replaying them, and whatever was changed in one is found."""

import copy
import gzip
import json

import gymnasium as gym
import pytest
from command_line import formgym_command
from typer.testing import CliRunner

from formgym.experiments.cli import app
from formgym.experiments.publishing.redaction import REMOVED, redacted
from formgym.experiments.publishing.submission import digest, read_submission, submission_of, write_submission
from formgym.experiments.publishing.verify import verified
from formgym.experiments.running.run_folder import find_runs

KEY = "abcdef0123456789"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A run of drawn tasks, in which a provider fails once, and one of every task, in which the agent also crashes."""
    folder = tmp_path_factory.mktemp("submission")
    command = ["sweep", "env=docedit", "document=invoice", "++env.action_mode=program", "agent=oracle"]
    command += [f"+agent.api_key={KEY}", "agent._target_=lenient.Lenient", "episodes=3,null", "run_dir=runs"]
    (folder / "lenient.py").write_text(
        "from formgym.agents.base import ModelError\nfrom formgym.agents.baselines import Oracle\n"
        "from formgym.envs.core.tasks import episode_seed\n"
        "class Lenient(Oracle):\n    def __init__(self, api_key): super().__init__(); self.usage = {'cost': 0.5}\n"
        "    def reset(self, task, seed):\n        super().reset(task, seed)\n"
        f"        if seed == episode_seed(0, 1): raise ModelError('{KEY} was refused')\n"
        "        if seed == episode_seed(0, 4): raise ValueError('oh')\n"
    )
    # A crash makes its exit status 1.
    assert formgym_command(*command, cwd=folder).returncode == 1
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
    return verified(*read_submission(path)).differences


def test_all_runs_are_confirmed_with_episodes_that_failed(folder, tmp_path):
    submission = submission_of(find_runs(folder))
    write_submission(submission, tmp_path / "all.json.gz")
    read, its_digest = read_submission(tmp_path / "all.json.gz")
    assert read == submission
    steps = []
    result = verified(read, its_digest, lambda: steps.append(1))
    # Whoever submits the better of two runs may as well choose between seeds.
    assert result.differences == ["run 2: the same agent, environment and conditions as run 1"]
    assert [dict(+standing.zeros) for standing in result.standings] == [{"unscored": 1}, {"unscored": 1, "crashed": 1}]
    n = len(gym.make("DocEdit/Invoice-v0").unwrapped.task_ids)
    assert [standing.mean for standing in result.standings] == pytest.approx([2 / 3, (n - 2) / n])
    assert len(steps) == 3 + n
    assert [(run.summary["unscored"], run.summary["crashes"]) for run in read.runs] == [(1, 0), (1, 1)]
    assert read.runs[0].usage == {"cost": 1.5}


def test_no_secret_and_no_path_goes_out(content):
    text = json.dumps(content)
    assert KEY not in text
    assert str(folder) not in text
    assert content["runs"][0]["spec"]["agent"]["api_key"] == REMOVED
    assert content["runs"][0]["episodes"][1]["error"] == f"{REMOVED} was refused"


def test_an_episode_that_holds_a_secret_is_not_published(folder, monkeypatch):
    (run, _) = find_runs(folder)
    code = run.episodes[0].rounds[0].calls[0]["code"]
    monkeypatch.setenv("MY_TOKEN", code)
    with pytest.raises(ValueError, match="MY_TOKEN"):
        submission_of([run])


def test_digest_finds_changes_that_no_replay_can(content, tmp_path):
    assert found_in(content, tmp_path / "s.json") == []
    tampered = copy.deepcopy(content)
    tampered["runs"][0]["episodes"][0]["seconds"] = 1e-9
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
    assert "Confirmed, unofficial: no rank for 1 of 1 run." in confirmed.output
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
