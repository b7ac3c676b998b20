"""Charts, pictures and backgrounds of decks are read again as they were written; all else stays the same bytes."""

import io
import shutil
import subprocess
import zipfile

import pytest
from foreign_deck import foreign_deck, members
from hypothesis import given, settings
from hypothesis import strategies as st
from pptx import Presentation
from pptx.opc.constants import RELATIONSHIP_TYPE
from pptx.oxml.ns import qn
from sizes import some

from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.pictures import embedded_in
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.pptx.patcher import save_edited
from formgym.envs.documents.scene.charts import Chart

DECK = foreign_deck()
BEFORE = open_deck(DECK, "foreign.pptx")
MODIFY, ADD, ADD_PAGE, MODIFY_PAGE = (OPERATIONS[name] for name in ("MODIFY", "ADD", "ADD_PAGE", "MODIFY_PAGE"))
(CHART,) = (one.id for one in BEFORE.elements() if one.type == "chart")
(PICTURE,) = (one.id for one in BEFORE.elements() if one.type == "image")
WORDS = st.text("abc äß&<>\u4e2d'\"", min_size=1, max_size=8).filter(lambda text: text == text.strip())


def saved(path, edited):
    """The document in an edited deck, the names of the parts that differ, and those that are new."""
    file = path / "edited.pptx"
    assert save_edited(DECK, BEFORE, edited, file) == ()
    content = file.read_bytes()
    old, new = members(DECK), members(content)
    assert old.keys() <= new.keys()
    changed = {name for name in old if old[name] != new[name]}
    return open_deck(content, "foreign.pptx"), changed, new.keys() - old.keys()


def shown(chart):
    return chart.kind, chart.title, chart.categories, chart.series


@st.composite
def charts(draw):
    categories = draw(st.lists(WORDS, min_size=1, max_size=4))
    numbers = st.none() | st.integers(-9, 10**6) | st.sampled_from([0.5, 1e-3])
    values = st.lists(numbers, min_size=len(categories), max_size=len(categories))
    names = draw(st.lists(WORDS, min_size=1, max_size=3))
    data = {"categories": categories, "series": [{"name": name, "values": draw(values)} for name in names]}
    data |= draw(st.sampled_from([{}, {"title": "A title"}, {"title": ""}, {"kind": "line"}, {"kind": "bar"}]))
    return data


@settings(max_examples=some(10, 200), deadline=None)
@given(charts())
def test_the_data_of_a_chart_are_written_with_the_workbook_behind_it(tmp_path_factory, data):
    edited = MODIFY(BEFORE, CHART, data, "chart")
    again, changed, added = saved(tmp_path_factory.mktemp("decks"), edited)
    assert not added
    assert all(name.startswith(("ppt/charts/", "ppt/embeddings/")) for name in changed)
    assert shown(again.find(CHART).chart) == shown(edited.find(CHART).chart)


def test_the_workbook_of_a_chart_holds_its_new_data_alone(tmp_path):
    edited = MODIFY(BEFORE, CHART, {"categories": ["north"], "series": [{"name": "ferries", "values": [7]}]}, "chart")
    file = tmp_path / "edited.pptx"
    assert save_edited(DECK, BEFORE, edited, file) == ()
    (workbook,) = (data for name, data in members(file.read_bytes()).items() if name.endswith(".xlsx"))
    with zipfile.ZipFile(io.BytesIO(workbook)) as package:
        words = package.read("xl/sharedStrings.xml") + package.read("xl/worksheets/sheet1.xml")
    assert b"ferries" in words
    assert b"north" in words
    assert b"boats" not in words
    assert b"east" not in words


def test_a_chart_may_get_another_kind_and_a_new_one_be_added(tmp_path):
    edited = MODIFY(BEFORE, CHART, {"kind": "pie", "title": "Boats"}, "chart")
    data = {"kind": "bar", "title": "Piers", "categories": ["a", "b"], "series": [{"name": "n", "values": [1, 2.5]}]}
    edited, name = ADD.edit(edited, "chart", data, [40, 60, 300, 200])
    again, _, added = saved(tmp_path, edited)
    assert shown(again.find(CHART).chart) == shown(edited.find(CHART).chart)
    (new,) = (one for one in again.elements() if one.type == "chart" and one.id != CHART)
    assert shown(new.chart) == shown(Chart.model_validate(data))
    assert new.bbox == edited.find(name).bbox
    assert {name.rpartition("/")[0] for name in added} == {"ppt/charts", "ppt/charts/_rels", "ppt/embeddings"}


def test_pictures_are_replaced_and_cropped(tmp_path):
    other = BEFORE.find(PICTURE).asset
    edited = MODIFY(BEFORE, PICTURE, [0.25, 0, "10%", 0], "crop")
    again, changed, added = saved(tmp_path, edited)
    assert (again.find(PICTURE).crop, again.find(PICTURE).asset) == ((0.25, 0, 0.1, 0), other)
    assert (changed, added) == ({"ppt/slides/slide3.xml"}, set())
    edited = MODIFY(edited, PICTURE, "icon/cup/d02c2c", "asset")
    again, changed, added = saved(tmp_path, edited)
    assert again.find(PICTURE).crop == (0, 0, 0, 0)
    assert again.find(PICTURE).asset != other
    assert [name.startswith("ppt/media/") for name in added] == [True]


@pytest.mark.parametrize("page", [1, 3])
def test_a_picture_becomes_the_background_of_a_slide(tmp_path, page):
    picture = BEFORE.find(PICTURE).asset
    edited = MODIFY_PAGE(BEFORE, page, picture, "background")
    again, changed, added = saved(tmp_path, edited)
    (content,) = embedded_in([picture]).values()
    assert again.pages[page - 1].backdrop == picture
    # A picture of the deck is in it once, as the file that it was.
    assert sum(data == content for data in members((tmp_path / "edited.pptx").read_bytes()).values()) == 1
    assert not added
    assert all(f"slide{page}.xml" in name for name in changed)
    assert saved(tmp_path, MODIFY_PAGE(BEFORE, page, "icon/cup", "background"))[0].pages[page - 1].backdrop


def test_a_page_is_added_of_a_layout_with_its_title_and_content(tmp_path):
    names = [layout.name for layout in BEFORE.layouts]
    assert {"Title Slide", "Title and Content", "Blank"} <= set(names)
    edited, (title, content) = ADD_PAGE.edit(BEFORE, 2)
    assert edited.pages[1].origin == "Title and Content"
    edited = MODIFY(MODIFY(edited, title, "What it costs", "text"), content, ["Dig", "Build"], "text")
    edited = MODIFY(edited, content, "red", "colour")
    again, changed, added = saved(tmp_path, edited)
    for expected, found in zip(edited.pages[1].elements, again.pages[1].elements, strict=True):
        assert (found.type, found.bbox, found.text, found.style) == (
            expected.type, expected.bbox, expected.text, expected.style,
        )  # fmt: skip
    assert added == {"ppt/slides/slide4.xml", "ppt/slides/_rels/slide4.xml.rels"}
    assert changed == {"[Content_Types].xml", "ppt/presentation.xml", "ppt/_rels/presentation.xml.rels"}
    slide = Presentation(tmp_path / "edited.pptx").slides[1]
    assert (slide.slide_layout.name, slide.shapes.title.text) == ("Title and Content", "What it costs")
    assert [one.placeholder_format.type.name for one in slide.placeholders] == ["TITLE", "OBJECT"]
    for name, kinds in (("two content", ["text", "list", "list"]), ("", [])):
        edited, made = ADD_PAGE.edit(BEFORE, 4, name)
        assert [edited.find(one).type for one in made] == kinds
        assert len(saved(tmp_path, edited)[0].pages[3].elements) == len(kinds)


def test_a_chart_that_shows_a_workbook_elsewhere_has_one_of_its_own_afterwards(tmp_path):
    deck = Presentation(io.BytesIO(DECK))
    (part,) = (shape.chart.part for shape in deck.slides[2].shapes if shape.has_chart)
    part.chart.has_title = False
    (linked,) = part._element.iter(qn("c:externalData"))
    part.rels.pop(linked.rId)
    linked.set(qn("r:id"), part.rels.get_or_add_ext_rel(RELATIONSHIP_TYPE.PACKAGE, "file:///old.xlsx"))
    deck.save(tmp_path / "linked.pptx")
    source = (tmp_path / "linked.pptx").read_bytes()
    before = open_deck(source, "foreign.pptx")
    data = {"title": "New", "categories": ["north"], "series": [{"name": "ferries", "values": [7]}]}
    edited = MODIFY(before, CHART, data, "chart")
    assert save_edited(source, before, edited, tmp_path / "edited.pptx") == ()
    content = (tmp_path / "edited.pptx").read_bytes()
    assert shown(open_deck(content, "foreign.pptx").find(CHART).chart) == shown(edited.find(CHART).chart)
    assert not any(b"old.xlsx" in data for data in members(content).values())


@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_libreoffice_shows_what_was_edited(tmp_path):
    data = {"title": "Ferries", "categories": ["north"], "series": [{"name": "ferries", "values": [7]}]}
    (table,) = (one.id for one in BEFORE.elements() if one.type == "table")
    edited = MODIFY(MODIFY(BEFORE, CHART, data, "chart"), table, [2, None, True], "strike")
    edited = OPERATIONS["INSERT"](edited, table, "column", 2, ["Quays", "4"])
    edited, (title, _) = ADD_PAGE.edit(MODIFY_PAGE(edited, 1, "scene/sea/0", "background"), 2)
    saved(tmp_path, MODIFY(MODIFY_PAGE(edited, 2, "Breathe.", "notes"), title, "What it costs", "text"))
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    command = ["soffice", home, "--headless", "--convert-to", "odp", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "edited.pptx")], check=True, capture_output=True, timeout=120)
    parts = members((tmp_path / "edited.odp").read_bytes())
    pages = parts["content.xml"].split(b"<draw:page ")[1:]
    assert [b"What it costs" in page for page in pages] == [False, True, False, False]
    assert b"Breathe." in pages[1]
    assert pages[3].count(b"<table:table-column") == 3
    assert b"Quays" in pages[3]
    assert any(b"ferries" in content and b"north" in content for name, content in parts.items() if "Object" in name)
