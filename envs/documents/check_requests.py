"""Check files of requests that people wrote: ``python -m formgym.envs.documents.check_requests FILE...``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from PIL import Image as PillowImage

from .formats.files import read_document
from .painting.view import painted
from .requests.frozen import read_requests
from .requests.request import Request
from .scene.document import Document
from .scoring.constraints import flat
from .scoring.evaluator import Evaluator
from .scoring.layout import layout_problems
from .shipped import shipped_document
from .state import gold_edit


def document_for(file: Path, folder: Path | None = None) -> Document:
    """The document that a file of requests is for, by the file's name: in a folder, or a shipped one.

    Raises:
        ValueError: if there is none.
    """
    paths = [folder / f"{file.stem}{suffix}" for suffix in (".json", ".pptx")] if folder else []
    path = next((path for path in paths if path.is_file()), None)
    return shipped_document(file.stem) if path is None else read_document(path).document


def problems_of(document: Document, request: Request) -> Iterator[str]:
    """What is wrong with a request, in sentences; nothing if it can be used."""
    if request.page >= len(document.pages):
        yield f"there is no page {request.page + 1}; there are {len(document.pages)}"
        return
    constraints = list(flat(request.constraints))
    known = {"", "page", *document.places, *(one.about for one in constraints if one.check == "new")}
    for one in constraints:
        names = {one.about, getattr(one, "other", "")} - known
        if names and not one.about.startswith("page "):
            yield f"{one.label}: there is no element {', '.join(sorted(names))}"
    try:
        after = gold_edit(document, request).document
    except ValueError as error:
        yield str(error)
        return
    evaluator = Evaluator(document, request.constraints, request.may_change)
    evaluation = evaluator.evaluate(after)
    for constraint, holds in zip(request.constraints, evaluation.held, strict=True):
        if not holds:
            found = constraint.actual(evaluation.comparison)
            yield f"does not hold after the program: {constraint.model_dump_json(exclude_defaults=True)}: {found}"
    if not any(evaluator.open):
        yield "all constraints hold before the edit already"
    yield from (
        f"changes besides (keep it, or add a constraint or may_change): {one}" for one in evaluation.unrequested
    )
    yield from (f"layout: {one.words}" for one in layout_problems(document, after))


def before_and_after(document: Document, after: Document, page: int) -> PillowImage.Image:
    """The pages that an edit changes, before and after side by side; ``page`` if it changes none."""
    rows = []
    for number in range(max(len(document.pages), len(after.pages))):
        sides = [painted(one, number) for one in (document, after) if number < len(one.pages)]
        if len(sides) < 2 or not np.array_equal(sides[0], sides[1]):
            gap = np.full((sides[0].shape[0], 12, 3), (255, 0, 255), np.uint8)
            rows.append(np.hstack([sides[0], gap, sides[1] if len(sides) > 1 else np.zeros_like(sides[0])]))
    return PillowImage.fromarray(np.vstack(rows or [painted(document, page)]))


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
            bad += 1
            print(error)
            continue
        for number, request in enumerate(requests):
            problems = list(problems_of(document, request))
            bad += bool(problems)
            print(f"{file.stem} {number}: {'ok' if not problems else request.text[:80]}")
            print("".join(f"    {one}\n" for one in problems), end="")
            if options.pictures:
                _save_picture(document, request, options.pictures / f"{file.stem}_{number}.png")
    print(f"{bad} with problems")
    return int(bad > 0)


def _save_picture(document: Document, request: Request, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    try:
        before_and_after(document, gold_edit(document, request).document, request.page).save(path)
    except (ValueError, IndexError):
        return


if __name__ == "__main__":
    sys.exit(main())
