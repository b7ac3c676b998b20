"""The counts in docs/data_sheet.md, written from the index of shipped files.

``python docs/data_sheet.py docs/data_sheet.md`` brings the file up to date.
"""

from __future__ import annotations

import re
import sys
from collections import defaultdict
from collections.abc import Iterator
from pathlib import Path

from formgym.assets import ROOT
from formgym.envs.registration import index

_ROW = re.compile(r"^\| `(?P<key>[^`]+)` \|(?P<cells>.*)\|$")


def with_current_counts(text: str) -> str:
    """The data sheet with the counts of the index in its tables.

    A row that begins with the id of an environment or the name of a folder keeps its other cells.

    Args:
        text: the data sheet as Markdown.

    Raises:
        ValueError: if a row names nothing that is shipped, or something shipped has no row.
    """
    counts = dict(_environment_counts()) | dict(_folder_counts())
    lines, found = [], set()
    for line in text.splitlines():
        if row := _ROW.match(line):
            key, cells = row["key"], row["cells"].split("|")
            if key not in counts:
                raise ValueError(f"the data sheet has a row for {key}, which is not shipped")
            found.add(key)
            line = "|".join([f"| `{key}` ", *(f" {count} " for count in counts[key]), *cells[len(counts[key]) :], ""])
        lines.append(line)
    if missing := sorted(counts.keys() - found):
        raise ValueError(f"the data sheet has no row for {', '.join(missing)}")
    return "\n".join(lines) + "\n"


def _environment_counts() -> Iterator[tuple[str, tuple[str, ...]]]:
    """By the first id of each class: its shipped ids, tasks, pages and fields."""
    classes = defaultdict(list)
    for env_id, entry in index()["environments"].items():
        if "tasks" in entry.get("facts", {}):
            classes[entry["entry_point"]].append((env_id, entry["facts"]))
    for rows in classes.values():
        sums = (sum(facts[name] for _, facts in rows) for name in ("tasks", "pages", "fields"))
        yield rows[0][0], (str(len(rows)), *(f"{count:,}" for count in sums))


def _folder_counts() -> Iterator[tuple[str, tuple[str, ...]]]:
    """Files and kilobytes of each folder of assets, and licences."""
    folders = defaultdict(list)
    for name in index()["files"]:
        folders[name.partition("/")[0]].append(name)
    for folder, names in folders.items():
        kilobytes = sum((ROOT / name).stat().st_size for name in names) / 1e3
        licences = dict.fromkeys(index()["files"][name]["licence"] for name in names)
        yield folder, (str(len(names)), f"{kilobytes:,.0f}", ", ".join(licences))


if __name__ == "__main__":
    page = Path(sys.argv[1])
    page.write_text(with_current_counts(page.read_text("utf-8")), "utf-8")
