"""``formgym import`` of web pages: what comes into the folder, the draft of the tasks, and their check."""

import functools
import http.server
import json
import re
import threading
import zipfile

import pytest
from command_line import formgym_command

from formgym.envs.web_forms.chromium import browser_path

pytestmark = pytest.mark.skipif(browser_path() is None, reason="no Chromium: apt-get install chromium-headless-shell")

PAGE = """<!DOCTYPE html><html lang="en"><head><title>Order</title><link rel="stylesheet" href="css/look.css">
<link rel="stylesheet" href="https://cdn.example.org/far.css"></head><body><form>
<label>Customer <input name="customer" required></label>
<fieldset><legend>Delivery</legend><label><input type="radio" name="how" value="post"> By post</label>
<label><input type="radio" name="how" value="fetch"> Fetched</label></fieldset>
<label>Note <div contenteditable aria-label="Note"></div></label><button>Send</button></form></body></html>"""
STEPS = """<!DOCTYPE html><title>Steps</title><form id=f></form><script>
const form = document.getElementById("f");
form.innerHTML = '<label>Name <input name=name required></label><button type=button id=go>Continue</button>';
document.getElementById("go").onclick = () => {
  if (!form.elements.name.value) return;
  form.innerHTML = '<label>Town <input name=town></label><button>Send</button>';
};
form.onsubmit = (event) => { event.preventDefault(); document.body.textContent = "Thank you"; };
</script>"""


@pytest.fixture
def site(tmp_path):
    """A page with a style sheet, and files that are no part of it."""
    folder = tmp_path / "site"
    (folder / "css").mkdir(parents=True)
    (folder / "index.html").write_text(PAGE, encoding="utf-8")
    (folder / "css/look.css").write_text("body { margin: 40px }", encoding="utf-8")
    (folder / ".secret").write_text("no", encoding="utf-8")
    return folder


@pytest.fixture
def formgym(tmp_path):
    return functools.partial(formgym_command, cwd=tmp_path)


def _files(folder):
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*") if path.is_file())


def _zipped(folder, path):
    with zipfile.ZipFile(path, "w") as archive:
        for file in _files(folder):
            archive.write(folder / file, f"site/{file}")
    return path


@pytest.mark.parametrize("kind", ["file", "folder", "zip", "url"])
def test_a_page_comes_with_its_files_from_wherever_it_is(formgym, site, tmp_path, kind):
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=site)
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        sources = {"file": site / "index.html", "folder": site, "zip": _zipped(site, tmp_path / "site.zip")}
        source = sources.get(kind, f"http://127.0.0.1:{server.server_port}/")
        run = formgym("import", str(source), "--out", str(tmp_path / "page"))
        server.shutdown()
    assert _files(tmp_path / "page") == ["css/look.css", "gold.json", "index.html", "page.png"]
    assert "3 fields" in run.stdout
    assert "https://cdn.example.org/far.css" in run.stdout
    fields = json.loads((tmp_path / "page/gold.json").read_text())["fields"]
    assert [(field["label"], field["control"]) for field in fields.values()] == [
        ("Customer", "text"), ("Delivery", "radio"), ("Note", "textarea"),
    ]  # fmt: skip


def test_tasks_are_checked_by_entering_them(formgym, site, tmp_path):
    page = tmp_path / "page"
    formgym("import", str(site), "--out", str(page))
    gold = json.loads((page / "gold.json").read_text())
    values = {"customer": "Ann Lee", "how": "fetch"}
    gold["tasks"] = [{"name": "ann", "source": "Ann Lee fetches it.", "values": values}]
    (page / "gold.json").write_text(json.dumps(gold))
    assert "every value of 1 task" in formgym("import", str(page)).stdout
    values["how"] = "by air"
    (page / "gold.json").write_text(json.dumps(gold))
    run = formgym("import", str(page))
    assert run.returncode
    assert "'how'" in run.stderr


def test_fields_of_later_steps_are_drafted_too(formgym, tmp_path):
    (tmp_path / "steps.html").write_text(STEPS, encoding="utf-8")
    formgym("import", str(tmp_path / "steps.html"), "--out", str(tmp_path / "page"))
    assert list(json.loads((tmp_path / "page/gold.json").read_text())["fields"]) == ["name", "town"]


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.html", "<p>Nothing to fill in", "no field to fill in"),
        ("a.zip", "no zip file", "cannot be read as a zip file"),
        ("https://example.org/form", None, "is not on this machine"),
        ("nowhere.html", None, "there is no"),
    ],
)
def test_what_cannot_be_imported_is_named_and_leaves_nothing(formgym, tmp_path, name, content, message):
    source = tmp_path / name
    if content is not None:
        source.write_text(content, encoding="utf-8")
    run = formgym("import", name if "://" in name else str(source), "--out", str(tmp_path / "page"))
    assert run.returncode
    assert re.search(message, run.stderr)
    assert not (tmp_path / "page").exists()


def test_a_zip_file_writes_nothing_outside_of_its_folder(formgym, site, tmp_path):
    with zipfile.ZipFile(tmp_path / "bad.zip", "w") as archive:
        archive.writestr("index.html", PAGE)
        archive.writestr("../outside.txt", "no")
    run = formgym("import", str(tmp_path / "bad.zip"), "--out", str(tmp_path / "in/page"))
    assert "leads out of the folder" in run.stderr
    assert not (tmp_path / "in/outside.txt").exists()
    assert not (tmp_path / "outside.txt").exists()


def test_the_command_of_somebody_elses_folder_runs_only_if_it_is_allowed(formgym, site, tmp_path):
    gold = {
        "page": "/index.html",
        "server": {"command": ["python3", "-m", "http.server", "{port}", "--bind", "127.0.0.1"]},
        "tasks": [{"name": "first", "values": {"customer": "Ann"}}],
        "fields": {"customer": {"label": "Customer", "control": "text"}},
    }
    (site / "gold.json").write_text(json.dumps(gold))
    refused = formgym("import", str(site), "--out", str(tmp_path / "no"), input="n\n")
    assert "http.server" in refused.stdout
    assert "was not started" in refused.stderr
    formgym("import", str(site), "--out", str(tmp_path / "yes"), "--yes")
    assert "customer" in json.loads((tmp_path / "yes/gold.json").read_text())["fields"]


APP = """import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        self.send_response(200)
        self.send_header("Content-Type", "text/html")
        self.end_headers()
        self.wfile.write(b"<form><label>Town <input name=town></label><button>Send</button></form>")
http.server.HTTPServer(("127.0.0.1", int(sys.argv[1])), Handler).serve_forever()
"""


def test_a_folder_with_a_server_needs_no_page_of_its_own(formgym, tmp_path):
    (tmp_path / "app").mkdir()
    (tmp_path / "app/app.py").write_text(APP)
    formgym("import", str(tmp_path / "app"), "--out", str(tmp_path / "page"), "--server", "python3 app.py {port}")
    assert list(json.loads((tmp_path / "page/gold.json").read_text())["fields"]) == ["town"]
