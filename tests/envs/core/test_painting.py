"""A patched frame equals the frame drawn anew, and that equals what Pillow draws."""

from __future__ import annotations

import gc
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from PIL import Image as PillowImage
from PIL import ImageDraw
from sizes import some

from formgym.envs.core import painting
from formgym.envs.core.boxes import Rect, intersection
from formgym.envs.core.painting import (
    DESK,
    Frame,
    Image,
    Layer,
    LayeredPage,
    LayerStack,
    Patch,
    Stamp,
    flattened,
    reaching,
    shrunk,
)
from formgym.envs.core.scoring import Gold
from formgym.envs.core.text_sprites import INK, SIGNED_FACE, TYPED_FACE, characters, font, sprite
from formgym.envs.paper_forms.state import PaperFormState, PaperTask, Target

Draw = Callable[[st.SearchStrategy[Any]], Any]

HEIGHT, WIDTH = 60, 96  # multiples of 1, 2 and 3
FACTORS = pytest.mark.parametrize("factor", [1, 2, 3])
LIGHT = settings(max_examples=some(10, 40), deadline=None)
TASK = PaperTask("task", "goal", "source", 14, (Target("name", "Name", (10, 10, 60, 30), Gold("text", "Ann")),))


def random_page(seed: int) -> Image:
    page = np.random.default_rng(seed).integers(0, 256, (HEIGHT, WIDTH, 3), np.uint8)
    page.flags.writeable = False  # a frame never changes its background
    return page


backgrounds = st.integers(0, 1_000).map(random_page)
fractions = st.floats(0, 1) | st.sampled_from([0.0, 0.5, 1.0])
plain_text = st.text("abgjxyzQW ÉçÑ.,'18", min_size=1, max_size=12)
writing = st.tuples(st.just("write"), fractions, fractions, plain_text, st.booleans())
deleting = st.tuples(st.just("delete"), fractions, fractions)
deleting_a_mark = st.tuples(st.just("delete mark"), st.integers(0, 7))
edits = st.one_of(writing, writing, deleting, deleting_a_mark)


def edit(page: PaperFormState, kind: str, *values: Any) -> None:
    if kind == "write":
        x, y, text, signed = values
        page.write(x, y, text, signed=signed)
    elif kind == "delete":
        page.delete(*values)
    elif page.marks:
        mark = page.marks[values[0] % len(page.marks)]
        page.delete(mark.x, mark.y)


def block_mean(page: Image, factor: int) -> Image:
    height, width = page.shape[:2]
    blocks = page.astype(np.float64).reshape(height // factor, factor, width // factor, factor, 3)
    return np.floor(blocks.mean((1, 3)) + 0.5 + 1e-9).astype(np.uint8)


def blank_frame(factor: int = 1) -> Frame:
    return Frame(np.full((HEIGHT // factor, WIDTH // factor, 3), 77, np.uint8), factor)


def drawn_anew(background: Image, layers: Sequence[Layer], factor: int = 1) -> Image:
    frame = blank_frame(factor)
    frame.show(background, layers)
    return frame.buffer


def drawn_by_pillow(page: PaperFormState, factor: int = 1) -> Image:
    """The page drawn by Pillow on a fresh copy of its background."""
    picture = PillowImage.fromarray(np.array(page.background))
    for mark in page.marks:
        face, size = (SIGNED_FACE, round(14 * 1.4)) if mark.signed else (TYPED_FACE, 14)
        place = round(mark.x * WIDTH), round(mark.y * HEIGHT)
        ImageDraw.Draw(picture).text(place, mark.text, fill=INK, font=font(face, size), anchor="mm")
    return block_mean(np.asarray(picture), factor)


@FACTORS
@LIGHT
@given(background=backgrounds, sequence=st.lists(edits, min_size=1, max_size=8))
def test_patched_equals_drawn_anew_equals_pillow(factor: int, background: Image, sequence: list[Any]) -> None:
    page, frame = PaperFormState(TASK, background), blank_frame(factor)
    frame.show(page.background, page.layers)
    for values in sequence:
        edit(page, *values)
        frame.paint(page.take_dirty())
        np.testing.assert_array_equal(frame.buffer, drawn_anew(background, page.layers, factor))
        np.testing.assert_array_equal(frame.buffer, drawn_by_pillow(page, factor))


@FACTORS
@LIGHT
@given(
    images=st.tuples(backgrounds, backgrounds),
    sequence=st.lists(st.tuples(st.integers(0, 1), edits | st.just(("begin anew",))), min_size=2, max_size=10),
)
def test_one_frame_shows_two_pages_in_turn(factor: int, images: tuple[Image, Image], sequence: list[Any]) -> None:
    pages, frame = [PaperFormState(TASK, image) for image in images], blank_frame(factor)
    for which, values in sequence:
        if values == ("begin anew",):
            pages[which] = PaperFormState(TASK, images[which])
        frame.show(pages[which].background, pages[which].layers)
        np.testing.assert_array_equal(frame.buffer, drawn_by_pillow(pages[which], factor))
        if values != ("begin anew",):
            edit(pages[which], *values)
        frame.paint(pages[which].take_dirty())
        np.testing.assert_array_equal(frame.buffer, drawn_by_pillow(pages[which], factor))


small_pages = st.tuples(backgrounds, st.integers(1, HEIGHT), st.integers(1, WIDTH)).map(lambda p: p[0][: p[1], : p[2]])


@FACTORS
@LIGHT
@given(pages=st.lists(small_pages, min_size=1, max_size=4), text=plain_text, places=st.tuples(fractions, fractions))
def test_a_smaller_page_lies_on_the_desk(
    factor: int, pages: list[Image], text: str, places: tuple[float, float]
) -> None:
    """Whatever was shown before, marks over the page's edge included."""
    frame = blank_frame(factor)
    for page in pages:
        state, picture = PaperFormState(TASK, page), PillowImage.new("RGB", (WIDTH, HEIGHT), DESK)
        picture.paste(PillowImage.fromarray(page))
        frame.show(state.background, state.layers)
        np.testing.assert_array_equal(frame.buffer, block_mean(np.asarray(picture), factor))
        mark = state.write(*places, text)
        frame.paint(state.take_dirty())
        anchor = mark.stamp.x, mark.stamp.y
        ImageDraw.Draw(picture).text(anchor, text, fill=INK, font=font(TYPED_FACE, 14), anchor="mm")
        np.testing.assert_array_equal(frame.buffer, block_mean(np.asarray(picture), factor))


@LIGHT
@given(background=small_pages, sequence=st.lists(writing, min_size=1, max_size=5))
def test_flattened_layers_look_like_the_layers(background: Image, sequence: list[Any]) -> None:
    page = PaperFormState(TASK, background)
    for values in sequence:
        edit(page, *values)
    flat = LayeredPage(background, flattened(background, page.layers))
    np.testing.assert_array_equal(flat.pixels(), LayeredPage(background, page.layers).pixels())


@FACTORS
@LIGHT
@given(background=backgrounds, before=st.lists(writing, max_size=3), values=edits)
def test_nothing_outside_of_the_dirty_rectangles_is_written(
    factor: int, background: Image, before: list[Any], values: Any
) -> None:
    page, frame = PaperFormState(TASK, background), blank_frame(factor)
    for earlier in before:
        edit(page, *earlier)
    frame.show(page.background, page.layers)
    shown = frame.buffer.copy()
    page.take_dirty()
    edit(page, *values)
    dirty = page.take_dirty()
    frame.buffer[...] = 99  # whatever paint writes shows; what it leaves stays 99
    frame.paint(dirty)
    outside = np.ones(frame.buffer.shape[:2], bool)
    for rect in dirty:
        left, top, right, bottom = (max(edge, 0) for edge in rect)
        outside[top // factor : -(-bottom // factor), left // factor : -(-right // factor)] = False
    assert (frame.buffer[outside] == 99).all()
    after = drawn_anew(background, page.layers, factor)
    np.testing.assert_array_equal(frame.buffer[~outside], after[~outside])
    np.testing.assert_array_equal(shown[outside], after[outside])  # so the rectangles cover every change


@st.composite
def patches(draw: Draw) -> Patch:
    """An opaque picture, perhaps partly or wholly off the page."""
    height, width, seed = draw(st.integers(1, 30)), draw(st.integers(1, 40)), draw(st.integers(0, 99))
    pixels = np.random.default_rng(seed).integers(0, 256, (height, width, 3), np.uint8)
    return Patch(pixels, draw(st.integers(-45, WIDTH + 5)), draw(st.integers(-35, HEIGHT + 5)))


@FACTORS
@LIGHT
@given(background=backgrounds, under=st.lists(patches(), max_size=3), sequence=st.lists(edits, max_size=4))
def test_patches_lie_under_the_marks(factor: int, background: Image, under: list[Patch], sequence: list[Any]) -> None:
    page, frame = PaperFormState(TASK, background, under), blank_frame(factor)
    frame.show(page.background, page.layers)
    for values in sequence:
        edit(page, *values)
        frame.paint(page.take_dirty())
    picture = PillowImage.fromarray(np.array(background))
    for patch in under:
        picture.paste(PillowImage.fromarray(patch.pixels), (patch.x, patch.y))
    printed = PaperFormState(TASK, np.asarray(picture))
    printed.marks = page.marks
    np.testing.assert_array_equal(frame.buffer, drawn_by_pillow(printed, factor))


@LIGHT
@given(
    changes=st.lists(st.tuples(st.integers(0, 9), st.integers(-200, 400), st.integers(0, 150)), max_size=12),
    rect=st.tuples(st.just(0), st.integers(-200, 400), st.just(9), st.integers(0, 200)),
)
def test_a_stack_of_layers_finds_those_that_a_list_does(changes: list[Any], rect: Rect) -> None:
    plain: list[Patch] = []
    stack: LayerStack[Patch] = LayerStack()
    for place, top, height in changes:
        if place < 3 and len(plain) > place:
            stack.remove(plain.pop(place))
        else:
            at, patch = place % (len(plain) + 1), Patch(np.zeros((height, 5, 3), np.uint8), 0, top)
            plain.insert(at, patch)
            stack.insert(at, patch)
        assert stack == plain
        looked = (0, rect[1], 9, rect[1] + rect[3])
        assert reaching(stack, looked) == reaching(plain, looked)


@FACTORS
@LIGHT
@given(background=backgrounds, patch=patches(), place=st.tuples(st.integers(-9, WIDTH), st.integers(-9, HEIGHT)))
def test_layers_are_drawn_in_their_order(factor: int, background: Image, patch: Patch, place: tuple[int, int]) -> None:
    word = Stamp(sprite("Word", 14), *place)
    frame = blank_frame(factor)
    layers: list[Layer] = [word, patch]
    frame.show(background, layers)

    def expected(patch_last: bool) -> Image:
        picture = PillowImage.fromarray(np.array(background))
        if not patch_last:
            picture.paste(PillowImage.fromarray(patch.pixels), (patch.x, patch.y))
        ImageDraw.Draw(picture).text(place, "Word", fill=INK, font=font(TYPED_FACE, 14), anchor="mm")
        if patch_last:
            picture.paste(PillowImage.fromarray(patch.pixels), (patch.x, patch.y))
        return block_mean(np.asarray(picture), factor)

    np.testing.assert_array_equal(frame.buffer, expected(patch_last=True))
    layers.reverse()
    frame.paint([patch.rect, word.rect])
    np.testing.assert_array_equal(frame.buffer, expected(patch_last=False))


@LIGHT
@given(
    text=st.text(st.characters(min_codepoint=32, max_codepoint=0x17F, exclude_categories=["C"]), min_size=1),
    size=st.integers(9, 30),
    face=st.sampled_from([TYPED_FACE, SIGNED_FACE]),
    background=backgrounds,
    place=st.tuples(st.integers(0, WIDTH), st.integers(0, HEIGHT)),
)
def test_a_sprite_is_what_pillow_draws(
    text: str, size: int, face: str, background: Image, place: tuple[int, int]
) -> None:
    drawn = sprite(text, size, face)
    if drawn.unsupported:
        assert set(drawn.unsupported) <= set(text)
        return
    picture = PillowImage.fromarray(np.array(background))
    ImageDraw.Draw(picture).text(place, text, fill=INK, font=font(face, size), anchor="mm")
    np.testing.assert_array_equal(drawn_anew(background, [Stamp(drawn, *place)]), np.asarray(picture))
    assert drawn.advance == round(font(face, size).getlength(text))


@LIGHT
@given(
    text=st.text(st.sampled_from("Anna 0123-.ßЖγ"), min_size=1, max_size=40),
    size=st.integers(9, 30),
    face=st.sampled_from([TYPED_FACE, SIGNED_FACE, "Caveat", "Source Code Pro"]),
    angle=st.floats(-3, 3),
    background=backgrounds,
    places=st.tuples(*[st.integers(0, WIDTH), st.integers(0, HEIGHT)] * 2),
)
def test_text_on_a_skewed_line_is_what_pillow_turns(
    text: str, size: int, face: str, angle: float, background: Image, places: tuple[int, ...]
) -> None:
    """Patched equals drawn anew equals text that Pillow draws on a page, turns, and lays on the background."""
    assume(characters(face).issuperset(text))
    drawn = sprite(text, size, face, angle)
    stamps: list[Layer] = [Stamp(drawn, *places[:2]), Stamp(drawn, *places[2:])]
    picture = PillowImage.fromarray(np.array(background))
    for place in (places[:2], places[2:]):
        page = PillowImage.new("L", (WIDTH + 1800, HEIGHT + 1800))
        centre = place[0] + 900, place[1] + 900
        ImageDraw.Draw(page).text(centre, text, fill=255, font=font(face, size), anchor="mm")
        turned = page.rotate(round(angle, 1), PillowImage.Resampling.BICUBIC, center=centre)
        picture.paste(INK, mask=turned.crop((900, 900, 900 + WIDTH, 900 + HEIGHT)))
    whole = drawn_anew(background, stamps)
    np.testing.assert_array_equal(whole, np.asarray(picture))
    frame, layers = blank_frame(), stamps[:1]
    frame.show(background, layers)
    layers.append(stamps[1])
    frame.paint([stamps[1].rect])
    np.testing.assert_array_equal(frame.buffer, whole)


@pytest.mark.parametrize("face", [TYPED_FACE, SIGNED_FACE, "Caveat", "Kalam", "Noto Serif", "Source Code Pro"])
def test_no_face_is_thinner_than_regular(face: str) -> None:
    masks = [font(face, 20, weight).getmask("Regular 123") for weight in (None, 400)]
    assert bytes(masks[0]) == bytes(masks[1])


def test_upright_text_is_not_turned_and_an_angle_counts_in_tenths() -> None:
    assert sprite("Word", 14, angle=0.04).inverse_alpha.tobytes() == sprite("Word", 14).inverse_alpha.tobytes()
    assert sprite("Word", 14, angle=1.04) is sprite("Word", 14, angle=0.96)
    left, right = (
        sprite("-" * 30, 14, angle=3).inverse_alpha[:, :9],
        sprite("-" * 30, 14, angle=3).inverse_alpha[:, -9:],
    )
    middle = [np.average(np.arange(side.shape[0]), weights=255.0 - side.mean((1, 2))) for side in (left, right)]
    assert middle[0] > middle[1] + 3, "counter-clockwise: the right end is higher"


def test_ticks_are_drawn_and_what_the_face_lacks_is_a_box_that_is_named() -> None:
    box = sprite("□", 20)
    for tick in "✓✔☑√✗✘☒":
        assert sprite(tick, 20).unsupported == ""
        assert sprite(tick, 20).inverse_alpha.min() < 128, "a tick leaves ink"
        assert sprite(tick, 20).inverse_alpha.tobytes() != box.inverse_alpha.tobytes()
    for lacking in "你👍":
        assert sprite(lacking, 20).unsupported == lacking
        assert sprite(lacking, 20).inverse_alpha.tobytes() == box.inverse_alpha.tobytes()
    assert sprite("a你👍你", 20).unsupported == "".join(sorted("你👍"))
    assert sprite("Añb", 20).unsupported == ""


def test_a_mark_wholly_off_the_page_changes_nothing_and_a_full_one_everything() -> None:
    background = random_page(1)
    frame = blank_frame()
    layers: list[Layer] = [Stamp(sprite("Off", 14), -500, 20), Patch(np.zeros((5, 5, 3), np.uint8), WIDTH, 0)]
    frame.show(background, layers)
    np.testing.assert_array_equal(frame.buffer, background)
    layers.append(Patch(np.zeros((HEIGHT * 3, WIDTH * 3, 3), np.uint8), -WIDTH, -HEIGHT))
    frame.paint([layers[-1].rect])
    assert not frame.buffer.any()


@FACTORS
@LIGHT
@given(page=arrays(np.uint8, (12, 18, 3)))
def test_shrinking_is_the_mean_of_blocks(factor: int, page: Image) -> None:
    small = shrunk(page, factor)
    assert small.dtype == np.uint8
    np.testing.assert_array_equal(small, block_mean(page, factor))
    reduced = np.asarray(PillowImage.fromarray(page).reduce(factor))
    # Pillow divides by a rounded reciprocal, which can be one too low where the block is no power of two.
    np.testing.assert_allclose(small.astype(int), reduced.astype(int), atol=1 if factor == 3 else 0, rtol=0)


@pytest.mark.parametrize("factor", [1, 2, 3, 16, 17, 20])
def test_white_stays_white_and_means_are_rounded_at_any_factor(factor: int) -> None:
    page = np.full((factor * 2, factor * 3, 3), 255, np.uint8)
    assert (shrunk(page, factor) == 255).all()
    page[:factor, :factor] = np.random.default_rng(0).integers(0, 256, (factor, factor, 3))
    np.testing.assert_array_equal(shrunk(page, factor), block_mean(page, factor))


@FACTORS
def test_the_buffer_of_the_caller_is_painted_and_none_beside_it(factor: int) -> None:
    batch = np.full((3, HEIGHT // factor, WIDTH // factor, 3), 7, np.uint8)
    page, frame = PaperFormState(TASK, random_page(2)), Frame(batch[1], factor)
    frame.show(page.background, page.layers)
    page.write(0.5, 0.5, "Ann")
    page.write(0.0, 1.0, "corner")
    frame.paint(page.take_dirty())
    assert np.shares_memory(frame.buffer, batch)
    np.testing.assert_array_equal(batch[1], drawn_by_pillow(page, factor))
    assert (batch[[0, 2]] == 7).all()


@FACTORS
def test_a_page_that_does_not_fit_is_refused(factor: int) -> None:
    frame = blank_frame(factor)
    with pytest.raises(ValueError, match="does not fit"):
        frame.show(np.zeros((HEIGHT * 2, WIDTH * 2, 3), np.uint8), [])
    assert (frame.buffer == 77).all()


@LIGHT
@given(st.lists(st.tuples(*[st.integers(-9, 9)] * 4), min_size=2, max_size=2))
def test_intersection_is_what_both_share(rects: list[Rect]) -> None:
    def pixels(rect: Rect) -> set[tuple[int, int]]:
        return {(x, y) for x in range(rect[0], rect[2]) for y in range(rect[1], rect[3])}

    both = intersection(*rects)
    assert pixels(rects[0]) & pixels(rects[1]) == (pixels(both) if both else set())


@FACTORS
@LIGHT
@given(
    background=backgrounds,
    corners=st.lists(st.tuples(st.integers(-20, WIDTH), st.integers(-20, HEIGHT)), min_size=9, max_size=40),
)
def test_many_changes_at_once_equal_the_page_drawn_anew(
    factor: int, background: Image, corners: list[tuple[int, int]]
) -> None:
    layers = [Patch(np.full((24, 30, 3), i, np.uint8), x, y) for i, (x, y) in enumerate(corners)]
    frame = blank_frame(factor)
    shown: list[Layer] = []
    frame.show(background, shown)
    shown += layers
    frame.paint([layer.rect for layer in layers])
    assert np.array_equal(frame.buffer, drawn_anew(background, layers, factor))


@FACTORS
@LIGHT
@given(
    seed=st.integers(0, 1_000),
    scrolls=st.lists(st.integers(0, 2 * HEIGHT), min_size=1, max_size=6),
    corners=st.lists(st.tuples(st.integers(-20, WIDTH), st.integers(-20, 3 * HEIGHT)), min_size=7, max_size=7),
)
def test_a_window_that_scrolls_is_that_part_of_the_page(
    factor: int, seed: int, scrolls: list[int], corners: list[tuple[int, int]]
) -> None:
    background = np.random.default_rng(seed).integers(0, 256, (3 * HEIGHT, WIDTH, 3), np.uint8)
    new: list[Layer] = [Patch(np.full((24, 30, 3), 30 * i, np.uint8), x, y) for i, (x, y) in enumerate(corners[1:])]
    layers: list[Layer] = [Stamp(sprite("Off", 14), *corners[0])]
    frame = blank_frame(factor)
    frame.show(background, layers)
    for scroll_y in [*scrolls, *scrolls[:1]]:
        rects = [layer.rect for layer in new[:1]]
        layers += [new.pop(0)] if new else []
        frame.update(background, layers, rects, scroll_y)
        whole = LayeredPage(background, layers).pixels()
        np.testing.assert_array_equal(frame.buffer, block_mean(whole[scroll_y : scroll_y + HEIGHT], factor))
    # As at the beginning of the next episode.
    frame.show(background, [], scroll_y)
    np.testing.assert_array_equal(frame.buffer, block_mean(background[scroll_y : scroll_y + HEIGHT], factor))


def test_what_is_reduced_of_a_page_goes_with_the_page() -> None:
    background = np.array(random_page(3))
    frame = blank_frame(2)
    frame.show(background, [Patch(np.zeros((8, 8, 3), np.uint8), x, 9) for x in range(40)])
    known = [name for name in painting._REDUCTIONS if name[0] == id(background)]
    assert len(known) == 1
    assert 0 < len(painting._REDUCTIONS[known[0]].parts) <= painting.MAX_PARTS
    del frame, background
    gc.collect()
    assert known[0] not in painting._REDUCTIONS


class Counted(Patch):
    """A patch that counts how often it is drawn."""

    draws = 0

    def draw(self, target: Image, clip: Rect) -> None:
        Counted.draws += 1
        super().draw(target, clip)


def test_layers_on_top_of_each_other_are_not_drawn_once_for_each_of_them() -> None:
    layers: list[Layer] = [Counted(np.full((20, 20, 3), i, np.uint8), 10 + i % 3, 10) for i in range(60)]
    frame = blank_frame()
    frame.show(random_page(1), layers)
    Counted.draws = 0
    frame.paint([layer.rect for layer in layers])
    assert Counted.draws <= len(layers)
