"""FieldFinder's network: its inputs, ONNX against PyTorch, cutting windows, choosing a place, learning."""

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sizes import LONG, some

torch = pytest.importorskip("torch")
pytest.importorskip("cv2")
pytest.importorskip("onnxruntime")

from formgym.envs.paper_forms.made_pages.page_generator import page as made_page  # noqa: E402
from formgym.fieldfinder_model.network.inputs import (  # noqa: E402
    CHANNELS,
    PLANES,
    WINDOW,
    crossing_of,
    origin_of,
    picture_of,
    planes_of,
    text_ids,
)
from formgym.fieldfinder_model.network.model import (  # noqa: E402
    FieldFinderNetwork,
    export,
    place_loss,
)
from formgym.fieldfinder_model.network.runtime import (  # noqa: E402
    LabelInput,
    LabelOutput,
    NetworkWeights,
    places_of,
)
from formgym.fieldfinder_model.reading.page_reading import read_page  # noqa: E402
from formgym.fieldfinder_model.training import batches  # noqa: E402
from formgym.fieldfinder_model.training import train as training  # noqa: E402
from formgym.fieldfinder_model.training.batches import (  # noqa: E402
    batch_of,
    sample_of,
    windows_of,
)
from formgym.fieldfinder_model.training.train import NetworkRecipe, train  # noqa: E402

pytestmark = pytest.mark.usefixtures("one_thread")


@pytest.fixture(scope="module")
def samples():
    return [sample_of(made_page(seed), np.random.default_rng(seed)) for seed in range(4)]


@pytest.fixture(scope="module")
def network():
    torch.manual_seed(0)
    return FieldFinderNetwork().eval()


# --- its inputs ---------------------------------------------------------------------------------------------


def test_planes_tell_label_head_and_margin():
    label, head = (30.0, 12.0, 40.0, 14.0), (60.0, 4.0, 66.0, 6.0)
    origin = origin_of(label)
    planes = planes_of(label, head, origin, (50, 70))
    top, left = origin
    assert planes.shape == (PLANES, *WINDOW)
    assert planes[0].sum() == pytest.approx(20)
    assert planes[1, 0, 40 - left] == pytest.approx(0.5 / 32)
    assert planes[4, :, 62 - left].all()
    assert not planes[4, :, 50 - left].any()
    assert planes[7, 5, 70 - left] == 1
    assert planes[7, 13 - top, 31 - left] == 0


def test_the_picture_is_scaled_to_the_letters():
    page = made_page(3)
    reading = read_page(page.gray, page.words)
    picture, scale = picture_of(reading)
    assert picture.shape[2] == CHANNELS
    assert picture.shape[0] % 16 == 0
    assert picture.shape[1] % 16 == 0
    assert reading.letter * scale.down * 4 == pytest.approx(7, rel=0.02)
    box = (10.0, 20.0, 50.0, 44.0)
    assert scale.to_pixels(scale.to_cells(box)) == pytest.approx(box)


# --- exactness ----------------------------------------------------------------------------------------------------


def test_windows_are_plain_slices_and_so_are_their_gradients():
    torch.manual_seed(1)
    features = torch.randn(2, 3, 40, 50, requires_grad=True)
    windows = torch.tensor([[0, 5, 7], [1, -20, -30], [0, 30, 40], [1, 500, 3], [0, -500, -500]])
    height, width = WINDOW
    padded = torch.nn.functional.pad(features, (600, 600, 600, 600))
    plain = torch.stack(
        [padded[p, :, 600 + y : 600 + y + height, 600 + x : 600 + x + width] for p, y, x in windows.tolist()]
    )
    weight = torch.randn_like(plain)
    (expected,) = torch.autograd.grad((plain * weight).sum(), features)
    cut = windows_of(features, windows)
    (got,) = torch.autograd.grad((cut * weight).sum(), features)
    assert torch.equal(cut, plain)
    assert torch.allclose(got, expected, atol=1e-6)


@pytest.mark.parametrize("swapped", [False, True])
@pytest.mark.parametrize(("across", "down"), [(10, 5), (120, 5), (10, 60), (120, 60)])
def test_a_far_crossing_has_a_window_of_its_own(across, down, swapped):
    row, column = (4.0, 20.0 + down, 20.0, 22.0 + down), (24.0 + across, 16.0, 40.0 + across, 18.0)
    middle = (column[0] + column[2]) / 2, (row[1] + row[3]) / 2
    label, other = (column, row) if swapped else (row, column)
    top, left = crossing_of(label, other) or origin_of(label)
    assert left < middle[0] < left + WINDOW[1]
    assert top < middle[1] < top + WINDOW[0]


def test_onnx_says_what_pytorch_says(network, samples, tmp_path):
    export(network, tmp_path)
    weights = NetworkWeights(tmp_path)
    for sample in samples[:2]:
        picture = sample.picture
        features = weights.features(picture)
        page = torch.from_numpy(picture.transpose(2, 0, 1).copy())[None].float() / 255
        with torch.no_grad():
            plain = network.backbone(page)
        assert np.allclose(features, plain[0].numpy(), atol=1e-3)
        inputs = [
            LabelInput(text, box, None, origin_of(box)) for one in sample.fields[:3] for text, box in one.parts[:1]
        ]
        looks = weights.predict(features, inputs)
        planes = [planes_of(one.label, None, one.origin, features.shape[1:]) for one in inputs]
        with torch.no_grad():
            heat, sides, nowhere = network.head(
                windows_of(plain, torch.tensor([[0, *one.origin] for one in inputs])),
                torch.from_numpy(np.stack(planes)),
                torch.from_numpy(np.stack([text_ids(one.text) for one in inputs])),
            )
        for i, look in enumerate(looks):
            assert np.allclose(look.heat, heat[i].numpy(), atol=1e-2)
            assert np.allclose(look.sides, sides[i].numpy(), atol=1e-2)
            assert look.nowhere == pytest.approx(float(nowhere[i]), abs=1e-2)


# --- choosing a place ---------------------------------------------------------------------------------------------


@settings(deadline=None, max_examples=some(8, 30))
@given(row=st.integers(0, WINDOW[0] - 1), column=st.integers(0, WINDOW[1] - 1), data=st.data())
def test_a_sure_cell_is_the_place(row, column, data):
    sides = np.array(data.draw(st.lists(st.floats(0.5, 9), min_size=4, max_size=4)), np.float32)
    heat = np.zeros(WINDOW, np.float32)
    heat[row, column] = 30
    look = LabelOutput(heat, np.broadcast_to(sides[:, None, None], (4, *WINDOW)), 0.0, (3, -5))
    place = places_of(look)[0]
    x, y = column + 0.5 - 5, row + 0.5 + 3
    assert place.box == pytest.approx((x - sides[0], y - sides[1], x + sides[2], y + sides[3]), abs=1e-3)
    assert place.score > 0.99


def test_places_are_ranked_and_apart():
    heat = np.full(WINDOW, -20, np.float32)
    heat[5, 10], heat[20, 80], heat[20, 81] = 2.0, 1.8, 1.8
    look = LabelOutput(heat, np.ones((4, *WINDOW), np.float32) * 2, -20.0, (0, 0))
    first, second = places_of(look, 2)
    assert first.box[0] > 70, "two cells that agree outweigh one"
    assert second.box[0] < 20
    assert first.score + second.score == pytest.approx(1, abs=1e-3)
    assert places_of(LabelOutput(heat, look.sides, 20.0, (0, 0))) == []


# --- learning -----------------------------------------------------------------------------------------------------


def test_the_right_place_has_the_least_loss():
    heat, sides = torch.zeros(1, *WINDOW), torch.full((1, 4, *WINDOW), 2.0)
    boxes = torch.tensor([[20.5, 8.5, 24.5, 12.5]])
    nowhere, there = torch.zeros(1), torch.ones(1)
    heat[0, 10, 22] = 12
    right, fit = place_loss(heat, sides, nowhere, boxes, there)
    wrong, misfit = place_loss(heat.roll(30, 2), sides, nowhere, boxes, there)
    assert right < wrong
    assert fit < 0.3
    nothing, _ = place_loss(torch.zeros(1, *WINDOW), sides, nowhere + 12, boxes, torch.zeros(1))
    assert nothing < 0.1
    assert misfit == pytest.approx(float(fit))


def test_batches_come_from_their_seed_and_hold_what_they_say(samples):
    one, other = (batch_of(samples, 6, np.random.default_rng(7)) for _ in range(2))
    assert torch.equal(one.pages, other.pages)
    assert torch.equal(one.boxes, other.boxes)
    assert len(one.windows) == 6 * len(samples)
    assert set(one.there.tolist()) <= {0.0, 1.0}
    inside = one.there > 0
    middle = (one.boxes[inside][:, :2] + one.boxes[inside][:, 2:]) / 2
    assert (middle > 0).all()
    assert (middle[:, 0] < WINDOW[1]).all()
    assert (middle[:, 1] < WINDOW[0]).all()


@LONG
def test_the_network_learns_its_pages(samples, tmp_path, monkeypatch):
    # A quarter of the usual canvas, and few batches to normalise by: enough to learn two pages.
    monkeypatch.setattr(batches, "_CANVAS", (352, 288))
    monkeypatch.setattr(training, "_NORMALISED", 8)
    reports = []
    recipe = NetworkRecipe(steps=some(60, 110), pages=1, looks=6, average=0.9)
    network = train(samples[:2], tmp_path / "weights.pt", recipe, report=reports.append)
    assert [report["step"] for report in reports] == some([60], [100, 110])
    trained, untrained = (_loss(net, samples[0]) for net in (network, FieldFinderNetwork().eval()))
    assert trained < 0.9 * untrained
    assert json.loads((tmp_path / "weights.json").read_text())["steps"] == some(60, 110)
    again = FieldFinderNetwork()
    again.load_state_dict(torch.load(tmp_path / "weights.pt", weights_only=True))
    for one, other in zip(network.parameters(), again.parameters(), strict=True):
        assert torch.equal(one, other)
    with pytest.raises(ValueError, match="no pages"):
        train([], tmp_path / "none.pt")


def _loss(network, sample):
    batch = batch_of([sample], 8, np.random.default_rng(3))
    with torch.no_grad():
        windows = windows_of(network.backbone(batch.pages), batch.windows)
        return float(place_loss(*network.head(windows, batch.planes, batch.ids), batch.boxes, batch.there)[0])
