"""PPTC: sessions whose decks are what its API calls make of real decks; what can be played, and why the rest cannot."""

import warnings
from pathlib import Path

import pytest
from pptc_calls import PptcDeck
from pptc_fixture import NEW_SLIDES, TEMPLATES, write_pptc, write_rows

from formgym.envs.documents.external.env import ExternalEnv, external_tasks, pptc_tasks
from formgym.envs.documents.external.pptc import read_deck, read_pptc
from formgym.envs.documents.scoring.edit_score import edit_score

UNPLAYED = {
    "Fill the content with": "no operation makes the edit",
    "Set the background": "the background of a page changes",
    "Create a slide": "pages are added or removed",
    "Remind me": "what must change is not known",
    "Create two red slides": "pages are added or removed",
    "Insert a picture": "a picture or chart is needed that is not in the document",
    "Draw a bar chart": "a picture or chart is needed that is not in the document",
    "Insert a table": "no operation makes the edit",
    "Add a fourth step": "no operation makes the edit",
    "Add a text box": "no operation makes the edit",
    "Add a slide about": "pages are added or removed",
    "Do what no call can": "nothing changes that is read from decks",
}
"""Instructions of turns that cannot be played, as they begin, and the reasons."""
TURNS = [turn for session in (*NEW_SLIDES, *TEMPLATES) for turn in session]


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder of data sets that holds PPTC alone."""
    root = tmp_path_factory.mktemp("external")
    write_pptc(root / "pptc")
    return root


@pytest.fixture(scope="module")
def played(root):
    """The environment, and the warnings of its construction."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        env = ExternalEnv(root=str(root))
    return env, [str(one.message) for one in found]


def test_sessions_are_read_as_they_are_published(root):
    turns = read_pptc(root / "pptc")
    sessions = ["Create_new_slides/0", "Create_new_slides/1", "Edit_PPT_template/0"]
    assert list(dict.fromkeys(turn.id.rpartition("/")[0] for turn in turns)) == sessions
    assert [turn.instruction for turn in turns] == [text.partition(" ##")[0] for text, _ in TURNS]
    assert all(turn.before.is_file() and turn.after.is_file() for turn in turns)


def test_a_turn_begins_where_the_one_before_ended(root):
    tasks = {task.id: task for task in external_tasks(root)}
    first, second = (tasks[f"pptc/Create_new_slides/0/{turn}"] for turn in (0, 1))
    assert first.expected.pages == second.document.pages
    assert second.document.find("s1_2").text == "Harbour plans"
    added = tasks["pptc/Create_new_slides/0/7"]
    assert (len(added.document.pages), len(added.expected.pages)) == (2, 4)


def test_every_turn_is_played_or_counted_with_its_reason(played):
    env, (message,) = played
    requests = [env.task(task_id).request.text for task_id in env.task_ids]
    expected = [text.partition(" ##")[0] for text, _ in TURNS if not text.startswith(tuple(UNPLAYED))]
    assert requests == expected
    assert message.startswith(f"{len(UNPLAYED)} of {len(TURNS)} tasks are left out (")
    reasons = list(UNPLAYED.values())
    assert all(f"{reason}: {reasons.count(reason)}" in message for reason in reasons)


def test_the_gold_edit_of_every_turn_that_is_played_succeeds(played):
    env, _ = played
    for task_id in env.task_ids:
        env.reset(options={"task": task_id})
        for call in env.state.solution():
            *_, terminated, _, info = env.step(env.action_space.from_call(call))
            assert info["valid"], (task_id, info["feedback"])
        assert terminated
        assert info["score"]["success"] == 1, task_id


def test_every_turn_has_a_score_whatever_its_pages(root):
    for task in external_tasks(root):
        right = edit_score(task.document, task.expected, task.expected)
        nothing = edit_score(task.document, task.document, task.expected)
        is_seen = list(task.document.elements()) != list(task.expected.elements())
        assert right.f1 == 1 == right.preservation
        assert nothing.f1 == (not is_seen)


def _written(root, turns):
    """A session of turns from an empty deck; nothing is played before its turn."""
    (root / "pptc" / "PPT_test_input" / "Create_new_slides").mkdir(parents=True)
    rows = []
    for number, (instruction, calls) in enumerate(turns):
        deck, names = PptcDeck(), (f"{number}_base.pptx", f"{number}_label.pptx")
        deck.save(root / "pptc" / names[0])
        deck.run(calls)
        deck.save(root / "pptc" / names[1])
        files = dict(zip(("Base File", "Label File"), names, strict=True))
        rows.append({"Turn": number, "User instruction": instruction, "Feasible API sequence": calls, **files})
    write_rows(root / "pptc" / "PPT_test_input" / "Create_new_slides" / "session_0.json", rows)
    return root


def test_requests_that_cannot_be_shown_are_left_out(tmp_path):
    calls = 'choose_title();insert_text("a");'
    _written(tmp_path, [("Write a.", calls), ("Write a. " * 300, calls), ("## 0, title, slide, top", calls)])
    with pytest.warns(UserWarning, match="2 of 3 tasks are left out .*too long to be shown: 1; .*is empty: 1"):
        env = ExternalEnv(root=str(tmp_path))
    assert env.task_ids == ("pptc/Create_new_slides/0/0",)


def test_where_nothing_can_be_played_the_reasons_are_given(tmp_path):
    _written(tmp_path, [("Add a slide.", "create_slide();"), ("And another.", "create_slide();")])
    counted = pytest.warns(UserWarning, match="pages are added or removed: 2")
    with counted, pytest.raises(ValueError, match="no task in"):
        ExternalEnv(root=str(tmp_path))


def test_decks_that_are_missing_or_broken_are_left_out(tmp_path):
    write_pptc(tmp_path / "pptc")
    base = tmp_path / "pptc" / "PPT_Base_File" / "Edit_PPT_template"
    (base / "0_0.pptx").unlink()
    (base / "0_1.pptx").write_bytes(b"no deck")
    skipped = []
    tasks = list(pptc_tasks(read_pptc(tmp_path / "pptc"), skipped))
    assert len(tasks) + len(skipped) == len(TURNS)
    missing = [problem for reason, problem in skipped if reason == "a deck is missing or cannot be opened"]
    assert ["line 1: there is no deck" in missing[0], "line 2: 0_1.pptx" in missing[1]] == [True, True]
    with pytest.warns(UserWarning, match="a deck is missing or cannot be opened: 2"):
        ExternalEnv(root=str(tmp_path))
    with pytest.raises(ValueError, match="there is no deck"):
        read_deck(base / "0_0.pptx")


def test_decks_that_were_not_prepared_are_an_error_that_says_so(tmp_path):
    write_pptc(tmp_path / "pptc")
    for deck in (tmp_path / "pptc").rglob("*.pptx"):
        deck.unlink()
    message = rf"{len(TURNS)} turns cannot be played, the first: .*session_0.json, line 1: there is no deck"
    with pytest.raises(ValueError, match=message):
        external_tasks(tmp_path)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Base File": "../../secret.pptx"}, "lies outside"),
        ({"User instruction": ""}, "User instruction"),
        ({"Turn": "first"}, "Turn"),
        ({"Label File": None}, "Label File"),
    ],
)
def test_broken_turns_are_named(tmp_path, change, message):
    file: Path = tmp_path / "PPT_test_input" / "Create_new_slides" / "session_3.json"
    file.parent.mkdir(parents=True)
    row = {"Turn": 0, "User instruction": "go", "Base File": "a.pptx", "Label File": "b.pptx"}
    write_rows(file, [row, row | change])
    with pytest.raises(ValueError, match=rf"session_3.json, line 2: .*{message}"):
        read_pptc(tmp_path)


def test_an_empty_checkout_says_what_is_expected(tmp_path):
    with pytest.raises(ValueError, match=r"no sessions in .*PPT_test_input"):
        read_pptc(tmp_path)
