"""What the loaders of users' data sets share: one answer or all of them, names of fields, pictures, messages."""

from __future__ import annotations

import os
import shutil
import warnings
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import form_nlu_fixture
import funsd_fixture
import numpy as np
import pytest
import xfund_fixture
from json_edits import REMOVED, edit_json
from PIL import Image
from sizes import sample

from formgym.envs.core.data_sets import PictureError
from formgym.envs.core.pages import page_image
from formgym.envs.core.painting import Frame
from formgym.envs.core.scoring import Gold
from formgym.envs.paper_forms.datasets import form_nlu, funsd, xfund
from formgym.envs.paper_forms.datasets.form_nlu import FormNluEnv
from formgym.envs.paper_forms.datasets.funsd import FUNSD, FunsdEnv
from formgym.envs.paper_forms.datasets.scanned import ScannedEnv, labels, page_task
from formgym.envs.paper_forms.datasets.scanned_page import ScannedPage, reading_order
from formgym.envs.paper_forms.datasets.xfund import XfundEnv
from formgym.envs.paper_forms.state import PaperFormState

FOLDERS: dict[type[ScannedEnv], str] = {
    FunsdEnv: "funsd",
    XfundEnv: "xfund",
    FormNluEnv: "form_nlu",
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


# -- Where the data are, and what is wrong with them ----------------------------------------------------------------

FIXTURES: dict[type[ScannedEnv], Callable[[Path], Any]] = {
    FunsdEnv: funsd_fixture.write_fixture,
    XfundEnv: lambda folder: xfund_fixture.write_fixture(folder, ("fr.val",)),
    FormNluEnv: lambda folder: form_nlu_fixture.write_fixture(folder, ("val",)),
}
DATA_SETS = {FunsdEnv: funsd.FUNSD, XfundEnv: xfund.XFUND, FormNluEnv: form_nlu.FORM_NLU}
PLACES = [(loader, inside) for loader, data in DATA_SETS.items() for inside in (*data.folders, ".")]


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Callable[[type[ScannedEnv], Path], None]:
    """Copies the data set of a loader, which is drawn once, into a folder."""
    drawn = tmp_path_factory.mktemp("drawn")

    def copy(loader: type[ScannedEnv], folder: Path) -> None:
        if not (drawn / FOLDERS[loader]).exists():
            FIXTURES[loader](drawn / FOLDERS[loader])
        shutil.copytree(drawn / FOLDERS[loader], folder, dirs_exist_ok=True)

    return copy


@pytest.mark.parametrize(("loader", "inside"), PLACES)
def test_the_variable_is_followed(
    loader: type[ScannedEnv],
    inside: str,
    copied: Callable[[type[ScannedEnv], Path], None],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    copied(loader, tmp_path / inside)
    monkeypatch.setenv("FORMGYM_DATA", str(tmp_path))
    assert (tmp_path / inside).resolve() in [(env := loader()).folder, env.folder.parent]  # type: ignore[call-arg]


NO_DATA = {
    FunsdEnv: (r"neither training_data nor testing_data in .*root=", "guillaumejaume"),
    XfundEnv: (r"neither \*.val.json nor \*.train.json in .*root=", "doc-analysis"),
    FormNluEnv: (r"neither val.json nor train.json .*root=", "adlnlp"),
}


@pytest.mark.parametrize("loader", LOADERS)
def test_no_data(loader: type[ScannedEnv], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    nothing, source = NO_DATA[loader]
    with pytest.raises(ValueError, match=nothing):
        loader(str(tmp_path))  # type: ignore[call-arg]
    monkeypatch.delenv("FORMGYM_DATA", raising=False)
    with pytest.raises(ValueError, match=rf"FORMGYM_DATA is not set.*{source}"):
        loader()  # type: ignore[call-arg]
    monkeypatch.setenv("FORMGYM_DATA", str(tmp_path))
    with pytest.raises(ValueError, match=", ".join(f".*{name}" for name in DATA_SETS[loader].folders)):
        loader()  # type: ignore[call-arg]


def unlink(path: Path) -> None:
    path.unlink()


def halve(path: Path) -> None:
    """Resize a picture."""
    with Image.open(path) as picture:
        picture.resize((800, 1000)).save(path)


FUNSD_0 = "testing_data/annotations/testing_data_0.json"
FIRST, PAGE = r"fr.val.json, document fr_val_0", r"001000_page-val-0.png"
NO_ANSWER = "no answer that makes a task in .*"
BREAKAGES: list[tuple[type[ScannedEnv], str, Any, str]] = [
    (FunsdEnv, "testing_data/annotations/testing_data_1.json", unlink, "1.png has no testing_data_1 "),
    (FunsdEnv, "testing_data/*/*", unlink, r"no \*\.png in .*images"),
    (FunsdEnv, FUNSD_0, "{", "testing_data_0.json is no JSON"),
    (FunsdEnv, FUNSD_0, {"form.1.id": "one"}, r"testing_data_0.json is not valid:\s+form.1.id"),
    (FunsdEnv, FUNSD_0, {"form.1.box": [1, 2, 3]}, "form.1.box"),
    (FunsdEnv, FUNSD_0, {"form.1.box": [800, 10, 900, 20]}, "entity 1 lies outside of the page of 700"),
    (FunsdEnv, FUNSD_0, {"form.1.words.0.box": [0, -9, 9, -1]}, "entity 1 lies outside"),
    (FunsdEnv, FUNSD_0, {"form.1.id": 0}, "two entities have the id 0"),
    (XfundEnv, "fr.val/fr_val_1.jpg", halve, r"fr_val_1: the picture .* is 800 x 1000, and annotated as 1654 x 2339"),
    (XfundEnv, "fr.val.json", "[", "fr.val.json is no JSON"),
    (XfundEnv, "fr.val.json", "[]", "fr.val.json is not valid"),
    (XfundEnv, "fr.val.json", {"documents.0.document.1.box": "0"}, r"not valid:\s+documents.0.document.1.box"),
    (XfundEnv, "fr.val.json", {"documents.1.img": REMOVED}, r"documents.1.img: Field required"),
    (XfundEnv, "fr.val.json", {"documents": []}, r"no documents in .*fr.val.json.*doc-analysis"),
    (XfundEnv, "fr.val.json", {"documents.1.id": "fr_val_0"}, "two documents have the id 'fr_val_0'"),
    (XfundEnv, "fr.val.json", {"documents.0.document.2.id": 1}, f"{FIRST}: two entities have the id 1"),
    (XfundEnv, "fr.val.json", {"documents.0.document.1.box": [2000, 0, 2100, 9]},
     rf"{FIRST}: box \(2000, 0, 2100, 9\) of entity 1 lies outside of the page of 1654 x 2339"),
    (XfundEnv, "fr.val.json", {"documents.*.document.*.linking": []}, rf"{NO_ANSWER} \(10 x no question\)"),
    (FormNluEnv, "val.json", {"images.0.width": 700},
     rf"{PAGE}: the picture .* is 596 x 842, and annotated as 700 x 842"),
    (FormNluEnv, "val.json", "{", "val.json is no JSON"),
    (FormNluEnv, "val.json", '{"form": []}', r"not valid:\s+images: Field required"),
    (FormNluEnv, "val.json", {"annotations.2.bbox": [1, 2]}, r"annotations.2.bbox"),
    (FormNluEnv, "val.json", {"annotations.2.relation": "x"}, r"annotations.2.relation"),
    (FormNluEnv, "val.json", {"images": [], "annotations": []}, r"no images in .*val.json"),
    (FormNluEnv, "val.json", {"images.1.id": 0}, "two images share an id or a name"),
    (FormNluEnv, "val.json", {"images.1.file_name": PAGE}, "two images share an id or a name"),
    (FormNluEnv, "val.json", {"annotations.3.id": 1010}, rf"{PAGE}: two entities have the id 1010"),
    (FormNluEnv, "val.json", {"annotations.0.image_id": 99}, "1000 names the image 99, which there is not"),
    (FormNluEnv, "val.json", {"annotations.0.category_id": 9}, "1000 names the category 9, which there is not"),
    (FormNluEnv, "val.json", {"categories.*.name": lambda name: name[:4]},
     "no category ends in _key; there are Titl, Sect, Othe, Form, Form, Tabl, Tabl"),
    (FormNluEnv, "val.json", {"annotations.0.bbox": [9, 900, 9, 9]}, "entity 1000 lies outside of the page"),
    (FormNluEnv, "val.json", {"annotations.*.relation": 1}, "no relation of a value leads to a key of its page"),
    (FormNluEnv, "val.json", {"annotations.*.text": None}, rf"{NO_ANSWER} \(17 x empty text\)"),
]  # fmt: skip


@pytest.mark.parametrize(("loader", "files", "change", "message"), BREAKAGES)
def test_broken_data(
    loader: type[ScannedEnv],
    files: str,
    change: Any,
    message: str,
    copied: Callable[[type[ScannedEnv], Path], None],
    tmp_path: Path,
) -> None:
    copied(loader, tmp_path)
    for path in list(tmp_path.glob(files)):
        if isinstance(change, dict):
            edit_json(path, change)
        elif isinstance(change, str):
            path.write_text(change)
        else:
            change(path)
    with pytest.raises(ValueError, match=message):
        loader(str(tmp_path))  # type: ignore[call-arg]


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


@pytest.mark.parametrize("loader", LOADERS)
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


def test_more_than_a_source_text_holds_is_refused() -> None:
    boxes = {i: (f"Field {i}", (100, 20 * i, 160, 20 * i + 16)) for i in range(45)}
    page = page_of(boxes, answers={i: Gold("text", "long " * 199) for i in boxes})
    with pytest.raises(ValueError, match=r"page\.png are too long for one task"):
        page_task(page)


# -- Pictures ------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("answers", ["one", "all"])
def test_a_picture_that_breaks_off_is_named(tmp_path: Path, answers: str) -> None:
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
    for task_id in sample(env.task_ids, 10):
        task = env.task(task_id)
        assert solved(task), task_id
        assert task.goal in env.observation_space["goal"]
        assert task.source in env.observation_space["source"]
        assert len({target.label for target in task.targets}) == len(task.targets), task_id


@pytest.mark.parametrize("loader", LOADERS)
def test_real_pages_can_be_played(loader: type[ScannedEnv]) -> None:
    env = real(loader, answers="all")
    for task in sample(env.task_ids, 2):
        assert played(env, task) == (0.0, 1.0, pytest.approx(1.0)), task


def test_real_answers_leave_no_ink() -> None:
    env, left_over = real(FunsdEnv), []
    for task_id in sample(env.task_ids, 20):
        page = env.open_task(task_id)
        frame = Frame(np.empty_like(page.background))
        frame.show(page.background, page.layers)
        left, top, right, bottom = (int(edge) for edge in page.task.targets[0].blank)
        before, after = (255 - image[top:bottom, left:right].astype(float) for image in (page.background, frame.buffer))
        left_over.append((after.mean() + 1e-9) / (before.mean() + 1e-9))
    # What is left are rules, tick boxes and neighbours.
    assert np.median(left_over) < 0.15
