"""A step that needs too much of the processor is interrupted, in any thread, and nothing else is."""

import os
import re
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from formgym.envs.core import env as core
from formgym.envs.core.cpu_limit import CpuLimit, CpuLimitExceeded
from formgym.envs.core.tools import Tool
from formgym.envs.paper_forms.scans.env import ScansEnv


def _endless(state):
    while True:
        state.finished = False


def _waits(state):
    time.sleep(0.8)
    return "waited"


def _in_c(state):
    re.match("(a|aa)+$", "a" * 34 + "b")
    return "matched"


@pytest.fixture
def env(monkeypatch, request):
    monkeypatch.setattr(core, "CPU_LIMIT", CpuLimit(0.2, 0.05))

    class Slow(ScansEnv):
        tools = (*ScansEnv.tools, *(Tool(one.__name__, one, {}) for one in (_endless, _waits, _in_c)))

    return Slow()


def _step(env, name):
    env.reset(seed=0)
    return env.step({"tool": name})


@pytest.mark.parametrize("name", ["_endless", "_in_c"])
def test_a_call_that_needs_too_much_is_interrupted_in_any_thread(env, name):
    began = time.process_time()
    for _ in range(1 if name == "_in_c" else 2):
        with pytest.raises(CpuLimitExceeded, match="needs too much of the processor"):
            _step(env, name)
    with ThreadPoolExecutor(1) as pool, pytest.raises(CpuLimitExceeded):
        pool.submit(_step, env, name).result()
    assert time.process_time() - began < 30


def test_waiting_and_many_short_calls_are_no_use_of_the_processor(env):
    assert _step(env, "_waits")[4]["feedback"] == "waited"
    env.reset(seed=0)
    until = time.thread_time() + 0.8
    while time.thread_time() < until:
        env.step({"tool": "delete_text", "x": 0.5, "y": 0.5})


def test_it_watches_forked_processes_too(env):
    with pytest.raises(CpuLimitExceeded):
        _step(env, "_endless")
    if child := os.fork():
        assert os.waitpid(child, 0)[1] == 0
        return
    try:
        _step(env, "_endless")
    except CpuLimitExceeded:
        os._exit(0)
    os._exit(1)
