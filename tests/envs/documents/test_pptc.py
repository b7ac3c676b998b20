"""PPTC: what its API calls make of decks; what can be played of its sessions, and why the rest cannot."""

import json

import pytest
from pptc_fixture import NEW_SLIDES, TEMPLATES, write_pptc, write_rows, write_session
from pptx import Presentation
from pptx.util import Emu

from formgym.envs.core.files import CACHE_VARIABLE
from formgym.envs.documents.external.env import ExternalEnv, external_tasks
from formgym.envs.documents.external.examined import examined
from formgym.envs.documents.external.executor import COLOURS, SHAPES, Cursor, run_calls
from formgym.envs.documents.external.gold import GoldEdit
from formgym.envs.documents.external.pptc import read_pptc
from formgym.envs.documents.external.published import deck_text, read_restrictions
from formgym.envs.documents.operations.table import OPERATIONS

_NO_EDIT, _UNSEEN = "no operations make the edit", "nothing changes that can be seen"
_OF_PAGES = ("Set the background", "Create a slide", "Remind me", "Create two red slides", "Add a slide about")
UNPLAYED = {"Do what no call can": _UNSEEN} | ({} if "ADD_PAGE" in OPERATIONS else dict.fromkeys(_OF_PAGES, _NO_EDIT))
"""Instructions of turns that cannot be played, as they begin, and the reasons."""
TURNS = [turn for session in (*NEW_SLIDES, *TEMPLATES) for turn in session]
END = {"tool": "terminate"}


@pytest.fixture(scope="module", autouse=True)
def cache(tmp_path_factory):
    """A folder of its own for what is kept of turns."""
    folder = tmp_path_factory.mktemp("cache")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv(CACHE_VARIABLE, str(folder))
        yield folder


@pytest.fixture(scope="module")
def root(tmp_path_factory):
    """A folder of data sets that holds PPTC alone."""
    root = tmp_path_factory.mktemp("external")
    write_pptc(root / "pptc")
    return root


@pytest.fixture(scope="module")
def env(root):
    """The environment of its turns."""
    return ExternalEnv(root=str(root))


def play(env, task_id, calls=None):
    """The reward and the metrics of an episode of the gold edit, or of other calls."""
    env.reset(options={"task": task_id})
    total = 0.0
    for call in env.state.solution() if calls is None else calls:
        _, reward, terminated, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"], (task_id, info["feedback"])
        total += reward
    assert terminated
    return total, info["score"]


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
    assert second.document.find("e1").text == "Harbour plans"
    added = tasks["pptc/Create_new_slides/0/7"]
    assert (len(added.document.pages), len(added.expected.pages)) == (2, 4)


def test_every_turn_is_played_or_counted_with_its_reason(env):
    with pytest.warns(UserWarning, match=f"{len(UNPLAYED)} of {len(TURNS)} tasks are left out") as found:
        ids = list(env.task_ids)
    requests = [env.task(task_id).request.text for task_id in ids]
    expected = [text.partition(" ##")[0] for text, _ in TURNS if not text.startswith(tuple(UNPLAYED))]
    assert [text.partition("\n")[0] for text in requests] == expected
    reasons = list(UNPLAYED.values())
    assert all(f"{reason}: {reasons.count(reason)}" in str(found[0].message) for reason in reasons)
    unplayed = next(task_id for task_id in env.turns if task_id not in env.task_ids)
    with pytest.raises(ValueError, match="cannot be played"):
        env.reset(options={"task": unplayed})


@pytest.mark.filterwarnings("ignore:.*left out")
def test_the_gold_edit_of_every_turn_that_is_played_succeeds(env):
    for task_id in env.task_ids:
        total, score = play(env, task_id)
        assert (score["success"], score["turn_accuracy"]) == (1, 1), task_id
        assert total == pytest.approx(1)


@pytest.mark.filterwarnings("ignore:.*left out")
def test_doing_nothing_is_not_right(env):
    for task_id in env.task_ids:
        total, score = play(env, task_id, [END])
        assert (total, score["success"]) == (0, 0), task_id


def test_a_request_says_what_its_numbers_mean(env):
    task = env.task("pptc/Create_new_slides/0/0")
    assert "centimetres of 37.8 pixels" in task.request.text
    assert "points of 1.33 pixels" in task.request.text
    assert "##" not in env.task("pptc/Create_new_slides/1/3").request.text


def test_a_seed_draws_the_same_turn_whatever_is_known_of_others(root, monkeypatch, tmp_path):
    def drawn():
        env = ExternalEnv(root=str(root))
        env.reset(seed=4)
        return [env.reset()[1]["task"] for _ in range(6)]

    first = drawn()
    monkeypatch.setenv(CACHE_VARIABLE, str(tmp_path))
    examined.cache_clear()
    assert drawn() == first


def test_what_was_found_of_a_turn_is_kept(root, cache):
    turn = ExternalEnv(root=str(root)).turns["pptc/Create_new_slides/0/1"]
    examined.cache_clear()
    found = examined(*turn)
    (file,) = (one for one in cache.rglob("1.json") if b"underline" in one.read_bytes())
    file.write_text(json.dumps({"reason": "it is too hard"}))
    examined.cache_clear()
    assert examined(*turn) == "it is too hard"
    file.write_text("{")
    examined.cache_clear()
    assert examined(*turn) == found


def test_requests_that_cannot_be_shown_are_left_out(tmp_path):
    calls = 'choose_title();insert_text("a");'
    turns = [("Write a.", calls), ("Write a. " * 300, calls), ("## 0, title, slide, top", calls)]
    write_session(tmp_path / "pptc", "Create_new_slides", 0, turns)
    env = ExternalEnv(root=str(tmp_path))
    with pytest.warns(UserWarning, match="2 of 3 tasks are left out .*too long to be shown: 1; .*is empty: 1"):
        assert list(env.task_ids) == ["pptc/Create_new_slides/0/0"]


def test_where_nothing_can_be_played_an_error_says_so(tmp_path):
    write_session(tmp_path / "pptc", "Create_new_slides", 0, [("Do nothing.", "fold_slide();")])
    env = ExternalEnv(root=str(tmp_path))
    with pytest.raises(ValueError, match="no task can be played"):
        env.reset(seed=0)


@pytest.mark.parametrize("content", [None, b"no deck"])
def test_sessions_whose_deck_is_missing_or_broken_are_left_out(tmp_path, content):
    write_pptc(tmp_path / "pptc")
    deck = tmp_path / "pptc" / "long_slides" / "0.pptx"
    deck.unlink() if content is None else deck.write_bytes(content)
    env = ExternalEnv(root=str(tmp_path))
    with pytest.raises(ValueError, match="a deck is missing or cannot be opened"):
        env.reset(options={"task": "pptc/Edit_PPT_template/0/0"})


def test_decks_that_are_there_are_taken_as_they_are(tmp_path):
    file = write_session(tmp_path / "pptc", "Create_new_slides", 0, [("Say no.", 'choose_title();insert_text("yes")')])
    for name in ("Base", "Label"):
        deck = Presentation()
        deck.slides.add_slide(deck.slide_layouts[1]).shapes.title.text = "no" if name == "Label" else ""
        path = tmp_path / "pptc" / json.loads(file.read_text().splitlines()[0])[f"{name} File"]
        path.parent.mkdir(parents=True)
        deck.save(path)
    (task,) = external_tasks(tmp_path)
    assert (task.document.find("e1").text, task.expected.find("e1").text) == ("", "no")


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


# -- Sessions ----------------------------------------------------------------------------------------------------------


def test_a_session_is_an_episode_of_several_requests(root):
    env = ExternalEnv(root=str(root), session=True)
    assert list(env.task_ids) == ["pptc/Create_new_slides/0", "pptc/Create_new_slides/1", "pptc/Edit_PPT_template/0"]
    observation, _ = env.reset(options={"task": "pptc/Create_new_slides/1"})
    assert 'Call it "Tides"' in observation["goal"]
    observation, _, terminated, _, info = env.step(env.action_space.from_call(END))
    assert not terminated
    assert "Insert a red square" in info["feedback"]
    assert "Insert a red square" in observation["goal"]


@pytest.mark.parametrize("mode", ["operations", "program"])
def test_the_gold_edits_of_a_session_succeed(root, mode):
    env = ExternalEnv(root=str(root), session=True, action_mode=mode)
    total, score = play(env, "pptc/Create_new_slides/1")
    assert (score["success"], score["session_success"], score["turn_accuracy"], score["session_accuracy"]) == (1,) * 4
    assert total == pytest.approx(1)


def test_a_turn_that_comes_to_nothing_costs_a_session_its_score(root):
    env = ExternalEnv(root=str(root), session=True)
    task = "pptc/Create_new_slides/1"
    env.reset(options={"task": task})
    calls = env.state.solution()
    first_end = calls.index(END)
    total, score = play(env, task, calls[first_end:])
    assert score["session_success"] == 0 == score["session_accuracy"]
    assert total < 1


def test_a_session_of_which_nothing_is_done_scores_nothing(root):
    env = ExternalEnv(root=str(root), session=True)
    env.reset(options={"task": "pptc/Create_new_slides/0"})
    terminated = False
    while not terminated:
        *_, terminated, _, info = env.step(env.action_space.from_call(END))
    assert (info["score"]["progress"], info["score"]["session_success"], info["score"]["session_accuracy"]) == (0, 0, 0)


# -- Published scores --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("relation", "box", "holds"),
    [
        ("left", (10, 10, 460, 90), True),
        ("left", (10, 10, 480, 90), False),
        ("right", (481, 10, 90, 90), True),
        ("bottom", (10, 361, 90, 90), True),
        ("bottom right corner", (481, 361, 90, 90), True),
        ("bottom right corner", (481, 300, 90, 90), False),
        ("center", (400, 300, 160, 120), True),
        ("center", (500, 300, 160, 120), False),
    ],
)
def test_restrictions_to_the_slide(root, relation, box, holds):
    task = next(one for one in external_tasks(root) if one.turn.instruction.startswith("Move the picture"))
    (restriction,) = read_restrictions([f"0, picture, slide, {relation}"])
    picture = restriction.element(task.expected, task.names).model_copy(update={"bbox": box})
    assert restriction.holds(task.expected.with_elements(0, (picture,)), task.names, task.emu) is holds


@pytest.mark.parametrize(
    ("text", "holds"),
    [
        ("0, title, picture, top", True),
        ("0, picture, title, bottom", True),
        ("0, picture, title, top", False),
        ("0, rectangle, picture, left", True),
        ("0, content, title, bottom", True),
        ("0, table, slide, center", False),
        ("0, cloud, slide, left", False),
        ("7, title, slide, top", False),
    ],
)
def test_restrictions_between_objects(root, text, holds):
    task = [one for one in external_tasks(root) if one.id.startswith("pptc/Create_new_slides/1/")][-1]
    (restriction,) = read_restrictions([text])
    assert restriction.holds(task.expected, task.names, task.emu) is holds


def test_what_is_no_restriction_is_none():
    assert list(read_restrictions(["", "0, title", "first, title, slide, top"])) == []


def test_decks_read_as_the_same_wherever_things_are(root):
    tasks = {one.turn.instruction: one for one in external_tasks(root)}
    moved, underlined = tasks["Move it to the left."], tasks["Underline the title and make it dark blue."]
    assert deck_text(moved.document) == deck_text(moved.expected)
    assert deck_text(underlined.document) != deck_text(underlined.expected)


def test_a_gold_edit_goes_on_from_another(root):
    tasks = [one for one in external_tasks(root) if one.id.startswith("pptc/Create_new_slides/0/")][:3]
    gold = GoldEdit(tasks[0].document)
    for task in tasks:
        gold.edit_to(task.expected)
    assert deck_text(gold.document) == deck_text(tasks[-1].expected)


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
