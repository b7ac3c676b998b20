"""The published FormGym's pages as data: blank forms, their fields named as they are annotated, in words."""

from __future__ import annotations

from collections.abc import Iterator

from ...envs.core.pages import page_image
from ...envs.paper_forms.datasets.official import checkout, official_pages
from ...envs.paper_forms.datasets.scanned_page import ScannedPage
from ..examples import Example
from .building import Built, blank_page
from .erasing import gray_of

_DOMAIN = "al"
_WHITE = (255, 255, 255)


def official_built(root: str | None) -> Iterator[Built]:
    """The auto-loan forms of the user's own checkout (FormGym, section Data), as the environment shows them.

    Args:
        root: the checkout; see ``OfficialEnv``.

    Raises:
        ValueError: if it is not there, or something in it is broken.
    """
    for page in official_pages(checkout(root), _DOMAIN, seed=0).values():
        gray = gray_of(page_image(page.image, page.canvas, _WHITE))
        yield blank_page(page.name, gray, _fields(page))


def _fields(page: ScannedPage) -> Iterator[Example]:
    for key, query in page.queries.items():
        box = page.fields[key]
        kind = "tick" if page.answers[key].matcher == "checkbox" else "line"
        yield Example(query, box, box, kind, (None,))
