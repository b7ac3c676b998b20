"""FormGym/Scans: fill in the blanks of a noisy scan that a memo answers (FormGym, after FUNSD)."""

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
from ..paper_form import PaperForm, paper_form
from ..state import PaperFormState, PaperTask, Target
from ..tools import TYPING_TOOLS
from .scan_pages import SCANS, SIZE, Filling, clean_page, degradation_of, filling, scan_names, scanned
from .scan_sources import gold_of, made_filling

_GOAL = (
    "Some blanks of this page are empty. Write in each of them what the source text states for it, and leave those "
    "empty for which it states nothing, or says that they stay empty."
)


class ScansEnv(PaperworkEnv):
    """Fill in those empty fields of a scanned form that a memo, a note or a letter answers.

    The source states more values than belong on the page, and some empty fields, often of like names, stay empty. The
    rest of the page is filled in, and it has been through a fax machine, a photocopier or a scanner. Tasks of the test
    split are pages; tasks of the train split are ``page/seed``, where the seed sets the typed text, the empty fields,
    the source, and the degradation of the page. The two splits share no page and no source.

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
        """The scan with its empty fields; see ``PaperworkEnv.open_task``."""
        check_task(task_id, self.task_ids, self.task_ids[0])
        if self._secret is None:
            return _shipped_page(task_id)
        name, seed = task_id.split("/")
        return PaperFormState(*_made_background(name, int(seed), self._secret))


def _shipped_page(name: str) -> PaperFormState:
    folder = SCANS / "test" / name
    return PaperFormState(_task(name, paper_form(str(folder)), filling(folder)), page_image(folder / "page.png", SIZE))


@cached
def _made_background(name: str, seed: int, secret: int) -> tuple[PaperTask, Image]:
    folder = SCANS / "train" / name
    form = paper_form(str(folder))
    typed = made_filling(form, np.random.default_rng([seed, secret]))
    page = scanned(clean_page(folder), form, typed.facts, typed.blanks, typed.seed)
    return _task(f"{name}/{seed}", form, typed), page


def _task(task_id: str, form: PaperForm, typed: Filling) -> PaperTask:
    degradation = degradation_of(typed.seed)
    moved = partial(degradation.moved, size=form.size)
    blanks = (field for field in form.fields if field.name in typed.blanks)
    return PaperTask(
        task_id=task_id,
        goal=_GOAL,
        source=typed.source,
        text_size=form.text_size,
        targets=tuple(
            Target(
                field.name,
                field.label,
                moved(field.box),
                gold_of(field, typed.facts) if field.name in typed.targets else Gold(field.matcher, None),
                field.comb,
            )
            for field in blanks
        ),
        face=form.face,
        angle=degradation.angle,
        others=tuple(moved(field.box) for field in form.fields if field.name not in typed.blanks),
        title=form.title,
    )
