"""Formats of single cells, rows and columns: set, painted, moved with their rows, required, and written in words."""

import numpy as np
import pytest
import sizes
from foreign_deck import foreign_deck, members
from hypothesis import given, settings
from hypothesis import strategies as st

from formgym.envs.core.tools import ToolError
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.painting.texts import table_columns, table_rows
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.pptx.patcher import save_edited
from formgym.envs.documents.scene.cells import FORMAT_FIELDS, cell_style, cells_in
from formgym.envs.documents.scene.document import Document
from formgym.envs.documents.scoring.changes import changes_in_words
from formgym.envs.documents.scoring.constraints import CONSTRAINT
from formgym.envs.documents.scoring.evaluator import Evaluator
from formgym.envs.documents.scoring.requirements import requirements_of

MODIFY = OPERATIONS["MODIFY"]
TABLE = {
    "id": "t", "type": "table", "bbox": [20, 20, 400, 160], "style": {"fill": [200, 210, 230], "stroke": [90, 90, 90]},
    "cells": [["Course", "Day", "Fee"], ["Yoga", "Mon", "12"], ["Chess", "Tue", "8"], ["Total", "", "20"]],
}  # fmt: skip
ICON = {"id": "i", "type": "image", "bbox": [460, 20, 80, 80], "asset": "icon/cup"}
PAGE = Document.model_validate(
    {
        "name": "fees", "title": "Fees", "kind": "notice",
        "pages": [{"width": 600, "height": 300, "elements": [TABLE, ICON]}],
    }
)  # fmt: skip
VALUES = {
    "bold": st.booleans(), "italic": st.booleans(), "underline": st.booleans(), "strike": st.booleans(),
    "colour": st.sampled_from(["red", "#204060", [20, 20, 20]]), "size": st.sampled_from([14, 26, "125%"]),
    "align": st.sampled_from(["left", "center", "right"]), "fill": st.sampled_from(["none", "yellow", [1, 2, 3]]),
}  # fmt: skip


def look(document):
    table = document.find("t")
    return {
        (cell, field): getattr(cell_style(table, *cell), field)
        for cell in cells_in(table, None, None)
        for field in FORMAT_FIELDS
    }


@st.composite
def formatted(draw, document=PAGE):
    for _ in range(draw(st.integers(1, 4))):
        table = document.find("t")
        field = draw(st.sampled_from(FORMAT_FIELDS))
        row, column = (draw(st.none() | st.integers(1, n)) for n in (len(table.cells), len(table.cells[0])))
        value = draw(VALUES[field])
        document = MODIFY(document, "t", draw(st.sampled_from([value, [row, column, value]])), field)
        if draw(st.integers(0, 3)) == 0:
            document = OPERATIONS[draw(st.sampled_from(["INSERT", "REMOVE"]))](document, "t", "row", 2)
    return document


def test_a_cell_a_row_or_a_column_differs_from_the_others():
    edited = MODIFY(PAGE, "t", [4, None, True], "bold")
    edited = MODIFY(edited, "t", [None, 3, "right"], "align")
    edited = MODIFY(edited, "t", [2, 1, "light grey"], "fill")
    old, new = look(PAGE), look(edited)
    changed = {key: value for key, value in new.items() if value != old[key]}
    assert changed == {
        **{((3, k), "bold"): True for k in range(3)},
        **{((i, 2), "align"): "right" for i in range(4)},
        ((1, 0), "fill"): (206, 206, 206),
    }
    assert Document.model_validate(edited.dump()) == edited
    assert MODIFY(edited, "t", [4, None, False], "bold") == MODIFY(
        MODIFY(PAGE, "t", [None, 3, "right"], "align"), "t", [2, 1, "light grey"], "fill"
    )
    # What holds for the whole table holds for each cell.
    assert {look(MODIFY(edited, "t", "center", "align"))[(i, k), "align"] for i in range(4) for k in range(3)} == {
        "center"
    }


def test_only_the_cells_with_a_format_are_painted_otherwise():
    page = painted(PAGE, 0)
    for field, value in {"strike": True, "underline": True, "fill": "yellow", "size": 30, "colour": "red"}.items():
        differs = np.any(painted(MODIFY(PAGE, "t", [3, 1, value], field), 0) != page, axis=2)
        rows, columns = np.nonzero(differs)
        assert rows.min() >= 99
        assert rows.max() < 141
        assert columns.max() < 155


def test_formats_stay_with_their_rows_and_columns():
    edited = MODIFY(MODIFY(PAGE, "t", [3, None, True], "strike"), "t", [1, None, "red"], "colour")
    more = OPERATIONS["INSERT"](edited, "t", "row", 2, ["Art", "Sun", "9"])
    struck = [look(more)[(i, 0), "strike"] for i in range(5)]
    assert struck == [False, False, False, True, False]
    assert look(more)[(1, 0), "colour"] == (20, 20, 20)
    assert look(OPERATIONS["SHIFT"](more, "t", "row", 4, 2))[(1, 2), "strike"]
    assert OPERATIONS["REMOVE"](more, "t", "row", 2) == edited
    assert not OPERATIONS["REMOVE"](OPERATIONS["REMOVE"](edited, "t", "row", 3), "t", "row", 1).find("t").formats


@pytest.mark.parametrize(
    ("value", "kind", "words"),
    [
        ([9, 1, True], "bold", "9 is no number of a row"),
        ([1, "x", True], "bold", "'x' is no number of a column"),
        ([1, 1, "sideways"], "align", "none of left, center, right"),
        ([1, 1, 900], "size", "less than or equal to 400"),
        (["Yoga", True], "bold", "row and column"),
        ([1, 1, "Inter"], "face", "no face of their own"),
    ],
)
def test_what_does_not_fit_into_cells_is_said(value, kind, words):
    with pytest.raises(ToolError, match=words):
        MODIFY(PAGE, "t", value, kind)


@pytest.mark.parametrize(
    ("part", "fields", "met"),
    [
        ([4, None, True], {"field": "bold", "row": 4, "any_of": [True]}, True),
        ([4, 1, True], {"field": "bold", "row": 4, "any_of": [True]}, False),
        ([None, 3, "right"], {"field": "align", "column": 3, "any_of": ["right"]}, True),
        ([2, 3, "right"], {"field": "align", "column": 3, "any_of": ["right"]}, False),
        ([2, 3, "red"], {"field": "colour", "row": 2, "column": 3, "any_of": ["red"]}, True),
        ([2, 3, "125%"], {"field": "size", "row": 2, "column": 3, "times": [1.1, 1.5]}, True),
        ([2, None, "none"], {"field": "fill", "row": 1, "any_of": ["yellow"]}, False),
    ],
)
def test_constraints_name_rows_and_columns(part, fields, met):
    constraint = CONSTRAINT.validate_python({"check": "value", "element": "t", **fields})
    evaluator = Evaluator(PAGE, [constraint])
    edited = MODIFY(PAGE, "t", part, fields["field"])
    assert evaluator.evaluate(edited).success is met
    if met:
        # The header of a column may be left as it is; another cell may not change.
        head = MODIFY(edited, "t", [1, part[1], "left"], "align") if fields["field"] == "align" else edited
        assert evaluator.evaluate(head).success
        assert not evaluator.evaluate(MODIFY(edited, "t", [3, 1, True], "strike")).success
        # It counts what is seen: the whole table in bold is too much.
        assert not evaluator.evaluate(MODIFY(PAGE, "t", part[2], fields["field"])).success


@settings(max_examples=12, deadline=None)
@given(formatted())
def test_edits_of_formats_are_required_and_repeated(edited):
    requirements = requirements_of(PAGE, edited)
    evaluator = Evaluator(PAGE, requirements.constraints, requirements.may_change)
    assert evaluator.evaluate(edited).success
    again = PAGE
    for arguments in MODIFY.between(PAGE.find("t"), edited.find("t")):
        if arguments["type_of_modification"] != "position":
            again = MODIFY(again, **arguments)
    assert look(again) == look(edited)
    is_alike = look(PAGE) == look(edited)
    assert is_alike or list(changes_in_words(PAGE, edited))
    # The header of a column may be as it is or as the column; where rows come or go, no format of a cell is compared.
    if len(edited.find("t").cells) == len(PAGE.find("t").cells):
        other = MODIFY(edited, "t", [4, 1, not look(edited)[(3, 0), "strike"]], "strike")
        assert not evaluator.evaluate(other).success


DECK = foreign_deck()
BEFORE = open_deck(DECK, "foreign.pptx")
(ON_SLIDE,) = (one for one in BEFORE.elements() if one.type == "table")


@st.composite
def table_edits(draw):
    """An edit of the table of a deck: of its rows and columns, their sizes and texts, and the looks of its cells."""
    document, name = BEFORE, ON_SLIDE.id
    for _ in range(draw(st.integers(1, 4))):
        table = document.find(name)
        sizes = {"row": len(table.cells), "column": len(table.cells[0])}
        row, column = (draw(st.integers(1, n)) for n in sizes.values())
        part = draw(st.sampled_from(["row", "column"]))
        at = draw(st.integers(1, sizes[part]))
        kind = draw(st.sampled_from(["format", "format", "insert", "remove", "cell", "size"]))
        if kind == "format":
            field = draw(st.sampled_from(FORMAT_FIELDS))
            rows, columns = draw(st.sampled_from([(row, None), (None, column), (row, column)]))
            document = MODIFY(document, name, [rows, columns, draw(VALUES[field])], field)
        elif kind == "insert":
            content = ["new one", "new two", "new three"][: sizes["column" if part == "row" else "row"]]
            document = OPERATIONS["INSERT"](document, name, part, at, content)
        elif kind == "remove" and sizes[part] > 1:
            document = OPERATIONS["REMOVE"](document, name, part, at)
        elif kind == "cell":
            document = MODIFY(
                document, name, [row, column, draw(st.sampled_from(["Quay", "a much longer text"]))], "cell"
            )
        elif kind == "size":
            document = MODIFY(document, name, [*[2], *[1] * (sizes[part] - 1)], f"{part}s")
    return document


def cells_of(table):
    """The texts of the cells of a table, and the looks of those that have one."""
    return [
        (text, *(getattr(cell_style(table, i, k), field) for field in FORMAT_FIELDS if text.strip() or field == "fill"))
        for i, row in enumerate(table.cells)
        for k, text in enumerate(row)
    ]


@settings(max_examples=sizes.some(25, 400), deadline=None)
@given(table_edits())
def test_a_table_that_is_edited_in_a_deck_is_read_again_as_it_is(tmp_path_factory, edited):
    path = tmp_path_factory.mktemp("decks") / "edited.pptx"
    assert save_edited(DECK, BEFORE, edited, path) == ()
    content = path.read_bytes()
    again, table = (one.find(ON_SLIDE.id) for one in (open_deck(content, "foreign.pptx"), edited))
    assert cells_of(again) == cells_of(table)
    for edges in (table_rows, table_columns):
        assert np.allclose(edges(again), edges(table), atol=2)
    old, new = members(DECK), members(content)
    changed = [name for name in old if old[name] != new.get(name)]
    assert new.keys() == old.keys()
    assert changed in ([], ["ppt/slides/slide3.xml"])


def test_changes_of_formats_in_words():
    edited = MODIFY(MODIFY(PAGE, "t", [None, 3, "right"], "align"), "t", [4, None, True], "bold")
    (line,) = changes_in_words(PAGE, edited)
    assert line.endswith('row 4 bold off → on; column 3 align "left" → "right"')


def test_icons_are_tinted():
    edited = MODIFY(PAGE, "i", "red", "colour")
    assert edited.find("i").asset == "icon/cup/d02c2c"
    assert np.any(painted(edited, 0) != painted(PAGE, 0))
    constraint = {"check": "value", "element": "i", "field": "colour", "any_of": ["red"]}
    evaluator = Evaluator(PAGE, [CONSTRAINT.validate_python(constraint)])
    assert evaluator.evaluate(edited).success
    assert not evaluator.evaluate(PAGE).success
    assert not evaluator.evaluate(MODIFY(edited, "i", "icon/clock", "asset")).success
    assert [one.field for one in requirements_of(PAGE, edited).constraints] == ["colour"]
    with pytest.raises(ToolError, match="icons have"):
        MODIFY(MODIFY(PAGE, "i", "hills", "asset"), "i", "red", "colour")
