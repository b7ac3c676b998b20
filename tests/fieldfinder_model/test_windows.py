"""Windows about labels: arrays against loops, origins, cells, cached pages, pools, the network and its locator."""

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import some

torch = pytest.importorskip("torch")
pytest.importorskip("cv2")

from formgym.envs.core.grounding import REWARDS  # noqa: E402
from formgym.envs.paper_forms.examples import Example, ExamplePage, Word  # noqa: E402
from formgym.envs.paper_forms.made_pages.page_generator import page as made_page  # noqa: E402
from formgym.fieldfinder_model.locators import named_locator  # noqa: E402
from formgym.fieldfinder_model.reading.page_reading import gray_page  # noqa: E402
from formgym.fieldfinder_model.windows import label_windows as windows  # noqa: E402
from formgym.fieldfinder_model.windows import window_pool  # noqa: E402
from formgym.fieldfinder_model.windows.window_network import WEIGHTS, WindowNetwork, load_network, save_network  # noqa: E402
from formgym.fieldfinder_model.windows.window_pool import (  # noqa: E402
    WindowPool,
    cached_page,
    content_key,
    window_page,
)

NAN = (np.nan,) * 4
HEIGHT, WIDTH = windows.SIZE


@pytest.fixture(scope="module")
def pages():
    return [made_page(seed) for seed in range(3)]


@pytest.fixture(scope="module")
def pool(pages):
    return WindowPool([window_page(page) for page in pages])


def _boxes(rng, n, low=-100, high=900):
    corners = np.sort(rng.uniform(low, high, (n, 2, 2)), axis=1)
    return corners.reshape(n, 4)


def _origins(rng, n):
    return rng.integers(-150, 600, (n, 2)) * 2


# --- observations -------------------------------------------------------------------------------------------


def test_a_batch_is_its_targets_one_by_one(pool):
    rng = np.random.default_rng(0)
    index = rng.integers(len(pool), size=200)
    origins = pool.origins(index, rng)
    batch = pool.observe(index, origins)
    assert pool.observation_space.contains({name: array[0] for name, array in batch.items()})
    for k in range(len(index)):
        one = pool.observe(index[k : k + 1], origins[k : k + 1])
        for name, array in batch.items():
            np.testing.assert_array_equal(array[k], one[name][0])
    assert pool.observe(index[:0], origins[:0])["picture"].shape == (0, 4, 40, 144)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=some(15, 60))
def test_a_crop_is_a_slice_of_a_padded_page(seed):
    rng = np.random.default_rng(seed)
    picture = rng.integers(0, 256, (4, *rng.integers(1, 300, 2)), np.uint8)
    top, left = int(rng.integers(-45, picture.shape[1] + 5)), int(rng.integers(-150, picture.shape[2] + 5))
    far = 200
    padded = np.pad(picture, ((0, 0), (far, far), (far, far)))
    expected = padded[:, top + far : top + far + HEIGHT // 2, left + far : left + far + WIDTH // 2]
    origin = np.array([[2 * top, 2 * left]])
    label, size = np.array([[0.0, 0, 10, 5]]), np.array([[2.0 * picture.shape[1], 2.0 * picture.shape[2]]])
    seen = windows.observations([picture], label, np.array([NAN]), origin, size)
    np.testing.assert_array_equal(seen["picture"][0], expected)


def test_planes_say_where_label_row_column_and_page_are():
    origin = np.array([[-8, 16]])
    label, other = np.array([[40.0, 8, 80, 16]]), np.array([[120.0, -4, 160, 4]])
    size = np.array([[40.0, 160.0]])
    picture = [np.zeros((4, 20, 80), np.uint8)]
    planes = windows.observations(picture, label, other, origin, size)["planes"][0] / 255
    rows, columns = np.divmod(np.flatnonzero(planes[0]), windows.COLUMNS)
    assert set(rows) == {4, 5}  # 16 to 24 of the window, 4 a cell
    assert set(columns) == {3, 4, 5, 6, 7}  # 24 to 64 of it, 8 a cell
    assert (planes[1][0, :8] < 0.5).all()
    assert (planes[1][0, 8:] > 0.5).all()
    assert (planes[3][:5] < 0.5).all()
    assert (planes[3][5:] > 0.5).all()
    assert set(np.flatnonzero(planes[4][0])) == {13, 14, 15, 16, 17}
    assert set(np.flatnonzero(planes[5][:, 0])) == {1, 2}
    assert (planes[6] == 1).all()
    off = planes[7] > 0
    assert off[:2].all()
    assert off[12:].all()
    assert off[:, 18:].all()
    assert not off[2:12, :18].any()
    alone = windows.observations(picture, label, np.array([NAN]), origin, size)["planes"][0]
    assert not alone[4:7].any()


# --- origins ------------------------------------------------------------------------------------------------


def _origin(label, other=NAN):
    return windows.origins_of(np.array([label], float), np.array([other], float))[0].tolist()


def test_a_window_begins_left_of_and_above_its_label():
    assert _origin((300, 100, 360, 108)) == [104 - 24, 360 - 96]


def test_a_long_label_moves_its_window_left_up_to_a_limit():
    assert _origin((252, 100, 360, 108))[1] == 252 - 24
    assert _origin((0, 100, 360, 108))[1] == 360 - 96 - 160


def test_a_far_column_or_row_moves_the_window_to_the_crossing():
    row = (100, 300, 160, 308)
    assert _origin(row, (200, 100, 240, 108)) == _origin(row)
    assert _origin(row, (500, 100, 540, 108)) == [_origin(row)[0], 520 - WIDTH // 2]
    column = (500, 100, 540, 108)
    assert _origin(column, (100, 300, 160, 308)) == [304 - HEIGHT // 2, _origin(column)[1]]
    assert _origin(column, (100, 120, 160, 128)) == _origin(column)


def test_jitter_is_small_even_and_follows_from_its_generator():
    origins = np.zeros((500, 2), np.int64)
    moved = windows.jittered(origins, np.random.default_rng(1))
    assert (moved % 2 == 0).all()
    assert abs(moved).max(0).tolist() == [8, 24]
    np.testing.assert_array_equal(moved, windows.jittered(origins, np.random.default_rng(1)))


# --- cells, points and rewards ------------------------------------------------------------------------------


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=some(10, 40))
def test_cells_and_points_belong_together(seed):
    rng = np.random.default_rng(seed)
    origins, cells = _origins(rng, 50), rng.integers(windows.CELLS, size=50)
    points = windows.points_of(cells, origins)
    np.testing.assert_array_equal(windows.cells_at(points, origins), cells)
    np.testing.assert_array_equal(windows.cells_at(points + np.array([WIDTH, 0]), origins), -1)
    np.testing.assert_array_equal(windows.cells_at(points - np.array([0, HEIGHT]), origins), -1)


@given(st.integers(0, 2**32 - 1))
@settings(max_examples=some(8, 25))
def test_right_cells_are_those_whose_middles_lie_in_the_box(seed):
    rng = np.random.default_rng(seed)
    boxes, origins = _boxes(rng, 6, 0, 300), _origins(rng, 6) // 4 * 2
    boxes[:2, 2:] = boxes[:2, :2] + 3  # too small for most cells' middles
    right = windows.right_cells(boxes, origins)
    for box, (top, left), row in zip(boxes, origins, right, strict=True):
        middles = [(left + 8 * c + 4, top + 4 * r + 2) for r in range(20) for c in range(36)]
        inside = [box[0] <= x <= box[2] and box[1] <= y <= box[3] for x, y in middles]
        if not any(inside):
            x, y = (box[0] + box[2]) / 2 - left, (box[1] + box[3]) / 2 - top
            if 0 <= x < WIDTH and 0 <= y < HEIGHT:
                inside[int(y // 4) * 36 + int(x // 8)] = True
        assert row.tolist() == inside


def test_hits_are_those_of_a_loop_over_pixels(pool, pages):
    rng = np.random.default_rng(2)
    index = rng.integers(len(pool), size=400)
    origins, cells = pool.origins(index, rng), rng.integers(windows.CELLS, size=400)
    right = pool.right_cells(index, origins)
    cells = np.where(right.any(1) & (rng.random(400) < 0.5), right.argmax(1), cells)
    hits = pool.rewards(index, cells, origins)
    sizes = {page.name: page.gray.shape for page in pages}
    for i, (x, y), is_hit in zip(index, pool.points(index, cells, origins), hits, strict=True):
        height, width = sizes[pool.pages[pool.page_of[i]].name]
        left, top, right_edge, bottom = pool.targets[i].box
        assert is_hit == (left <= x * width <= right_edge and top <= y * height <= bottom)
    assert 0.2 < hits.mean() < 0.8


@pytest.mark.parametrize("name", ["hit", "gaussian_point", "format"])
def test_rewards_are_those_of_grounding(pool, name):
    index = np.arange(len(pool))
    origins, cells = pool.origins(index), np.arange(len(pool)) % windows.CELLS
    points = pool.points(index, cells, origins)
    one_by_one = [REWARDS[name]((*point, *point), box) for point, box in zip(points, pool.boxes(index), strict=True)]
    np.testing.assert_array_equal(pool.rewards(index, cells, origins, REWARDS[name]), one_by_one)


def test_boxes_are_fractions_of_their_pages(pool, pages):
    index = np.arange(len(pool))
    sizes = {page.name: page.gray.shape for page in pages}
    for target, number, box in zip(pool.targets, pool.page_of, pool.boxes(index), strict=True):
        height, width = sizes[pool.pages[number].name]
        np.testing.assert_allclose(box * [width, height, width, height], target.box)


# --- pages and pools ----------------------------------------------------------------------------------------


def test_targets_are_the_examples_with_their_labels(pages):
    read = window_page(pages[0])
    assert [target.name for target in read.targets] == [example.target for example in pages[0].examples]
    assert [target.box for target in read.targets] == [example.field for example in pages[0].examples]
    assert read.picture.shape[0] == 4
    labels = [
        (target.label, example.labels[0]) for target, example in zip(read.targets, pages[0].examples, strict=True)
    ]
    right = [min(a[2], b[2]) > max(a[0], b[0]) and min(a[3], b[3]) > max(a[1], b[1]) for a, b in labels if a and b]
    assert np.mean(right) > 0.8


def test_words_are_misread_only_where_it_is_asked_for(pages):
    plain, misread = window_page(pages[0]), window_page(pages[0], lambda words: words[::2])
    assert (plain.picture[[0, 1, 3]] == misread.picture[[0, 1, 3]]).all()
    assert (plain.picture[2] != misread.picture[2]).any()
    assert plain.targets == misread.targets


def test_a_target_without_a_label_is_kept_apart(pages):
    page = pages[0]
    strange = Example("qqqqqqqq xxxxxxxx zzzzzzzz", (0, 0, 9, 9), (0, 0, 9, 9), "line")
    pool = WindowPool([window_page(ExamplePage("p", page.gray, page.words, (*page.examples, strange)))])
    assert len(pool) + len(pool.unmatched) == len(page.examples) + 1
    assert strange.target in [target.name for _, target in pool.unmatched]


def test_a_pool_keeps_the_targets_that_are_asked_for(pool):
    kind = pool.targets[0].kind
    part = WindowPool(pool.pages, lambda target: target.kind == kind)
    assert 0 < len(part) < len(pool)
    assert {target.kind for target in part.targets} == {kind}
    assert len(WindowPool([])) == 0


def test_pages_are_read_once(pages, tmp_path, monkeypatch):
    monkeypatch.setenv("FORMGYM_CACHE", str(tmp_path))
    calls = []

    def read():
        calls.append(1)
        return window_page(pages[1])

    first, second = (cached_page(content_key(pages[1]), read) for _ in range(2))
    assert len(calls) == 1
    assert (first.name, first.size, first.scale, first.targets) == (
        second.name,
        second.size,
        second.scale,
        second.targets,
    )
    np.testing.assert_array_equal(first.picture, second.picture)
    (file,) = tmp_path.rglob("*.npz")
    for broken in (b"", b"no archive", file.read_bytes()[:-40]):
        file.write_bytes(broken)
        cached_page(content_key(pages[1]), read)
    assert len(calls) == 4
    monkeypatch.setattr(window_pool, "_code_version", lambda: "other code")
    cached_page(content_key(pages[1]), read)
    assert len(calls) == 5


def test_the_key_of_a_page_is_of_its_content(pages):
    page = pages[0]
    others = [
        ExamplePage(page.name, 255 - page.gray, page.words, page.examples),
        ExamplePage(page.name, page.gray, [*page.words, Word("x", (0, 0, 5, 5))], page.examples),
        ExamplePage(page.name, page.gray, page.words, page.examples[1:]),
    ]
    assert len({content_key(each) for each in (page, *others)}) == 4
    assert content_key(page) == content_key(made_page(0))


def test_light_print_on_dark_is_turned_over(pages):
    page = np.repeat(pages[0].gray[..., None], 3, axis=2)
    np.testing.assert_array_equal(gray_page(page), pages[0].gray)
    np.testing.assert_array_equal(gray_page(255 - page), pages[0].gray)
    coloured = page.copy()
    coloured[..., 0] = 255
    np.testing.assert_array_equal(gray_page(coloured), pages[0].gray)
    with pytest.raises(ValueError, match="a page is uint8"):
        gray_page(pages[0].gray)


# --- the network and its locator ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    torch.manual_seed(0)
    network, folder = WindowNetwork().eval(), tmp_path_factory.mktemp("policy")
    save_network(network, folder, {"seed": 0})
    return network, folder


def test_a_saved_network_is_loaded_again(saved, tmp_path):
    network, folder = saved
    other = load_network(folder)
    assert all((a == b).all() for a, b in zip(network.parameters(), other.parameters(), strict=True))
    card = json.loads((folder / "card.json").read_text())
    assert card["parameters"] == 35_610
    assert card["seed"] == 0


@pytest.mark.parametrize("content", [None, b"", b"no weights", b"version https://git-lfs.github.com/spec/v1\n"])
def test_a_file_without_weights_is_named(content, tmp_path):
    if content is not None:
        (tmp_path / WEIGHTS).write_bytes(content)
    with pytest.raises(ValueError, match="no weights of a window policy"):
        load_network(tmp_path)


def test_a_policy_is_a_locator(pool, pages, saved):
    network, folder = saved
    locator = named_locator("policy", path=str(folder))
    image = np.repeat(pages[0].gray[..., None], 3, axis=2)
    locator.add_words(image, pages[0].words)
    names = [example.target for example in pages[0].examples]
    found = [locator.locate(image, name) for name in names]
    for places in found:
        assert all(place.score >= later.score for place, later in pairwise(places))
        assert sum(place.score for place in places) <= 1 + 1e-6
    assert len(locator.locate_all(image, names)) == len(names)
    # Where a name has one label alone, the best place is the likeliest cell of its window.
    reading = locator._page(image).reading
    index = np.flatnonzero(pool.page_of == 0)
    origins = pool.origins(index)
    seen = pool.observe(index, origins)
    logits, _ = network({name: torch.from_numpy(array) for name, array in seen.items()})
    points = pool.points(index, logits.argmax(1).numpy(), origins) * reading.size[::-1]
    middles = [((p[0].box[0] + p[0].box[2]) / 2, (p[0].box[1] + p[0].box[3]) / 2) if p else (-1, -1) for p in found]
    near = np.abs(np.array(middles) - points).max(1) < 6
    assert near.mean() > 0.5


def test_a_policy_needs_its_folder(tmp_path):
    with pytest.raises(ValueError, match="path"):
        named_locator("policy")
    with pytest.raises(ValueError, match="no weights of a window policy"):
        named_locator("policy", path=str(tmp_path))
