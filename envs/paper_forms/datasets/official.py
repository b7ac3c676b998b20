"""FormGym/Official: write made-up values into the named fields of the published FormGym's own forms (FormGym).

The data are the user's own checkout of https://github.com/mtoles/FormGym; none of it comes with this package.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from ...core.vector import BatchVectorEnv
from .official_data import FORMGYM, checkout, official_pages
from .scanned import ScannedEnv


class OfficialEnv(ScannedEnv):
    """Write given values into the named fields of a blank form; see ``ScannedEnv``.

    The values are made up from the names of the fields (see ``fillers``), not those of the published users, so that
    figures do not compare with published ones.

    Args:
        root: the checkout, with ``annotations`` and ``pngs``; without it, ``formgym_official``, ``FormGym`` or
            ``formgym`` in the folder named by the environment variable FORMGYM_DATA, or that folder itself.
        domain: what names of pages begin with: ``"al"``: the auto loans; ``"cr"``, ``"db"`` and ``"xx"``: see
            ``docs/data.md``; ``None``: all annotated pages.
        answers: ``"all"``: tasks are pages; ``"one"``: tasks are ``page#field``.
        values: another number gives other values.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if the data are not there or an annotation is broken, or there is no such domain. A page whose
            picture is missing or unreadable is left out with a warning, and counted in ``skipped``.
    """

    def __init__(
        self,
        root: str | None = None,
        domain: str | None = "al",
        answers: str = "all",
        values: int = 0,
        **kwargs: Any,
    ) -> None:
        folder = checkout(root)
        super().__init__(FORMGYM, folder, official_pages(folder, domain, values), answers, **kwargs)


make_batch = partial(BatchVectorEnv, OfficialEnv)
"""``OfficialEnv`` as a ``BatchVectorEnv``: ``make_batch(num_envs, root=...)``."""
