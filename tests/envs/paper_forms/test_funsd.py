"""FUNSD: the loader says what is wrong, exactly one answer is erased, and rules and neighbours stay."""

from __future__ import annotations

import warnings
from pathlib import Path

import funsd_fixture as fixture
import numpy as np
import pytest
from json_edits import edit_json

from formgym.envs.core.painting import Frame
from formgym.envs.paper_forms.datasets.erase import padded
from formgym.envs.paper_forms.datasets.funsd import CANVAS, FunsdEnv, funsd_pages

NAME, DATE, TOTAL, UNITS = ("testing_data_0#1", "testing_data_0#3", "testing_data_0#6", "testing_data_0#8")


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = fixture.write_fixture(tmp_path_factory.mktemp("funsd"))
    return path


@pytest.fixture(scope="module")
def env(root: Path) -> FunsdEnv:
    return FunsdEnv(str(root))


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
    assert page.task.targets[0].blank == (201, 201, 303, 222)  # times 0.504, outward to whole pixels


# -- The erased answer ---------------------------------------------------------------------------------------------

TABLE = ("table", "column")


@pytest.mark.parametrize(("task", "rules"), [(NAME, ("underline",)), (DATE, ()), (TOTAL, TABLE), (UNITS, TABLE)])
def test_the_ink_alone_is_erased(env: FunsdEnv, task: str, rules: tuple[str, ...]) -> None:
    """Nothing changes outside of the padded words, rules stay, and the paper inside has its grain."""
    page = env.open_task(task)
    frame = Frame(np.zeros((*CANVAS, 3), np.uint8))
    frame.show(page.background, page.layers)
    pixels = frame.buffer
    left, top, right, bottom = padded(env._pages["testing_data_0"].words[int(task[-1])], CANVAS)
    changed = (pixels != page.background).any(axis=2)
    assert changed[top:bottom, left:right].any()
    changed[top:bottom, left:right] = False
    assert not changed.any()
    is_rule = np.zeros(CANVAS, np.bool_)
    for name, (left, top, right, bottom) in fixture.RULES.items():
        is_rule[top - 1 : bottom + 1, left - 1 : right + 1] = True
        assert name not in rules or pixels[top:bottom, left:right].max() < 60
    left, top, right, bottom = (int(edge) for edge in page.task.targets[0].blank)
    place = pixels[top:bottom, left:right, 0][~is_rule[top:bottom, left:right]].astype(float)
    assert place.min() > fixture.PAPER - 15
    assert abs(place.mean() - fixture.PAPER) < 1.5
    assert 0.5 < place.std() < 4
