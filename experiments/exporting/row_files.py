"""Files of rows with pictures: Parquet and JSON lines.

To add a format, add a row of FORMATS.
"""

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
"""Kinds of values by column, all of which ``_FEATURES`` and Arrow's simple types have."""

_MAX_GROUP_BYTES, _MAX_GROUP_ROWS = 64_000_000, 1_000
"""Of a row group of Parquet, which is held in memory; a picture counts once a row."""
_MAX_KEPT = 4


class Png(NamedTuple):
    """A picture: the bytes of its PNG file, and the digest of its pixels."""

    content: bytes
    sha256: str


class PngEncoder:
    """Pictures as ``Png``; the last ones are kept and not encoded again."""

    def __init__(self) -> None:
        self._kept: dict[str, Png] = {}

    def __call__(self, picture: Image) -> Png:
        """The picture without loss."""
        digest = page_digest(picture)
        if digest not in self._kept:
            file = io.BytesIO()
            PillowImage.fromarray(picture).save(file, "PNG")
            self._kept = dict([*self._kept.items(), (digest, Png(file.getvalue(), digest))][-_MAX_KEPT:])
        return self._kept[digest]


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
    """Write rows in row groups of bounded size; each stores equal pictures once.

    The columns of pictures are ``Image`` features of Hugging Face's ``datasets``.
    """
    from pyarrow import Table
    from pyarrow.parquet import ParquetWriter

    schema = _schema(columns)
    # All pictures of a group fit into the dictionary of its column, in which equal values are stored once.
    with ParquetWriter(path, schema, compression="zstd", dictionary_pagesize_limit=2 * _MAX_GROUP_BYTES) as writer:
        for group in _groups(rows):
            packed = [{name: _packed(value) for name, value in row.items()} for row in group]
            writer.write_table(Table.from_pylist(packed, schema=schema))


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
        size += sum(len(picture.content) for value in row.values() for picture in _pictures_in(value))
        if size >= _MAX_GROUP_BYTES or len(group) >= _MAX_GROUP_ROWS:
            yield group
            group, size = [], 0
    if group:
        yield group


def _pictures_in(value: Any) -> list[Png]:
    return [one for one in (value if type(value) is list else [value]) if isinstance(one, Png)]


def _packed(value: Any) -> Any:
    if type(value) is list:
        return [_packed(one) for one in value]
    return {"bytes": value.content, "path": f"{value.sha256}.png"} if isinstance(value, Png) else value


def _unpacked(value: Any) -> Any:
    if isinstance(value, list):
        return [_unpacked(one) for one in value]
    return value["bytes"] if isinstance(value, dict) and "bytes" in value else value


def _schema(columns: Columns) -> Any:
    """The schema of Arrow, with the features of Hugging Face's ``datasets``."""
    import pyarrow as pa

    image, part = pa.struct({"bytes": pa.binary(), "path": pa.string()}), pa.struct(dict.fromkeys(_PART, pa.string()))
    types = {
        "image": image,
        "images": pa.list_(image),
        "box": pa.list_(pa.float64(), 4),
        "messages": pa.list_(pa.struct({"role": pa.string(), "content": pa.list_(part)})),
    }
    fields = [(name, types.get(kind) or getattr(pa, _ARROW.get(kind, kind))()) for name, kind in columns.items()]
    features = {name: _FEATURES.get(kind) or {"_type": "Value", "dtype": kind} for name, kind in columns.items()}
    return pa.schema(fields, metadata={"huggingface": json.dumps({"info": {"features": features}})})


_ARROW = {"bool": "bool_"}
_PART = ("type", "text")
"""Of the content of a message; a picture has no text."""
_STRING = {"_type": "Value", "dtype": "string"}
_FEATURES = {
    "image": {"_type": "Image"},
    "images": {"_type": "List", "feature": {"_type": "Image"}},
    "box": {"_type": "Sequence", "length": 4, "feature": {"_type": "Value", "dtype": "float64"}},
    "messages": {
        "_type": "List",
        "feature": {"role": _STRING, "content": {"_type": "List", "feature": dict.fromkeys(_PART, _STRING)}},
    },
}


# -- JSON lines ----------------------------------------------------------------------------------------------------

_FILE_NAME = "_file_name"
"""Ends the names of columns of pictures' paths, or with an s of lists of them; ``datasets`` reads them as pictures."""


def write_jsonl(rows: Iterable[Row], columns: Columns, path: Path) -> None:
    """Write a line a row, and each picture once as a PNG file in ``images`` beside."""
    images = path.parent / "images"
    images.mkdir()
    with path.open("x", encoding="utf-8") as file:
        for row in rows:
            line: dict[str, Any] = {}
            for name, value in row.items():
                if columns[name] == "image":
                    line[f"{name}{_FILE_NAME}"] = _picture_file(images, value) if value else None
                elif columns[name] == "images":
                    line[f"{name}{_FILE_NAME}s"] = [_picture_file(images, one) for one in value]
                else:
                    line[name] = value
            file.write(json.dumps(line, ensure_ascii=False, allow_nan=False) + "\n")


def read_jsonl(path: Path) -> Iterator[Row]:
    """The rows of a file of ``write_jsonl``."""
    with path.open(encoding="utf-8") as file:
        for line in file:
            row = {}
            for name, value in json.loads(line).items():
                if name.endswith(_FILE_NAME):
                    row[name.removesuffix(_FILE_NAME)] = (path.parent / value).read_bytes() if value else None
                elif name.endswith(f"{_FILE_NAME}s"):
                    row[name.removesuffix(f"{_FILE_NAME}s")] = [(path.parent / one).read_bytes() for one in value]
                else:
                    row[name] = value
            yield row


def _picture_file(folder: Path, picture: Png) -> str:
    """The path of a picture beside the lines; it is written if it is not there."""
    file = folder / f"{picture.sha256}.png"
    if not file.exists():
        file.write_bytes(picture.content)
    return f"{folder.name}/{file.name}"


class Format(NamedTuple):
    """A format of rows.

    Attributes:
        file: the path of the rows' file, with ``{}`` for the name of the split, as ``datasets`` expects it.
        write: writes rows to it.
        read: its rows again.
    """

    file: str
    write: Callable[[Iterable[Row], Columns, Path], None]
    read: Callable[[Path], Iterator[Row]]


FORMATS: Mapping[str, Format] = {
    "parquet": Format("{}.parquet", write_parquet, read_parquet),
    "jsonl": Format("{}/metadata.jsonl", write_jsonl, read_jsonl),
}
