"""Editing: keys do to a text what they do in Chromium on Linux; tables were measured in Chromium 156."""

import json
import random

import pytest
from sizes import LONG, some

from formgym.envs.web_forms.chromium import Browser, browser_path
from formgym.envs.web_forms.replay.capture import Control
from formgym.envs.web_forms.replay.form_values import submitted
from formgym.envs.web_forms.replay.numbers import number_characters
from formgym.envs.web_forms.replay.text_fields import Editor, TextField

# fmt: off
# Where Control+ArrowRight and Control+ArrowLeft go from every place of a text.
WORDS = (
    ("foo bar", [3, 3, 3, 7, 7, 7, 7, 7], [0, 0, 0, 0, 0, 4, 4, 4]),
    ("foo, bar", [3, 3, 3, 4, 8, 8, 8, 8, 8], [0, 0, 0, 0, 3, 3, 5, 5, 5]),
    ("  foo  bar  ", [5, 5, 5, 5, 5, 10, 10, 10, 10, 10, 12, 12, 12], [0, 0, 0, 2, 2, 2, 2, 2, 7, 7, 7, 7, 7]),
    ("it's l’été", [4, 4, 4, 4, 10, 10, 10, 10, 10, 10, 10], [0, 0, 0, 0, 0, 0, 5, 5, 5, 5, 5]),
    ("e-mail a.b 3.14 1,000", [1, 2, 6, 6, 6, 6, 8, 8, 9, 10, 15, 15, 15, 15, 15, 21, 21, 21, 21, 21, 21, 21],
     [0, 0, 1, 2, 2, 2, 2, 2, 7, 8, 9, 9, 11, 11, 11, 11, 11, 16, 16, 16, 16, 16]),
    ("user_name __x_ 12_3", [9, 9, 9, 9, 9, 9, 9, 9, 9, 14, 14, 14, 14, 14, 19, 19, 19, 19, 19, 19],
     [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 10, 10, 10, 10, 10, 15, 15, 15, 15]),
    ("me@example.com", [2, 2, 3, 10, 10, 10, 10, 10, 10, 10, 11, 14, 14, 14, 14],
     [0, 0, 0, 2, 3, 3, 3, 3, 3, 3, 3, 10, 11, 11, 11]),
    ("https://www.ex.com/a?b=c#d",
     [5, 5, 5, 5, 5, 8, 8, 8, 11, 11, 11, 12, 14, 14, 15, 18, 18, 18, 19, 20, 21, 22, 23, 24, 25, 26, 26],
     [0, 0, 0, 0, 0, 0, 5, 5, 5, 8, 8, 8, 11, 12, 12, 14, 15, 15, 15, 18, 19, 20, 21, 22, 23, 24, 25]),
    ("$5.00 + 10%", [1, 5, 5, 5, 5, 7, 7, 10, 10, 10, 11, 11], [0, 0, 1, 1, 1, 1, 1, 6, 6, 8, 8, 10]),
    ("(x) \"q\" [1]", [1, 2, 3, 5, 5, 6, 7, 9, 9, 10, 11, 11], [0, 0, 1, 2, 2, 4, 5, 6, 6, 8, 9, 10]),
    ("...a... b", [3, 3, 3, 4, 7, 7, 7, 9, 9, 9], [0, 0, 0, 0, 3, 4, 4, 4, 4, 8]),
    ("U.S.A. 10:30", [1, 2, 3, 4, 5, 6, 9, 9, 9, 10, 12, 12, 12], [0, 0, 1, 2, 3, 4, 5, 5, 7, 7, 9, 10, 10]),
    ("naïve, Zoë—ok–ﬁn", [5, 5, 5, 5, 5, 6, 10, 10, 10, 10, 11, 13, 13, 14, 16, 16, 16],
     [0, 0, 0, 0, 0, 0, 5, 5, 7, 7, 7, 10, 11, 11, 13, 14, 14]),
    ("C++/C#", [1, 4, 4, 4, 5, 6, 6], [0, 0, 1, 1, 1, 4, 5]),
    ("e\u0301a\u0308 b", [4, 4, 6, 6, 6], [0, 0, 0, 0, 5]),
    ("x 👍 y👍🏽z", [1, 3, 3, 5, 5, 7, 8, 8], [0, 0, 0, 2, 2, 4, 5, 7]),
    ("a\xa0b \u3000c", [1, 3, 3, 5, 5, 6, 6], [0, 0, 0, 2, 2, 2, 5]),
    ("½ ² №5 ™", [1, 3, 3, 5, 5, 6, 8, 8, 8], [0, 0, 0, 2, 2, 4, 5, 5, 7]),
    ("Дом Ωmega", [3, 3, 3, 9, 9, 9, 9, 9, 9, 9], [0, 0, 0, 0, 0, 4, 4, 4, 4, 4]),
    ("a·b a:b a;b", [3, 3, 3, 5, 5, 6, 7, 9, 9, 10, 11, 11], [0, 0, 0, 0, 0, 4, 5, 6, 6, 8, 9, 10]),
    ("", [0], [0]),
    ("-", [1, 1], [0, 0]),
    ("a\nb", [1, 2, 3, 3], [0, 0, 2, 2]),
    ("a,\n\nb", [1, 2, 3, 4, 5, 5], [0, 0, 1, 2, 4, 4]),
    (" \n x", [1, 4, 4, 4, 4], [0, 0, 2, 2, 3]),
    ("ab  \n  cd\n", [2, 2, 4, 4, 9, 9, 9, 9, 9, 10, 10], [0, 0, 0, 0, 0, 5, 5, 5, 7, 7, 9]),
    ("\n\n", [1, 2, 2], [0, 0, 1]),
)
# What double clicks select.
SEGMENTS = (
    ["foo", " ", "bar"], ["foo", ",", " ", "bar"], ["  ", "foo", "  ", "bar", "  "], ["it's", " ", "l’été"],
    ["e", "-", "mail", " ", "a", ".", "b", " ", "3.14", " ", "1,000"], ["user_name", " ", "__x_", " ", "12_3"],
    ["me", "@", "example", ".", "com"],
    ["https", ":", "/", "/", "www", ".", "ex", ".", "com", "/", "a", "?", "b", "=", "c", "#", "d"],
    ["$", "5.00", " ", "+", " ", "10", "%"], ["(", "x", ")", " ", "\"", "q", "\"", " ", "[", "1", "]"],
    [".", ".", ".", "a", ".", ".", ".", " ", "b"], ["U", ".", "S", ".", "A", ".", " ", "10", ":", "30"],
    ["C", "+", "+", "/", "C", "#"], ["l", "'"], ["a", "  ", "b", " "], ["x_1", ".", "y"], ["a", "\n", "b"],
    ["a", ",", "\n", "\n", "b"], [" ", "\n", " ", "x"], ["ab", "  ", "\n", "  ", "cd", "\n"], ["\n", "\n"],
)
# A text with the places that the arrows go to, and how much Backspace leaves.
GRAPHEMES = (
    ("aé", [1, 2], [1, 0]),
    ("e\u0301x", [2, 3], [2, 1, 0]),
    ("e\u0302\u0301", [3], [2, 1, 0]),
    ("👍🏽x", [2, 3], [2, 0]),
    ("👨\u200d👩\u200d👧x", [5, 6], [5, 0]),
    ("🇩🇪🇫🇷", [2, 4], [2, 0]),
    ("❤\ufe0fx", [2, 3], [2, 0]),
    ("1\ufe0f\u20e3x", [3, 4], [3, 0]),
    ("a\xadb", [1, 2, 3], [2, 1, 0]),
    ("a\u200cb", [2, 3], [2, 1, 0]),
    ("ñ", [1], [0]),
    ("n\u0303o", [2, 3], [2, 1, 0]),
)
# The caret is at "|".
PRESSED = (
    ("foo bar|", "Control+Backspace", "foo |"),
    ("foo bar|", "Control+Backspace Control+Backspace", "|"),
    ("foo,| bar", "Control+Backspace", "foo| bar"),
    ("foo |bar", "Control+Delete", "foo |"),
    ("foo| bar", "Control+Delete", "foo|"),
    ("a,b|", "Control+Backspace", "a,|"),
    ("a\n|b", "Control+Backspace", "a|b"),
    ("a,\n|b", "Control+Backspace Control+Backspace", "a|b"),
    ("a\n\n|b", "Control+Backspace", "a\n|b"),
    ("a\n|\nb", "Control+Backspace", "a|\nb"),
    ("a\n  |b", "Control+Backspace Control+Backspace", "a|b"),
    ("|a", "Control+Backspace", "|a"),
    ("a\n|", "Control+Backspace", "a|"),
    ("a|\nb", "Control+Delete", "a|b"),
    ("a|\n  b", "Control+Delete", "a|"),
    ("a|\n\nb", "Control+Delete", "a|\nb"),
    ("a  |\nb", "Control+Delete", "a  |b"),
    ("a|  \nb", "Control+Delete", "a|\nb"),
    ("a|", "Control+Delete", "a|"),
    ("a|\n", "Control+Delete", "a|"),
    ("a\n|b", "Control+ArrowLeft", "a\n|b"),
    ("a\nb|", "Control+ArrowLeft Control+ArrowLeft Control+ArrowLeft", "a\n|b"),
    ("a\n|\nb", "Control+ArrowLeft", "a|\n\nb"),
    ("a|\n b", "Control+ArrowRight", "a\n b|"),
    ("a|\n\nb", "Control+ArrowRight Control+ArrowRight Control+ArrowRight", "a\n\nb|"),
    ("one two|", "Control+Shift+ArrowLeft Backspace", "one |"),
    ("|one two", "Control+Shift+ArrowRight Control+Backspace", "| two"),
    ("e\u0301|", "Backspace", "e|"),
    ("a👍🏽|", "Backspace", "a|"),
    ("|e\u0301a", "Delete", "|a"),
)
# Which of the characters 1.e+- go in at the caret.
NUMBERS = {
    "|": "1.e+-", "1|": "1.e+-", "|1": "1.e+-", "-|": "1.e+-", "|-": "e", "-|1": "1.e+-", "|-1": "e", "1|-": "1e",
    "1.|": "1e+-", "|.": "1+-", ".|": "1e+-", "1e|": "1+-", "|e": "1.-", "1|-1": "1e", "-|-": "1e", "--|": "1.e",
    "-1|-": "1e", "1-|e": "1.", "+|": "1.e+-", "e|": "1+-", "|e1": "1.-", "-e|": "1+-", "1+|1": "1.e+-", "|+1": "e",
    ".e|": "1+-", "1|.e": "1", ".|e": "1",
}
# What is seen of what was typed.
TYPED_NUMBERS = {
    "1,000.50": "1000.50", "1.2.3": "1.23", "-5": "-5", "--5": "--5", "---5": "--5", "1e5": "1e5", "1e5e5": "1e55",
    "1e-5": "1e-5", "1e5.5": "1e55", "abc": "", "5 kg": "5", "$20": "20", "e5": "e5", ".5": ".5", "１２．５": "12.5",
    "ー3": "-3", "−3": "3", "٣": "", "1 000": "1000",
}
# fmt: on

WORDS_AND_SIGNS = (
    "foo a Bar9 don't l’été naïve e-mail a.b user_name _ __ ab_12 me@ex.com https://x.y/a?b $5.00 3,14 (x) ... — é C++ "
    "U.S. 10:30 x 12 [1] 50% №5 € ½ ² Ω да e\u0301a 👍 👍🏽a “hi” «x» a·b © 1;2 !? # ~"
).split(" ")
GAPS = [" ", " ", "  ", "   ", "", ",", "-", ".", "\xa0"]
BREAKS = ["\n", "\n\n", " \n", "\n "]

SCRIPT = r"""
window.field = tag => {
  document.body.innerHTML = tag === "number" ? "<input type=number>" : `<${tag} rows=20></${tag}>`;
  window.element = document.body.firstChild;
  const pixels = { position: "absolute", left: "0", top: "0", width: "1000px", padding: "0", border: "0" };
  Object.assign(element.style, pixels, { height: tag === "textarea" ? "500px" : "20px", font: "16px/20px monospace" });
  element.focus();
};
window.put = (text, at) => { element.value = text; element.setSelectionRange(at, at); };
const selection = getSelection();
const moved = (to, by) => { selection.modify("move", to, by); return element.selectionStart; };
window.width = () => {
  const line = document.createElement("span");
  line.style.font = "16px monospace";
  line.textContent = "x".repeat(100);
  document.body.append(line);
  const width = line.getBoundingClientRect().width / 100;
  line.remove();
  return width;
};
window.words = text => {
  const places = [];
  for (let at = 0; at <= text.length; at++) {
    if (/[\udc00-\udfff]/.test(text[at] ?? "")) continue;
    places.push([at, ...["right", "left"].map(to => { put(text, at); return moved(to, "word"); })]);
  }
  return places;
};
window.graphemes = text => {
  const places = [], left = [];
  put(text, 0);
  while ((places.at(-1) ?? 0) < text.length) places.push(moved("forward", "character"));
  put(text, text.length);
  while (element.value) { document.execCommand("delete"); left.push(element.value.length); }
  return [places, left];
};
const seen = () => { element.select(); return selection.toString(); };
window.number = () => [seen(), element.value];
const MOVES = { left: ["move", "backward"], right: ["move", "forward"], extend: ["extend", "backward"] };
window.numbers = actions => {
  element.value = "";
  element.select();
  document.execCommand("delete");
  for (const action of actions) {
    if (action in MOVES) selection.modify(...MOVES[action], "character");
    else if (action === "back") document.execCommand("delete");
    else document.execCommand("insertText", false, action);
  }
  return number();
};
0"""


def _units(text):
    """How many UTF-16 units a text has."""
    return len(text.encode("utf-16-le")) // 2


def _places(text):
    """All places that the caret can be at."""
    editor, places = Editor(text), [0]
    while places[-1] < len(text):
        editor.move(editor.after(), extend=False)
        places.append(editor.caret)
    return places


def _words(text):
    editors = [Editor(text, at, at) for at in _places(text)]
    return [(editor.caret, editor.word_after(), editor.word_before()) for editor in editors]


def _segments(text):
    found = [Editor(text).word_at(at) for at in range(len(text))]
    return [text[start:end] for start, end in dict.fromkeys(found)]


def _graphemes(text):
    editor, left = Editor(text, len(text), len(text)), []
    while editor.erase(editor.erased_before()):
        left.append(len(editor.text))
    return _places(text)[1:], left


def _press(editor, key, lines):
    """Press a key; ``lines``: in a text of several lines."""
    *held, name = key.split("+")
    control, shift = "Control" in held, "Shift" in held
    start, end = editor.selection
    if name == "Backspace":
        editor.erase(editor.word_erased_before() if control else editor.erased_before())
    elif name == "Delete":
        editor.erase(editor.word_after() if control else editor.after())
    elif name in ("Home", "End"):
        first = editor.text.rfind("\n", 0, editor.caret) + 1 if lines else 0
        last = editor.text.find("\n", editor.caret) if lines else -1
        editor.move(first if name == "Home" else last if last >= 0 else len(editor.text), shift)
    elif start < end and not held:
        editor.move(start if name == "ArrowLeft" else end, extend=False)
    elif name == "ArrowLeft":
        editor.move(editor.word_before() if control else editor.before(), shift)
    else:
        editor.move(editor.word_after() if control else editor.after(), shift)


def _type_number(editor, character):
    if editor.anchor != editor.caret:
        # What is selected goes even if the character is not taken.
        editor.insert("")
    editor.insert(number_characters(character, editor.text[: editor.caret], editor.text[editor.caret :]))


def _value(seen):
    """The value of a number field in which something is seen."""
    return submitted(TextField(Control(id=0, kind="text", name="x", page=0, type="number"), None, editor=Editor(seen)))


@pytest.mark.parametrize(("text", "after", "before"), WORDS)
def test_control_and_an_arrow_go_where_they_go_in_chromium(text, after, before):
    assert _words(text) == list(zip(_places(text), after, before, strict=True))


def test_a_double_click_selects_what_it_selects_in_chromium():
    for segments in SEGMENTS:
        text = "".join(segments)
        assert _segments(text) == segments
        # Beyond the end it is the last one.
        assert Editor(text).word_at(len(text)) == (len(text) - len(segments[-1]), len(text))
    assert Editor().word_at(0) == (0, 0)


@pytest.mark.parametrize(("text", "places", "left"), GRAPHEMES)
def test_arrows_and_backspace_take_what_they_take_in_chromium(text, places, left):
    assert _graphemes(text) == (places, left)


@pytest.mark.parametrize(("text", "keys", "after"), PRESSED)
def test_keys_do_what_they_do_in_chromium(text, keys, after):
    at = text.index("|")
    editor = Editor(text.replace("|", ""), at, at)
    for key in keys.split(" "):
        _press(editor, key, lines=True)
    assert editor.text[: editor.caret] + "|" + editor.text[editor.caret :] == after
    assert editor.anchor == editor.caret


def test_a_number_field_lets_in_what_chromium_lets_in():
    for text, fitting in NUMBERS.items():
        before, after = text.split("|")
        assert "".join(c for c in "1.e+-" if number_characters(c, before, after)) == fitting, text
    assert {typed: number_characters(typed, "", "") for typed in TYPED_NUMBERS} == TYPED_NUMBERS


# The same in a running Chromium, and more of it.


@pytest.fixture(scope="module")
def page():
    if browser_path() is None:
        pytest.skip("no Chromium: apt-get install chromium")
    browser = Browser()
    with browser.open_tab(1024, 768) as tab:
        tab.goto("data:text/html,<!DOCTYPE html><html lang=en><meta charset=utf-8><body>")
        tab.evaluate(f"(() => {{{SCRIPT}}})()")
        yield tab
    browser.end()


def _random_text(draw, breaks=()):
    gaps = [*GAPS, *breaks]
    words = "".join(draw.choice(WORDS_AND_SIGNS) + draw.choice(gaps) for _ in range(draw.randint(0, 5)))
    return draw.choice(["", "", " ", *breaks[:1]]) + words


def _asked(page, function, cases):
    return page.evaluate(f"{json.dumps(cases)}.map({function})")


@LONG
@pytest.mark.parametrize("tag", ["input", "textarea"])
def test_words_and_graphemes_of_random_texts_are_chromiums(page, tag):
    draw = random.Random(1)
    texts = [_random_text(draw, BREAKS if tag == "textarea" else ()) for _ in range(250)]
    texts += [text for text, *_ in (*WORDS, *GRAPHEMES) if tag == "textarea" or "\n" not in text]
    page.evaluate(f"field({tag!r}); 0")
    for text, answers in zip(texts, _asked(page, "words", texts), strict=True):
        places = {_units(text[:at]) for at in _places(text)}
        own = [[_units(text[:at]) for at in row] for row in _words(text)]
        assert [row for row in answers if row[0] in places] == own, text
    for text, answer in zip(texts, _asked(page, "graphemes", texts), strict=True):
        assert answer == [[_units(text[:at]) for at in part] for part in _graphemes(text)], text


@pytest.mark.parametrize("tag", ["input", "textarea"])
def test_random_keys_do_what_they_do_in_chromium(page, tag):
    draw = random.Random(2)
    keys = [
        held + arrow for held in ("", "Shift+", "Control+", "Control+Shift+") for arrow in ("ArrowLeft", "ArrowRight")
    ]
    keys += [
        "Home",
        "End",
        "Shift+Home",
        "Shift+End",
        "Backspace",
        "Delete",
        *["Control+Backspace", "Control+Delete"] * 3,
    ]
    page.evaluate(f"field({tag!r}); 0")
    for _ in range(60):
        text = _random_text(draw, BREAKS if tag == "textarea" else ())
        at = draw.choice(_places(text))
        editor, done = Editor(text, at, at), []
        page.evaluate(f"put({json.dumps(text)}, {_units(text[:at])}); 0")
        for _ in range(draw.randint(1, 5)):
            done.append(draw.choice(keys))
            page.press_key(done[-1])
            _press(editor, done[-1], lines=tag == "textarea")
        start, end = (_units(editor.text[:place]) for place in editor.selection)
        answer = page.evaluate("[element.value, element.selectionStart, element.selectionEnd]")
        assert answer == [editor.text, start, end], (text, at, done)


def test_the_table_of_keys_is_measured_again(page):
    page.evaluate("field('textarea'); 0")
    for text, keys, after in PRESSED:
        page.evaluate(f"put({json.dumps(text.replace('|', ''))}, {_units(text[: text.index('|')])}); 0")
        for key in keys.split(" "):
            page.press_key(key)
        answer = page.evaluate("[element.value, element.selectionStart, element.selectionEnd]")
        assert answer == [after.replace("|", ""), *[_units(after[: after.index("|")])] * 2], (text, keys)


def test_double_clicks_are_measured_again(page):
    page.evaluate("field('textarea'); 0")
    width = page.evaluate("width()")
    for segments in SEGMENTS:
        text = "".join(segments)
        page.evaluate(f"put({json.dumps(text)}, 0); 0")
        row, column, at = 0, 0, 0
        for segment in segments:
            page.double_click(round(width * (column + 0.25)), 20 * row + 10)
            selected = page.evaluate("[element.selectionStart, element.selectionEnd]")
            assert selected == [at, at + len(segment)], (text, at)
            row, column = (row + 1, 0) if segment == "\n" else (row, column + len(segment))
            at += len(segment)


ACTIONS = {"left": "ArrowLeft", "right": "ArrowRight", "extend": "Shift+ArrowLeft", "back": "Backspace"}


def _random_actions(draw):
    keys = ["left", "left", "right", "extend", "extend", "back"]
    length = draw.randint(3, 16)
    return [draw.choice("0123.eE+-,x５ー ") if draw.random() < 0.6 else draw.choice(keys) for _ in range(length)]


def _act(editor, action):
    if action in ACTIONS:
        _press(editor, ACTIONS[action], lines=False)
    else:
        _type_number(editor, action)


def test_random_numbers_are_typed_as_in_chromium(page):
    draw = random.Random(3)
    page.evaluate("field('number'); 0")
    cases = [_random_actions(draw) for _ in range(some(250, 1500))]
    for actions, answer in zip(cases, _asked(page, "numbers", cases), strict=True):
        editor = Editor()
        for action in actions:
            _act(editor, action)
        assert answer == [editor.text, _value(editor.text)], actions


def test_numbers_are_typed_by_keys_as_in_chromium(page):
    draw = random.Random(4)
    page.evaluate("field('number'); 0")
    for actions in [*([*typed] for typed in TYPED_NUMBERS), *(_random_actions(draw) for _ in range(some(5, 30)))]:
        page.evaluate("element.value = ''; element.select(); 0")
        page.press_key("Backspace")
        editor = Editor()
        for action in actions:
            _act(editor, action)
            if action in ACTIONS:
                page.press_key(ACTIONS[action])
            else:
                page.type_text(action)
        assert page.evaluate("number()") == [editor.text, _value(editor.text)], actions
