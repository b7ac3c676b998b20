"""The commands about documents, as their users run them."""

import json
import subprocess
import sys
import zipfile

import pytest
from sizes import LONG

from formgym.envs.documents.feedback.network import SHIPPED
from formgym.envs.documents.formats.files import read_document, write_document
from formgym.envs.documents.language.ranking import LEARNED
from formgym.envs.documents.scene.document import shipped_document
from formgym.experiments.authoring.edit_file import edit_file
from formgym.experiments.reporting.grounding_metrics import report_grounding
from formgym.experiments.training import MODELS, train_model

pytest.importorskip("pptx")


@pytest.fixture
def deck(tmp_path):
    from pptx import Presentation

    made = Presentation()
    for title, body in (("Quarterly results", "Sales up\nCosts down"), ("Outlook", "More of the same")):
        slide = made.slides.add_slide(made.slide_layouts[1])
        slide.shapes.title.text, slide.placeholders[1].text = title, body
    made.save(tmp_path / "deck.pptx")
    return tmp_path / "deck.pptx"


def _run(*arguments, cwd):
    return subprocess.run(
        [sys.executable, "-c", "from formgym.experiments.cli import main; main()", *map(str, arguments)],
        cwd=cwd, capture_output=True, text=True, timeout=120,
    )  # fmt: skip


def test_a_deck_is_edited_as_a_sentence_asks(deck):
    out = deck.with_name("out.pptx")
    done = _run("edit", deck, "move the title on slide 1 down by 20 px", "-o", out, cwd=deck.parent)
    assert done.returncode == 0, done.stderr
    assert "changed: title of slide 1 (text): position" in done.stdout
    before, after = read_document(deck).document, read_document(out).document
    title = next(element for element in before.elements() if element.text == "Quarterly results")
    moved = after.find(title.id)
    assert moved.bbox == (title.bbox[0], title.bbox[1] + 20, *title.bbox[2:])
    assert [e for e in after.elements() if e.id != title.id] == [e for e in before.elements() if e.id != title.id]
    with zipfile.ZipFile(deck) as old, zipfile.ZipFile(out) as new:
        differing = [name for name in old.namelist() if old.read(name) != new.read(name)]
    assert differing == ["ppt/slides/slide1.xml"]


@pytest.mark.parametrize(
    "request_",
    [
        "paint the sky",
        "",
        "delete the elephant icon",
        "?" * 3000,
        "Don't delete the title",
        "The title must not be deleted",
        "Delete the title unless it is red",
        "Should I delete the title?",
        "Delete the title? No, keep it",
        "Without deleting the title, make the list bold",
        "Move the title down by 20 px",
        "Make the title on slide 9 red",
        "Make the first bullet bold",
        "Delete the third picture",
        "Delete the green box",
        "Make all prices bold",
        "Move the title on slide 1 up by 3 furlongs",
        "change the text of the title to " + "word " * 2000,
    ],
)
def test_what_is_not_understood_is_said_and_nothing_is_written(deck, request_, capsys):
    out = deck.with_name("out.pptx")
    assert not edit_file(deck, request_, out, show_program=False)
    assert "Nothing was written" in capsys.readouterr().out
    assert not out.exists()


def test_the_program_is_shown(deck, capsys):
    assert edit_file(deck, 'change the text of the title on page 2 to "Plans"', None, show_program=True)
    assert "modification='Plans', type_of_modification='text'" in capsys.readouterr().out
    assert deck.with_name("deck-edited.pptx").exists()


@pytest.mark.parametrize("suffix", [".json", ".png"])
def test_other_formats_are_written(tmp_path, suffix):
    path = tmp_path / "invoice.json"
    write_document(shipped_document("invoice"), path)
    assert edit_file(path, "delete the largest icon", tmp_path / f"out{suffix}", False) or edit_file(
        path, "make all texts bold", tmp_path / f"out{suffix}", False
    )
    assert (tmp_path / f"out{suffix}").stat().st_size > 500


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "broken.pptx").write_bytes(b"no zip")
    for name in ("broken.pptx", "missing.json", "page.docx"):
        with pytest.raises(ValueError, match=name):
            edit_file(tmp_path / name, "delete the title", None, False)
    done = _run("edit", "missing.pptx", "delete the title", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr


@LONG
def test_grounding_metrics_are_written(tmp_path, capsys):
    report_grounding("test", tmp_path / "metrics.json")
    assert "top-1" in capsys.readouterr().out
    assert json.loads((tmp_path / "metrics.json").read_text())["split"] == "test"


def test_there_is_no_other_model_to_train():
    with pytest.raises(ValueError, match="ranker, feedback"):
        train_model("butler")


@LONG
@pytest.mark.parametrize("model", MODELS)
def test_training_again_gives_the_shipped_file(model, tmp_path):
    shipped = {"ranker": LEARNED, "feedback": SHIPPED}[model]
    assert train_model(model, tmp_path / "again.json").read_bytes() == shipped.read_bytes()
