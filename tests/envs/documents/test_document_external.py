"""Data sets from elsewhere: what is read of them, what can be played, and what is said of broken rows."""

import csv
import json
import math

import pytest
from external_fixture import (
    READABLE,
    REQUESTS,
    UNREADABLE,
    element,
    text,
    transposed,
    write_crello,
    write_csv,
    write_docedit,
    write_rows,
)
from hypothesis import given, settings
from hypothesis import strategies as st

from formgym.envs.documents.external.commands import ACTIONS, COMPONENTS, component_kind, parse_command
from formgym.envs.documents.external.crello import crello_documents, read_crello
from formgym.envs.documents.external.crello_elements import face_of
from formgym.envs.documents.external.docedit_csv import docedit_requests, read_docedit
from formgym.envs.documents.external.finding import external_tasks
from formgym.envs.documents.external.language import language_accuracy, same_action
from formgym.envs.documents.formats.png import painted
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.texts import text_height, too_wide
from formgym.envs.documents.scene.document import Document
from formgym.envs.documents.scene.elements import KINDS
from formgym.envs.documents.scoring.edit_score import edit_score

COLUMNS = ["id", "image", "user_request", "command"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    root = tmp_path_factory.mktemp("external")
    write_docedit(root / "docedit")
    write_crello(root / "crello")
    return root


@pytest.fixture(scope="module")
def designs(folder):
    return dict(crello_documents(folder / "crello"))


@pytest.fixture(scope="module")
def tasks(folder):
    return {task.id: task for task in external_tasks(folder)}


# DocEdit


def test_all_rows_of_all_files_are_read_as_they_are(folder):
    requests = read_docedit(folder / "docedit")
    assert [(r.request, r.text) for r in requests] == READABLE + UNREADABLE
    assert [r.id for r in requests] == [f"r{i}" for i in range(30)]
    assert [r.command is not None for r in requests] == [True] * len(READABLE) + [False] * len(UNREADABLE)
    assert {r.command.action for r in requests if r.command} == set(OPERATIONS)
    assert requests[0].image == folder / "docedit" / "images" / "page_0.png"
    assert requests[0].image.is_file()
    assert not requests[1].image.exists()
    assert read_docedit(folder / "docedit" / "requests.csv") == requests[:20]


def test_a_command_is_taken_apart():
    command = parse_command('add_para( <caption> , text, none, "Our team, in (sunny) May"), [5, 6, 7.5, 8]')
    assert (command.action, command.component) == ("ADD", "text")
    assert (command.attribute, command.initial, command.final) == ("text", "none", "Our team, in (sunny) May")
    assert command.box == (5, 6, 8, 7.5)
    assert parse_command("MODIFY(text, size, less than < 12, more than 14)").final == "more than 14"
    assert parse_command("MODIFY(text, content, Don't, Do)").initial == "Don't"
    assert parse_command("MOVE(image, position, [1, 2, 3, 4], [5, 6, 7, 8])").box == (5, 6, 8, 7)


@pytest.mark.parametrize(
    ("words", "kind"),
    [("Title", "text"), ("page number", "text"), ("text box", "text"), ("caption of the table", "text"),
     ("table caption", "text"), ("bulleted list", "list"), ("Boxes", "shape"), ("LOGOS", "image"),
     ("row in the table", "table"), ("blue line under the heading", "line"), ("thing", None), ("", None),
     *((kind, kind) for kind in KINDS)],
)  # fmt: skip
def test_components_are_known_by_their_last_word(words, kind):
    assert component_kind(words) == kind


@given(st.text(max_size=60))
@settings(max_examples=300, deadline=None)
def test_no_text_upsets_the_reading_of_commands(words):
    for text_ in (words, f"MOVE({words}", f"MODIFY(text, {words}), [1,2,3,4]"):
        command = parse_command(text_)
        assert command is None or (command.action in OPERATIONS and command.component in KINDS)


@given(
    st.sampled_from(sorted(ACTIONS)),
    st.sampled_from(sorted(COMPONENTS)),
    st.lists(st.text(st.sampled_from("abc ,()äß0"), max_size=8), min_size=3, max_size=3),
    st.tuples(*[st.integers(-9, 2000)] * 4),
)
@settings(deadline=None)
def test_what_is_written_with_quotation_marks_is_read_again(action, component, parts, box):
    quoted = ", ".join(f'"{part}"' for part in parts)
    balanced = all(part.count("(") == part.count(")") == 0 for part in parts)
    command = parse_command(f"{action.upper()}({component}, {quoted}), {list(box)}")
    assert (command.action, command.component) == (ACTIONS[action], COMPONENTS[component])
    assert command.box == (box[0], box[1], box[3], box[2])
    if balanced:
        assert [command.attribute, command.initial, command.final] == [part.strip() for part in parts]


def test_understanding_is_measured(folder):
    requests = read_docedit(folder / "docedit")
    meant = {r.request: r.command for r in requests if r.command}
    counts = {"n": len(READABLE), "unreadable": len(UNREADABLE)}

    def right(request):
        return meant[request].action.lower(), meant[request].component

    assert language_accuracy(requests, right) == {"action_accuracy": 1, "component_accuracy": 1, **counts}
    nothing = language_accuracy(requests, lambda request: None)
    assert nothing == {"action_accuracy": 0, "component_accuracy": 0, **counts}
    moves = language_accuracy(requests, lambda request: ("MOVE", "picture"))
    assert moves["action_accuracy"] == 3 / 25
    assert moves["component_accuracy"] == 4 / 25
    with pytest.raises(ValueError, match="of 5 commands none can be read"):
        language_accuracy(requests[-5:], right)


def test_actions_that_come_to_the_same_count():
    picture, title = parse_command("REPLACE(image)"), parse_command("REPLACE(title)")
    modified = parse_command("MODIFY(paragraph)")
    assert same_action("DELETE ADD", picture)
    assert same_action("delete, insert", picture)
    assert same_action("MODIFY", title)
    assert same_action("REPLACE", modified)
    for said in ("MODIFY", "ADD DELETE", "DELETE", "ADD", "REPLACE REPLACE", ""):
        assert not same_action(said, picture)
    assert not same_action("MOVE", modified)
    assert not same_action("REPLACE", parse_command("MODIFY(shape)"))


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"id,image,request\n1,a.png,x\n", "broken.csv, line 1: the columns user_request, command are missing from id"),
        (b"", "line 1: the columns id, image, user_request, command are missing"),
        (b'id,image,user_request,command\n1,a.png,"two\nlines",X()\n2,b.png,short\n', "line 4: there are not as many"),
        (b"id,image,user_request,command\n1,a.png,x,MOVE(text, a)\n", "line 2: there are not as many"),
        (b"id,image,user_request,command\n1,a.png, ,MOVE(text)\n", "line 2: user_request may not be empty"),
        (b"id,image,user_request,command\n1,a.png,\xff\xfe,MOVE(text)\n", "no UTF-8"),
        (b"id,image,user_request,command\n1,a.png,x," + b"y" * 200_000, "line 1: this is no CSV"),
    ],
)
def test_broken_rows_are_named(tmp_path, content, message):
    (tmp_path / "broken.csv").write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_docedit(tmp_path)


def test_rows_are_read_one_by_one(tmp_path):
    with (tmp_path / "large.csv").open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(COLUMNS)
        out.writerows((i, "p.png", "delete it", "DELETE(text)") for i in range(5000))
        out.writerow(("", "", "", ""))
    requests = docedit_requests(tmp_path)
    assert next(requests).id == "0"
    with pytest.raises(ValueError, match="line 5002: id and image and user_request may not be empty"):
        sum(1 for _ in requests)


def test_a_folder_without_files_says_what_is_expected(tmp_path):
    with pytest.raises(ValueError, match=r"no DocEdit in .*id, image, user_request, command"):
        read_docedit(tmp_path)
    write_csv(tmp_path / "a.csv", COLUMNS, [])
    assert read_docedit(tmp_path) == []


# Crello


def test_designs_become_documents_that_can_be_kept_and_painted(designs):
    assert list(designs) == ["5f2-poster", "card zoë", "banner", "Banner", "crowd", "empty", "columns"]
    assert len({document.name for document in designs.values()}) == len(designs)
    for document in designs.values():
        assert Document.model_validate(document.dump()) == document
        page = painted(document, 0)
        assert page.shape == (document.pages[0].height, document.pages[0].width, 3)


def test_pages_are_scaled_to_sizes_that_can_be_shown(designs):
    sizes = {name: (d.pages[0].width, d.pages[0].height) for name, d in designs.items()}
    assert sizes == {
        "5f2-poster": (679, 960),
        "card zoë": (640, 400),
        "banner": (809, 100),
        "Banner": (160, 600),
        "crowd": (960, 960),
        "empty": (300, 300),
        "columns": (960, 480),
    }


def test_elements_are_what_the_design_says(designs):
    poster = designs["5f2-poster"]
    assert (poster.title, poster.kind, poster.pages[0].background) == ("Design 5f2-poster", "poster", (250, 230, 60))
    assert [(e.id, e.type) for e in poster.elements()] == [
        ("image_1", "image"), ("image_2", "image"), ("line_1", "line"), ("shape_1", "shape"),
        ("text_1", "text"), ("text_2", "text"), ("text_3", "text"),
    ]  # fmt: skip
    image, other, line, shape, head, hours, _ = poster.elements()
    assert image.bbox == (68, 288, 238, 288)
    assert (image.angle, other.angle, other.opacity) == (15, 0, 0.5)
    assert (line.style.stroke, line.style.stroke_width) == ((200, 30, 30), 2)
    assert shape.style.fill == (30, 30, 200)
    assert (head.style.face, head.style.bold, head.style.align, head.style.size) == ("Noto Serif", True, "center", 64)
    assert (hours.text, hours.style.colour) == ("Every Saturday\nfrom ten to four", (20, 90, 50))
    card = designs["card zoë"]
    assert (card.title, card.pages[0].background) == ("Für Zoë", (255, 255, 255))
    assert card.find("list_1").text == "cake\ntea\nsongs"
    assert card.find("text_1").text == "Für Zoë: 誕生日"
    assert card.find("image_1").bbox[0] == -32


def test_lists_of_fields_say_the_same_as_elements(designs):
    poster, columns = designs["5f2-poster"], designs["columns"]
    assert [(e.id, e.type, e.text, e.angle, e.opacity, e.asset) for e in poster.elements()] == [
        (e.id, e.type, e.text, e.angle, e.opacity, e.asset) for e in columns.elements()
    ]


def test_names_tell_elements_apart(designs):
    for document in designs.values():
        names = [e.name for e in document.elements()]
        assert len(set(names)) == len(names)
        assert all(names)
    names = {e.id: e.name for e in designs["5f2-poster"].elements()}
    assert names["text_1"] == "headline"
    assert names["text_3"] == "Old harbour text"
    assert names["image_1"] == "picture at the left"
    assert names["line_1"] == "red line at the bottom"
    crowd = [e.name for e in designs["crowd"].elements()]
    assert crowd[0] == "black rectangle at the top left"
    assert crowd[9:11] == [f"{n} red rectangle at the bottom left" for n in ("first", "second")]
    assert crowd[-1] == "red rectangle at the bottom left 12"


def test_a_picture_beside_the_file_is_shown_and_a_missing_one_replaced(designs):
    poster = designs["5f2-poster"]
    page = painted(poster, 0)
    image, other = poster.find("image_1"), poster.find("image_2")
    x, y = (round(c) for c in image.centre)
    assert page[y, x].tolist() == [220, 20, 20]
    assert other.asset.startswith("scene/")


def test_texts_are_made_to_fit(designs):
    poster = designs["5f2-poster"]
    for element_ in (e for e in poster.elements() if e.type == "text"):
        assert text_height(element_) <= element_.bbox[3]
        assert not list(too_wide(element_))
    tight = designs["columns"].find("text_1").style
    assert (tight.size, tight.line_height) == (43, 1)
    crowded = designs["banner"].find("text_1")
    assert crowded.style.size == 40
    assert text_height(crowded) <= crowded.bbox[3]
    assert crowded.bbox[:3] == (16, 10, 162)


@given(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc")), min_size=1, max_size=80),
    st.floats(0.05, 1),
    st.floats(0.01, 0.6),
    st.floats(1, 400),
)
@settings(max_examples=60, deadline=None)
def test_any_text_keeps_its_place_and_gets_no_larger(tmp_path_factory, words, width, height, size):
    path = tmp_path_factory.mktemp("text") / "one.jsonl"
    design = {"id": "one", "canvas_width": 800, "canvas_height": 600}
    write_rows(path, [design | {"elements": [text(words, (0.1, 0.2, width, height), size)]}])
    (document,) = read_crello(path)
    (made,) = document.elements()
    assert made.text == words
    assert made.bbox[:3] == (80, 120, max(1, round(width * 800)))
    assert made.bbox[3] >= max(1, round(height * 600))
    assert made.style.size <= max(6, round(size))
    assert text_height(made) <= made.bbox[3]


def test_typefaces_are_told_by_their_names():
    faces = ["PT Sans", "Playfair Display", "Great Vibes", "Roboto Mono", "Amatic SC", "Montserrat", "Unheard of"]
    wanted = ["Arimo", "Noto Serif", "Dancing Script", "Source Code Pro", "Caveat", "Inter", "Arimo"]
    assert [face_of(face) for face in faces] == wanted


@pytest.mark.parametrize(
    ("change", "is_page"),
    [
        ({}, True),
        ({"left": -0.01, "width": 1.02}, True),
        ({"opacity": 0.5}, False),
        ({"angle": 0.1}, False),
        ({"height": 0.9}, False),
        ({"left": 0.1}, False),
        ({"color": None}, False),
        ({"type": "svgElement"}, False),
    ],
)
def test_a_background_is_the_page_if_it_fills_it(tmp_path, change, is_page):
    ground = element("coloredBackground", (0, 0, 1, 1), color=[9, 8, 7]) | change
    write_rows(tmp_path / "a.jsonl", [_SIZE | {"elements": [ground]}])
    (document,) = read_crello(tmp_path)
    assert document.pages[0].background == ((9, 8, 7) if is_page else (255, 255, 255))
    assert len(document.pages[0].elements) == (not is_page)


_SIZE = {"id": "d", "canvas_width": 400, "canvas_height": 300}
_BOX = (0, 0, 0.5, 0.5)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        (_SIZE | {"elements": [element("hologram", _BOX)]}, "elements.0.type"),
        (_SIZE | {"elements": [element("textElement", _BOX), element(3, _BOX)]}, "elements.1.type.*3 is no name"),
        (_SIZE | {"elements": [element("svgElement", (10, 20, 200, 100))]}, "elements.0.width.*less than or equal"),
        (_SIZE | {"elements": [element("svgElement", _BOX, color="blurple")]}, "elements.0.color.*no colour"),
        (_SIZE | {"elements": [element("svgElement", _BOX, opacity=2)]}, "elements.0.opacity"),
        (_SIZE | {"elements": [element("imageElement", _BOX, image="../secret.png")]}, "lies outside"),
        (_SIZE | {"elements": [element("imageElement", _BOX, image="set.jsonl")]}, "set.jsonl: a picture cannot be"),
        (_SIZE | {"elements": [element("textElement", _BOX, text="x" * 5000)]}, "runs.0.text"),
        (_SIZE | {"elements": [7]}, "elements.0"),
        (_SIZE, "neither elements nor lists"),
        (_SIZE | {"type": ["svgElement"], "left": [0, 1]}, "there are 1 elements, but 2 values of left"),
        (_SIZE | {"canvas_width": 3, "elements": []}, "canvas_width: 3 is too small for pixels; where classes"),
        (_SIZE | {"canvas_width": 5000, "canvas_height": 20, "elements": []}, "5000 x 20 is too narrow"),
        ({"canvas_width": 400, "canvas_height": 300, "elements": []}, "id: Field required"),
        (_SIZE | {"id": "good", "elements": []}, "the id 'good' is used twice"),
        ([], "a JSON object is expected, not list"),
    ],
)
def test_broken_designs_are_named(tmp_path, row, message):
    write_rows(tmp_path / "set.jsonl", [_SIZE | {"id": "good", "elements": []}, row])
    with pytest.raises(ValueError, match=rf"set.jsonl, line 2: .*{message}"):
        read_crello(tmp_path)


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.jsonl", b'{"id": 1', "a.jsonl, line 1 is no JSON"),
        ("a.jsonl", b'{"id": NaN}', "NaN is no finite number"),
        ("a.jsonl", b'{"id": "\xff"}', "line 1 is no UTF-8"),
        ("a.jsonl", b"[" * 100_000, "nested too deep|no JSON"),
        ("a.json", b'{\n"id": "a",\n"broken\n}', "a.json is no JSON: .*line 3"),
        ("a.json", b'[{"id": "a", "canvas_width": 90, "canvas_height": 90, "elements": []}, 5]', "item 2"),
    ],
)
def test_broken_files_are_named(tmp_path, name, content, message):
    (tmp_path / name).write_bytes(content)
    with pytest.raises(ValueError, match=message):
        read_crello(tmp_path)


def test_only_what_is_wanted_is_made(folder):
    wanted = dict(crello_documents(folder / "crello", only=("crowd", "banner")))
    assert list(wanted) == ["banner", "crowd"]


# Requests and what is found in a folder


def test_every_request_becomes_a_task(tasks):
    assert list(tasks) == [f"crello/q{i}" for i in range(len(REQUESTS))]
    for task in tasks.values():
        assert task.wanted.pages != task.document.pages
        assert edit_score(task.document, task.wanted, task.wanted).f1 == 1
        assert edit_score(task.document, task.document, task.wanted).f1 < 1
        assert ", line " in task.origin


def test_calls_are_carried_out_in_order(tasks):
    task = tasks["crello/q3"]
    assert task.request == "swap the pictures"
    boxes = [task.document.find(i).bbox for i in ("image_1", "image_2")]
    assert [task.wanted.find(i).bbox for i in ("image_2", "image_1")] == boxes
    assert task.origin.endswith("requests.jsonl, line 4")


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"document": "nowhere"}, "no document 'nowhere'"),
        ({"calls": [["PAINT", {}]]}, "call 1: there is no operation 'PAINT'; there are MOVE"),
        ({"calls": [["DELETE", {"object_id": "text_9"}]]}, "call 1, DELETE: There is no element 'text_9'; there are"),
        ({"calls": [["DELETE", {"element": "text_1"}]]}, "call 1, DELETE: .*unexpected keyword"),
        ({"calls": [["ADD", {"object_type": "text", "object_description": "a", "page": 7}]]}, "call 1, ADD"),
        ({"calls": [["MOVE", {"object_id": "text_1", "position_diff": ["UP", 0]}]]}, "the calls change nothing"),
        ({"calls": []}, "calls: "),
        ({"request": ""}, "request: "),
        ({"id": "q0"}, "the id 'q0' is used twice"),
        ({"note": "x"}, "note: "),
    ],
)
def test_broken_requests_are_named(tmp_path, change, message):
    write_crello(tmp_path / "crello")
    file = tmp_path / "crello" / "requests.jsonl"
    rows = [json.loads(line) for line in file.read_text().splitlines() if line][:2]
    write_rows(file, [rows[0], rows[1] | change])
    with pytest.raises(ValueError, match=rf"requests.jsonl, line 2: .*{message}"):
        external_tasks(tmp_path)


def test_a_folder_with_nothing_to_play_says_what_is_expected(tmp_path):
    for _ in range(2):
        with pytest.raises(ValueError, match=r"no tasks in (.|\n)*crello/(.|\n)*requests.jsonl(.|\n)*pptc/"):
            external_tasks(tmp_path)
        write_rows(tmp_path / "set.jsonl", [_SIZE | {"elements": []}])


def test_angles_turn_clockwise_and_stay_below_a_full_turn(tmp_path):
    turns = [-math.pi / 2, 2 * math.pi, -1e-9, 7]
    design = _SIZE | {"elements": [element("svgElement", _BOX, angle=angle) for angle in turns]}
    write_rows(tmp_path / "a.jsonl", [design, transposed(design | {"id": "e"})])
    for document in read_crello(tmp_path):
        assert [e.angle for e in document.elements()] == [270, 0, 0, pytest.approx(41.07)]
