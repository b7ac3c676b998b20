"""Bridges to other frameworks: the same seed and calls have the same score through each; runs of the real thing."""

import asyncio
import json
import subprocess
import sys
import threading
from contextlib import contextmanager

import gymnasium as gym
import pytest
from sizes import LONG

from formgym.agents.bridges.episodes import episode_keys
from formgym.agents.bridges.trl import environment_class
from formgym.agents.session import Session

_CHOICES = {
    "FormGym/Scans-v0": ["env=formgym/scans"],
    "FormFactory/NDA-v0": ["env=formfactory", "form=nda"],
    "DocEdit/Invoice-v0": ["env=docedit", "document=invoice"],
}
IDS = tuple(_CHOICES)


def _calls(env_id):
    """An episode's task and seed, and calls of it: two that are invalid, and right ones; in a web form one is wrong."""
    (key,) = episode_keys(env_id, 1, seed=3)
    with Session(env_id, key.task, key.seed) as session:
        session.open()
        right = session.solution()
    if env_id.startswith("FormFactory/"):
        next(call for call in right if call["tool"] == "type_text")["text"] = "?"
    return key, [{"tool": "fly"}, {"tool": right[0]["tool"], "text": 7}, *right]


def _arguments(call):
    return {name: value for name, value in call.items() if name != "tool"}


def _through_gymnasium(env_id, key, calls):
    env = gym.make(env_id)
    env.reset(seed=key.seed)
    total = 0.0
    for call in calls:
        _, reward, terminated, _, _ = env.step(env.unwrapped.action_space.from_call(call))
        total += reward
        if terminated:
            break
    return total, dict(env.unwrapped.state.score().metrics)


def _through_trl(env_id, key, calls):
    environment = environment_class(env_id)()
    environment.reset(seed=key.seed)
    for call in calls:
        # TRL itself answers calls of tools that are not there; of the session they cost a step.
        environment._call(call["tool"], _arguments(call))
    return environment.get_reward(), None


def _through_evaluate(env_id, key, calls, folder):
    (folder / "player.py").write_text(
        "class Player:\n"
        "    def reset(self, task, seed):\n        pass\n"
        f"    def act(self, observation):\n        return {calls!r}\n"
    )
    code = "from formgym.experiments.cli import main; main()"
    chosen = [*_CHOICES[env_id], "seed=3", "episodes=1", "flow=one_shot", "agent._target_=player.Player", "run_dir=run"]
    command = [sys.executable, "-c", code, "sweep", "agent=noop", *chosen]
    subprocess.run(command, cwd=folder, check=True, capture_output=True, timeout=300)
    episode = json.loads((folder / "run" / "episodes.jsonl").read_text())
    assert episode["seed"] == key.seed
    return episode["reward"], episode["metrics"]


def _through_inspect(env_id, key, calls, folder):
    inspect_ai = pytest.importorskip("inspect_ai")
    from inspect_ai.log import read_eval_log
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from formgym.agents.bridges.inspect_task import episode_score, formgym_task

    task = formgym_task(env_id, 1, seed=3)
    assert task.dataset[0].metadata == {"task": None, "seed": key.seed}
    outputs = [ModelOutput.for_tool_call("mockllm/model", call["tool"], _arguments(call)) for call in calls]
    for output in outputs:
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    model = get_model("mockllm/model", custom_outputs=outputs)
    (log,) = inspect_ai.eval(task, model=model, log_dir=str(folder), log_images=False, display="none")
    assert log.status == "success", log.error
    (sample,) = log.samples
    metrics = sample.scores["episode_score"].value
    again = inspect_ai.score(read_eval_log(log.location), episode_score({"env_id": env_id, "wrappers": []}))
    assert again.samples[0].scores["episode_score"].value == metrics
    assert len(json.dumps(sample.model_dump(mode="json"))) < 1_000_000
    return None, metrics


@contextmanager
def _serving(app):
    uvicorn = pytest.importorskip("uvicorn")
    server = uvicorn.Server(uvicorn.Config(app, port=0, log_level="error"))
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
    try:
        yield f"http://127.0.0.1:{server.servers[0].sockets[0].getsockname()[1]}"
    finally:
        server.should_exit = True
        thread.join()


async def _openenv_episode(url, key, calls):
    from openenv import GenericEnvClient

    async with GenericEnvClient(base_url=url) as client:
        first = await client.reset(seed=key.seed)
        assert {tool["name"] for tool in first.observation["tools"]} >= {"terminate"}
        assert first.observation["images"]
        total = 0.0
        for call in calls:
            result = await client.step({"tool": call["tool"], "arguments": _arguments(call)})
            assert -1 <= result.reward <= 1
            total += result.reward
            if result.done:
                break
        return total, (await client.state())["metrics"]


def _through_openenv(env_id, key, calls):
    pytest.importorskip("openenv")
    from formgym.agents.bridges.openenv import make_app

    async def several(url):
        return await asyncio.gather(*(_openenv_episode(url, key, calls) for _ in range(4)))

    with _serving(make_app(env_id)) as url:
        results = asyncio.run(several(url))
    assert all(result == results[0] for result in results)
    return results[0]


_DOORS = {
    "trl": _through_trl,
    "evaluate": _through_evaluate,
    "inspect": _through_inspect,
    "openenv": _through_openenv,
}
_NEED_A_FOLDER = (_through_evaluate, _through_inspect)


@pytest.mark.parametrize("env_id", IDS)
@pytest.mark.parametrize("door", ["trl", *(pytest.param(name, marks=LONG) for name in list(_DOORS)[1:])])
def test_the_same_calls_have_the_same_score_through_every_door(door, env_id, tmp_path):
    key, calls = _calls(env_id)
    total, metrics = _through_gymnasium(env_id, key, calls)
    assert 0 < total <= 1
    through = _DOORS[door]
    folder = (tmp_path,) if through in _NEED_A_FOLDER else ()
    reward, other = through(env_id, key, calls, *folder)
    assert reward is None or reward == pytest.approx(total)
    assert other is None or {name: other[name] for name in metrics} == pytest.approx(metrics)


def test_episodes_are_those_of_a_run():
    assert [key.task for key in episode_keys(IDS[1])][:2] == ["nda/test_0", "nda/test_1"]
    drawn = episode_keys(IDS[0], 3, seed=1)
    assert drawn == episode_keys(IDS[0], 3, seed=1) != episode_keys(IDS[0], 3, seed=2)
    assert {key.task for key in drawn} == {None}
    with pytest.raises(ValueError, match="these tasks have no end"):
        episode_keys(IDS[0], split="train")
    with pytest.raises(ValueError, match="episodes must be at least 1"):
        episode_keys(IDS[0], 0)


@LONG
def test_every_environment_is_a_task_of_inspect():
    pytest.importorskip("inspect_ai")
    from formgym.agents.bridges.inspect_task import TASKS, formgym_task
    from formgym.envs.registration import ids

    assert len(TASKS) == len(ids())
    assert {"auto_loans_text", "formfactory_it_support", "docedit_invoice", "form_nlu"} <= set(TASKS)
    assert len(TASKS["docedit_invoice"]().dataset) == len(episode_keys(IDS[2]))
    with pytest.raises(ValueError, match="no wrapper 'Glasses'"):
        formgym_task(wrappers="Ruler,Glasses")
