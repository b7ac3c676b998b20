"""Concurrency: episodes in threads are those of one thread, and none that has ended is lost at an interrupt."""

import os
import random
import signal
import subprocess
import threading
import time
from contextlib import nullcontext
from types import SimpleNamespace

import pytest
from command_line import COMMAND
from sizes import ALL, LONG, some

from formgym.experiments.running.episodes import EpisodeFiles
from formgym.experiments.running.run_folder import RunFolder
from formgym.experiments.running.runner import Runner, _ordered, in_threads
from formgym.experiments.running.sweep import spec_of

SLOW = """
import time
from formgym.agents.baselines import Random

class Slow(Random):
    def act(self, observation):
        time.sleep(.05 if self._rng.random() < .9 else 1000)
        return super().act(observation)
"""


def _episodes(folder, *overrides, n=8):
    return Runner(spec_of(*overrides, f"episodes={n}", f"run_dir={folder}")).run().episodes


def _without_seconds(episodes):
    return [episode.model_dump(exclude={"seconds"}) for episode in sorted(episodes, key=lambda episode: episode.index)]


@pytest.mark.parametrize(
    "overrides",
    [
        ("env=formgym/auto_loans_text", "flow=stepwise", "agent.n_actions=8"),
        ("env=formfactory", "form=bug_report"),
        pytest.param(("env=formgym/database", "wrappers=[feedback,ruler]", "agent.n_actions=8"), marks=LONG),
        pytest.param(("env=docedit", "document=invoice", "++env.action_mode=program"), marks=LONG),
    ],
)
def test_episodes_in_threads_are_those_of_one_thread(overrides, tmp_path):
    alone, together = (
        _episodes(tmp_path / str(n), *overrides, "agent=random", f"concurrency={n}", n=some(4, 40)) for n in (1, 5)
    )
    assert _without_seconds(alone) == _without_seconds(together)
    assert [episode.index for episode in alone] == list(range(len(together)))


@pytest.mark.parametrize("n_threads", [1, 3, 50])
def test_everything_is_done_once_and_begun_in_order(n_threads):
    begun, rng = [], random.Random(0)

    def do(item):
        begun.append(item)
        time.sleep(rng.random() / 500)
        return -item

    results = list(in_threads(lambda: nullcontext(do), range(40), n_threads))
    assert sorted(results) == [-item for item in reversed(range(40))]
    assert [one.index for one in _ordered((SimpleNamespace(index=-result) for result in results), range(40))] == list(
        range(40)
    )
    assert n_threads > 1 or begun == list(range(40))
    assert all(abs(item - place) < n_threads for place, item in enumerate(begun))


def test_a_worker_that_fails_ends_it_after_what_is_being_done():
    both = threading.Barrier(2)

    def do(item):
        if item < 2:
            both.wait(10)
        if item == 0:
            raise LookupError("a bug")
        time.sleep(0.1)
        return item

    results = in_threads(lambda: nullcontext(do), range(100), 2)
    assert next(results) == 1
    with pytest.raises(LookupError, match="a bug"):
        next(results)


@pytest.mark.parametrize(
    ("number", "status"),
    [(signal.SIGHUP, 129), *(pytest.param(*one, marks=LONG) for one in [(signal.SIGTERM, 143), (signal.SIGINT, 130)])],
)
def test_an_interrupt_loses_no_episode_that_has_ended(tmp_path, number, status):
    (tmp_path / "slow.py").write_text(SLOW)
    arguments = ["agent=random", "agent._target_=slow.Slow", "episodes=40", "concurrency=12", "run_dir=run"]
    process = subprocess.Popen(
        [*COMMAND, "sweep", *arguments], cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
    )
    path = tmp_path / "run" / "episodes.jsonl"
    while process.poll() is None and not (path.exists() and path.read_bytes().count(b"\n") >= 5):
        time.sleep(0.02)
    process.send_signal(number)
    _, errors = process.communicate(timeout=30)
    assert process.returncode == status, errors.decode()
    kept = list(EpisodeFiles(path))
    assert 5 <= len(kept) < 40
    assert RunFolder(path.parent).read().summary["episodes"] == len(kept)
    assert (path.parent / "summary.json").exists()
    if not ALL:
        return
    (tmp_path / "slow.py").write_text(SLOW.replace("1000", "0"))
    again = subprocess.run([*COMMAND, "sweep", *arguments, "resume=true"], cwd=tmp_path, env=os.environ)
    assert again.returncode == 0
    assert [episode.index for episode in list(EpisodeFiles(path))] == list(range(40))
    assert [episode for episode in list(EpisodeFiles(path)) if episode in kept] == kept
