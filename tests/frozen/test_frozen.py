"""What must not change while the code does: spaces, pages, feedback, solutions, scores, shipped data, exported files.

``FORMGYM_FREEZE=1 pytest tests/frozen`` writes ``digest.json`` anew, where a change of behaviour is meant.
"""

import hashlib
import json
import os
import re
import zipfile
from pathlib import Path

import gymnasium as gym
import pytest
from sizes import ALL, FIRST_OF_EACH_CLASS, sample

from formgym.agents.rule_based.agent import RuleBased
from formgym.envs.documents.formats.files import write_document
from formgym.envs.documents.shipped import shipped_document, shipped_documents
from formgym.envs.paper_forms.grounding.env import PaperGroundingEnv
from formgym.envs.registration import ids, index
from formgym.experiments.running.rollout import run_episode
from formgym.fieldfinder_model.locators import LOCATORS
from formgym.wrappers import ActionBatch, Feedback, FieldFinder

FILE = Path(__file__).with_name("digest.json")
FREEZE = bool(os.environ.get("FORMGYM_FREEZE"))
SEEDS = (0, 1) if ALL or FREEZE else (0,)
STEPS = 15
IN_CHROMIUM = {"FormFactory/Custom-v0", "FormFactory/Published-v0"}
"""Ids whose pages are what the browser draws, which changes with its version."""


def _sha(*parts):
    digest = hashlib.sha256()
    for part in parts:
        digest.update(part if isinstance(part, bytes) else json.dumps(part, sort_keys=True, default=str).encode())
    return digest.hexdigest()[:16]


def _observed(observation):
    arrays = [name for name in sorted(observation) if name not in ("goal", "source")]
    return _sha(*(observation[name].tobytes() for name in arrays), observation["goal"], observation["source"])


def _steps(env, actions):
    """Digests of the pages, of the feedback, and of rewards and scores that actions lead to."""
    pages, feedback, scores = [], [], []
    for action in actions:
        observation, reward, terminated, truncated, info = env.step(action)
        pages.append(_observed(observation))
        feedback.append([info["feedback"], info["valid"]])
        scores.append([round(float(reward), 9), info["score"]])
        if terminated or truncated:
            break
    return {"pages": _sha(pages), "feedback": _sha(feedback), "scores": _sha(scores)}


def _random_walk(env, seed):
    observation, info = env.reset(seed=seed)
    env.action_space.seed(seed)
    space, first = env.action_space, _observed(observation)
    actions = [a for a in (space.sample() for _ in range(STEPS)) if space.names[a["tool"]] != "terminate"]
    return {"task": info["task"], "first": first, **_steps(env, actions)}


def _oracle(env, seed):
    env.reset(seed=seed)
    base = env.unwrapped
    calls = base.solution()
    walked = _steps(env, [base.action_space.from_call(call) for call in calls])
    return {"calls": _sha(calls), **walked, "score": dict(base.state.score().metrics)}


def _environment(env):
    base = env.unwrapped
    frozen = {
        "spaces": _sha(repr(env.observation_space), repr(env.action_space)),
        "tools": _sha(base.action_space.schemas),
        "tasks": _sha(list(base.task_ids)),
    }
    for seed in SEEDS:
        frozen[f"random {seed}"] = _random_walk(env, seed)
        frozen[f"oracle {seed}"] = _oracle(env, seed)
    return json.loads(json.dumps(frozen))


def _content(file):
    """What is in a file, without the times at which it was written."""
    if file.suffix != ".pptx":
        return re.sub(rb"/(CreationDate|ModDate|ID)[^\n]*\n?[^\n]*", b"", file.read_bytes())
    with zipfile.ZipFile(file) as package:
        names = sorted(package.namelist())
        return b"".join(re.sub(rb"<dcterms:\w+[^>]*>[^<]*", b"", package.read(name)) for name in names)


def _compare(name, value):
    if FREEZE:
        everything = json.loads(FILE.read_text()) if FILE.exists() else {}
        everything[name] = value
        lines = [f"{json.dumps(key)}: {json.dumps(everything[key])}" for key in sorted(everything)]
        FILE.write_text("{\n" + ",\n".join(lines) + "\n}\n")
    expected = json.loads(FILE.read_text())[name]
    sampled = not ALL and isinstance(expected, dict)
    assert {key: expected[key] for key in value} == value if sampled else expected == value


@pytest.mark.parametrize("env_id", sorted({*FIRST_OF_EACH_CLASS, *sample(ids(), 3)} - IN_CHROMIUM))
def test_an_environment_is_as_it_was(env_id, env):
    _compare(env_id, _environment(env))


def test_shipped_files_are_as_they_were():
    _compare("files", _sha({name: entry["sha256"] for name, entry in index()["files"].items()}))


@pytest.mark.parametrize("name", sample(shipped_documents()[::5], 4))
def test_exports_are_as_they_were(name, tmp_path):
    written = {}
    for suffix in (".json", ".png"):
        folder = tmp_path / suffix[1:]
        folder.mkdir()
        write_document(shipped_document(name), folder / f"{name}{suffix}")
        written[suffix] = _sha(*(_content(file) for file in sorted(folder.rglob("*")) if file.is_file()))
    _compare(f"export {name}", written)


@pytest.mark.parametrize("split", ["dev", "test"])
def test_drawn_pages_are_as_they_were(split):
    env = PaperGroundingEnv("made", split)
    pages = [env.open_page(task) for task in env.task_ids[:3]]
    _compare(f"drawn pages {split}", [[_sha(page.image.tobytes()), _sha(page.targets)] for page in pages])


def _episode_scores(env, agent, episodes=2):
    episodes = [run_episode(env, agent, index=seed, seed=seed) for seed in range(episodes)]
    assert not any(episode.error for episode in episodes)
    return [episode.metrics for episode in episodes]


@pytest.mark.parametrize(
    "name", sample(["AutoLoans-Text", "AutoLoans-DocTransfer", "AutoLoans-GUI", "Database", "Scans"], 3)
)
def test_the_rule_based_agent_scores_as_it_did(name):
    env = Feedback(ActionBatch(FieldFinder(gym.make(f"FormGym/{name}-v0"), locator="oracle"), max_rounds=10))
    _compare(f"rule-based agent {name}", _episode_scores(env, RuleBased()))


@pytest.mark.parametrize("seed", sample(range(4), 1))
@pytest.mark.parametrize("name", sample(["fieldfinder", "rules", "right_of_label"], 1))
def test_locators_find_what_they_found(name, seed):
    env = gym.make("FormGym/Scans-v0")
    page = env.reset(seed=seed)[0]["page"]
    labels = [place.label for place in env.unwrapped.state.places]
    found = [
        [round(float(edge)) for detection in detections[:1] for edge in detection.box]
        for detections in LOCATORS[name]().locate_all(page, labels)
    ]
    _compare(f"locator {name} {seed}", found)
