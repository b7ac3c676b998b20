"""Expressions that people wrote for something on the picture of a page, and what they mean.

``python -m formgym.envs.documents.grounding.expressions FILE...`` checks files of them, which have the names of
documents; ``--documents FOLDER`` holds documents that are not shipped.
"""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Annotated

import pydantic
from pydantic import RootModel

from ....assets import ROOT
from ...core.asset_cache import cached
from ...core.boxes import Rect, intersection, union
from ...core.files import Data, load
from ..formats.files import read_document
from ..scene.document import Document
from ..scoring.looks import ink_rect
from ..shipped import shipped_document

FOLDER = ROOT / "document_grounding" / "test"
"""The folder of the test expressions, a file for each document that has some."""
Id = Annotated[str, pydantic.Field(pattern=r"^e\d+$")]


class Expression(Data):
    """Words for something on a page.

    Attributes:
        page: counted from 1.
        text: the words.
        element: the id of the element that they mean.
        elements: the ids, where they mean several together.
    """

    page: Annotated[int, pydantic.Field(ge=1)] = 1
    text: Annotated[str, pydantic.Field(min_length=1, max_length=300)]
    element: Id | None = None
    elements: tuple[Id, ...] = ()

    @pydantic.model_validator(mode="after")
    def _means_something(self) -> Expression:
        if (self.element is None) == (not self.elements):
            raise ValueError(f"{self.text!r} must have either element or elements")
        return self

    @property
    def ids(self) -> tuple[str, ...]:
        """The elements that it means."""
        return self.elements if self.element is None else (self.element,)


class _Expressions(RootModel[Annotated[tuple[Expression, ...], pydantic.Field(min_length=1)]]):
    """The expressions for a document."""


def read_expressions(path: Path) -> tuple[Expression, ...]:
    """The expressions in a file.

    Raises:
        ValueError: if it is missing or broken; the message names each place.
    """
    return load(_Expressions, path).root


@cached
def shipped_expressions(name: str) -> tuple[Expression, ...]:
    """The test expressions for a shipped document, maybe none.

    Raises:
        ValueError: if their file is broken.
    """
    path = FOLDER / f"{name}.json"
    return read_expressions(path) if path.exists() else ()


def meant_box(document: Document, expression: Expression) -> Rect:
    """The box around what an expression means, as far as it is painted on its page.

    Raises:
        ValueError: if there is no such element on the page, or nothing of it is visible.
    """
    page, whole = expression.page - 1, None
    for name in expression.ids:
        element = document.find(name)
        if element is None or document.places[name][0] != page:
            raise ValueError(f"{expression.text!r}: there is no {name} on page {page + 1} of {document.name}")
        rect = ink_rect(document, element)
        whole = union([rect] if whole is None else [whole, rect])
    assert whole is not None
    box = intersection(whole, (0, 0, document.pages[page].width, document.pages[page].height))
    if box is None:
        raise ValueError(f"{expression.text!r}: nothing of it is on page {expression.page} of {document.name}")
    return box


def problems_of(path: Path, documents: Path | None = None) -> list[str]:
    """What is wrong with a file of expressions, a line for each; empty: nothing.

    Args:
        path: of the file, named after its document.
        documents: the folder of the document; ``None``: it is a shipped one.
    """
    try:
        document = opened_document(path.stem, documents)
        expressions = read_expressions(path)
    except ValueError as error:
        return [str(error)]
    found = [f"{text!r} is there twice" for text in _repeated([f"{one.page}: {one.text}" for one in expressions])]
    for one in expressions:
        try:
            meant_box(document, one)
        except ValueError as error:
            found.append(str(error))
    return found


def opened_document(name: str, folder: Path | None = None) -> Document:
    """A shipped document, or that of a folder, with the ids that expressions use.

    Raises:
        ValueError: if there is none of that name, or it is broken.
    """
    if folder is None:
        return shipped_document(name)
    return read_document(folder / f"{name}.json").document


def _repeated(texts: list[str]) -> list[str]:
    return sorted({text for text in texts if texts.count(text) > 1})


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description="Check expressions for things on pages of documents.")
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--documents", type=Path, help="the folder of documents that are not shipped")
    options = parser.parse_args()
    wrong = [f"{file}: {problem}" for file in options.files for problem in problems_of(file, options.documents)]
    print("\n".join(wrong) or f"{len(options.files)} files of expressions are right")
    raise SystemExit(bool(wrong))
