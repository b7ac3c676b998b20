"""The agent of vision-language models: scripted models that know the solution get the oracle's score by it."""

import json
import pickle
from functools import partial
from itertools import pairwise

import gymnasium as gym
import numpy as np
import pytest
from sizes import some

import formgym  # noqa: F401
from formgym.agents.base import split_feedback
from formgym.agents.computer_use import ComputerUse
from formgym.agents.coordinate_space import PictureView
from formgym.agents.model_agent import Prompts
from formgym.agents.model_view import PAGES, ModelView
from formgym.agents.models.model import NO_PICTURE, ImageBlock, PackedImage, TextBlock, newest_pictures
from formgym.agents.models.scripted import Scripted
from formgym.agents.session import page_corner
from formgym.agents.vlm import VLM
from formgym.envs.documents.shipped import shipped_document
from formgym.experiments.running.episodes import Episode
from formgym.experiments.running.rollout import replay, run_episode
from formgym.wrappers import ActionBatch, EditFeedback, Feedback, FieldFinder, GridOverlay, Ruler

TEXT, TRANSFER, DATABASE = "FormGym/AutoLoans-Text-v0", "FormGym/AutoLoans-DocTransfer-v0", "FormGym/Database-v0"
WEB, POINTING = "FormFactory/NDA-v0", "FormFactory/Grounding-v0"
POSTER, SCAN = "DocEdit/ConcertPoster-v0", "FormGym/Scans-v0"
CLICK = '{"tool": "click", "x": 400, "y": 300}'
PROGRAM = "def main(document):\n    {}\n"


class Solver:
    """Answers with the next calls of the solution, in the model's units, and keeps what it was asked."""

    def __init__(self, env, calls=None, native=False, unit=None, max_side=None):
        self.env, self.calls, self.native = env, calls, native
        pictures = {
            name: env.observation_space[name].shape[:2] for name in PAGES if name in env.observation_space.spaces
        }
        size, corner = env.get_wrapper_attr("page_size"), page_corner(env)
        views = {name: PictureView.whole(shape, max_side) for name, shape in pictures.items()}
        self.view = ModelView(env.action_space.feature_space, views, size, corner, unit=unit)
        self.asked = []

    def __call__(self, messages, tools, seed):
        self.asked.append(messages)
        solution = [self.view.to_model(call) for call in self.env.get_wrapper_attr("solution")()][: self.calls]
        if not self.native:
            return f"I fill it in.\n```json\n{json.dumps(solution)}\n```"
        return {"tool_calls": [{"name": call.pop("tool"), "arguments": call} for call in solution]}


def _texts(messages):
    return "\n".join(block.text for message in messages for block in message.content if isinstance(block, TextBlock))


def _pictures(messages):
    return [block for message in messages for block in message.content if isinstance(block, ImageBlock)]


def _made(env_id, rounds, wrappers=(), **options):
    env = gym.make(env_id, disable_env_checker=True, **options)
    for wrapper in wrappers:
        env = wrapper(env)
    return ActionBatch(env, max_rounds=rounds)


def _run(env, model, task=None, **agent):
    return run_episode(env, VLM(model, **agent), index=0, seed=4, task=task)


SHORT = [
    (TEXT, 1, None, [], {}, False),
    (WEB, 100, 12, [Ruler], {"unit": "pixel", "native_tools": False}, False),
    (POSTER, 1, None, [], {}, True),
    (POINTING, 1000, 1, [Ruler], {"unit": "thousand", "max_side": 900}, True),
]
ALL = [
    *SHORT,
    (TEXT, 1, None, [FieldFinder], {"native_tools": False}, False),
    (TEXT, 10, 30, [Ruler], {"unit": "pixel", "max_side": 1000}, True),
    (TEXT, 10, 30, [GridOverlay, Ruler], {"unit": "thousand", "max_side": 1568, "history": 1}, False),
    (TRANSFER, 1, None, [Ruler], {"unit": "thousand", "max_side": 700}, True),
    (DATABASE, 10, 20, [], {"unit": "fraction"}, False),
    (WEB, 100, 7, [], {}, True),
    ("FormGym/AutoLoans-GUI-v0", 100, 20, [], {"unit": "thousand", "max_side": 800}, True),
]


@pytest.mark.parametrize(("env_id", "rounds", "calls", "wrappers", "agent", "native"), some(SHORT, ALL))
def test_a_model_that_knows_the_solution_gets_the_oracles_score(env_id, rounds, calls, wrappers, agent, native):
    env = Feedback(_made(env_id, rounds, wrappers))
    view = {name: agent[name] for name in ("unit", "max_side") if name in agent}
    solver = Solver(env, calls, native, **view)
    episode = _run(env, Scripted(solver), **agent)
    assert episode.error is None
    assert episode.metrics["strict_accuracy" if env_id != POSTER else "success"] == 1
    assert episode.usage["model_calls"] == len(episode.rounds) == len(solver.asked)
    assert episode.usage["input_tokens"] > 500
    assert all(len(one.exchanges) == 1 for one in episode.rounds)
    assert [len(one.exchanges[0].calls) for one in episode.rounds] == [len(one.calls) for one in episode.rounds]
    env.close()


def test_a_prompt_tells_the_task_the_rules_and_shows_the_page():
    env = Feedback(_made(TRANSFER, 2, [partial(FieldFinder, locator="oracle"), Ruler]))
    solver = Solver(env, 5)
    _run(env, Scripted(solver), unit="pixel", max_side=1000, native_tools=False)
    system, user = solver.asked[0]
    state = env.unwrapped.state
    assert [system.role, user.role] == ["system", "user"]
    rules = system.content[0].text
    height, width = (side + 40 for side in state.paper)
    shown = f"is {round(width * 1000 / height)} pixels wide and 1000 pixels high. Coordinates are counted"
    assert f"The picture of the page {shown}" in rules
    assert "You have 2 rounds" in rules
    assert '"name": "place_text_at"' in rules
    assert "two pictures" in rules
    assert user.content[0].text == f"The task: {state.goal}\n\nThe source text:\n{state.source}".strip()
    assert [picture.name for picture in _pictures([user])] == ["page", "source_page"]
    assert {max(picture.pixels.shape) for picture in _pictures([user])} == {1000}
    second = solver.asked[1][-1].content[0].text
    assert second.startswith("Results of your calls:\n1. ")
    assert second.count("Placed") == 5
    assert second.endswith("Round 2 of 2.")


def test_a_database_without_feedback_is_refused_where_there_is_more_than_one_round():
    reply = '[{"tool": "terminate"}]'
    refused = _run(_made(DATABASE, 10), Scripted([reply]))
    assert refused.fault == "agent"
    assert "wrappers=[feedback]" in str(refused.error)
    assert _run(_made(DATABASE, 1), Scripted([reply])).error is None


def test_native_calls_are_answered_one_by_one():
    env = Feedback(_made(SCAN, 10))
    replies = [
        {
            "tool_calls": [
                {"name": "delete_text", "arguments": {"x": 0.5, "y": 0.5}},
                {"name": "fly", "arguments": "{}"},
            ]
        },
        {"tool_calls": [{"name": "terminate", "arguments": {}}]},
    ]
    asked = []

    def script(messages, tools, seed):
        asked.append((messages, tools))
        return replies[len(asked) - 1]

    assert _run(env, Scripted(script)).error is None
    (_, tools), (messages, _) = asked
    assert [tool["name"] for tool in tools] == list(env.unwrapped.action_space.names)
    results = [message for message in messages if message.role == "tool"]
    assert [message.tool_call_id for message in results] == ["call_0", "call_1"]
    assert "There is no tool 'fly'" in _texts(results[1:])
    assert "There is no tool" not in _texts(results[:1])
    assert messages[-1].content[0].text == "Round 2 of 10. The page looks the same as before."


LOOK = {"tool_calls": [{"name": "computer", "arguments": {"action": "screenshot"}}]}


@pytest.mark.parametrize(
    ("env_id", "agent", "reply"), [(TRANSFER, VLM, None), (WEB, ComputerUse, LOOK), (POSTER, VLM, "DELETE('e4')")]
)
def test_a_prompt_continues_the_one_before_so_that_caches_hold(env_id, agent, reply):
    is_program = env_id == POSTER
    env = Feedback(EditFeedback(_poster(6)) if is_program else _made(env_id, 6))
    solver, asked = Solver(env, 2), []

    def script(messages, tools, seed):
        asked.append(messages)
        return (PROGRAM.format(reply) if is_program else reply) or solver(messages, tools, seed)

    run_episode(env, agent(Scripted(script)), index=0, seed=4)
    requests = [[_sent(message) for message in messages] for messages in asked]
    assert len(requests) == 6
    assert len(_pictures(asked[-1])) == {TRANSFER: 7, WEB: 6}.get(env_id, 2)
    for before, after in pairwise(requests):
        assert after[: len(before)] == before


def _sent(message):
    content = [block.text if isinstance(block, TextBlock) else block.data_url for block in message.content]
    return message.role, content, list(message.tool_calls), message.tool_call_id


def test_old_pictures_leave_half_of_the_number_at_a_time_and_the_source_page_stays():
    env = Feedback(_made(TRANSFER, 9))
    solver = Solver(env, 1)
    _run(env, Scripted(solver), history=5, max_side=300)
    assert [len(_pictures(messages)) for messages in solver.asked] == [2, 3, 4, 5, 4, 5, 4, 5, 4]
    assert all("source_page" in [picture.name for picture in _pictures(messages)] for messages in solver.asked)
    assert _texts(solver.asked[-1]).count(NO_PICTURE.text) == 6
    assert all(newest_pictures(solver.asked[-1], n) == solver.asked[-1] for n in (None, 99))
    for n in range(9):
        assert min(n, 1) <= len(_pictures(newest_pictures(solver.asked[3], n))) <= n


def test_a_packed_picture_is_the_same_and_small():
    picture = ImageBlock(np.full((700, 500, 3), 255, np.uint8), "zoom")
    packed = PackedImage(picture)
    assert (packed.sha256, packed.data_url, packed.name) == (picture.sha256, picture.data_url, "zoom")
    assert len(pickle.dumps(PackedImage(ImageBlock(picture.pixels)))) < picture.pixels.nbytes / 50


EMPTY, THOUGHTS, REFUSED = {"text": " "}, {"text": "<think>Hm", "stop": "length"}, {"text": "No.", "stop": "refusal"}


@pytest.mark.parametrize(
    ("replies", "reason", "words"),
    [
        ([EMPTY], "silent", "3 replies in a row were empty or refused (they ended by: stop, stop, stop)"),
        ([THOUGHTS], "silent", "raise model.max_tokens"),
        ([REFUSED], "policy", "refusal, refusal, refusal"),
        ([{"text": "Well", "stop": "content_filter"}, REFUSED, EMPTY], "silent", "content_filter, refusal, stop"),
        ([EMPTY, EMPTY, CLICK, EMPTY], "silent", "stop, stop, stop"),
    ],
)
@pytest.mark.filterwarnings("ignore:a reply of scripted was cut off")
@pytest.mark.parametrize(("agent", "max_repairs"), [(VLM, 1), (ComputerUse, 5)])
def test_a_model_that_answers_nothing_is_not_asked_sixty_times(agent, max_repairs, replies, reason, words):
    env = Feedback(_made(WEB, 10))
    episode = run_episode(env, agent(Scripted(replies), max_repairs=max_repairs), index=0, seed=4)
    assert (episode.ended, episode.stop_reason) == ("stopped", reason)
    assert words in episode.rounds[-1].feedback[-1]
    exchanges = [one for r in episode.rounds for one in r.exchanges]
    assert len(exchanges) == episode.usage["model_calls"] == (6 if CLICK in replies else 3)
    assert [one.stop for one in exchanges][-1] == dict({"stop": "stop"}, **dict(replies[-1])).get("stop")
    assert episode.metrics is not None


def test_a_reply_that_is_cut_off_is_told_to_the_model_and_to_the_user():
    env = Feedback(_made(WEB, 3))
    asked, replies = [], [{"text": "I think", "stop": "length"}, {"text": CLICK, "stop": "length"}, "{}"]

    def script(messages, tools, seed):
        asked.append(messages)
        return replies[min(len(asked), 3) - 1]

    with pytest.warns(UserWarning, match=r"scripted was cut off: raise model\.max_tokens"):
        _run(env, Scripted(script), max_repairs=1)
    assert "cut off at max_tokens" not in _texts(asked[0])
    assert [_texts(messages).count("Your reply was cut off at max_tokens") for messages in asked[1:3]] == [1, 2]


def test_a_reply_without_a_call_is_asked_for_again_and_costs_a_step_in_the_end():
    env = Feedback(_made(SCAN, 2))
    replies = ["Well.", "Hm.", '[{"tool": "terminate"']
    episode = _run(env, Scripted(replies), max_repairs=2)
    assert [len(one.exchanges) for one in episode.rounds] == [3, 3]
    assert "no tool call" in episode.rounds[0].exchanges[1].prompt[-1]["content"][0]
    assert episode.rounds[0].valid == [False]
    assert "in the middle of a call" in episode.rounds[0].feedback[0]
    assert episode.error is None


def test_a_call_in_the_wrong_unit_is_refused_in_the_models_unit_and_replays_as_refused():
    env = Feedback(_made(WEB, 3))
    replies = ['{"tool": "click", "x": 700, "y": 10}', '{"tool": "terminate"}']
    episode = _run(env, Scripted(replies), unit="pixel", max_side=512)
    assert episode.rounds[0].valid == [False]
    assert "between 0 and 512" in episode.rounds[0].feedback[0]
    assert [step.valid for step in replay(env.unwrapped, episode)] == [True, False, True]


def test_an_episode_whose_provider_fails_is_unscored_and_keeps_what_was_asked():
    env = Feedback(_made(SCAN, 5))
    usage = {"input_tokens": 100, "output_tokens": 7, "cost": 0.25}
    replies = [{"text": '{"tool": "fly"}', "usage": usage}, {"text": "Hm.", "usage": usage}, {"error": "overloaded"}]
    episode = _run(env, Scripted(replies))
    assert episode.unscored
    assert episode.error == "overloaded"
    assert episode.usage["cost"] == 0.5
    assert episode.usage["model_calls"] == 2
    assert [len(one.exchanges) for one in episode.rounds] == [1, 2]
    assert (episode.rounds[1].calls, episode.rounds[1].exchanges[0].reply) == ([], "Hm.")


HOSTILE = [
    "\ud800 nothing",
    '{"tool": "place_text", "x": NaN, "y": 1e999, "text": "\ud800"}',
    {"tool_calls": [{"name": "\udfff", "arguments": {"x": float("nan"), "\ud800": [float("inf")]}}]},
    {"tool_calls": [{"name": "place_text", "arguments": "x=\ud800"}]},
    "[" * 20_000,
    "x" * 3_000_000,
]


@pytest.mark.parametrize("unit", [None, "pixel"])
def test_whatever_a_model_replies_the_record_can_be_written_and_read(unit):
    env = Feedback(_made(SCAN, len(HOSTILE)))
    episode = _run(env, Scripted(HOSTILE), max_repairs=0, unit=unit)
    assert episode.error is None
    assert [valid for one in episode.rounds for valid in one.valid] == [False] * len(HOSTILE)
    line = episode.model_dump_json()
    assert len(line) < 1_000_000
    assert Episode.model_validate_json(line).rounds == episode.rounds
    assert [step.valid for step in replay(env.unwrapped, Episode.model_validate_json(line))][1:] == [False] * len(
        HOSTILE
    )


@pytest.mark.parametrize(
    "replies", [HOSTILE, [f"I click.\n{CLICK}", {"tool_calls": [{"name": "click", "arguments": "x=5"}]}]]
)
def test_what_is_recorded_of_replies_reads_as_the_replies_did(replies):
    env = Feedback(_made(WEB, len(replies)))
    first = _run(env, Scripted(replies), max_repairs=0, unit="pixel")
    exchanges = [one for r in Episode.model_validate_json(first.model_dump_json()).rounds for one in r.exchanges]
    again = [{"text": one.reply, "tool_calls": one.native, "stop": one.stop} for one in exchanges]
    second = _run(env, Scripted(again), max_repairs=0, unit="pixel")
    assert [r.calls for r in second.rounds] == [r.calls for r in first.rounds]
    assert [one.calls for one in exchanges] == [one.calls for r in second.rounds for one in r.exchanges]


def test_feedback_of_a_round_is_split_by_calls():
    feedback = "1. Two rows:\n1. a\n2. b\n2. Wrote.\n3. Done."
    assert split_feedback("1. a\n2. b\nc\n3. d", 3) == ["a", "b\nc", "d"]
    assert split_feedback(feedback, 1) == [feedback.removeprefix("1. ")]
    assert split_feedback("no numbers", 2) == ["no numbers", ""]
    assert split_feedback("", 1) == [""]


# Programs.


def _poster(rounds, **options):
    env = gym.make(POSTER, disable_env_checker=True, action_mode="program", **options)
    return ActionBatch(env, max_rounds=rounds)


def _gold(env, task="concert_poster/test_1"):
    env.reset(options={"task": task})
    return next(call["code"] for call in env.unwrapped.solution() if call["tool"] == "run_program")


def test_programs_that_cannot_be_run_are_mended_before_they_are_sent():
    env = _poster(1)
    gold = _gold(env)
    looking = PROGRAM.format("print(document.elements[0].id)")
    thought = PROGRAM.format("DELETE('e4')")
    replies = [
        f"<think>{thought}</think>I do not know.",
        PROGRAM.format("DELETE('nobody')"),
        looking,
        f"```python\n{gold}```",
    ]
    asked = []

    def script(messages, tools, seed):
        asked.append(messages)
        assert not tools
        return replies[len(asked) - 1]

    episode = _run(env, Scripted(script), task="concert_poster/test_1")
    assert episode.metrics["success"] == 1
    assert episode.metrics["pass_1"] == 1
    assert [call["tool"] for call in episode.rounds[0].calls] == ["run_program", "terminate"]
    assert "nobody" in asked[2][-1].content[0].text
    assert asked[3][-1].content[0].text.startswith("It printed:\n")
    assert len(_pictures(asked[0])) == 1
    rules, task = asked[0][0].content[0].text, asked[0][1].content[0].text
    assert "FIND_AND_GET(" not in rules
    assert "720 px wide and 960 px high" in rules
    for element in env.unwrapped.state.task.before.elements():
        assert f"- {element.id}: {element.type}" in task
        assert str(list(element.bbox)) in task


def test_programs_find_by_words_where_the_environment_has_a_grounder():
    code = PROGRAM.format("DELETE(FIND_AND_GET('Harbour Lights')[0])")
    env = _poster(1, grounder="texts")
    episode = _run(env, Scripted([code]), search=True, task="concert_poster/test_1")
    assert "concert_poster" in episode.task
    assert env.unwrapped.state.document.find("e4") is None
    prompt = episode.rounds[0].exchanges[0].prompt
    assert "FIND_AND_GET(" in prompt[0]["content"][0]
    assert "e4" not in prompt[1]["content"][0]
    assert "env.grounder=document" in _run(_poster(1), Scripted([code]), search=True).error


def test_after_so_many_repairs_a_program_is_sent_as_it_is():
    env = _poster(1)
    episode = _run(env, Scripted([PROGRAM.format("DELETE('nobody')")]), max_repairs=2, task="concert_poster/test_1")
    assert episode.usage["model_calls"] == 3
    assert episode.metrics["success"] == 0
    assert episode.rounds[0].valid[0] is False


@pytest.mark.parametrize("max_actions", [None, 1])
def test_feedback_on_an_edit_leads_to_another_program_and_agreement_to_the_end(max_actions):
    env = _poster(10)
    gold = _gold(env)
    env.max_actions = max_actions
    env = Feedback(EditFeedback(env))
    wrong = PROGRAM.format("DELETE('e4')")
    episode = _run(env, Scripted([wrong, gold]), task="concert_poster/test_1")
    assert episode.metrics["success"] == 1
    assert episode.metrics["pass_1"] == 0
    assert [call["tool"] for one in episode.rounds for call in one.calls] == ["run_program", "run_program", "terminate"]
    assert episode.usage["model_calls"] == 2
    prompt = episode.rounds[1].exchanges[0].prompt[-1]["content"][0]
    assert "Write the whole corrected program" in prompt


def test_a_model_sees_every_page_that_its_program_changed():
    env = gym.make("DocEdit/QuarterlyReviewSlides-v0", disable_env_checker=True, action_mode="program")
    last = shipped_document("quarterly_review_slides").pages[-1]
    wrong = PROGRAM.format(f"MODIFY({last.elements[-1].id!r}, 0.5, 'opacity')")
    episode = _run(Feedback(EditFeedback(ActionBatch(env, max_rounds=2))), Scripted([wrong]))
    pictures = [one["image"] for one in episode.rounds[1].exchanges[0].prompt[-1]["content"] if "image" in one]
    assert pictures == [f"page_{len(shipped_document('quarterly_review_slides').pages)}"]


# Settings and prompts.


def test_an_agent_needs_a_model_and_sane_settings():
    with pytest.raises(ValueError, match="needs a model: add model="):
        VLM(None)
    for settings, match in [
        ({"unit": "mile"}, "unit must be"),
        ({"history": 0}, "history"),
        ({"prompts": "/none"}, "no folder"),
    ]:
        with pytest.raises(ValueError, match=match):
            VLM(Scripted(["x"]), **settings)


def test_templates_of_ones_own_replace_ours_and_change_the_hash(tmp_path):
    (tmp_path / "paper_forms.jinja").write_text(
        '{% extends "system.jinja" %}{% block work %}\nBe quick.\n{% endblock %}'
    )
    env = Feedback(_made(SCAN, 1))
    solver = Solver(env)
    agent = VLM(Scripted(solver), prompts=tmp_path)
    assert run_episode(env, agent, index=0, seed=4).metrics["strict_accuracy"] == 1
    assert solver.asked[0][0].content[0].text.startswith("Be quick.\n\nHow to answer:")
    assert agent.prompt_hash != VLM(Scripted(solver)).prompt_hash == Prompts().sha256


def test_the_published_prompt_has_an_example_of_each_tool_that_can_be_carried_out():
    env = Feedback(_made(SCAN, 1))
    solver = Solver(env)
    agent = VLM(Scripted(solver), prompts="published", native_tools=False)
    assert run_episode(env, agent, index=0, seed=4).metrics["strict_accuracy"] == 1
    rules = solver.asked[0][0].content[0].text
    examples = [json.loads(line) for line in rules.splitlines() if line.startswith('{"tool"')]
    tools = env.unwrapped.action_space
    assert [example["tool"] for example in examples] == list(tools.names)
    assert all(tools.parse(tools.from_call(example)) for example in examples)
    assert "single x" in rules


def test_an_unknown_variable_of_a_template_is_an_error(tmp_path):
    (tmp_path / "opening.jinja").write_text("{{ texts.goal }} {{ gaol }}")
    with pytest.raises(ValueError, match=r"opening\.jinja cannot be written.*gaol"):
        Prompts(tmp_path).render("opening", texts={"goal": "x"})
    env = Feedback(_made(SCAN, 1))
    assert run_episode(env, VLM(Scripted(["x"]), prompts=tmp_path), index=0, seed=0).crashed
