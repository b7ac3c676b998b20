"""Endless tasks: ids computed rather than held."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from formgym.envs.core.tasks import SEEDS, EndlessTasks

TASKS = EndlessTasks(["a", "b/c"])


@given(st.integers(0, 2 * SEEDS - 1))
def test_every_index_has_an_id_of_its_own(index):
    task = TASKS[index]
    group, seed = TASKS.parts(task)
    assert task == f"{group}/{seed}"
    assert task in TASKS
    assert seed * 2 + TASKS.groups.index(group) == index


@pytest.mark.parametrize(
    "task", ["a", "a/", "a/-1", "a/01", "a/x", "c/3", "b/3", "a/²", f"a/{SEEDS}", "a/" + "9" * 400, 3]
)
def test_other_words_are_no_tasks(task):
    assert task not in TASKS


def test_it_is_a_sequence():
    assert len(TASKS) == 2 * SEEDS
    assert TASKS[-1] == f"b/c/{SEEDS - 1}"
    with pytest.raises(IndexError):
        TASKS[2 * SEEDS]
