"""``formgym edit`` by sentences, calls and questions in files; what it keeps, and what it never writes."""

import json
import threading
import time

import numpy as np
import pytest
from command_line import formgym_command
from provider_answers import Answer
from provider_server import provider_server

from formgym.agents.models.scripted import Scripted
from formgym.envs.documents.formats.files import write_document
from formgym.envs.documents.operations.pages import delete_page, move_page
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.scene.document import Document, load_document, numbers_of
from formgym.envs.documents.scoring.changes import changes_in_words
from formgym.envs.documents.shipped import DOCUMENTS
from formgym.experiments.authoring.edit_document import edit_document, undo_edit
from formgym.experiments.authoring.edit_preview import overview, preview
from formgym.experiments.authoring.program_writer import MAX_PAGES, EditFailed, ProgramWriter
from formgym.experiments.authoring.versions import replace_file, restore_version, versions_folder

POSTER = load_document(DOCUMENTS / "concert_poster.json")


def program(*lines):
    return "\n".join(["Here it is:", "```python", "def main(document):", *(f"    {line}" for line in lines), "```"])


BLUE, GONE = program('MODIFY("headline", "blue", "colour")'), program('DELETE("foot")')
NUMBERS = numbers_of(POSTER)
BLUE_BY_NUMBER, GONE_BY_NUMBER = (
    program(f'MODIFY("{NUMBERS["headline"]}", "blue", "colour")'), program(f'DELETE("{NUMBERS["foot"]}")'),
)  # fmt: skip
"""For files, whose elements a model knows by neutral ids."""
BROKEN = program('MODIFY("headlin", "blue", "colour")')
LONG = Document(
    name="long",
    title="Long",
    kind="slides",
    pages=[
        page.model_copy(
            update={
                "elements": tuple(e.model_copy(update={"id": f"p{i}_{e.id}", "parent": None}) for e in page.elements)
            }
        )
        for i in range(1, MAX_PAGES + 4)
        for page in POSTER.pages[:1]
    ],
)


class Asked(Scripted):
    """A scripted model that keeps what it was asked."""

    def generate(self, messages, tools=(), **settings):
        self.asked = list(messages)
        return super().generate(messages, tools, **settings)


def texts_of(message):
    return "\n".join(getattr(block, "text", "") for block in message.content)


def pictures_of(message):
    return [block for block in message.content if not hasattr(block, "text")]


@pytest.fixture
def poster(tmp_path):
    path = tmp_path / "poster.json"
    write_document(POSTER, path)
    return path


def scripted(folder, *replies):
    (folder / "replies.json").write_text(json.dumps(replies))
    return ["model=scripted", f"model.path={folder / 'replies.json'}"]


# -- Models ------------------------------------------------------------------------------------------------------------


def test_a_model_gets_marked_pictures_and_ids_and_no_search():
    model = Asked([BLUE])
    edited = ProgramWriter(model).edit(POSTER, "Make the headline blue")
    assert edited.find("headline").style.colour != POSTER.find("headline").style.colour
    rules, question = model.asked
    assert "FIND_AND_GET" not in texts_of(rules)
    assert all(element.id in texts_of(question) for element in POSTER.elements())
    assert texts_of(question).endswith("The request: Make the headline blue")
    (picture,) = pictures_of(question)
    assert np.array_equal(picture.pixels, painted(POSTER, 0, marks=True))


def test_errors_go_back_to_the_model_three_times_at_most():
    model = Asked([BROKEN, BROKEN, BROKEN, BLUE])
    assert ProgramWriter(model).edit(POSTER, "blue").digest != POSTER.digest
    assert "headlin" in texts_of(model.asked[-1])
    writer = ProgramWriter(Scripted([BROKEN]))
    with pytest.raises(EditFailed, match="headlin"):
        writer.edit(POSTER, "blue")
    assert writer.usage["model_calls"] == 4


def test_a_model_may_answer_in_words():
    with pytest.raises(EditFailed, match="Which headline"):
        ProgramWriter(Scripted(["<think>def main</think>Which headline do you mean?"])).edit(POSTER, "blue")


def test_a_new_layout_problem_is_named_to_the_model_once():
    ground = POSTER.pages[0].elements[0].id
    bare = program(f'DELETE("{ground}")')
    model = Asked([bare, BLUE])
    assert ProgramWriter(model).edit(POSTER, "blue").find(ground) is not None
    assert "Look at the layout" in texts_of(model.asked[-1])
    for replies in ([bare], [bare, "It is meant so."], [bare, BROKEN]):
        assert ProgramWriter(Scripted(replies)).edit(POSTER, "without the ground").find(ground) is None


def test_long_documents_are_an_outline_and_the_pages_that_are_named_or_called():
    model = Asked(["PAGES: 5, 6, 400", program('MODIFY("p6_headline", "blue", "colour")')])
    ProgramWriter(model).edit(LONG, "Make the headline blue, unlike slide 3")
    rules, question, _, pages = model.asked
    assert "PAGES: 3, 5" in texts_of(rules)
    assert [picture.name for picture in pictures_of(question)] == [f"pages_1_to_{MAX_PAGES + 3}", "page_3"]
    assert [picture.name for picture in pictures_of(pages)] == ["page_5", "page_6"]
    assert "p3_headline" in texts_of(question)
    assert "p5_headline" not in texts_of(question)
    assert "p6_headline" in texts_of(pages)


def test_later_sentences_continue_the_conversation():
    model = Asked([BLUE, GONE])
    writer = ProgramWriter(model)
    edited = writer.edit(writer.edit(POSTER, "blue"), "drop the last line")
    assert edited.find("foot") is None
    assert edited.find("headline").style.colour != POSTER.find("headline").style.colour
    writer.reject()
    writer.edit(POSTER, "again")
    assert "not taken" in texts_of(model.asked[-1])


# -- The command -------------------------------------------------------------------------------------------------------


def test_sentences_edit_the_file_after_a_yes_and_undo_brings_it_back(poster):
    before = poster.read_bytes()
    done = formgym_command("edit", poster, "Make the headline blue", "and drop the last line", *scripted(poster.parent, BLUE_BY_NUMBER, GONE_BY_NUMBER), cwd=poster.parent, input="y\n")  # fmt: skip  # noqa: E501
    assert done.returncode == 0, done.stderr
    assert "colour" in done.stdout
    assert "→ blue" in done.stdout
    assert "deleted" in done.stdout
    assert "2 replies" in done.stdout
    assert poster.with_name("poster-preview.png").exists()
    assert load_document(poster).find("foot") is None
    done = formgym_command("edit", poster, "--undo", cwd=poster.parent)
    assert done.returncode == 0, done.stderr
    assert poster.read_bytes() == before
    assert not versions_folder(poster).exists()


@pytest.mark.parametrize(
    ("replies", "answer"),
    [
        ([BLUE_BY_NUMBER], ""),
        ([BLUE_BY_NUMBER], "n\n"),
        ([BLUE_BY_NUMBER, BROKEN], "y\n"),
        ([BLUE_BY_NUMBER, {"error": "down"}], "y\n"),
    ],
)
def test_nothing_is_written_when_a_step_fails_or_the_person_says_no(poster, replies, answer, monkeypatch):
    sentences, settings = ["one", "two"][: len(replies)], scripted(poster.parent, *replies)
    files = {path: path.read_bytes() for path in poster.parent.iterdir()}
    answers = iter(answer.splitlines())

    def asked(_):
        if (given := next(answers, None)) is None:
            raise EOFError
        return given

    monkeypatch.setattr("builtins.input", asked)
    assert not edit_document(poster, [*sentences, *settings])
    assert {path: path.read_bytes() for path in poster.parent.iterdir()} == files


def test_a_budget_ends_the_conversation_before_the_call_that_would_exceed_it(poster, capsys):
    settings = [*scripted(poster.parent, BROKEN, BLUE_BY_NUMBER), "prices={scripted: {input: 1, output: 1}}"]
    before = poster.read_bytes()
    assert not edit_document(poster, ["Blue", *settings, "budget.dollars=0.02"], yes=True)
    said = capsys.readouterr()
    assert "the budget of 0.02 dollars is spent: 0.0" in said.out + said.err
    assert "Nothing was written" in said.out + said.err
    assert poster.read_bytes() == before
    assert edit_document(poster, ["Blue", *settings, "budget.dollars=1"], yes=True)


def test_without_a_sentence_each_turn_is_an_edit_until_nothing_is_said(poster, monkeypatch):
    answers = iter(["make it blue", "y", "drop the last line", "n", ""])
    monkeypatch.setattr("builtins.input", lambda _: next(answers))
    assert edit_document(poster, scripted(poster.parent, BLUE_BY_NUMBER, GONE_BY_NUMBER))
    edited = load_document(poster)
    assert edited.find("foot") is not None
    assert edited.find("headline") != POSTER.find("headline")
    assert len(list(versions_folder(poster).iterdir())) == 1
    undo_edit(poster)
    assert load_document(poster) == POSTER


def test_a_file_that_others_changed_meanwhile_stays_theirs(poster, monkeypatch):
    def asked(_):
        poster.write_bytes(poster.read_bytes() + b"\n")
        return "y"

    monkeypatch.setattr("builtins.input", asked)
    with pytest.raises(ValueError, match="changed by others meanwhile"):
        edit_document(poster, ["Make it blue", *scripted(poster.parent, BLUE_BY_NUMBER)])
    assert load_document(poster) == POSTER
    assert not versions_folder(poster).exists()


def test_a_document_that_out_names_is_kept_too(poster):
    other = poster.with_name("other.json")
    other.write_text("precious")
    assert edit_document(poster, ["Blue", *scripted(poster.parent, BLUE_BY_NUMBER)], out=other, yes=True)
    undo_edit(other)
    assert other.read_text() == "precious"
    assert load_document(poster) == POSTER


def test_calls_of_operations_need_no_model(poster):
    (calls := poster.with_name("calls.json")).write_text('[{"name": "DELETE", "arguments": {"object_id": "e1"}}]')
    assert edit_document(poster, calls=str(calls), out=poster.with_name("out.json"))
    assert len(list(load_document(poster.with_name("out.json")).elements())) < len(list(POSTER.elements()))
    assert load_document(poster) == POSTER
    for text, why in (("{}", "no list"), ('[{"name": "PAINT", "arguments": {}}]', "no operation 'PAINT'")):
        calls.write_text(text)
        with pytest.raises(ValueError, match=why):
            edit_document(poster, calls=str(calls))
    calls.write_text('[{"name": "DELETE", "arguments": {"object_id": "e999"}}]')
    assert not edit_document(poster, calls=str(calls))
    assert load_document(poster) == POSTER


def test_questions_in_a_folder_are_answered_by_anyone(poster):
    folder = poster.with_name("questions")

    def reply():
        while not (asked := list(folder.glob("*/*/prompt.md"))):
            time.sleep(0.05)
        assert list(asked[0].parent.glob("page_1-*.png"))
        asked[0].with_name("reply.md").write_text(GONE_BY_NUMBER)

    person = threading.Thread(target=reply)
    person.start()
    assert edit_document(poster, ["Drop the first", "model.timeout=20"], ask=folder, yes=True)
    person.join()
    assert load_document(poster) != POSTER


def test_a_server_writes_the_program_despite_faults_and_its_cost_is_shown(poster, capsys, monkeypatch):
    pytest.importorskip("openai", reason="needs OpenAI's SDK: pip install 'formgym[llm]'")
    monkeypatch.setenv("OPENAI_API_KEY", "sk-formgym-0123456789abcdef")
    reply = Answer(GONE_BY_NUMBER, [], 1000, 500)
    with provider_server(
        answer=lambda request: reply, fault=lambda number, _: "500" if number == 0 else None
    ) as server:
        settings = [
            "model=openai_compatible",
            "model.name=tiny",
            f"model.base_url={server.url}/v1",
            "model.max_wait=0.05",
        ]
        assert edit_document(poster, ["Fade it", *settings, "prices={tiny: {input: 2, output: 8}}"], yes=True)
        assert len(server.requests) == 2
        assert server.requests[-1].pictures
    assert "$0.0060" in capsys.readouterr().out
    assert load_document(poster) != POSTER


def test_settings_that_do_not_go_together_are_refused(poster):
    for arguments, why in (
        ({"words": ["Make it blue"]}, "need a model"),
        ({"words": ["Make it blue", "model=none"]}, "model=none cannot edit"),
        ({"words": ["Make it blue", "model=scripte"]}, "did you mean scripted"),
        ({"words": ["Make it blue"], "program": "x.py"}, "stand alone"),
        ({"program": "x.py", "calls": "x.json"}, "stand alone"),
        ({"words": ["model=scripted"], "out": poster.with_name("o.json")}, "-o needs a sentence"),
    ):
        with pytest.raises(ValueError, match=why):
            edit_document(poster, **arguments)


# -- Versions ----------------------------------------------------------------------------------------------------------


def test_an_edit_by_others_is_never_undone_or_written_over(poster):
    replace_file(poster, lambda: poster.write_text("second"))
    poster.write_text("theirs")
    with pytest.raises(ValueError, match="changed since"):
        restore_version(poster)
    assert poster.read_text() == "theirs"


def test_whatever_ends_an_edit_the_earlier_content_is_there(tmp_path):
    file = tmp_path / "a.txt"
    file.write_text("first")

    def fails(content=None):
        if content:
            file.write_text(content)
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        replace_file(file, fails)
    assert not versions_folder(file).exists()
    with pytest.raises(KeyboardInterrupt):
        replace_file(file, lambda: fails("second"))
    restore_version(file)
    assert file.read_text() == "first"
    # Killed after the version was kept: once before the file was replaced, once before the version had its digest.
    versions_folder(file).mkdir()
    (versions_folder(file) / "001.txt").write_text("zeroth")
    (versions_folder(file) / "002.txt").write_text("first")
    restore_version(file)
    assert file.read_text() == "zeroth"
    with pytest.raises(ValueError, match="no earlier version"):
        restore_version(file)


# -- What has changed --------------------------------------------------------------------------------------------------


def test_changes_are_told_in_words_and_shown_as_pictures():
    first = POSTER.pages[0]
    headline = POSTER.find("headline")
    left = headline.model_copy(update={"bbox": (headline.bbox[0] - 4, headline.bbox[1], *headline.bbox[2:])})
    elements = tuple(left if e.id == "headline" else e for e in first.elements if e.id != "foot")
    after = POSTER.with_pages((first.model_copy(update={"elements": elements, "notes": "Speak slowly"}),))
    lines = list(changes_in_words(POSTER, after))
    assert 'page 1: notes "" → "Speak slowly"' in lines
    assert any(line.endswith("moved 4 px left") and "Harbour Lights" in line for line in lines)
    assert any(line.endswith("deleted") for line in lines)
    assert len(lines) == 3
    assert not list(changes_in_words(POSTER, POSTER))
    assert preview(POSTER, after).width > 2 * 600
    more = delete_page(move_page(LONG, 3, 1), 4)
    lines = list(changes_in_words(LONG, more))
    assert lines[0].endswith("earlier numbers: 3, 1, 2, 5, 6, 7, 8, 9, 10, 11")
    assert lines[1:] == ["page 4 is gone"]
    assert overview(LONG, range(7)).shape[2] == 3
