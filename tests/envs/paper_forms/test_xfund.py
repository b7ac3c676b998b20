"""XFUND: the loader says what is wrong, languages and splits, boxes, and scripts that the typeface lacks."""

from __future__ import annotations

from pathlib import Path

import pytest
import xfund_fixture as fixture
from json_edits import edit_json

from formgym.envs.paper_forms.datasets.xfund import CANVAS, LANGUAGES, XfundEnv, xfund_pages


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path: Path = fixture.write_fixture(tmp_path_factory.mktemp("xfund"))
    return path


# -- Where the data are --------------------------------------------------------------------------------------------


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
    fixture.write_fixture(tmp_path, ("fr.val",))
    edit_json(tmp_path / "fr.val.json", {"documents.0.document.3.words.0.box": [150, 781, 299, 823]})
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
