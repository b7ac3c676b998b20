"""Picture metrics: SSIM as it is defined, an undone edit shows in the box, directions with their encoder's name."""

import contextlib
import json
import sys

import numpy as np
import pytest
from document_walk import random_operation
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import LONG, some

from formgym.assets import ROOT
from formgym.envs.core.tools import ToolError
from formgym.envs.documents.operations.copying import delete
from formgym.envs.documents.operations.modifying import modify
from formgym.envs.documents.operations.placing import move
from formgym.envs.documents.operations.table import OPERATIONS
from formgym.envs.documents.operations.values import COLOURS
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.scene.document import changes, load_document
from formgym.envs.documents.scoring.directional import ClipEncoder, captions, directional_metrics
from formgym.envs.documents.scoring.pictures import box_iou, changed_box, picture_metrics, ssim_map

FILES = sorted((ROOT / "documents").glob("*.json"))[::5]
POSTER = load_document(ROOT / "documents" / "concert_poster.json")
SIDES = ("ssim_inside", "mae_inside", "ssim_outside", "mae_outside")


def _noise(seed, height, width):
    return np.random.default_rng(seed).integers(0, 256, (height, width, 3), dtype=np.uint8)


def _slow_ssim(one, other):
    """The definition, pixel by pixel."""
    steps = np.arange(-5, 6)
    window = np.exp(-(steps[:, None] ** 2 + steps**2) / (2 * 1.5**2))
    window /= window.sum()
    x, y = (np.pad(p @ np.array([0.299, 0.587, 0.114]), 5, mode="symmetric") for p in (one, other))
    found = np.empty(one.shape[:2])
    for i, k in np.ndindex(found.shape):
        a, b = x[i : i + 11, k : k + 11], y[i : i + 11, k : k + 11]
        mean_a, mean_b = (window * a).sum(), (window * b).sum()
        var_a, var_b = (window * (a - mean_a) ** 2).sum(), (window * (b - mean_b) ** 2).sum()
        covariance = (window * (a - mean_a) * (b - mean_b)).sum()
        found[i, k] = ((2 * mean_a * mean_b + 6.5025) * (2 * covariance + 58.5225)) / (
            (mean_a**2 + mean_b**2 + 6.5025) * (var_a + var_b + 58.5225)
        )
    return found


@settings(max_examples=some(8, 25), deadline=None)
@given(st.integers(0, 2**32 - 1), st.integers(1, 50), st.integers(1, 50), st.data())
def test_ssim_is_what_it_is_defined_as(seed, height, width, data):
    one = _noise(seed, height, width)
    other = one.copy()
    top, left = data.draw(st.integers(0, height - 1)), data.draw(st.integers(0, width - 1))
    bottom, right = data.draw(st.integers(top, height)), data.draw(st.integers(left, width))
    other[top:bottom, left:right] = _noise(seed + 1, bottom - top, right - left)
    np.testing.assert_allclose(ssim_map(one, other), _slow_ssim(one, other), rtol=0, atol=1e-6)
    np.testing.assert_array_equal(ssim_map(one, other), ssim_map(other, one))


def test_ssim_agrees_across_blocks_and_on_flat_pictures():
    one, other = _noise(0, 70, 101), _noise(1, 70, 101)
    other[10:60, 20:90] = one[10:60, 20:90]
    found = ssim_map(one, other)
    np.testing.assert_allclose(found, _slow_ssim(one, other), rtol=0, atol=1e-6)
    # Where the pictures are equal in the whole window, the value is exact, computed or not.
    assert (found[15:55, 25:85] == 1).all()
    black, white = np.zeros_like(one), np.full_like(one, 255)
    assert ssim_map(black, white).mean() == pytest.approx(6.5025 / (255**2 + 6.5025))
    assert picture_metrics(black, white, black)["mae_outside"] == 1


@given(st.integers(0, 2**32 - 1), st.integers(1, 40), st.integers(1, 40))
@settings(max_examples=some(8, 25), deadline=None)
def test_equal_pictures_are_exactly_alike(seed, height, width):
    one = _noise(seed, height, width)
    assert ssim_map(one, one.copy()).mean() == 1
    assert picture_metrics(one, one.copy(), one)["mae_outside"] == 0
    assert changed_box(one, one.copy()) is None
    other = one.copy()
    y, x, channel = (np.random.default_rng(seed).integers(n) for n in one.shape)
    other[y, x, channel] ^= 1
    assert changed_box(one, other) == (x, y, x + 1, y + 1)
    assert 0 < picture_metrics(one, other, one)["mae_outside"] == pytest.approx(1 / (255 * one.size))


def test_boxes_are_compared_by_area():
    assert box_iou(None, None) == 1
    assert box_iou(None, (0, 0, 1, 1)) == box_iou((0, 0, 1, 1), None) == 0
    assert box_iou((0, 0, 4, 4), (2, 0, 6, 4)) == pytest.approx(1 / 3)


def _edits(document):
    """Some edits that can be seen."""
    page = painted(document, 0)
    for element in document.elements_of_page(0)[:6]:
        edited = delete(document, element.id)
        if changed_box(page, painted(edited, 0)):
            yield edited


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_doing_nothing_looks_alike_and_is_told_by_the_box(path):
    document = load_document(path)
    before = painted(document, 0)
    for expected in (painted(edited, 0) for edited in _edits(document)):
        noop = picture_metrics(before, before, expected)
        assert noop["changed_iou"] == 0
        assert noop["mae_inside"] > 0
        assert noop["ssim_inside"] < 1
        assert (noop.get("ssim_outside", 1), noop.get("mae_outside", 0)) == (1, 0)
        right = picture_metrics(before, expected, expected)
        assert right == {"changed_iou": 1} | {name: float("ssim" in name) for name in SIDES if name in right}
        assert noop.keys() == right.keys()


def test_a_small_edit_left_undone_has_a_high_ssim():
    before = painted(POSTER, 0)
    expected = painted(modify(POSTER, "headline", "red", "colour"), 0)
    assert ssim_map(before, expected).mean() > 0.95
    assert picture_metrics(before, before, expected)["changed_iou"] == 0


def test_an_edit_in_the_wrong_place_is_told_outside():
    before, expected = painted(POSTER, 0), painted(delete(POSTER, "badge"), 0)
    wrong = picture_metrics(before, painted(move(POSTER, "headline", position_diff=("DOWN", 40)), 0), expected)
    assert wrong["changed_iou"] < 0.1
    assert wrong["ssim_outside"] < 1
    assert wrong["mae_outside"] > 0
    near = picture_metrics(before, painted(move(POSTER, "badge", position_diff=("UP", 20)), 0), expected)
    assert wrong["changed_iou"] < near["changed_iou"] < 1


def test_metrics_of_a_side_without_pixels_are_left_out():
    before, other = _noise(0, 40, 40), _noise(1, 40, 40)
    assert picture_metrics(before, before, before) == {"changed_iou": 1, "ssim_outside": 1, "mae_outside": 0}
    assert set(picture_metrics(before, other, before)) == {"changed_iou", "ssim_outside", "mae_outside"}
    assert set(picture_metrics(before, before, other)) == {"changed_iou", "ssim_inside", "mae_inside"}


def test_pictures_of_two_sizes_are_not_compared():
    for compare in (changed_box, ssim_map, lambda a, b: picture_metrics(a, b, a)):
        with pytest.raises(ValueError, match=r"\(8, 9\) and \(9, 8\)"):
            compare(_noise(0, 8, 9), _noise(0, 9, 8))


# -- Directional similarity -------------------------------------------------------------------------------------------


class ColourEncoder:
    """One space for both: the mean colour of a picture, and the colour that a text names."""

    name = "mean colour"

    def images(self, pictures):
        return np.stack([picture.reshape(-1, 3).mean(axis=0) for picture in pictures]).astype(np.float32)

    def texts(self, texts):
        named = [next((COLOURS[word] for word in text.split() if word in COLOURS), (1, 1, 1)) for text in texts]
        return np.array(named, np.float32)


def _plain(colour):
    return np.full((30, 40, 3), COLOURS[colour], np.uint8)


def _directional(encoder, before, after, *captions):
    return directional_metrics(encoder, before, after, changed_box(before, after), *captions)


def test_a_change_as_it_is_told_goes_in_its_direction():
    right = _directional(ColourEncoder(), _plain("red"), _plain("blue"), "a red page", "a blue page")
    assert right == {
        "encoder": "mean colour",
        "directional_similarity": pytest.approx(1),
        "directional_similarity_boxed": pytest.approx(1),
    }
    other = _directional(ColourEncoder(), _plain("red"), _plain("green"), "a red page", "a blue page")
    back = _directional(ColourEncoder(), _plain("blue"), _plain("red"), "a red page", "a blue page")
    assert back["directional_similarity"] == pytest.approx(-1)
    assert -1 < other["directional_similarity"] < 1
    same = _directional(ColourEncoder(), _plain("red"), _plain("blue"), "a red page", "a red page")
    assert same == {"encoder": "mean colour"}


def test_a_small_change_is_seen_in_its_box():
    before = _plain("grey")
    before[3:7, 4:9] = COLOURS["red"]
    after = before.copy()
    after[3:7, 4:9] = COLOURS["blue"]
    metrics = _directional(ColourEncoder(), before, after, "a red spot", "a blue spot")
    assert metrics["directional_similarity_boxed"] == pytest.approx(1)
    assert metrics["directional_similarity"] < metrics["directional_similarity_boxed"] - 1e-3


def test_doing_nothing_has_no_direction():
    page = painted(POSTER, 0)
    texts = captions(POSTER, modify(POSTER, "badge", "purple", "fill"))
    metrics = _directional(ColourEncoder(), page, page, *texts)
    assert metrics == {"encoder": "mean colour", "directional_similarity": 0, "directional_similarity_boxed": 0}
    with pytest.raises(ValueError, match=r"\(30, 40\) and \(8, 9\)"):
        directional_metrics(ColourEncoder(), _plain("red"), _noise(0, 8, 9), None, *texts)


def test_captions_tell_what_changed():
    texts = captions(POSTER, modify(POSTER, "badge", "purple", "fill"))
    assert [caption.split(" with ")[0] for caption in texts] == [f"a {POSTER.kind}"] * 2
    assert ["purple" in caption for caption in texts] == [False, True]
    assert all("star" in caption for caption in texts)
    assert captions(POSTER, POSTER) == (f"a {POSTER.kind}",) * 2
    before, after = captions(POSTER, modify(POSTER, "headline", "Live in June", "text"))
    assert f"text '{POSTER.find('headline').text}'" in before
    assert "text 'Live in June'" in after
    before, after = captions(POSTER, delete(POSTER, "badge"))
    assert "star" in before
    assert after == f"a {POSTER.kind}"
    assert captions(delete(POSTER, "badge"), POSTER) == (after, before)
    before, after = captions(POSTER, move(POSTER, "badge", [10, 20]))
    assert "at the right" in before
    assert "at the top left" in after
    before, after = captions(POSTER, modify(POSTER, "badge", "back", "order"))
    assert "layer 1 of" in after != before


def test_captions_tell_of_a_long_text_where_it_differs():
    sentence = "All of the seats are in the open air and none of them is covered. "
    long, other = (modify(POSTER, "headline", sentence * 6 + end, "text") for end in ("Bring a hat", "Bring a coat"))
    before, after = captions(long, other)
    assert before.endswith("Bring a hat'" + after.partition("coat'")[2])
    assert len(after) < 200


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_captions_differ_where_an_element_does(path):
    document = load_document(path)
    rng = np.random.default_rng(0)
    tried = 0
    for _ in range(120):
        name, arguments = random_operation(document, rng)
        if name.endswith("_PAGE"):
            # Captions are of elements.
            continue
        with contextlib.suppress(ToolError):
            edited = OPERATIONS[name](document, **arguments)
            texts = captions(document, edited)
            assert (texts[0] != texts[1]) == bool(changes(document, edited)), (name, arguments)
            tried += texts[0] != texts[1]
    assert tried > 20


def test_no_model_is_a_message_that_helps(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "transformers", None)
    with pytest.raises(ValueError, match=r"formgym\[clip\]"):
        ClipEncoder(tmp_path)


@pytest.fixture(scope="module")
def clip(tmp_path_factory):
    """A tiny CLIP of random weights, with a tokenizer of letters."""
    pytest.importorskip("torch", reason="needs torch: pip install 'formgym[clip]'")
    transformers = pytest.importorskip("transformers", reason="needs transformers: pip install 'formgym[clip]'")
    folder = tmp_path_factory.mktemp("clip")
    letters = [*"abcdefghijklmnopqrstuvwxyz0123456789',", "<|startoftext|>", "<|endoftext|>"]
    words = [form for letter in letters[:-2] for form in (letter, f"{letter}</w>")] + letters[-2:]
    (folder / "vocab.json").write_text(json.dumps({word: i for i, word in enumerate(words)}))
    (folder / "merges.txt").write_text("#version: 0.2\n")
    tokenizer = transformers.CLIPTokenizer(str(folder / "vocab.json"), str(folder / "merges.txt"))
    small = {"hidden_size": 16, "intermediate_size": 16, "num_hidden_layers": 2, "num_attention_heads": 2}
    ends = {"bos_token_id": len(words) - 2, "eos_token_id": len(words) - 1, "pad_token_id": len(words) - 1}
    config = transformers.CLIPConfig(
        text_config={**small, **ends, "vocab_size": len(words), "max_position_embeddings": 24},
        vision_config={**small, "image_size": 16, "patch_size": 8},
        projection_dim=12,
    )
    images = transformers.CLIPImageProcessor(size={"shortest_edge": 16}, crop_size={"height": 16, "width": 16})
    transformers.CLIPProcessor(images, tokenizer).save_pretrained(folder)
    transformers.set_seed(0)
    transformers.CLIPModel(config).save_pretrained(folder)
    return folder


@LONG
def test_clip_embeds_and_measures(clip, tmp_path):
    encoder = ClipEncoder(clip)
    assert encoder.name == f"clip:{clip.name}"
    pictures = encoder.images([_noise(0, 30, 90), _noise(1, 5, 3), _noise(0, 30, 90)])
    texts = encoder.texts(["a star", "a red star " * 40, ""])
    for found in (pictures, texts):
        assert (found.shape, found.dtype) == ((3, 12), np.float32)
        assert np.isfinite(found).all()
    np.testing.assert_allclose(pictures[0], pictures[2], rtol=0, atol=1e-5)
    assert not np.allclose(pictures[0], pictures[1])
    assert not np.allclose(texts[0], texts[1])
    # What is at the edge of a page is seen.
    page = np.full((60, 20, 3), 255, np.uint8)
    marked = page.copy()
    marked[:6] = 0
    assert not np.allclose(*encoder.images([page, marked]))
    (tmp_path / "config.json").write_text('{"model_type": "bert"}')
    with pytest.raises(ValueError, match="no CLIP-like model"):
        ClipEncoder(tmp_path)
    expected = modify(POSTER, "badge", "purple", "fill")
    metrics = _directional(encoder, painted(POSTER, 0), painted(expected, 0), *captions(POSTER, expected))
    assert set(metrics) == {"encoder", "directional_similarity", "directional_similarity_boxed"}
    assert all(-1 <= value <= 1 and value for name, value in metrics.items() if name != "encoder")
