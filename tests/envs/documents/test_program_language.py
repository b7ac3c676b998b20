"""The Python of edit programs: what models write runs as in Python, and no program harms anything."""

import json
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from itertools import islice

import gymnasium as gym
import numpy as np
import pytest
from elements_by_name import find_by_name
from hypothesis import given, settings
from paths import DATA
from program_costs import costs
from program_grammar import programs
from program_mutants import mutants
from sizes import sample, some

from formgym.envs.core.cpu_limit import CpuLimitExceeded
from formgym.envs.documents.programs import sandbox
from formgym.envs.documents.programs.program import CONSTANTS, ProgramContext, run_program
from formgym.envs.documents.programs.reading import attributes
from formgym.envs.documents.programs.sandbox import MAX_PRINTED, ProgramError
from formgym.envs.documents.scene.document import load_document
from formgym.envs.documents.shipped import DOCUMENTS

POSTER = load_document(DOCUMENTS / "concert_poster.json")
SNIPPETS = json.loads((DATA / "model_programs.json").read_text(encoding="utf-8"))


def _program(lines):
    return "def main(document):\n" + "".join(f"    {line}\n" for line in lines)


def _nested(start, depth):
    """Blocks in each other."""
    return "".join(f"{'    ' * i}{start}\n" for i in range(depth)) + "    " * depth + "pass"


def _run(body):
    return run_program(POSTER, _program(body.strip("\n").split("\n")), find_by_name)


@pytest.mark.parametrize("snippet", SNIPPETS, ids=[one["name"] for one in SNIPPETS])
def test_what_models_write_has_the_expected_effect(snippet):
    editing = run_program(POSTER, _program(snippet["code"]), find_by_name)
    assert editing.printed == snippet["printed"]
    for element, fields in snippet["after"].items():
        values = attributes(editing.document, editing.document.find(element))
        assert json.loads(json.dumps({name: values[name] for name in fields})) == fields
    assert {element.id for element in POSTER.elements()} - {*editing.document.places} == set(snippet["gone"])


@pytest.mark.filterwarnings("error")
def test_what_python_warns_of_is_no_error():
    assert (
        _run("x = 1 if 1is 1else 0; y = '\\d'\nprint(f'{x} {y}', 1() if not x else 2)\nDELETE('foot')").printed
        == "1 \\d 2"
    )


@pytest.mark.parametrize("end", ["\n", "\r\n", "\r"])
def test_lines_end_as_in_any_system(end):
    body = ["text = next(e for e in document.elements if e.type == 'text')", "print(text.id)", "DELETE(text.id)"]
    editing = run_program(POSTER, _program(body).replace("\n", end), find_by_name)
    assert POSTER.find(editing.printed.strip()).type == "text"
    assert editing.document.find(editing.printed.strip()) is None


class _Readable(dict):
    """A dict whose items are attributes too."""

    __getattr__ = dict.__getitem__


class _Document(str):
    """A text, as functions take it, with attributes that are items too."""

    def __getitem__(self, name):
        return getattr(self, name)


def _readable(document):
    elements = {one.id: _Readable(attributes(document, one)) for one in document.elements()}
    read = _Document("document")
    read.elements = list(elements.values())
    read.pages = [_Readable(page, elements=[elements[one.id] for one in page.elements]) for page in document.pages]
    return read


@pytest.mark.parametrize("snippet", SNIPPETS, ids=[one["name"] for one in SNIPPETS])
def test_what_models_write_runs_as_in_python(snippet, capsys):
    editing = ProgramContext(POSTER, find_by_name)
    names = {**CONSTANTS, **editing.functions()}
    exec(compile(_program(snippet["code"]), "snippet", "exec"), names)
    names["main"](_readable(POSTER))
    ours = run_program(POSTER, _program(snippet["code"]), find_by_name)
    assert ours.document.digest == editing.document.digest
    assert ours.printed == capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize(
    "body",
    [
        "print(dict.fromkeys([1]), [*{'z', 'a', 'm'} & {'a'}], [*{'b': 1, 'a': 2}])",
        "x = [1, 2]\ny = x\nx += x\nprint(x, y is x)",
        "try:\n    x = 1 / 0\nexcept ZeroDivisionError as e:\n    print(e)\nfinally:\n    print('end')",
        "x = [1, 2, 3]\nprint([x.pop() for i in x if i], x, {k: v for k, v in zip('aba', x * 3)})",
        "print('a', 2, sep=', ', end='.')\nprint(*[1, 2], sep='\\n')\nprint('{0}{a!r}'.format(1, a='b'), '%s' % 3)",
        "print(list(enumerate('ab')), sum([[1], [2]], []), not [], -True, sum(x for x in [1, 2]))",
        "def double(x, by=2):\n    return x * by\nprint(double('a'), list(map(lambda x: double(x, by=3), [1])))",
        "import math, re\nprint(math.floor(2.5), re.sub('a+', 'b', 'caat'))",
        "g = (x for x in [3, 4])\nprint(next(g), next(g), next(g, 'end'), next((x for x in [1] if x > 1), None))",
        "d = {'a': 2, 'b': 1}\nprint(max(d, key=d.get), sorted('bA', key=str.lower), [*map(str.strip, [' a '])])",
        "import math\nprint(math.prod([2, 3]), math.lcm(4, 6), math.factorial(5), *map(math.comb, [5], [2]))",
        "from functools import reduce\nprint(reduce(lambda a, b: a * b, [2, 3]), sorted([3, 1], key=lambda x: -x))",
        "x = [1]\nx *= 3\ny = 2\ny **= 3\ny <<= 1\nz = {'a': [1]}\nz['a'] += [2]\nz['a'] *= 2\nprint(x, y, z)",
        "print(*zip('ab', [1]), sep='|')\nprint(any(x > 1 for x in [1]), all([]), 'a' in {'a': 1}, 3 in range(5))",
        "try:\n    int('x')\nexcept (TypeError, ValueError) as e:\n    print('no')\nprint(sum([0.5, 1]), pow(2, 5, 7))",
        "f = ' é'.join\nprint(f(['ä', 'ö']), [*map('{}!'.format, 'ß')])",
        "print(f'{[1][0]:>4}{\"a\".upper()!r}', ', '.join(str(x) for x in range(3)), (y := 4), 2 ** 10, 1 << 3)",
    ],
)  # fmt: skip
def test_programs_print_what_python_prints(body, capsys):
    ours = _run(f"{body}\nDELETE('foot')").printed
    exec(compile(body, "body", "exec"), {})
    assert ours == capsys.readouterr().out.rstrip("\n")


@pytest.mark.parametrize("statement", ["assert False, a", "raise ValueError(a)", "x = {}[a]", "MODIFY(a, 1, 'size')"])
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
        run_program(POSTER, _program(["print('before')", "FIND_AND_GET('headline')"]), find)
    assert caught.value.printed == "before"


def test_what_is_printed_is_cut():
    editing = _run("for i in range(100): print('a' * 100)\nDELETE('foot')")
    assert len(editing.printed) == MAX_PRINTED


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ("while True:\n    try:\n        x = 1 / 0\n    except BaseException:\n        pass", "does not end"),
        ("try:\n    while True: pass\nfinally:\n    return", "does not end"),
        (
            "while True:\n    try:\n        MODIFY('nobody', 1, 'size')\n    except ValueError:\n        pass",
            "calls",
        ),
        ("try:\n    x = [0] * 10**9\nexcept BaseException:\n    pass", "line 4: it does not end"),
        ("x = [] * 10**12", "line 3: it does not end"),
        ("x = ''\nx *= 10**12", "line 4: it does not end"),
        ("import itertools\nx = max(itertools.count())", "more memory than there is"),
        ("import itertools\nx = -1 in itertools.cycle([1])", "more memory than there is"),
        ("x = bytes(10**9)", "more memory than there is"),
        ("x = f'{1:>999999999}'", "more memory"),
        ("x = 9 ** 9 ** 9", "line 3: a whole number has at most 128 bits"),
        ("f = lambda n: f(n + 1)\nf(0)", "RecursionError"),
        ("import os\nos.system('ls')", "AttributeError"),
        ("import subprocess", "No module named 'subprocess'"),
        ("open('/etc/passwd')", "PermissionError"),
        ("import random\nrandom.random()", "not supported in this environment"),
        ("import time\ntime.time()", "not supported in this environment"),
        ("import datetime\ndatetime.date.today()", "not supported in this environment"),
        ("x = ().__class__.__base__", "AttributeError"),
        ("def f():\n    yield 1", "line 4: there is no support for yield expressions"),
        ("x = 0x" + "f" * 3600, "line 3: a whole number has at most 128 bits"),
        ("FIND_AND_GET(0x" + "f" * 3600 + ")", "line 3: a whole number has at most 128 bits"),
        (_nested("def f(a, b):", 16), "line 8: .*functions at most 6"),
        (f"x = {'-' * 90}1", "line 3: .*nested too deeply"),
        ("eval('while True: pass')", "line 3: there is no name 'eval'"),
        ("_meter_left = 10**9", "line 3: there is no name '_meter_left'"),
        ("import re as _meter_spend", "line 3: there is no name '_meter_spend'"),
        ("from math import pi as _meter_x", "there is no name '_meter_x'"),
        ("x = range(10**6)", "line 3: a range has at most 100,000 numbers"),
        ("x = 2\nwhile True: x *= x", "line 4: a whole number has at most 128 bits"),
        ("while True: FIND_AND_GET('headline')", "search and try operations 400 times"),
        ("FIND_AND_GET('red ' * 100)", "at most 300 characters"),
        ("for i in range(300): COPY('headline')", "200 operations, no more"),
        ("for i in range(99): ADD('text', 'words' * 300)", "50,000 letters, no more"),
    ],
)
def test_no_program_does_harm(body, words):
    with pytest.raises(ProgramError, match=words):
        _run(f"DELETE('foot')\n{body}")


def test_the_document_is_read_as_it_is_now():
    body = """
first = document.elements[0]
before = len(document.elements)
new = COPY(first)
DELETE(first)
print(before, len(document.elements), document.elements[-1].id == new, first.id, first in document.elements)
MODIFY("foot", "Bye", "text")
foot = [e for e in document.pages[0].elements if e["id"] == "foot"][0]
print(foot.text, foot.order, foot.page, foot.style.bold, document["title"], foot, {foot: 1}[foot], "text" in foot)
"""
    lines = _run(body).printed.split("\n")
    assert lines[0] == f"12 12 True {next(iter(POSTER.elements())).id} False"
    assert lines[1] == f"Bye 10 1 False {POSTER.title} <element foot> 1 True"


def test_the_document_is_read_by_names_that_a_program_puts_together():
    body = """
foot = [e for e in document.elements if e.id == "foot"][0]
print(foot["fo" + "ot"[:0] + "nt"] if "font" in foot else foot["b" + "box"], foot["sty" + "le"]["si" + "ze"])
print(foot.get("ang" + "le"), foot.get("weight"), len(foot.keys()) == len(foot.values()))
print(dict(foot.items())["or" + "der"])
DELETE(foot)
"""
    foot = POSTER.find("foot")
    assert _run(body).printed == f"{foot.bbox} {foot.style.size}\n0 None True\n11"
    assert (
        _run("print([*map(lambda e: getattr(e, 'ty' + 'pe'), document.elements)][-1])\nDELETE('foot')").printed
        == "text"
    )


def test_places_are_those_of_now():
    body = """
last = document.elements[-1]
MODIFY(document.elements[0], "front", "order")
print(last.order, document.elements[-1].order)
"""
    assert _run(body).printed == "10 11"


_FORKED = """
import os
from formgym.envs.documents.programs.program import run_program
from formgym.envs.documents.scene.document import load_document
from formgym.envs.documents.shipped import DOCUMENTS

def run():
    code = "def main(document):\\n    print(len(document.elements))\\n    DELETE('foot')\\n"
    return run_program(load_document(DOCUMENTS / "concert_poster.json"), code).printed

print(run())
for _ in range(2):
    if child := os.fork():
        os.waitpid(child, 0)
    else:
        print("child", run(), flush=True)
        os._exit(0)
print(run())
"""


def test_programs_run_in_forked_processes_and_leave_none_behind():
    done = subprocess.run([sys.executable, "-u", "-c", _FORKED], capture_output=True, text=True, timeout=60)
    assert done.stdout.split("\n") == ["12", "child 12", "child 12", "12", ""], done.stderr
    assert not done.stderr


def test_programs_run_in_threads():
    with ThreadPoolExecutor(6) as pool:
        found = list(pool.map(_run, ["DELETE('foot')\nprint(len(document.elements))"] * 24))
    assert {editing.printed for editing in found} == {"11"}


@pytest.fixture(scope="module")
def episode():
    env = gym.make("DocEdit/ConcertPoster-v0", action_mode="program", max_episode_steps=10**9)
    env.reset(seed=3)
    return env


@given(code=programs())
@settings(max_examples=some(30, 2_000), deadline=None)
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


def _assert_cheap(bodies):
    """Check what programs take; none comes to the end of the clock, so that none depends on how fast a machine is."""
    for cost in costs([_program(one) for one in bodies]):
        assert not cost.broke, cost
        assert cost.seconds <= 1, cost
        assert cost.memory <= 160_000_000, cost
        assert len(cost.feedback) <= 2 * MAX_PRINTED, cost


def test_costly_programs_take_little_time_and_memory():
    _assert_cheap(sample(json.loads((DATA / "costly_programs.json").read_text(encoding="utf-8")), 16))


def test_whatever_works_on_the_largest_values_takes_little_time_and_memory():
    largest = json.loads((DATA / "largest_programs.json").read_text(encoding="utf-8"))
    loops = [[*largest["start"], "while True:", "    try:", f"        {one}", "    except Exception: pass"]
             for one in largest["works"]]  # fmt: skip
    _assert_cheap(sample(loops, 24))


def test_mutants_of_programs_take_little_time_and_raise_nothing():
    assert [cost for cost in costs([*islice(mutants(3), some(150, 5_000))]) if cost.broke or cost.seconds > 1] == []


def test_a_program_that_no_count_ends_is_a_fault_of_the_environment(episode, monkeypatch):
    monkeypatch.setitem(sandbox._LIMITS, "max_feed_duration_secs", 0.01)
    with pytest.raises(CpuLimitExceeded, match="within the limits that are counted"):
        episode.step(episode.action_space.action("run_program", code=_program(["while True: pass"])))
