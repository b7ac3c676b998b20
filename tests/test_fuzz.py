"""Nothing breaks under random and hostile actions, what broke once stays mended, and faults are found.

``make fuzz N=100000`` sends so many actions in all; what breaks joins ``tests/data/fuzz_corpus.json``.
"""

import fcntl
import json
import os
from dataclasses import asdict

import gymnasium as gym
import pytest
from hostile import STEPS, Case, attack, replay
from paths import DATA
from sizes import FIRST_OF_EACH_CLASS, some

from formgym.envs.core.tools import Tool, ToolError
from formgym.envs.paper_forms.scans.env import ScansEnv
from formgym.envs.registration import ids

FILE = DATA / "fuzz_corpus.json"
CORPUS = [Case(**row) for row in json.loads(FILE.read_text(encoding="utf-8"))]
FUZZ = int(os.environ.get("FORMGYM_FUZZ", 0))
"""How many actions ``make fuzz`` asks for, over all ids; 0 in tests."""
IDS = ids() if FUZZ else some(FIRST_OF_EACH_CLASS, ids())


@pytest.mark.parametrize("env_id", IDS)
def test_nothing_breaks(env_id, arguments, record_property):
    actions = -(-FUZZ // len(IDS)) if FUZZ else some(16, 400)
    try:
        record_property("actions", attack(env_id, arguments[env_id], actions, min(STEPS, actions), fixed=not FUZZ))
    except Exception as error:
        if FUZZ:
            _keep(error.case)
        raise


def _keep(case):
    """Add an episode to the corpus."""
    with FILE.open("r+", encoding="utf-8") as file:
        fcntl.flock(file, fcntl.LOCK_EX)
        rows = [*json.load(file), asdict(case)]
        file.seek(0)
        file.write("[\n" + ",\n".join(map(json.dumps, rows)) + "\n]\n")


@pytest.mark.parametrize("case", CORPUS, ids=[f"{case.env}-{number}" for number, case in enumerate(CORPUS)])
def test_what_broke_once_stays_mended(case, arguments):
    replay(case, arguments[case.env])


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
    ("fault", "words"), [("raises", "no such place"), ("changes", "an invalid call has changed the state")]
)
def test_faults_are_found_and_shrunk(faulty, fault, words):
    with pytest.raises(Exception, match=words) as caught:
        attack(faulty, {"fault": fault}, 120)
    case = caught.value.case
    assert [action["tool"] for action in case.actions] == ["faulty"]
    with pytest.raises(Exception, match=words):
        replay(Case(**json.loads(json.dumps(asdict(case)))), {"fault": fault})
