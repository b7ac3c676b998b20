"""FormGym/FormNLU: put answers back on a notice to the Australian stock exchange that they were erased from (FormGym).

The data are the user's own copy of Form-NLU (Ding et al., 2023), in COCO JSON; none of it comes with this package.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...core.vector import BatchVectorEnv
from .form_nlu_data import FORM_NLU, annotation_file, form_nlu_pages
from .scanned import ScannedEnv


class FormNluEnv(ScannedEnv):
    """Write given values into the fields of a notice that they were erased from; see ``ScannedEnv``.

    Args:
        root: the folder with ``val.json`` and its like, and the pictures in a folder ``images`` or beside the JSON;
            without it, ``form_nlu``, ``form-nlu``, ``FormNLU`` or ``Form-NLU`` in the folder named by the environment
            variable FORMGYM_DATA, or that folder itself. A checkout of the published FormGym, as ``root`` or there,
            has it in ``annotations/form-nlu``, where it is found as well.
        split: ``"val"``, which FormGym evaluates on, ``"train"``, or one of the test sets ``"test"`` (digital),
            ``"printed"`` and ``"handwritten"``.
        answers: ``"one"``: tasks are ``page#annotation``; ``"all"``: tasks are pages.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or are broken, or there is no such split.
    """

    def __init__(self, root: str | None = None, split: str = "val", answers: str = "one", **kwargs: Any) -> None:
        file = annotation_file(root, split)
        super().__init__(FORM_NLU, file.parent, form_nlu_pages(file), answers, **kwargs)


make_batch = partial(BatchVectorEnv, FormNluEnv)
"""``FormNluEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, root=...)``."""
