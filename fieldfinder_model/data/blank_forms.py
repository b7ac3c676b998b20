"""Pages of forms that are already blank: ours, and those of a FormGym checkout."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
from PIL import Image as PillowImage

from ...envs.core.pages import page_image
from ...envs.core.painting import Gray
from ...envs.paper_forms.datasets.scanned_page import ScannedPage
from ...envs.paper_forms.examples import Example, ExamplePage
from ...envs.paper_forms.paper_form import FormField, paper_form, shipped_forms
from ...envs.paper_forms.published.pages import checkout, page_files, published_page
from ...envs.paper_forms.scans.env import ScansEnv
from ...envs.paper_forms.scans.scan_pages import filling
from .building import Built, blank_page
from .erasing import gray_of


def auto_loan_pages() -> Iterator[Built]:
    """The shipped auto-loan forms, with all fields blank."""
    for folder in shipped_forms("paper_forms"):
        fields = paper_form(folder.name).fields
        yield blank_page(folder.name, _clean(folder), map(_example, fields))


def scan_pages(split: str) -> Iterator[Built]:
    """The shipped scans: degraded, and filled in except for a few fields.

    Args:
        split: ``"test"`` or ``"train"``; of the endless train split one page of each form.

    Raises:
        ValueError: if there is no such split.
    """
    if split not in ("test", "train"):
        raise ValueError(f"split {split!r} of the scans is neither 'test' nor 'train'")
    for folder in shipped_forms(f"scans/{split}"):
        yield _typed_scan(folder, split)


def _typed_scan(folder: Path, split: str) -> Built:
    name = folder.name if split == "test" else f"{folder.name}/{_seed(folder, split)}"
    page = ScansEnv(split).open_task(name)
    examples = tuple(
        Example(target.label, target.blank, target.blank, "comb" if target.comb else "line", (None,))
        for target in page.task.targets
    )
    gray = gray_of(np.ascontiguousarray(page.background))
    return Built(ExamplePage(f"{name}#answer", gray, (), examples), folder.name, Counter())


def _seed(folder: Path, split: str) -> int:
    return filling(folder).seed if split == "test" else crc32(folder.name.encode()) % 2**31


def _clean(folder: Path) -> Gray:
    with PillowImage.open(folder / "page.png") as picture:
        return np.asarray(picture.convert("L"))


def _example(field: FormField) -> Example:
    return Example(field.label, field.box, field.box, _kind(field), (None,))


def _kind(field: FormField) -> str:
    if field.matcher == "checkbox":
        return "tick"
    return "comb" if field.comb else "line"


_DOMAIN = "al"
_WHITE = (255, 255, 255)


def official_built(root: str | None) -> Iterator[Built]:
    """The auto-loan forms of a FormGym checkout, as the environment shows them.

    Args:
        root: the checkout; see ``OfficialEnv``.

    Raises:
        ValueError: if it is not there, or something in it is broken.
    """
    folder = checkout(root)
    for page in filter(None, (published_page(folder, file) for file in page_files(folder, _DOMAIN))):
        gray = gray_of(page_image(page.image, page.canvas, _WHITE))
        yield blank_page(page.name, gray, _fields(page))


def _fields(page: ScannedPage) -> Iterator[Example]:
    for key, query in page.queries.items():
        box = page.fields[key]
        kind = "tick" if page.answers[key].matcher == "checkbox" else "line"
        yield Example(query, box, box, kind, (None,))
