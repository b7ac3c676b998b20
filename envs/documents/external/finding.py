"""Finding what a folder holds of data sets that can be played."""

from __future__ import annotations

from pathlib import Path

from .crello import LAYOUT as CRELLO_LAYOUT
from .crello import REQUESTS
from .pptc import LAYOUT as PPTC_LAYOUT
from .pptc import pptc_tasks, read_pptc
from .requests import crello_tasks
from .tasks import ExternalTask, Skipped

LAYOUT = f"""expected is one or both of
  crello/  {CRELLO_LAYOUT}, and {REQUESTS}: a line {{"id", "document", "request", "calls"}} each
  pptc/    {PPTC_LAYOUT}"""


def external_tasks(root: Path, skipped: list[Skipped] | None = None) -> list[ExternalTask]:
    """All tasks in a folder: the requests for designs in ``crello/``, the turns with decks in ``pptc/``.

    Args:
        root: the folder.
        skipped: takes the turns that are not among the tasks; see ``pptc_tasks``.

    Raises:
        ValueError: if there are none, or a row is broken; the message names file and line, or the layout expected.
    """
    tasks: list[ExternalTask] = []
    skipped = [] if skipped is None else skipped
    if (root / "crello" / REQUESTS).is_file():
        tasks += crello_tasks(root / "crello")
    if (root / "pptc").is_dir():
        tasks += pptc_tasks(read_pptc(root / "pptc"), skipped)
    if not tasks:
        why = f"; {len(skipped)} turns cannot be played, the first: {skipped[0].problem}" if skipped else ""
        raise ValueError(f"no tasks in {root}{why}; {LAYOUT}")
    return tasks
