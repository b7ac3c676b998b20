"""Form-NLU: the loader says what is wrong, and finds the key of every value."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import form_nlu_fixture as fixture
import pytest

from formgym.envs.paper_forms.datasets.form_nlu import FORM_NLU, SPLITS, FormNluEnv, Thing, linked

PAGES = [f"00{first}_page-val-{number}" for number, first in enumerate((1000, 2000, 3000))]


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = fixture.write_fixture(tmp_path_factory.mktemp("form_nlu"))
    return path


# -- Where the data are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inside", [*FORM_NLU.folders, "."])
def test_the_variable_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str) -> None:
    fixture.write_fixture(tmp_path / inside)
    monkeypatch.setenv("FORMGYM_DATA", str(tmp_path))
    assert FormNluEnv().folder == (tmp_path / inside).resolve()


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


def test_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"neither val.json nor train.json .*root="):
        FormNluEnv(str(tmp_path))
    monkeypatch.delenv("FORMGYM_DATA", raising=False)
    with pytest.raises(ValueError, match=r"FORMGYM_DATA is not set.*adlnlp"):
        FormNluEnv()


# -- What is wrong with the data -----------------------------------------------------------------------------------

Coco = dict[str, list[dict[str, Any]]]


def edit(change: Callable[[Coco], Any]) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        data = json.loads((root / "val.json").read_text())
        change(data)
        (root / "val.json").write_text(json.dumps(data))

    return apply


def twice(data: Coco) -> None:
    data["annotations"][3]["id"] = data["annotations"][2]["id"]


def unlinked(data: Coco) -> None:
    for thing in data["annotations"]:
        if "relation" in thing:
            thing["relation"] = 1


BREAKAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "other size": (
        edit(lambda d: d["images"][0].update(width=700)),
        rf"{PAGES[0]}.png: the picture .* is 596 x 842, and annotated as 700 x 842",
    ),
    "no json": (lambda r: (r / "val.json").write_text("{"), "val.json is no JSON"),
    "not coco": (lambda r: (r / "val.json").write_text('{"form": []}'), r"not valid:\s+images: Field required"),
    "box": (edit(lambda d: d["annotations"][2].update(bbox=[1, 2])), r"annotations.2.bbox"),
    "relation": (edit(lambda d: d["annotations"][2].update(relation="x")), r"annotations.2.relation"),
    "no images": (edit(lambda d: [d["images"].clear(), d["annotations"].clear()]), r"no images in .*val.json"),
    "image twice": (edit(lambda d: d["images"][1].update(id=0)), "two images share an id or a name"),
    "name twice": (
        edit(lambda d: d["images"][1].update(file_name=f"{PAGES[0]}.png")),
        "two images share an id or a name",
    ),
    "thing twice": (edit(twice), rf"image {PAGES[0]}.png: two entities have the id 1010"),
    "lost thing": (
        edit(lambda d: d["annotations"][0].update(image_id=99)),
        "1000 names the image 99, which there is not",
    ),
    "kind": (
        edit(lambda d: d["annotations"][0].update(category_id=9)),
        "1000 names the category 9, which there is not",
    ),
    "kinds": (
        edit(lambda d: [category.update(name=category["name"][:4]) for category in d["categories"]]),
        "no category ends in _key; there are Titl, Sect, Othe, Form, Form, Tabl, Tabl",
    ),
    "outside": (
        edit(lambda d: d["annotations"][0].update(bbox=[9, 900, 9, 9])),
        "entity 1000 lies outside of the page",
    ),
    "unlinked": (edit(unlinked), "no relation of a value leads to a key of its page, by id or by rank"),
    "no texts": (
        edit(lambda d: [thing.update(text=None) for thing in d["annotations"]]),
        r"no answer that makes a task in .* \(17 x empty text\)",
    ),
}


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_broken_data(tmp_path: Path, breakage: str) -> None:
    apply, message = BREAKAGES[breakage]
    apply(fixture.write_fixture(tmp_path, ("val",)))
    with pytest.raises(ValueError, match=message):
        FormNluEnv(str(tmp_path))


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
    assert task.targets[0].box == (left, top, left + width, top + height)
    assert task.targets[0].gold.value == "QUARRY HILL LIMITED"
    assert task.text_size == 9


def test_boxes_between_pixels_grow_to_whole_ones(tmp_path: Path) -> None:
    fixture.write_fixture(tmp_path, ("val",))
    edit(lambda d: [t.update(bbox=[240.2, 190.9, 50.1, 9.5]) for t in d["annotations"] if t["id"] == 1043])(tmp_path)
    assert FormNluEnv(str(tmp_path)).task(f"{PAGES[0]}#1043").targets[0].box == (240, 190, 291, 201)
