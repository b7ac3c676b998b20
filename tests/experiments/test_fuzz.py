"""Fuzzing: nothing breaks under random and hostile actions, what broke once stays mended, faults are found."""

import re

import gymnasium as gym
import pytest
from paths import DATA
from sizes import ALL, FIRST_OF_EACH_CLASS, some

from formgym.envs.core.tools import Tool, ToolError
from formgym.envs.paper_forms.scans.env import ScansEnv
from formgym.envs.registration import ids
from formgym.experiments.fuzz.running import fuzz, fuzz_all, left_out, read_corpus, replayed, write_corpus

CORPUS = read_corpus(DATA / "fuzz_corpus.json")


def test_nothing_breaks(arguments):
    # One environment of each class, and some more; all of them by `make test-all`.
    names = ids() if ALL else sorted({*FIRST_OF_EACH_CLASS, *ids()[::9]})
    actions = some(300, 3_000)
    count, broken = fuzz(names, actions, 1, arguments)
    assert count >= actions
    assert [(case.env, case.broken, case.actions) for case in broken] == []


@pytest.mark.parametrize("case", CORPUS, ids=[f"{case.env}-{number}" for number, case in enumerate(CORPUS)])
def test_what_broke_once_stays_mended(case, arguments):
    assert replayed(case, arguments[case.env]) == ""


def _raises(state, x, y):
    """Raise."""
    raise KeyError("no such place")


def _changes(state, x, y):
    """Change something, and only then refuse."""
    state.finished = True
    raise ToolError("This cannot be.")


class Faulty(ScansEnv):
    """Scans with a tool that is at fault."""

    def __init__(self, fault, **kwargs):
        places = next(tool for tool in ScansEnv.tools if tool.name == "delete_text").arguments
        self.tools = (*ScansEnv.tools, Tool("faulty", {"raises": _raises, "changes": _changes}[fault], places))
        super().__init__(**kwargs)


@pytest.fixture(scope="module")
def faulty():
    gym.register("Fuzz/Faulty-v0", entry_point=Faulty)
    yield "Fuzz/Faulty-v0"
    del gym.registry["Fuzz/Faulty-v0"]


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("raises", "KeyError in .*_raises: 'no such place'"),
        ("changes", "an invalid call has changed the state"),
    ],
)
def test_faults_are_found_shrunk_and_kept(faulty, fault, words, tmp_path):
    found = [fuzz([faulty], 120, 5, {faulty: {"fault": fault}}) for _ in range(2)]
    assert found[0] == found[1]
    assert found[0][1]
    write_corpus(tmp_path / "corpus.json", found[0][1])
    for case in read_corpus(tmp_path / "corpus.json"):
        assert len(case.actions) == 1
        assert case.actions[0]["tool"] == "faulty"
        assert re.search(words, replayed(case, {"fault": fault}))


def test_environments_without_their_data_are_left_out(monkeypatch):
    monkeypatch.delenv("FORMGYM_DATA", raising=False)
    missing = left_out(["FormGym/Scans-v0", "FormGym/FUNSD-v0"], {})
    assert list(missing) == ["FormGym/FUNSD-v0"]
    assert "FORMGYM_DATA" in missing["FormGym/FUNSD-v0"]


def test_the_command_says_how_many_actions_there_were(tmp_path, capsys):
    assert fuzz_all("FormGym/Scans-*", 30, 0, tmp_path / "corpus.json", 1)
    assert "in 1 environments, seed 0: 0 episodes broken." in " ".join(capsys.readouterr().out.split())
    assert not (tmp_path / "corpus.json").exists()
    with pytest.raises(ValueError, match="no environment like 'nothing' can be made"):
        fuzz_all("nothing", 30, 0, tmp_path / "corpus.json", 1)
