"""Edits of pages, rows, columns and items: what they make, how they are scored, what leads from one to another."""

import io
import posixpath
import shutil
import subprocess
import zipfile
from copy import deepcopy
from pathlib import PurePosixPath

import gymnasium as gym
import numpy as np
import pytest
from foreign_deck import foreign_deck, members
from pptx import Presentation
from pptx.oxml import parse_xml
from pptx.oxml.ns import qn

import formgym  # noqa: F401
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.pptx.patcher import save_edited
from formgym.envs.documents.programs.program import run_program
from formgym.envs.documents.scene.document import Document, changes
from formgym.envs.documents.scoring.evaluator import Evaluator
from formgym.envs.documents.scoring.requirements import requirements_of
from formgym.envs.documents.shipped import shipped_document

SLIDES = shipped_document("conference_slides")
TABLE = next(element for element in SLIDES.elements() if element.type == "table")
LIST = next(element for element in SLIDES.elements() if element.type == "list")
EDITS = (
    "ADD_PAGE(1)",
    "ADD_PAGE(5)",
    "DELETE_PAGE(2)",
    "MOVE_PAGE(4, 1)",
    "MOVE_PAGE(1, 3)",
    "COPY_PAGE(1)",
    "COPY_PAGE(2, 1)",
    'MODIFY_PAGE(3, "dark blue", "background")',
    'MODIFY_PAGE(3, "scene/city/0", "background")',
    'MODIFY_PAGE(1, "Say hello.", "notes")',
    "MOVE_PAGE(4, 1)\n    DELETE_PAGE(3)\n    MODIFY_PAGE(1, [9, 9, 9], 'background')",
    "made = COPY_PAGE(2)\n    MODIFY(made[0], 'red', 'colour')\n    MOVE_PAGE(1, 5)",
    f"INSERT('{TABLE.id}', 'row', 2, ['a', 'b'])",
    f"REMOVE('{TABLE.id}', 'column', 1)",
    f"SHIFT('{TABLE.id}', 'row', 2, 1)",
    f"INSERT('{LIST.id}', 'item', 1, 'Be early')",
    f"REMOVE('{LIST.id}', 'item', 1)",
    f"SHIFT('{LIST.id}', 'item', 2, 1)",
)


def _edited(lines, document=SLIDES):
    return run_program(document, f"def main(document):\n    {lines}\n", lambda *_: [], lambda *_: None).document


@pytest.mark.parametrize("lines", EDITS)
def test_an_edit_is_scored_by_what_it_changes(lines):
    edited = _edited(lines)
    assert not list(edited.problems())
    assert Document.model_validate(edited.dump()) == edited
    evaluator = Evaluator(SLIDES, *requirements_of(SLIDES, edited))
    assert evaluator.evaluate(edited).success
    assert not evaluator.evaluate(SLIDES).success
    for other in EDITS:
        assert other == lines or not evaluator.evaluate(_edited(other)).success


def test_pages_are_known_by_their_ids():
    edited = _edited("MOVE_PAGE(4, 1)")
    assert edited.page_ids == ("p4", "p1", "p2", "p3")
    assert changes(SLIDES, edited) == {("page 4", "order"): 0}
    edited = _edited("DELETE_PAGE(2)")
    assert {name for name, field in changes(SLIDES, edited) if field == "removed"} == {
        "page 2",
        *(element.id for element in SLIDES.pages[1].elements),
    }
    assert changes(SLIDES, _edited('MODIFY_PAGE(2, "red", "background")')) == {("page 2", "background"): (208, 44, 44)}
    assert _edited("MOVE_PAGE(1, 2)\n    MOVE_PAGE(1, 2)").pages[0].elements == SLIDES.pages[0].elements


def test_a_copy_of_a_page_looks_alike_and_keeps_its_groups():
    copied = _edited("COPY_PAGE(2, 1)")
    assert copied.pages[0].origin == "p2"
    assert np.array_equal(painted(copied, 0), painted(SLIDES, 1))
    names = dict(zip((e.id for e in SLIDES.pages[1].elements), (e.id for e in copied.pages[0].elements), strict=True))
    assert not set(names.values()) & set(SLIDES.places)
    for old, new in zip(SLIDES.pages[1].elements, copied.pages[0].elements, strict=True):
        assert new.parent == (names[old.parent] if old.parent else None)


@pytest.mark.parametrize("lines", EDITS[:10])
def test_operations_between_documents_lead_from_one_to_the_other(lines):
    expected, document = _edited(lines), SLIDES
    for _ in range(4):
        calls = [(name, call) for name, one in OPERATIONS.items() for call in one.between_pages(document, expected)]
        if not calls:
            break
        document = OPERATIONS[calls[0][0]](document, **calls[0][1])

    def content(one):
        return [(page.background, page.backdrop, page.notes, [e.bbox for e in page.elements]) for page in one.pages]

    assert content(document) == content(expected)


def test_rows_columns_and_items():
    table = _edited(f"INSERT('{TABLE.id}', 'row', 1, 'first')").find(TABLE.id)
    assert table.cells[0] == ("first", *[""] * (len(TABLE.cells[0]) - 1))
    assert table.cells[1:] == TABLE.cells
    assert table.bbox[3] == round(TABLE.bbox[3] * len(table.cells) / len(TABLE.cells))
    table = _edited(f"INSERT('{TABLE.id}', 'column', {len(TABLE.cells[0]) + 1}, 'x')").find(TABLE.id)
    assert table.cells[0] == (*TABLE.cells[0], "x")
    assert table.bbox == TABLE.bbox
    uneven = _edited(
        f"MODIFY('{TABLE.id}', {[1, *[3] * (len(TABLE.cells) - 1)]}, 'rows')\n    REMOVE('{TABLE.id}', 'row', 1)"
    )
    assert uneven.find(TABLE.id).rows == ()
    items = LIST.text.split("\n")
    assert _edited(f"SHIFT('{LIST.id}', 'item', {len(items)}, 1)").find(LIST.id).text.split("\n") == [
        items[-1],
        *items[:-1],
    ]


@pytest.mark.parametrize(
    ("name", "arguments", "words"),
    [
        ("DELETE_PAGE", (5,), "go from 1 to 4"),
        ("DELETE_PAGE", ("the second",), "go from 1 to 4"),
        ("MOVE_PAGE", (1, 0), "go from 1 to 4"),
        ("ADD_PAGE", (7,), "go from 1 to 5"),
        ("ADD_PAGE", (1, "Title Slide"), "There is no layout"),
        ("MODIFY_PAGE", (1, "red", "colour"), "it has background, notes"),
        ("MODIFY_PAGE", (1, "reddish", "background"), "Page 1: there is no colour"),
        ("INSERT", (LIST.id, "row", 1), "it has items"),
        ("INSERT", (TABLE.id, "row", 99), "they go from 1 to"),
        ("INSERT", (TABLE.id, "row", 1, ["x"] * 99), "does not fit into"),
        ("REMOVE", (TABLE.id, "row", 0), "they go from 1 to"),
    ],
)
def test_what_cannot_be_is_refused(name, arguments, words):
    with pytest.raises(ToolError, match=words):
        OPERATIONS[name](SLIDES, *arguments)


_OFFICE_2010 = "http://schemas.microsoft.com/office/powerpoint/2010/main"
_SECTIONS = """<p:extLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main">
<p:ext uri="{521415D9-36F7-43E2-AB2F-B90AF26B5E84}"><p14:sectionLst
 xmlns:p14="http://schemas.microsoft.com/office/powerpoint/2010/main">
<p14:section name="a" id="{00000000-0000-0000-0000-000000000001}"><p14:sldIdLst><p14:sldId id="256"/></p14:sldIdLst>
</p14:section><p14:section name="b" id="{00000000-0000-0000-0000-000000000002}"><p14:sldIdLst><p14:sldId id="257"/>
<p14:sldId id="258"/></p14:sldIdLst></p14:section></p14:sectionLst></p:ext></p:extLst>"""
_SHOWS = """<p:custShowLst xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main"
 xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships"><p:custShow name="short" id="0">
<p:sldLst><p:sld r:id="{}"/><p:sld r:id="{}"/></p:sldLst></p:custShow></p:custShowLst>"""


def _linked_deck():
    """The deck with sections, a show of slides 1 and 3, a link to slide 3, and notes on it."""
    deck = Presentation(io.BytesIO(foreign_deck()))
    slides, root = list(deck.slides), deck.part._element
    slides[0].shapes.title.click_action.target_slide = slides[2]
    slides[2].notes_slide.notes_text_frame.text = "One\nTwo"
    entries = root.sldIdLst
    root.find(qn("p:notesSz")).addnext(parse_xml(_SHOWS.format(entries[0].rId, entries[2].rId)))
    for old in root.findall(qn("p:extLst")):
        root.remove(old)
    root.append(parse_xml(_SECTIONS))
    file = io.BytesIO()
    deck.save(file)
    return file.getvalue()


LINKED = _linked_deck()
DECK = open_deck(LINKED, "deck.pptx")


def _seen(document):
    def element(one):
        return one.model_dump(exclude={"id", "name", "parent"}), one.parent is None

    fields = ("background", "backdrop", "inherited", "notes")
    return [(*(getattr(p, name) for name in fields), [element(e) for e in p.elements]) for p in document.pages]


def _check_package(parts):
    """Each part has one content type, and each link leads to a part that is there."""
    assert all(zipfile.ZipFile(io.BytesIO(parts)).namelist().count(name) == 1 for name in members(parts))
    parts = members(parts)
    types = parse_xml(parts.pop("[Content_Types].xml"))
    named = [node.get("PartName") for node in types if node.get("PartName")]
    assert len(named) == len(set(named))
    assert {name[1:] for name in named} <= set(parts)
    for name, content in parts.items():
        if name.endswith(".rels"):
            base = PurePosixPath("/", name).parent.parent
            assert name.startswith("_rels") or str(base / PurePosixPath(name).stem)[1:] in parts
            for link in parse_xml(content):
                if link.get("TargetMode") != "External":
                    assert posixpath.normpath(base / link.get("Target"))[1:] in parts


@pytest.mark.parametrize(
    ("lines", "sections", "show"),
    [
        ("MOVE_PAGE(3, 1)", [2, 1], 2),
        ("MOVE_PAGE(1, 3)", [0, 3], 2),
        ("DELETE_PAGE(3)", [1, 1], 1),
        ("DELETE_PAGE(1)\n    DELETE_PAGE(1)", [0, 1], 1),
        ("COPY_PAGE(3)", [1, 3], 2),
        ("made = COPY_PAGE(3, 1)\n    MODIFY(made[0], 'Other figures', 'text')\n    DELETE(made[1])", [2, 2], 2),
        ("made = COPY_PAGE(3)\n    DELETE_PAGE(3)\n    MOVE(made[0], [50, 60])", [1, 2], 1),
        ("ADD_PAGE(2)\n    MODIFY_PAGE(2, 'red', 'background')", [2, 2], 2),
        ("ADD_PAGE(1)\n    ADD('text', 'Welcome', [100, 100], page=1)", [2, 2], 2),
        ("COPY_PAGE(3)\n    MODIFY_PAGE(4, 'One\\nTwo and a half\\nThree', 'notes')", [1, 3], 2),
    ],
)
def test_edits_of_pages_are_written_into_decks(tmp_path, lines, sections, show):
    edited, out = _edited(lines, DECK), tmp_path / "out.pptx"
    assert save_edited(LINKED, DECK, edited, out) == ()
    content = out.read_bytes()
    assert _seen(open_deck(content, "out.pptx")) == _seen(edited)
    _check_package(content)
    deck = Presentation(io.BytesIO(content))
    root = deck.part._element
    assert [len(one) for one in root.iter(f"{{{_OFFICE_2010}}}sldIdLst")] == sections
    assert len(list(root.iter(qn("p:sld")))) == show
    charts = {s.chart.part.partname for slide in deck.slides for s in slide.shapes if s.has_chart}
    assert len(charts) == sum(e.chart is not None for e in edited.elements())
    old, new = members(LINKED), members(content)
    kept = {f"ppt/slides/slide{name[1:]}.xml" for name in edited.page_ids if name in DECK.page_ids}
    linked = {"ppt/slides/slide1.xml"} if "p3" not in edited.page_ids else set()
    assert all(old[name] == new[name] for name in kept - linked)
    assert all(old[name] == new[name] for name in old if name.startswith(("ppt/slideLayouts", "docProps")))
    pictures = [{name for name in parts if name.startswith("ppt/media/")} for parts in (old, new)]
    assert pictures[1] <= pictures[0]


def test_a_deleted_slide_goes_with_what_only_it_uses(tmp_path):
    out = tmp_path / "out.pptx"
    save_edited(LINKED, DECK, _edited("DELETE_PAGE(3)", DECK), out)
    gone = set(members(LINKED)) - set(members(out.read_bytes()))
    for start in ("ppt/slides/slide3", "ppt/charts/", "ppt/embeddings/", "ppt/media/", "ppt/notesSlides/notesSlide2"):
        assert any(name.startswith(start) for name in gone)
    assert Presentation(out).slides[0].shapes.title.click_action.target_slide is None


def test_notes_are_written_also_where_a_slide_had_none(tmp_path):
    out = tmp_path / "out.pptx"
    edited = _edited('MODIFY_PAGE(1, "Hello.", "notes")\n    MODIFY_PAGE(2, "Hello.", "notes")', DECK)
    assert save_edited(LINKED, DECK, edited, out) == ()
    assert [page.notes for page in open_deck(out.read_bytes(), "out.pptx").pages] == ["Hello.", "Hello.", "One\nTwo"]
    old, new = members(LINKED), members(out.read_bytes())
    assert {name for name in old if old[name] != new[name]} <= {
        "ppt/notesSlides/notesSlide1.xml",
        "ppt/slides/slide1.xml",
        "ppt/slides/slide2.xml",
        "ppt/slides/_rels/slide2.xml.rels",
        "[Content_Types].xml",
    }
    assert save_edited(LINKED, DECK, _edited("MOVE_PAGE(1, 2)\n    MOVE_PAGE(1, 2)", DECK), out) == ()
    assert out.read_bytes() == LINKED


def test_any_slide_of_a_layout_with_shapes_is_edited(tmp_path):
    made, file, out = Presentation(), io.BytesIO(), tmp_path / "out.pptx"
    slides = [made.slides.add_slide(made.slide_layouts[6]) for _ in range(2)]
    for slide in slides:
        slide.shapes.add_textbox(0, 0, 900_000, 900_000).text_frame.text = "words"
    made.slide_layouts[6]._element.cSld.spTree.append(deepcopy(slides[0].shapes[0]._element))
    made.save(file)
    before = open_deck(file.getvalue(), "deck.pptx")
    assert [len(page.inherited) for page in before.pages] == [1, 1]
    edited = OPERATIONS["MOVE"](before, before.pages[1].elements[0].id, [50, 60])
    assert save_edited(file.getvalue(), before, edited, out) == ()
    assert _seen(open_deck(out.read_bytes(), "out.pptx")) == _seen(edited)


@pytest.mark.skipif(shutil.which("soffice") is None, reason="needs LibreOffice")
def test_libreoffice_opens_a_deck_with_other_pages(tmp_path):
    edited = _edited("COPY_PAGE(3)\n    DELETE_PAGE(2)\n    ADD_PAGE(1)\n    MOVE_PAGE(4, 2)", DECK)
    save_edited(LINKED, DECK, edited, tmp_path / "deck.pptx")
    home = f"-env:UserInstallation=file://{tmp_path}/home"
    command = ["soffice", home, "--headless", "--convert-to", "odp", "--outdir", str(tmp_path)]
    subprocess.run([*command, str(tmp_path / "deck.pptx")], check=True, capture_output=True, timeout=120)
    pages = members((tmp_path / "deck.odp").read_bytes())["content.xml"].split(b"<draw:page ")[1:]
    assert [b"Figures" in page for page in pages] == [False, True, False, True]


def test_the_visible_page_stays_in_view_and_tools_edit_pages():
    env = gym.make("DocEdit/ConferenceSlides-v0").unwrapped
    env.reset(seed=1)
    space, shown = env.action_space, env.state.page

    def step(tool, **arguments):
        return env.step(space.action(tool, **arguments))[0]["page"]

    first = step("move_page", number=shown + 1, to=4 - shown)
    assert env.state.page == 3 - shown
    step("copy_page", number=4 - shown, to=1)
    assert env.state.page == 4 - shown
    assert len(env.state.document.pages) == 5
    step("delete_page", number=1)
    assert np.array_equal(step("modify_page", number=1 + shown, modification="", type_of_modification="notes"), first)
    env.close()
    assert "move_page" not in gym.make("DocEdit/ConcertPoster-v0").unwrapped.action_space.tools
