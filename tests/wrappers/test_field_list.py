"""Paper forms as a list of fields, and tools that name one by its number."""

import re

import gymnasium as gym
import numpy as np
import pytest
from custom_form_fixture import write_form

import formgym  # noqa: F401
from formgym.envs.paper_forms.state import PaperFormState
from formgym.wrappers import ActionBatch, FieldList, PadPage

LOAN = {"task": "cedar_valley_vehicle_loan/margaret_holloway"}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return write_form(tmp_path_factory.mktemp("forms") / "member")


@pytest.fixture
def member(folder):
    env = FieldList(gym.make("FormGym/Custom-v0", form=str(folder)))
    env.reset(options={"task": "ann"})
    return env


def act(env, tool, **arguments):
    observation, reward, *_, info = env.step(env.action_space.from_call({"tool": tool, **arguments}))
    assert observation in env.observation_space
    return observation, reward, info


def fill(env, field, text, fact="a fact"):
    return act(env, "fill_in", field=field, text=text, fact=fact)


def test_the_answers_by_number_score_full_on_a_shipped_form():
    env = FieldList(gym.make("FormGym/AutoLoans-Text-v0"))
    observation, _ = env.reset(options=LOAN)
    state = env.unwrapped.state
    assert isinstance(state, PaperFormState)
    assert len(re.findall(r"^\[\d+\] (?:textbox|checkbox|signature) ", observation["fields"], re.M)) == len(
        state.places
    )
    total = 0.0
    for number, target in enumerate(state.task.targets, start=1):
        if target.gold.value is not None:
            _, reward, info = fill(env, number, target.gold.value)
            assert info["valid"], info["feedback"]
            total += reward
    assert total == pytest.approx(1.0)
    assert len(env.filled) == state.task.answered


def test_fields_are_listed_by_page_with_what_they_take_and_hold(member):
    observation, _, info = fill(member, 6, "spain", "She lives in Spain.")
    assert info["feedback"] == "Now: [6] combobox \"Country\" = 'Spain' options: France; Spain"
    lines = observation["fields"].splitlines()
    assert [line for line in lines if line.startswith("Page")] == ["Page 1:", "Page 2:"]
    assert '[2] textbox "Born" (date, at most 10 characters)' in lines
    assert '[5] textbox "Code" (identifier, 8 cells)' in lines
    assert '[10] signature "Signature"' in lines
    assert "She lives" not in observation["fields"]
    assert member.filled[6].fact == "She lives in Spain."


def test_filling_in_turns_the_page_replaces_and_clears(member):
    observation, _, _ = fill(member, 8, "first")
    assert observation["source"].startswith("Page 2 of 2.")
    fill(member, 8, "second")
    assert [mark.text for mark in member.unwrapped.state.pages[1].marks] == ["second"]
    _, _, info = fill(member, 8, "")
    assert info["valid"]
    assert not member.unwrapped.state.pages[1].marks
    assert not member.filled


def test_one_box_of_a_group_is_ticked_and_one_value_shown_in_all_its_fields(member):
    fill(member, 3, "X")
    fill(member, 4, "yes")
    assert set(member.filled) == {4}
    assert [mark.target for mark in member.unwrapped.state.pages[0].marks] == [3]
    fill(member, 1, "Ann Lee")
    assert member.filled[7].text == "Ann Lee"
    assert [page.entered(0) for page in member.unwrapped.state.pages] == ["Ann Lee", "Ann Lee"]
    _, reward, _ = fill(member, 5, "AB12CD34")
    assert reward > 0


def test_why_a_field_stays_empty_is_noted_and_changes_nothing(member):
    before = member.unwrapped.page()
    _, reward, info = act(member, "leave_empty", field=9, last=9, reason="no fee is named")
    assert info["valid"]
    assert reward == 0
    assert member.left == {9: "no fee is named"}
    assert np.array_equal(member.unwrapped.page(), before)
    fill(member, 9, "3.50")
    assert not member.left
    act(member, "leave_empty", field=9, last=9, reason="not sure")
    assert 9 not in member.filled
    assert not member.unwrapped.state.pages[1].marks


def test_several_fields_are_left_empty_at_once_but_for_copies_of_others(member):
    lines = member.reset(seed=0)[0]["fields"].splitlines()
    assert [line.split()[0] for line in lines if "the same as [1]" in line] == ["[7]"]
    fill(member, 1, "Ann Lee")
    fill(member, 9, "3.50")
    _, _, info = act(member, "leave_empty", field=6, last=9, reason="not stated")
    assert info["valid"]
    assert set(member.left) == {6, 8, 9}
    assert set(member.filled) == {1, 7}
    for first, last, problem in ((7, 7, "what field 1 holds"), (4, 3, "comes before"), (4, 40, "no field 40")):
        _, _, info = act(member, "leave_empty", field=first, last=last, reason="not stated")
        assert not info["valid"]
        assert problem in info["feedback"]


@pytest.mark.parametrize(
    ("field", "text", "problem"),
    [
        (0, "a", "the tool takes"),
        (40, "a", "There is no field 40; they are numbered from 1 to 10"),
        (2, "the third of May 1980", "takes 10 characters at most; the text has 21"),
        (3, "maybe", "is a box"),
        (5, "123456789", "8 cells"),
        (6, "Peru", "there are France; Spain"),
        (8, "a\x07b", "control character"),
    ],
)
def test_what_a_field_does_not_take_is_feedback(member, field, text, problem):
    before = member.unwrapped.state.dump()
    _, _, info = fill(member, field, text)
    assert not info["valid"]
    assert problem in info["feedback"] or field == 0
    assert member.unwrapped.state.dump()["pages"] == before["pages"]
    assert not member.filled


def test_numbers_are_drawn_on_the_page_and_an_episode_begins_anew(member, folder):
    plain = FieldList(gym.make("FormGym/Custom-v0", form=str(folder)), marks=False)
    unmarked, _ = plain.reset(options={"task": "ann"})
    fill(member, 1, "Ann")
    marked, _ = member.reset(options={"task": "ann"})
    assert not member.filled
    differ = (marked["page"] != unmarked["page"]).any(axis=2)
    left, top, right, bottom = (round(edge) for edge in member.fields()[0].target.blank)
    assert differ[top:bottom, left:right].any()
    assert not differ[:top].any()


def test_only_paper_forms_that_take_one_call_a_step_have_fields():
    scans = gym.make("FormGym/Scans-v0")
    for env in (gym.make("FormFactory/NDA-v0"), ActionBatch(scans), PadPage(scans, 1_200, 1_200)):
        with pytest.raises(ValueError, match=r"paper forms|one a step|padded"):
            FieldList(env)
