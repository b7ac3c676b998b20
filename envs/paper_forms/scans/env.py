"""FormGym/Scans: write one value into a noisy scan (FormGym, after FUNSD)."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np

from ...core.asset_cache import cached
from ...core.env import PaperworkEnv
from ...core.pages import page_image
from ...core.painting import Image
from ...core.scoring import Gold
from ...core.tasks import EndlessTasks, check_task, endless_secret
from ...core.templates import fill
from ...core.vector import BatchVectorEnv
from ..paper_form import FormField, PaperForm, paper_form
from ..state import PaperFormState, PaperTask, Target
from ..tools import TYPING_TOOLS
from .degradation import Degradation
from .scan_pages import SCANS, SIZE, clean_page, filling, moved_box, scan_facts, scan_names, scanned, target_field


class ScansEnv(PaperworkEnv):
    """Write a given value into the one empty field of a scanned form.

    Everything else on the page is filled in, and the page has been through a fax machine, a photocopier or a scanner.
    Tasks of the test split are pages; tasks of the train split are ``page/seed``, where the seed sets the typed text,
    the empty field, and the degradation of the page. The two splits share no page.

    Args:
        split: ``"test"`` or ``"train"``.
        secret: with "train", another number gives other endless tasks; one that nobody knows gives a private test.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if there is no such split, or it has no such secret.
    """

    tools = TYPING_TOOLS

    def __init__(self, split: str = "test", secret: int = 0, **kwargs: Any) -> None:
        self._secret = endless_secret(split, secret)
        super().__init__(SIZE, **kwargs)
        names = scan_names(split)
        self.task_ids = names if self._secret is None else EndlessTasks(names)

    def open_task(self, task_id: str) -> PaperFormState:
        """The scan with its empty field.

        Raises:
            ValueError: if there is no such task.
        """
        check_task(task_id, self.task_ids, self.task_ids[0])
        if self._secret is None:
            return _shipped_page(task_id)
        name, seed = task_id.split("/")
        return PaperFormState(*_made_background(name, int(seed), self._secret))


make_batch = partial(BatchVectorEnv, ScansEnv)
"""``ScansEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs)``."""


def _shipped_page(name: str) -> PaperFormState:
    folder = SCANS / "test" / name
    form, typed = paper_form(str(folder)), filling(folder)
    field = target_field(form, typed.target)
    task = _task(name, form, field, fill(field.value or "", typed.facts), typed.seed)
    return PaperFormState(task, page_image(folder / "page.png", SIZE))


@cached
def _made_background(name: str, seed: int, secret: int) -> tuple[PaperTask, Image]:
    folder = SCANS / "train" / name
    form = paper_form(str(folder))
    rng = np.random.default_rng([seed, secret])
    facts_seed, wear_seed = (int(n) for n in rng.integers(2**31, size=2))
    facts = scan_facts({fact for field in form.fields for fact in field.facts}, form.language, facts_seed)
    fields = [field for field in form.fields if field.value is not None]
    field = fields[int(rng.integers(len(fields)))]
    task = _task(f"{name}/{seed}", form, field, fill(field.value or "", facts), wear_seed)
    return task, scanned(clean_page(folder), form, facts, (field.name,), wear_seed)


def _task(task_id: str, form: PaperForm, field: FormField, value: str | None, seed: int) -> PaperTask:
    gold = Gold.of_field(field.matcher, value, field.label)
    return PaperTask(
        task_id=task_id,
        goal=f"Write the value given in the source text into the field “{field.label}” of this page.",
        source=f"Field: {field.label}\nValue: {value}",
        text_size=form.text_size,
        targets=(Target("answer", field.label, moved_box(form, field, seed), gold, field.comb),),
        face=form.face,
        angle=Degradation.drawn(np.random.default_rng(seed)).angle,
        others=tuple(moved_box(form, other, seed) for other in form.fields if other is not field),
    )
