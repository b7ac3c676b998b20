"""The splits of pages and names for grounding on paper forms."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from hashlib import sha256
from typing import Literal

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.files import Data, load

Split = Literal["train", "dev", "test"]
SPLITS: tuple[Split, ...] = ("train", "dev", "test")


class _Splits(Data):
    """The names of the pages of each split, by domain; of made pages the seeds."""

    made: Mapping[Split, tuple[int, ...]]
    loans: Mapping[Split, tuple[str, ...]]
    scans: Mapping[Split, tuple[str, ...]]


@cached
def page_splits() -> _Splits:
    """The names of the pages of each split.

    Raises:
        ValueError: if the file is against the schema.
    """
    return load(_Splits, ROOT / "grounding" / "paper_forms.json")


class HeldOutNames:
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
    """The letters and digits of a name's first part, in lower case."""
    return "".join(character for character in name.split(" | ")[0].lower() if character.isalnum())


def split_of_name(name: str) -> Split:
    """The split of made pages that asks for a name."""
    number = sha256(letters(name).encode()).digest()[0] % 10
    return "test" if number == 0 else "dev" if number == 1 else "train"
