"""Fenced blocks of Markdown pages, and the directives that say how they are tested.

A directive is a comment in front of a block, ``<!-- test: NAME REST -->``; a block may have several:

- ``skip REASON``: cannot be run here;
- ``check``: shell; not run, but its commands of formgym are parsed and their configurations composed;
- ``needs DATA``: folders or files of FORMGYM_DATA; where one is not there, made data, and then any output will do;
- ``provider``: with a model's provider on loopback, in the place of localhost and of OpenAI;
- ``add ARGUMENTS``: to each command that evaluates, sweeps or trains, in the place of those of the same name;
- ``file NAME``: written to that file, and not run.

A ``text`` block directly after a block is its output, ``...`` in it stands for anything.
"""

import re
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = {
    str(path.relative_to(ROOT)): path
    for path in (ROOT / "README.md", ROOT / "CONTRIBUTING.md", *sorted((ROOT / "docs").rglob("*.md")))
}
DIRECTIVES = {"skip", "check", "needs", "provider", "add", "file"}
_FENCE = re.compile(r"(?P<indent>[ ]*)(?P<fence>`{3,}|~{3,})[ ]*\{?\.?(?P<language>[\w+-]*)")
_DIRECTIVE = re.compile(r"\s*<!-- test: (\S+)\s*(.*?)\s*-->\s*")


@dataclass
class Block:
    """A fenced block; ``line`` is the first of its code, counted from 1; ``output`` what it prints, if that is told."""

    page: str
    line: int
    language: str
    code: str
    directives: dict[str, str] = field(default_factory=dict)
    output: str | None = None

    @property
    def place(self):
        return f"{self.page}:{self.line}"


def blocks_of(path):
    """The blocks of a page, in order; output is with the block that prints it, and no block of its own."""
    blocks, directives, last = [], {}, None
    lines = path.read_text(encoding="utf-8").splitlines()
    at = 0
    while at < len(lines):
        if fence := _FENCE.match(lines[at]):
            end = next(i for i in range(at + 1, len(lines)) if lines[i].strip() == fence["fence"])
            code = "\n".join(line.removeprefix(fence["indent"]) for line in lines[at + 1 : end]) + "\n"
            if fence["language"] == "text" and last and not directives:
                last.output, last = code, None
            else:
                page = str(path.relative_to(ROOT)) if path.is_relative_to(ROOT) else path.name
                blocks.append(Block(page, at + 2, fence["language"], code, directives))
                last = blocks[-1] if fence["language"] in ("python", "sh") else None
            directives, at = {}, end
        elif directive := _DIRECTIVE.fullmatch(lines[at]):
            directives, last = directives | {directive[1]: directive[2]}, None
        elif lines[at].strip():
            assert not directives, f"{path.name}:{at + 1}: a directive stands directly before its block"
            last = None
        at += 1
    assert not directives, f"{path.name}: the last directive has no block"
    return blocks
