"""Models asked through files: questions are folders, and replies in them lead to the oracle's score."""

import json
import re
import subprocess
import threading
import time
from itertools import product

import numpy as np
import pytest
from command_line import COMMAND, formgym_command
from sizes import sample

from formgym.agents.base import ModelError, ReplyAwaited
from formgym.agents.models.files import QUESTION, TOOLS, FilesModel
from formgym.agents.models.model import ImageBlock, Message, TextBlock, ToolCall
from formgym.agents.replies import NO_CALL
from formgym.agents.session import Session
from formgym.envs.core.tasks import episode_seed
from formgym.experiments.running.run_folder import RunFolder
from formgym.experiments.running.runner import Runner
from formgym.experiments.running.sweep import spec_of

PAGE = ImageBlock(np.full((40, 30, 3), 255, np.uint8))
OPENING = [Message("system", [TextBlock("Fill in.")]), Message("user", [TextBlock("A goal."), PAGE])]
TOOL = {"name": "terminate", "description": "End.", "parameters": {"type": "object", "properties": {}}}
ENVS = ["FormGym/AutoLoans-Text-v0", "FormGym/Scans-v0", "FormFactory/NDA-v0", "DocEdit/Invoice-v0"]
N = 2


def unanswered(root):
    return [path.parent for path in sorted(root.rglob(QUESTION)) if not (path.parent / "reply.md").exists()]


def spec_for(env, flow, root, **settings):
    overrides = [
        "agent=vlm",
        "model=files",
        f"model.folder={root}/questions",
        f"env={env}",
        f"flow={flow}",
        "prices={}",
    ]
    overrides += ["wrappers=[feedback]", f"episodes={N}", f"run_dir={root}/run", "model.poll=0.05"]
    return spec_of(*overrides, *(f"{name}={value}" for name, value in settings.items()))


def solutions(env):
    """The oracle's calls of each episode, by the lines of its task."""
    found = {}
    for index in range(N):
        with Session(env, seed=episode_seed(0, index)) as session:
            texts = "\n".join(block.text for block in session.open() if isinstance(block, TextBlock))
            found[tuple(line for line in texts.splitlines() if len(line) > 20)] = session.solution()
    return found


def calls_for(folder, solved):
    text = (folder / QUESTION).read_text()
    return max(solved.items(), key=lambda item: sum(line in text for line in item[0]))[1]


def answer(folder, calls):
    """Write a reply as a program does that knows nothing of whole files."""
    (folder / "reply.md").write_text(f"So be it.\n```json\n{json.dumps(calls)}\n```\n")


def test_a_question_is_a_folder_with_all_that_a_model_needs(tmp_path, monkeypatch):
    monkeypatch.setenv("SOME_API_KEY", "sk-not-to-be-written-0123456789")
    model = FilesModel(tmp_path, batch=True)
    with pytest.raises(ReplyAwaited, match=r"prompt\.md has no reply yet"):
        model.generate(OPENING, [TOOL])
    (folder,) = unanswered(tmp_path)
    text = (folder / QUESTION).read_text()
    (picture,) = re.findall(r"!\[page, 30 x 40 pixels\]\((.*)\)", text)
    assert {path.name for path in folder.iterdir()} == {QUESTION, TOOLS, picture}
    assert text.index("reply.md") < text.index("Fill in.") < text.index("A goal.") < text.index(picture)
    assert str(folder) in text.splitlines()[1]
    assert json.loads((folder / TOOLS).read_text()) == [TOOL]
    assert (folder / picture).read_bytes() == PAGE.png()
    assert "sk-not" not in text


def test_later_questions_hold_the_conversation_and_link_earlier_pictures(tmp_path):
    model, other = FilesModel(tmp_path, batch=True), ImageBlock(np.zeros((40, 30, 3), np.uint8))
    said = Message("assistant", [TextBlock("I click.")], [ToolCall("1", "terminate", {})])
    later = [*OPENING, said, Message("user", [TextBlock("Round 2."), other])]
    for messages in (OPENING, later):
        with pytest.raises(ReplyAwaited):
            model.generate(messages, [TOOL], seed=3)
    first, second = unanswered(tmp_path)
    assert (first.parent, first.name[:4], second.name[:4]) == (second.parent, "001-", "002-")
    links = re.findall(r"\]\((.*\.png)\)", text := (second / QUESTION).read_text())
    assert [(second / link).read_bytes() for link in links] == [PAGE.png(), other.png()]
    assert [path.name for path in second.glob("*.png")] == links[1:]
    assert all(words in text for words in ("Fill in.", "I click.", '"tool": "terminate"', "Round 2."))


def test_other_questions_have_other_folders_and_the_same_one_its_reply(tmp_path):
    model = FilesModel(tmp_path, batch=True)
    black = [OPENING[0], Message("user", [TextBlock("A goal."), ImageBlock(np.zeros((40, 30, 3), np.uint8))])]
    for messages, tools, seed in ((OPENING, [], 0), (OPENING, [], 1), (OPENING, [TOOL], 0), (black, [], 0)):
        with pytest.raises(ReplyAwaited):
            model.generate(messages, tools, seed=seed)
    assert len(unanswered(tmp_path)) == 4
    folder = next(path for path in unanswered(tmp_path) if (path / TOOLS).read_text() != "[]")
    (folder / "reply.md").write_text("\ufeffDone.\n")
    for _ in range(2):
        reply = FilesModel(tmp_path, batch=True).generate(OPENING, [TOOL])
        assert (reply.text, reply.usage.is_unknown) == ("Done.", True)


def test_a_reply_counts_once_it_stands_still(tmp_path):
    def write_slowly():
        while not (folders := unanswered(tmp_path)):
            time.sleep(0.02)
        (folders[0] / "reply.json").touch()
        for part in ('[{"tool": ', '"terminate"', "}]"):
            time.sleep(0.3)
            with (folders[0] / "reply.json").open("a") as file:
                file.write(part)

    writer = threading.Thread(target=write_slowly)
    writer.start()
    reply = FilesModel(tmp_path, poll=0.02, timeout=30).generate(OPENING)
    writer.join()
    assert json.loads(reply.text) == [{"tool": "terminate"}]


def test_no_reply_in_time_and_no_ordinary_file_leave_the_episode_unscored(tmp_path):
    with pytest.raises(ModelError, match=r"had no reply after 0\.1 seconds") as caught:
        FilesModel(tmp_path, timeout=0.1, poll=0.02).generate(OPENING)
    assert not isinstance(caught.value, ReplyAwaited)
    (folder,) = unanswered(tmp_path)
    (folder / "reply.md").symlink_to(folder / QUESTION)
    with pytest.raises(ModelError, match="only ordinary files"):
        FilesModel(tmp_path).generate(OPENING)
    with pytest.raises(ValueError, match=r"model\.poll must be above 0"):
        FilesModel(tmp_path, poll=0)


@pytest.mark.parametrize(
    ("env", "flow"),
    [*product(sample(ENVS, 2), ["one_shot", "iterative"]), ("FormGym/Scans-v0", "stepwise"), (ENVS[-1], "stepwise")],
)
def test_a_batch_goes_on_from_replies_until_all_episodes_are_scored(env, flow, tmp_path):
    """In every flow: rounds are played again from their files; nothing is recorded before an episode ends."""
    solved, asked, resume = solutions(env), 0, "false"
    n_rounds = {"one_shot": 1, "iterative": 3, "stepwise": 1000}[flow]
    for _ in range(20):
        spec = spec_for(env, flow, tmp_path, **{"model.batch": "true", "resume": resume})
        run, resume = Runner(spec).run(), "true"
        assert all(episode.error is None for episode in run.episodes)
        if not (folders := unanswered(tmp_path / "questions")):
            break
        for folder in folders:
            calls, begun = calls_for(folder, solved), int(folder.name[:3]) - 1
            size = -(-len(calls) // n_rounds)
            asked += 1
            answer(folder, calls[begun * size : (begun + 1) * size])
    assert [round(episode.reward, 9) for episode in run.episodes] == [1.0] * N
    assert sum(episode.usage["model_calls"] for episode in run.episodes) == asked
    assert all(not {"input_tokens", "output_tokens", "cost"} & set(episode.usage) for episode in run.episodes)


def test_waiting_runs_with_threads_are_answered_by_another_and_repeated_without_asking(tmp_path):
    env, ended = "FormGym/Scans-v0", threading.Event()
    solved = solutions(env)

    def reply_to_all():
        while not ended.is_set():
            for folder in unanswered(tmp_path / "questions"):
                is_first = folder.name.startswith("001")
                answer(folder, [{"tool": "nothing of the kind"}]) if is_first else answer(
                    folder, calls_for(folder, solved)
                )
            time.sleep(0.05)

    helper = threading.Thread(target=reply_to_all, daemon=True)
    helper.start()
    spec = spec_for(env, "iterative", tmp_path, concurrency=2)
    run = Runner(spec).run()
    ended.set()
    helper.join()
    assert [episode.metrics["strict_accuracy"] for episode in run.episodes] == [1.0] * N
    again = Runner(spec.model_copy(update={"run_dir": tmp_path / "again"})).run()
    assert [episode.calls for episode in again.episodes] == [episode.calls for episode in run.episodes]


def test_a_reply_without_calls_is_asked_for_again(tmp_path):
    env = "FormGym/Scans-v0"
    spec = spec_for(env, "one_shot", tmp_path, **{"model.batch": "true"})
    Runner(spec).run()
    for folder in unanswered(tmp_path / "questions"):
        (folder / "reply.md").write_text("I cannot see a form.")
    run = Runner(spec.model_copy(update={"resume": True})).run()
    assert not len(run.episodes)
    repairs = unanswered(tmp_path / "questions")
    assert len(repairs) == N
    assert all(NO_CALL in (folder / QUESTION).read_text() for folder in repairs)


def test_a_run_that_is_killed_while_it_waits_goes_on_from_its_replies(tmp_path):
    env = "FormGym/Scans-v0"
    solved = solutions(env)
    command = [*COMMAND, "sweep", "agent=vlm", "model=files", "model.poll=0.05", f"env={env}", "flow=stepwise"]
    command += [f"episodes={N}", "wrappers=[feedback]", "run_dir=run"]
    answered = 0
    for kills in (2, 3, 1000):
        process = subprocess.Popen(command, cwd=tmp_path, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True)
        while process.poll() is None:
            for folder in unanswered(tmp_path):
                if answered == kills:
                    process.kill()
                    break
                answer(folder, calls_for(folder, solved)[int(folder.name[:3]) - 1 :][:1])
                answered += 1
            time.sleep(0.02)
        command = [*command, "resume=true"] if command[-1] != "resume=true" else command
    assert process.returncode == 0, process.stderr.read()
    run = RunFolder(tmp_path / "run").read()
    assert [round(episode.reward, 9) for episode in run.episodes] == [1.0] * N
    assert sum(episode.usage["model_calls"] for episode in run.episodes) == answered


def test_a_sweep_in_batches_says_how_many_episodes_wait_and_how_to_go_on(tmp_path):
    command = [
        "sweep",
        "agent=vlm",
        "model=files",
        "model.batch=true",
        "env=FormGym/Scans-v0",
        "flow=one_shot,iterative",
    ]
    command += ["episodes=2", "run_dir=run"]
    first = formgym_command(*command, cwd=tmp_path)
    assert first.returncode == 0, first.stderr
    assert "4 episodes wait for replies" in first.stdout + first.stderr
    assert "run_dir=run resume=true" in first.stdout + first.stderr
    folders = unanswered(tmp_path / "runs/questions/FormGym/Scans-v0")
    assert len(folders) == 4
    for folder in folders:
        answer(folder, [{"tool": "terminate"}])
    second = formgym_command(*command, "resume=true", cwd=tmp_path)
    assert second.returncode == 0, second.stderr
    assert "wait for replies" not in second.stdout + second.stderr
    for path in (tmp_path / "run").glob("*/run.json"):
        assert len(RunFolder(path.parent).read().episodes) == 2
