"""DocEdit: edit a structured document on request (Agent-DocEdit)."""

from __future__ import annotations

import zlib
from abc import abstractmethod
from collections.abc import Sequence
from typing import Any

import numpy as np

from ..core.asset_cache import CACHE, cached
from ..core.env import PaperworkEnv
from ..core.locators import Locator
from ..core.tasks import TaskSplit, chosen_names, endless_secret
from .grounding.grounder import GROUNDERS, ORACLES, make_grounder
from .layouts.generator import make_document
from .requests.frozen import frozen_requests
from .requests.generate import planned_request
from .scene.document import Document
from .shipped import shipped_document, shipped_documents
from .state import DocumentState, DocumentTask
from .tools import ACTION_MODES, tools_for

TEST = "test_"
"""The prefix of shipped requests' numbers in task ids; endless tasks have plain seeds."""
_BYTES_PER_LETTER = 18
"""About how much memory a task takes, by the length of its document as JSON."""


class EditEnv(PaperworkEnv):
    """The base class of the environments that edit documents on request.

    The observation shows a page, the request as ``"goal"``, and the document as JSON as ``"source"``, both as they are
    now.

    Args:
        canvas: height and width of the page in pixels.
        n_pages: how many pages the longest document has.
        task_ids: the tasks.
        action_mode: ``"operations"``: a tool for each operation on an element; ``"program"``: whole programs, each run
            on the document as it was at first.
        grounder: ``None``: agents name elements by their ids. Otherwise there are tools and functions of programs that
            find elements and places by words, as in the paper, and this is what they ask: ``"texts"``, ids and whole
            texts alone; ``"document"``, what is seen on the picture of the page as well (extra ``fieldfinder``); a
            locator of your own; for studies ``"oracle"``, which knows, and ``"noisy"``, which knows but errs.
        grounder_accuracy: how often ``"noisy"`` is right.
        strict: whether programs must name every argument of the published signatures.
        names: whether the source and the tools give the elements' names, such as "ticket price", which say what they
            are. This is a privilege, for agents that see no pictures: requests often use the very words.
        marks: whether each element has a small tag with the number of its id on the page.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a mode of action or grounder is unknown, or the accuracy is no share, or of another grounder.
    """

    reward_metric = "progress"

    def __init__(
        self,
        canvas: tuple[int, int],
        n_pages: int,
        task_ids: Sequence[str],
        action_mode: str = "operations",
        grounder: str | Locator | None = None,
        grounder_accuracy: float = 1.0,
        strict: bool = False,
        names: bool = False,
        marks: bool = True,
        **kwargs: Any,
    ) -> None:
        if not isinstance(action_mode, str) or action_mode not in ACTION_MODES:
            raise ValueError(f"action_mode must be one of {', '.join(ACTION_MODES)}, not {action_mode!r}")
        if grounder is not None and not hasattr(grounder, "locate") and grounder not in GROUNDERS:
            raise ValueError(f"grounder must be None (null) or one of {', '.join(GROUNDERS)}, not {grounder!r}")
        if not isinstance(grounder_accuracy, int | float) or not 0 <= grounder_accuracy <= 1:
            raise ValueError(f"grounder_accuracy must be a number in [0, 1]; it is {grounder_accuracy!r}")
        if grounder_accuracy != 1 and grounder != "noisy":
            raise ValueError(f"grounder_accuracy is of grounder='noisy'; the grounder is {grounder!r}")
        self.tools = tools_for(action_mode, n_pages, search=grounder is not None)
        self._by_program, self._strict, self._names = action_mode == "program", bool(strict), bool(names)
        self._marks = bool(marks)
        self._grounder, self._accuracy = grounder, grounder_accuracy
        self._canvas, self.task_ids = canvas, task_ids
        super().__init__(canvas, **kwargs)

    @abstractmethod
    def task(self, task_id: str) -> DocumentTask:
        """The task with an id.

        Raises:
            ValueError: if there is none.
        """

    def open_task(self, task_id: str) -> DocumentState:
        """The state of a task before the edit.

        Raises:
            ValueError: if there is no such task.
        """
        task = self.task(task_id)
        known = task.mentioned if self._grounder in ORACLES else {}
        grounder = make_grounder(self._grounder, known, self._accuracy)
        return DocumentState(task, grounder, self._canvas, self._by_program, self._strict, self._marks)


class DocumentEnv(EditEnv):
    """Edit the shipped documents, or endless generated ones, as requests ask.

    Tasks are ``document/test_number``; in the train split ``document/seed``: another document of that kind and size,
    with a request of its own. ``reset(options=...)`` takes ``{"task": ...}`` or ``{"document": ...}``.

    Args:
        documents: names of shipped documents; ``None``: all. Smaller ones are in the left top corner of the page.
        split: ``"test"``: the shipped requests for the shipped documents; ``"train"``: endless ones from the seed.
        secret: another number gives other endless tasks; one that nobody knows, a private test.
        **kwargs: see ``EditEnv``.

    Raises:
        ValueError: if a document or split is unknown, or the split has no such secret.

    >>> env = DocumentEnv("concert_poster")
    >>> observation, info = env.reset(options={"task": "concert_poster/test_0"})
    >>> call = {"object_id": "e7", "modification": "Saturday 21 June, 7 pm", "type_of_modification": "text"}
    >>> action = env.action_space.action("modify", **call)
    >>> env.step(action)[4]["score"]["success"]
    1.0
    """

    split: TaskSplit

    def __init__(
        self, documents: str | Sequence[str] | None = None, split: str = "test", secret: int = 0, **kwargs: Any
    ) -> None:
        self.documents = documents_named(documents)
        self.split = document_split(self.documents, endless_secret(split, secret))
        n_pages = max(len(shipped_document(name).pages) for name in self.documents)
        super().__init__(largest_page(self.documents), n_pages, self.split.task_ids(), **kwargs)

    def task(self, task_id: str) -> DocumentTask:
        """The task with an id.

        Raises:
            ValueError: if there is none.
        """
        return document_task(task_id, self.split, self._names)


def documents_named(documents: str | Sequence[str] | None) -> tuple[str, ...]:
    """The names of shipped documents, checked; ``None``: all.

    Raises:
        ValueError: if one is unknown or named twice, or there are none.
    """
    return chosen_names(documents, shipped_documents(), "document")


def document_split(documents: tuple[str, ...], secret: int | None = None) -> TaskSplit:
    """The tasks of some documents; a secret makes them endless."""
    return TaskSplit("document", documents, _shipped_numbers, secret)


def _shipped_numbers(document: str) -> list[str]:
    return [f"{TEST}{number}" for number in range(len(frozen_requests(document)))]


def document_task(task_id: str, split: TaskSplit, names: bool = True) -> DocumentTask:
    """The task with an id, with or without the names of elements.

    Raises:
        ValueError: if there is none.
    """
    name, number = split.parse(task_id)
    if split.secret is None:
        return _shipped_task(name, int(number.removeprefix(TEST)), names)
    return _endless_task(name, int(number), split.secret, names)


@cached
def _shipped_task(name: str, number: int, names: bool) -> DocumentTask:
    request = frozen_requests(name)[number]
    return DocumentTask(f"{name}/{TEST}{number}", shipped_document(name), request).prepared(names)


def _made_task(name: str, seed: int, secret: int, names: bool) -> DocumentTask:
    document = endless_document(name, seed, secret)
    request = planned_request(document, seed, secret)
    return DocumentTask(f"{name}/{seed}", document, request).prepared(names)


_endless_task = CACHE.cached(_made_task, size_of=lambda task: _BYTES_PER_LETTER * task.source.longest)


def endless_document(name: str, seed: int, secret: int) -> Document:
    """A document made from a seed, of the kind and size of a shipped one."""
    model = shipped_document(name)
    rng = np.random.default_rng([zlib.crc32(name.encode()), seed, secret])
    size = model.pages[0].width, model.pages[0].height
    return make_document(model.kind, size, len(model.pages), rng, name)


def largest_page(documents: Sequence[str]) -> tuple[int, int]:
    """Height and width of a page that holds every page of some documents."""
    pages = [shipped_document(name).pages[0] for name in documents]
    return max(page.height for page in pages), max(page.width for page in pages)
