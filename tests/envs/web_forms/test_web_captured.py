"""Captured web forms: a frame that was patched is the frame drawn anew, and text is drawn as its glyphs one by one."""

from __future__ import annotations

import itertools
import pickle
import random
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import sample, some

from formgym.envs.core.asset_cache import AssetCache
from formgym.envs.core.painting import Frame, Image
from formgym.envs.web_forms.env import CAPTURES
from formgym.envs.web_forms.replay.capture import Pictures, load_pictures
from formgym.envs.web_forms.replay.captured_page import KEYS, CapturedPage
from formgym.envs.web_forms.replay.fonts import Face, load_face
from formgym.envs.web_forms.replay.lines import blend, draw_line

FILES = ("cv_final.pdf", "notes.txt", "budget 2024.xlsx", "photo.jpg")
TEXTS = ("Ann", "912 Orchard St", "ann@example.com", "2025-03-14", "Zürich naïve", "one\ntwo", "a long line " * 12, " ")
FOLDERS = sorted(path.parent for path in CAPTURES.glob("*/*/capture.json"))
SOME = sample(FOLDERS, some(4, 7))
INK, GROUND = (31, 41, 55), (255, 250, 240)


def test_every_form_is_captured_in_every_theme() -> None:
    assert len(FOLDERS) == 125


def _name(folder: Path) -> str:
    return f"{folder.parent.name}-{folder.name}"


def _shown_anew(page: CapturedPage) -> Image:
    page.take_dirty()
    buffer = np.zeros((page.canvas.window.height, page.canvas.window.width, 3), np.uint8)
    Frame(buffer).show(page.background, page.layers, page.scroll_y)
    return buffer


def _act(page: CapturedPage, rng: random.Random) -> None:
    places = [widget.place.box for widget in page.values.widgets if widget.place]
    left, top, right, bottom = rng.choice(places or [(0, 0, page.canvas.window.width, page.canvas.window.height)])
    x, y = int(rng.uniform(left, right)), int(rng.uniform(top, bottom)) - page.canvas.window.scroll
    kind = rng.random()
    if kind < 0.45 and 0 <= y < page.canvas.window.height:
        page.click(x, y, rng.choice([1, 1, 1, 2]))
    elif kind < 0.55:
        page.click(rng.randrange(page.canvas.window.width), rng.randrange(page.canvas.window.height))
    elif kind < 0.75:
        page.type_text(rng.choice(TEXTS))
    elif kind < 0.9:
        page.press_key(rng.choice(KEYS))
    else:
        page.scroll(rng.choice([-300, -50, 50, 120, 700]))


@pytest.mark.parametrize("folder", SOME, ids=_name)
def test_patched_frame_equals_frame_drawn_anew(folder: Path) -> None:
    page, same = (CapturedPage(load_pictures(folder), FILES) for _ in range(2))
    buffer = np.zeros((page.canvas.window.height, page.canvas.window.width, 3), np.uint8)
    frame = Frame(buffer)
    frame.show(page.background, page.layers, page.scroll_y)
    chances = random.Random(1), random.Random(1)
    for step in range(150):
        _act(page, chances[0])
        _act(same, chances[1])
        dirty = page.take_dirty()
        frame.update(page.background, page.layers, dirty, page.scroll_y)
        if step % 10 == 9:
            np.testing.assert_array_equal(buffer, _shown_anew(page))
    # The other one has not been looked at until now.
    np.testing.assert_array_equal(buffer, _shown_anew(same))
    assert page.dump() == same.dump()


@pytest.mark.parametrize("folder", SOME[: some(1, 3)], ids=_name)
def test_touching_everything_changes_no_pixel(folder: Path) -> None:
    """What was drawn from what is known of the ground is what is drawn when nothing is known."""
    page, rng = CapturedPage(load_pictures(folder), FILES), random.Random(2)
    for _ in range(60):
        _act(page, rng)
        before = _shown_anew(page)
        pictures = Pictures(folder)
        for widget in page.values.widgets:
            widget.pictures, widget._inked = pictures, (None, ())
            if widget.place:
                page.canvas.touch(widget)
        np.testing.assert_array_equal(before, _shown_anew(page))


@pytest.mark.parametrize("folder", SOME, ids=_name)
def test_changes_add_up_to_what_all_fields_hold(folder: Path) -> None:
    page, rng = CapturedPage(load_pictures(folder), FILES), random.Random(3)
    held = page.take_changes()
    for _ in range(150):
        _act(page, rng)
        held |= page.take_changes()
        assert held == page.draft()


@pytest.mark.parametrize("folder", SOME, ids=_name)
def test_twin_holds_and_shows_the_same(folder: Path) -> None:
    page, rng = CapturedPage(load_pictures(folder), FILES), random.Random(4)
    for _ in range(40):
        _act(page, rng)
    page.press_key("Escape")
    page.pointer.at = -1, -1
    page.point()
    clone = page.clone()
    assert clone.draft() == page.draft()
    np.testing.assert_array_equal(_shown_anew(clone), _shown_anew(page))


@pytest.mark.parametrize("folder", SOME, ids=_name)
def test_a_pickled_page_goes_on_alike(folder: Path) -> None:
    page, rng = CapturedPage(load_pictures(folder), FILES), random.Random(5)
    for _ in range(12):
        for _ in range(6):
            _act(page, rng)
        clone = pickle.loads(pickle.dumps(page))
        assert clone.values.pictures is page.values.pictures
        state = rng.getstate()
        for _ in range(6):
            _act(page, rng)
        rng.setstate(state)
        for _ in range(6):
            _act(clone, rng)
        assert clone.dump() == page.dump()
        np.testing.assert_array_equal(_shown_anew(clone), _shown_anew(page))


@pytest.mark.parametrize("folder", SOME, ids=_name)
def test_a_long_line_of_which_a_part_is_drawn_looks_the_same(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    page, same = (CapturedPage(load_pictures(folder), FILES) for _ in range(2))
    chances = random.Random(6), random.Random(6)
    for _ in range(60):
        _act(page, chances[0])
        _act(same, chances[1])
        with monkeypatch.context() as patched:
            patched.setattr("formgym.envs.web_forms.replay.text_fields.LONG", 3)
            for widget in page.values.widgets:
                widget._inked = None, ()
                if widget.place:
                    page.canvas.touch(widget)
            in_part = _shown_anew(page)
        np.testing.assert_array_equal(in_part, _shown_anew(same))


def test_huge_texts_take_no_more_than_the_cache(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = AssetCache(16 << 20)
    monkeypatch.setattr("formgym.envs.web_forms.replay.fonts.CACHE", cache)
    face = load_face.__wrapped__(min((CAPTURES / "faces").glob("*.json")).with_suffix(""))
    for length in range(some(6, 30)):
        text = "many words " * 5_000 + "more " * length
        face.line(text, 0.5)
        assert len(face.offsets(text)) == len(text) + 1
        assert 0 < cache.size <= 16 << 20


@settings(max_examples=some(37, 150), deadline=None)
@given(
    text=st.text(st.sampled_from("abcfgijklmnqrtwyAVTWfi.,-'/_@ 0123éÅ□"), max_size=40),
    x=st.integers(0, 63).map(lambda quarter: 20 + quarter / 64),
    clip=st.sampled_from([(0, 0, 400, 60), (30, 22, 90, 34)]),
)
def test_a_line_equals_its_glyphs_one_by_one(text: str, x: float, clip: tuple[int, int, int, int]) -> None:
    face = load_pictures(FOLDERS[0]).face
    wanted, plain, stained = (np.full((60, 400, 3), GROUND, np.uint8) for _ in range(3))
    _draw_glyphs(wanted, face, text, x, clip)
    draw_line(plain, face.line(text, x), 30, INK, clip)
    draw_line(stained, face.line(text, x), 30, INK, clip, ((0, 0, 400, 60), GROUND))
    np.testing.assert_array_equal(plain, wanted)
    np.testing.assert_array_equal(stained, wanted)


def _draw_glyphs(target: Image, face: Face, text: str, x: float, clip: tuple[int, int, int, int]) -> None:
    drawn = target.copy()
    for character, at in itertools.zip_longest(text, face.offsets(text)[:-1]):
        glyph, pen = face.glyph(character, x + float(np.float32(at)))
        if glyph is None:
            continue
        left, top = pen + glyph.left, 30 + glyph.top
        right = min(left + glyph.mask.shape[1], drawn.shape[1])
        if right > left:
            blend(drawn[top : top + len(glyph.mask), left:right], glyph.mask[:, : right - left], INK)
    left, top, right, bottom = clip
    target[top:bottom, left:right] = drawn[top:bottom, left:right]
