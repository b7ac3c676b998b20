"""The Python of edit programs: what models write runs as in Python, and no program harms anything."""

import json
import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from largest_programs import START, largest_programs
from paths import DATA
from program_grammar import programs
from sizes import LONG, sample, some

from formgym.envs.documents.grounding.grounders import Grounder
from formgym.envs.documents.programs.budget import MAX_PRINTED, MAX_STEPS, ProgramError
from formgym.envs.documents.programs.functions import CONSTANTS, ProgramContext
from formgym.envs.documents.programs.program import run_program
from formgym.envs.documents.programs.values import Record
from formgym.envs.documents.scene.document import shipped_document

POSTER = shipped_document("concert_poster")
GROUNDER = Grounder()
_PROCESSES = 3
SNIPPETS = json.loads((DATA / "model_programs.json").read_text(encoding="utf-8"))


def _infer(document, words):
    return GROUNDER.infer(document, words, 0)


def _program(lines):
    return "def main(document):\n" + "".join(f"    {line}\n" for line in lines)


def _run(body):
    return run_program(POSTER, _program(body.strip("\n").split("\n")), GROUNDER.find, _infer)


def test_there_are_40_snippets():
    assert len({tuple(one["code"]) for one in SNIPPETS}) >= 40


@pytest.mark.parametrize("snippet", SNIPPETS, ids=[one["name"] for one in SNIPPETS])
def test_what_models_write_has_the_expected_effect(snippet):
    editing = run_program(POSTER, _program(snippet["code"]), GROUNDER.find, _infer)
    assert editing.printed == snippet["printed"]
    for element, fields in snippet["after"].items():
        record = next(one for one in editing.record().fields["elements"] if one.name == element)
        assert json.loads(json.dumps({name: record.fields[name] for name in fields})) == fields
    assert {element.id for element in POSTER.elements()} - {*editing.document.places} == set(snippet["gone"])


class _Readable:
    """A record as an object of Python."""

    def __init__(self, record):
        self._record = record

    def __getattr__(self, name):
        if name not in self._record.fields:
            raise AttributeError(name)
        return _readable(self._record.fields[name])

    def __getitem__(self, name):
        return _readable(self._record.fields[name])

    def get(self, name, default=None):
        return _readable(self._record.fields.get(name, default))


def _readable(value):
    if isinstance(value, list):
        return [_readable(one) for one in value]
    return _Readable(value) if isinstance(value, Record) else value


@pytest.mark.parametrize("snippet", SNIPPETS, ids=[one["name"] for one in SNIPPETS])
def test_what_models_write_runs_as_in_python(snippet, capsys):
    editing = ProgramContext(POSTER, GROUNDER.find, _infer)
    names = {**CONSTANTS, **editing.functions()}
    exec(compile(_program(snippet["code"]), "snippet", "exec"), names)
    names["main"](_Readable(editing.record()))
    ours = run_program(POSTER, _program(snippet["code"]), GROUNDER.find, _infer)
    assert ours.document.digest == editing.document.digest
    assert ours.printed == capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize(
    "body",
    [
        "print({}.fromkeys([1, 2]), {3: 4}.fromkeys('ab', 0), dict.fromkeys([1]))",
        "x = [1, 2]\ny = x\ny *= 2\nprint(x, y is x)",
        "x = {'a': [1]}\ny = x['a']\nx['a'] *= 3\nx['a'] += (2,)\nprint(x, y)",
        "s = {1, 2}\nt = s\ns -= {1}\nprint(t, t is s)",
        "t = (1,)\nu = t\nt *= 2\nt += (3,)\nprint(t, u)",
        "x = [1]\nx += x\nx *= 0\nprint(x)",
        "try:\n    x = 1 / 0\nexcept ZeroDivisionError as e:\n    print(e)\n"
        "try:\n    print(e)\nexcept NameError:\n    print('gone')",
        "for f in (lambda: {**[(1, 2)]}, lambda: dict(**[('a', 1)]), lambda: {1} - [1], lambda: [1] - {1},\n"
        "          lambda: 'abc'['a':], lambda: {}[::2], lambda: list.append('a', 1), lambda: dict.keys([1])):\n"
        "    try:\n        print(f())\n    except TypeError:\n        print('refused')",
        "d = {1: 1}\ntry:\n    x = [d.setdefault(k + 1, 0) for k in d]\nexcept RuntimeError as e:\n    print(e)",
        "x = [1, 2, 3]\nprint([x.pop() for i in x if i], x, {k: v for k, v in zip('aba', x * 3)})",
        "print('a', 2, sep=', ', end='.')\nprint(*[1, 2], sep='\\n')\nprint('{0}{0}{a!r}'.format(1, a='b'))",
        "print(list(enumerate('ab')), sum([[1], [2]], []), not [], -True, [0, 1, 2][True:], sum(x for x in [1, 2]))",
    ],
)  # fmt: skip
def test_programs_print_what_python_prints(body, capsys):
    ours = _run(f"{body}\nDELETE('foot')").printed
    exec(compile(body, "body", "exec"), {})
    assert ours == capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize("statement", ["assert False, a", "raise ValueError(a)", "x = {}[a]", "x = {'b': 1}[a]"])
def test_messages_are_short_and_can_be_written(statement):
    with pytest.raises(ProgramError) as caught:
        _run(f"a = 'a\\0\\ud800' * 3000\n{statement}")
    assert len(caught.value.feedback) < 600
    assert "\0" not in caught.value.feedback
    assert caught.value.feedback.encode()


def test_a_program_that_fails_says_what_it_printed():
    env = gym.make("DocEdit/ConcertPoster-v0", action_mode="program")
    env.reset(seed=0)
    for body, words in (("x = 1", "changed nothing"), ("x = 1 / 0", "line 3: ZeroDivisionError")):
        code = f"def main(document):\n    print('looked at', len(document.elements))\n    {body}\n"
        info = env.step(env.action_space.action("run_program", code=code))[4]
        assert info["feedback"].startswith("It printed:\nlooked at 12\nThe program cannot be run: ")
        assert words in info["feedback"]


def test_the_end_of_the_memory_is_the_programs_fault():
    def find(document, words):
        raise MemoryError

    with pytest.raises(ProgramError, match="more memory than there is") as caught:
        run_program(POSTER, _program(["print('before')", "FIND_AND_GET('headline')"]), find, _infer)
    assert caught.value.printed == "before"


def test_what_is_printed_is_cut():
    editing = _run("for i in range(100): print('a' * 100)\nDELETE('foot')")
    assert len(editing.printed) == MAX_PRINTED


@pytest.mark.parametrize(
    "body",
    [
        "while True:\n    try:\n        x = 1 / 0\n    except:\n        pass",
        "while True:\n    try:\n        MODIFY('nobody', 1, 'size')\n    except Exception:\n        continue",
        "while True:\n    try:\n        while True: pass\n    finally:\n        continue",
        "try:\n    while True: pass\nfinally:\n    return",
    ],
)
def test_the_end_of_the_budget_is_not_swallowed(body):
    with pytest.raises(ProgramError, match=f"more than {MAX_STEPS:,} steps"):
        _run(f"DELETE('foot')\n{body}")


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("try:\n    x = [0] * 10**9\nexcept Exception:\n    pass", "longer than"),
        ("try:\n    x = '{0.__class__}'.format(1)\nexcept Exception:\n    pass", "use an f-string"),
        ("x = f'{1:>999999999}'", "more than 1,000 characters"),
        ("x = '{:1000000000}'.format(1)", "more than 1,000 characters"),
        ("x = 'a'.center(10**9)", "longer than"),
        ("x = ('a' * 9000).replace('', 'b' * 9000)", "longer than"),
        ("x = ('a' * 5000).join(['b'] * 50)", "longer than"),
        ("x = 9 ** 9 ** 9", "exponent is larger"),
        ("import os", "nothing can be imported"),
        ("x = 1 << 10**9", r"use \* 2"),
        ("x = '%s' % 1", "use an f-string"),
        ("def f(): pass", "use a lambda"),
        ("with open('x') as f: pass", "work on the document alone"),
        ("document.elements[0].text = 'x'", "changed by MODIFY"),
        ("x = (y := 1)", "on a line before"),
        ("x = document.find('headline')", "has no 'find'; it has elements"),
        ("x = 'a'.encode()", "has no attribute 'encode'"),
        ("x = f'{1!r:{10**6}}'", "more than 1,000 characters"),
        ("f = lambda n: f(n + 1)\nf(0)", "nested deeper"),
        ("a = [1]\na.append(a)\nprint(a)", "longer than"),
        ("e = ValueError('a')\nfor i in range(40): e = ValueError(e, e)", "longer than|steps"),
        ("t = ()\nwhile True: t = (t,)", "steps"),
        ("FIND_AND_GET('red ' * 100)", "at most 300 characters"),
    ],
)
def test_what_is_refused_is_said(body, words):
    with pytest.raises(ProgramError, match=words):
        _run(body)


@pytest.mark.parametrize(
    "call",
    ["abs(node=1)", "abs(self=1)", "max(function=1)", "len(node=1, self=2)", "print(self=1)", "round(1, node=2)",
     "sorted([1], node=1)", "MOVE('foot', **{'self': 1})", "(lambda self: self)(self=1)", "'a'.upper(self=1)",
     "[].append(node=1)", "str.format('{a}', template=1)", "range(self=1)", "dict(self=1, node=2, function=3)",
     "(lambda a, a: a)(1, 1)", "x = *[1]", "*[1]"],
)  # fmt: skip
def test_names_of_arguments_never_meet_those_of_the_interpreter(call):
    env = gym.make("DocEdit/ConcertPoster-v0", action_mode="program")
    env.reset(seed=0)
    info = env.step(env.action_space.action("run_program", code=f"def main(document):\n    {call}\n"))[4]
    assert not info["valid"]
    assert "The document is unchanged." in info["feedback"]


@pytest.fixture(scope="module")
def episode():
    env = gym.make("DocEdit/ConcertPoster-v0", action_mode="program", max_episode_steps=10**9)
    env.reset(seed=3)
    return env


@given(code=programs())
@settings(max_examples=some(60, 2_000), deadline=None)
def test_whatever_program_leaves_the_environment_sound(episode, code):
    state = episode.unwrapped.state
    before = state.document
    observation, reward, terminated, _, info = episode.step(episode.action_space.action("run_program", code=code))
    assert observation in episode.observation_space
    assert np.isfinite([reward, *info["score"].values()]).all()
    assert not terminated
    assert not list(state.document.problems())
    if not info["valid"]:
        assert state.document is before


_MEASURE = """
import json, resource, sys, time
from formgym.envs.documents.scene.document import shipped_document
from formgym.envs.documents.env import DocumentEnv
env = DocumentEnv("travel_itinerary", action_mode="program")
action = env.action_space.action
env.reset(seed=0)
env.step(action("run_program", code="def main(document):\\n    ADD('text', 'warm')\\n"))
base = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
for code in json.load(sys.stdin):
    env.reset(seed=0)
    began = time.process_time()
    info = env.step(action("run_program", code=code))[4]
    used = time.process_time() - began, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - base
    print(json.dumps([*used, info["feedback"], code]))
"""


def _measure(bodies):
    return subprocess.run(
        [sys.executable, "-c", _MEASURE], input=json.dumps([_program(one) for one in bodies]),
        capture_output=True, check=True, text=True, timeout=500,
    ).stdout  # fmt: skip


def _assert_cheap(bodies):
    """Check what programs take, and return what came of them."""
    with ThreadPoolExecutor(_PROCESSES) as pool:
        parts = pool.map(_measure, [bodies[i::_PROCESSES] for i in range(_PROCESSES)])
    measured = [json.loads(line) for part in parts for line in part.splitlines()]
    assert len(measured) == len(bodies)
    for seconds, kilobytes, feedback, code in measured:
        assert seconds <= 2, (code, seconds, feedback)
        assert kilobytes <= 64_000, (code, kilobytes, feedback)
        assert len(feedback) <= 2 * MAX_PRINTED, code
    return [feedback for _, _, feedback, _ in measured]


@LONG
def test_costly_programs_take_little_time_and_memory():
    _assert_cheap(sample(json.loads((DATA / "costly_programs.json").read_text(encoding="utf-8")), 30))


@LONG
def test_whatever_works_on_the_largest_values_takes_little_time_and_memory():
    for feedback in _assert_cheap(sample(list(largest_programs()), 40)):
        # Not what comes before the loop, but the loop itself takes all the steps.
        assert int(re.search(r"line (\d+)", feedback)[1]) > len(START) + 1, feedback
