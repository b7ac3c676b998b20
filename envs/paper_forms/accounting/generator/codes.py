"""The codes of items and fees, as the shipped file has them."""

from __future__ import annotations

from functools import lru_cache

from .....assets import ROOT
from ....core.files import Data, load

DATABASES = ROOT / "databases"
"""Where codes, choices, and the shipped database lie."""


class ItemCode(Data):
    """A row of ``item_codes``."""

    item_code: str
    book: str
    kind: str
    name: str


class FeeType(Data):
    """A row of ``fee_types``."""

    fee_type: str
    section: str
    section_name: str
    name: str


class Codes(Data):
    """The tables of codes."""

    item_codes: tuple[ItemCode, ...]
    fee_types: tuple[FeeType, ...]

    def items(self) -> dict[str, str]:
        """Names of item codes."""
        return {row.item_code: row.name for row in self.item_codes}

    def fees(self) -> dict[str, str]:
        """Names of fee types."""
        return {row.fee_type: row.name for row in self.fee_types}


@lru_cache(maxsize=1)
def practice_codes() -> Codes:
    """The shipped codes."""
    return load(Codes, DATABASES / "practice_codes.json")
