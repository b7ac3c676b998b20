"""Progress of a sweep: read from its folder, whoever writes there."""

import json

from formgym.agents.models.ledger import CostLedger
from formgym.experiments.running.run_folder import LEDGER, RunFolder
from formgym.experiments.running.run_spec import RunSpec
from formgym.experiments.running.sweep_progress import SweepProgress


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
    ledger.settle(ledger.reserve("key", 0.5, 100), 0.25, 10)
    ledger.reserve("another", 0.5, 100)
    # The third job is taken to have as many episodes as the others have on average.
    assert progress.line().startswith("6 of 45 episodes, $0.25 of $2.00, ")
    with (other / "episodes.1-of-2.jsonl").open("a") as file:
        file.write("}\n")
    assert progress.line().startswith("7 of 45 episodes")
    assert SweepProgress(tmp_path, jobs=3, episodes=5).line() == "7 of 35 episodes, $0.25"
