"""FormGym/XFUND: put answers back on a form in one of seven languages that they were erased from (FormGym).

The data are the user's own copy of XFUND (Xu et al., 2022), in its own layout; none of it comes with this package.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...core.vector import BatchVectorEnv
from .scanned import ScannedEnv
from .xfund_data import XFUND, annotation_files, xfund_pages


class XfundEnv(ScannedEnv):
    """Write given values into the fields of a form that they were erased from; see ``ScannedEnv``.

    Chinese and Japanese answers hold characters that the typeface of what is written lacks. They are drawn as boxes,
    and the feedback says so; what is scored is the text.

    Args:
        root: the folder with ``zh.val.json`` and its like, and the pictures in folders ``zh.val`` or ``images``, or
            beside the JSON; without it, ``xfund``, ``XFUND`` or ``XFUN`` in the folder named by the environment
            variable FORMGYM_DATA, or that folder itself.
        language: ``"zh"``, ``"ja"``, ``"es"``, ``"fr"``, ``"it"``, ``"de"``, ``"pt"``, or ``None`` for all that are
            there.
        split: ``"test"``, which XFUND calls ``val``, or ``"train"``.
        answers: ``"one"``: tasks are ``page#entity``; ``"all"``: tasks are pages.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or are broken, or there is no such language or split.
    """

    def __init__(
        self,
        root: str | None = None,
        language: str | None = None,
        split: str = "test",
        answers: str = "one",
        **kwargs: Any,
    ) -> None:
        files = annotation_files(root, language, split)
        self.languages = tuple(file.name.split(".")[0] for file in files)
        super().__init__(XFUND, files[0].parent, xfund_pages(files), answers, **kwargs)


make_batch = partial(BatchVectorEnv, XfundEnv)
"""``XfundEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, root=...)``."""
