"""The site: pages and their themes, what is accepted and stored, and people who fill in forms by clicks and keys."""

import io
import json
import re
import socket
import sqlite3
import subprocess
import sys
import threading
import time
import tracemalloc
from collections import Counter
from contextlib import closing
from html.parser import HTMLParser
from http.client import HTTPConnection
from pathlib import Path
from types import SimpleNamespace
from urllib.parse import urljoin
from urllib.request import urlopen

import pytest
from person import Person, posted
from PIL import Image
from sizes import LONG, sample
from werkzeug.datastructures import MultiDict

from formgym.envs.core.scoring import ratio
from formgym.envs.web_forms.forms.form import web_form, web_forms
from formgym.envs.web_forms.html.form_document import form_html
from formgym.envs.web_forms.html.themes import FOLDER as THEMES_FOLDER
from formgym.envs.web_forms.html.themes import theme, themes
from formgym.envs.web_forms.site import access, site_views
from formgym.envs.web_forms.site.access import Access
from formgym.envs.web_forms.site.app import create_app, listening_server
from formgym.envs.web_forms.site.records import STORE, Records
from formgym.envs.web_forms.site.site_state import find_task, sample_file, source_html
from formgym.envs.web_forms.site.submitted_values import FIELD
from formgym.experiments.play.human_runs import export_submissions

VARIABLES = (
    *("ink", "paper", "edge", "hover", "chosen", "selection", "font", "size", "bubble", "arrow", "upload"),
    "calendar-icon",
)
# Forms that between them have every kind of control, several pages, rows and fields that others reveal.
RICH = ("background_check", "contractor_onboarding", "course_registration", "insurance_claim")


class Elements(HTMLParser):
    """The elements of a page: tag and attributes."""

    def __init__(self, html):
        super().__init__()
        self.found = []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.found.append((tag, dict(attrs)))

    def all(self, tag=None, **attributes):
        return [a for t, a in self.found if tag in (None, t) and attributes.items() <= a.items()]


def site_app(tmp_path, public=False, names=(), **options):
    return create_app(Records(tmp_path / "results").open(), Access(public, names), **options)


@pytest.fixture
def app(tmp_path):
    return site_app(tmp_path)


@pytest.fixture
def client(app):
    return app.test_client()


def stored(tmp_path):
    return [json.loads(line) for line in Records(tmp_path / "results").export().read_text().splitlines()]


def opened(client, form, task="test/0", **query):
    """The token of a form that has just been opened."""
    page = client.get(f"/forms/{form}/form", query_string={"task": task, **query})
    assert page.status_code == 200
    [hidden] = Elements(page.text).all("input", name=FIELD)
    return hidden["value"]


def filled(form, task="test/0"):
    """What a browser sends of a form that is filled in as it should be."""
    return posted(find_task(form, task))


def submit(client, form, data, token=None, **options):
    data = MultiDict(data)
    if token is not None:
        data.add(FIELD, token)
    options = {"content_type": "multipart/form-data", **options}
    return client.post(f"/forms/{form}/form", data=data, **options)


# -- Pages of forms ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", web_forms())
def test_every_field_is_on_the_page(name):
    form = web_form(name)
    page = Elements(form_html(form, themes()[0]))
    cells = {a["data-field"]: a for a in page.all() if "data-field" in a}
    assert list(cells) == [field.name for field in form.fields]
    for field in form.fields:
        controls = [a for t, a in page.found if a.get("name") == field.name and t in ("input", "select", "textarea")]
        kinds = Counter(t for t, a in page.found if a.get("name") == field.name)
        assert len(controls) == (len(field.options) if field.control in ("radio", "checkbox_group") else 1)
        assert set(kinds) == {
            {"select": "select", "multi_select": "select", "textarea": "textarea"}.get(field.control, "input")
        }
        assert ("data-when" in cells[field.name]) == (field.when is not None)
        if field.control not in ("checkbox_group",):
            assert all(("required" in a) == field.required for a in controls)
        if field.when:
            assert cells[field.name]["data-when"] == field.when.field
            assert json.loads(cells[field.name]["data-is"]) == list(field.when.values)
    ids = [a["id"] for a in page.all() if "id" in a]
    assert len(ids) == len(set(ids))
    assert {a["for"] for a in page.all("label") if "for" in a} <= set(ids)
    sections = page.all("section")
    assert [a["data-page"] for a in sections] == [*map(str, range(len(form.pages))), "done"]
    assert ["hidden" in a for a in sections] == [False] + [True] * len(form.pages)


def test_texts_of_a_form_are_never_markup(monkeypatch):
    nasty = "\"><script>alert(1)</script>&amp;'"
    form = web_form("background_check")
    first = form.pages[0].blocks[0].fields[0].model_copy(update={"label": nasty, "hint": nasty, "placeholder": nasty})
    block = form.pages[0].blocks[0].model_copy(update={"fields": (first,), "title": nasty})
    page = form.pages[0].model_copy(update={"blocks": (block,), "title": nasty})
    changed = form.model_copy(update={"pages": (page,), "title": nasty, "intro": nasty, "submit": nasty})
    html = form_html(changed, "clinic", files=["</script><b>.pdf"], hidden={"x": nasty})
    assert "<script>alert" not in html
    assert "<b>.pdf" not in html
    assert html.count("</script>") == 2


@pytest.mark.parametrize("name", themes())
def test_theme_sets_what_the_pickers_need(name):
    style = theme(name).style
    root = style[style.index(":root") : style.index("}")]
    assert {f"--fg-{variable}:" for variable in VARIABLES} <= set(re.findall(r"--fg-[\w-]+:", root))
    assert re.search(r"--fg-size: \d+px;", root)
    assert json.loads(re.search(r"--fg-font: (\"[^\"]+\")", root)[1]) == theme(name).fonts[0]
    ink = re.search(r"--fg-ink: #(\w{6});", root)[1]
    assert ink == "ffffff" or max(bytes.fromhex(ink)) <= 50


@pytest.mark.parametrize("path", sorted(THEMES_FOLDER.glob("*/theme.css")), ids=lambda path: path.parent.name)
def test_theme_does_nothing_that_a_still_cannot_show(path):
    style = re.sub(r"url\(.*?\)", "", path.read_text(encoding="utf-8"))
    for forbidden in (
        *("transition", "animation", "@keyframes", "sticky", "fixed", "background-attachment", " transform:", "filter"),
        *("ellipsis", "opacity", "text-shadow", ":focus-visible", ":valid", ":invalid", ":placeholder-shown", "@media"),
        *("@import", "http"),
    ):
        assert forbidden not in style, forbidden
    assert not re.search(r"\d(em|rem|ex|ch|vw|vh|pt)\b", style)
    assert not re.search(r"line-height: [\d.]+;", style)


def test_font_rules_name_every_file_of_a_theme():
    html = form_html(web_form("personal_loan"), "foundry", mode="site", font_url=lambda path: f"/there/{path.name}")
    asked = re.findall(r'src: url\("/there/([^"]+)"\)', html)
    assert asked == [path.name for path in theme("foundry").font_files()]


def test_unknown_theme_is_named():
    with pytest.raises(ValueError, match=r"no theme 'plaid'; there are .*clinic"):
        form_html(web_form("personal_loan"), "plaid")


# -- Pages of the site ------------------------------------------------------------------------------------------------


def test_index_lists_every_form(client):
    page = client.get("/?theme=night&task=train/7&reveal=0")
    assert page.status_code == 200
    links = {a["href"] for a in Elements(page.text).all("a") if a["href"].startswith("/forms/")}
    assert links == {f"/forms/{name}?task=train/7&theme=night&reveal=0" for name in web_forms()}


@pytest.mark.parametrize("path", ["/", "/forms/nda", "/forms/nda/form", "/results", "/results.json", "/nowhere"])
def test_answers_are_secured(client, path):
    answer = client.get(path)
    policy = answer.headers["Content-Security-Policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert "frame-ancestors 'self'" in policy
    assert answer.headers["X-Content-Type-Options"] == "nosniff"
    assert answer.headers["X-Frame-Options"] == "SAMEORIGIN"
    assert not [name for name, _ in answer.headers if name.startswith("Access-Control")]
    nonces = {a["nonce"] for a in Elements(answer.text).all() if "nonce" in a}
    assert all(f"'nonce-{nonce}'" in policy for nonce in nonces)
    assert client.get(path).headers["Content-Security-Policy"] != policy


def test_task_page_shows_text_files_and_form(client):
    task = find_task("contractor_onboarding", "test/3")
    page = client.get("/forms/contractor_onboarding?task=test/3&theme=night")
    elements = Elements(page.text)
    [frame] = elements.all("iframe")
    assert frame["src"] == "/forms/contractor_onboarding/form?task=test/3&theme=night"
    for file in task.instance.files:
        assert file in page.text
        assert client.get(f"/forms/contractor_onboarding/files/test/3/{file}").status_code == 200
    assert client.get("/forms/contractor_onboarding/source?task=test/3").text == task.instance.source


def test_source_is_shown_as_it_is_written():
    html = source_html(
        "**Name**: A <b>x</b> & <script>alert(1)</script>\nline\n\n[a](javascript:alert(1)) ![p](x.png) <a@b.example>"
    )
    assert {tag for tag, _ in Elements(html).found} == {"p", "strong", "br"}
    for text in ("&lt;script&gt;", "[a](javascript:alert(1))", "![p](x.png)", "&lt;a@b.example&gt;"):
        assert text in html


@pytest.mark.parametrize("name", RICH)
@pytest.mark.parametrize("kind", ["form", "env"])
def test_form_tells_no_answers(client, name, kind):
    task = find_task(name, "test/1")
    html = client.get(f"/forms/{name}/{kind}?task=test/1&theme=registry").text
    offered = form_html(task.form, "registry", files=task.instance.files)
    told = [v for value in task.instance.values.values() for v in (value if isinstance(value, list) else [value])]
    secret = {value for value in told if isinstance(value, str) and len(value) > 5 and value not in offered}
    assert secret
    assert not {value for value in secret if value in html}


def test_environments_see_a_form_without_session(client):
    html = client.get("/forms/nda/env?task=test/2&theme=clinic").text
    assert 'data-mode="env"' in html
    assert FIELD not in html
    html = client.get("/forms/nda/form?task=test/2&theme=clinic").text
    assert 'data-mode="site"' in html


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/forms/nowhere", "There is no form"),
        ("/forms/nda?task=test/50", "the last one is test/49"),
        ("/forms/nda?task=test/007", "There is no task"),
        ("/forms/nda?task=../secret", "There is no task"),
        ("/forms/nda/form?task=gold/1", "There is no task"),
        ("/forms/nda/env?theme=plaid", "There is no theme"),
        ("/forms/nda/source?task=train/99999999999", "There is no task"),
        ("/forms/nda/files/test/0/..%2fform.json", "There is no page|not found|no file"),
        ("/forms/contractor_onboarding/files/test/0/form.json", "has no file"),
        ("/fonts/..%2f..%2ftheme.json", ""),
        ("/fonts/passwd.ttf", "No theme has"),
        ("/results/" + "0" * 32, "There is no such submission"),
        ("/results/..%2f..%2fetc%2fpasswd", ""),
    ],
)
def test_what_there_is_not_is_said_to_be_missing(client, path, said):
    answer = client.get(path)
    assert answer.status_code == 404
    assert re.search(said, answer.text, re.IGNORECASE)
    as_json = client.get(path, headers={"Accept": "application/json"})
    assert as_json.status_code == 404
    assert as_json.json["error"]


def test_fonts_are_served(client):
    html, style = client.get("/forms/nda/form?theme=quarterly").text, client.get("/static/site.css").text
    of_form, of_site = (re.findall(r'src: url\("([^"]+)"\)', text) for text in (html, style))
    assert of_form
    assert of_site
    for url in [*of_form, *(urljoin("/static/site.css", url) for url in of_site)]:
        answer = client.get(url)
        assert answer.mimetype == "font/ttf"
        assert answer.data[:4] == b"\0\1\0\0"


def test_sample_files_can_be_opened():
    content, kind = sample_file("site_plan.pdf", "A (Firm) of \\ Ours")
    assert kind == "application/pdf"
    assert content.startswith(b"%PDF-")
    assert content.strip().endswith(b"%%EOF")
    place = int(re.search(rb"startxref\n(\d+)", content)[1])
    assert content[place : place + 4] == b"xref"
    for name in ("a.png", "b.jpg", "b.jpeg"):
        assert Image.open(io.BytesIO(sample_file(name, "Firm")[0])).size == (640, 480)
    assert sample_file("a.png", "Firm") == sample_file("a.png", "Firm") != sample_file("b.png", "Firm")
    assert b"Firm" in sample_file("notes.txt", "Firm")[0]
    assert sample_file("odd.thing", "Firm")[1] == "application/octet-stream"


# -- Submitting -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", sample(web_forms(), 7))
def test_right_answers_are_right(client, tmp_path, name):
    for task in ("test/0", "test/1", "train/5"):
        answer = submit(client, name, filled(name, task), opened(client, name, task))
        assert answer.status_code == 303, re.findall(r"<li>(.*?)</li>", answer.text)
        record = client.get(f"{answer.headers['Location']}.json").json
        assert min(record["metrics"].values()) == pytest.approx(1)
        assert all(field["correct"] for field in record["fields"])
    assert len(stored(tmp_path)) == 3


def test_result_shows_what_was_entered_and_what_was_right(client):
    data = filled("nda")
    task = find_task("nda", "test/0")
    name = next(f.name for f in task.form.fields if f.control == "text" and f.required and not f.pattern)
    right, data[name] = data[name], "<i>Somebody</i>"
    answer = submit(client, "nda", data, opened(client, "nda"))
    page = client.get(answer.headers["Location"]).text
    assert "&lt;i&gt;Somebody&lt;/i&gt;" in page
    assert page.count('class="wrong"') == 1
    assert right in page.replace("&#39;", "'").replace("&amp;", "&")
    record = client.get(f"{answer.headers['Location']}.json").json
    wanted = sum(field["expected"] is not None for field in record["fields"])
    assert record["metrics"]["field_accuracy"] == ratio(wanted - 1, wanted)
    listed = client.get("/results").text
    assert answer.headers["Location"] in listed
    assert client.get("/results.json").json == [record]


@pytest.mark.parametrize("site_reveals", [True, False])
def test_answers_can_be_kept_back(tmp_path, site_reveals):
    client = site_app(tmp_path, reveal=site_reveals).test_client()
    data = filled("nda")
    task = find_task("nda", "test/0")
    name = next(f.name for f in task.form.fields if f.control == "text" and f.required and not f.pattern)
    right, data[name] = data[name], "Somebody"
    query = {"reveal": "0"} if site_reveals else {}
    place = submit(client, "nda", data, opened(client, "nda", **query)).headers["Location"]
    for path in (place, f"{place}.json", "/results", "/results.json", f"{place}?reveal=1"):
        assert right not in client.get(path).text, path
    assert stored(tmp_path)[0]["fields"][0]["expected"] is not None


@pytest.mark.parametrize("site_reveals", [True, False])
def test_what_was_right_cannot_be_told_from_what_others_entered(tmp_path, site_reveals):
    client = site_app(tmp_path, reveal=site_reveals).test_client()
    data, query = filled("contractor_onboarding"), {"reveal": "0"} if site_reveals else {}
    token = opened(client, "contractor_onboarding", **query)
    as_json = {"headers": {"Accept": "application/json"}}
    answer = submit(client, "contractor_onboarding", data, token, **as_json).json
    place = f"/results/{answer['id']}"
    for record in (answer, client.get(f"{place}.json").json, *client.get("/results.json").json):
        assert (record["values"], record["fields"]) == ({}, [])
        assert record["metrics"]["field_accuracy"] == 1
    page, form = client.get(place).text, web_form("contractor_onboarding")
    assert not re.search("Entered|✓|✗", page)
    told = {item for item in data.values() if isinstance(item, str) and len(item) > 5}
    assert told
    assert not {item for item in told if item in page.replace(form.thanks, "")}
    [record] = stored(tmp_path)
    assert record["values"]
    assert all(field["correct"] for field in record["fields"])


def test_programs_get_json(client):
    token = opened(client, "nda")
    answer = submit(client, "nda", filled("nda"), token, headers={"Accept": "application/json"})
    assert answer.status_code == 201
    assert answer.json["metrics"]
    refused = submit(client, "nda", {"nobody": "x"}, token, headers={"Accept": "application/json"})
    assert refused.status_code == 400
    assert "nobody" in refused.json["error"]


def test_sessions_do_not_mix(client, tmp_path):
    first, second = opened(client, "nda", "test/1"), opened(client, "nda", "test/2", theme="night")
    assert first != second
    assert submit(client, "nda", filled("nda", "test/2"), second).status_code == 303
    assert submit(client, "nda", filled("nda", "test/1"), first).status_code == 303
    assert submit(client, "nda", filled("nda", "test/1"), second).status_code == 303
    records = {(r["task"], r["theme"], r["attempt"]): r for r in stored(tmp_path)}
    assert set(records) == {("test/1", "foundry", 1), ("test/2", "night", 1), ("test/2", "night", 2)}
    assert records["test/1", "foundry", 1]["metrics"]["field_accuracy"] == 1
    assert records["test/2", "night", 1]["metrics"]["field_accuracy"] == 1
    assert records["test/2", "night", 2]["metrics"]["field_accuracy"] < 1
    sessions = Counter(record["session"] for record in records.values())
    assert sorted(sessions.values()) == [1, 2]
    assert not {first, second} & set(json.dumps(stored(tmp_path)).split('"'))


def test_many_at_once_are_all_stored(app, tmp_path):
    places, complaints = [], []

    def person(number):
        client = app.test_client()
        answer = submit(client, "nda", filled("nda", f"train/{number}"), opened(client, "nda", f"train/{number}"))
        (places if answer.status_code == 303 else complaints).append(answer)

    people = [threading.Thread(target=person, args=(number,)) for number in range(16)]
    [thread.start() for thread in people]
    [thread.join() for thread in people]
    assert not complaints
    records = stored(tmp_path)
    assert {record["task"] for record in records} == {f"train/{number}" for number in range(16)}
    assert all(record["metrics"]["field_accuracy"] == 1 for record in records)


def test_tokens_cannot_be_guessed_or_changed(client):
    tokens = {opened(client, "nda") for _ in range(5)}
    assert len(tokens) == 5
    token = tokens.pop()
    for changed in (token[:-1], token[1:], token.replace(token[5:9], "AAAA", 1), token.rpartition(".")[0]):
        assert submit(client, "nda", filled("nda"), changed).status_code == 403


def test_another_server_on_the_folder_knows_a_form_that_was_opened(client, tmp_path):
    token = opened(client, "nda")
    other = site_app(tmp_path).test_client()
    answers = [submit(one, "nda", filled("nda"), token) for one in (other, client, other)]
    # The same values again are the same submission: its answer may have been lost on the way.
    assert [answer.status_code for answer in answers] == [303] * 3
    assert len({answer.headers["Location"] for answer in answers}) == 1
    assert len(stored(tmp_path)) == 1


def test_what_is_no_store_is_said_to_be_none(tmp_path):
    (tmp_path / STORE).write_text("no database at all" * 1000)
    with pytest.raises(ValueError, match="is no store of submissions"):
        Records(tmp_path).open()


def test_what_is_stored_is_on_disk_before_it_is_answered(app, tmp_path):
    with app.extensions["formgym"].connected() as connection:
        found = [connection.execute(f"PRAGMA {name}").fetchone()[0] for name in ("journal_mode", "synchronous")]
    assert found == ["wal", 2]


def test_hostile_rows_of_a_store_are_passed_over(client, app, tmp_path):
    submit(client, "nda", filled("nda"), opened(client, "nda"))
    [record] = stored(tmp_path)
    hostile = [
        "{",
        "",
        "[" * 100_000,
        *(json.dumps(record | {"theme": theme}) for theme in ("../../x", "a/b", "\x1b[2J")),
    ]
    hostile.append(json.dumps(record).replace("1.0", "NaN"))
    with closing(sqlite3.connect(tmp_path / "results" / STORE)) as database, database:
        for number, text in enumerate(hostile):
            row = (f"{number}" * 32, number, number, text)
            database.execute("INSERT INTO submissions (id, session, digest, record) VALUES (?, ?, ?, ?)", row)
    assert client.get("/results.json").json == [record]
    assert client.get("/results").status_code == 200
    assert client.get(f"/results/{'3' * 32}").status_code == 404
    assert export_submissions(tmp_path / "runs", app.extensions["formgym"]) == 1


def test_what_cannot_be_stored_is_said_to_be_so(client, app, tmp_path):
    token = opened(client, "nda")
    with app.extensions["formgym"].writing() as connection:
        connection.execute("CREATE TRIGGER full BEFORE INSERT ON submissions BEGIN SELECT RAISE(ABORT, 'full'); END")
    answer = submit(client, "nda", filled("nda"), token)
    assert (answer.status_code, "Send it again" in answer.text) == (503, True)
    assert stored(tmp_path) == []


def test_pages_of_results_take_no_longer_for_100_000(client, tmp_path):
    submit(client, "nda", filled("nda"), opened(client, "nda"))
    path = tmp_path / "results" / STORE
    with closing(sqlite3.connect(path)) as database, database:
        database.execute(
            "WITH RECURSIVE n(i) AS (VALUES (2) UNION ALL SELECT i + 1 FROM n LIMIT 99999) INSERT INTO submissions "
            "SELECT i, printf('%032x', i), i, i, replace(record, id, printf('%032x', i)) FROM n, submissions"
        )
    seconds, peaks = [], []
    for page in ("/results", "/results?before=50000", "/results.json?before=90000"):
        begun = time.thread_time()
        assert client.get(page).status_code == 200
        seconds.append(time.thread_time() - begun)
        tracemalloc.start()
        answer = client.get(page)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    path.unlink()
    assert max(seconds) < 0.2
    assert max(peaks) < 20e6
    assert (len(answer.json), answer.headers["Link"]) == (100, '</results.json?before=89900>; rel="next"')


# -- What is refused --------------------------------------------------------------------------------------------------


def file(name):
    return io.BytesIO(b"x"), name


FIRM = "contractor_onboarding"
# What is changed in the right answers, a form or what it is called, the status and the words of the answer.
REFUSED = {
    "a foreign name": ({"nobody": "x"}, FIRM, 400, "no field .*nobody"),
    "markup as a name": ({"<b>": "x"}, FIRM, 400, "no field .*&lt;b&gt;"),
    "many foreign names": ({f"x{i}": "x" for i in range(30)}, FIRM, 400, "and 25 more"),
    "two values": ({"full_name": ["a", "b"]}, FIRM, 400, r"full_name\): 2 values, of which it can have 1"),
    "NUL": ({"full_name": "a\0b"}, FIRM, 400, r"control character U\+0000"),
    "an escape": ({"full_name": "a\x1b[2Jb"}, FIRM, 400, r"control character U\+001B"),
    "lines": ({"full_name": "a\r\nb"}, FIRM, 422, "a line break"),
    "a huge text": ({"full_name": "x" * 30_000}, FIRM, 400, "30000 characters"),
    "no option": ({"business_type": "Juggler"}, FIRM, 422, "Juggler.* is none of the options"),
    "no option of a group": ({"trades": ["Lighting", "Juggling"]}, FIRM, 422, "Juggling.* is none of the options"),
    "an option twice": ({"trades": ["Lighting", "Lighting"]}, FIRM, 422, "has the same twice"),
    "another tick": ({"terms": "on"}, FIRM, 400, "is not its value"),
    "text for a file": ({"tax_form": "cv.pdf"}, FIRM, 400, "must be sent as a file"),
    "no file of the task": ({"tax_form": [file("passwd")]}, FIRM, 422, "is none of the files"),
    "a path": ({"tax_form": [file("../../x.pdf")]}, FIRM, 422, "is none of the files"),
    "another ending": ({"tax_form": [file("safety_course_judith.jpg")]}, FIRM, 422, "must end in"),
    "required": ({"full_name": ""}, FIRM, 422, r"full_name\): it is required"),
    "nothing at all": ({name: [] for name in filled(FIRM)}, FIRM, 422, "it is required"),
    "hidden": ({"drives": "No", "licence_number": "A1234567"}, "background_check", 400, "it is not shown where"),
    "no session": ({FIELD: []}, "nda", 400, "hidden field"),
    "an unknown session": ({FIELD: "x" * 32}, "nda", 403, "session is unknown"),
    "an empty session": ({FIELD: ""}, "nda", 403, "session is unknown"),
    "two sessions": ({FIELD: ["one", "two"]}, "nda", 400, "hidden field"),
}


@pytest.fixture
def nothing_is_stored(tmp_path):
    yield
    assert stored(tmp_path) == []


@pytest.mark.usefixtures("nothing_is_stored")
@pytest.mark.parametrize("case", REFUSED)
def test_malformed_posts_are_refused(client, case):
    changes, form, status, said = REFUSED[case]
    data = filled(form)
    data[FIELD] = opened(client, form)
    for name, value in changes.items():
        data.setlist(name, value if isinstance(value, list) else [value])
    answer = submit(client, form, data)
    assert answer.status_code == status
    assert re.search(said, answer.text)
    assert "Nothing was stored" in answer.text


@pytest.mark.usefixtures("nothing_is_stored")
def test_session_of_another_form_is_refused(client):
    answer = submit(client, "nda", filled("nda"), opened(client, "personal_loan"))
    assert (answer.status_code, "belongs to another form" in answer.text) == (400, True)


@pytest.mark.usefixtures("nothing_is_stored")
@pytest.mark.parametrize("kind", ["application/json", "text/plain", "application/x-www-form-urlencoded", ""])
def test_other_content_types_are_refused(client, kind):
    answer = client.post("/forms/nda/form", data=b"{}", content_type=kind)
    assert (answer.status_code, "multipart/form-data" in answer.text) == (415, True)


@pytest.mark.usefixtures("nothing_is_stored")
def test_broken_bodies_are_refused(client):
    kinds = ("multipart/form-data", "multipart/form-data; boundary=x", "multipart/form-data; boundary=" + "y" * 500)
    for kind in kinds:
        for body in (b"", b"--x", b"--x\r\nContent-Disposition: form-data\r\n\r\n", b"\xff" * 1000):
            assert 400 <= client.post("/forms/nda/form", data=body, content_type=kind).status_code < 500


@pytest.mark.usefixtures("nothing_is_stored")
@pytest.mark.parametrize("as_file", [True, False])
def test_too_large_bodies_are_refused(client, as_file):
    data = filled("nda")
    data.add("big", (io.BytesIO(b"x" * 3_000_000), "x.pdf") if as_file else "x" * 3_000_000)
    answer = submit(client, "nda", data, opened(client, "nda"))
    assert answer.status_code == 413
    assert "2,000,000 bytes" in answer.text
    data = MultiDict([(f"x{i}", "x") for i in range(2000)])
    assert submit(client, "nda", data, opened(client, "nda")).status_code == 413


ORIGINS = {
    "its own page": ({"Origin": "http://127.0.0.1:8765"}, 400),
    "no browser": ({}, 400),
    "its own page, over a proxy with TLS": ({"Origin": "https://127.0.0.1:8765"}, 400),
    "another site": ({"Origin": "http://forms.example.com"}, 403),
    "another port": ({"Origin": "http://127.0.0.1:8766"}, 403),
    "a sandboxed frame": ({"Origin": "null"}, 403),
    "a name that ends alike": ({"Origin": "http://x127.0.0.1:8765"}, 403),
    "a user before the name": ({"Origin": "http://127.0.0.1:8765@forms.example.com"}, 403),
    "nonsense": ({"Origin": "127.0.0.1:8765"}, 403),
    "a browser that hides where it comes from": ({"Sec-Fetch-Site": "cross-site"}, 403),
}


@pytest.mark.parametrize("case", ORIGINS)
def test_posts_come_from_the_site_alone(client, case):
    headers, status = ORIGINS[case]
    answer = client.post(
        "/forms/nda/form", data={"x": (io.BytesIO(), "x")}, headers={"Host": "127.0.0.1:8765", **headers}
    )
    assert answer.status_code == status


@pytest.mark.parametrize(("public", "status"), [(True, 200), (False, 403)])
def test_a_public_site_answers_under_addresses_and_its_own_names(tmp_path, public, status):
    client = site_app(tmp_path, public, ["Forms.example.org"]).test_client()
    assert client.get("/", headers={"Host": "192.0.2.7:8765"}).status_code == status
    assert client.get("/", headers={"Host": "[2001:db8::1]:8765"}).status_code == status
    assert client.get("/", headers={"Host": "forms.example.org"}).status_code == 200
    assert client.get("/", headers={"Host": "evil.example.org"}).status_code == 403


def test_strangers_may_ask_only_so_often(tmp_path, monkeypatch):
    now = SimpleNamespace(monotonic=lambda: 100.0)
    monkeypatch.setattr(access, "time", now)
    client = site_app(tmp_path, public=True).test_client()

    def asked(address, times=500):
        asking = {"environ_base": {"REMOTE_ADDR": address}}
        return [client.get("/static/site.css", **asking).status_code for _ in range(times)]

    assert asked("192.0.2.7") == [200] * 400 + [429] * 100
    assert int(client.get("/", environ_base={"REMOTE_ADDR": "192.0.2.7"}).headers["Retry-After"]) == 20
    # Others are not held back by it; of IPv6 an owner has many addresses. Posts cost more.
    assert asked("192.0.2.8", 360) == [200] * 360
    posts = [client.post("/forms/nda/form", environ_base={"REMOTE_ADDR": "192.0.2.8"}) for _ in range(5)]
    assert [answer.status_code for answer in posts] == [415] * 4 + [429]
    asked("2001:db8::1")
    assert asked("2001:db8::2", 1) == [429]
    now.monotonic = lambda: 120.0
    assert asked("192.0.2.7", 1) == [200]
    client = site_app(tmp_path).test_client()
    assert asked("127.0.0.1") == [200] * 500


def test_other_methods_and_hosts_are_refused(client):
    assert client.put("/forms/nda/form").status_code == 405
    assert client.post("/forms/nda/env").status_code == 405
    foreign = "forms.example.com 127.0.0.1.example.com 192.0.2.7 localhost.example.com:80 [::2]:80 ][".split()
    for host in foreign:
        assert client.get("/", headers={"Host": host}).status_code in (400, 403), host
    for host in ("127.0.0.1:8765", "localhost:80", "[::1]:8765", "127.0.0.2"):
        assert client.get("/", headers={"Host": host}).status_code == 200, host


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.7", "forms.example.com"])
def test_site_stays_on_this_machine(tmp_path, host):
    with pytest.raises(ValueError, match="can be reached from other machines"):
        listening_server(host, 0, Records(tmp_path))
    with pytest.raises(ValueError, match="can be reached from other machines"):
        listening_server("127.0.0.1", 0, Records(tmp_path), names=[host])


def test_taken_port_is_said_to_be_taken(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(OSError, match="in use"):
        listening_server("127.0.0.1", taken.getsockname()[1], Records(tmp_path))


def test_a_site_that_ends_answers_first(tmp_path, monkeypatch):
    server, url = listening_server("127.0.0.1", 0, Records(tmp_path).open())
    serving, asked, answers = threading.Thread(target=server.serve_forever), threading.Event(), []

    def slow_source(text):
        asked.set()
        time.sleep(1.5)
        return source_html(text)

    monkeypatch.setattr(site_views, "source_html", slow_source)
    asking = threading.Thread(target=lambda: answers.append(urlopen(f"{url}forms/nda").status))
    serving.start()
    asking.start()
    assert asked.wait(10)
    for _ in range(2):
        server.shutdown()
    serving.join(20)
    asking.join(20)
    assert not serving.is_alive()
    assert answers == [200]


def test_without_flask_a_line_says_how_to_get_it():
    script = "import sys; sys.modules['flask'] = None; from formgym.experiments.cli import main; main()"
    done = subprocess.run([sys.executable, "-c", script, "serve"], capture_output=True, text=True, check=False)
    assert done.returncode == 2
    assert "pip install 'formgym[web]'" in done.stderr
    assert done.stderr.count("\n") == 1


# -- In a real browser, over real HTTP --------------------------------------------------------------------------------


@pytest.fixture
def window(browser):
    """A window in which nothing may go wrong unnoticed."""
    complaints = []
    context = browser.new_context(viewport={"width": 1480, "height": 900})
    page = context.new_page()
    page.on("console", lambda message: complaints.append(message.text) if message.type != "log" else None)
    page.on("pageerror", lambda error: complaints.append(str(error)))
    page.on("requestfailed", lambda request: complaints.append(request.url))
    yield page
    context.close()
    assert complaints == []


@LONG
def test_two_windows_are_independent(site, window):
    url, _ = site
    window.context.grant_permissions(["clipboard-read", "clipboard-write"])
    other = window.context.new_page()
    tasks = [find_task("personal_loan", f"test/{i}") for i in (5, 6)]
    for page, task in zip((window, other), tasks, strict=True):
        page.goto(f"{url}forms/personal_loan/form?task={task.id}&theme=foundry")
    for page, task in zip((window, other), tasks, strict=True):
        page.bring_to_front()
        Person(page, page, 7).fill_in(task)
        page.wait_for_url("**/results/*")
        assert task.id in page.locator(".lead").inner_text()
        assert page.locator("tr.wrong").count() == 0


def test_too_large_bodies_are_answered_over_http(site):
    host, port = re.fullmatch(r"http://(.*):(\d+)/", site[0]).groups()
    connection = HTTPConnection(host, int(port), timeout=30)
    body = b"--x\r\nContent-Disposition: form-data; name=a\r\n\r\n" + b"x" * 5_000_000 + b"\r\n--x--\r\n"
    connection.request("POST", "/forms/nda/form", body, {"Content-Type": "multipart/form-data; boundary=x"})
    answer = connection.getresponse()
    assert answer.status == 413
    assert b"too large" in answer.read()
    connection.close()


@pytest.mark.parametrize("theme_name", sample(themes(), 1))
def test_pages_are_in_order_in_every_theme(browser, tmp_path, theme_name):
    geometry = Path(__file__).with_suffix(".js").read_text()
    page = browser.new_page(viewport={"width": 1024, "height": 768})
    for name in sample(web_forms(), 5):
        path = tmp_path / f"{name}.html"
        path.write_text(form_html(web_form(name), theme_name), encoding="utf-8")
        page.goto(path.as_uri())
        assert page.evaluate("async () => { await document.fonts.ready; return document.fonts.size; }")
        assert page.evaluate(geometry) == [], name
    page.close()
