"""FormGym/Custom: fill in a form of one's own, read from a PDF, a picture or HTML (formgym import)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from hashlib import sha256 as digest_of
from pathlib import Path
from typing import Any

from ...core.env import PaperworkEnv, State
from ...core.tasks import check_task
from ..tools import tools_of
from .folder import CustomForm
from .gold import GOLD

_HOW = f"formgym import FORM.pdf --out DIR makes one; write its tasks into DIR/{GOLD}, then form=DIR"


class CustomEnv(PaperworkEnv):
    """Fill in a form of one's own, of one page or several.

    Tasks are those of ``gold.json`` in the form's folder: ``task``, or ``folder/task`` if there are several folders.
    Forms of several pages have the tool ``turn_page``, and their source begins with the number of the shown page; x and
    y are fractions of a sheet that holds the largest page of the form.

    Args:
        form: the folder of a form, or several.
        sha256: of the files, if they must be of a certain version: the ``data_sha256`` of an environment of it.
        **kwargs: see ``PaperworkEnv``.

    Raises:
        ValueError: if a folder holds no form, a file is broken, tasks do not go with their form, or the files have
            changed.
    """

    def __init__(self, form: str | Sequence[str] | None = None, sha256: str | None = None, **kwargs: Any) -> None:
        folders = [form] if isinstance(form, str | Path) else list(form or ())
        if not folders:
            raise ValueError(f"form is missing: the folder of a form; {_HOW}")
        forms = [CustomForm.load(str(folder)) for folder in folders]
        self._forms: Mapping[str, CustomForm] = {one.folder.resolve().name: one for one in forms}
        if len(self._forms) < len(folders):
            raise ValueError(f"two folders are called alike: {', '.join(map(str, folders))}")
        digests = "\n".join(one.digest for one in self._forms.values())
        self.data_sha256 = digest = digest_of(digests.encode()).hexdigest()
        if sha256 not in (None, digest):
            raise ValueError(
                f"{', '.join(map(str, folders))}: the files have changed; their digest is {digest[:12]}…, "
                f"and {str(sha256)[:12]}… is expected"
            )
        self._n_pages = max(len(one.form.sheets) for one in forms)
        tasks = [(one, *task) for one in forms for task in one.tasks.values()]
        pictures = [page for one, task, _ in tasks if (page := one.source_page(task)) is not None]
        sizes = [*(one.form.size for one in forms), *(page.shape[:2] for page in pictures)]
        self.tools = tools_of(
            signed=any(gold.matcher == "signature" for *_, golds in tasks for gold in golds.values()),
            database=any(task.tables for _, task, _ in tasks),
            n_pages=self._n_pages,
        )
        heights, widths = zip(*sizes, strict=True)
        super().__init__((max(heights), max(widths)), source_page=bool(pictures), **kwargs)
        several = len(forms) > 1
        self._names = {
            f"{folder}/{name}" if several else name: (folder, name)
            for folder, one in self._forms.items()
            for name in one.tasks
        }
        self.task_ids = tuple(self._names)

    def open_task(self, task_id: str) -> State:
        """The empty form of a task.

        Raises:
            ValueError: if there is no such task.
        """
        check_task(task_id, self._names, self.task_ids[0])
        folder, name = self._names[task_id]
        return self._forms[folder].open(name, task_id, self._n_pages > 1)
