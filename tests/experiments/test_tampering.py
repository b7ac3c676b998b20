"""Whatever is changed in a submission is found, or raises no rank: a table of ways to cheat on real submissions."""

import copy
import json
import sys
from pathlib import Path

import pytest
from sizes import ALL, sample

from formgym.agents import VLM, Noop, Scripted
from formgym.envs.core.tasks import episode_seed
from formgym.experiments.publishing.submission import digest, read_submission, submission_of
from formgym.experiments.publishing.verify import verified
from formgym.experiments.running.episodes import Episode, total_usage
from formgym.experiments.running.rollout import bare_env
from formgym.experiments.running.run_folder import summarise
from formgym.experiments.running.run_spec import RunSpec
from formgym.experiments.running.runner import Runner
from formgym.wrappers import FieldFinder

ROWS = json.loads((Path(__file__).parents[1] / "data" / "tampering.json").read_text())
OFFICIAL = {"FormGym/Scans-v0": 4, "DocEdit/Invoice-v0": 2}
SCANS, PROGRAMS = {"id": "FormGym/Scans-v0"}, {"id": "DocEdit/Invoice-v0", "action_mode": "program"}
MODEL_AGENT = {"_target_": "formgym.agents.VLM", "model": None, "prompts": None}
ONE_SHOT = {"_target_": "formgym.wrappers.ActionBatch", "_partial_": True, "max_rounds": 1, "max_actions": None}


def wrapper(name, **options):
    return {"_target_": f"formgym.wrappers.{name}", "_partial_": True, **options}


TELLING = {"FormGym/Scans-v0": "source", "DocEdit/Invoice-v0": "goal"}
"""What tells a task from others."""


def solutions(env, wrap=lambda env: env):
    """Calls that solve each official task, by its words; of the second one, calls that do not."""
    made, found = wrap(bare_env(env["id"], **{name: value for name, value in env.items() if name != "id"})), {}
    for index in range(OFFICIAL[env["id"]]):
        observation, _ = made.reset(seed=episode_seed(0, index))
        found[observation[TELLING[env["id"]]]] = [{"tool": "terminate"}] if index == 1 else made.solution()
    return found


class Own:
    """An agent of one's own: it knows a few tasks by heart."""

    def __init__(self, calls):
        self._calls = calls

    def reset(self, task, seed):
        pass

    def act(self, observation):
        return self._calls[observation["source"]]


def scripted(turns):
    """A model that answers each task by its replies, one a round."""

    def reply(messages, tools, seed):
        words = "\n".join(block.text for message in messages for block in message.content if hasattr(block, "text"))
        turn = sum(message.role == "assistant" for message in messages)
        replies = next(replies for task, replies in turns.items() if task in words)
        return replies[min(turn, len(replies) - 1)]

    return VLM(Scripted(reply))


def made(folder, player, **settings):
    spec = RunSpec(run_dir=folder, episodes=OFFICIAL[settings["env"]["id"]], **settings)
    return submission_of([Runner(spec, agent=player).run()]).model_dump(mode="json")


@pytest.fixture(scope="module")
def submissions(tmp_path_factory):
    """Real runs: of models in one shot, with FieldFinder and with programs, of nothing, and of one's own agent."""
    root, scans = tmp_path_factory.mktemp("tampering"), solutions(SCANS)
    at_once = {task: ["\n".join(map(json.dumps, calls))] for task, calls in scans.items()}
    missed = {"tool": "place_text_at", "target": "Nothing of this name", "text": "x"}
    by_name = solutions(SCANS, lambda env: FieldFinder(env, locator="oracle"))
    named = {task: [json.dumps(call) for call in (missed, *calls)] for task, calls in by_name.items()}
    program = {task: [calls[0].get("code", "def main(document): pass")] for task, calls in solutions(PROGRAMS).items()}
    finder = {"field_finder": wrapper("FieldFinder", locator="oracle", show=1), "feedback": wrapper("Feedback")}
    own = {"agent": "mine.Agent", "wrappers": {"ruler": wrapper("Ruler")}}
    return {
        "one_shot": made(
            root / "a", scripted(at_once), env=SCANS, agent=MODEL_AGENT, flow=ONE_SHOT, flow_name="one_shot"
        ),
        "found": made(root / "b", scripted(named), env=SCANS, agent=MODEL_AGENT, wrappers=finder),
        "program": made(root / "c", scripted(program), env=PROGRAMS, agent=MODEL_AGENT),
        "noop": made(root / "d", Noop(), env=SCANS, agent="formgym.agents.Noop"),
        "own": made(root / "e", Own(scans), env=SCANS, **own),
    }


def at(content, path):
    for step in path:
        content = content[int(step)] if isinstance(content, list) else content[step]
    return content


def put(content, path, value):
    *path, last = path.split(".")
    place = at(content, path)
    if isinstance(place, dict):
        place[last] = value
    elif int(last) == len(place):
        place.append(value)
    else:
        place[int(last)] = value


def tampered(row, submissions):
    """A submission after a change, with aggregates and digest made to fit, as a cheat would."""
    content = copy.deepcopy(submissions[row["of"]])
    for path, source in row.get("copy", {}).items():
        of, _, source = source.rpartition(":")
        put(content, path, copy.deepcopy(at(submissions[of] if of else content, source.split("."))))
    for path, value in row.get("set", {}).items():
        put(content, path, value)
    for path in row.get("cut", ()):
        *above, last = path.split(".")
        place = at(content, above)
        place.pop(int(last) if isinstance(place, list) else last)
    for run in () if row.get("raw") else content["runs"]:
        try:
            episodes = [Episode.model_validate(episode) for episode in run["episodes"]]
            spec = RunSpec.model_validate(run["spec"])
        except ValueError:
            continue
        run["summary"] = summarise(spec, run["version"], episodes)
        run["usage"] = total_usage(episodes)
    rest = {name: value for name, value in content.items() if name != "sha256"}
    return json.loads(json.dumps(rest | {"sha256": digest(rest)}))


def ranks(result):
    """The standings that bear a rank, by what was checked."""
    return {standing.basis: standing.mean for standing in result.standings if result.is_ranked(standing)}


@pytest.fixture(scope="module")
def sound(submissions, tmp_path_factory):
    """What verification says of each submission as it was made."""
    path = tmp_path_factory.mktemp("sound") / "s.json"

    def checked(content):
        path.write_text(json.dumps(content))
        return verified(*read_submission(path), official=OFFICIAL)

    return {name: checked(content) for name, content in submissions.items()}


def test_sound_submissions_are_confirmed(sound):
    assert [difference for result in sound.values() for difference in result.differences] == []
    assert {name: ranks(result) for name, result in sound.items()} == {
        "one_shot": {"replies": 0.75},
        # The locator knows the places.
        "found": {},
        "program": {"replies": 0.5},
        "noop": {"played again": 0.0},
        "own": {"calls only": 0.75},
    }


@pytest.mark.filterwarnings("ignore:a reply of scripted was cut off")
@pytest.mark.parametrize(
    "row", sample([row for row in ROWS if ALL or not row.get("long")], 31), ids=lambda row: row["name"]
)
def test_no_tampering_raises_a_rank(row, submissions, sound, tmp_path):
    path = tmp_path / "s.json"
    path.write_text(json.dumps(tampered(row, submissions)))
    try:
        result = verified(*read_submission(path), official=OFFICIAL)
    except ValueError:
        assert row["finds"] is None
        return
    assert "this" not in sys.modules, "the file named a module, and it was imported"
    before, after = ranks(sound[row["of"]]), ranks(result)
    assert all(mean <= before.get(basis, -1) for basis, mean in after.items())
    if row["finds"] is None:
        assert result.is_confirmed, result.differences
    else:
        assert any(row["finds"] in difference for difference in result.differences), result.differences


def test_the_table_has_forty_kinds():
    assert len({row["name"] for row in ROWS}) == len(ROWS) >= 40
