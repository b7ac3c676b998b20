"""File formats: documents come back from PowerPoint files, edits of others touch nothing else, and text stays text."""

import contextlib
import io
import shutil
import struct
import subprocess
import sys
import zipfile
from typing import get_args

import numpy as np
import pytest
from foreign_deck import foreign_deck, members
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from PIL import Image, ImageChops, ImageDraw
from pptx import Presentation
from pptx.util import Pt
from pypdf import PdfReader
from sizes import sample

from formgym.assets import ROOT
from formgym.envs.core.text_sprites import font
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.formats.files import read_document, write_document
from formgym.envs.documents.formats.outlines import areas_of, letters_of
from formgym.envs.documents.formats.pdf import pdf_bytes
from formgym.envs.documents.formats.svg import svg_of
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.view import painted, stamp_of
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.pptx.patcher import save_edited
from formgym.envs.documents.pptx.text_reader import looks_of
from formgym.envs.documents.pptx.writer import write_pptx
from formgym.envs.documents.scene.changes import fields_of
from formgym.envs.documents.scene.document import Document, Page, load_document
from formgym.envs.documents.scene.elements import Element, Shape

FILES = sorted((ROOT / "documents").glob("*.json"))
# What has no place of its own in PowerPoint where nothing is drawn by it.
_UNSEEN = {
    "line": {"style.colour", "style.size", "style.face", "style.align", "style.bold", "style.italic", "style.anchor"},
    "image": None,
    "group": None,
    "text": {"style.fill", "style.stroke", "style.stroke_width", "style.radius"},
    "list": {"style.fill", "style.stroke", "style.stroke_width", "style.radius"},
    "table": {"style.anchor", "style.line_height", "style.radius", "columns"},
    "shape": set(),
}


@pytest.mark.parametrize("path", sample(FILES, 10), ids=lambda path: path.stem)
def test_a_document_comes_back_from_powerpoint(path, tmp_path):
    document = load_document(path)
    write_pptx(document, tmp_path / "deck.pptx")
    again = read_document(tmp_path / "deck.pptx").document
    assert (again.name, again.title, again.kind) == (document.name, document.title, document.kind)
    assert [page.background for page in again.pages] == [page.background for page in document.pages]
    for old, new in zip(document.elements(), again.elements(), strict=True):
        assert (new.id, new.name, new.type, new.parent) == (old.id, old.name, old.type, old.parent)
        unseen = _UNSEEN[old.type]
        before, after = fields_of(old), fields_of(new)
        for field in before:
            if not field.startswith("style.") or (unseen is not None and field not in unseen):
                if field == "columns":
                    continue
                assert after[field] == before[field], (old.id, field)


@pytest.mark.parametrize("path", FILES[:6], ids=lambda path: path.stem)
def test_what_comes_back_looks_the_same(path, tmp_path):
    document = load_document(path)
    write_pptx(document, tmp_path / "deck.pptx")
    again = read_document(tmp_path / "deck.pptx").document
    for old, new in zip(document.elements(), again.elements(), strict=True):
        if old.type != "group":
            assert (stamp_of(old).sprite.inverse_alpha == stamp_of(new).sprite.inverse_alpha).all(), old.id
            assert (stamp_of(old).sprite.premultiplied == stamp_of(new).sprite.premultiplied).all(), old.id


def test_other_files_are_refused(tmp_path):
    (tmp_path / "deck.pptx").write_bytes(b"no deck at all")
    with pytest.raises(ValueError, match="no PowerPoint file"):
        read_document(tmp_path / "deck.pptx")


# --- decks that were made elsewhere

DECK = foreign_deck()
OPENED = open_deck(DECK, "harbour plans.pptx")
ON_MIXED = {element.name: element.id for element in OPENED.elements_of_page(2)}


def edited_by(*steps):
    document = OPENED
    for name, *arguments in steps:
        document = OPERATIONS[name](document, *arguments)
    return document


def saved(after, tmp_path, before=OPENED, source=DECK):
    notes = save_edited(source, before, after, tmp_path / "out.pptx")
    content = (tmp_path / "out.pptx").read_bytes()
    old, new = members(source), members(content)
    assert set(old) <= set(new)
    return content, {name for name in new if old.get(name) != new[name]}, notes


def content_of(document):
    """What can be seen of each element, letter by letter where it is text."""
    seen = []
    for element in document.elements():
        fields = fields_of(element)
        looks = [(letter, look) for letter, look in looks_of(element.runs, element.style) if not letter.isspace()]
        style = {} if element.runs else {k: v for k, v in fields.items() if k.startswith("style.")}
        names = ["type", "position", "size", "opacity", "text", "shape", "rises", "cells"]
        names += ["style.fill", "style.stroke"] if element.type in ("shape", "table") else []
        seen.append({name: fields[name] for name in names} | style | {"angle": round(element.angle, 2), "looks": looks})
    return seen


def test_a_deck_from_elsewhere_is_a_document():
    assert (OPENED.name, OPENED.kind, len(OPENED.pages)) == ("harbour_plans", "slides", 3)
    assert (OPENED.pages[0].width, OPENED.pages[0].height) == (960, 540)
    title, subtitle = OPENED.elements_of_page(0)
    assert (title.id, title.name, title.type, title.text) == ("s1_2", "title of slide 1", "text", "Harbour plans")
    # The layout says where it stands and how large it is, in points, of which 960 are as wide as the slide.
    assert (title.style.size, title.style.align, subtitle.name) == (44, "center", "subtitle")
    steps = OPENED.elements_of_page(1)[1]
    assert (steps.type, steps.text) == ("list", "Dig the basin\nLay the quay\nOpen the gate in May")
    assert [run.text for run in steps.runs if run.bold] == [" in May"]
    names = "title of slide 3, chart, table, picture, go button, line, group, shape, text box 1, text box 2"
    assert ", ".join(ON_MIXED) == names
    types = [element.type for element in OPENED.elements_of_page(2)]
    assert types == ["text", "image", "table", "image", "shape", "line", "group", "shape", "text", "text"]
    button = OPENED.find(ON_MIXED["go button"])
    assert (button.bbox, button.shape, button.style.fill) == ((72, 396, 144, 72), "rectangle", (79, 129, 189))
    assert button.style.radius == 12
    inside = [element for element in OPENED.elements_of_page(2) if element.parent == ON_MIXED["group"]]
    assert [element.angle for element in inside] == [15, 15]
    assert OPENED.find(ON_MIXED["table"]).cells[1] == ("east", "12")
    assert painted(OPENED, 2)[200, 800].tolist() == [200, 60, 40]


def test_a_deck_that_is_not_edited_is_the_same_file(tmp_path):
    content, differ, _ = saved(OPENED, tmp_path)
    assert content == DECK
    assert not differ
    write_document(load_document(FILES[0]), tmp_path / "own.pptx")
    own = read_document(tmp_path / "own.pptx")
    own.save(own.document, tmp_path / "again.pptx")
    assert (tmp_path / "again.pptx").read_bytes() == own.source


THIRD = {"ppt/slides/slide3.xml"}
PICTURE = THIRD | {"ppt/slides/_rels/slide3.xml.rels", "ppt/media/image2.png"}
CHART = THIRD | {
    "[Content_Types].xml", "ppt/charts/chart2.xml", "ppt/charts/_rels/chart2.xml.rels",
    "ppt/embeddings/Microsoft_Excel_Sheet2.xlsx", "ppt/slides/_rels/slide3.xml.rels",
}  # fmt: skip
EDITS = {
    "moved": (THIRD, ("MOVE", ON_MIXED["go button"], None, ("DOWN", 20))),
    "a placeholder moved": (THIRD, ("MOVE", ON_MIXED["title of slide 3"], None, ("DOWN", 20))),
    "group moved": (THIRD, ("MOVE", ON_MIXED["group"], [20, 300])),
    "moved in a group": (THIRD, ("MOVE", ON_MIXED["shape"], [20, 300])),
    "group turned": (THIRD, ("MODIFY", ON_MIXED["group"], 70, "angle")),
    "group stretched": (THIRD, ("MODIFY", ON_MIXED["group"], 300, "width")),
    "turned in a group": (THIRD, ("MODIFY", ON_MIXED["shape"], 70, "angle")),
    "chart made larger": (THIRD, ("MODIFY", ON_MIXED["chart"], 400, "width")),
    "deleted": (THIRD, ("DELETE", ON_MIXED["chart"]), ("DELETE", ON_MIXED["group"])),
    "words": (THIRD, ("MODIFY", ON_MIXED["go button"], "Stop here", "text")),
    "look": (
        THIRD,
        ("MODIFY", ON_MIXED["text box 2"], "red", "color"),
        ("MODIFY", ON_MIXED["text box 2"], 21, "font_size"),
        ("MODIFY", ON_MIXED["text box 2"], "Noto Serif", "font"),
        ("MODIFY", ON_MIXED["text box 2"], True, "underline"),
        ("MODIFY", ON_MIXED["text box 2"], "right", "align"),
        ("MODIFY", ON_MIXED["text box 2"], 2, "line_height"),
        ("MODIFY", ON_MIXED["text box 2"], 0.5, "opacity"),
    ),
    "paint": (
        THIRD,
        ("MODIFY", ON_MIXED["go button"], "green", "fill"),
        ("MODIFY", ON_MIXED["go button"], 5, "stroke_width"),
        ("MODIFY", ON_MIXED["go button"], 30, "radius"),
        ("MODIFY", ON_MIXED["shape"], "star", "shape"),
        ("MODIFY", ON_MIXED["shape"], 0.25, "opacity"),
        ("MODIFY", ON_MIXED["line"], "red", "stroke"),
        ("MODIFY", ON_MIXED["picture"], 0.25, "opacity"),
    ),
    "list": ({"ppt/slides/slide2.xml"}, ("MODIFY", "s2_3", "Dig the basin\nWait\nOpen the old gate in May", "text")),
    "split": ({"ppt/slides/slide2.xml"}, ("SPLIT", "s2_3", "\n")),
    "merged": ({"ppt/slides/slide1.xml"}, ("MERGE", ["s1_2", "s1_3"])),
    "copied": (THIRD, ("COPY", ON_MIXED["go button"], [300, 300]), ("COPY", ON_MIXED["table"], [20, 20])),
    "group copied": (THIRD, ("COPY", ON_MIXED["group"], [20, 20])),
    "chart copied": (CHART, ("COPY", ON_MIXED["chart"], [300, 250])),
    "cells": (
        THIRD,
        ("MODIFY", ON_MIXED["table"], (2, 1, "north"), "cell"),
        ("MODIFY", ON_MIXED["table"], "red", "color"),
        ("MODIFY", ON_MIXED["table"], "yellow", "fill"),
        ("MODIFY", ON_MIXED["table"], 14, "font_size"),
    ),
    "rows": (THIRD, ("MODIFY", ON_MIXED["table"], "Pier\tBoats\nwest\t20\nnew\t1\nold\t2", "text")),
    "columns": (THIRD, ("MODIFY", ON_MIXED["table"], "Pier\tBoats\tCrew\neast\t12\t3\nwest\t20\t4", "text")),
    "order": (THIRD, ("MODIFY", ON_MIXED["picture"], "front", "order")),
    "added": (THIRD, ("ADD", "text", '"Hello" in red', [100, 100], 2), ("ADD", "shape", "a blue star", [9, 9], 2)),
    "replaced": (THIRD, ("REPLACE", ON_MIXED["go button"], "shape", "text", '"words"')),
}


@pytest.mark.parametrize(("differ", "steps"), [(first, rest) for first, *rest in EDITS.values()], ids=list(EDITS))
def test_an_edit_is_written_and_nothing_else_is(differ, steps, tmp_path):
    after = edited_by(*steps)
    content, found, notes = saved(after, tmp_path)
    assert found == differ
    assert notes == ()
    again = open_deck(content, "harbour plans.pptx")
    assert content_of(again) == content_of(after)
    # What nobody knows is still there.
    assert b'kept="yes"' in members(content)["ppt/slides/slide3.xml"]
    Presentation(io.BytesIO(content))


def test_a_picture_is_swapped_and_a_chart_replaced(tmp_path):
    for name in ("picture", "chart"):
        after = edited_by(("MODIFY", ON_MIXED[name], "icon/cup", "picture"))
        content, differ, notes = saved(after, tmp_path)
        assert differ == PICTURE
        assert notes == ()
        shown = open_deck(content, "harbour plans.pptx")
        assert shown.elements_of_page(2)[1 if name == "chart" else 3].bbox == OPENED.find(ON_MIXED[name]).bbox
        assert np.abs(painted(shown, 2).astype(int) - painted(after, 2)).mean() < 0.1


def test_an_id_that_came_free_may_be_used_again(tmp_path):
    after = edited_by(("DELETE", ON_MIXED["go button"]), ("COPY", ON_MIXED["shape"], [20, 20]))
    assert ON_MIXED["go button"] in after.places
    again = open_deck(saved(after, tmp_path)[0], "harbour plans.pptx")
    # The copy is in the group of its model, and no more over what the group is under.
    assert sorted(map(repr, content_of(again))) == sorted(map(repr, content_of(after)))


def test_runs_keep_what_a_document_does_not_know(tmp_path):
    after = edited_by(("MODIFY", "s2_3", 36, "font_size"), ("MODIFY", "s2_3", "red", "color"))
    slide = Presentation(io.BytesIO(saved(after, tmp_path)[0])).slides[1]
    runs = slide.placeholders[1].text_frame.paragraphs[2].runs
    assert [run.text for run in runs] == ["Open the gate", " in May"]
    assert (runs[1].hyperlink.address, runs[1].font.bold) == ("https://example.org", True)
    assert runs[0].font.size == Pt(36)
    assert runs[0].font.bold is None


def test_paragraphs_that_do_not_change_are_not_touched(tmp_path):
    after = edited_by(("MODIFY", "s2_3", "Dig the basin\nLay the long quay\nOpen the gate in May", "text"))
    old, new = (
        [etree.tostring(p._p) for p in Presentation(io.BytesIO(one)).slides[1].placeholders[1].text_frame.paragraphs]
        for one in (DECK, saved(after, tmp_path)[0])
    )
    assert new[0] == old[0]
    assert new[1] != old[1]


def test_animations_and_connections_do_not_outlive_what_they_are_of(tmp_path):
    after = edited_by(("DELETE", ON_MIXED["go button"]))
    xml = members(saved(after, tmp_path)[0])["ppt/slides/slide3.xml"].decode()
    number = ON_MIXED["go button"].split("_")[1]
    assert f'spid="{number}"' not in xml
    assert "stCxn" not in xml
    assert 'spid="2"' in xml
    assert xml.count("<p:bldP ") == 1
    both = edited_by(("DELETE", ON_MIXED["go button"]), ("DELETE", ON_MIXED["title of slide 3"]))
    assert b"timing" not in members(saved(both, tmp_path)[0])["ppt/slides/slide3.xml"]


def test_what_cannot_be_written_is_noted(tmp_path):
    _, _, notes = saved(edited_by(("MODIFY", ON_MIXED["chart"], 0.5, "opacity")), tmp_path)
    assert len(notes) == 1
    assert "chart" in notes[0]
    _, _, notes = saved(edited_by(("MODIFY", ON_MIXED["table"], 45, "angle")), tmp_path)
    assert len(notes) == 1
    assert "turned" in notes[0]


def _packed(content):
    """The parts of a package as they are compressed in it."""
    found = {}
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        for info in package.infolist():
            n_name, n_extra = struct.unpack_from("<HH", content, info.header_offset + 26)
            start = info.header_offset + 30 + n_name + n_extra
            found[info.filename] = content[start : start + info.compress_size]
    return found


@pytest.mark.parametrize("level", [0, 1, 9])
def test_what_an_edit_does_not_touch_is_not_compressed_again(tmp_path, level):
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as package:
        for name, data in members(DECK).items():
            package.writestr(name, data)
    after = edited_by(("MODIFY", "s1_2", "Other words", "text"))
    content, changed, _ = saved(after, tmp_path, source=packed.getvalue())
    old, new = _packed(packed.getvalue()), _packed(content)
    assert changed == {"ppt/slides/slide1.xml"}
    assert {name for name in new if new[name] != old[name]} == changed
    assert list(new) == list(old)
    with zipfile.ZipFile(io.BytesIO(content)) as package:
        assert package.testzip() is None
    assert open_deck(content, "harbour plans.pptx").pages == after.pages


def test_pages_that_an_edit_leaves_alone_are_not_read_again(tmp_path):
    other = OPENED.with_elements(2, OPENED.elements_of_page(2)[::-1])
    after = OPERATIONS["MODIFY"](other, "s1_2", "Other words", "text")
    _, changed, notes = saved(after, tmp_path, before=other)
    assert (changed, notes) == ({"ppt/slides/slide1.xml"}, ())


def test_the_wrong_file_is_not_written_into(tmp_path):
    other = edited_by(("MOVE", "s1_2", [0, 0]))
    with pytest.raises(ValueError, match="not the one that was read"):
        save_edited(DECK, other, OPENED, tmp_path / "out.pptx")
    shorter = OPENED.model_copy(update={"pages": OPENED.pages[:2]})
    with pytest.raises(ValueError, match="pages cannot be"):
        save_edited(DECK, OPENED, shorter, tmp_path / "out.pptx")
    assert not (tmp_path / "out.pptx").exists()


_KINDS = ("MOVE", "DELETE", "COPY", "width", "angle", "text", "bold", "order", "case", "color")


@settings(max_examples=25, deadline=None, derandomize=True)
@given(st.lists(st.tuples(st.integers(0, 99), st.sampled_from(_KINDS), st.integers(1, 350)), min_size=1, max_size=5))
def test_any_edits_come_back(tmp_path_factory, steps):
    document = OPENED
    for which, kind, value in steps:
        elements = list(document.elements())
        name = elements[which % len(elements)].id
        values = {"text": f"other words {value}", "bold": True, "order": "front", "case": "upper", "color": "red"}
        step = (name, [value, value]) if kind in ("MOVE", "COPY") else (name, values.get(kind, value), kind)
        with contextlib.suppress(ToolError):
            document = OPERATIONS.get(kind, OPERATIONS["MODIFY"])(document, *(step if kind != "DELETE" else step[:1]))
    content, _, notes = saved(document, tmp_path_factory.mktemp("any"))
    again = open_deck(content, "harbour plans.pptx")
    seen = [sorted((e.type, e.text, e.bbox, round(e.angle) % 360) for e in one.elements()) for one in (document, again)]
    assert notes or seen[0] == seen[1]


def test_an_own_deck_keeps_what_others_put_into_it(tmp_path):
    write_document(load_document(FILES[0]), tmp_path / "own.pptx")
    deck = Presentation(tmp_path / "own.pptx")
    deck.slides[0].notes_slide.notes_text_frame.text = "Speak slowly"
    deck.save(tmp_path / "own.pptx")
    opened = read_document(tmp_path / "own.pptx")
    first = next(element for element in opened.document.elements() if element.type == "text")
    after = OPERATIONS["MODIFY"](opened.document, first.id, "Other words", "text")
    assert opened.save(after, tmp_path / "out.pptx") == ()
    assert read_document(tmp_path / "out.pptx").document == after
    assert Presentation(tmp_path / "out.pptx").slides[0].notes_slide.notes_text_frame.text == "Speak slowly"
    old, new = members(opened.source), members((tmp_path / "out.pptx").read_bytes())
    assert {name for name in new if old.get(name) != new[name]} == {"ppt/slides/slide1.xml"}


@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_a_deck_of_another_program_is_edited(tmp_path):
    (tmp_path / "deck.pptx").write_bytes(DECK)
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    for source, kind in (("deck.pptx", "odp"), ("deck.odp", "pptx")):
        out = tmp_path / "other" if kind == "pptx" else tmp_path
        command = ["soffice", home, "--headless", "--convert-to", kind, "--outdir", str(out), str(tmp_path / source)]
        subprocess.run(command, check=True, capture_output=True, timeout=120)
    source = (tmp_path / "other" / "deck.pptx").read_bytes()
    document = open_deck(source, "deck.pptx")
    assert [len(page.elements) for page in document.pages] == [2, 2, 10]
    texts = {element.text for element in document.elements()}
    assert {"Harbour plans", "Dig the basin\nLay the quay\nOpen the gate in May", "grouped words"} <= texts
    assert saved(document, tmp_path, document, source)[0] == source
    title = document.elements_of_page(0)[0]
    after = OPERATIONS["MODIFY"](OPERATIONS["MOVE"](document, title.id, [40, 50]), title.id, "Quay plans", "text")
    content, differ, notes = saved(after, tmp_path, document, source)
    assert differ == {"ppt/slides/slide1.xml"}
    assert notes == ()
    assert content_of(open_deck(content, "deck.pptx")) == content_of(after)


# --- files that cannot be opened


def _zipped(name, content):
    file = io.BytesIO()
    with zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as package:
        package.writestr(name, content)
    return file.getvalue()


def _spoilt(content):
    at = content.index(b"ppt/slides/slide1.xml") + 200
    return content[:at] + b"\0" * 40 + content[at + 40 :]


BROKEN = {
    "empty": (b"", "no PowerPoint file"),
    "no package": (b"hello there", "no PowerPoint file"),
    "another package": (_zipped("word/document.xml", "<w/>"), "no PowerPoint file"),
    "locked": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "locked with a password"),
    "cut off": (DECK[:9000], "no PowerPoint file"),
    "damaged": (_spoilt(DECK), "PowerPoint file|damaged"),
    "a bomb": (_zipped("ppt/slides/slide1.xml", b"\0" * (60 << 20)), "too much"),
}


@pytest.mark.parametrize(("content", "words"), BROKEN.values(), ids=list(BROKEN))
def test_broken_files_are_refused_in_plain_words(content, words, tmp_path):
    (tmp_path / "deck.pptx").write_bytes(content)
    with pytest.raises(ValueError, match=words):
        read_document(tmp_path / "deck.pptx")


# --- the door


def test_other_ends_of_names_are_refused(tmp_path):
    for path in (tmp_path / "a.docx", tmp_path / "a"):
        with pytest.raises(ValueError, match="cannot be opened"):
            read_document(path)
        with pytest.raises(ValueError, match="cannot be written"):
            write_document(OPENED, path)
    with pytest.raises(ValueError, match="cannot be read"):
        read_document(tmp_path / "nowhere.pptx")


def test_any_document_goes_into_any_file(tmp_path):
    (tmp_path / "deck.pptx").write_bytes(DECK)
    opened = read_document(tmp_path / "deck.pptx")
    assert opened.save(opened.document, tmp_path / "doc.json") == ()
    again = read_document(tmp_path / "doc.json")
    assert again.document == opened.document
    for end in (".pptx", ".svg", ".pdf", ".png"):
        assert again.save(again.document, tmp_path / f"out{end}") == ()
    names = {path.name for path in tmp_path.iterdir() if path.name.startswith("out")}
    assert names == {"out.pptx", "out.pdf", *(f"out-{k}.{end}" for k in (1, 2, 3) for end in ("svg", "png"))}
    assert (np.asarray(Image.open(tmp_path / "out-3.png")) == painted(OPENED, 2)).all()


@pytest.mark.parametrize("end", [".json", ".pptx"])
def test_pictures_of_a_deck_travel_with_a_file(end, tmp_path):
    file = tmp_path / f"doc{end}"
    write_document(OPENED, file)
    script = (
        "import sys; from pathlib import Path; from formgym.envs.documents.formats.files import read_document; "
        "from formgym.envs.documents.painting.view import painted; "
        "print(painted(read_document(Path(sys.argv[1])).document, 2)[200, 800].tolist())"
    )
    made = subprocess.run([sys.executable, "-c", script, file], cwd=tmp_path, capture_output=True)
    assert made.stdout.decode().strip() == "[200, 60, 40]", made.stderr.decode()
    if end == ".json":
        shutil.rmtree(tmp_path / "doc.pictures")
        made = subprocess.run([sys.executable, "-c", script, file], cwd=tmp_path, capture_output=True)
        assert b"which is no picture of ours" in made.stderr


# --- SVG and PDF


def words_of(document):
    return {word for element in document.elements() for word in element.text.split()}


@pytest.mark.parametrize("path", sample(FILES, 14), ids=lambda path: path.stem)
def test_an_svg_file_holds_every_word(path):
    document = load_document(path)
    held = set()
    for page in document.pages:
        root = etree.fromstring(svg_of(page, document.title).encode())
        held |= {word for text in root.iter("{*}text") for word in "".join(text.itertext()).split()}
        ids = [group.get("id") for group in root.iter("{*}g")]
        assert ids == [element.id for element in page.elements if element.type != "group"]
    assert words_of(document) <= held


@pytest.mark.parametrize("path", sample(FILES[::8], 2), ids=lambda path: path.stem)
def test_a_pdf_file_holds_every_word_in_typefaces_of_its_own(path):
    document = load_document(path)
    content = pdf_bytes(document)
    assert content == pdf_bytes(document)
    reader = PdfReader(io.BytesIO(content))
    assert len(reader.pages) == len(document.pages)
    for page, drawn in zip(document.pages, reader.pages, strict=True):
        assert (float(drawn.mediabox.width), float(drawn.mediabox.height)) == (page.width * 0.75, page.height * 0.75)
        fonts = [font.get_object() for font in drawn["/Resources"]["/Font"].get_object().values()]
        used = [font for font in fonts if font["/BaseFont"] != "/Helvetica"]
        assert used
        assert all("/FontFile2" in font["/FontDescriptor"].get_object() for font in used)
    held = set("\n".join(page.extract_text() for page in reader.pages).split())
    assert words_of(document) <= held


def _outline(element):
    """An element as its outlines are drawn by Pillow, without its text."""
    fine, (_, _, width, height) = 8, element.bbox
    image = Image.new("RGB", (width * fine, height * fine), "white")
    for area in areas_of(element):
        mask = Image.new("L", image.size)
        for outline in _outlines(area.path):
            inside = Image.new("L", image.size)
            ImageDraw.Draw(inside).polygon([(x * fine, y * fine) for x, y in outline], fill=255)
            mask = ImageChops.difference(mask, inside)
        image.paste(area.colour, mask=mask)
    return np.asarray(image.reduce(fine), int)


def _outlines(path):
    outlines = []
    for kind, numbers in path:
        if kind == "M":
            outlines.append([numbers])
        elif kind == "L":
            outlines[-1].append(numbers)
        elif kind == "C":
            (x, y), (a, b, c, d, u, v) = outlines[-1][-1], numbers
            for t in (k / 16 for k in range(1, 17)):
                parts = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
                outlines[-1].append(
                    tuple(sum(p * q for p, q in zip(parts, one, strict=True)) for one in ((x, a, c, u), (y, b, d, v)))
                )
    return outlines


@pytest.mark.parametrize("shape", get_args(Shape))
@pytest.mark.parametrize("stroke", [0, 9])
def test_outlines_are_where_the_painting_has_them(shape, stroke):
    style = {"fill": (40, 90, 160), "stroke": (200, 80, 40) if stroke else None, "stroke_width": stroke, "radius": 20}
    fields = {"id": "one", "type": "shape", "shape": shape, "bbox": (0, 0, 160, 120), "style": style}
    element = Element.model_validate(fields)
    page = Page(width=160, height=120, elements=(element,))
    document = Document(name="one", title="One", kind="poster", pages=(page,))
    assert np.abs(_outline(element) - painted(document, 0)).mean() < 1.5


@pytest.mark.parametrize("path", FILES[::4], ids=lambda path: path.stem)
def test_letters_are_where_the_painting_has_them(path):
    document = load_document(path)
    for element in document.elements():
        black = {"colour": (0, 0, 0), "italic": False, "underline": False}
        runs = tuple(run.model_copy(update=dict.fromkeys(black)) for run in element.runs)
        style = element.style.model_copy(update=black | {"fill": None, "stroke": None})
        bare = {"runs": runs, "style": style, "parent": None, "angle": 0, "opacity": 1}
        alone = element.model_copy(update=bare)
        page = document.pages[0].model_copy(update={"elements": (alone,), "background": (255, 255, 255)})
        drawn = Image.new("L", (page.width, page.height), 255)
        for one in letters_of(alone):
            face = font(one.face, one.size, 700 if one.bold else 400)
            at = round(element.bbox[0] + one.x), element.bbox[1] + one.y
            ImageDraw.Draw(drawn).text(at, one.text, fill=0, font=face, anchor="ls")
        if element.type in ("text", "list", "table", "shape"):
            seen = painted(Document(name="x", title="x", kind="x", pages=(page,)), 0)
            assert np.abs(seen[..., 0].astype(int) - np.asarray(drawn)).max() <= 2, element.id
