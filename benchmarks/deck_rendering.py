"""Compare our pictures of slides with LibreOffice's: the structural similarity (SSIM) of their luma.

Run ``python benchmarks/deck_rendering.py FOLDER`` on a folder of decks. ``--sheet BEFORE AFTER PICTURE`` writes slides
of a deck before and after an edit into one picture instead. It needs ``soffice`` and ``pdftoppm``; which fonts are
installed decides what LibreOffice draws, so that figures compare on one machine only.
"""

from __future__ import annotations

import argparse
import json
import random
import subprocess
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from PIL import Image

from formgym.envs.documents.painting.view import painted
from formgym.envs.documents.pptx.deck_reader import open_deck
from formgym.envs.documents.scene.document import Document
from formgym.envs.documents.scoring.pictures import ssim_map

Pixels = NDArray[np.uint8]
Slide = tuple[str, int]
"""The file name of a deck, and the number of a slide, counted from 1."""

_PDF = 'pdf:impress_pdf_Export:{"ExportHiddenSlides":{"type":"boolean","value":"true"}}'


def rendered(decks: Sequence[Path], folder: Path) -> None:
    """Convert decks to PDF by LibreOffice, those that have none in the folder yet."""
    folder.mkdir(parents=True, exist_ok=True)
    missing = [str(deck) for deck in decks if not (folder / f"{deck.stem}.pdf").exists()]
    with tempfile.TemporaryDirectory() as profile:
        for i in range(0, len(missing), 20):
            command = ["soffice", f"-env:UserInstallation=file://{profile}", "--headless", "--convert-to", _PDF]
            subprocess.run([*command, "--outdir", str(folder), *missing[i : i + 20]], check=True, capture_output=True)


def page_of_pdf(pdf: Path, number: int, size: tuple[int, int]) -> Pixels:
    """A page of a PDF at a width and height in pixels."""
    scale = ["-scale-to-x", str(size[0]), "-scale-to-y", str(size[1])]
    command = ["pdftoppm", "-f", str(number), "-l", str(number), *scale, str(pdf)]
    found = subprocess.run(command, check=True, capture_output=True).stdout
    _, header, _, pixels = found.split(b"\n", 3)
    width, height = map(int, header.split())
    return np.frombuffer(pixels, np.uint8).reshape(height, width, 3)


def drawn(decks: Sequence[Path], n: int, seed: int) -> list[Slide]:
    """Slides drawn by a seed, as many from each origin (what stands before ``_`` in names), one a deck."""
    rng = random.Random(seed)
    origins: dict[str, list[Path]] = {}
    for deck in sorted(decks):
        origins.setdefault(deck.name.partition("_")[0], []).append(deck)
    slides: list[Slide] = []
    while len(slides) < n and any(origins.values()):
        for left in origins.values():
            if left and len(slides) < n:
                deck = left.pop(rng.randrange(len(left)))
                slides += [(deck.name, rng.randint(1, n_slides)) for n_slides in (_n_slides(deck),) if n_slides]
    return slides


def _n_slides(deck: Path) -> int:
    """The number of slides in a deck; 0 if it cannot be opened."""
    try:
        return len(opened(deck).pages)
    except ValueError:
        return 0


def opened(deck: Path) -> Document:
    """The document in a deck."""
    return open_deck(deck.read_bytes(), deck.name)


def compared(folder: Path, slides: Sequence[Slide], out: Path) -> Iterator[tuple[float, Slide]]:
    """The similarity of each slide; both pictures, side by side, are written into a folder."""
    for name, number in slides:
        document = opened(folder / name)
        ours = painted(document, number - 1)
        pdf = out / "pdf" / f"{Path(name).stem}.pdf"
        theirs = page_of_pdf(pdf, number, (ours.shape[1], ours.shape[0]))
        similarity = float(ssim_map(*(np.repeat(_luma(one)[..., None], 3, axis=2) for one in (ours, theirs))).mean())
        both = np.concatenate([ours, np.zeros((ours.shape[0], 4, 3), np.uint8), theirs], axis=1)
        Image.fromarray(both).save(out / f"{Path(name).stem}-{number}.png")
        yield similarity, (name, number)


def sheet(before: Path, after: Path, numbers: Sequence[int], folder: Path) -> Image.Image:
    """Slides of a deck before (left) and after (right) an edit, each in our picture and below it in LibreOffice's."""
    rendered([before, after], folder)
    rows = []
    for number in numbers:
        ours = [painted(opened(deck), number - 1) for deck in (before, after)]
        size = ours[0].shape[1], ours[0].shape[0]
        theirs = [page_of_pdf(folder / f"{deck.stem}.pdf", number, size) for deck in (before, after)]
        rows += [np.concatenate(pair, axis=1) for pair in (ours, theirs)]
    whole = Image.fromarray(np.concatenate(rows))
    return whole.resize((whole.width // 2, whole.height // 2), Image.Resampling.LANCZOS)


def _luma(pixels: Pixels) -> Pixels:
    return np.asarray(Image.fromarray(pixels).convert("L"))


def main() -> None:
    """Print the similarity of each slide, the worst first, and their mean."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, nargs="?", help="of .pptx files")
    parser.add_argument("--slides", type=Path, help="a JSON list of [file name, number of slide]; else drawn by --seed")
    parser.add_argument("-n", type=int, default=24, help="how many slides are drawn")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--out", type=Path, default=Path("outputs/deck_rendering"), help="for pictures")
    parser.add_argument("--sheet", nargs=3, type=Path, metavar=("BEFORE", "AFTER", "PICTURE"))
    parser.add_argument("--numbers", nargs="+", type=int, default=[1], help="the slides on the sheet")
    options = parser.parse_args()
    if options.sheet:
        before, after, picture = options.sheet
        sheet(before, after, options.numbers, options.out / "pdf").save(picture, quality=82)
        return
    decks = list(options.folder.glob("*.pptx"))
    slides = json.loads(options.slides.read_text()) if options.slides else drawn(decks, options.n, options.seed)
    rendered([options.folder / name for name, _ in slides], options.out / "pdf")
    started = time.process_time()
    rows = sorted(compared(options.folder, slides, options.out))
    for similarity, (name, number) in rows:
        print(f"{similarity:.3f}  {name}, slide {number}")
    mean = sum(similarity for similarity, _ in rows) / len(rows)
    print(f"mean {mean:.3f}, {len(rows)} slides of {len({name for _, (name, _) in rows})} decks", end="")
    print(f", {time.process_time() - started:.1f} CPU-s")


if __name__ == "__main__":
    main()
