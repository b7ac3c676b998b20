"""The text space behaves as ``gymnasium.spaces.Text``, for any script; pages that are in a batch are not copied."""

from __future__ import annotations

import copy
import pickle
from collections import Counter
from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from gymnasium.spaces.utils import flatdim, flatten, flatten_space, unflatten
from gymnasium.vector.utils import (
    batch_space,
    concatenate,
    create_empty_array,
    create_shared_memory,
    iterate,
    read_from_shared_memory,
    write_to_shared_memory,
)
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

from formgym.envs.core.spaces import PageSpace, blank
from formgym.envs.core.texts import UnicodeText, encodable

LIGHT = settings(max_examples=some(15, 60), deadline=None)
SPACE = UnicodeText(40)

texts = st.text(st.characters(exclude_categories=["Cs"]), max_size=40)
LAST = chr(0x10FFFF)
SCRIPTS = ["", "Ann", "José", "שלום", "你好", "👍", "\x00", "\n", "\ud7ff\ue000", LAST, "a" * 40, LAST * 40]


# --- membership


@LIGHT
@given(texts)
def test_any_text_of_fitting_length_is_in_the_space(text: str) -> None:
    assert text in SPACE
    assert (text in UnicodeText(3)) == (len(text) <= 3)
    assert (text in UnicodeText(40, min_length=5)) == (len(text) >= 5)
    assert (text[:1] in SPACE.character_set) == bool(text)


@pytest.mark.parametrize(
    "other", [None, 5, b"Ann", ["Ann"], ("A",), np.array([65]), "a" * 41, "\ud800", "a\udfffb", "\ud83d\ude00"]
)
def test_what_is_no_such_text_is_not_in_the_space(other: Any) -> None:
    assert other not in SPACE
    if isinstance(other, str) and len(other) < 41:
        assert not encodable(other)
        assert not any(c in SPACE.character_set for c in other if c not in "ab")


def test_both_ends_of_the_surrogates_are_characters() -> None:
    characters = SPACE.character_list
    assert len(characters) == 0x110000 - 0x800
    for character in ["\x00", "A", "\ud7ff", "\ue000", LAST]:
        assert characters[SPACE.character_index(character)] == character
    assert characters[0xD7FF] + characters[0xD800] == "\ud7ff\ue000"
    with pytest.raises(IndexError):
        characters[len(characters)]


@LIGHT
@given(st.integers(0, 0x110000 - 0x800 - 1))
def test_characters_and_their_places_go_round(place: int) -> None:
    assert SPACE.character_index(SPACE.character_list[place]) == place


# --- samples


def test_samples_are_in_the_space_and_of_many_scripts() -> None:
    space = UnicodeText(40, seed=0)
    samples = [space.sample() for _ in range(200)]
    assert all(sample in space for sample in samples)
    assert len({len(sample) for sample in samples}) > 10
    assert min(map(len, samples)) == 0
    kinds = Counter("".join(samples).encode("utf-8")[i] >> 4 for i in range(0, 4_000))
    assert {0xC, 0xE, 0xF} <= set(kinds), "Latin, Chinese and emoji"


@pytest.mark.parametrize(("shortest", "longest"), [(0, 0), (0, 1), (3, 3), (30, 200), (1, 5)])
def test_samples_keep_to_the_lengths(shortest: int, longest: int) -> None:
    space = UnicodeText(longest, min_length=shortest, seed=1)
    lengths = {len(space.sample()) for _ in range(60)}
    assert min(lengths) >= shortest
    assert max(lengths) <= longest


def test_seeds() -> None:
    def samples(space: UnicodeText) -> list[str]:
        return [space.sample() for _ in range(5)]

    first = samples(UnicodeText(40, seed=7))
    assert first == samples(UnicodeText(40, seed=7)) != samples(UnicodeText(40, seed=8))
    space = UnicodeText(40)
    space.seed(7)
    assert samples(space) == first


def test_a_mask_gives_the_length() -> None:
    assert [len(SPACE.sample(mask=(n, None))) for n in (0, 1, 17, 40)] == [0, 1, 17, 40]
    assert len(SPACE.sample(probability=(9, None))) == 9
    assert SPACE.sample(mask=(None, None)) in SPACE
    with pytest.raises(ValueError, match="length alone"):
        SPACE.sample(mask=(3, np.ones(4, np.int8)))
    with pytest.raises(ValueError, match="length alone"):
        SPACE.sample(probability=(3, np.ones(4) / 4))
    with pytest.raises((ValueError, AssertionError)):
        SPACE.sample(mask=(41, None))


# --- gymnasium's own tools


@LIGHT
@given(texts)
def test_flattening_goes_round(text: str) -> None:
    flat = flatten(SPACE, text)
    assert flat in flatten_space(SPACE)
    assert flat.shape == (flatdim(SPACE),) == (40,)
    assert unflatten(SPACE, flat) == text
    both = spaces.Dict({"text": SPACE, "x": spaces.Box(0.0, 1.0, (), np.float64)})
    value = {"text": text, "x": np.array(0.25)}
    assert unflatten(both, flatten(both, value)) == value


def test_copies_are_equal_and_go_on_alike() -> None:
    space = UnicodeText(40, min_length=2, seed=3)
    space.sample()
    for other in (pickle.loads(pickle.dumps(space)), copy.deepcopy(space)):
        twin = copy.deepcopy(space)
        assert other == space
        assert [other.sample() for _ in range(4)] == [twin.sample() for _ in range(4)]


def test_equality_is_by_lengths_and_kind() -> None:
    assert UnicodeText(5) == UnicodeText(5, seed=1)
    assert UnicodeText(5) != UnicodeText(6)
    assert UnicodeText(5) != UnicodeText(5, min_length=1)
    assert UnicodeText(5) != spaces.Text(5)
    assert spaces.Text(5, charset=" ") != UnicodeText(5)
    assert UnicodeText(5) != "UnicodeText(0, 5)"
    assert repr(UnicodeText(9, min_length=2)) == "UnicodeText(2, 9)"
    assert len(pickle.dumps(UnicodeText(40_000))) < 5_000


@pytest.mark.parametrize("n", [1, 3])
def test_shared_memory_keeps_every_character(n: int) -> None:
    memory = create_shared_memory(SPACE, n)
    for start in range(0, len(SCRIPTS), n):
        batch = (SCRIPTS[start : start + n] + SCRIPTS)[:n]
        for index, text in enumerate(batch):
            write_to_shared_memory(SPACE, index, text, memory)
        assert read_from_shared_memory(SPACE, memory, n) == tuple(batch)


def test_batching_keeps_every_character() -> None:
    n = len(SCRIPTS)
    batched = batch_space(SPACE, n)
    batch = concatenate(SPACE, SCRIPTS, create_empty_array(SPACE, n))
    assert batch in batched
    assert tuple(batch) == tuple(SCRIPTS)
    assert list(iterate(batched, batch)) == SCRIPTS
    assert batched.sample() in batched


# --- pages


def test_pages_are_copied_into_a_batch() -> None:
    space = PageSpace(4, 5)
    pages = [np.full((4, 5, 3), value, np.uint8) for value in (1, 2)]
    out = create_empty_array(space, 2)
    assert concatenate(space, pages, out) is out
    assert (out == np.array([1, 2]).reshape(2, 1, 1, 1)).all()
    pages[0][...] = 9
    assert (out[0] == 1).all(), "the batch is a copy"


def test_pages_that_are_rows_of_the_batch_are_left_where_they_are(monkeypatch: pytest.MonkeyPatch) -> None:
    space, copied, copyto = PageSpace(4, 5), [], np.copyto
    out = create_empty_array(space, 3)
    own = np.full((4, 5, 3), 8, np.uint8)
    out[0], out[2] = 1, 3
    monkeypatch.setattr(np, "copyto", lambda target, source: (copied.append(source), copyto(target, source)))
    assert concatenate(space, [out[0], own, out[2]], out) is out
    assert [page is own for page in copied] == [True], "only the page that lay elsewhere was copied"
    assert (out == np.array([1, 8, 3]).reshape(3, 1, 1, 1)).all()


@pytest.mark.parametrize("n", [1, 3])
def test_a_batch_of_another_length_is_refused(n: int) -> None:
    space = PageSpace(2, 2)
    with pytest.raises(ValueError, match="zip"):
        concatenate(space, [np.zeros((2, 2, 3), np.uint8)] * n, create_empty_array(space, 2))


def test_a_page_space_is_a_box_of_pixels() -> None:
    space = PageSpace(4, 5, seed=0)
    assert space.shape == (4, 5, 3)
    assert space.dtype == np.uint8
    assert space.sample() in space
    assert np.zeros((4, 5, 3), np.uint8) in space
    assert np.zeros((5, 4, 3), np.uint8) not in space
    assert np.zeros((4, 5, 3), np.float32) not in space
    assert pickle.loads(pickle.dumps(space)) == space == PageSpace(4, 5)
    assert PageSpace(4, 6) != space
    assert space != spaces.Box(0, 254, (4, 5, 3), np.uint8)
    assert (space.low == 0).all()
    assert (space.high == 255).all()
    page, twin = PageSpace(30, 40, seed=1).sample(), PageSpace(30, 40, seed=1)
    assert np.array_equal(page, twin.sample())
    assert not np.array_equal(page, twin.sample())
    page = space.sample()
    assert flatten(space, page) in flatten_space(space)
    assert np.array_equal(unflatten(space, flatten(space, page)), page)


def test_a_batch_of_pages() -> None:
    space = PageSpace(4, 5, seed=0)
    batched = batch_space(space, 2)
    assert batched.shape == (2, 4, 5, 3)
    assert isinstance(batched, spaces.Box)
    assert batched == batch_space(PageSpace(4, 5), 2) != batch_space(space, 3)
    assert pickle.loads(pickle.dumps(batched)) == copy.deepcopy(batched) == batched
    assert create_empty_array(space, 2) in batched
    assert space.sample() not in batched
    pages = batched.sample()
    assert pages in batched
    assert [page.tolist() for page in iterate(batched, pages)] == pages.tolist()
    memory = create_shared_memory(space, 2)
    write_to_shared_memory(space, 1, pages[1], memory)
    assert np.array_equal(read_from_shared_memory(space, memory, 2)[1], pages[1])


@pytest.mark.filterwarnings("ignore:.*Casting input x")
@pytest.mark.parametrize(
    "space",
    [
        UnicodeText(5),
        UnicodeText(5, min_length=2),
        spaces.Discrete(4),
        spaces.Discrete(4, start=-2),
        spaces.Box(0.0, 1.0, (), np.float64),
        spaces.Box(2.0, 3.0, (), np.float64),
        spaces.Box(-3.0, -2.0, (), np.float32),
        spaces.Box(1, 9, (2,), np.int32),
    ],
    ids=str,
)
def test_a_blank_is_an_element_and_always_the_same(space: spaces.Space[Any]) -> None:
    assert blank(space) in space
    assert np.array_equal(blank(space), blank(space))
