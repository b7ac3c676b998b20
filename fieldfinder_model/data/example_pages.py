"""Pages with targets, of any data set and protocol, to train or test FieldFinder."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from ...envs.paper_forms.examples import ExamplePage
from .blank_forms import auto_loan_pages, official_built, scan_pages
from .building import Built, build

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
