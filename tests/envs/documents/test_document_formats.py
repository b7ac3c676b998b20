"""File formats: decks of others are read as documents, and an edit of one touches nothing else."""

import contextlib
import io
import shutil
import struct
import subprocess
import sys
import zipfile
import zlib

import numpy as np
import pytest
from foreign_deck import foreign_deck, members
from hypothesis import given, settings
from hypothesis import strategies as st
from lxml import etree
from PIL import Image
from pptx import Presentation
from pptx.util import Pt
from sizes import some

from formgym.assets import ROOT
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.formats.files import read_document, write_document
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.pptx.patcher import save_edited
from formgym.envs.documents.pptx.text_reader import looks_of
from formgym.envs.documents.scene.document import fields_of, renamed
from formgym.envs.documents.scene.elements import Element

FILES = sorted((ROOT / "documents").glob("*.json"))


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
    assert types == ["text", "chart", "table", "image", "shape", "line", "group", "shape", "text", "text"]
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
    "added": (
        THIRD,
        ("ADD", "text", '"Hello" in red', [100, 100], None, None, 3),
        ("ADD", "shape", "a blue star", [9, 9], None, None, 3),
    ),
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
    replaced = "REPLACE", ON_MIXED["chart"], "chart", "image", "icon/cup"
    for swap in (("MODIFY", ON_MIXED["picture"], "icon/cup", "picture"), replaced):
        after = edited_by(swap)
        content, differ, notes = saved(after, tmp_path)
        assert differ == PICTURE
        assert notes == ()
        shown = open_deck(content, "harbour plans.pptx")
        changed = shown.elements_of_page(2)[1 if swap[0] == "REPLACE" else 3]
        assert (changed.type, changed.bbox) == ("image", OPENED.find(swap[1]).bbox)
        assert np.abs(painted(shown, 2).astype(int) - painted(after, 2)).mean() < 0.1


def test_an_id_that_came_free_may_be_used_again(tmp_path):
    after = edited_by(("DELETE", ON_MIXED["go button"]), ("COPY", ON_MIXED["shape"], [20, 20]))
    after = renamed(after, {"n1": ON_MIXED["go button"]})
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
    larger = OPENED.with_pages(tuple(page.model_copy(update={"height": 900}) for page in OPENED.pages))
    with pytest.raises(ValueError, match="size of the pages"):
        save_edited(DECK, OPENED, larger, tmp_path / "out.pptx")
    assert not (tmp_path / "out.pptx").exists()


_KINDS = ("MOVE", "DELETE", "COPY", "width", "angle", "text", "bold", "order", "case", "color")


@settings(max_examples=some(8, 25), deadline=None, derandomize=True)
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


def _understated(content, size):
    """A package whose directory says that its part holds only the first bytes."""
    file = bytearray(_zipped("a.xml", content))
    for signature, at in ((b"PK\3\4", 14), (b"PK\1\2", 16)):
        start = file.index(signature) + at
        file[start : start + 4] = struct.pack("<I", zlib.crc32(content[:size]))
        file[start + 8 : start + 12] = struct.pack("<I", size)
    return bytes(file)


BROKEN = {
    "empty": (b"", "no PowerPoint file"),
    "no package": (b"hello there", "no PowerPoint file"),
    "another package": (_zipped("word/document.xml", "<w/>"), "no PowerPoint file"),
    "locked": (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 600, "locked with a password"),
    "cut off": (DECK[:9000], "no PowerPoint file"),
    "damaged": (_spoilt(DECK), "PowerPoint file|damaged"),
    "a bomb": (_zipped("ppt/slides/slide1.xml", b"<a/>" * 1_000_001), "1,000,000 tags"),
    "entities": (_zipped("a.bin", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'.encode("utf-16")), "document type"),
    "a bomb with a false size": (_understated(b"<a/>" * 1_000_001, 40), "not what the file's directory says"),
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


def test_documents_are_written_as_json_and_as_pictures(tmp_path):
    (tmp_path / "deck.pptx").write_bytes(DECK)
    opened = read_document(tmp_path / "deck.pptx")
    assert opened.save(opened.document, tmp_path / "doc.json") == ()
    again = read_document(tmp_path / "doc.json")
    assert again.document == opened.document
    assert again.save(again.document, tmp_path / "out.png") == ()
    names = {path.name for path in tmp_path.iterdir() if path.name.startswith("out")}
    assert names == {f"out-{k}.png" for k in (1, 2, 3)}
    with pytest.raises(ValueError, match="only written as an edit of another one"):
        again.save(again.document, tmp_path / "out.pptx")
    assert (np.asarray(Image.open(tmp_path / "out-3.png")) == painted(OPENED, 2)).all()


def test_pictures_of_a_deck_travel_with_a_file(tmp_path):
    file = tmp_path / "doc.json"
    write_document(OPENED, file)
    script = (
        "import sys; from pathlib import Path; from formgym.envs.documents.formats.files import read_document; "
        "from formgym.envs.documents.painting.view import painted; "
        "print(painted(read_document(Path(sys.argv[1])).document, 2)[200, 800].tolist())"
    )
    made = subprocess.run([sys.executable, "-c", script, file], cwd=tmp_path, capture_output=True)
    assert made.stdout.decode().strip() == "[200, 60, 40]", made.stderr.decode()
    shutil.rmtree(tmp_path / "doc.pictures")
    made = subprocess.run([sys.executable, "-c", script, file], cwd=tmp_path, capture_output=True)
    assert b"which is neither ours nor in" in made.stderr


def test_a_new_group_is_written_with_what_is_in_it(tmp_path):
    before, out = open_deck(DECK, "deck"), tmp_path / "out.pptx"
    page = before.pages[2]
    group = Element(id="a", name="new group", type="group", bbox=(100, 100, 200, 150))
    text = Element(id="b", name="new text", type="text", bbox=(110, 110, 80, 40), parent="a", runs=[{"text": "hi"}])
    changed = page.model_copy(update={"elements": (*page.elements, group, text)})
    after = before.model_copy(update={"pages": (*before.pages[:2], changed)})
    assert save_edited(DECK, before, after, out) == ()
    *_, new_group, new_text = open_deck(out.read_bytes(), "out").pages[2].elements
    assert (new_group.name, new_group.type, new_group.bbox) == ("new group", "group", group.bbox)
    assert (new_text.parent, new_text.bbox, new_text.runs[0].text) == (new_group.id, text.bbox, "hi")
