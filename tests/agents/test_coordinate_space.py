"""Coordinate spaces: a model's coordinates come back to the page's own, whatever was done to the picture."""

import numpy as np
import pytest
from gymnasium import spaces
from hypothesis import given
from hypothesis import strategies as st
from sizes import some

from formgym.agents.coordinate_space import UNITS, CoordinateSpace, PictureView, fitted
from formgym.agents.session import Session
from formgym.envs.core.env import PaperworkEnv, State
from formgym.envs.core.tools import Argument, Tool, ToolSpace
from formgym.wrappers import PadPage, Ruler

HEIGHT, WIDTH = 420, 360


def point(state, x, y):
    """Point."""
    state.point = (x, y)
    return "Pointed."


def _tool(kind):
    """A tool that takes a point as fractions or pixels of the page, or in pixels that may lie beside it."""
    of = {
        "fraction": lambda side: spaces.Box(0, 1, (), np.float64),
        "pixel": lambda side: spaces.Discrete(side),
        "anywhere": lambda side: spaces.Box(-4096, 4096, (), np.float32),
    }[kind]
    return Tool("point", point, {"x": Argument(of(WIDTH), "x."), "y": Argument(of(HEIGHT), "y.")})


class _State(State):
    task_id, goal, source, layers, finished, point = "dot", "Point at the dot.", "", (), False, None

    def __init__(self, dot):
        self.background = np.full((HEIGHT, WIDTH, 3), 255, np.uint8)
        x, y = dot
        self.background[y - 6 : y + 7, x - 6 : x + 7] = (0, 0, 255)

    def take_dirty(self):
        return []

    def metrics(self):
        return {"strict_accuracy": 0.0}

    def score(self):
        raise NotImplementedError

    def solution(self):
        return []

    def dump(self):
        return {}


class _DotEnv(PaperworkEnv):
    """A page with one blue dot."""

    task_ids = ("dot",)

    def __init__(self, kind, dot, factor=1):
        self.tools, self.dot = (_tool(kind),), dot
        super().__init__((HEIGHT, WIDTH), render_size=(HEIGHT // factor, WIDTH // factor))

    def open_task(self, task_id):
        return _State(self.dot)


def _blue_dot(pixels):
    """Where a picture is blue, x and y from its left top corner, and how many times the dot was shrunk."""
    blueness = np.clip((pixels[..., 2].astype(float) - pixels[..., 0]) / 255, 0, 1)
    rows, columns = np.indices(blueness.shape)
    total = blueness.sum()
    return (columns * blueness).sum() / total + 0.5, (rows * blueness).sum() / total + 0.5, 13 / total**0.5


WRAPPERS = {
    "bare": [],
    "ruler": [Ruler],
    "thin ruler": [lambda env: Ruler(env, margin=24)],
    "two rulers": [Ruler, Ruler],
    "padded": [lambda env: PadPage(env, 500, 400)],
    "shrunk": [lambda env: PadPage(env, 300, 300)],
    "padded, ruler": [lambda env: PadPage(env, 500, 400), Ruler],
}


@pytest.mark.parametrize("wrappers", WRAPPERS)
@pytest.mark.parametrize("kind", ["fraction", "pixel", "anywhere"])
@pytest.mark.parametrize(("max_side", "factor"), [(None, 1), (301, 1), (None, 2), (251, 3)])
def test_the_dot_that_a_model_sees_is_the_dot_on_the_page(wrappers, kind, max_side, factor):
    dot = (123, 301)
    for unit in some(["pixel"], UNITS):
        env = _DotEnv(kind, dot, factor)
        session = Session(env, wrappers=WRAPPERS[wrappers], unit=unit, max_side=max_side)
        picture = session.open()[-1].pixels
        x, y, shrunk = _blue_dot(picture)
        height, width = picture.shape[:2]
        of = {"pixel": (1, 1), "fraction": (1 / width, 1 / height), "thousand": (1000 / width, 1000 / height)}[unit]
        session.call("point", {"x": x * of[0], "y": y * of[1]})
        found = np.array(env.state.point) * ([WIDTH, HEIGHT] if kind == "fraction" else 1)
        found = found + (0.5 if kind == "pixel" else 0)
        # Half a pixel, of the picture where PadPage takes whole ones, and what shrinking blurs of the dot.
        half = 0.5 * max(shrunk, 1) if kind == "pixel" and "PadPage" in str(session.env) else 0.5
        assert np.abs(found - np.array(dot) - 0.5).max() <= half + (0.1 * shrunk if shrunk > 1 else 0)


POSITIVE = st.floats(0.3, 3)


@st.composite
def _views(draw):
    """A picture of a page behind a ruler, and any view of it."""
    margin = draw(st.integers(0, 60))
    height, width = HEIGHT + margin, WIDTH + margin
    left, top = draw(st.integers(0, width - 40)), draw(st.integers(0, height - 40))
    right, bottom = draw(st.integers(left + 20, width)), draw(st.integers(top + 20, height))
    size = round((bottom - top) * draw(POSITIVE)), round((right - left) * draw(POSITIVE))
    padding = tuple(draw(st.integers(0, 50)) for _ in range(4))
    return margin, PictureView((left, top, right, bottom), size, padding)


@given(
    _views(),
    st.sampled_from(list(UNITS)),
    st.sampled_from(["fraction", "pixel", "anywhere"]),
    st.integers(1, 3),
    st.floats(0, 1, exclude_max=True),
    st.floats(0, 1, exclude_max=True),
)
def test_points_come_back_within_half_a_pixel(made, unit, kind, factor, across, down):
    margin, view = made
    tools = ToolSpace([_tool(kind)])
    page = HEIGHT * factor, WIDTH * factor
    if kind == "pixel":
        of = {"x": spaces.Discrete(page[1]), "y": spaces.Discrete(page[0])}
        tools = ToolSpace([Tool("point", point, {n: Argument(space, n) for n, space in of.items()})])
    picture = HEIGHT + margin, WIDTH + margin
    space = CoordinateSpace.of_view(tools, page, picture, view, unit, (margin, margin))
    # Where the point is in the picture that was sent, worked out by hand.
    x, y = across * page[1], down * page[0]
    sent = [
        (position / factor + margin - view.crop[side]) * size / (view.crop[side + 2] - view.crop[side]) + padding
        for side, (position, size, padding) in enumerate(
            [(x, view.size[1], view.padding[0]), (y, view.size[0], view.padding[1])]
        )
    ]
    height, width = view.sent_size
    of = {"pixel": (1, 1), "fraction": (width, height), "thousand": (width / 1000, height / 1000)}[unit]
    call = {"tool": "point", "x": sent[0] / of[0], "y": sent[1] / of[1]}
    back = space.to_tools(call)
    found = np.array([back["x"], back["y"]]) * ([page[1], page[0]] if kind == "fraction" else 1)
    assert np.abs(found + (0.5 if kind == "pixel" else 0) - [x, y]).max() <= 0.5 + 1e-6
    assert space.to_tools(space.to_model(back)) == pytest.approx(back)


@given(st.sampled_from(["fraction", "pixel", "anywhere"]), st.integers(0, WIDTH - 1), st.integers(0, HEIGHT - 1))
def test_pixels_of_a_page_that_is_sent_as_it_is_are_its_own(kind, x, y):
    tools, size = ToolSpace([_tool(kind)]), (HEIGHT, WIDTH)
    space = CoordinateSpace.of_view(tools, size, size, PictureView.whole(size), "pixel")
    back = space.to_tools({"tool": "point", "x": x, "y": y})
    of = (WIDTH, HEIGHT) if kind == "fraction" else (1, 1)
    assert (back["x"] * of[0], back["y"] * of[1]) == pytest.approx((x, y), abs=1e-9)


def test_points_beside_the_page_mean_its_edge():
    session = Session(_DotEnv("pixel", (9, 9)), wrappers=[Ruler], unit="pixel")
    session.open()
    session.call("point", {"x": 3, "y": 460})
    assert session.env.unwrapped.state.point == (0, HEIGHT - 1)


def test_a_model_reads_its_own_units():
    session = Session(_DotEnv("pixel", (9, 9)), wrappers=[Ruler], unit="pixel")
    (schema,) = session.tools.schemas
    x, y = schema["parameters"]["properties"].values()
    assert (x["type"], x["minimum"], x["maximum"], y["maximum"]) == ("number", 0, WIDTH + 40, HEIGHT + 40)
    assert x["description"] == "Where, counted from the left edge: in pixels of the picture, from 0 to 400."
    session.open()
    assert "between 0 and 400" in session.call("point", {"x": 401, "y": 0})[0][0].text


@given(st.integers(1, 4000), st.integers(1, 4000), st.integers(1, 4000))
def test_a_picture_is_shrunk_and_never_enlarged(height, width, max_side):
    fit = fitted((height, width), max_side)
    assert max(fit) == min(max(height, width), max_side)
    assert fitted((height, width), None) == (height, width)


def test_a_view_is_a_picture_of_its_own():
    picture = np.full((40, 30, 3), 200, np.uint8)
    view = PictureView((10, 0, 30, 40), (80, 40), (1, 2, 3, 4))
    sent = view.image(picture)
    assert sent.shape == (*view.sent_size, 3) == (86, 44, 3)
    assert (sent[2:-4, 1:-3] == 200).all()
    assert (sent[:2] == 255).all()
    same = PictureView.whole((40, 30)).image(picture)
    same[:] = 0
    assert (picture == 200).all()


def test_a_wrong_unit_or_size_is_refused():
    with pytest.raises(ValueError, match="unit must be one of pixel, fraction, thousand, not 'percent'"):
        Session(_DotEnv("pixel", (9, 9)), unit="percent")
    with pytest.raises(ValueError, match="max_side must be at least 1 pixel"):
        Session(_DotEnv("pixel", (9, 9)), max_side=0)
    with pytest.raises(ValueError, match="PadPage inside of Ruler"):
        PadPage(Ruler(_DotEnv("pixel", (9, 9))), 500, 500)
