"""Pages of paper forms with named fields for grounding, by domain and split.

To add a domain, add a class like ``Loans`` and a row of ``DOMAINS``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal, Protocol

import numpy as np

from ...assets import ROOT
from ..core.asset_cache import cached
from ..core.files import Data, load
from ..core.grounding import GroundingPage, GroundingTarget
from ..core.locators import Box
from ..core.pages import DESK, packed, page_image, unpacked
from ..core.tasks import EndlessTasks
from .datasets.funsd import FOLDERS, FUNSD, data_folder, funsd_pages
from .datasets.scanned import cleared
from .datasets.scanned_page import ScannedPage
from .paper_form import FormField, PaperForm, canvas_of, form_folder, paper_form
from .scans.degradation import Degradation
from .scans.facts import scan_facts
from .scans.scan_pages import SCANS, SIZE, clean_page, filling, scanned, target_field

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")
_DEV_SEEDS = 10
"""The number of pages of the dev split that each scan makes."""


class Domain(Protocol):
    """The pages of one kind in one split.

    Attributes:
        canvas: height and width that hold every page, in pixels.
        task_ids: of the pages, each after the domain's name and a slash.
    """

    canvas: tuple[int, int]

    @property
    def task_ids(self) -> Sequence[str]:
        """The tasks."""

    def page(self, name: str) -> GroundingPage:
        """The page of a task, without the domain in its id, with all targets."""

    def asks_for(self, name: str) -> bool:
        """Whether a target's name is asked for in this split."""


class _Splits(Data):
    """The names of pages of the splits, by domain."""

    loans: Mapping[Split, tuple[str, ...]]
    scans: Mapping[Split, tuple[str, ...]]


@cached
def _splits() -> _Splits:
    return load(_Splits, ROOT / "grounding" / "paper_forms.json")


class _HeldOut:
    """Leaves out names that the pages of later splits ask for.

    Args:
        split: of these pages.
        names_of: the targets' names on the pages of a split.
    """

    def __init__(self, split: Split, names_of: Callable[[Split], Iterable[str]]) -> None:
        self._split, self._names_of = split, names_of

    @cached_property
    def _held_out(self) -> frozenset[str]:
        later = SPLITS[SPLITS.index(self._split) + 1 :]
        return frozenset(letters(name) for split in later for name in self._names_of(split))

    def asks_for(self, name: str) -> bool:
        """Whether no later split asks for a name."""
        return letters(name) not in self._held_out


def letters(name: str) -> str:
    """The letters and digits of a name's first part, in lower case: equal for names that are alike."""
    return "".join(character for character in name.split(" | ")[0].lower() if character.isalnum())


class Loans(_HeldOut):
    """The fields of the shipped loan forms, which are empty.

    Args:
        split: whose forms are shown.
    """

    def __init__(self, split: Split) -> None:
        super().__init__(split, lambda other: (f.label for form in _splits().loans[other] for f in _fields(form)))
        self._forms = _splits().loans[split]
        self.canvas = canvas_of(form for forms in _splits().loans.values() for form in forms)
        self.task_ids: Sequence[str] = tuple(f"loans/{form}" for form in self._forms)

    def page(self, name: str) -> GroundingPage:
        """An empty form with its fields."""
        image = page_image(form_folder(name) / "page.png", self.canvas, DESK)
        return GroundingPage(image, tuple(_target(field, field.box) for field in _fields(name)))


class Scans(_HeldOut):
    """The empty fields of noisy scans.

    Pages of the test split are shipped and have one empty field. In the train split, some fields are empty, or all.

    Args:
        split: whose forms are shown.
        secret: of the endless pages of the train split.
    """

    canvas = SIZE

    def __init__(self, split: Split, secret: int) -> None:
        super().__init__(split, _scan_names)
        self._split, self._secret = split, secret
        forms = [f"scans/{name}" for name in _splits().scans[split]]
        self.task_ids: Sequence[str] = EndlessTasks(forms)
        if split == "dev":
            self.task_ids = tuple(f"{form}/{seed}" for form in forms for seed in range(_DEV_SEEDS))
        if split == "test":
            self.task_ids = tuple(forms)

    def page(self, name: str) -> GroundingPage:
        """A scan with its empty fields."""
        if self._split == "test":
            folder = SCANS / "test" / name
            target, seed = _scan_target(folder), filling(folder).seed
            return GroundingPage(page_image(folder / "page.png", SIZE), _moved([target], paper_form(str(folder)), seed))
        form, _, seed_of_page = name.partition("/")
        pixels, targets = _drawn_scan(SCANS / "train" / form, int(seed_of_page), self._secret)
        return GroundingPage(unpacked(pixels, SIZE), targets)


class Funsd(_HeldOut):
    """The answers to the questions of FUNSD's pages, which are erased.

    The test split is FUNSD's own; every tenth page of its training data is of the dev split.

    Args:
        split: whose pages are shown.
        root: of the user's copy; see ``FunsdEnv``.

    Raises:
        ValueError: if the data are not there or are broken.
    """

    def __init__(self, split: Split, root: str | None) -> None:
        self._pages = _funsd_split(root, split)
        super().__init__(split, lambda other: _funsd_names(root, other))
        self.canvas = next(iter(self._pages.values())).canvas
        self.task_ids: Sequence[str] = tuple(f"funsd/{name}" for name in self._pages)

    def page(self, name: str) -> GroundingPage:
        """A page without its answers."""
        page = self._pages[name]
        return GroundingPage(cleared(page), tuple(GroundingTarget(*target, "line") for target in _answers(page)))


@cached
def _fields(form: str) -> tuple[FormField, ...]:
    return paper_form(form).fields


def _target(field: FormField, box: Box) -> GroundingTarget:
    kind = "tick" if field.matcher == "checkbox" else "comb" if field.comb else "line"
    return GroundingTarget(field.label, box, kind)


# -- Scans ---------------------------------------------------------------------------------------------------------


def _scan_names(split: Split) -> Iterable[str]:
    for name in _splits().scans[split]:
        if split == "test":
            yield _scan_target(SCANS / "test" / name).label
        else:
            yield from (field.label for field in paper_form(str(SCANS / "train" / name)).fields)


def _scan_target(folder: Path) -> FormField:
    return target_field(paper_form(str(folder)), filling(folder).target)


@cached
def _drawn_scan(folder: Path, seed: int, secret: int) -> tuple[bytes, tuple[GroundingTarget, ...]]:
    """The compressed pixels of an endless scan, and its targets."""
    form = paper_form(str(folder))
    rng = np.random.default_rng([seed, secret, 1])
    facts_seed, wear_seed = (int(number) for number in rng.integers(2**31, size=2))
    facts = scan_facts({fact for field in form.fields for fact in field.facts}, form.language, facts_seed)
    share = 1.0 if rng.random() < 0.5 else rng.random()
    empty = [field for field in form.fields if rng.random() <= share] or list(form.fields)
    page = scanned(clean_page(folder), form, facts, {field.name for field in empty}, wear_seed)
    return packed(page.tobytes()), _moved(empty, form, wear_seed)


def _moved(fields: Sequence[FormField], form: PaperForm, seed: int) -> tuple[GroundingTarget, ...]:
    """The fields whose labels are unique among them, on the page that ``scanned`` makes with ``seed``."""
    labels = [field.label for field in fields]
    degradation = Degradation.drawn(np.random.default_rng(seed))
    unique = (field for field in fields if labels.count(field.label) == 1)
    return tuple(_target(field, degradation.moved(field.box, form.size)) for field in unique)


# -- FUNSD ---------------------------------------------------------------------------------------------------------


def _funsd_split(root: str | None, split: Split) -> Mapping[str, ScannedPage]:
    """The pages of a split that have targets."""
    pages = funsd_pages(data_folder(root, "test" if split == "test" else "train"))
    in_dev = {name: sha256(name.encode()).digest()[0] % 10 == 0 for name in pages}
    chosen = {name: page for name, page in pages.items() if split == "test" or in_dev[name] == (split == "dev")}
    return {name: page for name, page in chosen.items() if _answers(page)}


def _funsd_names(root: str | None, split: Split) -> Iterable[str]:
    if (FUNSD.root(root) / FOLDERS["test" if split == "test" else "train"]).is_dir():
        yield from (query for page in _funsd_split(root, split).values() for query, _ in _answers(page))


@cached
def _answers(page: ScannedPage) -> tuple[tuple[str, Box], ...]:
    """The questions that are unique on their page, and the boxes of their answers."""
    queries = [page.queries[key] for key in page.answers]
    return tuple((page.queries[key], page.fields[key]) for key in page.answers if queries.count(page.queries[key]) == 1)


DOMAINS: Mapping[str, Callable[[Split, int, str | None], Domain]] = {
    "loans": lambda split, secret, root: Loans(split),
    "scans": lambda split, secret, root: Scans(split, secret),
    "funsd": lambda split, secret, root: Funsd(split, root),
}
"""Makes the pages of a domain from split, secret and root."""
