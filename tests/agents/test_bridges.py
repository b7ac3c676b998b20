"""Bridges: TRL's environment class, rows and rewards of grounding, episodes as chats."""

import inspect
import json
from typing import get_type_hints

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sizes import LONG

from formgym.agents.bridges.chat import chat_messages
from formgym.agents.bridges.grounding import answer, grounding_reward, grounding_rows, predicted_box
from formgym.agents.bridges.trl import environment_class, episode_rows
from formgym.agents.coordinate_space import UNITS
from formgym.agents.session import Session
from formgym.envs.core.grounding import REWARDS
from formgym.wrappers import Ruler

SCAN, WEB, GROUNDING = "FormGym/Scans-v0", "FormFactory/Atomic-v0", "FormFactory/Grounding-v0"


@pytest.fixture(scope="module")
def scans():
    return environment_class(SCAN, unit="thousand", max_side=256, wrappers=[Ruler])


def test_the_tools_are_public_methods_with_types_and_docstrings(scans):
    methods = dict(inspect.getmembers(scans, inspect.isfunction))
    public = {name for name in methods if not name.startswith("_")}
    assert public == {"reset", "get_reward", *Session(SCAN).tools.names}
    place_text = scans().place_text
    assert get_type_hints(place_text) == {"x": float, "y": float, "text": str, "return": list}
    assert list(inspect.signature(place_text).parameters) == ["x", "y", "text"]
    assert "Args:\n    x: Where, counted from the left edge: in thousandths" in place_text.__doc__
    assert scans.__name__ == "FormGymScansV0"


@LONG  # importing transformers takes seconds
@pytest.mark.parametrize(
    ("env_id", "view"),
    [
        (SCAN, {"unit": "thousand", "max_side": 256, "wrappers": [Ruler]}),
        ("FormFactory/NDA-v0", {}),
        ("DocEdit/Invoice-v0", {}),
        ("FormGym/AutoLoans-GUI-v0", {}),
    ],
)
def test_schemas_are_what_transformers_makes_of_the_methods(env_id, view):
    schemas = pytest.importorskip("transformers.utils.chat_template_utils")
    environment = environment_class(env_id, **view)()
    with Session(env_id, **view) as session:
        for schema in session.tools.schemas:
            function = schemas.get_json_schema(getattr(environment, schema["name"]))["function"]
            assert function["description"].split() == schema["description"].split()
            kept, own = (
                {n: (p["type"], p["description"].split()) for n, p in one["parameters"]["properties"].items()}
                for one in (function, schema)
            )
            assert kept == own


def test_an_episode_in_a_trl_environment_is_a_session(scans):
    environment = scans()
    with Session(SCAN, seed=4, unit="thousand", max_side=256, wrappers=[Ruler]) as session:
        for _ in range(2):
            content = environment.reset(prompt=[], seed=4, other=1)
            assert [part["type"] for part in content] == ["text", "text", "image"]
            assert max(content[-1]["image"].size) == 256
        assert content[0]["text"] == session.open()[0].text
        calls = [(call.pop("tool"), call) for call in session.solution()[:-1]]
        replies = [
            (getattr(environment, name)(**given), session.call(name, given)[0])
            for name, given in (("place_text", {"x": 1}), ("delete_text", {"z": "?"}), *calls)
        ]
        for content, blocks in replies:
            assert [part.get("text", "picture") for part in content] == [getattr(b, "text", "picture") for b in blocks]
        assert environment.get_reward() == session.reward == 1
        environment.terminate()
        assert environment.terminate() == [{"type": "text", "text": "The episode has ended: nothing more can be done."}]
        assert environment.get_reward() == 1


def test_models_without_eyes_read_texts():
    environment = environment_class(SCAN, images=False)()
    assert isinstance(environment.reset(seed=0), str)
    assert environment.terminate() == "The page was handed in."


def test_misuse_of_a_trl_environment_is_explained(scans):
    with pytest.raises(RuntimeError, match=r"call reset\(\) first"):
        scans().get_reward()
    with pytest.raises(ValueError, match="a row needs a 'task' or a 'seed'"):
        scans().reset(prompt=[])
    with pytest.raises(ValueError, match="cannot make 'FormGym/No-v0'"):
        environment_class("FormGym/No-v0")


def test_rows_of_episodes_have_seeds_of_their_own():
    rows = episode_rows(50, seed=1)
    assert len({row["seed"] for row in rows}) == 50
    assert rows == episode_rows(50, seed=1) != episode_rows(50, seed=2)


@pytest.fixture(scope="module")
def rows():
    return grounding_rows(GROUNDING, 6, "dev", seed=0, max_side=400, targets_per_page=2)


def test_rows_ask_for_places_on_pages(rows):
    assert len(rows) == 6
    assert len({row["task"] for row in rows}) == 3
    for row in rows:
        assert max(row["image"].size) == 400
        assert row["size"] == [row["image"].height, row["image"].width]
        left, top, right, bottom = row["box"]
        assert 0 <= left < right <= 1
        assert 0 <= top < bottom <= 1
        (message,) = row["prompt"]
        assert row["name"] in message["content"]
        assert '{"x": ..., "y": ...}' in message["content"]
    assert [row["name"] for row in rows] == [
        row["name"] for row in grounding_rows(GROUNDING, 6, "dev", seed=0, targets_per_page=2)
    ]


@pytest.mark.parametrize("seed", range(2))
def test_pages_without_targets_are_passed_over(seed):
    rows = grounding_rows("FormGym/Grounding-v0", 1, "train", seed=seed, max_side=100, domain="made", names="twins")
    assert len(rows) == 1


@pytest.mark.parametrize("action", ["point", "box"])
@pytest.mark.parametrize("unit", UNITS)
def test_right_answers_have_all_rewards(action, unit):
    size = (900, 700)
    box = (0.5, 0.25, 0.625, 0.5)
    reply = answer(box, action, unit, size)
    columns = {"box": [box], "unit": [unit], "size": [size]}
    for name in REWARDS:
        (reward,) = grounding_reward(name)([reply], **columns)
        expected = 0 if action == "point" and name in ("iou", "gaussian_coverage") else 1
        assert reward == pytest.approx(expected, abs=0.02)
    assert predicted_box(reply, unit, size)[:2] == pytest.approx(
        (0.5, 0.25) if action == "box" else (0.5625, 0.375), abs=1e-3
    )


def test_rewards_read_messages_and_judge_by_the_one_scorer():
    columns = {"box": [[0.1, 0.1, 0.3, 0.3]] * 4, "unit": ["thousand"] * 4, "size": [[10, 10]] * 4, "name": "x"}
    said = ['Here: {"x": 250, "y": 150}', "```\n[900, 150,]\n```", "I do not know.", '{"x": 2000, "y": 1}']
    as_messages = [
        [{"role": "assistant", "content": said[0]}],
        [{"role": "assistant", "content": [{"type": "text", "text": said[1]}]}],
        [{"role": "assistant", "content": said[2]}],
        [{"role": "assistant", "content": None}, {"role": "assistant", "content": said[3]}],
    ]
    for completions in (said, as_messages):
        assert grounding_reward("hit")(completions, **columns) == [1, 0, 0, 0]
        assert grounding_reward("format")(completions, **columns) == [1, 1, 0, 0]
        mixed = grounding_reward({"hit": 3, "format": 1})
        assert mixed(completions, **columns) == [1, 0.25, 0, 0]
        points = [(0.25, 0.15) * 2, (0.9, 0.15) * 2]
        expected = REWARDS["gaussian_point"](np.array(points), np.array([[0.1, 0.1, 0.3, 0.3]] * 2))
        assert grounding_reward("gaussian_point")(completions, **columns)[:2] == pytest.approx(expected)
    assert (grounding_reward("hit").__name__, mixed.__name__) == ("hit", "hit_format")


@given(st.text(alphabet='{}[]",:.xy 0123456789-', max_size=40), st.sampled_from([*REWARDS]))
def test_any_reply_has_a_finite_reward(reply, name):
    columns = {"box": [[0.1, 0.1, 0.3, 0.3]], "unit": ["pixel"], "size": [[100, 100]]}
    (reward,) = grounding_reward(name)([reply], **columns)
    assert 0 <= reward <= 1


@pytest.mark.parametrize(
    ("wrong", "match"),
    [
        ({"env_id": SCAN, "split": "test"}, "cannot make 'FormGym/Scans-v0'.* 'action'"),
        ({"env_id": WEB, "split": "test"}, "cannot make 'FormFactory/Atomic-v0'.* 'action'"),
        ({"action": "guess"}, "action is one of point, box"),
        ({"unit": "inch"}, "unit one of pixel, fraction, thousand"),
        ({"split": "exam"}, "split"),
        ({"n": 10_000, "forms": "bug_report"}, "has .* rows in split 'dev' with 1 targets a page, not 10000"),
        ({"reward": "iou"}, "goes with action='box'"),
    ],
)
def test_wrong_rows_are_refused(wrong, match):
    with pytest.raises(ValueError, match=match):
        grounding_rows(**{"env_id": GROUNDING, "n": 2, "split": "dev", "max_side": 100, "targets_per_page": 1} | wrong)


@pytest.mark.parametrize("env_id", [SCAN, WEB])
def test_a_chat_is_an_episode_with_right_calls(env_id):
    with Session(env_id, seed=1, unit="thousand", max_side=300) as session:
        chat = chat_messages(session, system="Fill in the form.")
        assert session.score().metrics["strict_accuracy"] == 1
        turns = len(session.turns)
        assert chat["tools"] == [{"type": "function", "function": schema} for schema in session.tools.schemas]
    roles = [message["role"] for message in chat["messages"]]
    assert roles[:3] == ["system", "user", "assistant"]
    assert roles.count("assistant") == roles.count("tool") == turns
    placeholders = [part for message in chat["messages"] for part in message["content"] if part["type"] == "image"]
    assert placeholders == [{"type": "image"}] * len(chat["images"])
    assert not any(part["type"] == "image" for m in chat["messages"] if m["role"] == "tool" for part in m["content"])
    json.dumps([chat["messages"], chat["tools"]])
    called = [call["function"] for m in chat["messages"] for call in m.get("tool_calls", [])]
    assert called[-1] == {"name": "terminate", "arguments": {}} or env_id == WEB


def test_a_chat_of_texts_needs_no_tools_in_the_template():
    with Session(SCAN, seed=1, unit="thousand", max_side=300) as session:
        chat = chat_messages(session, as_text=True)
    roles = [message["role"] for message in chat["messages"]]
    assert roles == ["system", *["user", "assistant"] * 3, "user"]
    assert '"name": "place_text"' in chat["messages"][0]["content"][0]["text"]
    assert json.loads(chat["messages"][-2]["content"][0]["text"]) == {"tool": "terminate"}
    assert chat["tools"] == []


def test_a_chat_may_be_of_other_calls():
    with Session(SCAN, seed=1) as session:
        chat = chat_messages(session, calls=[{"tool": "fly"}, {"tool": "terminate"}, {"tool": "terminate"}])
    assert [m["content"][0]["text"][:16] for m in chat["messages"] if m["role"] == "tool"] == [
        "There is no tool",
        "The page was han",
    ]
