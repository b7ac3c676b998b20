"""XFUND: the loader says what is wrong, languages and splits, boxes, and scripts that the typeface lacks."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
import xfund_fixture as fixture
from PIL import Image

from formgym.envs.paper_forms.datasets.xfund import CANVAS, LANGUAGES, XFUND, XfundEnv, xfund_pages


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = fixture.write_fixture(tmp_path_factory.mktemp("xfund"))
    return path


# -- Where the data are --------------------------------------------------------------------------------------------


@pytest.mark.parametrize("inside", [*XFUND.folders, "."])
def test_the_variable_is_followed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, inside: str) -> None:
    fixture.write_fixture(tmp_path / inside, ("fr.val",))
    monkeypatch.setenv("FORMGYM_DATA", str(tmp_path))
    assert XfundEnv().folder == (tmp_path / inside).resolve()


@pytest.mark.parametrize("folder", ["fr_val", "images", "."])
def test_pictures_may_lie_elsewhere(tmp_path: Path, folder: str) -> None:
    fixture.write_fixture(tmp_path, ("fr.val",))
    (tmp_path / folder).mkdir(exist_ok=True)
    for path in list((tmp_path / "fr.val").iterdir()):
        path.rename(tmp_path / folder / path.name)
    assert XfundEnv(str(tmp_path)).reset(seed=0)[0]["page"].shape == (*CANVAS, 3)


def test_languages_and_splits(root: Path) -> None:
    assert XfundEnv(str(root)).languages == ("zh", "fr")
    assert XfundEnv(str(root), split="train").languages == ("fr",)
    assert XfundEnv(str(root), "fr", "train").task_ids[0] == "fr_train_0#1"
    assert {task[:2] for task in XfundEnv(str(root), "zh").task_ids} == {"zh"}
    assert len(LANGUAGES) == 7
    with pytest.raises(ValueError, match=r"split 'val' is none of 'test', 'train' .*our test"):
        XfundEnv(str(root), split="val")
    with pytest.raises(ValueError, match="language 'en' is none of zh, ja, es, fr, it, de, pt"):
        XfundEnv(str(root), "en")
    with pytest.raises(ValueError, match=r"test split of XFUND: no de.val.json in .*doc-analysis"):
        XfundEnv(str(root), "de")
    with pytest.raises(ValueError, match=r"train split of XFUND: no zh.train.json in"):
        XfundEnv(str(root), "zh", "train")


def test_no_data(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(ValueError, match=r"neither \*.val.json nor \*.train.json in .*root="):
        XfundEnv(str(tmp_path))
    monkeypatch.delenv("FORMGYM_DATA", raising=False)
    with pytest.raises(ValueError, match=r"FORMGYM_DATA is not set.*doc-analysis"):
        XfundEnv()


# -- What is wrong with the data -----------------------------------------------------------------------------------

Documents = list[dict[str, Any]]


def edit(change: Callable[[Documents], Any]) -> Callable[[Path], None]:
    def apply(root: Path) -> None:
        path = root / "fr.val.json"
        data = json.loads(path.read_text())
        change(data["documents"])
        path.write_text(json.dumps(data))

    return apply


def shrink(root: Path) -> None:
    path = root / "fr.val/fr_val_1.jpg"
    with Image.open(path) as picture:
        picture.resize((800, 1000)).save(path)


FIRST = r"fr.val.json, document fr_val_0"
BREAKAGES: dict[str, tuple[Callable[[Path], Any], str]] = {
    "other size": (shrink, r"fr_val_1: the picture .* is 800 x 1000, and annotated as 1654 x 2339"),
    "no json": (lambda r: (r / "fr.val.json").write_text("["), "fr.val.json is no JSON"),
    "a list": (lambda r: (r / "fr.val.json").write_text("[]"), "fr.val.json is not valid"),
    "type": (edit(lambda d: d[0]["document"][1].update(box="0")), r"not valid:\s+documents.0.document.1.box"),
    "no img": (edit(lambda d: d[1].pop("img")), r"documents.1.img: Field required"),
    "no documents": (edit(lambda d: d.clear()), r"no documents in .*fr.val.json.*doc-analysis"),
    "document twice": (edit(lambda d: d[1].update(id="fr_val_0")), "two documents have the id 'fr_val_0'"),
    "entity twice": (edit(lambda d: d[0]["document"][2].update(id=1)), f"{FIRST}: two entities have the id 1"),
    "outside": (
        edit(lambda d: d[0]["document"][1].update(box=[2000, 0, 2100, 9])),
        rf"{FIRST}: box \(2000, 0, 2100, 9\) of entity 1 lies outside of the page of 1654 x 2339",
    ),
    "no answers": (
        edit(lambda d: [entity.update(linking=[]) for document in d for entity in document["document"]]),
        r"no answer that makes a task in .* \(10 x no question\)",
    ),
}


@pytest.mark.parametrize("breakage", BREAKAGES)
def test_broken_data(tmp_path: Path, breakage: str) -> None:
    apply, message = BREAKAGES[breakage]
    apply(fixture.write_fixture(tmp_path, ("fr.val",)))
    with pytest.raises(ValueError, match=message):
        XfundEnv(str(tmp_path))


# -- Tasks ---------------------------------------------------------------------------------------------------------


def test_tasks(root: Path) -> None:
    env = XfundEnv(str(root), "fr")
    assert list(env.task_ids) == [f"fr_val_{page}#{entity}" for page in (0, 1) for entity in (1, 3, 4, 5)]
    assert env.skipped == {"no question": 2}
    assert env.task("fr_val_0#3").source == "Field: Montant\nValue: 8,00"
    page = XfundEnv(str(root), "fr", answers="all").task("fr_val_0")
    assert page.source.splitlines() == [
        "Prénom: Zoé Çelik 0",
        "Montant (1 of 3): 12,50",
        "Montant (2 of 3): 8,00",
        "Montant (3 of 3): 31,75",
    ]


def test_boxes_are_scaled_outward_to_whole_pixels(tmp_path: Path) -> None:
    edit(lambda d: d[0]["document"][3]["words"][0].update(box=[150, 781, 299, 823]))(
        fixture.write_fixture(tmp_path, ("fr.val",))
    )
    page = xfund_pages(((tmp_path / "fr.val.json").resolve(),))["fr_val_0"]
    scale = CANVAS[0] / fixture.SIZE[1]  # 0.75417
    assert page.words[3] == ((113, 589, 226, 621),)
    assert (150 * scale, 781 * scale, 299 * scale, 823 * scale) == pytest.approx((113.1, 589.0, 225.5, 620.7), abs=0.05)


def test_letters_that_the_typeface_lacks_are_flagged_and_scored(root: Path) -> None:
    env = XfundEnv(str(root), "zh")
    env.reset(options={"task": "zh_val_0#1"})
    call = env.state.solution()[0]
    assert call["text"] == "夏艳辰 0"
    info = env.step(env.action_space.from_call(call))[4]
    assert "typeface lacks" in info["feedback"]
    assert info["score"]["strict_accuracy"] == 1.0
