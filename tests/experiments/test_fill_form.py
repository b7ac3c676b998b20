"""``formgym fill``: by the names of facts, by a model, and by a chat window; what it asks, writes and refuses."""

import json
import threading
import time

import numpy as np
import pytest
from command_line import formgym_command
from custom_form_fixture import write_form
from pdf_forms import write_pdf
from PIL import Image
from pypdf import PdfReader

from formgym.experiments.authoring.pdf.fill_form import fill_form
from formgym.experiments.authoring.pdf.reading import read_pdf
from formgym.experiments.authoring.versions import versions_folder

FACTS = """Full name: Ann Őry
Born: 05/03/1980
Plan: all
Code: AB12CD34
Country: spain
Signature: Ann Őry
Shoe size: 44"""


@pytest.fixture
def folder(tmp_path):
    return write_form(tmp_path / "member")


@pytest.fixture(scope="module")
def customs(tmp_path_factory):
    return write_pdf("customs_declaration", tmp_path_factory.mktemp("pdf"))


@pytest.fixture
def answers(monkeypatch):
    """Answers to the questions in the terminal; what is asked without one is an error."""
    given = []
    monkeypatch.setattr("builtins.input", lambda question: given.pop(0))
    return given


def scripted(folder, *replies):
    (folder / "replies.json").write_text(json.dumps([json.dumps(reply) for reply in replies]))
    return ["model=scripted", f"model.path={folder / 'replies.json'}", "model_cache=null"]


def filled_in(field, text, fact):
    return {"tool": "fill_in", "field": field, "text": text, "fact": fact}


END = [{"tool": "terminate"}]


# -- By names ----------------------------------------------------------------------------------------------------------


def test_facts_go_to_the_fields_of_their_names_without_a_question(folder, tmp_path, answers, capsys):
    out = tmp_path / "out.pdf"
    assert fill_form(folder, FACTS, out=out)
    first, second = (page.extract_text() for page in PdfReader(out).pages)
    assert all(text in first.replace("\n", "") for text in ("Ann Őry", "05/03/1980", "AB12CD34", "Spain", "X"))
    assert second.count("Ann Őry") == 2
    table = out.with_suffix(".md").read_text()
    assert "| 1 | Country | Spain | Country: spain |" in table
    assert "no field was found for 'Shoe size: 44'" in table
    assert {path.name for path in tmp_path.glob("out*")} == {"out.pdf", "out.md", "out-page-1.png", "out-page-2.png"}
    assert np.asarray(Image.open(tmp_path / "out-page-1.png")).min() < 100
    assert "Shoe size" in capsys.readouterr().out


def test_what_is_in_doubt_is_named_and_asked(folder, tmp_path, answers, capsys):
    out, doubtful = (
        tmp_path / "out.pdf",
        FACTS + "\nBorn: 06/03/1980\nRemarks: from 漢口\nFee: 1,000,000,000,000,000,000",
    )
    answers += ["n", "yes"]
    assert not fill_form(folder, doubtful, out=out)
    assert not list(tmp_path.glob("out*"))
    assert "Nothing was written." in capsys.readouterr().out
    assert fill_form(folder, doubtful, out=out)
    table = out.with_suffix(".md").read_text()
    assert "may be 'Born: 05/03/1980' or 'Born: 06/03/1980'" in table
    assert "check: it holds 口漢" in table
    assert not answers


def test_a_date_in_another_format_and_a_text_too_long_are_named(tmp_path, answers):
    form = write_pdf("visa", tmp_path)
    answers += ["y"]
    assert fill_form(form, "Date of birth (dd/mm/yyyy): 3 May 1980\n1.6 Place of birth: " + "Lee " * 80)
    table = (tmp_path / "visa-filled.md").read_text()
    assert "the form asks for the date as dd/mm/yyyy" in table
    assert "too long" in table
    assert PdfReader(tmp_path / "visa-filled.pdf").get_fields()["applicant.birth.place"]["/V"].startswith("Lee Lee")


def test_an_entry_under_a_heading_that_its_fact_does_not_name_is_to_be_looked_at(tmp_path, answers):
    form = write_pdf("rental_application", tmp_path)
    answers += ["y"]
    assert fill_form(form, "Second applicant full name: Joel Ek\nRent: 1490")
    table = (tmp_path / "rental_application-filled.md").read_text()
    assert "| 1 | SECOND APPLICANT: Full name | Joel Ek | Second applicant full name: Joel Ek" in table
    assert "Rent: 1490; check: it is the 'Rent' of 'WHERE YOU HAVE LIVED'" in table


def test_the_form_itself_is_written_only_if_named_and_its_version_kept(customs, tmp_path):
    form = tmp_path / "form.pdf"
    form.write_bytes(before := customs.read_bytes())
    assert fill_form(form, "Sender's name: Ann", yes=True)
    assert form.read_bytes() == before
    assert fill_form(form, "Sender's name: Ann", out=form, yes=True)
    assert form.read_bytes() != before
    assert [path.read_bytes() for path in versions_folder(form).iterdir()] == [before]


# -- By models ---------------------------------------------------------------------------------------------------------


def test_a_model_quotes_its_facts_and_what_it_made_up_is_marked(customs, tmp_path, answers, capsys):
    facts, out = "A gift of 2 kg from Bruno in Rome.", tmp_path / "out.pdf"
    calls = [
        filled_in(1, "Bruno", "from Bruno"),
        filled_in(15, "X", "A gift"),
        filled_in(33, "EUR", "it is paid in euros"),
        filled_in(34, "1234567", "too long"),
        {"tool": "leave_empty", "field": 2, "last": 2, "reason": "no business is named"},
    ]
    answers += ["y"]
    assert fill_form(customs, facts, scripted(tmp_path, calls, END), out=out)
    values = {str(one.get("/V")) for one in PdfReader(out).get_fields().values()}
    assert {"Bruno", "EUR"} < values
    assert "1234567" not in values
    table = out.with_suffix(".md").read_text()
    assert "| 1 | Sender's name | Bruno | from Bruno |" in table
    assert "it is paid in euros; check: these words are not in the facts" in table
    assert "| 1 | From: Business, if any |  | no business is named |" in table
    assert "2 replies" in capsys.readouterr().out


def test_what_a_model_places_in_a_field_is_written_as_well(customs, tmp_path):
    box = next(field for field in read_pdf(customs)[1] if field.label == "Sender's name")
    height, width = read_pdf(customs)[0].pictures[0].shape[:2]
    left, top, right, bottom = box.box
    call = {"tool": "place_text", "x": (left + right) / 2 / width, "y": (top + bottom) / 2 / height, "text": "Bruno"}
    out = tmp_path / "out.pdf"
    assert fill_form(customs, "from Bruno", scripted(tmp_path, [call], END), out=out, yes=True)
    assert PdfReader(out).get_fields()[box.source_name].get("/V") == "Bruno"
    assert "| 1 | Sender's name | Bruno | from Bruno |" in out.with_suffix(".md").read_text()


def test_a_chat_window_is_given_the_numbered_picture_and_its_reply_read(customs, tmp_path):
    folder = tmp_path / "ask"

    def is_waiting(question):
        return (question / "prompt.md").exists() and not (question / "reply.md").exists()

    def person():
        for reply in (filled_in(1, "Bruno", "from Bruno"), *END):
            while not (
                asked := [one for one in folder.glob("*/*/prompt.md") if not one.with_name("reply.md").exists()]
            ):
                time.sleep(0.05)
            asked[0].with_name("reply.md").write_text(json.dumps([reply]))

    helper = threading.Thread(target=person)
    helper.start()
    assert fill_form(customs, "from Bruno", ["model.poll=0.05"], ask=folder, out=tmp_path / "out.pdf", yes=True)
    helper.join()
    (first,) = folder.glob("*/001-*")
    prompt = (first / "prompt.md").read_text()
    assert '[1] textbox "Sender\'s name"' in prompt
    assert "leave_empty" in prompt
    assert len(list(first.glob("page-*.png"))) == 1


def test_a_form_without_fields_is_written_on_at_places(tmp_path, answers):
    picture, out = tmp_path / "form.png", tmp_path / "out.png"
    page = Image.new("RGB", (600, 800), "white")
    page.save(picture)
    calls = [{"tool": "place_text", "x": 0.5, "y": 0.25, "text": "Ann Lee"}]
    assert fill_form(picture, "She is Ann Lee.", scripted(tmp_path, calls, END), out=out, yes=True)
    rows, columns = np.nonzero(np.asarray(Image.open(out).convert("L")) < 128)
    assert abs(rows.mean() - 200) < 3
    assert abs(columns.mean() - 300) < 5
    assert "Ann Lee | She is Ann Lee." in out.with_suffix(".md").read_text()


# -- What is refused ---------------------------------------------------------------------------------------------------


def test_a_model_that_fails_leaves_nothing(customs, tmp_path, capsys):
    assert not fill_form(customs, "facts", ["model.timeout=0"], ask=tmp_path / "ask", out=tmp_path / "out.pdf")
    said = capsys.readouterr().out
    assert "had no reply after 0 seconds" in said
    assert "Nothing was written." in said
    assert not list(tmp_path.glob("out*"))
    assert not fill_form(customs, "facts", scripted(tmp_path, END), out=tmp_path / "out.pdf")
    assert "no fact was entered" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("facts", "settings", "out", "message"),
    [
        (" \n", (), None, "there are no facts"),
        ("a" * 40_000, (), None, "the facts have 40,000 characters; 39,000 are the most"),
        ("Ann was born in May.", (), None, "without a model, facts are lines such as"),
        ("Name: Ann", ("agent=vlm",), None, "'agent=vlm' is no setting of a model"),
        ("Name: Ann", (), "out.docx", "must end in .pdf"),
        ("Name: Ann", (), "out.png", "if the form has one page"),
    ],
)
def test_what_cannot_be_done_is_said_in_a_sentence(customs, tmp_path, facts, settings, out, message):
    with pytest.raises(ValueError, match=message):
        fill_form(customs, facts, settings, out=out and tmp_path / out)


def test_what_is_no_form_is_said_in_a_sentence(tmp_path):
    (tmp_path / "form.pdf").write_bytes(b"no PDF at all")
    with pytest.raises(ValueError, match=r"form\.pdf is no PDF"):
        fill_form(tmp_path / "form.pdf", FACTS)
    (tmp_path / "form.png").write_bytes(b"no picture at all")
    with pytest.raises(OSError, match="cannot identify"):
        fill_form(tmp_path / "form.png", FACTS)


def test_the_command_reads_facts_from_a_file(tmp_path, folder):
    (tmp_path / "facts.txt").write_text(FACTS)
    done = formgym_command("--quiet", "fill", str(folder), "--facts", "facts.txt", "--yes", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    assert str(tmp_path / "member-filled.pdf") in done.stdout.splitlines()
