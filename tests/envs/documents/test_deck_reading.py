"""What pages of decks hold beyond shapes and texts: crops, charts, backdrops, inherited shapes."""

import io
from itertools import pairwise

import numpy as np
import pytest
from PIL import Image

from formgym.envs.documents.painting.charts import value_steps
from formgym.envs.documents.painting.pictures import embed, picture
from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.scene.charts import Chart, Series
from formgym.envs.documents.scene.document import Document, Page
from formgym.envs.documents.scene.elements import Element

QUARTERS = np.zeros((40, 40, 3), np.uint8)
QUARTERS[:20, :20], QUARTERS[:20, 20:], QUARTERS[20:, :20] = (255, 0, 0), (0, 255, 0), (0, 0, 255)


def _png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def _document(**fields):
    return Document(name="a", title="A", kind="slides", pages=(Page(width=200, height=100, **fields),))


@pytest.mark.parametrize(
    ("crop", "corners"),
    [
        ((0, 0, 0, 0), [(255, 0, 0), (0, 255, 0), (0, 0, 255)]),
        ((0.5, 0, 0, 0.5), [(0, 255, 0), (0, 255, 0), (0, 255, 0)]),
        ((0, -0.5, 0, 0.5), [None, None, (255, 0, 0)]),
    ],
    ids=["whole", "cut", "with room"],
)
def test_a_crop_chooses_what_of_a_picture_fills_its_box(crop, corners):
    shown = np.asarray(picture(embed(_png(QUARTERS)), 60, 60, crop))
    for (y, x), colour in zip([(10, 15), (10, 45), (50, 15)], corners, strict=True):
        assert (shown[y, x, 3] == 0) if colour is None else tuple(shown[y, x, :3]) == colour


def test_a_page_is_painted_on_its_backdrop_and_what_it_inherits():
    box = Element(id="bar", type="shape", shape="rectangle", bbox=(0, 80, 200, 20), style={"fill": (1, 2, 3)})
    cover = box.model_copy(update={"id": "e1", "bbox": (100, 90, 100, 10)})
    document = _document(backdrop="gradient/0/000000/ffffff", inherited=(box,), elements=(cover,))
    page = painted(document, 0)
    assert page[10, 2].max() < 10 < 245 < page[10, -3].min()
    assert abs(int(page[10, 100, 0]) - 128) < 3
    assert tuple(page[85, 50]) == tuple(page[95, 150]) == (1, 2, 3)
    assert document.find("bar") is None
    assert Document.model_validate(document.dump()) == document


COLUMNS = Chart(
    kind="column",
    title="Visitors",
    categories=("May", "June"),
    series=(Series(name="2023", values=(4, -2)), Series(name="2024", values=(None, 12.5))),
    colours=((250, 0, 0), (0, 0, 250)),
    has_legend=True,
)


def _count(page, colour):
    return int((page == colour).all(axis=2).sum())


@pytest.mark.parametrize("kind", ["column", "bar"])
def test_bars_are_as_long_as_their_values(kind):
    chart = Element(id="c", type="chart", bbox=(0, 0, 400, 300), chart=COLUMNS.model_copy(update={"kind": kind}))
    document = Document(name="a", title="A", kind="slides", pages=(Page(width=400, height=300, elements=(chart,)),))
    page = painted(document, 0)
    red, blue = _count(page, (250, 0, 0)), _count(page, (0, 0, 250))
    key = (chart.style.size // 2) ** 2
    assert (blue - key) / (red - key) == pytest.approx(12.5 / 6, rel=0.1)


def test_slices_of_a_pie_have_the_areas_of_their_shares():
    pie = Chart(
        kind="pie",
        categories=("a", "b"),
        series=(Series(values=(1, 3)),),
        colours=((250, 0, 0), (0, 0, 250)),
    )
    chart = Element(id="c", type="chart", bbox=(0, 0, 200, 100), chart=pie)
    page = painted(_document(elements=(chart,)), 0)
    assert _count(page, (0, 0, 250)) / _count(page, (250, 0, 0)) == pytest.approx(3, rel=0.05)


def test_the_value_axis_has_few_round_steps_around_all_values():
    for low, high in ((0, 1), (-3, 12.5), (0, 0), (1000, 52_000), (0.001, 0.002), (-8, -2)):
        chart = Chart(kind="line", categories=("a", "b"), series=(Series(values=(low, high)),))
        steps = value_steps(chart)
        assert steps[0] <= min(low, 0) <= max(high, 0) <= steps[-1]
        assert len({round(b - a, 9) for a, b in pairwise(steps)}) == 1
        assert len(steps) <= 12


def test_a_chart_needs_a_value_for_each_category():
    with pytest.raises(ValueError, match="series 1 has 1 values for 2 categories"):
        Chart(kind="pie", categories=("a", "b"), series=(Series(values=(1,)),))
