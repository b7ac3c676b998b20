"""The environment of grounding on paper forms: point at the blank of a label."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import Any

from ...core.grounding import GroundingEnv, GroundingPage, GroundingTarget
from ...core.tasks import EndlessTasks, check_task, endless_secret
from .grounding_pages import DOMAINS, SPLITS
from .ladder_pages import LADDER

_DOMAINS = {**DOMAINS, **LADDER}


class PaperGroundingEnv(GroundingEnv):
    """Point at the fields of a paper form by their labels.

    Tasks are ``domain/page``. No form, page or name of a target of one split is in another one.

    Args:
        domain: ``"loans"``: the shipped loan forms; ``"scans"``: noisy scans, in which the empty fields are searched;
            ``"made"``: drawn forms of many kinds, whose fonts come with ``formgym[train]``; ``"funsd"``: your copy of
            FUNSD without its answers; ``"level_0"`` to ``"level_3"``: small painted pages on which stock learners
            learn in minutes (see ``LEVELS``).
        split: ``"train"`` (endless for scans and made pages), ``"dev"`` or ``"test"``.
        secret: of the train split, another number gives other endless pages.
        names: ``"all"``; ``"unique"``: labels that are on the page once; ``"duplicate"``: more than once, in other
            sections, rows or columns; ``"twins"``: more than once in one row.
        root: the folder of FUNSD; ``None``: see ``FunsdEnv``.
        **kwargs: see ``GroundingEnv``.

    Raises:
        ValueError: if there is no such domain, split or kind of names, a secret goes with no endless pages, or FUNSD
            is not there.
    """

    def __init__(
        self,
        domain: str = "loans",
        split: str = "test",
        secret: int = 0,
        names: str = "all",
        root: str | None = None,
        **kwargs: Any,
    ) -> None:
        for what, value, known in (("domain", domain, _DOMAINS), ("split", split, SPLITS), ("names", names, NAMES)):
            if value not in known:
                raise ValueError(f"{what} must be one of {', '.join(known)}, not {value!r}")
        endless_secret("train" if split == "train" else "test", secret)
        self._domain, self._names = domain, names
        self._pages = _DOMAINS[domain](split, secret, root)  # type: ignore[arg-type]
        if secret and not isinstance(self._pages.task_ids, EndlessTasks):
            raise ValueError(f"secret makes endless pages, and the domain {domain!r} has none")
        super().__init__(self._pages.canvas, **kwargs)

    @cached_property
    def task_ids(self) -> Sequence[str]:  # type: ignore[override]  # names are looked up when they are needed
        """The ids of all pages; in dev and test, of those with targets."""
        tasks = self._pages.task_ids
        if self._names == "all" or isinstance(tasks, EndlessTasks):
            return tasks
        return tuple(task for task in tasks if self._targets(task))

    def open_page(self, task_id: str) -> GroundingPage:
        """A page with the fields that are asked for.

        Raises:
            ValueError: if there is no such task.
        """
        check_task(task_id, self.task_ids, self.task_ids[0])
        return GroundingPage(self._pages.image(self._name(task_id)), self._targets(task_id))

    def _targets(self, task_id: str) -> tuple[GroundingTarget, ...]:
        targets = self._pages.targets(self._name(task_id))
        asked = (target for target in targets if self._pages.asks_for(target.name))
        return tuple(target for target in asked if NAMES[self._names](target, targets))

    def _name(self, task_id: str) -> str:
        return task_id.removeprefix(f"{self._domain}/")


def printed_label(name: str) -> str:
    """What is printed at a field: its name without what is above it, in lower case."""
    return name.split(" | ")[0].rpartition(": ")[2].lower()


def namesakes(target: GroundingTarget, others: Sequence[GroundingTarget]) -> list[GroundingTarget]:
    """The other targets with the same printed label."""
    label = printed_label(target.name)
    return [other for other in others if other is not target and printed_label(other.name) == label]


def _is_twin(target: GroundingTarget, others: Sequence[GroundingTarget]) -> bool:
    """Whether another target with the same label is in the same row."""
    middle = (target.box[1] + target.box[3]) / 2
    return any(other.box[1] < middle < other.box[3] for other in namesakes(target, others))


NAMES: Mapping[str, Callable[[GroundingTarget, Sequence[GroundingTarget]], bool]] = {
    "all": lambda target, others: True,
    "unique": lambda target, others: not namesakes(target, others),
    "duplicate": lambda target, others: bool(namesakes(target, others)),
    "twins": _is_twin,
}
"""Whether a target is of a kind, among those of its page."""
