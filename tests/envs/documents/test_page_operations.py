"""Edits of pages, rows, columns and items: what they make, how they are scored, what leads from one to another."""

import gymnasium as gym
import numpy as np
import pytest
from foreign_deck import foreign_deck

import formgym  # noqa: F401
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.pptx.patcher import save_edited
from formgym.envs.documents.programs.program import run_program
from formgym.envs.documents.scene.document import Document, changes, shipped_document
from formgym.envs.documents.scoring.evaluator import Evaluator
from formgym.envs.documents.scoring.requirements import requirements_of

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


def test_a_deck_is_not_written_with_pages_that_it_cannot_have(tmp_path):
    deck, out = foreign_deck(), tmp_path / "out.pptx"
    before = open_deck(deck, "deck.pptx")
    for lines in ("MOVE_PAGE(1, 2)", "DELETE_PAGE(1)", "COPY_PAGE(1)", "COPY_PAGE(1)\n    DELETE_PAGE(3)"):
        with pytest.raises(ValueError, match="cannot be added, moved"):
            save_edited(deck, before, _edited(lines, before), out)
    assert not out.exists()
    assert save_edited(deck, before, _edited("MOVE_PAGE(1, 2)\n    MOVE_PAGE(1, 2)", before), out) == ()
    assert out.read_bytes() == deck
    edited = _edited('MODIFY_PAGE(1, "Hello.", "notes")\n    MODIFY_PAGE(2, "red", "background")', before)
    assert save_edited(deck, before, edited, out) == ("the notes of page 1 cannot be changed in a PowerPoint file",)
    assert open_deck(out.read_bytes(), "out.pptx").pages[1].background == edited.pages[1].background


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
