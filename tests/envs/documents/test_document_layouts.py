"""Generated documents: every one is without faults, readable, the same for the same seed, and none is a shipped one."""

import json
from collections import Counter

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import ALL, LONG, some

from formgym.assets import ROOT
from formgym.envs.documents.layouts import schema
from formgym.envs.documents.layouts.blocks import Writer
from formgym.envs.documents.layouts.generator import make_document, number_names
from formgym.envs.documents.layouts.schema import CONTAINERS, KINDS, LEAVES, kit, layouts
from formgym.envs.documents.layouts.words import Words
from formgym.envs.documents.painting.faults import faults
from formgym.envs.documents.scene.colours import contrast, readable
from formgym.envs.documents.scene.document import Document, load_document
from formgym.envs.documents.scene.elements import KINDS as TYPES

SIZES = ((720, 960), (960, 720), (960, 540), (600, 900), (700, 700), (700, 400))
SHIPPED = [load_document(path) for path in sorted((ROOT / "documents").glob("*.json"))]
COLOURS = st.tuples(*[st.integers(0, 255)] * 3)


def made(kind, size, pages, seed, name="made"):
    return make_document(kind, size, pages, np.random.default_rng(seed), name)


CASES = [(i, k) for i in range(len(KINDS)) for k in range(len(SIZES)) if ALL or (i + k) % 3 == 0]


@pytest.fixture(scope="module")
def sample():
    """Each kind in some or all sizes, with 1 to 4 pages."""
    return [made(KINDS[i], SIZES[k], 1 + (i + k) % 4, [i, k], f"made_{i}_{k}") for i, k in CASES]


def texts(document):
    for element in document.elements():
        yield from element.text.replace("\t", "\n").split("\n")
        yield from (run.text for run in element.runs)


def phrases_of(data):
    if isinstance(data, str):
        return {data}
    return {text for part in (data.values() if isinstance(data, dict) else data) for text in phrases_of(part)}


def long_ones(found):
    return {text.strip().casefold() for text in found if len(text.strip()) >= 12}


def visible(page):
    return [element for element in page.elements if element.type != "group"]


@LONG
def test_none_has_faults(sample):
    assert {document.name: found for document in sample if (found := list(faults(document)))} == {}


def test_pages_have_the_requested_size_and_are_well_filled(sample):
    for (i, k), document in zip(CASES, sample, strict=True):
        assert document.kind == KINDS[i]
        assert len(document.pages) == 1 + (i + k) % 4
        assert {(page.width, page.height) for page in document.pages} == {SIZES[k]}
        assert all(9 <= len(visible(page)) <= 34 for page in document.pages)


def test_they_hold_to_the_schema(sample):
    for document in sample:
        assert Document.model_validate_json(json.dumps(document.dump())).digest == document.digest


def test_every_type_and_manner_occurs(sample):
    elements = [element for document in sample for element in document.elements()]
    assert {element.type for element in elements} == set(TYPES) - {"chart"}
    assert {element.shape for element in elements} > {"rectangle", "ellipse", "triangle", "diamond", "star", "hexagon"}
    assert len({element.style.face for element in elements}) >= 5
    assert len({element.style.size for element in elements if element.type == "text"}) >= 12
    assert sum(element.angle != 0 for element in elements) > some(15, 50)
    assert sum(element.opacity < 1 for element in elements) > some(15, 50)
    assert sum(len(element.runs) > 1 for element in elements) > some(15, 50)
    for manner in ("bold", "italic", "underline"):
        assert any(getattr(element.style, manner) for element in elements)
        assert any(getattr(run, manner) for element in elements for run in element.runs)


def test_about_a_third_has_groups_which_stand_before_what_is_in_them(sample):
    having = [document for document in sample if any(element.type == "group" for element in document.elements())]
    assert 0.2 < len(having) / len(sample) < 0.55
    for document in having:
        for element in document.elements():
            if element.parent is not None:
                group = document.find(element.parent)
                assert document.places[group.id] < document.places[element.id]
                left, top, width, height = group.bbox
                x, y, wide, high = element.bbox
                assert left <= x <= x + wide <= left + width
                assert top <= y <= y + high <= top + height


def test_texts_stand_apart(sample):
    for page in (page for document in sample for page in document.pages):
        boxes = [element.bbox for element in page.elements if element.type in ("text", "list", "table")]
        for i, (left, top, width, height) in enumerate(boxes):
            for other in boxes[:i]:
                across = min(left + width, other[0] + other[2]) - max(left, other[0])
                down = min(top + height, other[1] + other[3]) - max(top, other[1])
                assert across <= 2 or down <= 3


def test_texts_can_be_read(sample):
    for page in (page for document in sample for page in document.pages):
        for i, element in enumerate(page.elements):
            if element.runs:
                ground = element.style.fill or _ground(page, page.elements[:i], element.centre)
                inks = {element.style.colour} | {run.colour for run in element.runs if run.colour}
                assert all(contrast(ink, ground) > 4 for ink in inks), element.name


def _ground(page, below, spot):
    """The colour of what a spot of a page is filled with, what is faded aside."""
    ground = page.background
    for element in below:
        left, top, width, height = element.bbox
        covers = left <= spot[0] <= left + width and top <= spot[1] <= top + height
        if element.type == "shape" and element.style.fill and element.opacity == 1 and covers:
            ground = element.style.fill
    return ground


def test_none_says_what_a_shipped_document_says(sample):
    shipped = long_ones(text for document in SHIPPED for text in texts(document))
    assert len(shipped) > 300
    assert long_ones(text for document in sample for text in texts(document)) & shipped == set()
    bank = phrases_of(kit().banks) | phrases_of([s.model_dump(exclude={"prices"}) for s in kit().subjects])
    assert long_ones(bank) & shipped == set()


@pytest.mark.parametrize("kind", KINDS if ALL else KINDS[::4])
def test_the_same_seed_makes_the_same_whatever_was_made_before(kind):
    first = made(kind, (720, 960), 2, 5)
    others = {made(kind, size, 1, seed).digest for size in SIZES[1:3] for seed in range(3)}
    assert made(kind, (720, 960), 2, 5).digest == first.digest
    assert len(others) == 6


def test_different_seeds_differ_in_words_colours_and_layouts():
    found = [made("flyer", (720, 960), 1, seed) for seed in range(24)]
    assert len({document.digest for document in found}) == 24
    assert len({document.title for document in found}) > 16
    assert len({document.pages[0].background for document in found}) > 8
    assert len({tuple(Counter(e.type for e in document.elements()).items()) for document in found}) > 16


@settings(max_examples=some(8, 25), deadline=None)
@given(st.sampled_from(KINDS), st.integers(400, 1200), st.integers(400, 1200), st.integers(0, 2**32 - 1))
def test_any_kind_can_be_made_in_any_size(kind, width, height, seed):
    document = made(kind, (width, height), 1, seed)
    assert list(faults(document)) == []


@pytest.mark.parametrize("size", [(399, 700), (700, 1201)])
def test_other_sizes_are_refused(size):
    with pytest.raises(ValueError, match="from 400 to 1200"):
        made("poster", size, 1, 0)


def test_other_kinds_and_names_are_refused():
    with pytest.raises(ValueError, match="no kind 'novel'; there are poster"):
        made("novel", (720, 960), 1, 0)
    with pytest.raises(ValueError, match="name"):
        made("poster", (720, 960), 1, 0, name="No Snake")


def test_each_kind_has_layouts_of_its_own():
    trees = [layout.tree for kind in KINDS for layout in (*layouts(kind).first, *layouts(kind).inner)]
    assert len({tree.model_dump_json() for tree in trees}) == len(trees)
    assert all(len({layout.name for layout in layouts(kind).first}) >= 4 for kind in KINDS)
    assert len(kit().palettes) >= 12
    assert len(kit().subjects) >= 40


def test_every_block_of_every_layout_can_be_written():
    every = [
        layout for kind in (*KINDS, "inner") for part in ("first", "inner") for layout in getattr(layouts(kind), part)
    ]
    nodes = [node for layout in every for node in _nodes(layout.tree)]
    words = Words(kit().subjects[0], np.random.default_rng(0))
    scope = dict.fromkeys(("topic", "what", "noun", "item", "it", "shape", "signer", "scene", "picture", "icon"), "")
    assert len(nodes) > 1200
    for node in nodes:
        assert node.block in {*LEAVES, *CONTAINERS, "any"}
        assert set(node.roles) <= set(kit().styles)
        assert {*node.ornaments} <= {*kit().ornaments, ""}
        assert node.each in {*kit().things, ""}
        assert node.topic == "" or f"heading {node.topic}" in kit().banks
    for layout in every:
        assert Writer(words, is_wide=True).block(layout.tree, {**scope, "item": words.items(1)[0]})


def _nodes(node):
    return [node, *(inner for child in node.of for inner in _nodes(child))]


@pytest.mark.parametrize(
    ("file", "spoil", "named"),
    [
        ("blocks", lambda d: d["styles"]["body"].update(units="large"), "styles.body.units"),
        ("blocks", lambda d: d["blocks"].update(panel=[1]), "blocks.panel"),
        ("phrases", lambda d: d["banks"].update(badge=["New", "Hot", ""]), "banks.badge.2"),
        ("phrases", lambda d: d.pop("facts"), "facts"),
        ("palettes", lambda d: d[0].update(name="pale", ink=[200, 200, 200]), "pale: Value error, the contrast of ink"),
        ("pairings", lambda d: d[0].update(name="odd", head="Papyrus"), "odd.head"),
        ("subjects", lambda d: d[0].update(name="odd", sort="war"), "odd.sort"),
        ("poster", lambda d: d["first"][0].update(name="odd", tree="stak"), "first.odd.tree: Value error, there is no"),
    ],
)
def test_a_broken_file_is_refused_with_its_name_and_field(tmp_path, monkeypatch, file, spoil, named):
    for path in (ROOT / "document_layouts").glob("*.json"):
        data = json.loads(path.read_text("utf-8"))
        if path.stem == file:
            spoil(data)
        (tmp_path / path.name).write_text(json.dumps(data), "utf-8")
    monkeypatch.setattr(schema, "_FOLDER", tmp_path)
    with pytest.raises(ValueError, match=f"{file}.json is not valid") as caught:
        (kit.__wrapped__(), layouts.__wrapped__("poster"))
    assert named in str(caught.value)


@given(COLOURS, COLOURS, st.floats(1, 4.5))
def test_an_ink_that_is_made_readable_is(ink, ground, least):
    shade = readable(ink, ground, least)
    assert contrast(shade, ground) >= least
    assert shade == ink or contrast(ink, ground) < least


def test_names_count_what_there_are_several_of():
    assert number_names(["{} card", "headline", "{} card", "rule", "rule"]) == [
        "first card",
        "headline",
        "second card",
        "first rule",
        "second rule",
    ]
    assert number_names(["{} card", "title of the {} card"]) == ["card", "title of the card"]
    assert number_names(["dot"] * 13)[10:] == ["11th dot", "12th dot", "13th dot"]
