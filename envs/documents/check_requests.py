"""Check files of requests that people wrote: ``python -m formgym.envs.documents.check_requests FILE...``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from ..core.tools import ToolError
from .formats.files import read_document
from .painting.view import painted
from .programs.program import run_program
from .programs.sandbox import ProgramError
from .requests.written import WrittenRequest, read_requests
from .scene.document import Document, shipped_document, shipped_documents
from .scoring.evaluator import EditEvaluator
from .scoring.language import AnyOf, Constraint
from .scoring.layout import layout_problems


def document_for(file: Path, folder: Path | None) -> Document:
    """The document that a file of requests is for, by the file's name: in a folder, or a shipped one.

    Raises:
        ValueError: if there is none.
    """
    for suffix in (".json", ".pptx") if folder else ():
        path = Path(str(folder)) / f"{file.stem}{suffix}"
        if path.is_file():
            return read_document(path).document
    if file.stem not in shipped_documents():
        raise ValueError(
            f"{file}: no document {file.stem!r}, neither shipped nor in {folder or 'a folder of --documents'}"
        )
    return shipped_document(file.stem)


def gold_edit(document: Document, request: WrittenRequest) -> Document:
    """The document after the gold program of a request.

    Raises:
        ValueError: if it cannot be run.
    """

    def find_nothing(document: Document, words: str) -> list[None]:
        raise ToolError("gold programs name elements by their ids")

    try:
        return run_program(document, request.program, find_nothing, find_nothing, request.page - 1).document  # type: ignore[arg-type]
    except ProgramError as error:
        raise ValueError(f"the program cannot be run: {error}") from None


def problems_of(document: Document, request: WrittenRequest) -> Iterator[str]:
    """What is wrong with a request, in sentences; nothing if it can be used."""
    if request.page > len(document.pages):
        yield f"there is no page {request.page}; there are {len(document.pages)}"
        return
    for constraint in _flat(request.constraints):
        unknown = {name for _, name in _names(constraint)} - _known(document, request)
        if unknown:
            yield f"{constraint.label}: there is no element {', '.join(sorted(unknown))}"
    try:
        after = gold_edit(document, request)
    except ValueError as error:
        yield str(error)
        return
    evaluator = EditEvaluator(document, after, request.constraints, request.may_change)
    for one, holds in zip(request.constraints, evaluator.held, strict=True):
        if not holds:
            wanted, found = one.model_dump_json(exclude_defaults=True), one.actual(evaluator.comparison)
            yield f"does not hold after the program: {wanted}; there is: {found}"
    if all(EditEvaluator(document, document, request.constraints).held):
        yield "all constraints hold before the edit already"
    for element, field in evaluator.unrequested:
        yield f"changes besides: {field} of {element} (add a constraint or may_change, or keep it in the program)"
    yield from (f"layout: {one.words}" for one in layout_problems(document, after))


def _flat(constraints: tuple[Constraint, ...]) -> Iterator[Constraint]:
    for one in constraints:
        if isinstance(one, AnyOf):
            for branch in one.of:
                yield from _flat(branch)
        else:
            yield one


def _names(constraint: Constraint) -> Iterator[tuple[str, str]]:
    for field in ("element", "other"):
        name = getattr(constraint, field, None)
        if name is not None and name != "page":
            yield field, name


def _known(document: Document, request: WrittenRequest) -> set[str]:
    new = {one.name for one in _flat(request.constraints) if one.check == "new"}
    return {e.id for e in document.elements()} | new


def save_pictures(document: Document, request: WrittenRequest, path: Path) -> None:
    """Save the pages that the gold program changes, before and after side by side."""
    after = gold_edit(document, request)
    rows = []
    for number in range(max(len(document.pages), len(after.pages))):
        sides = [painted(one, number) for one in (document, after) if number < len(one.pages)]
        if len(sides) < 2 or not np.array_equal(sides[0], sides[1]):
            gap = np.full((sides[0].shape[0], 12, 3), (255, 0, 255), np.uint8)
            rows.append(np.hstack([sides[0], gap, sides[-1] if len(sides) > 1 else np.full_like(sides[0], 255)]))
    PillowImage.fromarray(np.vstack(rows or [painted(document, request.page - 1)])).save(path)


def main(arguments: list[str] | None = None) -> int:
    """Check files and print what is wrong; 1 if something is."""
    parser = argparse.ArgumentParser(prog="python -m formgym.envs.documents.check_requests", description=__doc__)
    parser.add_argument("files", nargs="+", type=Path, metavar="FILE", help="NAME.json, for the document NAME")
    parser.add_argument("--documents", type=Path, help="a folder of documents NAME.json or NAME.pptx")
    parser.add_argument("--pictures", type=Path, help="a folder for pictures before and after")
    options = parser.parse_args(arguments)
    bad = 0
    for file in options.files:
        try:
            document, requests = document_for(file, options.documents), read_requests(file)
        except ValueError as error:
            print(error)
            bad += 1
            continue
        for number, request in enumerate(requests):
            problems = list(problems_of(document, request))
            bad += bool(problems)
            print(f"{file.stem} {number}: {'ok' if not problems else request.text[:80]}")
            print("".join(f"    {one}\n" for one in problems), end="")
            if options.pictures and not any(one.startswith(("there is no page", "the program")) for one in problems):
                options.pictures.mkdir(parents=True, exist_ok=True)
                save_pictures(document, request, options.pictures / f"{file.stem}_{number}.png")
    print(f"{bad} with problems")
    return int(bad > 0)


if __name__ == "__main__":
    sys.exit(main())
