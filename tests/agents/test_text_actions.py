"""Text actions: calls as BrowserGym writes them and back, hostile texts, a web form filled in by them."""

from contextlib import suppress

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formgym.agents.bridges.text_actions import act, parse_actions, text_of
from formgym.agents.session import Session
from formgym.envs.core.tools import ToolError
from formgym.wrappers import ControlList

_TEXTS = st.text(st.characters(exclude_categories=["Cs"]), max_size=30)
_IDS, _PIXELS = st.integers(0, 1999), st.integers(0, 1023)
_CALLS = st.one_of(
    st.builds(lambda i: {"tool": "click_control", "id": i}, _IDS),
    st.builds(lambda i, t: {"tool": "fill", "id": i, "text": t}, _IDS, _TEXTS),
    st.builds(lambda i, t: {"tool": "select_option", "id": i, "text": t}, _IDS, _TEXTS),
    st.builds(lambda x, y: {"tool": "click", "x": x, "y": y}, _PIXELS, _PIXELS),
    st.builds(lambda t: {"tool": "type_text", "text": t}, _TEXTS),
    st.builds(lambda d: {"tool": "scroll", "dy": d}, st.integers(-900, 900)),
    st.just({"tool": "terminate"}),
)


@given(st.lists(_CALLS, min_size=1, max_size=4))
def test_calls_survive_as_text(calls):
    assert parse_actions("\n".join(map(text_of, calls))) == calls


def test_actions_are_written_as_browsergym_does():
    assert text_of({"tool": "fill", "id": 3, "text": "O'Neil"}) == "fill('3', \"O'Neil\")"
    assert parse_actions("click(bid='12', button='left')\nscroll(0, 200)") == [
        {"tool": "click_control", "id": 12},
        {"tool": "scroll", "dy": 200},
    ]
    assert parse_actions("select_option('4', ['Red', 'Blue'])") == [
        {"tool": "select_option", "id": 4, "text": "Red"},
        {"tool": "select_option", "id": 4, "text": "Blue"},
    ]
    with pytest.raises(ValueError, match="no action for right_click"):
        text_of({"tool": "right_click", "x": 1, "y": 2})


@given(st.one_of(_TEXTS, st.text(alphabet="click('12'),\n[]{}=:*x", max_size=40)))
def test_any_text_is_read_or_refused(text):
    with suppress(ToolError):
        assert all(call["tool"] for call in parse_actions(text))


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("__import__('os').system('true')", "is no action"),
        ("click(open('x'))", "must be texts, numbers"),
        ("fill('1', f'{2}')", "must be texts, numbers"),
        ("x = click('1')", "is no action"),
        ("click('1'", "This is no action"),
        ("", "There is no action"),
        ("(" * 5_000, "This is no action"),
    ],
)
def test_what_is_no_action_is_explained_and_not_run(text, match):
    with pytest.raises(ToolError, match=match):
        parse_actions(text)


def test_a_web_form_is_filled_in_by_text_actions():
    with Session("FormFactory/NDA-v0", task="nda/test_0", wrappers=[ControlList]) as session:
        texts = [block.text for block in session.open() if hasattr(block, "text")]
        listing = texts[-1].splitlines()
        line = next(line for line in listing if "textbox" in line)
        identity = "".join(character for character in line.split()[0] if character.isdecimal())
        (feedback, *_) = act(session, f"fill('{identity}', 'Kaitlyn Huerta')")
        assert "Kaitlyn Huerta" in feedback.text
        (refusal,) = act(session, "fly('1')")
        assert "fly('1') is no action" in refusal.text
        assert [turn.valid for turn in session.turns][-1] is False
        act(session, "send_msg_to_user('Done.')\nclick('1')")
        assert session.done
