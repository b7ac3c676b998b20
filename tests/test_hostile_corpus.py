"""What strangers send is data: every verb opens each row of the corpus, and nothing of it runs."""

import json
import os
import shutil
import subprocess
import sys
import unicodedata
from contextlib import contextmanager
from pathlib import Path

import form_nlu_fixture
import funsd_fixture
import hostile_corpus
import published_checkout
import pytest
import xfund_fixture
from custom_form_fixture import write_form
from foreign_deck import foreign_deck
from pdf_forms import write_pdf
from sizes import ALL

from formgym.assets import ROOT
from formgym.experiments.exporting.command import Choices, export
from formgym.experiments.publishing.commands import submit
from formgym.experiments.reporting.report import report_on
from formgym.experiments.running.sweep import sweep

MAX_CPU, MAX_MEMORY = 10.0, 512 << 20
ROWS = hostile_corpus.rows()
PROGRAM = "def main(document):\n    for element in document.elements:\n        MODIFY(element.id, 'red', 'color')\n"
_TURNING = {"LRE", "RLE", "LRO", "RLO", "PDF", "LRI", "RLI", "FSI", "PDI"}


def _acts_on_terminals(character):
    """Whether it is a control character, or turns text around."""
    category, turns = unicodedata.category(character), unicodedata.bidirectional(character) in _TURNING
    return turns or character in "\u200e\u200f\u061c" or (category in ("Cc", "Zl", "Zp") and character not in "\n\t")


@pytest.fixture(scope="module")
def sound(tmp_path_factory):
    """A folder with a sound file or folder of each kind."""
    root = tmp_path_factory.mktemp("sound")
    sweep(["agent=oracle", "env=formgym/scans", "episodes=2", f"run_dir={root / 'run'}"])
    submit([root / "run"], root / "submission.json")
    export([str(root / "run")], Choices(root / "export", format="jsonl", images=False))
    (root / "training").mkdir()
    row = "0,cloned,made,all,0.5,0.4,0.6,10"
    (root / "training" / "table.csv").write_text(f"seed,policy,pages,targets,hits,low,high,n\n{row}\n")
    shutil.copy(ROOT / "documents" / "invoice.json", root / "document.json")
    write_form(root / "own_form")
    shutil.copytree(Path(__file__).with_name("own_page"), root / "web_page")
    write_pdf("customs_declaration", root).rename(root / "form_pdf.pdf")
    (root / "deck.pptx").write_bytes(foreign_deck())
    for data_set in (funsd_fixture, xfund_fixture, form_nlu_fixture):
        data_set.write_fixture(root / data_set.__name__.removesuffix("_fixture"))
    published_checkout.write_fixture(root / "official")
    return root


@contextmanager
def _opener(commands):
    """A warm process that opens files; see ``hostile_opener``."""
    server = Path(__file__).with_name("hostile_opener.py")
    environment = os.environ | {"FORMGYM_PRIVATE_NOTE": hostile_corpus.SECRET, "WIKI_API_KEY": hostile_corpus.SECRET}
    environment.pop("FORMGYM_DATA", None)
    argv = [sys.executable, str(server), json.dumps(commands)]
    with subprocess.Popen(argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment) as process:

        def ask(job):
            print(json.dumps(job), file=process.stdin, flush=True)
            return json.loads(process.stdout.readline())

        yield ask
        process.stdin.close()


@pytest.fixture(scope="module")
def opener(sound, tmp_path_factory):
    """Opens a job in a child of a process that has opened a sound one of each kind."""
    commands, out = [], tmp_path_factory.mktemp("warm")
    for number, row in enumerate(row for row in ROWS if row["name"].startswith("a sound ")):
        root = out / str(number)
        root.mkdir()
        it = hostile_corpus.build(row, sound, root)
        for k in range(len(hostile_corpus.verbs(row))):
            (root / f"out{k}").mkdir()
            (root / f"out{k}" / "program.py").write_text(PROGRAM)
            commands.append(hostile_corpus.commands(row, it, root / f"out{k}")[k])
    with _opener(commands) as ask:
        yield ask


def _opened(row, command, sound, opener, root):
    """What was amiss when a command opened what a row describes."""
    it = hostile_corpus.build(row, sound, root)
    places = {name: root / name for name in ("out", "cwd")}
    for place in places.values():
        place.mkdir()
    (places["out"] / "program.py").write_text(PROGRAM)
    (places["cwd"] / "hostile_canary.py").write_text("raise SystemExit(9)\n")
    argv = hostile_corpus.commands(row, it, places["out"])[command]
    answer = opener({"argv": argv, "folder": str(root / "given"), **{name: str(path) for name, path in places.items()}})
    said = {name: (places["cwd"] / name).read_bytes() for name in ("stdout", "stderr")}
    text = b"\n".join(said.values()).decode(errors="replace")
    amiss = list(answer["deeds"])
    if answer["status"] not in (0, 1, 2) or "Traceback (most" in text.replace("\n  Traceback", ""):
        amiss.append(f"ended with {answer['status']}: {text[-1500:]}")
    if answer["cpu"] > MAX_CPU or answer["memory"] > MAX_MEMORY:
        amiss.append(f"took {answer['cpu']:.1f} s and {answer['memory'] / 2**20:,.0f} MB")
    if found := sorted(filter(_acts_on_terminals, set(text))):
        amiss.append(f"prints {found}")
    written = [
        path
        for place in (root / "given", places["out"])
        for path in place.rglob("*")
        if path.is_file() and not path.is_symlink()
    ]
    for path in written:
        if path.stat().st_size < 1 << 26 and hostile_corpus.SECRET.encode() in path.read_bytes():
            amiss.append(f"{path.name} holds a value of the environment")
    if hostile_corpus.SECRET in text:
        amiss.append("prints a value of the environment")
    if {path.name: path.read_text() for path in (root / "outside").iterdir()} != {"private.txt": hostile_corpus.SECRET}:
        amiss.append("writes outside")
    return amiss, answer, argv


def _cases():
    """Each row with each of its verbs; in a sample some rows with one of them."""
    for number, row in enumerate(ROWS):
        n = len(hostile_corpus.verbs(row))
        for command in range(n) if ALL else [number % n]:
            if ALL or (number % 13 == 0 and not row.get("long")):
                yield pytest.param(row, command, id=f"{row['name']}, {hostile_corpus.verbs(row)[command][0]} {command}")


@pytest.mark.parametrize(("row", "command"), list(_cases()))
def test_what_strangers_send_is_data(row, command, sound, opener, tmp_path):
    amiss, answer, argv = _opened(row, command, sound, opener, tmp_path)
    assert not amiss, (argv, answer)


def test_a_report_runs_no_script_of_theirs(sound, browser, tmp_path):
    texts = [
        row
        for row in ROWS
        if (row["kind"] == "run" and " more than " in row["name"]) or "name of its own" in row["name"]
    ]
    shutil.copytree(sound / "run", tmp_path / "all" / "sound")
    for number, row in enumerate(texts):
        (tmp_path / str(number)).mkdir()
        it = hostile_corpus.build(row, sound, tmp_path / str(number))
        it.rename(tmp_path / "all" / f"{number} {it.name}")
    report_on(tmp_path / "all", tmp_path / "report.html", max_episodes=1)
    page, dialogs, asked = browser.new_page(), [], []
    page.on("dialog", lambda dialog: (dialogs.append(dialog.message), dialog.dismiss()))
    page.on("request", lambda request: asked.append(request.url))
    page.goto((tmp_path / "report.html").as_uri())
    # Films are drawn when they are opened, and texts of theirs come in with them.
    page.evaluate("document.querySelectorAll('details').forEach((one) => (one.open = true))")
    for button in page.query_selector_all("button"):
        button.dispatch_event("click")
    page.wait_for_timeout(500)
    assert "alert(1)" in page.inner_text("body")
    assert not dialogs
    assert not [url for url in asked if not url.startswith(("file:", "data:", "blob:"))]
    assert page.query_selector("img[src=x]") is None
    page.close()
