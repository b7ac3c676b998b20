"""Names of a page that are located together take no place twice."""

from itertools import permutations
from math import inf

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from formgym.envs.core.locators import Detection
from formgym.fieldfinder_model.locators.page_reader import assignment, one_place_each

LEFT, RIGHT, FAR = (0.0, 0.0, 50.0, 10.0), (60.0, 0.0, 110.0, 10.0), (0.0, 100.0, 50.0, 110.0)

sizes = st.integers(1, 4).flatmap(lambda n: st.tuples(st.just(n), st.integers(n, 5)))
costs = sizes.flatmap(lambda size: arrays(np.float64, size, elements=st.floats(-50, 50)))
scored = st.tuples(st.sampled_from([LEFT, RIGHT, FAR]), st.floats(0, 1)).map(lambda place: Detection(*place))
places = st.lists(scored, max_size=4).map(lambda found: sorted(found, key=lambda place: -place.score))


@given(costs)
def test_the_assignment_is_the_cheapest(matrix):
    rows = np.arange(len(matrix))
    chosen = assignment(matrix)
    assert len(set(chosen.tolist())) == len(rows)
    best = min(
        (matrix[rows, list(order)].sum() for order in permutations(range(matrix.shape[1]), len(rows))), default=inf
    )
    assert matrix[rows, chosen].sum() == pytest.approx(best, abs=1e-6)


def test_the_name_that_is_less_sure_gives_way():
    sure, unsure = [Detection(LEFT, 0.9), Detection(RIGHT, 0.05)], [Detection(LEFT, 0.6), Detection(RIGHT, 0.3)]
    assert [each[0].box for each in one_place_each([sure, unsure])] == [LEFT, RIGHT]
    assert [each[0].box for each in one_place_each([unsure, sure])] == [RIGHT, LEFT]


def test_boxes_that_overlap_are_one_place():
    nearly = (2.0, 1.0, 52.0, 11.0)
    first, second = one_place_each([[Detection(LEFT, 0.9)], [Detection(nearly, 0.6), Detection(FAR, 0.3)]])
    assert (first[0].box, second[0].box) == (LEFT, FAR)


def test_a_name_without_another_place_keeps_its_own():
    assert one_place_each([[Detection(LEFT, 0.9)], [Detection(LEFT, 0.6)], []]) == [
        [Detection(LEFT, 0.9)],
        [Detection(LEFT, 0.6)],
        [],
    ]


@given(st.lists(places, max_size=5))
def test_nothing_is_lost_and_one_name_alone_is_left_as_it_is(found):
    together = one_place_each(found)
    assert [sorted(each) for each in together] == [sorted(each) for each in found]
    if len(found) == 1 and len({place.score for place in found[0]}) == len(found[0]):
        assert together[0][:1] == found[0][:1]


def test_most_of_many_names_have_a_place_of_their_own():
    rng = np.random.default_rng(0)
    boxes = [(float(x), float(y), x + 40.0, y + 10.0) for x in range(0, 500, 50) for y in range(0, 400, 20)]
    found = [
        [Detection(boxes[i], float(rng.uniform(0.1, 1))) for i in rng.integers(0, len(boxes), 5)] for _ in range(150)
    ]
    firsts = [each[0].box for each in one_place_each([sorted(each, key=lambda p: -p.score) for each in found])]
    assert len(set(firsts)) > 130
