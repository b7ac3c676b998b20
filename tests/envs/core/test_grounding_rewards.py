"""Rewards of grounding: in [0, 1], 1 for the right box, and as their formulas say."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from formgym.envs.core.grounding import FOR_BOXES, REWARDS, combined, gaussian_coverage, gaussian_point, hit, iou

SHARE = st.floats(0, 1, width=32)
CORNERS = st.tuples(st.integers(0, 19), st.integers(0, 19), st.integers(1, 20), st.integers(1, 20))
BOX = CORNERS.map(lambda c: (c[0], c[1], min(c[0] + c[2], 20), min(c[1] + c[3], 20)))
"""A box with whole corners on a page of 20 by 20."""


def shares(box):
    return np.array(box, float) / 20


def point_in(box, x=0.5, y=0.5):
    """The point a share of the way across and down a box."""
    across, down = box[0] + x * (box[2] - box[0]), box[1] + y * (box[3] - box[1])
    return np.array([across, down, across, down])


@given(st.tuples(SHARE, SHARE, SHARE, SHARE), BOX)
def test_rewards_are_shares_even_of_boxes_inside_out(predicted, expected):
    for reward in (*REWARDS.values(), combined(dict.fromkeys(REWARDS, 2.0))):
        assert 0 <= reward(predicted, shares(expected)) <= 1


@given(BOX)
def test_the_right_box_has_reward_1(box):
    for name, reward in REWARDS.items():
        assert reward(shares(box), shares(box)) == pytest.approx(1), name


@given(BOX)
def test_the_middle_has_reward_1_but_for_rewards_of_boxes(box):
    for name, reward in REWARDS.items():
        value = 0 if name in FOR_BOXES else 1
        assert reward(point_in(shares(box)), shares(box)) == pytest.approx(value, abs=1e-6), name


def test_edges_and_corners_are_hits_and_what_is_beyond_is_none():
    box = (0.2, 0.4, 0.6, 0.5)
    inside = [point_in(box, x, y) for x in (0, 0.5, 1) for y in (0, 0.5, 1)]
    assert hit(inside, [box] * 9).tolist() == [1.0] * 9
    outside = [point_in(box, x, y) for x, y in ((-0.001, 0.5), (1.001, 0.5), (0.5, -0.001), (0.5, 1.001))]
    assert hit(outside, [box] * 4).tolist() == [0.0] * 4


@given(BOX, BOX)
def test_iou_counts_cells(first, second):
    cells = [{(x, y) for x in range(b[0], b[2]) for y in range(b[1], b[3])} for b in (first, second)]
    expected = len(cells[0] & cells[1]) / len(cells[0] | cells[1])
    assert iou(shares(first), shares(second)) == pytest.approx(expected)


def test_the_gaussian_of_a_point_falls_with_distance_and_is_as_wide_as_the_box():
    small, large = (0.4, 0.4, 0.5, 0.5), (0.4, 0.4, 0.8, 0.8)
    for box in (small, large):
        rewards = gaussian_point([point_in(box, x) for x in (0.5, 0.7, 0.9, 1.5, 3)], box)
        assert (np.diff(rewards) < 0).all()
        assert gaussian_point(point_in(box, 1.0), box) == pytest.approx(np.exp(-0.5))
    off = np.array([0.15, 0, 0.15, 0])
    assert gaussian_point(point_in(small) + off, small) < gaussian_point(point_in(large) + off, large)


def test_coverage_falls_with_distance_and_with_a_wrong_size():
    box = np.array([0.4, 0.4, 0.5, 0.5])
    moved = gaussian_coverage([box + shift for shift in (0, 0.02, 0.05, 0.2)], box)
    assert (np.diff(moved) < 0).all()
    wider = gaussian_coverage([box + np.array([-by, 0, by, 0]) for by in (0, 0.02, 0.05, 0.2)], box)
    assert (np.diff(wider) < 0).all()


def test_boxes_that_are_inside_out_or_off_the_page_are_not_well_formed():
    good = (0.1, 0.1, 0.2, 0.2)
    bad = [(0.2, 0.1, 0.1, 0.2), (0.1, 0.2, 0.2, 0.1), (-0.1, 0, 0.5, 0.5), (0, 0, 1.1, 1), (np.nan, 0, 1, 1)]
    assert REWARDS["format"]([good, *bad], good).tolist() == [1, 0, 0, 0, 0, 0]


def test_weights_are_relative():
    box, near = np.array([0.4, 0.4, 0.6, 0.6]), np.array([0.45, 0.4, 0.65, 0.6])
    mixed = combined({"hit": 3, "iou": 1})(near, box)
    assert mixed == pytest.approx(0.75 * hit(near, box) + 0.25 * iou(near, box))
    assert combined({"hit": 6, "iou": 2})(near, box) == pytest.approx(mixed)
    assert combined("iou")(near, box) == iou(near, box)


@pytest.mark.parametrize("weights", ["score", {"hit": 1, "score": 1}, {}, {"hit": 0}, {"hit": -1, "iou": 2}])
def test_weights_that_make_no_reward_are_refused(weights):
    with pytest.raises(ValueError, match="reward"):
        combined(weights)
