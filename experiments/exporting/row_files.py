"""Files of rows with pictures, as Hugging Face's ``datasets`` reads them: Parquet and JSON lines."""

from __future__ import annotations

import io
import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image as PillowImage

from ...envs.core.files import foreign_lines, open_foreign, parse_json, read_foreign
from ...envs.core.painting import Image
from ..running.rollout import page_digest

Row = dict[str, Any]
"""Values by column. Pictures are arrays until they are written, and read as the bytes of their PNG files."""
Columns = Mapping[str, str]
"""Names of columns, and what they hold: a type of ``datasets.Value``, image, images, box or messages."""

_MAX_GROUP_BYTES, _MAX_GROUP_ROWS = 64_000_000, 1_000
"""Of a row group of Parquet, which is held in memory; a picture counts once a row."""
_MAX_LINE, _MAX_PICTURE = 64_000_000, 32_000_000
"""Bytes of a line and of a picture's file that are read."""
_MAX_PIXELS = 4096**2
_FILE_NAMES = {"image": "_file_name", "images": "_file_names"}
"""Ends the names of columns of pictures' paths, which ``datasets`` reads as pictures."""


def converted(row: Row, columns: Columns, convert: Callable[[Any], Any]) -> Row:
    """A row in the order of its columns, with its pictures converted."""

    def value_of(name: str, kind: str) -> Any:
        value = row[name]
        if kind == "images":
            return list(map(convert, value))
        return convert(value) if kind == "image" and value is not None else value

    return {name: value_of(name, kind) for name, kind in columns.items() if name in row}


class _Png(NamedTuple):
    """A picture: the bytes of its PNG file, and the digest of its pixels."""

    content: bytes
    sha256: str


def _png_encoder() -> Callable[[Image], _Png]:
    """A function that makes a ``_Png`` of a picture; the last picture is not encoded again."""
    last = _Png(b"", "")

    def encode(picture: Image) -> _Png:
        nonlocal last
        if (digest := page_digest(picture)) != last.sha256:
            file = io.BytesIO()
            PillowImage.fromarray(picture).save(file, "PNG")
            last = _Png(file.getvalue(), digest)
        return last

    return encode


@lru_cache(maxsize=4)
def pixel_digest(content: bytes) -> str:
    """The digest of the pixels in a PNG file.

    Raises:
        OSError: if it is none, or too large for a page.
    """
    with PillowImage.open(io.BytesIO(content)) as picture:
        if picture.width * picture.height > _MAX_PIXELS:
            raise OSError(f"a picture of {picture.width} by {picture.height} pixels is no page")
        return page_digest(np.asarray(picture))


# -- Parquet -------------------------------------------------------------------------------------------------------


def write_parquet(rows: Iterable[Row], columns: Columns, path: Path) -> None:
    """Write rows in row groups of bounded size; each stores equal pictures once."""
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    schema = features(columns).arrow_schema
    # ``Dataset.to_parquet`` would store a page once for each of its targets. All pictures of a group fit into the
    # dictionary of their column, in which equal values are stored once.
    with ParquetWriter(path, schema, compression="zstd", dictionary_pagesize_limit=2 * _MAX_GROUP_BYTES) as writer:
        for group in _groups(rows, columns):
            writer.write_table(Table.from_pylist(group, schema))


def features(columns: Columns) -> Any:
    """The columns as the features of Hugging Face's ``datasets``."""
    from datasets import Features, Image, List, Value

    text = Value("string")
    special = {
        "image": Image(),
        "images": List(Image()),
        "box": List(Value("float64"), length=4),
        # The content of a message: a picture has no text.
        "messages": List({"role": text, "content": List({"type": text, "text": text})}),
    }
    return Features({name: special.get(kind) or Value(kind) for name, kind in columns.items()})


def _groups(rows: Iterable[Row], columns: Columns) -> Iterator[list[Row]]:
    encode, group, size = _png_encoder(), list[Row](), 0

    def packed(picture: Image) -> dict[str, Any]:
        nonlocal size
        png = encode(picture)
        size += len(png.content)
        return {"bytes": png.content, "path": f"{png.sha256}.png"}

    for row in rows:
        group.append(converted(row, columns, packed))
        if size >= _MAX_GROUP_BYTES or len(group) >= _MAX_GROUP_ROWS:
            yield group
            group, size = [], 0
    if group:
        yield group


def read_parquet(path: Path, columns: Columns) -> Iterator[Row]:
    """The rows of a file of ``write_parquet``."""
    from pyarrow.parquet import ParquetFile

    with open_foreign(path) as source, ParquetFile(source) as file:
        for batch in file.iter_batches(batch_size=64):
            for row in batch.to_pylist():
                yield converted(row, columns, lambda picture: picture["bytes"])


# -- JSON lines ----------------------------------------------------------------------------------------------------


def write_jsonl(rows: Iterable[Row], columns: Columns, path: Path) -> None:
    """Write a line a row, and each picture once as a PNG file in ``images`` beside."""
    images, encode = path.parent / "images", _png_encoder()
    images.mkdir()

    def file_of(picture: Image) -> str:
        png = encode(picture)
        file = images / f"{png.sha256}.png"
        if not file.exists():
            file.write_bytes(png.content)
        return f"images/{file.name}"

    with path.open("x", encoding="utf-8") as lines:
        for row in rows:
            values = converted(row, columns, file_of).items()
            line = {name + _FILE_NAMES.get(columns[name], ""): value for name, value in values}
            lines.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def read_jsonl(path: Path, columns: Columns) -> Iterator[Row]:
    """The rows of a file of ``write_jsonl``."""
    names = {name + _FILE_NAMES.get(kind, ""): name for name, kind in columns.items()}
    for number, line in enumerate(foreign_lines(path, _MAX_LINE), start=1):
        values = parse_json(line, f"{path}, line {number}")
        row = {names[name]: value for name, value in values.items() if name in names}
        yield converted(row, columns, lambda name: _picture(path.parent, name))


def _picture(folder: Path, name: str) -> bytes:
    """The bytes of a picture of a data set.

    Raises:
        ValueError: if it is none of those beside its rows.
    """
    if not re.fullmatch(r"images/[0-9a-f]+\.png", name) or (folder / "images").is_symlink():
        raise ValueError(f"{name!r} is no picture of an export")
    return read_foreign(folder / name, _MAX_PICTURE)


class Format(NamedTuple):
    """A format of rows: the path of a split's file, as ``datasets`` expects it, what writes it, and what reads it."""

    file: str
    write: Callable[[Iterable[Row], Columns, Path], None]
    read: Callable[[Path, Columns], Iterator[Row]]


FORMATS: Mapping[str, Format] = {
    "parquet": Format("{}.parquet", write_parquet, read_parquet),
    "jsonl": Format("{}/metadata.jsonl", write_jsonl, read_jsonl),
}
