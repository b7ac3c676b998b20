"""Documents: operations never break an invariant, pages that are patched are the pages drawn anew, edits replay."""

import contextlib
import itertools

import numpy as np
import pytest
from document_walk import random_operation
from elements_by_name import infer_by_name
from PIL import Image, ImageDraw
from sizes import sample, some

from formgym.assets import ROOT
from formgym.envs.core.painting import Frame, Stamp
from formgym.envs.core.text_sprites import font
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.operations.copying import copy, delete
from formgym.envs.documents.operations.creating import add
from formgym.envs.documents.operations.modifying import MODIFICATIONS, modify
from formgym.envs.documents.operations.placing import move
from formgym.envs.documents.operations.replacing import replace
from formgym.envs.documents.operations.split_merge import merge, split
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.operations.values import FACES
from formgym.envs.documents.painting.canvas import SpriteCanvas
from formgym.envs.documents.painting.faults import faults
from formgym.envs.documents.painting.glyphs import PARTS, lay, text_width, word_ink
from formgym.envs.documents.painting.marks import HEIGHT, WIDTH, corners_of, places_of
from formgym.envs.documents.painting.view import DocumentView, painted
from formgym.envs.documents.scene.document import Document, load_document

FILES = [path for path in sorted((ROOT / "documents").glob("*.json")) if not path.with_suffix(".pictures").exists()]
"""The documents of ours; decks follow other people's rules."""
STEPS = some(600, 10_000)
POSTER = load_document(ROOT / "documents" / "concert_poster.json")
SLIDES = load_document(ROOT / "documents" / "quarterly_review_slides.json")
_UNDERLINED = [("Harbour ", None), ("Lights", True)]


def _walked(document, seed, steps):
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        name, arguments = random_operation(document, rng)
        with contextlib.suppress(ToolError):
            document = OPERATIONS[name](document, **arguments)
        yield document


@pytest.mark.parametrize("path", sample(FILES, 14), ids=lambda path: path.stem)
def test_a_shipped_document_is_without_fault(path):
    document = load_document(path)
    assert document.name == path.stem
    assert not list(faults(document))
    assert Document.model_validate(document.dump()) == document


@pytest.mark.parametrize("path", sample(FILES, 7), ids=lambda path: path.stem)
def test_random_operations_never_break_a_document(path):
    start = document = load_document(path)
    kept = start.digest
    for i, document in enumerate(_walked(start, 1, STEPS)):
        if i % 50 == 0:
            assert not list(document.problems())
            assert Document.model_validate(document.dump()) == document
    assert start.digest == kept
    # The same edits on the same document make the same one.
    *_, again = _walked(start, 1, STEPS)
    assert again.digest == document.digest != kept


@pytest.mark.parametrize("marks", [False, True])
@pytest.mark.parametrize("path", sample(FILES, 8), ids=lambda path: path.stem)
def test_a_patched_page_is_the_page_drawn_anew(path, marks):
    start = load_document(path)
    view, shown = DocumentView(start, marks=marks), start.pages[0]
    buffer = np.empty((shown.height, shown.width, 3), np.uint8)
    frame = Frame(buffer)
    frame.show(view.background, view.layers)
    view.take_dirty()
    rng = np.random.default_rng(3)
    page = 0
    for i, document in enumerate(_walked(start, 2, 150)):
        if rng.random() < 0.05 or page >= len(document.pages):
            page = int(rng.integers(len(document.pages)))
        view.show(document, page)
        frame.update(view.background, view.layers, view.take_dirty())
        if i % 10 == 0:
            np.testing.assert_array_equal(buffer, painted(document, page, marks))
    np.testing.assert_array_equal(buffer, painted(document, page, marks))


def _boxes(document):
    return {element.id: element.bbox for element in document.elements()}


def test_move_by_place_and_by_difference():
    assert _boxes(move(POSTER, "badge", [10, 20]))["badge"] == (10, 20, 140, 140)
    assert _boxes(move(POSTER, "badge", position_diff=("UP", 20)))["badge"] == (540, 400, 140, 140)
    assert _boxes(move(POSTER, "badge", [10, 20, 5, 5]))["badge"] == (10, 20, 140, 140)
    for wrong in ({}, {"new_position": [1, 2], "position_diff": ("UP", 3)}, {"position_diff": ("NORTH", 3)}):
        with pytest.raises(ToolError, match="position"):
            move(POSTER, "badge", **wrong)
    with pytest.raises(ToolError, match="no element 'bagde'; there are banner, series"):
        move(POSTER, "bagde", [1, 2])


def test_delete_and_copy_take_along_what_is_in_a_group():
    group = {"id": "corner", "type": "group", "name": "corner", "bbox": [540, 420, 140, 140]}
    data = POSTER.dump()
    data["pages"][0]["elements"].append(group)
    for element in data["pages"][0]["elements"]:
        if element["id"] == "badge":
            element["parent"] = "corner"
    grouped = Document.model_validate(data)
    assert set(grouped.places) - set(delete(grouped, "corner").places) == {"corner", "badge"}
    copied, name = copy(grouped, "corner", [0, 0])
    assert copied.find(name).bbox == (0, 0, 140, 140)
    (child,) = copied.children(name)
    assert (child.bbox, child.shape) == ((0, 0, 140, 140), "star")
    assert {one.id for one in grouped.children("corner")} == {"badge"}
    assert move(grouped, "corner", position_diff=("DOWN", 5)).find("badge").bbox == (540, 425, 140, 140)


def test_add_makes_what_is_described():
    document, name = add(POSTER, "text", 'a red title that says "Sold out"', [60, 100])
    added = document.find(name)
    assert (added.text, added.style.colour, added.bbox[:2]) == ("Sold out", (208, 44, 44), (60, 100))
    assert document.pages[0].elements[-1] is added
    document, name = add(POSTER, "shape", "a blue circle")
    assert (document.find(name).shape, document.find(name).style.fill) == ("ellipse", (44, 96, 190))
    document, name = add(POSTER, "table", "Day\tTime\nMonday\t9 am")
    assert document.find(name).cells == (("Day", "Time"), ("Monday", "9 am"))
    document, name = add(POSTER, "icon", "a heart")
    assert document.find(name).asset == "icon/heart"
    for words in ("", "a picture of a quark"):
        with pytest.raises(ToolError, match="descri"):
            add(POSTER, "image", words)
    with pytest.raises(ToolError, match="no type of element 'song'"):
        add(POSTER, "song", "la la")


def test_what_is_added_has_the_place_size_style_and_page_that_are_given():
    style = {"size": 40, "colour": "red", "align": "center"}
    document, name = add(SLIDES, "text", "Thank you", [40, 60], style=style, page=2)
    made = document.find(name)
    assert document.places[name] == (1, len(SLIDES.pages[1].elements))
    assert (made.style.size, made.style.colour, made.style.align) == (40, (208, 44, 44), "center")
    assert made.bbox == (40, 60, 320, 48)
    document, name = add(POSTER, "icon", "a heart", [40, 60], [50, 70])
    assert document.find(name).bbox == (40, 60, 50, 70)
    document, name = add(POSTER, "text", "Hello", [40, 60, 200, 90], style={"size": 30})
    assert document.find(name).bbox == (40, 60, 200, 90)
    for wrong in ({"page": 9}, {"page": "x"}, {"style": [1]}, {"style": {"mood": 1}}, {"size": 5}, {"position": "top"}):
        with pytest.raises((ToolError, ValueError)):
            add(SLIDES, "text", "Hello", **wrong)


def test_what_an_inferred_box_is_for_fits_into_it():
    for words, kind, description in (
        ("a picture below the headline", "image", "hills"),
        ("a text below the headline", "text", '"Sold out"'),
        ("below the headline", "text", '"Sold out"'),
        ("an icon in the top left corner", "image", "icon/cup"),
    ):
        _, _, *size = infer_by_name(POSTER, words)
        document, name = add(POSTER, kind, description)
        assert document.find(name).bbox[2] <= size[0] or words == "below the headline"
        assert document.find(name).bbox[3] <= size[1]


def test_replace_keeps_place_and_order():
    document, name = replace(POSTER, "headline", "text", "text", "Winter Lights")
    new, old = document.find(name), POSTER.find("headline")
    assert (name, new.text, new.style, new.bbox) == ("headline", "Winter Lights", old.style, old.bbox)
    assert document.places["headline"] == POSTER.places["headline"]
    document, name = replace(POSTER, "photo", "image", "shape", "a green rectangle")
    assert "photo" not in document.places
    assert document.places[name] == POSTER.places["photo"]
    document, name = replace(POSTER, "headline", "text", "image", "icon/cup")
    assert document.find(name).bbox == (318, 500, 84, 84)
    with pytest.raises(ToolError, match="is a text, not an image"):
        replace(POSTER, "headline", "image", "text", "x")


@pytest.mark.parametrize(
    ("element", "kind", "value", "read"),
    [
        ("headline", "text", "New", lambda e: e.text == "New"),
        ("headline", "colour", "red", lambda e: e.style.colour == (208, 44, 44)),
        ("badge", "fill", "#0000ff", lambda e: e.style.fill == (0, 0, 255)),
        ("badge", "color", "#0000ff", lambda e: e.style.colour == (0, 0, 255)),
        ("banner", "color", "#0000ff", lambda e: e.style.fill == (0, 0, 255)),
        ("rule", "color", [1, 2, 3], lambda e: e.style.stroke == (1, 2, 3)),
        ("headline", "font size", "40 px", lambda e: e.style.size == 40),
        ("headline", "size", "125 percent", lambda e: e.style.size == round(POSTER.find("headline").style.size * 1.25)),
        ("photo", "size", "50%", lambda e: e.bbox == (210, 232, 300, 165)),
        ("photo", "width", "50%", lambda e: e.bbox[2] == 300),
        ("headline", "face", "inter", lambda e: e.style.face == "Inter"),
        ("banner", "stroke", "red", lambda e: e.style.stroke_width > 0),
        ("headline", "underline", ["Lights", True], lambda e: [(r.text, r.underline) for r in e.runs] == _UNDERLINED),
        ("headline", "words", ["our Li", "vest N"], lambda e: e.text == "Harbvest Nghts"),
        ("headline", "runs", [{"text": "New", "colour": "red"}], lambda e: e.runs[0].colour == (208, 44, 44)),
        ("prices", "cells", [["a", "b"], ["c", 1]], lambda e: e.cells == (("a", "b"), ("c", "1"))),
        ("headline", "bold", "not bold", lambda e: not e.style.bold),
        ("notes", "bold", True, lambda e: e.style.bold and e.runs[1].bold is None),
        ("headline", "align", "centre", lambda e: e.style.align == "center"),
        ("photo", "opacity", "50%", lambda e: e.opacity == 0.5),
        ("photo", "transparency", 30, lambda e: e.opacity == 0.7),
        ("badge", "rotate", -22, lambda e: e.angle == 350),
        ("badge", "scale", "50%", lambda e: e.bbox == (575, 455, 70, 70)),
        ("badge", "resize", [50, 60], lambda e: e.bbox == (540, 420, 50, 60)),
        ("prices", "cell", (2, 2, "$20"), lambda e: e.cells[1][1] == "$20"),
        ("photo", "picture", "hills", lambda e: e.asset == "scene/hills/0"),
        ("badge", "shape", "a circle", lambda e: e.shape == "ellipse"),
        ("series", "case", "uppercase", lambda e: e.text == "EVENINGS AT THE OLD MILL"),
        ("banner", "fill", "none", lambda e: e.style.fill is None),
    ],
)
def test_modify(element, kind, value, read):
    edited = modify(POSTER, element, value, kind)
    assert read(edited.find(element))
    others = [(a, b) for a, b in zip(POSTER.elements(), edited.elements(), strict=True) if a.id != element]
    assert all(a is b for a, b in others)


@pytest.mark.parametrize("path", FILES[::6], ids=lambda path: path.stem)
def test_keys_and_values_of_the_json_are_those_of_modify(path):
    document = load_document(path)
    for element in document.dump()["pages"][0]["elements"]:
        fields = element.pop("style", {}) | element
        edited = document
        for key in (key for key in fields if key not in ("id", "type", "name", "parent")):
            edited = modify(edited, element["id"], fields[key], key)
        assert edited == document, element["id"]


def test_modify_moves_in_the_order():
    assert modify(POSTER, "badge", "back", "order").places["badge"] == (0, 0)
    assert modify(POSTER, "banner", "forward", "z").places["banner"] == (0, 1)


@pytest.mark.parametrize(
    ("element", "kind", "value", "words"),
    [
        ("headline", "mood", "sad", "no type_of_modification 'mood'; there are text"),
        ("headline", "color", "reddish", "no colour"),
        ("headline", "font", "Blocky", "there is no typeface"),
        ("headline", "font_size", 1000, "less than or equal to 400"),
        ("photo", "text", "Hello", "an image has no text"),
        ("prices", "cell", (9, 1, "x"), r"no cell \(9, 1\)"),
        ("photo", "opacity", "150%", "a share from 0 to 1"),
        ("photo", "width", 0, "there are 1 to"),
        ("photo", "fill", "red", "an image has no fill"),
        ("headline", "bold", ["Dawn", True], "does not say 'Dawn'"),
        ("photo", "width", float("nan"), "a number up to"),
        ("photo", "width", float("inf"), "a number up to"),
    ],
)
def test_what_does_not_fit_is_said(element, kind, value, words):
    with pytest.raises(ToolError, match=words):
        modify(POSTER, element, value, kind)


def test_no_value_makes_a_modification_fail_otherwise():
    for kind in MODIFICATIONS:
        for value in (object(), [], {}, None):
            with contextlib.suppress(ToolError):
                assert modify(POSTER, "headline", value, kind).find("headline")


def test_split_and_merge():
    document, ids = split(POSTER, "notes")
    assert [document.find(one).text for one in ids] == [
        "Doors open at half past six",
        "Bring a cushion: the benches are hard",
        "The bar takes cards only",
    ]
    assert ids[0] == "notes"
    tops = [document.find(one).bbox[1] for one in ids]
    assert tops == sorted(set(tops))
    turned, (first, second, _) = split(modify(POSTER, "notes", 90, "angle"), "notes")
    assert turned.find(first).centre[0] > turned.find(second).centre[0]
    assert turned.find(first).centre[1] == pytest.approx(turned.find(second).centre[1], abs=1)
    whole, name = merge(document, ids)
    assert (name, whole.find(name).text) == ("notes", POSTER.find("notes").text)
    assert set(whole.places) == set(POSTER.places)
    for given in (["notes"], ["notes", "notes"], "notes", ["notes", "photo"]):
        with pytest.raises(ToolError):
            merge(POSTER, given)
    with pytest.raises(ToolError, match="does not say"):
        split(POSTER, "headline", ";")


def test_text_in_one_colour_is_drawn_as_by_way_of_a_picture():
    face = font("Noto Serif", 23, 400)
    for opacity in (1, 0.5, 0.33):
        sprites = []
        for has_picture in (False, True):
            canvas = SpriteCanvas(180, 40, 3)
            canvas.write(word_ink(face, "Täglich"), (12, 200, 97), 9, 30)
            canvas.write(word_ink(face, "flying"), (12, 200, 97), 80, 30)
            if has_picture:
                assert canvas.picture.getbbox() is None
            sprites.append(canvas.sprite(0, opacity))
        pages = [np.full((60, 200, 3), 240, np.uint8) for _ in sprites]
        for sprite, page in zip(sprites, pages, strict=True):
            Stamp(sprite, 5, 5).draw(page, (0, 0, 200, 60))
        assert np.array_equal(*pages)
        assert pages[0].min() < 200


@pytest.mark.parametrize("face", FACES)
def test_composed_words_are_what_pillow_draws(face):
    text = "AVATAR Tofjord “flying” fi: £14.50 / 20 % — jfj Ty."
    for size, weight in itertools.product((8, 13, 29, 78), (400, 700)):
        pen = font(face, size, weight)
        assert text_width(pen, text) == pen.getlength(text)
        drawn = Image.new("L", (int(pen.getlength(text)) + 8 * size, 3 * size))
        ImageDraw.Draw(drawn).text((size, 2 * size), text, fill=255, font=pen, anchor="ls")
        composed = np.zeros(drawn.size[::-1], np.uint8)
        at = size
        for word in PARTS.findall(text):
            ink = word_ink(pen, word)
            lay(composed, ink, at, 2 * size)
            at += ink.advance
        assert np.array_equal(composed, drawn)


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_no_two_marks_lie_on_each_other(path):
    for page in load_document(path).pages:
        places = list(places_of(corners_of(page), page.width, page.height))
        assert [name for name, _, _ in places] == [e.id for e in page.elements if e.type != "group"]
        for i, (_, x, y) in enumerate(places):
            assert 0 <= x <= page.width - WIDTH
            assert 0 <= y <= page.height - HEIGHT
            assert all(abs(x - a) >= WIDTH or abs(y - b) >= HEIGHT for _, a, b in places[:i])


def test_items_of_lists_are_drawn_as_deep_as_they_are_and_keep_their_levels():
    made, name = OPERATIONS["ADD"].edit(POSTER, "list", ["fruit", "apples", "pears", "bread"], [40, 40])
    deep = modify(made, name, [0, 1, 1, 0], "levels")
    rows, columns = np.nonzero((painted(made, 0) != painted(deep, 0)).any(axis=2))
    # The second and the third of four lines are other ones: indented, and with other bullets.
    left, top, _, height = deep.find(name).bbox
    assert left <= columns.min()
    assert top + height // 4 <= rows.min() < rows.max() <= top + height * 3 // 4
    longer = OPERATIONS["INSERT"](deep, name, "item", 4, "plums")
    assert longer.find(name).levels == (0, 1, 1, 1, 0)
    assert OPERATIONS["SHIFT"](longer, name, "item", 1, 5).find(name).levels == (1, 1, 1, 0, 0)
    assert OPERATIONS["REMOVE"](longer, name, "item", 5).find(name).levels == (0, 1, 1, 1)
    split = OPERATIONS["SPLIT"].edit(deep, name)
    assert [split[0].find(part).levels for part in split[1]] == [(0,), (1,), (1,), (0,)]
    with pytest.raises(ToolError, match="levels are how deep"):
        modify(POSTER, "headline", [1], "levels")


def test_rows_and_items_are_given_as_lists():
    document, table = OPERATIONS["ADD"].edit(POSTER, "table", [["Day", "Doors"], ["Friday", 7]], [40, 40])
    assert document.find(table).cells == (("Day", "Doors"), ("Friday", "7"))
    document, other = OPERATIONS["REPLACE"].edit(document, table, "table", "list", ["Friday", "Saturday"])
    assert document.find(other).text == "Friday\nSaturday"
