"""The builder of FieldFinder's data: pages with their answers erased, and the targets on them.

After FormGym (section FieldFinder), which erases answers of FUNSD, XFUND and Form-NLU and asks for their places.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from ...envs.core.locators import Box
from ...envs.core.painting import Rect
from ..examples import Example, ExamplePage, Gray, Word
from .cache import kept_cleared
from .erasing import Cleared, cleared_of, gray_of, picture_of
from .fields import field_of
from .sources import Source, sources
from .targets import TARGETS, Target

_VISIBLE = 0.1
"""An answer of whose ink more than this still stands could be seen."""


@dataclass(frozen=True, eq=False)
class Built:
    """A page, and what it was made of.

    Attributes:
        page: with its targets; there may be none.
        document: the name of the annotated page: with the protocol ``"single"`` many pages are of one.
        dropped: why targets were left out, and how many.
    """

    page: ExamplePage
    document: str
    dropped: Counter[str]


def blank_page(name: str, gray: Gray, fields: Iterable[Example]) -> Built:
    """A page that is blank as it is, and whose fields are all asked for; of those of one name the first is.

    Args:
        name: of the page.
        gray: the picture.
        fields: in their order.
    """
    first: dict[str, Example] = {}
    alike = 0
    for field in fields:
        alike += field.target in first
        first.setdefault(field.target, field)
    dropped = Counter({"same name as another": alike} if alike else {})
    return Built(ExamplePage(name, gray, (), list(first.values())), name, dropped)


def build(name: str, protocol: str, root: str | None, split: str | None, decoys: bool) -> Iterator[Built]:
    """The pages of an annotated data set; see ``pages``."""
    for source in sources(name, root, split):
        targets, dropped = _distinct(TARGETS[protocol](source))
        if protocol == "single":
            yield from _alone(source, targets, dropped)
        else:
            yield _together(source, targets, dropped, decoys)


def _distinct(targets: Iterable[Target | str]) -> tuple[list[Target], Counter[str]]:
    """The first target of each text, and why others are none."""
    first, dropped = dict[str, Target](), Counter[str]()
    for target in targets:
        if isinstance(target, str):
            dropped[target] += 1
        elif target.text in first:
            dropped["same name as another"] += 1
        else:
            first[target.text] = target
    return list(first.values()), dropped


def _together(source: Source, targets: Sequence[Target], dropped: Counter[str], decoys: bool) -> Built:
    """The page with all answers erased."""
    blank = kept_cleared(source, decoys)
    examples = []
    for target in targets:
        if max(blank.left[i] for i in target.answers) > _VISIBLE:
            dropped["still visible"] += 1
        else:
            examples.append(_example(source, target, blank))
    words = _words(source, {part.id for part in source.answers})
    return Built(ExamplePage(source.name, blank.gray, words, examples), source.name, dropped)


def _alone(source: Source, targets: Sequence[Target], dropped: Counter[str]) -> Iterator[Built]:
    """For each target the page with its answer erased and all others standing."""
    for target in targets:
        key = target.answers[0]
        blank = cleared_of(source, source.parts[key])
        if blank.left[key] > _VISIBLE:
            dropped["still visible"] += 1
            continue
        page = ExamplePage(f"{source.name}#{key}", blank.gray, _words(source, {key}), [_example(source, target, blank)])
        yield Built(page, source.name, dropped)
        dropped = Counter()
    if dropped:
        # What was left out last is told with a page that asks for nothing.
        yield Built(ExamplePage(source.name, gray_of(picture_of(source)), (), ()), source.name, dropped)


def _words(source: Source, gone: set[int]) -> list[Word]:
    return [word for part in source.parts.values() if part.id not in gone for word in part.words]


def _example(source: Source, target: Target, blank: Cleared) -> Example:
    own = set(target.answers)
    taken: list[Rect | Box] = [box for part in source.parts.values() if part.id not in own for box in part.boxes]
    return Example(target.text, target.box, field_of(target.box, blank.gray, taken), target.kind, target.labels)
