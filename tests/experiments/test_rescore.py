"""Rescoring: recorded episodes are replayed and graded again; what differs is said, and nothing else changes."""

import gymnasium as gym
import pytest

from formgym.agents.base import ModelError
from formgym.agents.baselines import Oracle, Random
from formgym.experiments.reporting.rescore import RESCORED, rescore, rescore_run
from formgym.experiments.running.episodes import EpisodeFiles, episode_writer, write_episode
from formgym.experiments.running.rollout import run_episode
from formgym.experiments.running.run_folder import RunFolder
from formgym.experiments.running.run_spec import RunSpec
from formgym.wrappers import ActionBatch

ID = "FormGym/AutoLoans-Text-v0"


class Failing(Oracle):
    def act(self, observation):
        raise ModelError("503")


@pytest.fixture(scope="module")
def episodes():
    env = ActionBatch(gym.make(ID))
    agents = [Oracle(), Random(n_actions=4), Failing(), Oracle()]
    return [run_episode(env, agent, index=index, seed=index) for index, agent in enumerate(agents)]


@pytest.fixture
def run(tmp_path, episodes):
    """A folder of the run, two of its four episodes in a file of a shard, and its episodes."""

    def make(*recorded):
        folder = tmp_path / "runs" / "mixed"
        folder.mkdir(parents=True)
        RunFolder(folder).describe(RunSpec(env=ID, agent={}, name="mixed", episodes=4), 4)
        for name, half in (("episodes.jsonl", recorded[:2]), ("episodes.1-of-2.jsonl", recorded[2:])):
            with episode_writer(folder / name) as file:
                for episode in half:
                    write_episode(file, episode)
        return folder

    return make


def _as_by_an_older_scorer(episode):
    fields = [result.__class__(**{**_fields(result), "correct": False}) for result in episode.fields]
    return episode.model_copy(
        update={"metrics": episode.metrics | {"strict_accuracy": 0.25, "gone": 1.0}, "fields": fields}
    )


def _fields(result):
    return {name: getattr(result, name) for name in result.__dataclass_fields__}


def _files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir() if path.name != "summary.json"}


def test_nothing_has_changed(run, episodes, capsys):
    folder = run(*episodes)
    before = _files(folder)
    assert rescore([folder.parent], write=False)
    assert "4 episodes of 1 runs: no score has changed." in capsys.readouterr().out
    assert list(EpisodeFiles(folder / RESCORED)) == episodes
    assert _files(folder).items() >= before.items()
    (folder / RESCORED).unlink()
    assert rescore([folder], write=True)
    assert _files(folder) == before


@pytest.mark.parametrize("write", [False, True])
def test_other_scores_are_told_and_stored(run, episodes, capsys, write):
    folder = run(_as_by_an_older_scorer(episodes[0]), *episodes[1:])
    luck = episodes[1].metrics["strict_accuracy"]
    changes = list(rescore_run(RunFolder(folder).read()).changes())
    assert changes == [("strict_accuracy", 1, (1.25 + luck) / 3, (2 + luck) / 3), ("gone", 1, 1.0, None)]
    assert rescore([folder], write)
    assert "Changes in 4 episodes of 1 runs" in capsys.readouterr().out
    new = RunFolder(folder).read().episodes if write else list(EpisodeFiles(folder / RESCORED))
    assert list(new) == episodes
    assert (RunFolder(folder).read().summary["scores"]["strict_accuracy"]["mean"] > 0.6) == write
    assert list(EpisodeFiles(folder / "episodes.1-of-2.jsonl")) == episodes[2:]


@pytest.mark.parametrize("write", [False, True])
def test_episodes_with_other_pixels_keep_their_scores_and_are_named(run, episodes, capsys, write):
    other = _as_by_an_older_scorer(episodes[3]).model_copy(update={"page_sha256": "0" * 64})
    gone = _as_by_an_older_scorer(episodes[1]).model_copy(update={"task": "no_form/nobody"})
    folder = run(episodes[0], gone, episodes[2], other)
    assert not rescore([folder], write)
    printed = capsys.readouterr().out
    assert "1 episodes keep their scores (3): its calls lead to other pixels now" in printed
    assert "1 episodes keep their scores (1): ValueError: no task 'no_form/nobody'" in printed
    assert list(RunFolder(folder).read().episodes) == [episodes[0], gone, episodes[2], other]


def test_a_run_that_is_being_written_is_not_changed(run, episodes):
    folder = run(*episodes)
    with episode_writer(folder / "episodes.1-of-2.jsonl"), pytest.raises(RuntimeError, match="another process"):
        rescore([folder], write=True)


def test_a_folder_without_runs_is_refused(tmp_path):
    with pytest.raises(ValueError, match="no run in"):
        rescore([tmp_path], write=False)
