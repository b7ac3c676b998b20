"""Edit programs: what they can do, that they run as a whole or not at all, and that hostile ones do no harm."""

import json
import resource
import time

import pytest
from elements_by_name import find_by_name
from paths import DATA

from formgym.assets import ROOT
from formgym.envs.documents.programs.program import MAX_CODE, run_program, usage
from formgym.envs.documents.programs.sandbox import MAX_LENGTH, ProgramError
from formgym.envs.documents.scene.document import load_document

POSTER = load_document(ROOT / "documents" / "concert_poster.json")


def _run(body):
    lines = "\n".join("    " + line for line in body.strip("\n").split("\n"))
    return run_program(POSTER, f"def main(document):\n{lines}\n", find_by_name).document


def test_a_program_finds_and_edits():
    edited = _run(
        """
id, position, bbox = FIND_AND_GET("headline", document)
x, y = position
MOVE(id, [x, y + 20])
if GET_METADATA(id, "size", document) > 50:
    MODIFY(id, "red", "color")
for name in ["date and time", "place"]:
    MODIFY(FIND_AND_GET(name, document)[0], True, "bold")
new = ADD("text", "Sold out", INFER("above the name of the band", document)[0])
MODIFY(new, 30 // 2 + len(new) % 2, "font_size")
"""
    )
    assert edited.find("headline").bbox[1] == POSTER.find("headline").bbox[1] + 20
    assert edited.find("headline").style.colour == (208, 44, 44)
    assert edited.find("where").style.bold
    assert edited.pages[0].elements[-1].bbox[:2] == (60, 554)


def test_loops_tuples_sorting_and_text():
    edited = _run(
        """
boxes = [(FIND_AND_GET(n)[2][1], FIND_AND_GET(n)[0]) for n in ("footer", "headline", "place") if n != "x"]
order = sorted(boxes, reverse=True)
k = 0
while True:
    if k >= len(order): break
    k += 1
    if k == 2: continue
    MODIFY(order[k - 1][1], f"number {k} of {len(order)}", "text")
tops = {"a": max(b[0] for b in boxes) if False else 3}
MOVE("badge", position_diff=(LEFT, tops["a"] * -1 if not (1 < 2 <= 2) else 7))
""".replace("max(b[0] for b in boxes)", "max([b[0] for b in boxes])")
    )
    assert edited.find("foot").text == "number 1 of 3"
    assert edited.find("where").text == POSTER.find("where").text
    assert edited.find("headline").text == "number 3 of 3"
    assert edited.find("badge").bbox[0] == 533


@pytest.mark.parametrize(
    ("code", "words"),
    [
        ("def main(:\n  pass", "line 1: syntax error"),
        ("x = 1", "one function called main"),
        ("def main():\n  DELETE('a')\nmain()", "line 3: a program defines main, which is called for it"),
        ("def main():\n  pass\ndef main():\n  pass", "one function called main"),
        ("def main(a, b):\n  pass", "takes one argument, the document, or none"),
        ("def main(document=1):\n  pass", "takes one argument, the document, or none"),
        ("def main():\n  ERASE('a')", "line 2: there is no function 'ERASE'; there are MOVE, DELETE"),
        ("def main():\n  MOVE()", r"line 2: MOVE\(object_id, new_position=None, position_diff=None\): missing"),
        ("def main():\n  DELETE('a', 'b', 'c')", "too many positional arguments"),
        ("def main():\n  MODIFY('a', 'b', kind='c')", "missing a required argument: 'type_of_modification'"),
        ("def main():\n  DELETE(headline)", "line 2: there is no name 'headline'"),
        ("def main():\n  DELETE(FIND_AND_GET('nothing')[0])", "line 2: Nothing in the document is 'nothing'"),
        ("def main():\n  a, b = FIND_AND_GET('headline')\n  DELETE(a)", "line 2: too many values to unpack"),
        ("def main():\n  DELETE(MOVE)", "line 2: There is no element 'MOVE'"),
        ("def main():\n  DELETE([1, 2][5])", "line 2: IndexError"),
        ("def main():\n  x = 1 / 0", "line 2: ZeroDivisionError"),
        ("def main():\n  x += 1", "UnboundLocalError"),
        ("def main(document):\n  x = document.find('a')", "line 2: .*no attribute 'find'; the document has name"),
        ("def main(document):\n  document.elements[0].text = 'x'", "line 2: .*are changed by MODIFY"),
        ("def main():\n  break", "'break' outside loop"),
        (" " * (MAX_CODE + 1), f"at most {MAX_CODE:,} characters"),
        ("", "one function called main"),
    ],
)
def test_faults_are_said_with_their_line(code, words):
    with pytest.raises(ProgramError, match=words):
        run_program(POSTER, code, find_by_name)


def test_usage_names_every_function():
    assert "MOVE(object_id, new_position=None, position_diff=None): Move an element" in usage()
    assert set(usage(search=True).splitlines()) - {*usage().splitlines()} == {
        line for line in usage(search=True).splitlines() if line.startswith(("FIND_AND_GET(", "INFER("))
    }
    assert len(usage().splitlines()) == 17


@pytest.mark.parametrize("call", ["FIND_AND_GET('headline')", "INFER('below the headline')", "print(FIND_AND_GET)"])
def test_programs_search_only_where_they_may(call):
    with pytest.raises(ProgramError, match=r"line 2: \w+ is not available here: name elements by the ids"):
        run_program(POSTER, f"def main():\n  {call}\n")


HOSTILE = json.loads((DATA / "hostile_programs.json").read_text(encoding="utf-8"))
HOSTILE += [f"def main():\n    x = {'1+' * 3000}1\n", f"def main():\n    x = '{'a' * (MAX_CODE + 1)}'\n"]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
def test_hostile_programs_do_no_harm(number):
    before, memory = POSTER.digest, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    began = time.process_time()
    edited, message = POSTER, "nothing is said"
    try:
        edited = run_program(POSTER, HOSTILE[number], find_by_name).document
    except ProgramError as error:
        message = str(error)
    assert 5 < len(message) < 2_000
    assert not list(edited.problems())
    assert POSTER.digest == before
    # No assert on speed, but on what would never end.
    assert time.process_time() - began < 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - memory < 200_000


@pytest.mark.parametrize(
    ("value", "words"),
    [
        ("[[0] * 5000, 'a' * 10_001]", f"longer than {MAX_LENGTH:,}"),
        ("[0] * 10_001", f"longer than {MAX_LENGTH:,}"),
        ("[[[[[[[1]]]]]]]", "nested deeper"),
        ("0x" + "f" * 4000, "at most 128 bits"),
        ("10 ** 13", "larger than"),
        ("float('nan')", "not finite"),
        ("float('-inf')", "not finite"),
        ("{1: 2}", "keys of a dict must be texts"),
        ("{1, 2}", "not a set"),
        ("b'a'", "not a bytes"),
        ("1j", "not a complex"),
        ("ValueError('a')", "not a ValueError"),
        ("Thing()", "not a MontyClassProxy"),
        ("[Thing()]", "not a MontyClassProxy"),
        ("{Thing(): 1}", "unhashable"),
    ],
)
def test_only_plain_values_reach_the_document(value, words):
    with pytest.raises(ProgramError, match=words):
        _run(f"class Thing:\n    size = 3\nMODIFY('headline', {value}, 'text')")
