"""What the loaders of users' data sets share: one answer or all of them, names of fields, pictures, messages."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sizes import sample

from formgym.envs.core.data_sets import PictureError
from formgym.envs.core.pages import page_image
from formgym.envs.core.scoring import Gold
from formgym.envs.paper_forms.datasets import form_nlu, funsd, official, xfund
from formgym.envs.paper_forms.datasets.form_nlu import FormNluEnv
from formgym.envs.paper_forms.datasets.funsd import FUNSD, FunsdEnv
from formgym.envs.paper_forms.datasets.official import OfficialEnv
from formgym.envs.paper_forms.datasets.scanned import ScannedEnv, field_task, labels, page_task
from formgym.envs.paper_forms.datasets.scanned_page import ScannedPage, reading_order
from formgym.envs.paper_forms.datasets.xfund import XfundEnv
from formgym.envs.paper_forms.state import PaperFormState

FOLDERS: dict[type[ScannedEnv], str] = {
    FunsdEnv: "funsd",
    XfundEnv: "xfund",
    FormNluEnv: "form_nlu",
    OfficialEnv: "formgym_official",
}
LOADERS = [pytest.param(loader, id=folder) for loader, folder in FOLDERS.items()]


def made(loader: type[ScannedEnv], data_root: Path, **kwargs: Any) -> Any:
    return loader(root=str(data_root / FOLDERS[loader]), **kwargs)  # type: ignore[call-arg]


def played(env: ScannedEnv, task: str) -> tuple[float, float, float]:
    """The score of doing nothing, the oracle's, and its return."""
    observation, info = env.reset(options={"task": task})
    assert observation in env.observation_space
    before, total = info["score"]["strict_accuracy"], 0.0
    for call in env.state.solution():
        _, reward, _, _, info = env.step(env.action_space.from_call(call))
        assert info["valid"], info
        total += reward
    return before, info["score"]["strict_accuracy"], total


def solved(task: Any) -> bool:
    """Whether the oracle's calls solve a task, with no page behind it."""
    page = PaperFormState(task, np.zeros((3000, 3000, 3), np.uint8))
    for call in page.solution()[:-1]:
        page.write(call["x"], call["y"], call["text"], signed=call["tool"] == "sign_or_initial")
    return page.metrics()["strict_accuracy"] == 1.0


# -- One answer, or all --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("answers", ["one", "all"])
def test_the_oracle_is_right_and_doing_nothing_is_not(loader: type[ScannedEnv], answers: str, data_root: Path) -> None:
    env = made(loader, data_root, answers=answers)
    for task in env.task_ids:
        before, after, total = played(env, task)
        assert (before, after) == (0.0, 1.0), task
        assert total == pytest.approx(1.0)


@pytest.mark.parametrize("loader", LOADERS)
def test_pages_have_the_answers_of_their_fields(loader: type[ScannedEnv], data_root: Path) -> None:
    one, all_ = (made(loader, data_root, answers=answers) for answers in ("one", "all"))
    assert {task.split("#")[0] for task in one.task_ids} == set(all_.task_ids)
    for name in all_.task_ids:
        page = all_.open_task(name)
        wanted = {t.name: t.gold.value for t in page.task.targets if t.gold.value is not None}
        fields = [task.split("#")[1] for task in one.task_ids if task.split("#")[0] == name]
        assert wanted == {field: one.task(f"{name}#{field}").targets[0].gold.value for field in fields}
        lines = page.source.splitlines()
        assert len(lines) == len(wanted) == len({line.split(": ")[0] for line in lines})
        assert all(f"{t.label}: {t.gold.value}" in lines for t in page.task.targets if t.gold.value is not None)


@pytest.mark.parametrize("loader", LOADERS)
def test_other_modes_are_refused(loader: type[ScannedEnv], data_root: Path) -> None:
    with pytest.raises(ValueError, match="answers must be 'one' or 'all', not 'some'"):
        made(loader, data_root, answers="some")
    with pytest.raises(ValueError, match=r"no task '.*' in .*; tasks are such as"):
        made(loader, data_root).reset(options={"task": made(loader, data_root).task_ids[0] + "?"})


@pytest.mark.parametrize("loader", [p for p in LOADERS if p.values[0] is not OfficialEnv])
def test_no_answer_is_left_on_a_page_and_everything_else_is(loader: type[ScannedEnv], data_root: Path) -> None:
    env = made(loader, data_root, answers="all")
    for task in env.task_ids:
        page = env._places[task][0]
        before, after = page_image(page.image, page.canvas), env.open_task(task).background
        assert not after.flags.writeable
        for key, boxes in page.words.items():
            for left, top, right, bottom in boxes:
                place = np.s_[top:bottom, left:right]
                dark = (before[place] < 128).any(axis=2)
                changed = (before[place] != after[place]).any(axis=2)
                assert changed[dark].mean() > 0.5 if key in page.answers else not changed[dark].any(), (task, key)


def test_blank_pages_are_shown_as_they_are(data_root: Path) -> None:
    env = made(OfficialEnv, data_root)
    page = env.open_task(env.task_ids[0])
    assert not page.layers
    assert page.background[:1584, :1224].mean() > 240
    assert (page.background[1584:] == 160).all()


# -- What fields are called ----------------------------------------------------------------------------------------


def page_of(fields: dict[int, tuple[str, tuple[int, int, int, int]]], **changes: Any) -> ScannedPage:
    page = ScannedPage(
        name="page",
        image=Path("page.png"),
        canvas=(1000, 800),
        text_size=12,
        words={key: (box,) for key, (_, box) in fields.items()},
        queries={key: query for key, (query, _) in fields.items()},
        answers={key: Gold("text", f"answer {key}") for key in fields},
        skipped={},
    )
    return replace(page, **changes)


def test_fields_are_read_line_by_line() -> None:
    lines = {1: (500, 100, 560, 120), 2: (100, 104, 160, 124), 3: (300, 112, 360, 132), 4: (90, 40, 700, 60)}
    assert reading_order(lines) == [4, 2, 1, 3]
    # A block beside two lines is on the line of the first that is not lower than half of the lower one.
    assert reading_order({1: (100, 100, 160, 120), 2: (100, 130, 160, 150), 3: (300, 100, 400, 150)}) == [1, 3, 2]


def test_fields_of_one_name_are_numbered() -> None:
    page = page_of(
        {
            7: ("Name:", (300, 100, 360, 120)),
            2: ("Name :", (100, 100, 160, 120)),
            3: ("Datum：", (100, 200, 160, 220)),
            5: (":", (100, 300, 160, 320)),
            4: ("w" * 300, (100, 400, 160, 420)),
        }
    )
    shown = labels(page)
    assert list(shown) == [2, 7, 3, 5, 4]
    assert list(shown.values())[:4] == ["Name (1 of 2)", "Name (2 of 2)", "Datum", ":"]
    assert len(shown[4]) == 200
    assert page_task(page).source.splitlines()[1] == "Name (2 of 2): answer 7"
    assert solved(page_task(page))


def test_fields_with_the_same_middle_are_one() -> None:
    page = page_of({1: ("Name", (100, 100, 160, 120)), 2: ("Name", (90, 95, 170, 125)), 3: ("Day", (90, 95, 172, 125))})
    assert labels(page) == {1: "Name", 3: "Day"}
    assert solved(page_task(page))
    assert [field_task(replace(page, filled=False), key).targets[0].label for key in (1, 2, 3)] == [
        "Name",
        "Name",
        "Day",
    ]


def test_more_than_a_source_text_holds_is_refused() -> None:
    boxes = {i: (f"Field {i}", (100, 20 * i, 160, 20 * i + 16)) for i in range(45)}
    page = page_of(boxes, answers={i: Gold("text", "long " * 199) for i in boxes})
    with pytest.raises(ValueError, match=r"page\.png are too long for one task"):
        page_task(page)


# -- Pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", ["one", "all"])
def test_a_picture_that_breaks_off_is_named(tmp_path: Path, answers: str) -> None:
    import funsd_fixture

    folder = funsd_fixture.write_fixture(tmp_path) / "testing_data/images"
    for path in folder.iterdir():
        path.write_bytes(path.read_bytes()[:4000])
    env = FunsdEnv(str(tmp_path), answers=answers)
    with pytest.raises(ValueError, match=r"testing_data_0.png is no picture that can be read"):
        env.reset(options={"task": env.task_ids[0]})


def test_errors_of_pictures_hold_their_text(tmp_path: Path) -> None:
    for read in (lambda: FUNSD.picture("a.png", [tmp_path], "a"), lambda: FUNSD.size(tmp_path)):
        with pytest.raises(PictureError, match="FUNSD") as caught:
            read()
        assert caught.value.args == (str(caught.value),)


DAMAGES: dict[str, Callable[[Path], Any]] = {
    "missing": lambda path: path.unlink(),
    "empty": lambda path: path.write_bytes(b""),
    "no picture": lambda path: path.write_bytes(b"?" * 100),
    "a folder": lambda path: (path.unlink(), path.mkdir()),
}


@pytest.mark.parametrize("damage", DAMAGES)
@pytest.mark.parametrize("loader", LOADERS)
def test_a_page_without_a_picture_is_left_out_and_counted(
    loader: type[ScannedEnv], damage: str, data_root: Path, tmp_path: Path
) -> None:
    whole = made(loader, data_root, answers="all")
    shutil.copytree(data_root / FOLDERS[loader], tmp_path / "data")
    lost = whole.task_ids[0]
    (picture,) = (path for path in (tmp_path / "data").rglob(f"{lost}.*") if path.suffix != ".json")
    DAMAGES[damage](picture)
    with pytest.warns(UserWarning, match=f"{lost} is left out: .*picture"):
        env = loader(str(tmp_path / "data"), answers="all")  # type: ignore[call-arg]
    assert env.task_ids == whole.task_ids[1:]
    assert env.skipped["no picture"] == 1
    assert "no picture" not in whole.skipped
    env.reset(options={"task": env.task_ids[0]})


@pytest.mark.parametrize("module", [funsd, xfund, form_nlu, official])
def test_batches(module: Any, data_root: Path) -> None:
    loader = module.make_batch.args[0]
    for answers in ("one", "all"):
        batch = module.make_batch(2, root=str(data_root / FOLDERS[loader]), answers=answers)
        pages = batch.reset(seed=3)[0]["page"]
        single = made(loader, data_root, answers=answers)
        assert np.array_equal(pages[0], single.reset(seed=3)[0]["page"])
        batch.close()


# -- The real data -------------------------------------------------------------------------------------------------


def real(loader: type[ScannedEnv], **kwargs: Any) -> Any:
    """The data set in the folder that FORMGYM_DATA names."""
    if not os.environ.get("FORMGYM_DATA"):
        pytest.skip("FORMGYM_DATA is not set")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return loader(**kwargs)  # type: ignore[call-arg]
    except ValueError as error:
        if str(error).startswith(("no ", "neither ")):
            pytest.skip(str(error))
        raise


@pytest.mark.parametrize("loader", LOADERS)
@pytest.mark.parametrize("answers", sample(["all", "one"], 1))
def test_real_tasks_can_be_solved(loader: type[ScannedEnv], answers: str) -> None:
    env = real(loader, answers=answers)
    for task_id in env.task_ids:
        task = env.task(task_id)
        assert solved(task), task_id
        assert task.goal in env.observation_space["goal"]
        assert task.source in env.observation_space["source"]
        assert len({target.label for target in task.targets}) == len(task.targets), task_id


@pytest.mark.parametrize("loader", LOADERS)
def test_real_pages_can_be_played(loader: type[ScannedEnv]) -> None:
    env = real(loader, answers="all")
    for task in env.task_ids[:: max(len(env.task_ids) // 12, 1)]:
        assert played(env, task) == (0.0, 1.0, pytest.approx(1.0)), task
