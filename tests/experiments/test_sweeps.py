"""Sweeps: every job runs, folders are named by what their jobs are, and are found again whatever their names."""

import json
import os
import re

import pytest
from command_line import formgym_command
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import LONG, some

from formgym.agents.models.ledger import CostLedger
from formgym.agents.models.model import Usage
from formgym.experiments.running.run_folder import LEDGER, RunFolder, find_runs, latest_run
from formgym.experiments.running.run_spec import RunSpec
from formgym.experiments.running.sweep import run_name
from formgym.experiments.running.sweep_progress import SweepProgress

XFUND, SCANS, DOCUMENTS = "formgym/xfund", "formgym/scans", ("env=docedit", "document=invoice,concert_poster")


def _sweep(folder, *overrides):
    environment = {key: value for key, value in os.environ.items() if key != "FORMGYM_DATA"}
    return formgym_command("sweep", *overrides, "episodes=1", cwd=folder, env=environment)


def _folders(sweep):
    return sorted(path.name for path in sweep.iterdir() if path.is_dir())


def _records(sweep):
    return {path.parent.name: path.read_bytes() for path in sweep.glob("*/episodes.jsonl")}


def test_a_refused_job_does_not_end_a_sweep(tmp_path):
    done = _sweep(tmp_path, f"env={XFUND},{SCANS}", "agent=noop,oracle", "run_dir=sweep")
    assert done.returncode == 1, done.stderr
    assert "2 of 4 jobs failed" in done.stdout
    assert "XFUND" in done.stdout
    assert f"env={XFUND}" in done.stdout
    assert f"env={SCANS}" not in done.stdout
    assert "run_dir=sweep resume=true" in done.stdout
    assert "Traceback" not in done.stdout + done.stderr
    assert [run.summary["agent"] for run in find_runs(tmp_path / "sweep")] == ["noop", "oracle"]
    assert _folders(tmp_path / "sweep") == [f"agent-{a}+env-formgym-scans+episodes-1" for a in ("noop", "oracle")]


def test_a_crash_of_a_job_shows_its_traceback_and_does_not_end_a_sweep(tmp_path):
    own = "class Logger:\n    def __init__(self, **_): ...\n    def begin(self, *_): raise LookupError('a bug')\n"
    (tmp_path / "own.py").write_text(own)
    logger = ("logger=wandb", "logger._target_=own.Logger")
    done = _sweep(tmp_path, *DOCUMENTS, "agent=noop", *logger, "run_dir=sweep")
    assert done.returncode == 1
    assert "2 of 2 jobs failed" in done.stdout
    assert done.stdout.count("own.py") == 2
    assert not (tmp_path / "sweep").exists()


@LONG
def test_a_sweep_of_which_no_job_begins_leaves_nothing(tmp_path):
    assert _sweep(tmp_path, f"env={XFUND}", "agent=noop,oracle", "run_dir=runs/a/sweep").returncode == 1
    assert _sweep(tmp_path, "agent=noop,orcale", "run_dir=runs/a/sweep").returncode == 2
    assert list(tmp_path.iterdir()) == []


@LONG
def test_a_sweep_resumes_in_another_order_and_after_a_renaming(tmp_path):
    sweep = tmp_path / "sweep"
    assert _sweep(tmp_path, *DOCUMENTS, "agent=noop,random", "run_dir=sweep").returncode == 0
    before = _records(sweep)
    order = [(run.summary["env"], run.summary["agent"]) for run in find_runs(sweep)]
    assert [agent for _, agent in order] == ["noop", "random"] * 2
    again = ["agent=random,noop", "env=docedit", "document=concert_poster,invoice", "run_dir=sweep", "resume=true"]
    assert _sweep(tmp_path, *again).returncode == 0
    assert _records(sweep) == before
    # As they were named before, and described without a job.
    for number, run in enumerate(find_runs(sweep)):
        description = json.loads((run.folder / "run.json").read_text())
        description["spec"]["job"] = None
        (run.folder / "run.json").write_text(json.dumps(description))
        run.folder.rename(sweep / str(number))
    assert _sweep(tmp_path, *again, "flow=iterative").returncode == 0
    assert _folders(sweep) == ["0", "1", "2", "3"]
    assert sorted(_records(sweep).values()) == sorted(before.values())
    assert [(run.summary["env"], run.summary["agent"]) for run in find_runs(sweep)] == order
    assert latest_run(tmp_path) == sweep


@LONG
def test_a_sweep_that_grows_runs_only_what_is_new(tmp_path):
    sweep = tmp_path / "sweep"
    invoice = ("env=docedit", "document=invoice", "run_dir=sweep")
    assert _sweep(tmp_path, *invoice, "agent=noop,random").returncode == 0
    before = _records(sweep)
    assert _sweep(tmp_path, *DOCUMENTS, "agent=noop,random", "run_dir=sweep", "resume=true").returncode == 0
    assert len(_folders(sweep)) == 4
    assert before.items() <= _records(sweep).items()
    # One job in the folder of a sweep is a job of it; a run does not become a sweep.
    assert _sweep(tmp_path, *invoice, "agent=noop").returncode == 1
    assert _sweep(tmp_path, *invoice, "agent=oracle").returncode == 0
    assert len(_folders(sweep)) == 5
    refused = _sweep(tmp_path, *DOCUMENTS, "agent=noop", f"run_dir={find_runs(sweep)[0].folder}")
    assert "holds a run; a sweep needs another run_dir" in refused.stderr


@LONG
def test_a_sweep_over_documents_takes_patterns(tmp_path):
    done = _sweep(tmp_path, "env=docedit", "document=glob(*_menu)", "agent=noop", "run_dir=sweep")
    assert done.returncode == 0, done.stderr
    names = [f"agent-noop+document-{name}+env-docedit+episodes-1" for name in ("bakery", "harvest_dinner", "pizza")]
    assert _folders(tmp_path / "sweep") == [name.replace("+env", "_menu+env") for name in names]


VALUES = st.text(st.characters(codec="utf-8", exclude_characters=","), max_size=300)
OVERRIDES = st.dictionaries(st.from_regex(r"[a-z]\w{0,9}(\.[a-z]\w{0,9})?", fullmatch=True), VALUES, max_size=5)


def _named(overrides, reverse=False):
    return run_name([f"{key}={value}" for key, value in sorted(overrides.items(), reverse=reverse)])


@settings(max_examples=some(75, 300), deadline=None)
@given(OVERRIDES, OVERRIDES)
def test_names_are_short_and_plain_and_as_many_as_there_are_jobs(one, other):
    name = _named(one)
    assert re.fullmatch(r"[\w.+-]{1,109}", name, re.ASCII)
    assert name == _named(one, reverse=True)
    may_differ = {"run_dir", "resume", "retry", "logger", "env", "agent"}
    kept = [{k: v for k, v in settings.items() if k.split(".")[0] not in may_differ} for settings in (one, other)]
    assert (_named(kept[0]) == _named(kept[1])) == (kept[0] == kept[1])


@pytest.mark.parametrize(
    ("overrides", "name"),
    [
        (["run_dir=a/b", "resume=true", "retry=errors", "logger.mode=online"], "defaults"),
        (["env=formgym/xfund", "agent=noop", "episodes=1"], "agent-noop+env-formgym-xfund+episodes-1"),
        (["++env.action_mode=program", "agent=noop"], "env.action_mode-program+agent-noop"),
        (["wrappers=[field_finder_rules,feedback]"], "wrappers-field_finder_rules-feedback"),
        (["env.root=/data/scans"], r"env\.root-data-scans-[0-9a-f]{8}"),
        (["env.secret=hunter2"], r"env\.secret-private-[0-9a-f]{8}"),
    ],
)
def test_names_say_what_a_job_is(overrides, name):
    assert re.fullmatch(name.replace("+", r"\+"), run_name(overrides))


# -- Progress ----------------------------------------------------------------------------------------------------------


def _job(sweep, name, requested):
    folder = sweep / name
    folder.mkdir()
    spec = RunSpec(env="FormGym/Scans-v0", agent="formgym.agents.baselines.Noop")
    RunFolder(folder).describe(spec, requested)
    return folder


def _write(path, *indices):
    with path.open("a") as file:
        for index in indices:
            file.write(json.dumps({"index": index}) + "\n")


def test_episodes_of_all_jobs_and_shards_and_what_was_paid_are_counted(tmp_path):
    progress = SweepProgress(tmp_path, jobs=3, dollars=2.0)
    assert progress.line() == "0 of 0 episodes, $0.00 of $2.00"
    job, other = _job(tmp_path, "a", 10), _job(tmp_path, "b", 20)
    _write(job / "episodes.jsonl", 0, 1, 2, 2)
    _write(other / "episodes.0-of-2.jsonl", 0, 2)
    _write(other / "episodes.1-of-2.jsonl", 1)
    with (other / "episodes.1-of-2.jsonl").open("a") as file:
        file.write('{"index": 3')
    ledger = CostLedger(tmp_path / LEDGER)
    highest = Usage(40, 60, cost=0.5)
    ledger.settle(ledger.reserve("key", highest), Usage(40, 10, cost=0.25), "ok")
    ledger.reserve("another", highest)
    # The third job is taken to have as many episodes as the others have on average.
    assert progress.line().startswith("6 of 45 episodes, $0.25 of $2.00, ")
    with (other / "episodes.1-of-2.jsonl").open("a") as file:
        file.write("}\n")
    assert progress.line().startswith("7 of 45 episodes")
    assert SweepProgress(tmp_path, jobs=3, episodes=5).line() == "7 of 35 episodes, $0.25"
