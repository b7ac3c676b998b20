"""PPTC: what its API calls make of decks; what can be played of its sessions, and why the rest cannot."""

import json
import warnings

import pytest
from pptc_fixture import NEW_SLIDES, TEMPLATES, write_pptc, write_rows, write_session
from pptx import Presentation
from pptx.util import Emu

from formgym.envs.documents.external.env import ExternalEnv, external_tasks, pptc_tasks
from formgym.envs.documents.external.executor import COLOURS, SHAPES, Cursor, run_calls
from formgym.envs.documents.external.pptc import read_pptc
from formgym.envs.documents.scoring.edit_score import edit_score

UNPLAYED = {
    "Set the background": "the background of a page changes",
    "Create a slide": "pages are added or removed",
    "Remind me": "no operation makes the edit",
    "Create two red slides": "pages are added or removed",
    "Insert a picture": "a picture or chart is needed that is not in the document",
    "Draw a bar chart": "no operation makes the edit",
    "Insert a table": "no operation makes the edit",
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
    sessions = read_pptc(root / "pptc")
    assert [one.id for one in sessions] == ["Create_new_slides/0", "Create_new_slides/1", "Edit_PPT_template/0"]
    assert [session.deck is None for session in sessions] == [True, True, False]
    turns = [turn for session in sessions for turn in session.turns]
    assert [turn.instruction for turn in turns] == [text.partition(" ##")[0] for text, _ in TURNS]
    assert [turn.calls for turn in turns] == [calls for _, calls in TURNS]
    assert turns[9].restrictions == ("0, rectangle, slide, middle",)


def test_lines_may_be_blank_and_the_last_one_unfinished(tmp_path):
    file = write_session(tmp_path, "Create_new_slides", 3, [("Go.", "create_slide();"), ("Stop.", "")])
    lines = file.read_bytes().strip().split(b"\n")
    file.write_bytes(b"\xef\xbb\xbf\n" + lines[0] + b"\r\n\n \t\n" + lines[1])
    (session,) = read_pptc(tmp_path)
    assert [turn.instruction for turn in session.turns] == ["Go.", "Stop."]


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


def test_requests_that_cannot_be_shown_are_left_out(tmp_path):
    calls = 'choose_title();insert_text("a");'
    turns = [("Write a.", calls), ("Write a. " * 300, calls), ("## 0, title, slide, top", calls)]
    write_session(tmp_path / "pptc", "Create_new_slides", 0, turns)
    with pytest.warns(UserWarning, match="2 of 3 tasks are left out .*too long to be shown: 1; .*is empty: 1"):
        env = ExternalEnv(root=str(tmp_path))
    assert env.task_ids == ("pptc/Create_new_slides/0/0",)


def test_where_nothing_can_be_played_the_reasons_are_given(tmp_path):
    turns = [("Add a slide.", "create_slide();"), ("And another.", "create_slide();")]
    write_session(tmp_path / "pptc", "Create_new_slides", 0, turns)
    counted = pytest.warns(UserWarning, match="pages are added or removed: 2")
    with counted, pytest.raises(ValueError, match="no task in"):
        ExternalEnv(root=str(tmp_path))


def test_decks_that_are_there_are_taken_as_they_are(tmp_path):
    file = write_session(tmp_path / "pptc", "Create_new_slides", 0, [("Say no.", 'choose_title();insert_text("yes")')])
    for name in ("Base", "Label"):
        deck = Presentation()
        deck.slides.add_slide(deck.slide_layouts[1]).shapes.title.text = "no" if name == "Label" else ""
        path = tmp_path / "pptc" / json.loads(file.read_text().splitlines()[0])[f"{name} File"]
        path.parent.mkdir(parents=True)
        deck.save(path)
    (task,) = external_tasks(tmp_path)
    assert (task.document.find("s1_2").text, task.expected.find("s1_2").text) == ("", "no")


@pytest.mark.parametrize("content", [None, b"no deck"])
def test_sessions_whose_deck_is_missing_or_broken_are_left_out(tmp_path, content):
    write_pptc(tmp_path / "pptc")
    deck = tmp_path / "pptc" / "long_slides" / "0.pptx"
    deck.unlink() if content is None else deck.write_bytes(content)
    skipped = []
    tasks = list(pptc_tasks(read_pptc(tmp_path / "pptc"), skipped))
    assert len(tasks) + len(skipped) == len(TURNS)
    missing = [problem for reason, problem in skipped if reason == "a deck is missing or cannot be opened"]
    assert len(missing) == len(TEMPLATES[0])
    assert "session_0.json, line 1: " in missing[0]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"Base File": "../../secret.pptx"}, "lies outside"),
        ({"User instruction": ""}, "User instruction"),
        ({"Turn": "first"}, "Turn"),
        ({"Feasible API sequence": None}, "Feasible API sequence"),
    ],
)
def test_broken_turns_are_named(tmp_path, change, message):
    file = write_session(tmp_path, "Create_new_slides", 3, [])
    row = {"Turn": 0, "User instruction": "go", "Feasible API sequence": ""}
    write_rows(file, [row, row | change])
    with pytest.raises(ValueError, match=rf"session_3.json, line 2: .*{message}"):
        read_pptc(tmp_path)


def test_an_empty_checkout_says_what_is_expected(tmp_path):
    with pytest.raises(ValueError, match=r"no sessions in .*PPT_test_input"):
        read_pptc(tmp_path)


# -- The API ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def cursor(tmp_path):
    """A cursor in a new deck of two slides, with a folder of one picture."""
    write_pptc(tmp_path)
    deck = Presentation()
    for _ in range(2):
        deck.slides.add_slide(deck.slide_layouts[1])
    return Cursor(deck, tmp_path / "test" / "pics")


def _shapes(cursor, slide=-1):
    return list(list(cursor.deck.slides)[slide].shapes)


def test_texts_are_appended_and_lose_their_format(cursor):
    run = run_calls(cursor, 'choose_title();insert_text("a; b");set_font_bold();insert_text("c");set_font_size(20);')
    (only,) = _shapes(cursor)[0].text_frame.paragraphs[0].runs
    assert (run, only.text, only.font.bold, only.font.size.pt) == ([], "a; bc", None, 20)


def test_every_format_of_a_text(cursor):
    calls = """choose_content();insert_text("one");insert_bullet_point("two");set_font_bold();set_font_italic();
    set_font_underline();set_font_style("Arial");set_font_color("dark blue");set_font_size(18);set_line_space(2);
    text_align_right()"""
    assert run_calls(cursor, calls) == []
    first, second = _shapes(cursor)[1].text_frame.paragraphs
    for paragraph in (first, second):
        font = paragraph.runs[0].font
        assert (font.bold, font.italic, font.underline, font.name, str(font.color.rgb), font.size.pt) == (
            (True, True, True, "Arial", "00008B", 18)
        )
        assert (paragraph.line_spacing, str(paragraph.alignment)) == (2, "RIGHT (3)")
    assert run_calls(cursor, "text_align_center();text_align_left();delete_text()") == []
    assert _shapes(cursor)[1].text_frame.text == ""


def test_slides_are_turned_to_by_place_but_next_and_previous_by_id(cursor):
    assert run_calls(cursor, "move_to_slide(0);set_background_color('pink');insert_note('a');insert_note('b');") == []
    first = cursor.deck.slides[0]
    assert (str(first.background.fill.fore_color.rgb), first.notes_slide.notes_text_frame.text) == ("FFC0CB", "ab")
    assert run_calls(cursor, "move_to_next_slide();move_to_previous_slide();move_to_slide(9)") != []
    run_calls(cursor, "choose_title();insert_text('first')")
    assert _shapes(cursor, 0)[0].text_frame.text == "first"
    run_calls(cursor, "create_slide();choose_title();insert_text('third')")
    assert _shapes(cursor, 2)[0].text_frame.text == "third"


@pytest.mark.parametrize("name", SHAPES)
def test_shapes_are_inserted_in_the_middle_and_chosen_by_their_kind(cursor, name):
    calls = f"insert_{name}();choose_title();choose_shape('{name}');set_fill_color('green');rotate_element(30)"
    assert run_calls(cursor, calls) == []
    shape = _shapes(cursor)[-1]
    assert (shape.left, shape.top, shape.width, shape.height) == (4_122_000, 2_979_000, 900_000, 900_000)
    assert (str(shape.fill.fore_color.rgb), shape.rotation) == (COLOURS["green"], 30)


def test_pictures_are_taken_from_the_folder_by_name(cursor):
    assert run_calls(cursor, "insert_picture('boat');insert_picture('cat');insert_picture('../../secret')") == []
    boat, cat, outside = _shapes(cursor)[2:]
    assert boat.image.sha1 != cat.image.sha1 == outside.image.sha1
    assert (boat.left, boat.top, boat.width, boat.height) == (628_650, 1_825_625, 2_160_000, 2_160_000)


def test_what_was_made_last_is_chosen_first(cursor):
    run_calls(cursor, "move_to_slide(0);insert_textbox();insert_textbox();insert_text('second');insert_picture('boat')")
    run_calls(
        cursor, "move_to_slide(1);choose_textbox(0);insert_text('!');choose_picture(0);set_width(3);set_height(4)"
    )
    _, _, first, second, picture = _shapes(cursor, 0)
    assert (first.text_frame.text, second.text_frame.text) == ("", "second!")
    assert (picture.width, picture.height) == (1_080_000, 1_440_000)


def test_in_a_deck_of_others_elements_are_chosen_by_their_number(tmp_path):
    deck = Presentation()
    slide = deck.slides.add_slide(deck.slide_layouts[5])
    for i in range(3):
        slide.shapes.add_textbox(0, 0, 900, 900).text_frame.text = f"box {i}"
    cells = [slide.shapes.add_table(2, 2, 0, 0, 900, 900).table for _ in range(2)]
    cursor = Cursor(deck, tmp_path)
    calls = "choose_textbox(1);insert_text('!');choose_table();choose_table_cell(1, 0);insert_text('x')"
    assert run_calls(cursor, calls) == []
    assert [shape.text_frame.text for shape in list(slide.shapes)[1:4]] == ["box 0", "box 1!", "box 2"]
    assert [table.cell(1, 0).text for table in cells] == ["", "x"]


def test_tables_are_filled_row_by_row(cursor):
    calls = "insert_table(3, 2);insert_table_row(['a', 'b']);insert_table_row(['c', 'd'])"
    assert run_calls(cursor, f"{calls};choose_table();choose_table_cell(2, 1);insert_text('e');set_font_bold()") == []
    frame = _shapes(cursor)[-1]
    assert [[cell.text for cell in row.cells] for row in frame.table.rows] == [["a", "b"], ["c", "d"], ["", "e"]]
    assert (frame.width, frame.height) == (7_886_700, 3 * 370_000)
    assert run_calls(cursor, "insert_table(9999, 9999)") != []


@pytest.mark.parametrize(("kind", "is_named"), [("line", True), ("bar", False), ("pie", True)])
def test_charts_have_series_of_one_value_each(cursor, kind, is_named):
    names = ", ['x', 'y']" if is_named else ""
    assert run_calls(cursor, f"insert_{kind}_chart([3, 4.5]{names});set_chart_title('Sales')") == []
    chart = _shapes(cursor)[-1].chart
    expected = ["x", "y"] if is_named else ["Series 0", "Series 1"]
    series = [(one.name, one.values[0]) for one in chart.series]
    # A pie has one series.
    assert series == list(zip(expected, [3, 4.5], strict=True))[: 1 if kind == "pie" else 2]
    assert chart.chart_title.text_frame.text == "Sales"


@pytest.mark.parametrize(
    ("call", "left", "top"),
    [
        ("align_slide_left", 600_000, 2_979_000),
        ("align_slide_right", 5_172_000, 2_979_000),
        ("align_slide_top", 4_122_000, 600_000),
        ("align_slide_bottom", 4_122_000, 4_029_000),
        ("align_slide_center", 4_122_000, 2_979_000),
        ("align_top_left_corner", 600_000, 600_000),
        ("align_top_right_corner", 7_644_000, 600_000),
        ("align_bottom_left_corner", 600_000, 5_358_000),
        ("align_bottom_right_corner", 7_644_000, 5_358_000),
        ("set_left(5);set_top", 5, 7),
    ],
)
def test_places(cursor, call, left, top):
    assert run_calls(cursor, f"insert_star();{call}({'7' if 'set' in call else ''})") == []
    assert (_shapes(cursor)[-1].left, _shapes(cursor)[-1].top) == (Emu(left), Emu(top))


@pytest.mark.parametrize(
    "call",
    ["fold_slide()", "__init__(1, 2)", "turn_to(3)", "set_font_color(open('x'))", "insert_text(", "choose_content",
     "set_width('big')", "insert_text('a').upper()", "choose_shape('star')", "insert_text(*'ab')"],
)  # fmt: skip
def test_what_is_no_call_or_fails_is_passed_over(cursor, call):
    assert run_calls(cursor, f"choose_title();{call};insert_text('go')") == [call]
    assert _shapes(cursor)[0].text_frame.text == "go"
