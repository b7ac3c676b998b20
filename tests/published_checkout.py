"""A small checkout in the layout of the published FormGym: every construct of its source, with people of our own.

The source is real Python: ``reference`` runs it in a process of its own, which says what a reader of it must find.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

import form_nlu_fixture
from PIL import Image, ImageDraw

Version = Literal["A", "B"]
Place = tuple[str, int]
"""A file of the checkout and a line in it, from 1."""

DATA = Path(__file__).with_name("data") / "published_checkout"

# -- Source ----------------------------------------------------------------------------------------------------------

_FACT = re.compile(r"^(\w+) = (?:(cr|sec)(?:/(\w+)/(\w+))? )?([\[(].*|\w+\(.*) -> (.+)$")
_FIELD = re.compile(r"^(\w+): (\w+) = (.+)$")
_BASES = {"Sign": "SignOrInitial"}
_HEADS = {"user_features": "import random\nfrom enum import Enum\n", "fields": "import user_features\n"}
_MARK = "  #!"
"""Stands after a construct that no reader should accept."""
_DB_FACT = """class {name}(BaseUserCrDbAttr):
    \"""{sentence}\"""

    db = "{db}"
{place}    options = {options}

"""
_TOLD_FACT = """class {name}(BaseUserAttr):
    options = {options}

    @staticmethod
    def nl_desc(option):
        return f"{sentence}"

"""
_COMPUTED = """class {name}({base}):
    @classmethod
    def get_profile_info(self, user_profile):
        return {value}

"""


def _fact(match: re.Match[str]) -> str:
    name, db, row, column, options, sentence = match.groups()
    place = f'    row = "{row}"\n    col = "{column}"\n' if row else ""
    template = _DB_FACT if db else _TOLD_FACT
    return template.format(name=name, sentence=sentence, db=db, place=place, options=options)


def _field(match: re.Match[str]) -> str:
    name, kind, value = match.groups()
    base = _BASES.get(kind, f"Base{kind}Field")
    return _COMPUTED.format(name=name, base=base, value=value.replace("@", "user_profile.features."))


def _text(name: str, version: Version) -> Iterator[str]:
    """The lines of a version: those below ``#: A`` or ``#: B`` are of this one only, up to ``#: both``."""
    current = "both"
    for line in (DATA / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("#: "):
            current = line[3:]
        elif current in ("both", version) and not line.startswith("# "):
            yield _FIELD.sub(_field, _FACT.sub(_fact, line))


def _source(module: str, version: Version, broken: bool) -> tuple[str, list[int]]:
    """The text of a module, and the lines of what no reader should accept."""
    bases = f"from {module}_bases import *" if version == "A" else "\n".join(_text(f"{module}_bases", version))
    parts = [_HEADS[module], bases, "", "", *_text(module, version)]
    parts += _text(f"unreadable_{module}", version) if broken else []
    lines = "\n".join(parts).splitlines()
    marked = [i for i, line in enumerate(lines, start=1) if line.endswith(_MARK)]
    return "\n".join(line.removesuffix(_MARK) for line in lines) + "\n", marked


# -- Pages -----------------------------------------------------------------------------------------------------------

UNREADABLE_PICTURE = "db_1_0"
NOT_ANNOTATED = "al_9_0"
FUNSD_TEST: Mapping[str, tuple[str, str]] = {
    "83624198": ("DATE:", "11/02/1994"),
    "85201976": ("TO", "Ms. R. Thorne"),
    "93380187": ("NO. OF CASES (in thousands):", "1,250"),
}
"""Question and answer of each page of FUNSD."""
_PICTURED = {"A": re.compile("al_[0-3]|cr|xx"), "B": re.compile("al|cr|db")}
_TICK = re.compile(r"Housing_|Work_[FO]|Citizen|Bankrupt|Joint|Alone|OfficeTick|StraightTick|Cosigns|Term_|db_0_4")
_FUNSD_SIZE = (762, 1000)
_FUNSD_BOX = (200, 300, 300, 24)


@dataclass(frozen=True)
class Page:
    """A page: width and height of its picture, by how much its slot is larger, and the names of its fields."""

    size: tuple[int, int]
    larger: float
    names: tuple[str, ...]


def pages_of(version: Version) -> dict[str, Page]:
    """The annotated pages of a version."""
    pages = {}
    for line in _text("pages", version):
        name, size, larger, *names = line.split(" ")
        width, height = map(int, size.split("x"))
        pages[name] = Page((width, height), float(larger), tuple(names))
    return pages


def fields_of(page: Page) -> Iterator[tuple[str, tuple[int, int, int, int]]]:
    """Name and box of each field, left, top, width and height in pixels of the picture; two columns."""
    (width, height), names = page.size, page.names
    rows = -(-len(names) // 2)
    step = (height - 60) // max(rows, 14)
    for i, name in enumerate(names):
        left, top = 20 + (width // 2) * (i // rows), 40 + step * (i % rows)
        size = min(step // 2, 24)
        yield name, (left, top, *((size, size) if _TICK.match(name) else (width // 2 - 40, size)))


def write_checkout(folder: Path, version: Version, broken: bool = False) -> tuple[Place, ...]:
    """Write a checkout and return where its source has what no reader should accept.

    Args:
        folder: where; it need not exist.
        version: ``"A"``, as of the paper, or ``"B"``, as published later.
        broken: add such constructs, a field each, to no page.
    """
    for part in ("annotations/funsd_test", "pngs", "targets"):
        (folder / part).mkdir(parents=True)
    places = []
    for module in _HEADS:
        text, lines = _source(module, version, broken)
        (folder / f"{module}.py").write_text(text, encoding="utf-8")
        places += [(f"{module}.py", line) for line in lines]
        if version == "A":
            bases = "\n".join(_text(f"{module}_bases", version)) + "\n"
            (folder / f"{module}_bases.py").write_text(bases, encoding="utf-8")
    for name in ("apis", "main"):
        (folder / f"{name}.py").write_text('raise SystemExit("This is never run")\n')
    for name, page in pages_of(version).items():
        _write_page(folder, name, page, version)
    if version == "B":
        _picture((300, 400), ()).save(folder / "pngs" / f"{NOT_ANNOTATED}.png")
        (folder / "pngs" / f"{UNREADABLE_PICTURE}.png").write_bytes(b"no picture")
    for name, pair in FUNSD_TEST.items():
        _write(folder / "annotations/funsd_test" / f"{name}.json", _funsd_annotation(name, pair))
    form_nlu_fixture.write_fixture(folder / "annotations/form-nlu", ("val",))
    if version == "A":
        (folder / "annotations/form-nlu/val.json").unlink()
    return tuple(places)


def write_fixture(folder: Path) -> Path:
    """Write the paper's version, with FUNSD's pictures in it, and return its folder."""
    write_checkout(folder, "A")
    pictures = write_funsd(folder / "funsd") / "testing_data/images"
    pictures.rename(folder / "pngs/funsd_test")
    return folder


def write_funsd(folder: Path) -> Path:
    """Write the pictures that ``annotations/funsd_test`` is of, in FUNSD's own layout, and return ``folder``."""
    for part in ("images", "annotations"):
        (folder / "testing_data" / part).mkdir(parents=True)
    left, top, width, height = _FUNSD_BOX
    for name, (question, answer) in FUNSD_TEST.items():
        picture = Image.new("L", _FUNSD_SIZE, 225)
        draw = ImageDraw.Draw(picture)
        draw.text((20, top + 4), question, fill=10)
        draw.text((left + 4, top + 4), answer, fill=10)
        picture.save(folder / "testing_data/images" / f"{name}.png")
        boxes = {"question": [20, top, left - 4, top + height], "answer": [left, top, left + width, top + height]}
        form = [
            {"id": i, "text": text, "box": box, "label": label, "words": [], "linking": [[0, 1]]}
            for i, (text, (label, box)) in enumerate(zip((question, answer), boxes.items(), strict=True))
        ]
        _write(folder / "testing_data/annotations" / f"{name}.json", {"form": form})
    return folder


def _write_page(folder: Path, name: str, page: Page, version: Version) -> None:
    fields = list(fields_of(page))
    boxes = [[page.larger * value for value in box] for _, box in fields]
    marks = [_mark(f"{name}-{i}", field, boxes[i]) for i, (field, _) in enumerate(fields)]
    tag = {"id": f"{name}-tag", "name": "a_tag", "tag": {}, "properties": []}
    annotation = _annotation(name, [round(page.larger * value) for value in page.size], [*marks, tag])
    _write(folder / "annotations" / f"{name}.json", annotation)
    _write(folder / "targets" / f"{name}_targets.json", {"selected_ids": [mark["id"] for mark in marks]})
    if _PICTURED[version].match(name):
        _picture(page.size, [box for _, box in fields]).save(folder / "pngs" / f"{name}.png")


def _funsd_annotation(name: str, pair: tuple[str, str]) -> dict[str, Any]:
    properties = [{"frame_index": None, "name": n, "value": v} for n, v in zip(("key", "value"), pair, strict=True)]
    return _annotation(name, _FUNSD_SIZE, [_mark(f"{name}-0", "field", _FUNSD_BOX) | {"properties": properties}])


def _mark(number: str, name: str, box: Iterable[float]) -> dict[str, Any]:
    corners = dict(zip("xywh", box, strict=True))
    return {"bounding_box": corners, "id": number, "name": name, "properties": [], "slot_names": ["0"]}


def _annotation(page: str, size: Iterable[int], marks: list[dict[str, Any]]) -> dict[str, Any]:
    slot = dict(zip(("width", "height"), size, strict=True)) | {"type": "image", "slot_name": "0"}
    item = {"name": f"{page}.png", "path": "/", "slots": [slot]}
    return {"version": "2.0", "schema_ref": "", "item": item, "annotations": marks, "properties": []}


def _picture(size: tuple[int, int], boxes: Iterable[tuple[int, int, int, int]]) -> Image.Image:
    picture = Image.new("L", size, 255)
    draw = ImageDraw.Draw(picture)
    for x, y, width, height in boxes:
        draw.rectangle((x - 1, y - 1, x + width, y + height), outline=90)
    return picture


def _write(file: Path, content: object) -> None:
    file.write_text(json.dumps(content), encoding="utf-8")


# -- What the source says when it is run -------------------------------------------------------------------------------

_RUN = r"""
import inspect, json, re, sys
sys.path.insert(0, sys.argv[1])
import fields, user_features as facts
told = facts.BaseUserAttr.__subclasses__()
told.remove(facts.BaseUserCrDbAttr)
stored = facts.BaseUserCrDbAttr.__subclasses__()
order = {name: i for i, name in enumerate(vars(facts))}
everything = sorted(told + stored, key=lambda fact: order[fact.__name__])
names = [fact.__name__ for fact in everything]

class User:
    def __init__(self, number):
        chosen = {fact.__name__: fact.options[number % len(fact.options)] for fact in everything}
        self.features = type("Features", (), chosen)()

users = [User(number) for number in range(4)]

def value(field, user):
    try:
        return [field.get_profile_info(user)]
    except Exception:
        return []

def relevant(field, met):
    source = inspect.getsource(field)
    found = set(re.findall(r"(?:feat|user_profile\.features)\.(\w+)", source))
    for other in set(re.findall(r"(\w+)\.get_profile_info", source)) - met:
        if hasattr(fields, other):
            found |= relevant(getattr(fields, other), met | {other})
    return found

kinds = {name: kind for name, kind in fields.BaseField.kinds.items() if kind != "BaseField"}
chosen = {name: relevant(getattr(fields, name), {name}) for name in kinds}
print(json.dumps({
    "facts": {fact.__name__: [getattr(user.features, fact.__name__) for user in users] for fact in everything},
    "sentences": {f.__name__: [f.nl_desc(getattr(user.features, f.__name__)) for user in users] for f in told},
    "stored": {f.__name__: [f.db, f.row, f.col] for f in stored},
    "kinds": kinds,
    "values": {name: [value(getattr(fields, name), user) for user in users] for name in kinds},
    "relevant": {name: [fact for fact in names if fact in chosen[name]] for name in kinds},
}))
"""


def reference(folder: Path) -> Any:
    """What the source of a checkout says, run in another process.

    A dictionary: ``facts``: the option of each user, by fact, in the order of the source; ``sentences``: the same of
    those told, ``stored``: database, row and column of the others; ``kinds``: the base of each field; ``values``: a
    list for each user, empty where the field fails; ``relevant``: the facts that a field depends on.
    """
    command = [sys.executable, "-B", "-c", _RUN, str(folder)]
    return json.loads(subprocess.run(command, capture_output=True, text=True, check=True).stdout)


def reference_values(folder: Path) -> dict[tuple[int, str], Any]:
    """The value of each field for each user; those that fail are left out."""
    values = reference(folder)["values"]
    return {(user, name): v for name, users in values.items() for user, found in enumerate(users) for v in found}
