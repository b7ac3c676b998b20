"""Replies of models: the JSON in them, however it is wrapped, and the point or box that it means."""

import json
import re
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import some

from formgym.agents.bridges.grounding import predicted_numbers
from formgym.agents.lenient_json import json_values
from formgym.agents.models.model import Reply, ToolCall
from formgym.agents.replies import CUT_OFF, NO_CALL, parse_calls, parse_reply

JSON = st.recursive(
    st.none() | st.booleans() | st.integers(-999, 999) | st.floats(-9, 9) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
).filter(lambda value: isinstance(value, list | dict))


@pytest.mark.parametrize(
    ("reply", "values"),
    [
        ('{"x": 1, "y": 2}', [{"x": 1, "y": 2}]),
        ('Sure!\n```json\n{"x": 1, "y": 2,}\n```\nDone.', [{"x": 1, "y": 2}]),
        ('As it says [see above], {"x": 0.5}. And [1, 2, ].', [{"x": 0.5}, [1, 2]]),
        ('{"text": "a ] b } c, ]", "x": [5, 6,],}', [{"text": "a ] b } c, ]", "x": [5, 6]}]),
        ('{"x": 12, "y": 3', [{"x": 12, "y": 3}]),
        ('{"x": 12, "y":', [{"x": 12}]),
        ('{"x": 12, "na', [{"x": 12}]),
        ('[{"x": 1}, {"x": 2, "text": "cut of', [[{"x": 1}, {"x": 2, "text": "cut of"}]]),
        ('[{"x": 1}, {"x"', [[{"x": 1}, {}]]),
        ('{"x": 1, "y": 2]', [{"x": 1, "y": 2}]),
        ("{x: 1, 'y': True,}", [{"x": 1, "y": True}]),
        ('{"x": (1, 2)} and {"x": [1, None', [{"x": [1, 2]}, {"x": [1, None]}]),
        ('{"a": "it\\u0027s \\ud83d\\ude00\\n"}', [{"a": "it's 😀\n"}]),
        ("{'a': 'Ann\\'s', 'b': Bob's} {'c': -.5}", [{"a": "Ann's"}, {"c": -0.5}]),
        ("no answer", []),
        ("", []),
    ],
)
def test_json_is_found_and_mended(reply, values):
    assert json_values(reply) == values


@given(JSON, st.text(alphabet=st.characters(exclude_characters="[{"), max_size=20), st.booleans())
def test_whole_json_is_read_as_it_is(value, prose, fenced):
    text = json.dumps(value)
    reply = f"{prose}\n```json\n{text}\n```\n" if fenced else f"{prose}{text}{prose}"
    assert json_values(reply) == [value]


@pytest.mark.parametrize(
    ("reply", "numbers"),
    [
        ('{"x": 1, "y": 2.5}', (1, 2.5)),
        ("The point is [120, 430].", (120, 430)),
        ('{"point": [1, 2], "label": "Phone"}', (1, 2)),
        ('[{"bbox_2d": [1, 2, 3, 4], "label": "Phone"}]', (1, 2, 3, 4)),
        ('{"left": 1, "top": 2, "right": 3, "bottom": 4}', (1, 2, 3, 4)),
        ('{"name": "point", "arguments": {"x": 1, "y": 2}}', (1, 2)),
        ('{"x": 1, "y": 1}: no, {"x": 3, "y": 4}', (3, 4)),
        ('{"x": 1, "y": 2} {"why": "as it says"}', (1, 2)),
        ('{"x": 1}', None),
        ('{"x": "1", "y": 2}', None),
        ('{"x": true, "y": 2}', None),
        ('{"x": NaN, "y": 2}', None),
        ('{"x": 1e999, "y": 2}', None),
        ("[1, 2, 3]", None),
        ("[5, 6]</think>[1, 2]", (1, 2)),
        ("<think>[1, 2]", None),
    ],
)
def test_the_last_point_or_box_is_meant(reply, numbers):
    assert predicted_numbers(reply) == numbers


TOOLS = [
    {"name": name, "parameters": {"properties": dict.fromkeys(arguments)}}
    for name, arguments in {"place_text": ("x", "y", "text"), "terminate": (), "click": ("x", "y")}.items()
]
PLACE = ("place_text", {"x": 0.2, "y": 0.5, "text": "Ann"})
END = ("terminate", {})
IN_JSON = '{"tool": "place_text", "x": 0.2, "y": 0.5, "text": "Ann"}'


def _calls(text):
    return [(call.name, call.arguments) for call in parse_calls(text, TOOLS).calls]


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        (IN_JSON, [PLACE]),
        (f"Here:\n```json\n[{IN_JSON}, {{'tool': 'terminate'}},]\n```\nDone.", [PLACE, END]),
        (f'{{"thought": "a form", "actions": [{IN_JSON}, {{"tool": "terminate"}}]}}', [PLACE, END]),
        (f'{IN_JSON}\nand then\n```\n{{"tool": "terminate"}}\n```', [END]),
        ('{"name": "place_text", "arguments": {"x": 0.2, "y": 0.5, "text": "Ann"}}', [PLACE]),
        (
            '{"type": "function", "function": {"name": "place_text", '
            '"arguments": "{\\"x\\": 0.2, \\"y\\": 0.5, \\"text\\": \\"Ann\\"}"}}',
            [PLACE],
        ),
        ('[{"place_text": {"x": 0.2, "y": 0.5, "text": "Ann"}}, {"terminate": {}}]', [PLACE, END]),
        ("place_text(x=0.2, y=0.5, text='Ann')\nterminate()", [PLACE, END]),
        ('1. `place_text(0.2, 0.5, "Ann")`\n2. `terminate()`', [PLACE, END]),
        ("Then I would call terminate() or click(x, y).", []),
        ("The box [120, 430] and {x}.", []),
        ('{"tool": "fly", "to": [1, 2]}', [("fly", {"to": [1, 2]})]),
        ('{"tool": "place_text", "arguments": "left"}', [("place_text", "left")]),
        ('<invoke name="fly"><to>1</to></invoke>', [("fly", {})]),
    ],
)
def test_calls_are_read_in_all_usual_forms(text, calls):
    assert _calls(text) == calls


@pytest.mark.parametrize(
    ("text", "n_calls", "problem"),
    [
        ("I am done.", 0, NO_CALL),
        ("", 0, NO_CALL),
        (f'[{IN_JSON}, {{"tool": "place_text", "x": 0.2, "y": 0.', 1, CUT_OFF),
        (f'{{"actions": [{IN_JSON}, {IN_JSON}, {{"tool": "terminate"', 2, CUT_OFF),
        (f'[{IN_JSON}, {{"x": 0.2, "text": "Bob"}}]', 1, "{'x': 0.2, 'text': 'Bob'} names no tool"),
    ],
)
def test_what_is_no_call_is_explained(text, n_calls, problem):
    parsed = parse_calls(text, TOOLS)
    assert len(parsed.calls) == n_calls
    assert len(parsed.problems) == 1
    assert problem in parsed.problems[0]


def test_native_calls_come_before_those_in_words():
    native = ToolCall("a7", "click", '{"x": 1, "y": 2}')
    parsed = parse_reply(Reply(IN_JSON, [native]), TOOLS)
    assert [(call.id, call.name, call.arguments) for call in parsed.calls] == [("a7", "click", {"x": 1, "y": 2})]
    assert _calls(IN_JSON) == [(c.name, c.arguments) for c in parse_reply(Reply(IN_JSON), TOOLS).calls]


_TYPES = {"x": "number", "y": "number", "dy": "number"}
SUITES = {
    "web": "click(x y) double_click(x y) right_click(x y) type_text(text) press_key(key) scroll(dy) terminate()",
    "paper": "place_text(x y text) delete_text(x y) sign_or_initial(x y text) query_sql(query) terminate()",
    "docs": "move(id x y) delete(id) copy(id x y) replace(id text) modify(id attribute value) split(id separator) "
    "merge(ids separator) run_program(code) terminate()",
}


def _schemas(suite):
    for name, arguments in re.findall(r"(\w+)\(([\w ]*)\)", SUITES[suite]):
        properties = {argument: {"type": _TYPES.get(argument, "string")} for argument in arguments.split()}
        yield {"name": name, "parameters": {"properties": properties, "required": arguments.split()}}


CORPUS = json.loads((Path(__file__).parents[1] / "data/model_replies.json").read_text())


@pytest.mark.parametrize("one", CORPUS, ids=lambda one: one["id"])
def test_a_reply_of_the_corpus_means_just_these_calls(one):
    """Replies in the formats of 16 families, cut, nested, quoted and in reasoning; written without the parser."""
    native = [ToolCall(str(i), call["name"], call["arguments"]) for i, call in enumerate(one.get("native", ()))]
    parsed = parse_reply(Reply(one["text"], native), list(_schemas(one["tools"])))
    assert [{"tool": call.name, "arguments": call.arguments} for call in parsed.calls] == one["expected"]


MARKS = ["[", "]", "{", "}", ",", ":", '"', "'", "\\", '"""', "(", ")", "=", "\n", " ", "```", "-"]
TAGS = ["<think>", "</think>", "<tool_call>", "<function=click>", "<parameter=x>", "</parameter>", "to=functions.click"]
TAGS += [
    "<|channel|>analysis",
    "[TOOL_CALLS]click",
    "<invoke name=click>",
    "Action: click\nAction Input: ",
    "~~~",
    "<click>",
]
WORDS = ["tool", "actions", "place_text(", "click(x=1", "1e9999", "NaN", "\ud800", "\\ud83d", '{"a":', IN_JSON]
PIECES = st.sampled_from(MARKS + WORDS + TAGS)


@given(st.lists(st.text(max_size=5) | PIECES, max_size=30).map("".join))
def test_no_text_raises_and_every_call_has_a_name(text):
    predicted_numbers(text)
    parsed = parse_calls(text, TOOLS)
    assert all(isinstance(call.name, str) for call in parsed.calls)
    assert parsed.calls or parsed.problems
    json.dumps([call.arguments for call in parsed.calls], default=str).encode()


@given(st.lists(st.fixed_dictionaries({"x": st.floats(0, 1), "text": st.text(max_size=9)}), min_size=1, max_size=4))
def test_whole_calls_before_a_cut_are_kept(listed):
    text = json.dumps([{"tool": "place_text", **arguments} for arguments in listed])
    assert _calls(text) == [("place_text", arguments) for arguments in listed]
    assert _calls(text[:-2]) == [("place_text", arguments) for arguments in listed[:-1]]


@pytest.mark.parametrize(
    "part",
    [
        *(
            "{",
            "[{",
            '{"a":[',
            '"',
            "{'",
            '"""',
            "click(",
            "\nclick(",
            '{"tool": "click"},',
            "\\",
            "]",
            '{"x": ,',
            "[1,",
        ),
        *(
            "<think>",
            "</think>",
            "<function=click><parameter=x>",
            "Action: click\n",
            "{“",
            "{/*",
            "click(1,2) ",
            "to=a ",
        ),
    ],
)
def test_the_work_grows_with_the_length(part):
    """Quadratic work on so long a text would take minutes."""
    text = part * (some(30_000, 1_000_000) // len(part))
    parse_calls(text, TOOLS)
    predicted_numbers(text)
