"""What all constraints have in common."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Annotated, Any

import pydantic
from pydantic import ConfigDict

from ...core.files import Data
from ..scene.document import Key
from .comparison import Comparison

Values = tuple[Any, ...]
Number = Annotated[int, pydantic.Field(ge=1)]
"""Of a page, a row, a column or an item, counted from 1."""


class BaseConstraint(Data):
    """A condition that an edited document must meet."""

    model_config = ConfigDict(extra="forbid", frozen=True, populate_by_name=True, serialize_by_alias=True)

    def holds(self, edit: Comparison) -> bool:
        """Whether it is met."""
        return bool(self.actual(edit))

    def actual(self, edit: Comparison) -> Any:
        """What there is, for people."""
        raise NotImplementedError

    def touches(self, edit: Comparison) -> Iterator[Key]:
        """The elements and fields that may change for it, such as ``("e5", "colour")`` or ``("e5", "bold:7 pm")``."""
        return ((self.about, field) for field in self._fields(edit))

    def _fields(self, edit: Comparison) -> Iterable[str]:
        return ()

    @property
    def about(self) -> str:
        """The element that it is about, ``page 2``, or nothing."""
        return str(getattr(self, "element", getattr(self, "name", "")))

    @property
    def label(self) -> str:
        """What it is about, for people."""
        kind = getattr(self, "field", getattr(self, "relation", getattr(self, "check", "")))
        return f"{kind.replace('_', ' ')} of {self.about}" if self.about else kind.replace("_", " ")
