"""An instance of a form: what goes into each field, and the text that tells it."""

from __future__ import annotations

from typing import Annotated

import pydantic

from ..fields import Data, Value
from .recipe import Split


class Instance(Data):
    """One filling of a form.

    Attributes:
        form: its name.
        split: ``test`` or ``train``.
        number: counted from 0; what it was made from.
        genre: the kind of text that the source is, such as ``letter``.
        values: what each field must hold in the end, rows by ``name_1``, …; ``None``: empty or not shown.
        source: the text that tells it.
        files: the names of the files that the task has.
    """

    form: str
    split: Split
    number: Annotated[int, pydantic.Field(ge=0)]
    genre: str
    values: dict[str, Value]
    source: str
    files: tuple[str, ...]
