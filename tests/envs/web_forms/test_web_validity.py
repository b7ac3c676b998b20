"""Validity: an entry is wrong as in Chromium; ``chromium_answers.json`` was measured in Chromium 156."""

import json
import random
import re
from pathlib import Path

import pytest
from sizes import some

from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.replay.capture import Control, ListOption
from formgym.envs.web_forms.replay.form_values import problem_of, submitted
from formgym.envs.web_forms.replay.numbers import number_characters, stepped
from formgym.envs.web_forms.replay.text_fields import Editor, TextField
from formgym.envs.web_forms.replay.validity import text_problem
from formgym.envs.web_forms.replay.widgets import ListBox, Tick

ANSWERS = json.loads(Path(__file__).with_name("chromium_answers.json").read_text(encoding="utf-8"))
# What is pasted, and what is typed, where lengths count: kind, attributes, text, the field's value, and the message.
PASTED, TYPED = ANSWERS["texts_pasted"], ANSWERS["texts_typed"]
TICKS, LISTS = dict(ANSWERS["ticks"]), dict(ANSWERS["lists"])

HTML = "<form id=f novalidate></form>"


def _control(kind, attributes):
    names = {"min": "least", "max": "most", "minlength": "min_length", "maxlength": "max_length"}
    keys = {names.get(name, name): value for name, value in attributes.items()}
    keys["required"] = "required" in attributes
    return Control(id=0, kind="area" if kind == "textarea" else "text", name="x", page=0, type=kind, **keys)


def _state(kind, attributes, typed):
    """The value and the message of a field into which a text has been typed."""
    seen = number_characters(typed, "", "") if kind == "number" else typed
    field = TextField(_control(kind, attributes), None, editor=Editor(seen))
    return [submitted(field), problem_of(field, [])]


@pytest.mark.parametrize("kind", ["email", "url", "number", "text", "tel", "password", "textarea"])
def test_the_values_and_the_messages_of_texts_are_chromiums(kind):
    rows = [row for row in PASTED + TYPED if row[0] == kind]
    assert rows
    assert [row for row in rows if _state(*row[:3]) != row[3:]] == []


def _steps(attributes, value):
    control = _control("number", attributes)
    return [stepped(control, value, True), stepped(control, value, False)]


def test_a_number_is_stepped_as_in_chromium():
    assert [row for row in ANSWERS["steps"] if _steps(*row[:2]) != row[2:]] == []


def _fits(pattern, value):
    return not text_problem(_control("text", {"pattern": pattern}), value, value)


def test_a_pattern_fits_what_it_fits_in_chromium():
    assert [row for row in ANSWERS["patterns"] if _fits(*row[:2]) != row[2]] == []


def _tick(kind, checked, required=True):
    control = Control(id=0, kind="tick", name="x", page=0, radio=kind == "radio", required=required)
    return Tick(control, None, checked=checked)


def _list(kind, chosen, required=True, values=("", "a", "")):
    options = tuple(ListOption(text="x", value=value, selected=i in chosen) for i, value in enumerate(values))
    several, file = "multiple" in kind, "file" in kind
    kinds = {"required": required, "several": several, "file": file}
    box = ListBox(Control(id=0, kind="box", name="x", page=0, options=options, **kinds), None)
    box.reset()
    return box


@pytest.mark.parametrize(("kind", "message"), TICKS.items())
def test_a_tick_that_is_asked_for_is_missed(kind, message):
    for ticks, found in (([0], message), ([1], ""), ([0, 1], "")):
        group = [_tick(kind, bool(checked), required=i == 0) for i, checked in enumerate(ticks)]
        if kind == "radio":
            assert [problem_of(tick, group) for tick in group] == [found] * len(group)
    assert problem_of(_tick(kind, False), [_tick(kind, False)]) == message
    assert problem_of(_tick(kind, True), [_tick(kind, True)]) == ""
    assert problem_of(_tick(kind, False, required=False), [_tick(kind, False, required=False)]) == ""


@pytest.mark.parametrize(("kind", "message"), LISTS.items())
def test_a_choice_that_is_asked_for_is_missed(kind, message):
    assert problem_of(_list(kind, ()), []) == message
    assert problem_of(_list(kind, (), required=False), []) == ""
    assert problem_of(_list(kind, (1,)), []) == ""
    # An option without a value is a choice unless it is the first of those of which one is chosen.
    assert problem_of(_list(kind, (2,)), []) == ""
    assert problem_of(_list(kind, (0,)), []) == (message if kind == "select" else "")
    assert problem_of(_list(kind, (0,), values=("a", "b")), []) == ""


# The same in a running Chromium, and more of it.


def _different(cases, answers, own):
    return [(case, answer, own(*case)) for case, answer in zip(cases, answers, strict=True) if own(*case) != answer][:5]


def test_the_tables_are_measured_again(page, asked):
    assert asked("pasted", [row[:3] for row in PASTED]) == [row[3:] for row in PASTED]
    assert asked("steps", [row[:2] for row in ANSWERS["steps"]]) == [row[2:] for row in ANSWERS["steps"]]
    assert asked("fits", [row[:2] for row in ANSWERS["patterns"]]) == [row[2] for row in ANSWERS["patterns"]]
    for kind, attributes, typed, *expected in TYPED:
        page.evaluate(f"put({json.dumps(kind)}, {json.dumps(attributes)}); 0")
        if typed:
            page.type_text(typed)
        assert page.evaluate("typed()") == expected, (kind, attributes, typed)


def test_the_messages_of_choices_are_measured_again(page):
    for kind, message in TICKS.items():
        page.evaluate(f"f.innerHTML = '<input type={kind} name=x required><input type={kind} name=y>'; 0")
        assert page.evaluate("[f[0].validationMessage, f[0].click() ?? f[0].validationMessage]") == [message, ""]
    for kind, message in LISTS.items():
        if "file" in kind:
            page.evaluate(f"f.innerHTML = '<input type={kind} required>'; 0")
            assert page.evaluate("f[0].validationMessage") == message
            continue
        page.evaluate(f"f.innerHTML = '<{kind} required><option value>x<option value=a>y<option value>z</select>'; 0")
        chosen = "[0, 1, 2].map(i => { f[0].selectedIndex = i; return f[0].validationMessage; })"
        assert page.evaluate(chosen) == [problem_of(_list(kind, (i,)), []) for i in range(3)]


LOCAL = ["a", "john", "o'neil", "x.y", "a..b", "ä", "", "a b", "(a)", "a+b", '"q"', "用户"]
DOMAIN = [*"example.com a a- -a a..b .a a. ä.de Straße.de a_b.c 1.2 b@c 👍.ws".split(" "), "", "a b"]
HOST = DOMAIN + "h:80 h: h:99999 u@h u:p@h u@ [::1] [::1 1.2.3.4 1.2.3.256 0x1f 08 %41 %z a|b".split(" ")
SCHEME = ["http", "https", "HTTP", "ftp", "file", "mailto", "foo", "git+ssh", "1a", "", "ht tp", "tel", "ws"]
BETWEEN = ["://", "://", "://", ":", "/", "//", ":/", ":///", ":\\\\", ""]
AFTER = ["", "/", "/a b", "?q=1", "#x", "/é?ü", "\\x", "/%zz"]


def _random_number(draw):
    return draw.choice(
        [
            str(draw.randint(-30, 300)),
            f"{draw.uniform(-9, 100):.{draw.randint(0, 4)}f}",
            f"{draw.randint(1, 9999)}e{draw.randint(-12, 12)}",
            "".join(draw.choice("0123456789") for _ in range(draw.randint(8, 25))),
            "".join(draw.choice("0123.e-+5") for _ in range(draw.randint(0, 6))),
        ]
    )


def _random_range(draw):
    steps = ["1", "any", "0.01", "0.5", "0.3", "5", "10", "1e2", "0", "-3", "x"]
    found = {name: re.sub(r"\.+e", "e", _random_number(draw)) for name in ("min", "max") if draw.random() < 0.6}
    return found | ({"step": draw.choice(steps)} if draw.random() < 0.8 else {})


def _random_text(draw):
    kind = draw.choice(["email", "email", "url", "url", "number", "text", "tel", "password", "textarea"])
    attributes = {"required": ""} if draw.random() < 0.5 else {}
    if draw.random() < 0.3:
        attributes |= {"pattern": draw.choice(["[a-z]+", ".*@.*", "\\d+", ".{3}", "[a-", "a|b.*"]), "title": "Hint"}
    if kind == "email":
        address = draw.choice(LOCAL) + draw.choice("@@@@@@@@ ") + draw.choice(DOMAIN)
        return kind, attributes, address + draw.choice(["", " "])
    if kind == "url":
        address = draw.choice(SCHEME) + draw.choice(BETWEEN) + draw.choice(HOST) + draw.choice(AFTER)
        return kind, attributes, draw.choice(["", "", " "]) + address
    if kind == "number":
        return kind, attributes | _random_range(draw), _random_number(draw)
    return kind, attributes, "".join(draw.choice("ab cé1😀") for _ in range(draw.randint(0, 8)))


def test_random_texts_have_chromiums_values_and_messages(asked):
    draw = random.Random(1)
    cases = [_random_text(draw) for _ in range(some(400, 2500))]
    assert _different(cases, asked("pasted", cases), _state) == []


def test_random_numbers_are_stepped_as_in_chromium(asked):
    draw = random.Random(2)
    cases = [(_random_range(draw), _state("number", {}, _random_number(draw))[0]) for _ in range(some(300, 2000))]
    assert _different(cases, asked("steps", cases), _steps) == []


def _near(draw, pattern):
    """A text that may fit a pattern: runs of the characters it is made of."""
    kinds = {"d": "0123456789", "w": "aZ_9"}
    known = "".join(kinds.get(c, c) for c in pattern if c not in "[]{}()\\+*?|") + "AZ09"
    return "".join(draw.choice(known) for _ in range(draw.randint(1, 13)))


PART = re.compile(r"(?:\[((?:\\.|[^\]])*)\]|(\\d)|\\?(.))(?:\{(\d+)(?:,(\d+))?\}|(\+))?")


def _fitting(draw, pattern):
    """A text that fits a pattern made of classes, digits and counts, as those of the forms are."""
    found = ""
    for characters, digit, literal, least, most, more in PART.findall(pattern):
        ranges = characters.replace("A-Z", "AMZ").replace("0-9", "0189").replace("\\", "")
        times = draw.randint(int(least or 1), int(most or least or (3 if more else 1)))
        found += "".join(draw.choice("0123456789" if digit else literal or ranges) for _ in range(times))
    return found


def test_the_patterns_of_all_forms_fit_what_they_fit_in_chromium(asked):
    draw = random.Random(3)
    patterns = sorted({field.pattern for name in web_forms() for field in web_form(name).fields if field.pattern})
    assert len(patterns) >= 15
    cases = []
    for pattern in patterns:
        texts = [_fitting(draw, pattern) for _ in range(40)]
        cut = [text[: draw.randint(0, len(text))] + draw.choice(["", "0", "A", " ", "٣", "９", "é"]) for text in texts]
        cases += [(pattern, text) for text in (*texts, *cut, *(_near(draw, pattern) for _ in range(20)))]
    answers = asked("fits", cases)
    assert sum(answers) > len(cases) / 4
    assert _different(cases, answers, _fits) == []
