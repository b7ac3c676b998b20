"""Web forms as text: the list of controls, and tools that use one by real clicks and keys."""

import json
import re

import gymnasium as gym
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

import formgym  # noqa: F401
from formgym.agents.models.scripted import Scripted
from formgym.agents.vlm import VLM
from formgym.envs.web_forms.forms.form import web_forms
from formgym.envs.web_forms.replay.control_actions import ControlActions
from formgym.envs.web_forms.replay.text_fields import TextField
from formgym.envs.web_forms.replay.widgets import Button, ListBox, Tick
from formgym.experiments.running.rollout import replay, run_episode
from formgym.wrappers import ActionBatch, ControlList, Feedback, PadPage, Ruler

ALL_KINDS = ["job_application", "insurance_claim"]
FORMS = some(ALL_KINDS, web_forms())
BUG = "FormFactory/BugReport-v0"


def _env_id(form):
    return next(
        name
        for name in gym.registry
        if name.startswith("FormFactory/") and gym.spec(name).kwargs.get("forms") in (form, [form], (form,))
    )


def _made(env_id, marks=False, **options):
    env = gym.make(env_id, disable_env_checker=True, **options)
    return ControlList(env, marks=marks)


def _act(env, tool, **arguments):
    return env.step(env.action_space.from_call({"tool": tool, **arguments}))


def _ids(env, role=""):
    return [control.id for control in env.unwrapped.state.controls() if control.role.startswith(role)]


def test_the_list_tells_role_name_value_and_options_of_every_control():
    env = _made(BUG)
    observation, _ = env.reset(seed=3)
    assert observation in env.observation_space
    page = env.unwrapped.state.page
    shown = [widget for widget in page.values.widgets if widget.place is not None]
    assert len(re.findall(r"^\[\d+\] ", observation["controls"], re.M)) == len(shown)
    for widget in shown:
        (line,) = re.findall(rf"^\[{widget.control.id}\] (.*)", observation["controls"], re.M)
        if isinstance(widget, ListBox):
            assert all(option.text in line for option in widget.options[:60])
        if not isinstance(widget, Button):
            assert f'"{env.unwrapped.state._labels[widget.control.name]}' in line
        assert line.split()[0].rstrip(",") in {
            *(
                "textbox",
                "combobox",
                "listbox",
                "checkbox",
                "radio",
                "button",
                "spinbutton",
                "date",
                "password",
                "searchbox",
            )
        }
    assert "Submit" in observation["controls"]


@pytest.mark.parametrize("form", FORMS)
def test_frames_and_values_are_those_of_clicks_and_keys_by_hand_on_every_control(form):
    """All controls of all pages: the same frames as a twin that is given the solver's own clicks and keys."""
    env_id = _env_id(form)
    env, twin = _made(env_id), gym.make(env_id, disable_env_checker=True)
    options = {"task": f"{form}/test_3"}
    env.reset(options=options), twin.reset(options=options)
    kinds = set()
    for call in _named_calls(twin):
        kinds.add(call["tool"])
        by_hand = call.pop("by_hand")
        observation, _, _, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"], info["feedback"]
        assert [env.unwrapped.action_space.to_call(action) for action in info["actions"]] == by_hand
        for one in by_hand:
            page = twin.step(twin.action_space.from_call(one))[0]["page"]
        assert np.array_equal(observation["page"], page)
        assert env.unwrapped.state.page.dump() == twin.unwrapped.state.page.dump()
    assert form not in ALL_KINDS or kinds == {"click_control", "fill", "select_option"}
    assert env.unwrapped.state.score().metrics["strict_accuracy"] == 1


def _named_calls(twin):
    """Calls by ids that solve the task of ``twin``, each with the clicks and keys that it stands for."""
    state = twin.unwrapped.state
    while not state.finished:
        yield _next_named(state)


def _next_named(state):
    """The first control that the solution touches, as a call by its id."""
    page = state.page.clone()
    gold, page_now = state.task.gold, state.page
    plan = ControlActions(page)
    plan.close_popups()
    for widget in page.values.widgets:
        name = widget.control.name
        if widget.place is None or isinstance(widget, Button) or name not in gold or gold[name] in (None, "", []):
            continue
        value, text = gold[name], ""
        if isinstance(widget, TextField) and page_now.values.value(name) != value:
            plan.write(widget, value)
            tool, text = "fill", value
        elif isinstance(widget, ListBox) and (row := _row_to_change(widget, value)) is not None:
            plan.choose(widget, {row: not widget.chosen[row]})
            tool, text = "select_option", widget.options[row].text
        elif isinstance(widget, Tick) and _must_tick(widget, value):
            plan.click(widget)
            tool = "click_control"
        else:
            continue
        return {"tool": tool, "id": widget.control.id, "by_hand": plan.calls, **({"text": text} if text else {})}
    buttons = {w.control.action: w for w in page.values.widgets if isinstance(w, Button) and w.place}
    hidden = [n for n, v in gold.items() if v not in (None, "", []) and page_now.values.value(n) is None]
    action = (
        "add"
        if "add" in buttons and hidden and _row_of(page, hidden, buttons["add"])
        else "next"
        if "next" in buttons
        else "submit"
    )
    plan.click(buttons[action])
    return {"tool": "click_control", "id": buttons[action].control.id, "by_hand": plan.calls}


def _row_of(page, hidden, button):
    return any(
        w.control.name in hidden and w.control.row and w.control.row[0] == button.control.block
        for w in page.values.widgets
    )


def _row_to_change(box, value):
    expected = set(value) if isinstance(value, list) else {value}
    return next((i for i, option in enumerate(box.options) if (option.value in expected) and not box.chosen[i]), None)


def _must_tick(tick, value):
    expected = (
        value
        if isinstance(value, bool)
        else tick.control.value in value
        if isinstance(value, list)
        else tick.control.value == value
    )
    return expected != tick.checked and not (tick.control.radio and tick.checked)


def test_the_list_is_the_same_whatever_the_right_answers_are():
    env = _made("FormFactory/NDA-v0", theme="night")
    texts = {env.reset(options={"task": f"nda/test_{number}"})[0]["controls"] for number in range(4)}
    assert len(texts) == 1


def test_the_list_follows_what_is_done():
    env = _made(BUG)
    env.reset(seed=3)
    text = next(c for c in env.unwrapped.state.controls() if c.role == "textbox" and not c.is_read_only)
    observation, _, _, _, info = _act(env, "fill", id=text.id, text="Ann Lee")
    line = f"[{text.id}] textbox \"{text.name}\" = 'Ann Lee'"
    assert line in observation["controls"]
    assert f"Now: {line}" in info["feedback"]
    observation, _, _, _, info = _act(env, "fill", id=text.id, text="")
    assert line not in observation["controls"]
    box = _ids(env, "combobox")[0]
    option = next(c for c in env.unwrapped.state.controls() if c.id == box).options[-1]
    observation = _act(env, "select_option", id=box, text=option)[0]
    assert f"= '{option}'" in observation["controls"]


@pytest.mark.parametrize(
    ("call", "words"),
    [
        ({"tool": "click_control", "id": 1999}, "There is no control 1999 on this page."),
        ({"tool": "click_control", "id": "3"}, "must be a whole number"),
        ({"tool": "click_control"}, "misses the argument id"),
        ({"tool": "fill", "id": "text", "text": "a\nb"}, "takes one line"),
        ({"tool": "fill", "id": "text", "text": "a\x00b"}, "control characters"),
        ({"tool": "fill", "id": "combo", "text": "a"}, "takes no text; use select_option"),
        ({"tool": "select_option", "id": "combo", "text": "no such"}, "does not offer 'no such'; it offers "),
        ({"tool": "select_option", "id": "text", "text": "a"}, "is no list"),
        ({"tool": "click", "x": 5000, "y": 3}, "x must be a whole number"),
        ({"tool": "fly"}, "There is no tool 'fly'; the tools are click,"),
        (7, "A call is an object"),
    ],
)
def test_a_bad_call_is_explained_and_costs_a_step(call, words):
    env = _made(BUG)
    env.reset(seed=3)
    ids = {"text": _ids(env, "textbox")[0], "combo": _ids(env, "combobox")[0]}
    if isinstance(call, dict):
        call = {name: ids.get(value, value) if name == "id" else value for name, value in call.items()}
    before = env.unwrapped.state.dump()
    info = env.step(env.action_space.from_call(call))[4]
    assert not info["valid"]
    assert words in info["feedback"]
    assert len(info["actions"]) == 1
    assert env.unwrapped.state.dump() == before


@settings(max_examples=some(30, 500))
@given(st.integers(0, 60), st.text(max_size=20), st.sampled_from(["click_control", "fill", "select_option"]))
def test_no_call_raises(id, text, tool):
    env = _made(BUG)
    env.reset(seed=3)
    for _ in range(2):
        if not env.unwrapped.state.finished:
            _act(env, tool, id=id, **({} if tool == "click_control" else {"text": text}))


def test_every_inner_step_counts_for_the_limit():
    env = ControlList(gym.make(BUG, disable_env_checker=True, max_episode_steps=3))
    env.reset(seed=3)
    text = _ids(env, "textbox")[0]
    assert not _act(env, "fill", id=text, text="Ann")[3]
    *_, truncated, info = _act(env, "fill", id=text, text="Bob")
    assert truncated
    assert len(info["actions"]) == 1


@pytest.mark.parametrize("render_size", [None, (384, 512)])
def test_marks_are_drawn_at_the_controls_in_the_window(render_size):
    plain, marked = _made(BUG, render_size=render_size), _made(BUG, marks=True, render_size=render_size)
    first, second = plain.reset(seed=3)[0], marked.reset(seed=3)[0]
    assert first["controls"] == second["controls"]
    different = (first["page"] != second["page"]).any(axis=2)
    factor = 768 // first["page"].shape[0]
    for control in plain.unwrapped.state.controls():
        left, top = (round(edge / factor) for edge in control.box[:2])
        if 0 <= top < first["page"].shape[0] - 14:
            assert different[top : top + 14, left : left + 12].mean() > 0.5
    assert np.array_equal(plain.unwrapped.page(), marked.unwrapped.page())


def test_a_model_fills_in_a_form_by_ids_and_its_record_replays():
    env = Feedback(Ruler(ActionBatch(ControlList(gym.make(BUG, disable_env_checker=True)), max_rounds=60)))

    def script(messages, tools, seed):
        call = _next_named(env.unwrapped.state)
        call.pop("by_hand")
        prompt = " ".join(getattr(block, "text", "") for message in messages for block in message.content)
        assert f"[{call['id']}]" in prompt
        return json.dumps(call)

    episode = run_episode(env, VLM(Scripted(script), unit="thousand", max_side=300, history=1), index=0, seed=3)
    assert episode.error is None
    assert episode.metrics["strict_accuracy"] == 1
    assert all(len(one.calls) == len(one.feedback) == len(one.valid) == one.carried_out for one in episode.rounds)
    assert episode.n_calls > len(episode.rounds)
    *_, last = replay(env.unwrapped, episode)
    assert last.metrics.items() <= episode.metrics.items()


def test_what_does_not_go_with_it_is_refused():
    with pytest.raises(ValueError, match="only web forms have controls"):
        ControlList(gym.make("FormGym/Scans-v0"))
    with pytest.raises(ValueError, match="one a step"):
        ControlList(ActionBatch(gym.make(BUG)))
    with pytest.raises(ValueError, match="padded"):
        ControlList(PadPage(gym.make(BUG), 800, 1100))
