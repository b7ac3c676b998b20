"""Validity: what is wrong with an entry is what Chromium says; tables were measured in Chromium 156."""

import json
import random
import re

import pytest
from sizes import some

from formgym.envs.web_forms.chromium import Browser, browser_path
from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.replay.capture import Control, ListOption
from formgym.envs.web_forms.replay.form_values import problem_of, submitted
from formgym.envs.web_forms.replay.numbers import number_characters, stepped
from formgym.envs.web_forms.replay.text_fields import Editor, TextField
from formgym.envs.web_forms.replay.validity import is_exact_pattern, text_problem
from formgym.envs.web_forms.replay.widgets import ListBox, Tick

# fmt: off
EMAILS = (
    "a@b", "a@b.c", "  a@b.c ", "o'neil+x@example.com", "a..b@c", ".a@b", "a@ä.de", "A@STRASSE-ß.DE", "a@👍.ws",
    "a@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb", "a@1.2", "a@b。c", "a@ä。c",
)
WRONG_EMAILS = {
    "a": "Please include an '@' in the email address. 'a' is missing an '@'.",
    "a@": "Please enter a part following '@'. 'a@' is incomplete.",
    "@b": "Please enter a part followed by '@'. '@b' is incomplete.",
    "@": "Please enter a part followed by '@'. '@' is incomplete.",
    "a b@c": "A part followed by '@' should not contain the symbol ' '.",
    "a@b c": "A part following '@' should not contain the symbol ' '.",
    "a@b..c": "'.' is used at a wrong position in 'b..c'.",
    "a@.b": "'.' is used at a wrong position in '.b'.",
    "a@b.": "'.' is used at a wrong position in 'b.'.",
    "a@b_c": "A part following '@' should not contain the symbol '_'.",
    "a@-b": "Please enter an email address.",
    "a@b-": "Please enter an email address.",
    "a@b@c": "A part following '@' should not contain the symbol '@'.",
    "ä@b.c": "A part followed by '@' should not contain the symbol 'ä'.",
    "a@ä..de": "A part following '@' should not contain the symbol 'ä'.",
    "a,b@c": "A part followed by '@' should not contain the symbol ','.",
    "a@(c)": "A part following '@' should not contain the symbol '('.",
    "a@bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb": "Please enter an email address.",
    "\"a\"@b": "A part followed by '@' should not contain the symbol '\"'.",
    "a@[1.2.3.4]": "A part following '@' should not contain the symbol '['.",
    "a@é-.c": "A part following '@' should not contain the symbol 'é'.",
}
URLS = (
    "http://x", "HTTP:x", "http:/x", "http:\\\\x", " http://x ", "http://x y", "http://x/a b", "http://x:80",
    "http://x:", "http://u:p@x", "http://[::1]:80", "http://1.2.3.4", "http://%41", "http://ä.de", "http://a..b",
    "mailto:", "mailto:a b", "tel:+1 555", "foo:", "foo://x", "foo://ä", "file:", "file:///a", "a+b:c",
    "javascript:", "data:,", "urn:x:y", "ftp://x", "http://\uff10",
)
WRONG_URLS = (
    "x", "www.example.com", "example.com/a", "http:", "http://", "http:///", "ht tp://x", "http://x:99999",
    "http://x:8a", "http://@", "http://u@", "http://:80", "http://[::1", "http://[1:2]", "http://1.2.3.256",
    "http://1.2.3.4.5", "http://x.1", "http://08", "http://%", "http://%2F", "http://x|y", "http://x^y", "//x", "/x",
    "?x", "foo://x y", "foo://x:y", "foo://x:99999", "foo://@", "foo://ﬀ", "file://x:80", "1a:b", "ws:", "é://x",
)
NUMBERS = {
    "min=0.5 max=20 step=0.3": {
        "5": "",
        "0.8": "",
        "1.6": "Please enter a valid value. The two nearest valid values are 1.4 and 1.7.",
        "20": "",
        "19.9": "Please enter a valid value. The two nearest valid values are 19.7 and 20.",
        "0.4": "Value must be greater than or equal to 0.5.",
        "21": "Value must be less than or equal to 20.",
        ".5": "",
        "5.": "",
        "+5": "",
        "-5": "Value must be greater than or equal to 0.5.",
        "-": "Please enter a number.",
        "1e": "Please enter a number.",
        "1e1": "Please enter a valid value. The two nearest valid values are 9.8 and 10.1.",
        "5e-1": "",
        "1-2": "Please enter a number.",
        "007": "Please enter a valid value. The two nearest valid values are 6.8 and 7.1.",
        "1.100": "",
        "0.80000000001": "",
        "12345678901234567890": "Value must be less than or equal to 20.",
        "1e400": "Please enter a number.",
        "1e-400": "Value must be greater than or equal to 0.5.",
        "\uff15\uff0e3": "",
        "\u30fc3": "Value must be greater than or equal to 0.5.",
        ".": "Please enter a number.",
    },
    "min=7 max=3": {"5": "Minimum value (7) must be less than the maximum value (3)."},
    "min=3 max=3": {
        "5": "Value must be 3.",
        "3": "",
    },
    "min=x max=3": {"5": "Value must be less than or equal to 3."},
    "min=1e1": {"5": "Value must be greater than or equal to 1e+1."},
    "min=0010": {"5": "Value must be greater than or equal to 10."},
    "min=.7e1": {"5": "Value must be greater than or equal to 7."},
    "min=5.50": {"5": "Value must be greater than or equal to 5.5."},
    "min=+6": {"5": ""},
    "min= 6": {"5": ""},
    "min=6.": {"5": ""},
    "min=1e21": {"5": "Value must be greater than or equal to 1e+21."},
    "min=123456789.123456789123": {"5": "Value must be greater than or equal to 123456789.123457."},
    "min=-3 step=5": {"1": "Please enter a valid value. The two nearest valid values are -3 and 2."},
    "max=10 step=4": {"9.5": "Please enter a valid value. The nearest valid value is 8."},
    "max=9 step=4": {"9": "Please enter a valid value. The nearest valid value is 8."},
    "step=any": {"0.123": ""},
    "step=0": {"0.5": "Please enter a valid value. The two nearest valid values are 0 and 1."},
    "step=-1": {"1.5": "Please enter a valid value. The two nearest valid values are 1 and 2."},
    "step=x": {"1.5": "Please enter a valid value. The two nearest valid values are 1 and 2."},
    "value=3 step=5": {"5": "Please enter a valid value. The two nearest valid values are 3 and 8."},
    "step=1e-7": {"0.00000005": "Please enter a valid value. The two nearest valid values are 0 and 1e-7."},
    "step=0.01": {"0.005": "Please enter a valid value. The two nearest valid values are 0 and 0.01."},
    "step=1e3": {"1500": "Please enter a valid value. The two nearest valid values are 1000 and 2000."},
    "": {
        "-.5": "Please enter a valid value. The two nearest valid values are -1 and 0.",
        "-1.5": "Please enter a valid value. The two nearest valid values are -2 and -1.",
    },
    "min=0 max=4 step=0.01": {"3.999": "Please enter a valid value. The two nearest valid values are 3.99 and 4."},
    "min=100 step=50": {"120": "Please enter a valid value. The two nearest valid values are 100 and 150."},
    "min=1 max=5 step=10": {"3": "Please enter a valid value. The nearest valid value is 1."},
}
VALUES = {
    ("email", "  "): "", ("number", "-"): "", ("email", "  a@b.c "): "a@b.c", ("email", "a@ä.de"): "a@xn--4ca.de",
    ("email", "A@STRASSE-ß.DE"): "A@strasse-ss.de", ("email", "a@👍.ws"): "a@xn--yp8h.ws",
    ("email", "a@b。c"): "a@b.c", ("email", "a@ä。c"): "a@xn--4ca.c", ("number", "5."): "5", ("number", "+5"): "5",
    ("number", "1e"): "", ("number", "1-2"): "", ("number", "1e400"): "", ("number", "\uff15\uff0e3"): "5.3",
    ("number", "\u30fc3"): "-3", ("number", "."): "",
}
SEVERAL = (
    ("text", {"required": ""}, "", "Please fill out this field."),
    ("text", {"required": ""}, " ", ""),
    ("text", {}, "", ""),
    ("email", {"required": ""}, "  ", "Please fill out this field."),
    ("number", {"required": ""}, "", "Please fill out this field."),
    ("number", {"required": ""}, "-", "Please enter a number."),
    ("textarea", {"required": ""}, "", "Please fill out this field."),
    ("password", {"required": ""}, "", "Please fill out this field."),
    ("text", {"minlength": "3", "maxlength": "5"}, "ab",
     "Please lengthen this text to 3 characters or more (you are currently using 2 characters)."),
    ("text", {"minlength": "3", "maxlength": "5"}, "a",
     "Please lengthen this text to 3 characters or more (you are currently using 1 character)."),
    ("text", {"minlength": "3", "maxlength": "5"}, "", ""),
    ("text", {"minlength": "3", "maxlength": "4"}, "é😀", ""),
    ("text", {"minlength": "4"}, "é😀",
     "Please lengthen this text to 4 characters or more (you are currently using 3 characters)."),
    ("textarea", {"minlength": "4"}, "a\nb",
     "Please lengthen this text to 4 characters or more (you are currently using 3 characters)."),
    ("textarea", {"minlength": "3"}, "a\nb", ""),
    ("text", {"maxlength": "3", "value": "abcdef"}, "ab", ""),
    ("tel", {"minlength": "2"}, "\u0301",
     "Please lengthen this text to 2 characters or more (you are currently using 1 character)."),
    ("text", {"pattern": "[a-z]+", "title": "Lower case letters.", "minlength": "5"}, "AB",
     "Please match the requested format.\nLower case letters."),
    ("text", {"pattern": "[a-z]+", "title": "Lower case letters.", "minlength": "5"}, "ab",
     "Please lengthen this text to 5 characters or more (you are currently using 2 characters)."),
    ("text", {"pattern": "[a-z]+", "minlength": "5"}, "abcde", ""),
    ("text", {"pattern": "[a-", "title": "No."}, "1", ""),
    ("number", {"pattern": "x", "minlength": "5", "maxlength": "1", "title": "No."}, "12", ""),
    ("password", {"pattern": ".{3}"}, "😀😀", "Please match the requested format."),
    ("email", {"pattern": ".*@example[.]com", "title": "One of ours."}, "a@b.c",
     "Please match the requested format.\nOne of ours."),
    ("email", {"pattern": ".*@example[.]com", "title": "One of ours."}, "a",
     "Please include an '@' in the email address. 'a' is missing an '@'.\nOne of ours."),
    ("email", {"pattern": ".*@example[.]com", "title": "One of ours.", "minlength": "40"}, "a@example.com",
     "Please lengthen this text to 40 characters or more (you are currently using 13 characters)."),
    ("email", {"required": "", "pattern": "x", "title": "Hint."}, "", "Please fill out this field."),
    ("url", {"pattern": "https:.*", "minlength": "30"}, "http://x", "Please match the requested format."),
    ("url", {"pattern": "https:.*"}, "x", "Please enter a URL."),
    ("tel", {"pattern": "\\d{3}-\\d{4}"}, "555-01٣2", "Please match the requested format."),
)
STEPS = {
    "": {
        "": ("1", "-1"), "0": ("1", "-1"), "5": ("6", "4"), "-1": ("0", "-2"), "1.5": ("2", "1"),
        "-1.5": ("-1", "-2"), "1e2": ("101", "99"), "007": ("8", "6"), "0.1": ("1", "0"),
        "12345678901234567890": ("1.23456789012345678e+19", "1.23456789012345678e+19"),
    },
    "min=0.5 step=1": {"": ("0.5", "1.5"), "0.5": ("1.5", "0.5"), "0.7": ("1.5", "0.5"), "1.5": ("2.5", "0.5")},
    "min=1 max=10": {
        "": ("1", "1"), "0": ("1", "0"), "1": ("2", "1"), "10": ("10", "9"), "11": ("11", "10"), "9.5": ("10", "9"),
        "1e1": ("10", "9"), "010": ("10", "9"),
    },
    "min=3 max=1": {"2": ("2", "2")},
    "step=any": {"2.5": ("2.5", "2.5")},
    "step=0.1": {"0.2": ("0.3", "0.1"), "0.25": ("0.3", "0.2"), "-0.1": ("0", "-0.2")},
    "min=0 max=4 step=0.01": {
        "": ("0.01", "0"), "3.99": ("4", "3.98"), "4": ("4", "3.99"), "3.995": ("4", "3.99"), "0": ("0.01", "0"),
    },
    "min=100 max=100000 step=50": {
        "": ("100", "100"), "120": ("150", "100"), "100": ("150", "100"), "99999": ("100000", "99950"),
        "100000": ("100000", "99950"), "5": ("100", "100"),
    },
    "min=1 max=5 step=10": {"3": ("1", "1"), "1": ("1", "1"), "7": ("1", "1")},
    "max=-5 step=3": {"": ("-6", "-6"), "-6": ("-6", "-9"), "-5": ("-6", "-6"), "-20": ("-18", "-21")},
    "value=3 step=5": {"": ("3", "-2"), "5": ("8", "3"), "8": ("13", "3")},
    "step=1e-7": {"0": ("1e-7", "-1e-7"), "0.0000001": ("2e-7", "0")},
    "step=1e21": {"": ("1e+21", "-1e+21"), "1e21": ("2e+21", "0")},
    "step=x": {"1": ("2", "0")},
    "step=-2": {"1": ("2", "0")},
    "min=25 max=25000 step=0.01": {
        "24.995": ("25", "25"), "25.005": ("25.01", "25"), "25000.01": ("25000.01", "25000"),
    },
}
# Patterns of the syntax that Python shares, and those that it does not.
FITTING = (
    ("a)(b", "a"), (r"\-", "-"), ("[a-]", "-"), ("a{2}", "aa"), ("a{2,1}", "z"), ("(", "z"), ("[z-a]", "z"),
    (".{3}", "😀😀😀"), ("[a-zA-Z]+@x", "Aa@x"), (r"[\d.]+", "1.5"), (r"\/", "/"), ("(a|b)+", "abba"), ("a**", "z"),
)
NOT_FITTING = (
    ("a|", "b"), (r"[\-]", "x"), (r"\d", "٣"), (r"\w", "é"), ("/", "z"), ("[a b]", "z"), ("[!]", "z"), ("[,]", "z"),
    ("[A-Z]{2}$", "A"), ("^[A-Z]{2}$", "A"), (".{6}", "😀😀😀"), ("a*?", "b"), ("[$]", "z"), (" ", "z"), ("[.]", "z"),
)
INEXACT = (
    r"\p{L}", r"\u00e9", "(?<n>a)", "[[a-d]&&[c-f]]", r"[\w--a]", r"\s", "(?i)a", "[]", "a++", r"\b", "[a-", "]",
    "[!!]", "a{,2}",
)
# Some required, each nothing and then something chosen; radio buttons are a group of two.
TICKS = {
    "checkbox": "Please check this box if you want to proceed.", "radio": "Please select one of these options.",
}
LISTS = {
    "file": "Please select a file.", "file multiple": "Please select one or more files.",
    "select": "Please select an item in the list.", "select multiple": "Please select an item in the list.",
}
# fmt: on

PAGE = "data:text/html,<!DOCTYPE html><html lang=en><meta charset=utf-8><body><form id=f novalidate></form>"
SCRIPT = r"""
const form = document.getElementById("f");
function put(kind, attributes) {
  const element = document.createElement(kind === "textarea" ? "textarea" : "input");
  if (kind !== "textarea") element.type = kind;
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  form.replaceChildren(element);
  element.focus();
  element.select();
  return window.put_last = element;
}
const hint = element => element.validity.patternMismatch && element.title ? `\n${element.title}` : "";
const state = element => [element.value, element.validationMessage + hint(element)];
window.put = put;
window.typed = () => state(put_last);
window.pasted = ([kind, attributes, text]) => {
  const element = put(kind, attributes);
  document.execCommand("insertText", false, text);
  return state(element);
};
window.steps = ([attributes, value]) => [true, false].map(up => {
  const element = put("number", attributes);
  element.value = value;
  try { if (up) element.stepUp(); else element.stepDown(); } catch { }
  return element.value;
});
window.fits = ([pattern, value]) => {
  const element = put("text", { pattern });
  element.value = value;
  return !element.validity.patternMismatch;
};
0"""


def _control(kind, attributes):
    return Control(
        id=0,
        kind="area" if kind == "textarea" else "text",
        name="x",
        page=0,
        type=kind,
        value=attributes.get("value", ""),
        required="required" in attributes,
        pattern=attributes.get("pattern"),
        title=attributes.get("title", ""),
        min_length=int(attributes.get("minlength", -1)),
        max_length=int(attributes.get("maxlength", -1)),
        least=attributes.get("min", ""),
        most=attributes.get("max", ""),
        step=attributes.get("step", ""),
    )


def _state(kind, attributes, typed):
    """The value and the message of a field into which a text has been typed."""
    seen = number_characters(typed, "", "") if kind == "number" else typed
    field = TextField(_control(kind, attributes), None, editor=Editor(seen))
    value = submitted(field)
    assert problem_of(field, []) == text_problem(field.control, value, seen)
    return value, text_problem(field.control, value, seen)


def _attributes(text):
    return dict(word.split("=", 1) for word in text.split(" ") if "=" in word) if text != "min= 6" else {"min": " 6"}


def _rows():
    """The tables of texts: kind, attributes, what is typed, message."""
    yield from (("email", {}, typed, "") for typed in EMAILS)
    yield from (("email", {}, typed, message) for typed, message in WRONG_EMAILS.items())
    yield from (("url", {}, typed, "") for typed in URLS)
    yield from (("url", {}, typed, "Please enter a URL.") for typed in WRONG_URLS)
    for attributes, cases in NUMBERS.items():
        yield from (("number", _attributes(attributes), typed, message) for typed, message in cases.items())
    yield from SEVERAL


ROWS = list(_rows())


@pytest.mark.parametrize("kind", ["email", "url", "number", "text", "tel", "password", "textarea"])
def test_the_values_and_the_messages_of_texts_are_chromiums(kind):
    rows = [row for row in ROWS if row[0] == kind]
    assert rows
    for _, attributes, typed, message in rows:
        assert _state(kind, attributes, typed) == (VALUES.get((kind, typed), typed), message), (attributes, typed)


@pytest.mark.parametrize(("attributes", "values"), STEPS.items())
def test_a_number_is_stepped_as_in_chromium(attributes, values):
    control = _control("number", _attributes(attributes))
    assert {value: (stepped(control, value, True), stepped(control, value, False)) for value in values} == values


def _fits(pattern, value):
    return not text_problem(_control("text", {"pattern": pattern}), value, value)


def test_a_pattern_fits_what_it_fits_in_chromium():
    assert [row for row in FITTING if not _fits(*row)] == []
    assert [row for row in NOT_FITTING if _fits(*row)] == []
    assert [pattern for pattern in INEXACT if is_exact_pattern(pattern)] == []


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


@pytest.fixture(scope="module")
def page():
    if browser_path() is None:
        pytest.skip("no Chromium: apt-get install chromium")
    browser = Browser()
    with browser.open_tab() as tab:
        tab.goto(PAGE)
        tab.evaluate(f"(() => {{{SCRIPT}}})()")
        yield tab
    browser.end()


def _asked(page, function, cases):
    answers = page.evaluate(f"{json.dumps(cases)}.map({function})")
    return [tuple(answer) if isinstance(answer, list) else answer for answer in answers]


def _different(cases, answers, own):
    return [(case, answer, own(*case)) for case, answer in zip(cases, answers, strict=True) if own(*case) != answer][:5]


def test_the_tables_of_texts_are_measured_again(page):
    rows = [row for row in ROWS if row not in SEVERAL]
    answers = _asked(page, "pasted", [row[:3] for row in rows])
    assert answers == [(VALUES.get((kind, typed), typed), message) for kind, _, typed, message in rows]
    # Lengths count only where a person types.
    for kind, attributes, typed, message in SEVERAL:
        page.evaluate(f"put({json.dumps(kind)}, {json.dumps(attributes)}); 0")
        if typed:
            page.type_text(typed)
        assert tuple(page.evaluate("typed()")) == (VALUES.get((kind, typed), typed), message), (kind, attributes, typed)


def test_the_tables_of_steps_and_patterns_are_measured_again(page):
    cases = [(_attributes(attributes), value) for attributes, values in STEPS.items() for value in values]
    assert _asked(page, "steps", cases) == [both for values in STEPS.values() for both in values.values()]
    assert all(_asked(page, "fits", FITTING))
    assert not any(_asked(page, "fits", NOT_FITTING))


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


def test_random_texts_have_chromiums_values_and_messages(page):
    draw = random.Random(1)
    cases = [_random_text(draw) for _ in range(some(400, 2500))]
    assert _different(cases, _asked(page, "pasted", cases), _state) == []


def test_random_numbers_are_stepped_as_in_chromium(page):
    draw = random.Random(2)
    cases = [(_random_range(draw), _state("number", {}, _random_number(draw))[0]) for _ in range(some(300, 2000))]

    def own(attributes, value):
        control = _control("number", attributes)
        return stepped(control, value, True), stepped(control, value, False)

    assert _different(cases, _asked(page, "steps", cases), own) == []


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


def test_the_patterns_of_all_forms_fit_what_they_fit_in_chromium(page):
    draw = random.Random(3)
    patterns = sorted({field.pattern for name in web_forms() for field in web_form(name).fields if field.pattern})
    assert len(patterns) >= 15
    assert all(map(is_exact_pattern, patterns))
    cases = []
    for pattern in patterns:
        texts = [_fitting(draw, pattern) for _ in range(40)]
        cut = [text[: draw.randint(0, len(text))] + draw.choice(["", "0", "A", " ", "٣", "９", "é"]) for text in texts]
        cases += [(pattern, text) for text in (*texts, *cut, *(_near(draw, pattern) for _ in range(20)))]
    answers = _asked(page, "fits", cases)
    assert sum(answers) > len(cases) / 4
    assert _different(cases, answers, _fits) == []
