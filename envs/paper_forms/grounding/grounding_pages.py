"""Pages of paper forms with named fields for grounding, by domain and split.

To add a domain, add a class like ``Loans`` and a row of ``DOMAINS``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from hashlib import sha256
from pathlib import Path
from typing import Literal

import numpy as np
from PIL import Image as PillowImage

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.boxes import Box
from ...core.files import Data, load_once
from ...core.grounding import GroundingTarget
from ...core.pages import PackedPixels, mapped_array, packed, page_image, unpacked
from ...core.painting import DESK, Image, read_only
from ...core.tasks import EndlessTasks
from ..datasets.funsd import FOLDERS, FUNSD, data_folder, funsd_pages
from ..datasets.scanned import cleared
from ..datasets.scanned_page import ScannedPage
from ..made_pages.page_generator import page
from ..paper_form import FormField, PaperForm, canvas_of, form_folder, paper_form
from ..scans.scan_pages import SCANS, SIZE, clean_page, degradation_of, filling, scan_facts, scanned

# -- Splits of pages and names -----------------------------------------------------------------------------------------


Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")


class _Splits(Data):
    """The names of the pages of each split, by domain; of made pages the seeds."""

    made: Mapping[Split, tuple[int, ...]]
    loans: Mapping[Split, tuple[str, ...]]
    scans: Mapping[Split, tuple[str, ...]]


page_splits = load_once(_Splits, ROOT / "grounding" / "paper_forms.json")
"""The names of the pages of each split."""


def letters(name: str) -> str:
    """The letters and digits of a name's first part, in lower case."""
    return "".join(character for character in name.split(" | ")[0].lower() if character.isalnum())


def split_of_name(name: str) -> Split:
    """The split of made pages that asks for a name."""
    number = sha256(letters(name).encode()).digest()[0] % 10
    return "test" if number == 0 else "dev" if number == 1 else "train"


# -- Domains -----------------------------------------------------------------------------------------------------------


_DEV_SEEDS = 10
"""The number of pages of the dev split that each scan makes."""
_ALL_EMPTY = 0.5
"""The share of endless scans on which all fields are empty."""


class Domain(ABC):
    """The pages of one kind in one split.

    Args:
        split: of these pages.

    Attributes:
        canvas: height and width that hold every page, in pixels.
        task_ids: of the pages, each after the domain's name and a slash. They have targets, unless they are endless.
    """

    canvas: tuple[int, int]
    task_ids: Sequence[str]

    def __init__(self, split: Split) -> None:
        self._split = split

    @abstractmethod
    def image(self, name: str) -> Image:
        """The page of a task, which is named without the domain in its id."""

    @abstractmethod
    def targets(self, name: str) -> Sequence[GroundingTarget]:
        """All targets of a page."""

    @abstractmethod
    def names(self, split: Split) -> Iterable[str]:
        """The names of the targets of all pages of a split."""

    def asks_for(self, name: str) -> bool:
        """Whether a target's name is asked for in this split: no later split asks for it."""
        return letters(name) not in self._held_out

    @cached_property
    def _held_out(self) -> frozenset[str]:
        later = SPLITS[SPLITS.index(self._split) + 1 :]
        return frozenset(letters(name) for split in later for name in self.names(split))


class MadePages(Domain):
    """Forms drawn from a seed, endless in the train split, whose pages depend on the ``secret``.

    Names are split by a hash of their letters: of ten, one is asked for in the test split alone, one in the dev split.
    """

    canvas = (1752, 1224)

    def __init__(self, split: Split, secret: int) -> None:
        super().__init__(split)
        self._secret = secret
        self.task_ids = EndlessTasks(("made",))
        if split != "train":
            self.task_ids = tuple(f"made/{split}_{seed}" for seed in page_splits().made[split])

    def image(self, name: str) -> Image:
        """The drawn page, on grey."""
        grey = unpacked(_drawn_page(self._seed(name))[0])
        canvas = mapped_array((*self.canvas, 3))
        canvas[...] = DESK[0]
        canvas[: grey.shape[0], : grey.shape[1]] = np.asarray(PillowImage.fromarray(grey).convert("RGB"))
        return read_only(canvas)

    def targets(self, name: str) -> Sequence[GroundingTarget]:
        """All fields of the page."""
        return _drawn_page(self._seed(name))[-1]

    def names(self, split: Split) -> Iterable[str]:
        """None: names are split by their letters."""
        return ()

    def asks_for(self, name: str) -> bool:
        """Whether a name is one of the split's."""
        return split_of_name(name) == self._split

    def _seed(self, name: str) -> tuple[int, ...]:
        # Several numbers are never the seed of a page of another split, or of one that FieldFinder is trained on.
        return (int(name), self._secret, 1) if self._split == "train" else (int(name.partition("_")[2]),)


@cached
def _drawn_page(seed: tuple[int, ...]) -> tuple[PackedPixels, tuple[GroundingTarget, ...]]:
    """Compressed grey pixels, and targets of a drawn page."""
    drawn = page(seed if len(seed) > 1 else seed[0])
    targets = tuple(GroundingTarget(example.target, example.field, example.kind) for example in drawn.examples)
    return packed(drawn.gray), targets


class Loans(Domain):
    """The fields of the shipped loan forms, which are empty."""

    def __init__(self, split: Split) -> None:
        super().__init__(split)
        self.canvas = canvas_of(form for forms in page_splits().loans.values() for form in forms)
        self.task_ids = tuple(f"loans/{form}" for form in page_splits().loans[split])

    def image(self, name: str) -> Image:
        """An empty form."""
        return page_image(form_folder(name) / "page.png", self.canvas, DESK)

    def targets(self, name: str) -> Sequence[GroundingTarget]:
        """All fields of the form."""
        return [_target(field, field.box) for field in paper_form(name).fields]

    def names(self, split: Split) -> Iterable[str]:
        """The labels of all fields of a split's forms."""
        return (field.label for form in page_splits().loans[split] for field in paper_form(form).fields)


class Scans(Domain):
    """The empty fields of noisy scans.

    Pages of the test split are shipped and have a few empty fields. In the train split, whose endless pages depend on
    the ``secret``, some fields are empty, or all.
    """

    canvas = SIZE

    def __init__(self, split: Split, secret: int) -> None:
        super().__init__(split)
        self._secret = secret
        forms = [f"scans/{name}" for name in page_splits().scans[split]]
        self.task_ids = EndlessTasks(forms)
        if split == "dev":
            self.task_ids = tuple(f"{form}/{seed}" for form in forms for seed in range(_DEV_SEEDS))
        if split == "test":
            self.task_ids = tuple(forms)

    def image(self, name: str) -> Image:
        """A scan."""
        if self._split == "test":
            return page_image(SCANS / "test" / name / "page.png", SIZE)
        form, _, seed = name.partition("/")
        return unpacked(_drawn_scan(SCANS / "train" / form, int(seed), self._secret))

    def targets(self, name: str) -> Sequence[GroundingTarget]:
        """The empty fields of the scan."""
        if self._split == "test":
            folder = SCANS / "test" / name
            return _moved(_scan_blanks(folder), paper_form(str(folder)), filling(folder).seed)
        form, _, seed = name.partition("/")
        folder = SCANS / "train" / form
        empty, _, wear_seed = _choices(folder, int(seed), self._secret)
        return _moved(empty, paper_form(str(folder)), wear_seed)

    def names(self, split: Split) -> Iterable[str]:
        """The labels of the empty fields, or of all that may be empty on endless pages."""
        folders = [SCANS / ("test" if split == "test" else "train") / name for name in page_splits().scans[split]]
        fields = (_scan_blanks(folder) if split == "test" else paper_form(str(folder)).fields for folder in folders)
        return (field.label for each in fields for field in each)


class Funsd(Domain):
    """The answers to the questions of FUNSD's pages, which are erased.

    The test split is FUNSD's own; every fifth page of its training data is of the dev split. For ``root`` see
    ``FunsdEnv``.

    Raises:
        ValueError: if the data are not there or are broken.
    """

    def __init__(self, split: Split, root: str | None) -> None:
        super().__init__(split)
        self._root, self._pages = root, _funsd_split(root, split)
        if not self._pages:
            raise ValueError(f"no page of the {split} split is in {FUNSD.root(root)}; a fifth of the pages is dev")
        self.canvas = next(iter(self._pages.values())).canvas
        asked = (
            name for name, page in self._pages.items() if any(self.asks_for(target.name) for target in _answers(page))
        )
        self.task_ids = tuple(f"funsd/{name}" for name in asked)

    def image(self, name: str) -> Image:
        """A page without its answers."""
        return cleared(self._pages[name])

    def targets(self, name: str) -> Sequence[GroundingTarget]:
        """The answers to questions that are unique on the page."""
        return _answers(self._pages[name])

    def names(self, split: Split) -> Iterable[str]:
        """The questions of a split's pages; none if its folder is not there."""
        if (FUNSD.root(self._root) / FOLDERS["test" if split == "test" else "train"]).is_dir():
            yield from (target.name for page in _funsd_split(self._root, split).values() for target in _answers(page))


def _target(field: FormField, box: Box) -> GroundingTarget:
    kind = "tick" if field.matcher == "checkbox" else "comb" if field.comb else "line"
    return GroundingTarget(field.label, box, kind)


# -- Scans ---------------------------------------------------------------------------------------------------------


def _scan_blanks(folder: Path) -> list[FormField]:
    return [field for field in paper_form(str(folder)).fields if field.name in filling(folder).blanks]


def _choices(folder: Path, seed: int, secret: int) -> tuple[Sequence[FormField], int, int]:
    """The empty fields of an endless scan, and the seeds of its facts and of its wear."""
    fields = paper_form(str(folder)).fields
    rng = np.random.default_rng([seed, secret, 1])
    facts_seed, wear_seed = (int(number) for number in rng.integers(2**31, size=2))
    share = 1.0 if rng.random() < _ALL_EMPTY else rng.random()
    return [field for field in fields if rng.random() <= share] or fields, facts_seed, wear_seed


@cached
def _drawn_scan(folder: Path, seed: int, secret: int) -> PackedPixels:
    """The compressed pixels of an endless scan."""
    form = paper_form(str(folder))
    empty, facts_seed, wear_seed = _choices(folder, seed, secret)
    facts = scan_facts({fact for field in form.fields for fact in field.facts}, form.language, facts_seed)
    drawn = scanned(clean_page(folder), form, facts, {field.name for field in empty}, wear_seed)
    return packed(drawn)


def _moved(fields: Sequence[FormField], form: PaperForm, seed: int) -> list[GroundingTarget]:
    """The fields with unique labels, on the page that ``scanned`` makes with ``seed``."""
    labels = [field.label for field in fields]
    degradation = degradation_of(seed)
    targets = []
    for field in fields:
        left, top, right, bottom = degradation.moved(field.box, form.size)
        box = max(left, 0.0), max(top, 0.0), min(right, float(form.width)), min(bottom, float(form.height))
        if labels.count(field.label) == 1:
            targets.append(_target(field, box))
    return targets


# -- FUNSD ---------------------------------------------------------------------------------------------------------


def _funsd_split(root: str | None, split: Split) -> Mapping[str, ScannedPage]:
    """The pages of a split that have targets."""
    pages = funsd_pages(data_folder(root, "test" if split == "test" else "train"))
    in_dev = {name: sha256(name.encode()).digest()[0] % 5 == 0 for name in pages}
    chosen = {name: page for name, page in pages.items() if split == "test" or in_dev[name] == (split == "dev")}
    return {name: page for name, page in chosen.items() if _answers(page)}


@cached
def _answers(page: ScannedPage) -> tuple[GroundingTarget, ...]:
    queries = [page.queries[key] for key in page.answers]
    return tuple(
        GroundingTarget(query, page.fields[key], "line")
        for key, query in zip(page.answers, queries, strict=True)
        if queries.count(query) == 1
    )


DOMAINS: Mapping[str, Callable[[Split, int, str | None], Domain]] = {
    "made": lambda split, secret, root: MadePages(split, secret),
    "loans": lambda split, secret, root: Loans(split),
    "scans": lambda split, secret, root: Scans(split, secret),
    "funsd": lambda split, secret, root: Funsd(split, root),
}
"""Makes the pages of a domain from split, secret and root."""
