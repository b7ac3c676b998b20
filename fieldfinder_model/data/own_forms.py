"""Our own forms as data for FieldFinder: blank pages, their fields named as the environments name them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from zlib import crc32

import numpy as np
from PIL import Image as PillowImage

from ...envs.core.locators import Corners
from ...envs.paper_forms.forms import FormField, PaperForm, paper_form, shipped_forms
from ...envs.paper_forms.scans.env import ScansEnv
from ...envs.paper_forms.scans.pages import filling
from ..examples import Example, ExamplePage, Gray
from .building import Built
from .erasing import gray_of


def auto_loan_pages() -> Iterator[Built]:
    """The shipped auto-loan forms, as photographed: all fields are blank."""
    for folder in shipped_forms("paper_forms"):
        form = paper_form(folder.name)
        yield _built(folder.name, _clean(folder), form, {field.name: field.box for field in form.fields})


def scan_pages(split: str) -> Iterator[Built]:
    """The shipped scans as the environment shows them: worn, and typed in but for the one field that is asked for.

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
    (target,) = page.task.targets
    kind = "comb" if target.comb else "line"
    example = Example(target.label, target.box, target.box, kind, (None,))
    gray = gray_of(np.ascontiguousarray(page.background))
    return Built(ExamplePage(f"{name}#answer", gray, (), (example,)), folder.name, Counter())


def _seed(folder: Path, split: str) -> int:
    return filling(folder).seed if split == "test" else crc32(folder.name.encode()) % 2**31


def _clean(folder: Path) -> Gray:
    with PillowImage.open(folder / "page.png") as picture:
        return np.asarray(picture.convert("L"))


def _built(name: str, gray: Gray, form: PaperForm, boxes: dict[str, Corners]) -> Built:
    """A page whose fields are all asked for; of those that share a label the first is."""
    first = dict[str, FormField]()
    for field in form.fields:
        first.setdefault(field.label, field)
    examples = [Example(label, boxes[f.name], boxes[f.name], _kind(f), (None,)) for label, f in first.items()]
    alike = len(form.fields) - len(first)
    dropped = Counter({"same name as another": alike} if alike else {})
    return Built(ExamplePage(name, gray, (), examples), name, dropped)


def _kind(field: FormField) -> str:
    if field.matcher == "checkbox":
        return "tick"
    return "comb" if field.comb else "line"
