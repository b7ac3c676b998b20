"""MCP: the package's own client plays episodes over stdio and HTTP; they are recorded as runs."""

import json
import os
import re
import signal
import subprocess
import sys
from contextlib import contextmanager

import anyio
import pytest
from command_line import COMMAND
from sizes import FIRST_OF_EACH_CLASS, sample, some

pytest.importorskip("mcp", reason="needs the package mcp: pip install 'formgym[mcp]'")

import httpx
from mcp.client import Client
from mcp.client.stdio import StdioServerParameters, stdio_client
from mcp.shared.exceptions import MCPError
from mcp_types.version import LATEST_MODERN_VERSION

from formgym.agents.bridges.mcp import OPEN, SCORE, Episodes, server_of
from formgym.agents.session import Session
from formgym.envs.registration import ids
from formgym.experiments.publishing.submission import submission_of
from formgym.experiments.publishing.verify import verified
from formgym.experiments.running.rollout import regraded
from formgym.experiments.running.run_folder import find_runs
from formgym.wrappers import Ruler

SCANS = "FormGym/Scans-v0"


def solution(env, seed, **arguments):
    with Session(env, seed=seed, **arguments) as session:
        session.open()
        return session.solution()


async def played(client, calls):
    """Open the episode and make the calls; the last result, the score and what the resource says before the end."""
    result = await client.call_tool(OPEN, {})
    assert not result.is_error
    assert {block.type for block in result.content} == {"text", "image"}
    before = (await client.read_resource(SCORE)).contents[0].text
    for call in calls:
        call = dict(call)
        result = await client.call_tool(call.pop("tool"), call)
    return result, (await client.read_resource(SCORE)).contents[0].text, before


def over_stdio(folder, *options):
    command = [*COMMAND, "mcp", *options, "--runs", str(folder)]
    return stdio_client(StdioServerParameters(command=command[0], args=command[1:], env=dict(os.environ)))


@contextmanager
def http_server(folder, *options):
    command = [*COMMAND, "mcp", *options, "--runs", str(folder), "--port", "0"]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        yield re.search(r"http://127\.0\.0\.1:\d+/mcp", process.stdout.readline())[0]
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


@pytest.mark.parametrize("env_id", sample(some(FIRST_OF_EACH_CLASS, ids()), 9))
def test_the_oracles_calls_reach_the_full_score_in_every_kind_of_environment(env_id, arguments):
    recorded, env, made_with = [], env_id, arguments[env_id]
    episodes = Episodes(lambda: Session(env, seed=3, **made_with), recorded.append)

    async def play():
        async with Client(server_of(episodes, is_over_http=False)) as client:
            tools = (await client.list_tools()).tools
            return {tool.name for tool in tools}, await played(client, solution(env, 3, **made_with))

    names, (_, score, before) = anyio.run(play)
    assert names == {OPEN, *Session(env, **made_with).tools.names}
    assert "not ended" in before
    (session,) = recorded
    assert session.done
    assert session.reward == pytest.approx(1)
    assert json.loads(score) == session.score().metrics


def test_a_client_over_stdio_plays_with_wrappers_and_its_episode_is_a_run(tmp_path):
    options = (SCANS, "--seed", "5", "--unit", "thousand", "--wrapper", "ruler", "--name", "mine")

    async def play():
        async with Client(over_stdio(tmp_path, *options)) as client:
            return await played(client, solution(SCANS, 5, unit="thousand", wrappers=[Ruler]))

    _, score, _ = anyio.run(play)
    assert json.loads(score)["strict_accuracy"] == 1
    (run,) = find_runs(tmp_path)
    assert (run.spec.name, run.summary["flow"], run.summary["wrappers"]) == ("mine", "mcp", ["ruler"])
    (episode,) = run.episodes
    assert episode.metrics["strict_accuracy"] == 1
    again = regraded(run.make_env(), episode)
    assert again.is_same_page
    assert again.episode.metrics == episode.metrics
    submission = submission_of([run])
    assert verified(submission, submission.sha256).differences == []


def test_clients_over_http_have_an_episode_each(tmp_path):
    """At once; one that leaves early is recorded as unscored when the server ends."""

    async def play(url):
        scores = {}

        async def one(seed):
            async with Client(url) as client:
                _, scores[seed], _ = await played(client, solution(SCANS, 2) if seed else [{"tool": "terminate"}])

        async with anyio.create_task_group() as group:
            for seed in range(3):
                group.start_soon(one, seed)
        async with Client(url) as client:
            await client.call_tool(OPEN, {})
        async with Client(url, mode=LATEST_MODERN_VERSION) as client:
            with pytest.raises(MCPError, match="every session has an episode of its own"):
                await client.call_tool(OPEN, {})
        return scores

    with http_server(tmp_path, SCANS, "--seed", "2") as url:
        scores = anyio.run(play, url)
        foreign = httpx.post(url, json={}, headers={"Origin": "http://evil.example.com"})
        assert foreign.status_code == 403
    assert [json.loads(scores[seed])["strict_accuracy"] for seed in range(3)] == [0, 1, 1]
    (run,) = find_runs(tmp_path)
    assert sorted((episode.ended, episode.error) for episode in run.episodes) == [
        ("error", "left unfinished"),
        *[("terminated", None)] * 3,
    ]
    submission = submission_of([run])
    assert verified(submission, submission.sha256).differences == []


def test_wrong_calls_are_errors_that_say_what_to_do():
    recorded = []
    episodes = Episodes(lambda: Session(SCANS, seed=1), recorded.append)

    async def play():
        texts = []

        async def call(name, arguments):
            result = await client.call_tool(name, arguments)
            texts.append((result.is_error, result.content[0].text))

        async with Client(server_of(episodes, is_over_http=False)) as client:
            await call("terminate", {})
            await call(OPEN, {})
            await call(OPEN, {})
            await call("fill_in", {"x": 1})
            await call("place_text", {"x": 4, "y": 0.5, "text": "Ann"})
            await call("place_text", {"x": 0.5})
            other = (await client.read_resource("formgym://gold")).contents[0].text
            await call("terminate", {})
            await call("terminate", {})
            return texts, other

    texts, other = anyio.run(play)
    assert [is_error for is_error, _ in texts] == [True, False, True, True, True, True, False, True]
    for (_, text), words in zip(texts, ("Call open first", "", "begun", "fill_in", "x", "y", "", "ended"), strict=True):
        assert words in text
    assert "nothing else" in other
    assert len(recorded[0].turns) == 4


def test_a_client_that_is_killed_leaves_an_unscored_episode(tmp_path):
    script = f"""
import anyio, os, sys
from mcp.client import Client
sys.path.insert(0, {str(__file__.rpartition("/")[0])!r})
from test_mcp import OPEN, SCANS, over_stdio
async def play():
    async with Client(over_stdio({str(tmp_path)!r}, SCANS, "--seed", "4")) as client:
        await client.call_tool(OPEN, {{}})
        await client.call_tool("place_text", {{"x": 0.5, "y": 0.5, "text": "Ann"}})
        os.kill(os.getpid(), 9)
anyio.run(play)
"""
    path = str(__file__.rpartition("/agents/")[0])
    killed = subprocess.run([sys.executable, "-c", f"import sys; sys.path.insert(0, {path!r})\n{script}"], timeout=60)
    assert killed.returncode == -signal.SIGKILL
    with anyio.from_thread.start_blocking_portal() as portal:
        for _ in range(100):
            if runs := [run for run in find_runs(tmp_path) if len(run.episodes)]:
                break
            portal.call(anyio.sleep, 0.1)
    (episode,) = runs[0].episodes
    assert (episode.error, episode.n_calls) == ("left unfinished", 1)
    assert regraded(runs[0].make_env(), episode).is_same_page


def test_wrong_settings_are_one_line_before_anything_is_served(tmp_path):
    for options in (["No/Such-v0"], [SCANS, "--unit", "inch"], [SCANS, "--wrapper", "nothing"], [SCANS, "--task", "x"]):
        result = subprocess.run([*COMMAND, "mcp", *options], cwd=tmp_path, capture_output=True, text=True, timeout=60)
        assert result.returncode == 2
        assert options[-1] in result.stderr
        assert len(result.stderr.strip().splitlines()) <= 2
