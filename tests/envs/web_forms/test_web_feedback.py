"""What feedback says of clicks and keys is what has happened."""

import re

import gymnasium as gym
import pytest
from sizes import some

from formgym.envs.registration import ids
from formgym.envs.web_forms.replay.captured_page import CapturedPage
from formgym.envs.web_forms.replay.text_fields import TextField
from formgym.experiments.authoring.web.comparison import do, random_walk

FORMS = [
    name for name in ids() if name.startswith("FormFactory/") and not re.search("Atomic|Groun|Custom|Published", name)
]


@pytest.fixture(params=FORMS)
def env(request):
    env = gym.make(request.param)
    env.reset(seed=0)
    return env


def _feedback(env, tool, **arguments):
    info = env.step(env.action_space.action(tool, **arguments))[4]
    assert info["valid"]
    return info["feedback"]


def test_what_does_nothing_is_said_to_do_nothing(env):
    page = env.unwrapped.state.page
    before = page.draft()
    assert _feedback(env, "type_text", text="Ann") == (
        "Nothing was typed: no field has the focus. Click into a field first."
    )
    assert _feedback(env, "press_key", key="Backspace") == "Pressed Backspace: nothing changed."
    assert _feedback(env, "click", x=1, y=1) == "Clicked at (1, 1): there is no control."
    assert _feedback(env, "scroll", dy=-300) == "Nothing there scrolls any further up."
    assert page.draft() == before
    assert _feedback(env, "press_key", key="Tab") == "Pressed Tab."
    assert page.has_focus


def test_scrolling_says_how_far_it_went(env):
    window = env.unwrapped.state.page.canvas.window
    sums = 0
    while (words := _feedback(env, "scroll", dy=333)) != "Nothing there scrolls any further down.":
        down = int(re.fullmatch(r"Scrolled down by (\d+) pixels(, as far as it goes)?\.", words)[1])
        assert words.endswith("goes.") == (down != 333)
        sums += down
        assert window.scroll == sums


def test_all_that_a_solution_types_and_clicks_is_taken(env):
    for call in env.unwrapped.solution()[:-1]:
        words = _feedback(env, **call)
        if call["tool"] == "type_text":
            assert words.startswith('Typed "')
            assert "not accepted" not in words
        elif "click" in call["tool"]:
            assert words.endswith(").")


@pytest.mark.parametrize("seed", range(some(10, 100)))
def test_characters_that_a_field_does_not_take_are_counted(seed):
    env = gym.make(FORMS[seed % len(FORMS)]).unwrapped
    env.reset(seed=seed)
    page: CapturedPage = env.state.page
    checked = 0
    for call in random_walk(page, [seed], 300):
        field = page.focus.widget
        if call["tool"] != "type_text" or not isinstance(field, TextField) or set(call["text"]) & set("\n\r\t"):
            do(page, call)
            continue
        start, end = field.editor.selection
        kept = len(field.editor.text) - (end - start)
        lost = page.type_text(call["text"])
        assert len(call["text"]) - lost == len(field.editor.text) - kept
        checked += 1
    assert checked
