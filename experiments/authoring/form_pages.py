"""The pages of a form of one's own: their pictures, and what a form has besides its fields."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from ...envs.core.pages import page_image
from ...envs.core.painting import Image
from ...envs.paper_forms.paper_form import FormPage, PaperForm

MAX_PAGES, MAX_BYTES = 60, 100_000_000
"""Of a form, and of a file that it comes from."""
PIXELS_PER_POINT = 2
"""Pages of a PDF are drawn at 144 dpi."""


def without_fields(
    title: str, pictures: Sequence[Image], sha256: str, browser: str, source: str = ""
) -> dict[str, Any]:
    """The arguments of a ``PaperForm`` but for its fields; its pages are called ``page_1.png`` and so on.

    Args:
        title: what is printed on top.
        pictures: of its pages, uint8 (height, width, 3).
        sha256: of what it was read from.
        browser: the program that drew its pages.
        source: the name of its PDF in its folder, if it has one.
    """
    sheets = tuple(
        FormPage(image=f"page_{number}.png", width=picture.shape[1], height=picture.shape[0])
        for number, picture in enumerate(pictures, start=1)
    )
    return {
        "title": title,
        "description": "",
        "width": max(sheet.width for sheet in sheets),
        "height": max(sheet.height for sheet in sheets),
        "pages": sheets,
        "vocabulary": "gold",
        "source": source,
        "source_sha256": sha256,
        "browser": browser,
    }


def pictures_in(folder: Path, form: PaperForm) -> list[Image]:
    """The pictures of a form's pages from its folder, uint8 (height, width, 3)."""
    return [page_image(folder / page.image, (page.height, page.width)) for page in form.sheets]
