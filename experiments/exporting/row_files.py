"""Files of rows with pictures, as Hugging Face's ``datasets`` reads them: Parquet and JSON lines."""

from __future__ import annotations

import io
import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from PIL import Image as PillowImage

from ...envs.core.painting import Image
from ..running.rollout import page_digest

Row = dict[str, Any]
"""Values by column. Pictures are written as ``Png`` and read as the bytes of their PNG files."""
Columns = Mapping[str, str]
"""Names of columns, and what they hold: a type of ``datasets.Value``, image, images, box or messages."""

_MAX_GROUP_BYTES, _MAX_GROUP_ROWS = 64_000_000, 1_000
"""Of a row group of Parquet, which is held in memory; a picture counts once a row."""
_FILE_NAME = "_file_name"
"""Ends the names of columns of pictures' paths, or with an s of lists of them; ``datasets`` reads them as pictures."""


class Png(NamedTuple):
    """A picture: the bytes of its PNG file, and the digest of its pixels."""

    content: bytes
    sha256: str


def png_encoder() -> Callable[[Image], Png]:
    """A function that makes a ``Png`` of a picture; the last picture is not encoded again."""
    last = Png(b"", "")

    def encode(picture: Image) -> Png:
        nonlocal last
        if (digest := page_digest(picture)) != last.sha256:
            file = io.BytesIO()
            PillowImage.fromarray(picture).save(file, "PNG")
            last = Png(file.getvalue(), digest)
        return last

    return encode


@lru_cache(maxsize=4)
def pixel_digest(content: bytes) -> str:
    """The digest of the pixels in a PNG file.

    Raises:
        OSError: if it is none.
    """
    with PillowImage.open(io.BytesIO(content)) as picture:
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
        for group in _groups(rows):
            writer.write_table(Table.from_pylist([{name: _packed(row[name]) for name in row} for row in group], schema))


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


def read_parquet(path: Path) -> Iterator[Row]:
    """The rows of a file of ``write_parquet``."""
    from pyarrow.parquet import ParquetFile

    with ParquetFile(path) as file:
        for batch in file.iter_batches(batch_size=64):
            for row in batch.to_pylist():
                yield {name: _unpacked(value) for name, value in row.items()}


def _groups(rows: Iterable[Row]) -> Iterator[list[Row]]:
    group: list[Row] = []
    size = 0
    for row in rows:
        group.append(row)
        size += sum(len(one.content) for value in row.values() for one in _as_list(value) if isinstance(one, Png))
        if size >= _MAX_GROUP_BYTES or len(group) >= _MAX_GROUP_ROWS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _packed(value: Any) -> Any:
    if type(value) is list:
        return [_packed(one) for one in value]
    return {"bytes": value.content, "path": f"{value.sha256}.png"} if isinstance(value, Png) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpacked(one) for one in value]
    return value["bytes"] if isinstance(value, dict) and "bytes" in value else value


def _as_list(value: Any) -> list[Any]:
    return value if type(value) is list else [value]


# -- JSON lines ----------------------------------------------------------------------------------------------------


def write_jsonl(rows: Iterable[Row], columns: Columns, path: Path) -> None:
    """Write a line a row, and each picture once as a PNG file in ``images`` beside."""
    images = path.parent / "images"
    images.mkdir()

    def file_of(picture: Png) -> str:
        file = images / f"{picture.sha256}.png"
        if not file.exists():
            file.write_bytes(picture.content)
        return f"images/{file.name}"

    with path.open("x", encoding="utf-8") as lines:
        for row in rows:
            line: dict[str, Any] = {}
            for name, value in row.items():
                if columns[name] == "image":
                    line[f"{name}{_FILE_NAME}"] = file_of(value) if value else None
                elif columns[name] == "images":
                    line[f"{name}{_FILE_NAME}s"] = list(map(file_of, value))
                else:
                    line[name] = value
            lines.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def read_jsonl(path: Path) -> Iterator[Row]:
    """The rows of a file of ``write_jsonl``."""
    with path.open(encoding="utf-8") as lines:
        for line in lines:
            row: Row = {}
            for name, value in json.loads(line).items():
                column, is_file, several = name.partition(_FILE_NAME)
                pictures = [(path.parent / one).read_bytes() for one in _as_list(value) if one] if is_file else []
                row[column] = (pictures if several else next(iter(pictures), None)) if is_file else value
            yield row


FORMATS: Mapping[str, tuple[str, Callable[[Iterable[Row], Columns, Path], None], Callable[[Path], Iterator[Row]]]] = {
    "parquet": ("{}.parquet", write_parquet, read_parquet),
    "jsonl": ("{}/metadata.jsonl", write_jsonl, read_jsonl),
}
"""The path of the file of a split, as ``datasets`` expects it, what writes rows to it, and what reads them."""
