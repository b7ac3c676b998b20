"""The commands about documents, as their users run them."""

import zipfile
from pathlib import Path

import pytest
from command_line import formgym_command

from formgym.envs.documents.formats.files import read_document, write_document
from formgym.envs.documents.scene.document import load_document, numbers_of
from formgym.envs.documents.shipped import DOCUMENTS
from formgym.experiments.authoring.edit_document import edit_document, undo_edit

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


def _run(*arguments, cwd, input=""):
    return formgym_command(*arguments, cwd=cwd, input=input)


MOVE = 'def main(document):\n    print("down")\n    MOVE(document.elements[0], position_diff=(DOWN, 20))\n'


def test_a_program_edits_a_deck_in_place(deck):
    (deck.parent / "edit.py").write_text(MOVE)
    out = deck.with_name("out.pptx")
    done = _run("edit", deck, "--program", "edit.py", "-o", out, cwd=deck.parent)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines() == [
        "down", 'page 1, text "Quarterly results": moved 20 px down', f"written to {out}",
    ]  # fmt: skip
    before, after = read_document(deck).document, read_document(out).document
    title = next(element for element in before.elements() if element.text == "Quarterly results")
    moved = after.find(title.id)
    assert moved.bbox == (title.bbox[0], title.bbox[1] + 20, *title.bbox[2:])
    assert [e for e in after.elements() if e.id != title.id] == [e for e in before.elements() if e.id != title.id]
    with zipfile.ZipFile(deck) as old, zipfile.ZipFile(out) as new:
        differing = [name for name in old.namelist() if old.read(name) != new.read(name)]
    assert differing == ["ppt/slides/slide1.xml"]


@pytest.mark.parametrize(
    ("program", "why"),
    [
        ("", "The program cannot be run"),
        ("import os\n", "The program cannot be run"),
        ("def main(document):\n    DELETE('s9_9')\n", "s9_9"),
        ("def main(document):\n    print('so')\n", "so"),
    ],
)
def test_a_program_that_fails_writes_nothing(deck, program, why):
    done = _run("edit", deck, "--program", "-", cwd=deck.parent, input=program)
    assert done.returncode == 1
    assert why in done.stdout
    assert "Nothing was written" in done.stdout
    assert [path.name for path in deck.parent.iterdir()] == ["deck.pptx"]


@pytest.mark.parametrize("suffix", [".json", ".png"])
def test_other_formats_are_written(tmp_path, suffix):
    path, program = tmp_path / "invoice.json", tmp_path / "edit.py"
    invoice = load_document(DOCUMENTS / "invoice.json")
    write_document(invoice, path)
    program.write_text(f"def main(document):\n    DELETE('{numbers_of(invoice)['total']}')\n")
    assert edit_document(path, program=str(program), out=tmp_path / f"out{suffix}")
    assert (tmp_path / f"out{suffix}").stat().st_size > 500
    before = path.read_bytes()
    assert edit_document(path, program=str(program))
    assert len(list(load_document(path).elements())) == len(list(invoice.elements())) - 1
    undo_edit(path)
    assert path.read_bytes() == before


def test_files_that_are_none_are_refused(tmp_path):
    (tmp_path / "broken.pptx").write_bytes(b"no zip")
    (tmp_path / "edit.py").write_bytes(b"\xff")
    for name in ("broken.pptx", "missing.json", "page.docx"):
        with pytest.raises((ValueError, OSError), match=name):
            edit_document(tmp_path / name, program=str(Path(__file__)), out=tmp_path / "out.json")
    with pytest.raises(ValueError, match="UTF-8"):
        edit_document(tmp_path / "broken.pptx", program=str(tmp_path / "edit.py"))
    with pytest.raises(ValueError, match=r"out\.docx cannot be written"):
        edit_document(tmp_path / "broken.pptx", program=str(Path(__file__)), out=tmp_path / "out.docx")
    done = _run("edit", "missing.pptx", "--program", "missing.py", cwd=tmp_path)
    assert done.returncode == 2
    assert "Traceback" not in done.stderr
