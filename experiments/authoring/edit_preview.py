"""Pictures of the pages that an edit has changed, before and after; overviews of long documents."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import zip_longest

import numpy as np
from PIL import Image as PillowImage
from PIL import ImageDraw, ImageFont

from ...envs.core.painting import Image
from ...envs.documents.painting.view import painted
from ...envs.documents.scene.document import Document
from ...envs.documents.scoring.changes import changed_pages

_MAX_PREVIEWED = 12
"""The most pages on a preview."""
_GAP, _CAPTION = 12, 24


def preview(before: Document, after: Document) -> PillowImage.Image:
    """The changed pages before, on the left, and after; the first ``_MAX_PREVIEWED`` of them."""
    pairs = list(changed_pages(before, after))[:_MAX_PREVIEWED]
    tiles = []
    for old, new in pairs:
        for document, number, when in ((before, old, "before"), (after, new, "after")):
            caption = f"page {number + 1}, {when}" if number is not None else f"no page {when}"
            tiles.append((caption, None if number is None else painted(document, number)))
    return _grid(tiles, 2, 640)


def overview(document: Document, pages: Iterable[int]) -> Image:
    """Small pictures of pages, five in a row, each with its number: uint8 (height, width, 3)."""
    return np.asarray(_grid([(str(i + 1), painted(document, i)) for i in pages], 5, 240))


def _grid(tiles: Sequence[tuple[str, Image | None]], columns: int, width: int) -> PillowImage.Image:
    """Pictures in rows, at most ``width`` wide, with captions."""
    rows = list(zip_longest(*[iter([(text, _shrunk(tile, width)) for text, tile in tiles])] * columns))
    heights = [max(tile[1].height for tile in row if tile) + _CAPTION + _GAP for row in rows]
    sheet = PillowImage.new("RGB", (columns * (width + _GAP) + _GAP, sum(heights) + _GAP), (225, 225, 225))
    draw, font, top = ImageDraw.Draw(sheet), ImageFont.load_default(16), _GAP
    for row, height in zip(rows, heights, strict=True):
        for i, tile in enumerate(row):
            if tile:
                left = _GAP + i * (width + _GAP)
                draw.text((left, top), tile[0], (20, 20, 20), font)
                sheet.paste(tile[1], (left, top + _CAPTION))
        top += height
    return sheet


def _shrunk(picture: Image | None, width: int) -> PillowImage.Image:
    if picture is None:
        return PillowImage.new("RGB", (width, _GAP), (225, 225, 225))
    whole = PillowImage.fromarray(picture)
    whole.thumbnail((width, 2 * width), PillowImage.Resampling.LANCZOS)
    return whole
