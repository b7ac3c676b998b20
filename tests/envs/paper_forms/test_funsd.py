"""FUNSD: the loader says what is wrong, exactly one answer is erased, and rules and neighbours stay."""

from __future__ import annotations

import os
import warnings
from pathlib import Path
from typing import Any

import funsd_fixture as fixture
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from json_edits import edit_json

from formgym.envs.core.painting import Frame
from formgym.envs.paper_forms.datasets.erase import padded
from formgym.envs.paper_forms.datasets.funsd import CANVAS, FunsdEnv, funsd_pages, make_batch
from formgym.envs.paper_forms.state import PaperFormState

NAME, DATE, TOTAL, UNITS = ("testing_data_0#1", "testing_data_0#3", "testing_data_0#6", "testing_data_0#8")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = fixture.write_fixture(tmp_path_factory.mktemp("funsd"))
    return path


@pytest.fixture(scope="module")
def env(root: Path) -> FunsdEnv:
    return FunsdEnv(str(root))


def shown(page: PaperFormState) -> np.ndarray[Any, np.dtype[np.uint8]]:
    frame = Frame(np.zeros((*CANVAS, 3), np.uint8))
    frame.show(page.background, page.layers)
    return frame.buffer


# -- Where the data are --------------------------------------------------------------------------------------------


def test_splits(root: Path) -> None:
    assert FunsdEnv(str(root), "train").task_ids[0] == "training_data_0#1"
    assert FunsdEnv(str(root), "test").task_ids == FunsdEnv(str(root)).task_ids
    with pytest.raises(ValueError, match="split 'dev' is none of 'train', 'test'"):
        FunsdEnv(str(root), "dev")


def test_without_a_test_split_train_is_taken_with_a_warning(tmp_path: Path) -> None:
    fixture.write_fixture(tmp_path, ("training_data",))
    with pytest.warns(UserWarning, match="do not compare"):
        assert FunsdEnv(str(tmp_path)).folder.name == "training_data"
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        FunsdEnv(str(tmp_path), "train")
    with pytest.raises(ValueError, match=r"no folder .*testing_data.*guillaumejaume"):
        FunsdEnv(str(tmp_path), "test")


def test_leftovers_of_macos_are_overlooked(tmp_path: Path) -> None:
    (fixture.write_fixture(tmp_path) / "testing_data/images/._testing_data_0.png").write_bytes(b"?")
    assert len(FunsdEnv(str(tmp_path)).task_ids) == 8


def test_boxes_that_stick_out_are_clipped(tmp_path: Path) -> None:
    folder = fixture.write_fixture(tmp_path) / "testing_data"
    edit_json(folder / "annotations/testing_data_0.json", {"form.3.words.0.box": [650, 990, 720, 1010]})
    assert funsd_pages(folder.resolve())["testing_data_0"].words[3] == ((650, 990, 700, 1000),)


# -- Tasks ---------------------------------------------------------------------------------------------------------


def test_tasks(env: FunsdEnv) -> None:
    assert list(env.task_ids) == [f"testing_data_{page}#{entity}" for page in (0, 1) for entity in (1, 3, 6, 8)]
    assert env.skipped == {"no question": 2, "empty text": 2}
    with pytest.raises(ValueError, match=r"no task 'testing_data_0#0'.*such as 'testing_data_0#1'"):
        env.reset(options={"task": "testing_data_0#0"})


def test_what_is_asked(env: FunsdEnv) -> None:
    page = env.open_task(TOTAL)
    assert page.goal == "Write the value given in the source text into the field “TOTAL | UNITS” of this page."
    assert page.source == "Field: TOTAL | UNITS\nValue: Jagged edge"
    (target,) = page.task.targets
    assert (target.name, target.label, target.gold.value) == ("answer", "TOTAL | UNITS", "Jagged edge")


def test_long_questions_and_answers(tmp_path: Path) -> None:
    path = fixture.write_fixture(tmp_path) / "testing_data/annotations/testing_data_0.json"
    edit_json(path, {"form.0.text": "why " * 1_000, "form.3.text": "x" * 1_001, "form.8.text": "a\x07b"})
    env = FunsdEnv(str(tmp_path))
    observation, _ = env.reset(options={"task": NAME})
    assert observation in env.observation_space
    assert env.skipped == {"no question": 2, "empty text": 2, "too long": 1, "control character": 1}


def test_larger_pictures_are_scaled_with_their_boxes(tmp_path: Path) -> None:
    from PIL import Image

    folder = fixture.write_fixture(tmp_path) / "testing_data"
    for path in (folder / "images").iterdir():
        with Image.open(path) as picture:
            picture.resize((1400, 2000)).save(path)
    edit_json(folder / "annotations/testing_data_0.json", {"form.3.words.0.box": [400, 400, 600, 440]})
    page = FunsdEnv(str(tmp_path)).open_task(DATE)
    assert page.task.targets[0].box == (201, 201, 303, 222)  # times 0.504, outward to whole pixels


@pytest.mark.parametrize("task", [NAME, DATE, TOTAL, UNITS])
def test_the_oracle_is_right(env: FunsdEnv, task: str) -> None:
    env.reset(options={"task": task})
    total = 0.0
    for call in env.state.solution():
        _, reward, terminated, _, info = env.step(env.action_space.from_call(call))
        total += reward
    assert terminated
    assert info["score"]["strict_accuracy"] == total == 1.0


def test_checks_and_batches(root: Path, env: FunsdEnv) -> None:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        check_env(FunsdEnv(str(root)), skip_render_check=True)
    batch = make_batch(2, root=str(root), split="test")
    pages = batch.reset(seed=3)[0]["page"]
    assert np.array_equal(pages[0], env.reset(seed=3)[0]["page"])
    batch.close()


# -- The erased answer ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("task", [NAME, DATE, TOTAL, UNITS])
def test_only_the_padded_region_changes(env: FunsdEnv, task: str) -> None:
    page = env.open_task(task)
    left, top, right, bottom = padded(env._pages["testing_data_0"].words[int(task[-1])], CANVAS)
    changed = (shown(page) != page.background).any(axis=2)
    assert changed[top:bottom, left:right].any()
    changed[top:bottom, left:right] = False
    assert not changed.any()


@pytest.mark.parametrize("task", [NAME, DATE, TOTAL, UNITS])
def test_the_ink_is_gone_and_the_paper_has_its_grain(env: FunsdEnv, task: str) -> None:
    page = env.open_task(task)
    pixels = shown(page)
    rules = np.zeros(CANVAS, np.bool_)
    for left, top, right, bottom in fixture.RULES.values():
        rules[top - 1 : bottom + 1, left - 1 : right + 1] = True
    left, top, right, bottom = (int(edge) for edge in page.task.targets[0].box)
    place = pixels[top:bottom, left:right, 0][~rules[top:bottom, left:right]].astype(float)
    assert place.min() > fixture.PAPER - 15
    assert abs(place.mean() - fixture.PAPER) < 1.5
    assert 0.5 < place.std() < 4


TABLE = ["table", "column"]


@pytest.mark.parametrize(("task", "rules"), [(NAME, ["underline"]), (TOTAL, TABLE), (UNITS, TABLE)])
def test_rules_stay(env: FunsdEnv, task: str, rules: list[str]) -> None:
    pixels = shown(env.open_task(task))
    for rule in rules:
        left, top, right, bottom = fixture.RULES[rule]
        assert pixels[top:bottom, left:right].max() < 60


@pytest.mark.parametrize("task", [NAME, DATE, TOTAL, UNITS])
def test_other_words_stay(env: FunsdEnv, task: str) -> None:
    page = env.open_task(task)
    pixels, words = shown(page), env._pages["testing_data_0"].words
    for entity, boxes in words.items():
        for left, top, right, bottom in boxes if entity != int(task[-1]) else ():
            place = np.s_[top:bottom, left:right]
            dark = page.background[place] < 128
            assert np.array_equal(pixels[place][dark], page.background[place][dark])


# -- The real data -------------------------------------------------------------------------------------------------


def real_env() -> FunsdEnv:
    if not os.environ.get("FORMGYM_DATA"):
        pytest.skip("FORMGYM_DATA is not set")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return FunsdEnv()
    except ValueError as error:
        if "neither training_data nor" in str(error):
            pytest.skip(str(error))
        raise


def test_real_answers_leave_no_ink() -> None:
    env = real_env()
    some = env.task_ids[:: max(len(env.task_ids) // 150, 1)]
    left_over = []
    for task_id in some:
        page = env.open_task(task_id)
        left, top, right, bottom = (int(edge) for edge in page.task.targets[0].box)
        before = 255 - page.background[top:bottom, left:right].astype(float)
        left_over.append(((255 - shown(page)[top:bottom, left:right]).mean() + 1e-9) / (before.mean() + 1e-9))
    # What is left are rules, tick boxes and neighbours.
    assert np.median(left_over) < 0.15
