"""Form-NLU: the loader says what is wrong, and finds the key of every value."""

from __future__ import annotations

import json
from pathlib import Path

import form_nlu_fixture as fixture
import pytest
from json_edits import edit_json

from formgym.envs.paper_forms.datasets.form_nlu import SPLITS, FormNluEnv, Thing, linked

PAGES = [f"00{first}_page-val-{number}" for number, first in enumerate((1000, 2000, 3000))]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = fixture.write_fixture(tmp_path_factory.mktemp("form_nlu"))
    return path


# -- Where the data are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("checkout", ["formgym_official", "FormGym", "formgym", "."])
def test_it_is_found_in_a_checkout_of_formgym(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, checkout: str) -> None:
    folder = fixture.write_fixture(tmp_path / checkout / "annotations/form-nlu", ("val",)).resolve()
    assert FormNluEnv(str(tmp_path / checkout)).folder == folder
    monkeypatch.setenv("FORMGYM_DATA", str(tmp_path))
    assert FormNluEnv().folder == folder


@pytest.mark.parametrize("folder", ["val_images", "val", "."])
def test_pictures_may_lie_elsewhere(tmp_path: Path, folder: str) -> None:
    fixture.write_fixture(tmp_path, ("val",))
    (tmp_path / folder).mkdir(exist_ok=True)
    for path in list((tmp_path / "images").iterdir()):
        path.rename(tmp_path / folder / path.name)
    assert FormNluEnv(str(tmp_path)).task_ids


def test_splits(root: Path, tmp_path: Path) -> None:
    assert FormNluEnv(str(root), "train").task_ids[0].startswith("0011000_page-train-0#")
    assert "printed" in FormNluEnv(str(root), "printed").task_ids[0]
    assert list(SPLITS) == ["val", "train", "test", "printed", "handwritten"]
    with pytest.raises(ValueError, match="split 'dev' is none of 'val', 'train', 'test', 'printed', 'handwritten'"):
        FormNluEnv(str(root), "dev")
    with pytest.raises(ValueError, match=r"no handwritten.json nor test_handwritten.json in .*adlnlp"):
        FormNluEnv(str(root), "handwritten")
    fixture.write_fixture(tmp_path, ("val",))
    (tmp_path / "val.json").rename(tmp_path / "test_printed.json")
    assert FormNluEnv(str(tmp_path), "printed").task_ids


# -- Tasks ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("number", range(3))
def test_every_value_finds_its_key(root: Path, number: int) -> None:
    page = FormNluEnv(str(root), answers="all").task(PAGES[number])
    numbered = [*fixture.KEYS[:4], "Person’s votes (1 of 2)", "Person’s votes (2 of 2)"]
    pairs = list(zip(numbered, (" ".join(value.split()) for value in fixture.VALUES), strict=True))
    assert page.source.splitlines() == [f"{k}: {v}" for k, v in pairs if number < 2 or k != "ACN/ARSN"]


def things(*ids_and_relations: tuple[int, int | None]) -> list[Thing]:
    return [
        Thing(id=i, image_id=0, category_id=0, bbox=(0, 0, 1, 1), text="", relation=relation)
        for i, relation in ids_and_relations
    ]


def test_relations_that_do_not_agree_link_nothing() -> None:
    assert linked(things((1, 52), (2, 51)), things((3, 42), (4, 41))) == {3: 2, 4: 1}
    assert linked(things((1, 51), (2, 52)), things((3, 42), (4, 41))) == {}
    assert linked(things((1, 51), (2, 52)), things((3, 41))) == {}
    # A key without a value has no relation; relations that are ids of keys are taken as they are.
    assert linked(things((1, 51), (2, None), (7, 52)), things((3, 41), (4, 43))) == {3: 1, 4: 7}
    assert linked(things((1, None), (2, None)), things((3, 2), (4, 1), (5, None))) == {3: 2, 4: 1}


def test_boxes(root: Path) -> None:
    task = FormNluEnv(str(root)).task(f"{PAGES[0]}#1043")
    left, top, width, height = next(
        thing["bbox"] for thing in json.loads((root / "val.json").read_text())["annotations"] if thing["id"] == 1043
    )
    assert task.targets[0].blank == (left, top, left + width, top + height)
    assert task.targets[0].gold.value == "QUARRY HILL LIMITED"
    assert task.text_size == 9


def test_boxes_between_pixels_grow_to_whole_ones(tmp_path: Path) -> None:
    fixture.write_fixture(tmp_path, ("val",))
    data = json.loads((tmp_path / "val.json").read_text())
    i = next(i for i, thing in enumerate(data["annotations"]) if thing["id"] == 1043)
    edit_json(tmp_path / "val.json", {f"annotations.{i}.bbox": [240.2, 190.9, 50.1, 9.5]})
    assert FormNluEnv(str(tmp_path)).task(f"{PAGES[0]}#1043").targets[0].blank == (240, 190, 291, 201)
