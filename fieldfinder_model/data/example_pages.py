"""Pages of data sets with their targets, and folds of them that share no form."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from hashlib import sha256
from itertools import islice

import numpy as np
from numpy.typing import NDArray

from ...envs.paper_forms.examples import ExamplePage
from .blank_forms import auto_loan_pages, official_built, scan_pages
from .building import Built, build
from .sources import PageSource, sources

_MIN_JACCARD = 0.3
"""Pages are of one form if their sets of words have at least this Jaccard index."""
_MIN_WORDS = 8
"""Pages with fewer words than this are similar to no other."""


def fold(name: str, k: int) -> int:
    """The fold, from 0 to k - 1, that the hash of a name gives."""
    return int.from_bytes(sha256(name.encode()).digest()[:8], "big") % k


def folds(name: str, k: int, root: str | None = None, split: str | None = None) -> dict[str, int]:
    """The fold, from 0 to k - 1, of each annotated page of a data set, by name.

    Args:
        name: of the set, such as ``"funsd"``.
        k: how many folds there are.
        root: the folder that the data set lies in; ``None``: below FORMGYM_DATA.
        split: of the data set; ``None``: ``"train"``.

    Raises:
        ValueError: if the data set cannot be had.
    """
    first = groups({source.name: printed_words(source) for source in sources(name, root, split)})
    return {page: fold(group, k) for page, group in first.items()}


def printed_words(source: PageSource) -> set[str]:
    """The set of words of a page that belong to no answer, in lower case."""
    parts = (part for part in source.parts.values() if part.label != "answer")
    return {word.text.casefold() for part in parts for word in part.words}


def groups(pages: Mapping[str, set[str]]) -> dict[str, str]:
    """For each page, the first name among the pages similar to it.

    Pages are similar directly or through others.

    Args:
        pages: the different words that are printed on each page.
    """
    names = sorted(pages)
    same_form = _same_form([pages[name] for name in names])
    labels = np.arange(len(names))
    while True:
        least = np.where(same_form, labels, len(names)).min(axis=1, initial=len(names))
        if np.array_equal(least, labels):
            return {name: names[label] for name, label in zip(names, labels, strict=True)}
        labels = least


def _same_form(pages: Sequence[set[str]]) -> NDArray[np.bool_]:
    """Which pages are of the same form: a symmetric matrix, (pages, pages)."""
    places = {word: i for i, word in enumerate(sorted(set[str]().union(*pages)))}
    has = np.zeros((len(pages), len(places)), np.float32)
    for row, words in enumerate(pages):
        has[row, [places[word] for word in words]] = 1
    both, count = has @ has.T, has.sum(axis=1)
    either = count[:, None] + count - both
    enough = np.minimum(count[:, None], count) >= _MIN_WORDS
    same: NDArray[np.bool_] = ((both >= _MIN_JACCARD * either) & enough) | np.eye(len(pages), dtype=np.bool_)
    return same


PROTOCOLS = ("answers", "questions", "single")
"""What is erased, and what the targets are:

``"answers"``: all answers are erased, and each is a target;
``"questions"``: all answers are erased, and each question is a target: its place is the envelope of its answers;
``"single"``: one answer is erased and is the target, and the others stay: one page for each target.
"""
BLANK = ("scans", "auto_loans", "official")
"""The sets whose forms are already blank; ``"official"``: the auto loans of the user's checkout of FormGym."""
SETS = ("funsd", "xfund", "form_nlu", *BLANK)
"""The data sets; ``"xfund/LANGUAGE"`` is XFUND in one language."""


def pages(
    name: str,
    protocol: str = "answers",
    root: str | None = None,
    split: str | None = None,
    limit: int | None = None,
    decoys: bool = False,
) -> Iterator[ExamplePage]:
    """The pages of a data set that have a target, one after another.

    Pages that are slow to make are cached; see ``cache_folder``.

    Args:
        name: one of ``SETS``, or ``"xfund/LANGUAGE"`` such as ``"xfund/de"``.
        protocol: one of ``PROTOCOLS``.
        root: the folder that the user's own data set lies in; ``None``: below FORMGYM_DATA.
        split: of the data set; ``None``: ``"train"`` of annotated sets, ``"test"`` of our own forms.
        limit: the most annotated pages; ``None``: all.
        decoys: whether blank places were erased too, as many as answers; not with ``"single"`` or our own forms, where
            nothing was erased all over the page.

    Raises:
        ValueError: if there is no such set, protocol or split, the data are not there, or something is broken.
    """
    made = built_pages(name, protocol, root, split, limit, decoys)
    return (built.page for built in made if built.page.examples)


def built_pages(
    name: str,
    protocol: str = "answers",
    root: str | None = None,
    split: str | None = None,
    limit: int | None = None,
    decoys: bool = False,
) -> Iterator[Built]:
    """Like ``pages``, with the targets left out, and also pages without a target."""
    if protocol not in PROTOCOLS:
        raise ValueError(f"protocol {protocol!r} is none of {', '.join(PROTOCOLS)}")
    if decoys and (name in BLANK or protocol == "single"):
        raise ValueError("decoys go with data sets whose answers are erased all over the page, and no others")
    if name in BLANK:
        return islice(_blank_forms(name, root, split), limit)
    return _of_documents(build(name, protocol, root, split, decoys), limit)


def _blank_forms(name: str, root: str | None, split: str | None) -> Iterator[Built]:
    if name == "official":
        return official_built(root)
    return auto_loan_pages() if name == "auto_loans" else scan_pages(split or "test")


def _of_documents(made: Iterator[Built], limit: int | None) -> Iterator[Built]:
    """The pages of the first ``limit`` documents."""
    documents: set[str] = set()
    for built in made:
        documents.add(built.document)
        if limit is not None and len(documents) > limit:
            return
        yield built


def document_of(page: str) -> str:
    """The name of the annotated page that a page is made of."""
    return page.rpartition("#")[0] or page
