"""The environment of grounding in documents: box the element that words mean."""

from __future__ import annotations

import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np

from ...core.asset_cache import cached
from ...core.boxes import intersection
from ...core.grounding import GroundingEnv, GroundingPage, GroundingTarget, PackedPage
from ...core.pages import packed_page
from ...core.tasks import TaskSplit, check_task, endless_secret
from ..env import TEST, documents_named, endless_document, largest_page
from ..painting.view import layers_of, on_canvas
from ..requests.phrasings import phrasings
from ..requests.request import Mention
from ..requests.wording import Wording
from ..scene.document import Document
from ..scoring.looks import ink_rect
from ..shipped import shipped_document
from .expressions import meant_box, shipped_expressions


class DocumentGroundingEnv(GroundingEnv):
    """Draw a box around the element of a page that an expression means.

    Tasks are ``document/test_page``, pages counted from 0: a page with expressions that people wrote who saw nothing
    but its picture. Boxes are those of what is painted. In the train split they are ``document/seed``: a page of
    another document of that kind and size, with an expression of each kind for each of its elements.

    Args:
        documents: names of shipped documents; ``None``: all. Smaller ones are in the left top corner of the page.
        split: ``"test"``: shipped; ``"train"``: endless documents and expressions from the seed.
        secret: another number gives other endless tasks.
        action: see ``GroundingEnv``.
        reward: see ``GroundingEnv``; ``None``: ``"iou"`` of boxes, ``"hit"`` of points.
        **kwargs: see ``GroundingEnv``.

    Raises:
        ValueError: if a document or split is unknown, or the split has no such secret.

    >>> env = DocumentGroundingEnv("concert_poster", split="train")
    >>> env.reset(seed=0)[0]["goal"]
    '"£28"'
    """

    def __init__(
        self,
        documents: str | Sequence[str] | None = None,
        split: str = "test",
        secret: int = 0,
        action: str = "box",
        reward: str | Mapping[str, float] | None = None,
        **kwargs: Any,
    ) -> None:
        self._secret = endless_secret(split, secret)
        self.documents = documents_named(documents)
        self._canvas = largest_page(self.documents)
        pages = TaskSplit("document", self.documents, _shipped_pages, self._secret)
        self.task_ids = pages.task_ids()
        super().__init__(self._canvas, action, reward or ("iou" if action == "box" else "hit"), **kwargs)

    def open_page(self, task_id: str) -> GroundingPage:
        """The page of a document with the expressions that mean its elements.

        Raises:
            ValueError: if there is no such task.
        """
        check_task(task_id, self.task_ids, self.task_ids[0])
        name, _, number = task_id.partition("/")
        if self._secret is None:
            page = _shipped_page(name, int(number.removeprefix(TEST)), self._canvas)
        else:
            page = _endless_page(name, int(number), self._secret, self._canvas)
        return page.opened()


def _shipped_pages(document: str) -> list[str]:
    return [f"{TEST}{page - 1}" for page in sorted({one.page for one in shipped_expressions(document)})]


@cached
def _shipped_page(name: str, page: int, canvas: tuple[int, int]) -> PackedPage:
    document = shipped_document(name)
    expressions = [one for one in shipped_expressions(name) if one.page == page + 1]
    kinds = [_kind(document, one.ids) for one in expressions]
    targets = (
        GroundingTarget(one.text, meant_box(document, one), kind) for one, kind in zip(expressions, kinds, strict=True)
    )
    return _packed(document, page, targets, canvas)


def _kind(document: Document, ids: Sequence[str]) -> str:
    """The type of the element that is meant, or that it is several."""
    element = document.find(ids[0])
    return "several" if len(ids) > 1 or element is None else element.type


@cached
def _endless_page(name: str, seed: int, secret: int, canvas: tuple[int, int]) -> PackedPage:
    """The page of a seed; its targets are in random order."""
    document = endless_document(name, seed, secret)
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed, secret, 1])
    page = int(rng.integers(len(document.pages)))
    wording = Wording(document, page, phrasings(), rng)
    for element in document.pages[page].elements:
        wording.by_every_kind(element)
    different = list({mention.words: mention for mention in wording.mentions}.values())
    mentions = [different[i] for i in rng.permutation(len(different))]
    return _packed(document, page, _targets(document, mentions), canvas)


def _packed(document: Document, number: int, targets: Iterable[GroundingTarget], canvas: tuple[int, int]) -> PackedPage:
    page = document.pages[number]
    empty, desk = on_canvas(page, number, canvas)
    pixels = packed_page(empty, [*desk, *layers_of(page.elements)])
    return PackedPage(pixels, tuple(targets))


def _targets(document: Document, mentions: Iterable[Mention]) -> Iterator[GroundingTarget]:
    """The elements that are mentioned, as far as they are on their page."""
    for mention in mentions:
        element, page = document.find(mention.ids[0]), document.pages[mention.page]
        assert element is not None
        box = intersection(ink_rect(document, element), (0, 0, page.width, page.height))
        if box is not None:
            yield GroundingTarget(mention.words, box, mention.kind)
