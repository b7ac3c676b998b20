"""FormGym/FUNSD: put answers back on a scanned form that they were erased from (FormGym).

The data are the user's own copy of FUNSD (Jaume et al., 2019), in its own layout; none of it comes with this package.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...core.vector import BatchVectorEnv
from .funsd_data import FUNSD, data_folder, funsd_pages
from .scanned import ScannedEnv


class FunsdEnv(ScannedEnv):
    """Write given values into the fields of a scanned form that they were erased from; see ``ScannedEnv``.

    Args:
        root: the folder with ``training_data`` and ``testing_data``; without it, ``funsd``, ``FUNSD`` or ``dataset`` in
            the folder named by the environment variable FORMGYM_DATA, or that folder itself.
        split: ``"test"``, ``"train"``, or ``None`` for the test split where there is one.
        answers: ``"one"``: tasks are ``page#entity``; ``"all"``: tasks are pages.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or are broken, or there is no such split.
    """

    def __init__(self, root: str | None = None, split: str | None = None, answers: str = "one", **kwargs: Any) -> None:
        folder = data_folder(root, split)
        super().__init__(FUNSD, folder, funsd_pages(folder), answers, **kwargs)


make_batch = partial(BatchVectorEnv, FunsdEnv)
"""``FunsdEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, root=...)``."""
