"""Editing: keys do to a text what they do in Chromium; ``chromium_answers.json`` was measured in Chromium 156."""

import json
import random
from pathlib import Path

import gymnasium as gym
import pytest
from sizes import LONG, some

from formgym.envs.web_forms.replay import overlays, text_breaks
from formgym.envs.web_forms.replay.capture import Control
from formgym.envs.web_forms.replay.form_values import submitted
from formgym.envs.web_forms.replay.numbers import number_characters
from formgym.envs.web_forms.replay.text_fields import Editor, TextField

ANSWERS = json.loads(Path(__file__).with_name("chromium_answers.json").read_text(encoding="utf-8"))
# Where Control+ArrowRight and Control+ArrowLeft go from every place of a text; a text with the places that the arrows
# go to, and how much Backspace leaves; a text with the caret at "|", keys, and the text after them.
WORDS, GRAPHEMES, PRESSED = ANSWERS["words"], ANSWERS["graphemes"], ANSWERS["keys"]

WORDS_AND_SIGNS = (
    "foo a Bar9 don't l’été naïve e-mail a.b user_name _ __ ab_12 me@ex.com https://x.y/a?b $5.00 3,14 (x) ... — é C++ "
    "U.S. 10:30 x 12 [1] 50% №5 € ½ ² Ω да e\u0301a 👍 👍🏽a “hi” «x» a·b © 1;2 !? # ~"
).split(" ")
GAPS = [" ", " ", "  ", "   ", "", ",", "-", ".", "\xa0"]
BREAKS = ["\n", "\n\n", " \n", "\n "]

HTML = ""


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
    return [_places(text)[1:], left]


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
    for segments in ANSWERS["segments"]:
        text = "".join(segments)
        assert _segments(text) == segments
        # Beyond the end it is the last one.
        assert Editor(text).word_at(len(text)) == (len(text) - len(segments[-1]), len(text))
    assert Editor().word_at(0) == (0, 0)


@pytest.mark.parametrize(("text", "places", "left"), GRAPHEMES)
def test_arrows_and_backspace_take_what_they_take_in_chromium(text, places, left):
    assert _graphemes(text) == [places, left]


@pytest.mark.parametrize(("text", "keys", "after"), PRESSED)
def test_keys_do_what_they_do_in_chromium(text, keys, after):
    at = text.index("|")
    editor = Editor(text.replace("|", ""), at, at)
    for key in keys.split(" "):
        _press(editor, key, lines=True)
    assert editor.text[: editor.caret] + "|" + editor.text[editor.caret :] == after
    assert editor.anchor == editor.caret


def test_a_number_field_lets_in_what_chromium_lets_in():
    for text, fitting in ANSWERS["numbers_let_in"]:
        before, after = text.split("|")
        assert "".join(c for c in "1.e+-" if number_characters(c, before, after)) == fitting, text
    assert [row for row in ANSWERS["numbers_typed"] if number_characters(row[0], "", "") != row[1]] == []


# The same in a running Chromium, and more of it.


def _random_text(draw, breaks=()):
    gaps = [*GAPS, *breaks]
    words = "".join(draw.choice(WORDS_AND_SIGNS) + draw.choice(gaps) for _ in range(draw.randint(0, 5)))
    return draw.choice(["", "", " ", *breaks[:1]]) + words


@LONG
@pytest.mark.parametrize("tag", ["input", "textarea"])
def test_words_and_graphemes_of_random_texts_are_chromiums(page, asked, tag):
    draw = random.Random(1)
    texts = [_random_text(draw, BREAKS if tag == "textarea" else ()) for _ in range(250)]
    texts += [text for text, *_ in (*WORDS, *GRAPHEMES) if tag == "textarea" or "\n" not in text]
    page.evaluate(f"field({tag!r}); 0")
    for text, answers in zip(texts, asked("words", texts), strict=True):
        places = {_units(text[:at]) for at in _places(text)}
        own = [[_units(text[:at]) for at in row] for row in _words(text)]
        assert [row for row in answers if row[0] in places] == own, text
    for text, answer in zip(texts, asked("graphemes", texts), strict=True):
        assert answer == [[_units(text[:at]) for at in part] for part in _graphemes(text)], text


@pytest.mark.parametrize("tag", ["input", "textarea"])
def test_random_keys_do_what_they_do_in_chromium(page, tag):
    draw = random.Random(2)
    arrows = [f"{held}Arrow{to}" for held in ("", "Shift+", "Control+", "Control+Shift+") for to in ("Left", "Right")]
    edges = ["Home", "End", "Shift+Home", "Shift+End", "Backspace", "Delete"]
    keys = [*arrows, *edges, *["Control+Backspace", "Control+Delete"] * 3]
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


def test_the_tables_are_measured_again(page):
    page.evaluate("field('textarea'); 0")
    for text, keys, after in PRESSED:
        page.evaluate(f"put({json.dumps(text.replace('|', ''))}, {_units(text[: text.index('|')])}); 0")
        for key in keys.split(" "):
            page.press_key(key)
        answer = page.evaluate("[element.value, element.selectionStart, element.selectionEnd]")
        assert answer == [after.replace("|", ""), *[_units(after[: after.index("|")])] * 2], (text, keys)
    width = page.evaluate("width()")
    for segments in ANSWERS["segments"]:
        page.evaluate(f"put({json.dumps(''.join(segments))}, 0); 0")
        row, column, at = 0, 0, 0
        for segment in segments:
            page.click(round(width * (column + 0.25)), 20 * row + 10, count=2)
            selected = page.evaluate("[element.selectionStart, element.selectionEnd]")
            assert selected == [at, at + len(segment)], (segments, at)
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


def test_random_numbers_are_typed_as_in_chromium(page, asked):
    draw = random.Random(3)
    page.evaluate("field('number'); 0")
    cases = [_random_actions(draw) for _ in range(some(250, 1500))]
    for actions, answer in zip(cases, asked("numbers", cases), strict=True):
        editor = Editor()
        for action in actions:
            _act(editor, action)
        assert answer == [editor.text, _value(editor.text)], actions


def test_numbers_are_typed_by_keys_as_in_chromium(page):
    draw = random.Random(4)
    page.evaluate("field('number'); 0")
    for actions in [
        *([*typed] for typed, _ in ANSWERS["numbers_typed"]),
        *(_random_actions(draw) for _ in range(some(5, 30))),
    ]:
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


def test_only_the_bubble_that_is_seen_is_laid_out(monkeypatch):
    env = gym.make("FormFactory/GrantApplication-v0").unwrapped
    env.reset(seed=1)
    x, y = env.state.places[1].centre
    env.step(env.action_space.action("click", x=int(x), y=int(y)))
    laid_out = []
    monkeypatch.setattr(overlays, "wrapped", lambda *given: laid_out.append(given) or text_breaks.wrapped(*given))
    env.step(env.action_space.action("type_text", text="a\n" * 200))
    assert env.state.page.overlays.bubble is not None
    assert len(laid_out) <= 2
