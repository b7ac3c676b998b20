"""The rule-based agent of DocEdit: what its rules understand, the programs that they write, and how it plays."""

import time
from contextlib import suppress

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from formgym.agents.base import TaskInfo
from formgym.agents.keyword import Keyword
from formgym.agents.rules import NotUnderstood, program_for, understand
from formgym.agents.rules.operations import calls_of
from formgym.agents.rules.programs import edits_for, page_for
from formgym.envs.core.tools import Tool, ToolSpace
from formgym.envs.documents.env import DocumentEnv
from formgym.envs.documents.grounding.grounders import RANKINGS, Grounder
from formgym.envs.documents.operations.values import COLOURS
from formgym.envs.documents.programs.program import run_program
from formgym.envs.documents.requests.phrasings import EDITS
from formgym.envs.documents.scene.shipped import shipped_document
from formgym.experiments.running.rollout import run_episode
from formgym.wrappers import ActionBatch, Feedback
from formgym.wrappers.edit_feedback import EditFeedback

POSTER = shipped_document("concert_poster")
NAMES = [element.name for element in POSTER.elements()]
GROUNDER = Grounder(RANKINGS["ranker"])

READ = {
    "Nudge the logo up by 20 pixels.": ("move_by", "the logo", {"direction": "UP", "pixels": "20"}),
    "Can you push the footer 40 px further to the right?": ("move_by", "the footer", {"direction": "RIGHT"}),
    "Put the left edge of the map at 40 px and its top edge at 80 px": ("move_to", "the map", {"x": "40", "y": "80"}),
    "Left-align the logo with the map": ("align_edge", "the logo", {"edge": "left"}),
    "Centre the map vertically on its page": ("center", "the map", {"axis": "vertically"}),
    "Let the logo and the map trade places": ("swap", "the logo", {}),
    "We no longer need the blue circle": ("delete", "the blue circle", {}),
    'Underneath the logo, write "Hello there"': ("add_text", "", {"text": "Hello there"}),
    "Draw a dark red star in the upper right corner": ("add_shape", "", {"colour": "dark red", "shape": "star"}),
    "Insert a cup icon in the top right corner": ("add_image", "", {}),
    "Clone the logo and drop the clone at (100, 200)": ("copy_to", "the logo", {"x": "100", "y": "200"}),
    "Put a second copy of the logo to its left": ("copy_beside", "the logo", {"side": "left"}),
    "Let the first icon show a key instead": ("replace_image", "the first icon", {"picture": "a key"}),
    "The circle should become a star": ("replace_shape", "the circle", {"shape": "star"}),
    "Use a bell icon rather than the logo": ("replace_by_image", "the logo", {"picture": "bell"}),
    'In place of the map, write "Hello"': ("replace_by_text", "the map", {"text": "Hello"}),
    'Change the text "Open" to "Closed"': ("text", 'the text "Open"', {"text": "Closed"}),
    'Write "6" instead of "5" in the date': ("word", "the date", {"old": "5", "new": "6"}),
    'Put "14" in the cell of the table that reads "12"': ("cell", "the table", {"old": "12", "new": "14"}),
    "The circle's colour ought to be #102030": ("colour", "the circle", {"colour": "#102030"}),
    "Give the button white lettering": ("text_colour", "the button", {"colour": "white"}),
    "Set the title in 24 px type": ("font_size", "the title", {"size": "24"}),
    "Take 4 px off the font size of the title": ("font_smaller", "the title", {"amount": "4"}),
    "The title needs a font size 3 px above the present one": ("font_larger", "the title", {"amount": "3"}),
    "Typeset the title in Noto Serif": ("font", "the title", {"face": "Noto Serif"}),
    "Make the italic text bold": ("bold", "the italic text", {}),
    "The bold title should no longer be bold": ("not_bold", "the bold title", {}),
    "Slant the title": ("italic", "the title", {}),
    "Set the title in roman type": ("not_italic", "the title", {}),
    "Switch on underlining for the title": ("underline", "the title", {}),
    "The text in the title should be centred": ("align_text", "the title", {"alignment": "center"}),
    "Write the title in caps": ("upper_case", "the title", {}),
    "Make the logo 60% transparent": ("opacity", "the logo", {"percent": "40"}),
    "Spin the logo by 45° anticlockwise": ("rotate", "the logo", {"degrees": "45", "turn": "counterclockwise"}),
    "Make the logo 20% larger": ("scale", "the logo", {"percent": "120"}),
    "The logo should measure 90 px from side to side": ("width", "the logo", {"pixels": "90"}),
    "Keep the width of the logo, but set its height to 200 px": ("height", "the logo", {"pixels": "200"}),
    "Stack the logo on top of all other elements": ("to_front", "the logo", {}),
    "Tuck the logo behind everything": ("to_back", "the logo", {}),
    "Cut the address into separate lines": ("split", "the address", {}),
    "Fuse the title and the subtitle into one text": ("merge", "the title", {}),
}


@pytest.mark.parametrize("request_", READ)
def test_requests_in_plain_english_are_read(request_):
    kind, target, slots = READ[request_]
    (edit,) = understand(request_)
    assert (edit.kind, edit.target) == (kind, target)
    assert slots.items() <= edit.slots.items()


def test_every_kind_of_edit_is_read():
    assert {kind for kind, _, _ in READ.values()} == set(EDITS)


@pytest.mark.parametrize(
    ("words", "anchor", "place"),
    [
        ('Add "Hi" below the logo', "the logo", "below"),
        ('Add the text "Hi" just above the logo', "the logo", "above"),
        ('Add "Hi" in the lower left corner of the page', "", "bottom left"),
        ('Add "Hi" in the middle of the page', "", "middle"),
    ],
)
def test_places_of_new_things(words, anchor, place):
    (edit,) = understand(words)
    assert (edit.kind, edit.anchor, edit.place) == ("add_text", anchor, place)


@pytest.mark.parametrize(
    "words",
    [
        "the second icon from the left",
        "the icon that is third from the top",
        'the text that begins with "Doors open"',
        'the text whose wording begins with "Then move it"',
        "the largest red circle",
        "the picture directly below the title",
        "the text to the left of the second icon from the top",
        "the title on page 2",
        "the circle of dark green colour",
        "all bold texts",
        "each of the icons above the line",
        'every text that contains "and"',
    ],
)
def test_the_words_for_an_element_are_kept_whole(words):
    for request_ in (f"Delete {words}.", f"Move {words} down by 20 px.", f"{words.capitalize()} should be blue."):
        if '"' in words and not request_.startswith(("Delete", "Move")):
            continue
        (edit,) = understand(request_)
        assert edit.target == words
        assert edit.is_plural == words.startswith(("all", "each", "every"))


def test_names_of_the_document_tell_where_words_end():
    names = ["line under the headline", "headline"]
    (edit,) = understand("Move the line under the headline to the left by 10 px", names)
    assert edit.target == "the line under the headline"


@pytest.mark.parametrize(
    ("request_", "kinds"),
    [
        ("Make the title bold and red", ["bold", "colour"]),
        ("Make the title bold and move it down by 20 px", ["bold", "move_by"]),
        ("Remove the logo; make the subtitle red, and then underline the title.", ["delete", "colour", "underline"]),
        ("Once the logo has been removed, set the title in italics", ["delete", "italic"]),
        ('Change the text "First this and then that" to "Go. Then stop"', ["text"]),
    ],
)
def test_several_edits_in_one_request(request_, kinds):
    assert [edit.kind for edit in understand(request_)] == kinds


def test_it_refers_to_what_was_edited_before():
    first, second = understand("Make the title bold and move it down by 20 px")
    assert first.target == second.target == "the title"


@pytest.mark.parametrize(
    "request_",
    [
        "Make the title dance.",
        "Move the title.",
        "Hello there!",
        "",
        "Make the title bold, and then sing a song.",
        "Move the title up by 20 px and 40 px",
        "Colour the title",
    ],
)
def test_what_is_not_understood_is_said(request_):
    with pytest.raises(NotUnderstood, match="cannot be read"):
        understand(request_)


def test_the_part_that_is_not_understood_is_told():
    with pytest.raises(NotUnderstood, match="sing a song") as caught:
        understand("Make the title bold, and then sing a song.")
    assert "bold" not in str(caught.value)


@pytest.mark.parametrize("piece", ["the icon is ", "delete the icon and ", "the word ", "1 left, ", "a. then "])
def test_long_requests_do_not_take_long(piece):
    began = time.process_time()
    with suppress(NotUnderstood):
        understand((piece * 1000)[:2000])
    assert time.process_time() - began < 5


@given(st.text(max_size=200))
@settings(max_examples=150, deadline=None)
def test_any_text_is_read_or_refused(text):
    with suppress(NotUnderstood):
        assert understand(text, NAMES)


@given(
    target=st.sampled_from([name for name in NAMES if "rule" not in name]),
    colour=st.sampled_from(sorted(COLOURS)),
    pixels=st.integers(1, 400),
    direction=st.sampled_from(["up", "down", "to the left", "to the right"]),
)
@settings(max_examples=60, deadline=None)
def test_values_come_through_as_told(target, colour, pixels, direction):
    first, second = understand(f"Paint the {target} {colour}, then move the footer {direction} by {pixels} px.", NAMES)
    assert (first.target, first.slots["colour"]) == (f"the {target}", colour)
    assert second.slots == {"direction": direction.rpartition(" ")[2].upper(), "pixels": str(pixels)}


def test_a_program_reads_well_and_does_what_is_asked():
    code = program_for(
        "Raise the font size of the headline by 4 px, then align the left edge of the badge with that of the headline.",
        POSTER,
    )
    assert code == (
        "def main(document):\n"
        '    headline, headline_at, headline_box = FIND_AND_GET("the headline", document)\n'
        '    element, element_at, element_box = FIND_AND_GET("the badge", document)\n'
        '    MODIFY(headline, GET_METADATA(headline, "size", document) + 4, "font_size")\n'
        "    MOVE(element, new_position=[headline_box[0], element_box[1]])\n"
    )
    edited = run_program(POSTER, code, GROUNDER.find, lambda document, words: None).document
    assert edited.find("headline").style.size == POSTER.find("headline").style.size + 4
    assert edited.find("badge").bbox[0] == POSTER.find("headline").bbox[0]


def test_all_of_a_kind_are_a_list_of_ids():
    code = program_for("Make all texts on the page blue", POSTER)
    edited = run_program(POSTER, code, GROUNDER.find, lambda document, words: None).document
    assert "FIND_AND_GET" not in code
    for element in edited.elements():
        was = POSTER.find(element.id)
        expected = COLOURS["blue"] if element.type == "text" else was.style.colour
        assert element.style.colour == expected


def test_a_document_decides_what_words_leave_open():
    assert "REPLACE(" in program_for('Change the photograph of the sea to "Soon"', POSTER)
    assert "MODIFY(" in program_for('Replace the headline with the text "Soon"', POSTER)


def test_what_is_not_there_is_told():
    with pytest.raises(NotUnderstood, match="no page 9"):
        page_for(edits_for('Add the text "Soon" in the top left corner of page 9', POSTER), POSTER)
    with pytest.raises(NotUnderstood, match="Nothing in the document"):
        program_for("Delete all hexagons", POSTER)


def test_the_calls_of_a_program_make_what_it_makes():
    request = (
        "Delete the badge. Then move all texts up by 5 px, put a copy of the photograph at (20, 10), "
        'and make the headline bold. Replace the rule under the band with the text "Soon".'
    )
    code = program_for(request, POSTER)
    edited = run_program(POSTER, code, GROUNDER.find, lambda document, words: None).document
    env = DocumentEnv("concert_poster")
    env.reset(seed=0)
    for call in calls_of(code, POSTER):
        *_, info = env.step(env.action_space.from_call(call))
        assert info["valid"], info["feedback"]
    assert env.state.document.digest == edited.digest


@pytest.fixture(scope="module")
def drawn():
    """Train tasks, drawn from all documents."""
    names = DocumentEnv().documents
    return [f"{name}/{900 + number}" for number, name in enumerate(names[:24])]


@pytest.mark.parametrize("mode", ["program", "operations"])
def test_it_solves_most_of_the_train_tasks(drawn, mode):
    env = ActionBatch(DocumentEnv(split="train", action_mode=mode), max_rounds=1)
    episodes = [run_episode(env, Keyword(), index=0, seed=0, task=task) for task in drawn]
    assert sum(episode.metrics["success"] for episode in episodes) >= 0.85 * len(drawn)
    assert {episode.ended for episode in episodes} == {"terminated"}


@pytest.mark.parametrize("mode", ["program", "operations"])
def test_one_action_a_round_gives_the_same(drawn, mode):
    for task in drawn[:3]:
        ends = []
        for flow in ({"max_rounds": 1}, {"max_actions": 1}):
            env = ActionBatch(DocumentEnv(split="train", action_mode=mode), **flow)
            run_episode(env, Keyword(), index=0, seed=0, task=task)
            ends.append(env.unwrapped.state.document.digest)
        assert ends[0] == ends[1]


def _wrongly_grounded():
    """An environment whose grounder errs, and a task of one edit of one element."""
    env = DocumentEnv("concert_poster", "train", action_mode="program", grounder="noisy", grounder_accuracy=0.0)
    for number in range(2, 24 * 8, 24):
        env.reset(options={"task": f"concert_poster/{number}"})
        request = env.state.task.request
        if request.edits == ("delete",) and len(request.mentions) == 1 and not request.is_pattern:
            return env, f"concert_poster/{number}"
    raise AssertionError("no such task")


def test_feedback_leads_it_to_the_next_proposal():
    env, task = _wrongly_grounded()
    without = run_episode(ActionBatch(env, max_rounds=10), Keyword(), index=0, seed=0, task=task)
    told = Feedback(EditFeedback(ActionBatch(env, max_rounds=10)))
    episode = run_episode(told, Keyword(), index=0, seed=0, task=task)
    assert without.metrics["success"] == 0
    assert episode.metrics["success"] == 1
    assert [call["tool"] for one in episode.rounds for call in one.calls] == [
        "run_program",
        "next_proposal",
        "terminate",
    ]
    once = run_episode(told, Keyword(proposals=0), index=0, seed=0, task=task)
    assert once.metrics["success"] == 0


def test_what_it_cannot_read_it_leaves_alone():
    env = DocumentEnv("concert_poster", action_mode="program")
    observation, _ = env.reset(seed=0)
    agent = Keyword()
    agent.reset(TaskInfo("x", env.action_space), 0)
    actions = agent.act({**observation, "goal": "Sing a song."})
    assert [env.action_space.to_call(action) for action in actions] == [{"tool": "terminate"}]


def test_it_edits_documents_only():
    tools = ToolSpace([Tool("terminate", lambda state: "Done.", {})])
    with pytest.raises(ValueError, match="DocEdit"):
        Keyword().reset(TaskInfo("x", tools), 0)
    with pytest.raises(ValueError, match="negative"):
        Keyword(proposals=-1)
