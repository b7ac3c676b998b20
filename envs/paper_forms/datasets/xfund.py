"""FormGym/XFUND: put answers back on forms from the user's own copy of XFUND."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from pydantic import BaseModel

from ...core.asset_cache import cached
from ...core.data_sets import ROOT_VARIABLE, DataSet
from ...core.files import load
from .scanned import ScannedEnv
from .scanned_page import AnnotatedPage, Entity, ScannedPage, scanned_pages

CANVAS = (1764, 1248)
"""Height and width of every page. XFUND's are mostly A4 at 300 dpi, 3508 x 2480 pixels, and are shown at half that."""

LANGUAGES = ("zh", "ja", "es", "fr", "it", "de", "pt")
SPLITS = {"test": "val", "train": "train"}
"""Our splits and XFUND's names for them; it evaluates on ``val``."""

XFUND = DataSet(
    "XFUND",
    ("xfund", "XFUND", "XFUN"),
    tuple(f"*.{name}.json" for name in SPLITS.values()),
    "XFUND (Xu et al., 2022) is free for non-commercial use, shared alike: from "
    "https://github.com/doc-analysis/XFUND/releases/tag/v1.0 take zh.val.json and zh.val.zip, unpack the pictures "
    "into a folder zh.val beside the JSON, likewise for other languages, and pass root=, or set "
    f"{ROOT_VARIABLE}, to the folder that holds the JSON",
)


class XfundPicture(BaseModel):
    """The picture of a page; sizes in pixels."""

    fname: str
    width: int
    height: int


class XfundDocument(BaseModel):
    """A page and its entities."""

    id: str
    document: tuple[Entity, ...]
    img: XfundPicture


class XfundAnnotation(BaseModel):
    """The file of a language and split."""

    documents: tuple[XfundDocument, ...]


def annotation_files(root: str | None, language: str | None, split: str) -> tuple[Path, ...]:
    """The files of a split; for the arguments see ``XfundEnv``.

    Raises:
        ValueError: if there is none, or no such split or language.
    """
    if split not in SPLITS:
        raise ValueError(
            f"split {split!r} is none of {', '.join(map(repr, SPLITS))} (what XFUND calls val is our test)"
        )
    if language is not None and language not in LANGUAGES:
        raise ValueError(f"language {language!r} is none of {', '.join(LANGUAGES)} and None")
    folder = XFUND.root(root).resolve()
    languages = LANGUAGES if language is None else (language,)
    files = [folder / f"{name}.{SPLITS[split]}.json" for name in languages]
    there = tuple(file for file in files if file.is_file())
    if not there:
        raise XFUND.error(f"{split} split of XFUND: no {' nor '.join(file.name for file in files)} in {folder}")
    return there


@cached
def xfund_pages(files: Sequence[Path]) -> Mapping[str, ScannedPage]:
    """The pages of some files by name.

    Raises:
        ValueError: if there are none, or something is broken.
    """
    pages: dict[str, AnnotatedPage] = {}
    for file in files:
        for document in load(XfundAnnotation, file).documents:
            if document.id in pages:
                raise ValueError(f"{file}: two documents have the id {document.id!r}")
            pages[document.id] = _annotated(document, file)
    if not pages:
        raise XFUND.error(f"no documents in {', '.join(map(str, files))}")
    return scanned_pages(XFUND, CANVAS, pages.values())


def _annotated(document: XfundDocument, file: Path) -> AnnotatedPage:
    picture, beside, origin = document.img, file.parent, f"{file}, document {document.id}"
    folders = (beside / file.stem, beside / file.stem.replace(".", "_"), beside / "images", beside)
    size = picture.height, picture.width
    return AnnotatedPage(document.id, picture.fname, folders, document.document, origin, size)


class XfundEnv(ScannedEnv):
    """Write given values into the emptied fields of a form; see ``ScannedEnv``.

    Chinese and Japanese answers have characters that the typeface lacks. They are drawn as boxes, and the feedback says
    so; the text is scored, not its picture.

    Args:
        root: the folder with ``zh.val.json`` and its like, and the pictures in folders ``zh.val`` or ``images``, or
            beside the JSON; without it, ``xfund``, ``XFUND`` or ``XFUN`` in the folder named by the environment
            variable FORMGYM_DATA, or that folder itself.
        language: ``"zh"``, ``"ja"``, ``"es"``, ``"fr"``, ``"it"``, ``"de"``, ``"pt"``, or ``None`` for all that are
            there.
        split: ``"test"``, which XFUND calls ``val``, or ``"train"``.
        answers: ``"one"``: tasks are ``page#entity``; ``"all"``: tasks are pages.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or are broken, or there is no such language or split.
    """

    def __init__(
        self,
        root: str | None = None,
        language: str | None = None,
        split: str = "test",
        answers: str = "one",
        **kwargs: Any,
    ) -> None:
        files = annotation_files(root, language, split)
        self.languages = tuple(file.name.split(".")[0] for file in files)
        super().__init__(XFUND, files[0].parent, xfund_pages(files), answers, **kwargs)
