"""FormGym/FUNSD: put answers back on scans from the user's own copy of FUNSD."""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ...core.asset_cache import cached
from ...core.data_sets import ROOT_VARIABLE, DataSet
from ...core.files import load
from .scanned import ScannedEnv
from .scanned_page import AnnotatedPage, Entity, ScannedPage, scanned_pages

CANVAS = (1008, 876)
"""Height and width of every page. FUNSD's are 1,000 pixels high and at most 863 wide; larger ones are scaled down."""

FOLDERS = {"train": "training_data", "test": "testing_data"}

FUNSD = DataSet(
    "FUNSD",
    ("funsd", "FUNSD", "dataset"),
    tuple(FOLDERS.values()),
    "FUNSD (Jaume et al., 2019) is free for non-commercial research: unpack dataset.zip from "
    f"https://guillaumejaume.github.io/FUNSD and pass root=, or set {ROOT_VARIABLE}, to the folder that holds "
    "training_data and testing_data",
)


class FunsdAnnotation(BaseModel):
    """The annotation file of a page."""

    form: tuple[Entity, ...]


def data_folder(root: str | None, split: str | None) -> Path:
    """The folder of a split with ``images`` and ``annotations``; see ``FunsdEnv``.

    Raises:
        ValueError: if it is not there, or there is no such split.
    """
    if split is not None and split not in FOLDERS:
        raise ValueError(f"split {split!r} is none of {', '.join(map(repr, FOLDERS))} and None")
    base = FUNSD.root(root)
    if split is None:
        split = "test" if (base / FOLDERS["test"]).is_dir() else "train"
        if split == "train":
            warnings.warn(
                f"{base} has no {FOLDERS['test']}: the tasks are from {FOLDERS['train']}, and figures on them do not "
                'compare with published ones. Pass split="train" if that is meant.',
                stacklevel=3,
            )
    folder = base / FOLDERS[split]
    for part in (folder, folder / "images", folder / "annotations"):
        if not part.is_dir():
            raise FUNSD.error(f"no folder {part}, looked for the {split} split of FUNSD")
    return folder.resolve()


@cached
def funsd_pages(folder: Path) -> Mapping[str, ScannedPage]:
    """The pages of a split by name.

    Raises:
        ValueError: if there are none, a picture lacks its annotation, or an annotation is broken.
    """
    images, annotations = _files(folder / "images", ".png"), _files(folder / "annotations", ".json")
    for name in sorted(images.keys() - annotations.keys()):
        raise FUNSD.error(f"{images[name]} has no {name} beside it in {folder / 'annotations'}; the copy is incomplete")
    if not images:
        raise FUNSD.error(f"no *.png in {folder / 'images'}")
    pages = (
        AnnotatedPage(name, f"{name}.png", (folder / "images",), load(FunsdAnnotation, file).form, str(file))
        for name, file in annotations.items()
    )
    return scanned_pages(FUNSD, CANVAS, pages)


def _files(folder: Path, suffix: str) -> dict[str, Path]:
    # macOS leaves files whose names begin with a dot when it unpacks.
    return {path.stem: path for path in sorted(folder.glob(f"*{suffix}")) if not path.name.startswith(".")}


class FunsdEnv(ScannedEnv):
    """Write given values into the emptied fields of a scan; see ``ScannedEnv``.

    Args:
        root: the folder with ``training_data`` and ``testing_data``; without it, ``funsd``, ``FUNSD`` or ``dataset`` in
            the folder named by the environment variable FORMGYM_DATA, or that folder itself.
        split: ``"test"``, ``"train"``, or ``None`` for the test split where there is one.
        answers: ``"one"``: tasks are ``page#entity``; ``"all"``: tasks are pages.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or are broken, or there is no such split.
    """

    def __init__(self, root: str | None = None, split: str | None = None, answers: str = "one", **kwargs: Any) -> None:
        folder = data_folder(root, split)
        super().__init__(FUNSD, folder, funsd_pages(folder), answers, **kwargs)
