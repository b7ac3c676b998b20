"""The page on which boxes of a form are drawn: over HTTP, and in a browser with mouse and keyboard."""

import json
import threading
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest
from custom_form_fixture import FIELDS, write_form

pytest.importorskip("flask")

from formgym.experiments.authoring.boxes.box_editor import BoxEditor
from formgym.experiments.authoring.boxes.flat_form import opened_folder

DRAWN = {
    "name": "town",
    "label": "Town",
    "kind": "text",
    "page": 1,
    "box": [40, 400, 200, 430],
    "comb": 0,
    "original": None,
}


@pytest.fixture
def folder(tmp_path):
    return write_form(tmp_path / "member")


@pytest.fixture
def editor(folder):
    editor = BoxEditor(opened_folder(folder))
    serving = threading.Thread(target=editor.serve)
    serving.start()
    yield editor
    if serving.is_alive():
        editor.stop()
    serving.join(30)
    assert not serving.is_alive()


def asked(editor, method, path, body=None, **headers):
    """Status, headers and text of an answer; the path is sent as it stands."""
    connection = HTTPConnection(urlsplit(editor.url).netloc, timeout=30)
    content = None if body is None else json.dumps(body) if not isinstance(body, bytes) else body
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    connection.request(method, path, content, {"Content-Type": "application/json"} | named)
    answer = connection.getresponse()
    text = answer.read()
    connection.close()
    return answer.status, answer.headers, text


def fields_of(folder):
    return json.loads((folder / "form.json").read_text())["fields"]


# -- Over HTTP ---------------------------------------------------------------------------------------------------------


def test_the_page_has_the_pictures_of_the_form_and_safe_headers(editor):
    status, headers, text = asked(editor, "GET", "/")
    assert status == 200
    assert "script-src 'nonce-" in headers["Content-Security-Policy"]
    assert b'"member.name"' not in text
    assert [asked(editor, "GET", f"/page/{number}.png")[0] for number in (0, 1, 2, 3)] == [404, 200, 200, 404]


@pytest.mark.parametrize(
    "path",
    ["/static/../box_editor.py", "/static/%2e%2e/box_editor.py", "/static/..%2f..%2fflat_form.py", "/page/..%2f1.png"],
)
def test_no_other_files_are_served(editor, path):
    assert asked(editor, "GET", path)[0] == 404


def test_only_the_page_itself_may_save(editor, folder):
    before = fields_of(folder)
    for headers in ({"Origin": "http://evil.example"}, {"Host": "evil.example"}, {"Sec_Fetch_Site": "cross-site"}):
        for path in ("/save", "/done"):
            assert asked(editor, "POST", path, {"fields": [DRAWN]}, **headers)[0] == 403
    assert fields_of(folder) == before


@pytest.mark.parametrize(
    ("body", "words"),
    [
        ({"fields": [DRAWN | {"box": [900, 1, 950, 9]}]}, "field town: box"),
        ({"fields": [DRAWN, DRAWN]}, "there are two of this name"),
        ({"fields": [DRAWN | {"kind": "blob"}]}, "unknown kind 'blob'"),
        ({"fields": [DRAWN | {"page": 3}]}, "there is no page 3"),
        ({"fields": [DRAWN | {"original": 99}]}, "refers to one that there was not"),
        ({"fields": [DRAWN | {"box": [1, 2]}]}, "fields.0.box"),
        ({"fields": []}, "has no fields"),
        (b'{"fields": [', "valid"),
    ],
)  # fmt: skip
def test_what_cannot_be_saved_is_named_and_changes_nothing(editor, folder, body, words):
    before = fields_of(folder)
    status, _, text = asked(editor, "POST", "/save", body)
    assert status == 400
    assert words in json.loads(text)["problem"]
    assert fields_of(folder) == before


def test_a_field_that_is_only_moved_keeps_all_that_its_pdf_says(editor, folder):
    before = fields_of(folder)
    index = next(i for i, field in enumerate(FIELDS) if field["name"] == "plan_one")
    moved = DRAWN | {
        "name": "plan_one",
        "label": "Plan: one",
        "kind": "checkbox",
        "original": index,
        "box": [42, 202, 62, 222],
    }
    assert asked(editor, "POST", "/save", {"fields": [moved]})[0] == 200
    (saved,) = fields_of(folder)
    assert saved == next(one for one in before if one["name"] == "plan_one") | {"box": [42, 202, 62, 222]}


# -- In a browser ------------------------------------------------------------------------------------------------------


@pytest.fixture
def page(editor, browser):
    context, complaints = browser.new_context(viewport={"width": 1280, "height": 1400}), []
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text))
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.goto(editor.url)
    yield page
    context.close()
    assert [text for text in complaints if "400 (BAD REQUEST)" not in text] == []


def drag(page, start, end, number=0):
    """Drag from and to a place in pixels of a page of the form."""
    shown = page.locator(".page img").nth(number)
    shown.scroll_into_view_if_needed()
    box = shown.bounding_box()
    scale = box["width"] / int(shown.get_attribute("width"))
    for x, y in (start, end):
        page.mouse.move(box["x"] + x * scale, box["y"] + y * scale, steps=3)
        page.mouse.down() if (x, y) == start else page.mouse.up()


def press(page, *keys):
    for key in keys:
        page.keyboard.press(key)


def said(page, words):
    page.wait_for_function("words => document.getElementById('status').textContent.includes(words)", arg=words)


def test_a_form_is_drawn_with_the_mouse_named_and_saved(page, folder):
    assert page.locator(".box").count() == len(FIELDS)
    drag(page, (40, 400), (200, 430))
    page.keyboard.type("Town of birth")
    page.keyboard.press("Tab")
    assert page.input_value("#name") == "town_of_birth"
    drag(page, (260, 400), (280, 420))
    page.keyboard.type("Yes")
    page.keyboard.press("Tab")
    page.select_option("#kind", "checkbox")
    drag(page, (50, 75), (60, 85))
    page.click("#save")
    said(page, f"Saved {len(FIELDS) + 2} fields")
    moved, *_, town, tick = fields_of(folder)
    assert moved["box"] == pytest.approx([50, 70, 370, 100], abs=2)
    assert (moved["name"], moved["source_name"]) == ("name", "member.name")
    assert (town["name"], town["label"], town["matcher"]) == ("town_of_birth", "Town of birth", "text")
    assert town["box"] == pytest.approx([40, 400, 200, 430], abs=2)
    assert (tick["name"], tick["matcher"]) == ("yes", "checkbox")


def test_the_keyboard_moves_resizes_deletes_undoes_and_ends(page, editor, folder):
    page.locator(".box").nth(1).focus()
    press(page, "Shift+ArrowRight", "ArrowDown", "Alt+ArrowRight")
    page.locator(".box").nth(4).focus()
    press(page, "Delete", "Delete", "Control+z")
    assert page.locator(".box").count() == len(FIELDS) - 1
    press(page, "Control+s")
    said(page, f"Saved {len(FIELDS) - 1} fields")
    saved = fields_of(folder)
    assert saved[1]["box"] == [50, 121, 211, 151]
    assert "code" not in {field["name"] for field in saved}
    page.click("#done")
    said(page, "this page can be closed")
    assert len(editor.saved.fields) == len(saved)


def test_a_problem_is_said_and_nothing_is_lost(page, folder):
    before = fields_of(folder)
    page.locator(".box").nth(0).focus()
    page.fill("#name", "born")
    page.click("#save")
    said(page, "field born: there are two of this name")
    assert fields_of(folder) == before
    page.fill("#name", "full_name")
    page.click("#done")
    said(page, "this page can be closed")
    assert fields_of(folder)[0]["name"] == "full_name"


def test_everything_has_a_name_and_fits_a_phone(page):
    page.set_viewport_size({"width": 390, "height": 800})
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    page.locator(".box").nth(0).focus()
    unnamed = page.evaluate(
        """[...document.querySelectorAll("button, input, select, img")].filter(one => !one.hidden && !(
        one.labels?.length || one.ariaLabel || one.textContent.trim() || one.alt)).map(one => one.outerHTML)"""
    )
    assert unnamed == []
    assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
